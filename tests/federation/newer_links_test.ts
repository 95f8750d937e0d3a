/** What a peer sends is linked as what is told here, and no result points to it any more once the peer is forgotten. */
import assert from "node:assert/strict";
import { forgetPeer } from "../../src/domain/federation/applying/forget_peer.ts";
import { removePeer } from "../../src/domain/federation/peers/manage_peers.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange } from "./_exchange.ts";

const QUESTION = "Which editor is the go-to of the printing team?";

Deno.test({
  ...POSTGRES,
  name: "what a peer said later is pointed to until the peer is forgotten",
  async fn() {
    await using exchange = await Exchange.open(["a", "b"]);
    const [a, b] = await exchange.play(2);
    const old = await b!.createFact({
      statement: "The go-to editor of the printing team is Sublime Text",
      occurredAt: "2026-03-02T09:14:00Z",
    });
    const made = await a!.createFact({
      statement: "printing team caved, quokka mode is the editor now. Sublime is uninstalled",
      occurredAt: "2026-05-20T18:40:00Z",
    });
    await b!.pull(a!);
    const pointer = async () => (await b!.recall(QUESTION)).get(old.id)?.newer?.id;
    assert.equal(await pointer(), made.id);
    await removePeer(b!.ctx, a!.id);
    await forgetPeer(b!.ctx, a!.id);
    assert.equal(await pointer(), undefined);
    assert.deepEqual(await b!.rows("select 1 from newer_link where workspace_id = :ws"), []);
  },
});
