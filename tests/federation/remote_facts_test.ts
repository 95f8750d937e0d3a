/** The list of facts that peers in other regions have announced. */
import assert from "node:assert/strict";
import { putRemoteFacts } from "../../src/db/queries/federation_remote.ts";
import { DATABASE } from "../_postgres.ts";
import { startService } from "../_service.ts";

const PATH = "/v1/memory/federation/items/remote";

Deno.test({
  ...DATABASE,
  name: "remote facts come in pages by peer and id, either way",
  async fn() {
    await using service = await startService();
    const peers = ["instance:b.example", "instance:c.example"];
    for (const id of peers) {
      const added = await service.post("/v1/memory/federation/peers", { id, endpoint: "https://b.example" });
      assert.equal(added.status, 201, JSON.stringify(added.body));
    }
    const factIds = [1, 2].map((n) => `01990000-0000-7000-8000-00000000000${n}`);
    await service.operator().tx(async (tx) => {
      const facts = factIds.toReversed().map((factId) => ({ factId, hash: "0".repeat(64), region: "us-east-1" }));
      for (const peer of peers) await putRemoteFacts(tx, peer, facts);
    });
    const expected = peers.flatMap((peer) => factIds.map((factId) => `${peer} ${factId}`));
    for (const [order, all] of [["asc", expected], ["desc", expected.toReversed()]] as const) {
      const found: string[] = [];
      let cursor = "";
      do {
        const { status, body } = await service.get(`${PATH}?order=${order}&limit=3${cursor}`);
        assert.equal(status, 200, JSON.stringify(body));
        found.push(...body.data.map(({ peer, factId }: Record<string, string>) => `${peer} ${factId}`));
        cursor = body.nextCursor === null ? "" : `&cursor=${body.nextCursor}`;
      } while (cursor !== "");
      assert.deepEqual(found, all);
    }
  },
});
