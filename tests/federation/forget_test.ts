/** Forgetting a peer that was removed: what it alone said is erased, what others have a word on stays theirs. */
import assert from "node:assert/strict";
import { countReceived, forgetPeer } from "../../src/domain/federation/applying/forget_peer.ts";
import { removePeer } from "../../src/domain/federation/peers/manage_peers.ts";
import { putRemoteFacts } from "../../src/db/queries/federation_remote.ts";
import { showContested } from "../../src/domain/federation/applying/compare_conflict.ts";
import { listReviewItems } from "../../src/domain/review/queue.ts";
import { ListReviewQuery } from "../../src/schema/review.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, factForm, itemOf, type Json, type Node } from "./_exchange.ts";

const A = "instance:a.example";
const C = "instance:c.example";

const version = (writer: string, id: string, version: number, statement: string, seen: Record<string, number> = {}) =>
  itemOf(writer, { origin: { instance: A, id }, version, seen, unit: factForm(statement) });

/** Units that say a text, in any of the tables that hold it. */
async function traces(node: Node, word: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of ["unit", "unit_revision", "federation_version", "federation_conflict", "deletion_log"]) {
    const rows = await node.rows(`select from ${table} t where workspace_id = :ws and t::text ilike '%${word}%'`);
    if (rows.length > 0) found.push(`${table} ${rows.length}`);
  }
  return found;
}

Deno.test({
  ...POSTGRES,
  name: "forgetting a peer",
  async fn(t) {
    await using exchange = await Exchange.open(["a", "b"]);

    await t.step("a peer is removed before it is forgotten, and is known", async () => {
      const [, b] = await exchange.play(2);
      await assert.rejects(forgetPeer(b!.ctx, A), { code: "conflict" });
      await assert.rejects(countReceived(b!.ctx, A), { code: "conflict" });
      await assert.rejects(forgetPeer(b!.ctx, C), { code: "not_found" });
      await assert.rejects(forgetPeer(b!.as(A), A), { code: "insufficient_scope" });
    });

    await t.step("what the peer alone said is erased for good; what was said here stays", async () => {
      const [, b] = await exchange.play(2);
      await b!.addPeer(C);
      const [alone, edited, same] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
      const own = await b!.createFact({ statement: "The harbour closes at ten" });
      await b!.receive(A, [
        version(A, alone, 1, "The lighthouse is haunted"),
        version(A, edited, 1, "The lighthouse keeper is Ove"),
        version(A, same, 1, "The harbour closes at ten"),
      ]);
      await b!.patchFact(edited, { statement: "The keeper is Ada" });
      await b!.ctx.tx((tx) =>
        putRemoteFacts(tx, A, [{ factId: crypto.randomUUID(), hash: "0".repeat(64), region: "eu-west-1" }])
      );
      await removePeer(b!.ctx, A);
      assert.deepEqual(await countReceived(b!.ctx, A), { items: 3, remoteFacts: 1 });
      const forgotten = await forgetPeer(b!.ctx, A);
      assert.deepEqual(forgotten, { peer: A, erased: 2, takenBack: 1, remoteFacts: 1 });
      await assert.rejects(b!.fact(alone), { code: "erased" });
      assert.equal((await b!.fact(edited)).statement, "The keeper is Ada");
      assert.equal((await b!.fact(own.id)).statement, "The harbour closes at ten");
      assert.deepEqual(await traces(b!, "haunted"), []);
      assert.deepEqual(
        await b!.rows(`select * from federation_version where workspace_id = :ws and writer = '${A}'`),
        [],
      );
      assert.deepEqual([...(await b!.recall("lighthouse haunted")).keys()].includes(alone), false);
      const [{ n }] = await b!.rows(
        "select count(*)::int as n from svc_audit_log where workspace_id = :ws and event_type = 'federation.peer_forgotten'",
      );
      assert.equal(n, 1);
      // Nobody else is told of what this instance never said: not even its ids.
      await b!.serve(C);
      const told = await b!.rows("select origin_id from federation_erasure where workspace_id = :ws");
      assert.deepEqual(told.map(({ origin_id }: Json) => origin_id).includes(alone), false);
      assert.deepEqual(await forgetPeer(b!.ctx, A), { peer: A, erased: 0, takenBack: 0, remoteFacts: 0 });

      await b!.addPeer(A);
      const [again] = await b!.receive(A, [version(A, alone, 2, "The lighthouse is haunted")]);
      assert.equal(again!.outcome, "RESURRECTION_BLOCKED", "what was erased does not come back");
    });

    await t.step("a contradiction with the peer ends, and so does its review", async () => {
      const [, b] = await exchange.play(2);
      const { id } = await b!.createFact({ statement: "The gate opens at eight" });
      await b!.serve(A);
      const origin = { instance: b!.id, id };
      await b!.receive(A, [itemOf(A, { origin, version: 2, unit: factForm("The gate opens at nine") })]);
      const open = async () =>
        (await listReviewItems(b!.ctx, ListReviewQuery.parse({ kind: "federation_conflict" }))).data;
      const [review] = await open();
      const { about, peer, here, there } = await showContested(b!.ctx, review!.id);
      assert.deepEqual([about, peer, here!["text"], there!["text"]], [
        ...["contradiction", A, "The gate opens at eight", "The gate opens at nine"],
      ]);
      await removePeer(b!.ctx, A);
      const { erased, takenBack } = await forgetPeer(b!.ctx, A);
      assert.deepEqual([erased, takenBack], [0, 1]);
      assert.deepEqual(await open(), []);
      assert.deepEqual(await traces(b!, "opens at nine"), []);
      assert.equal((await b!.fact(id)).statement, "The gate opens at eight");
    });

    await t.step("where another peer's word is not at hand any more, it is fetched again and shown", async () => {
      const [, b] = await exchange.play(2);
      await b!.addPeer(C);
      const id = crypto.randomUUID();
      await b!.receive(A, [version(A, id, 1, "The bridge is red")]);
      await b!.receive(C, [version(C, id, 2, "The bridge is blue", { [A]: 1 })]);
      assert.equal((await b!.fact(id)).statement, "The bridge is blue");
      await removePeer(b!.ctx, C);
      assert.deepEqual(await forgetPeer(b!.ctx, C), { peer: C, erased: 0, takenBack: 1, remoteFacts: 0 });
      const left = await b!.rows("select writer from federation_version where workspace_id = :ws");
      assert.deepEqual(left, [], "the digest shows that what A says is missing");
      const [peer] = await b!.rows(
        `select reconciled_at from federation_peer where workspace_id = :ws and id = '${A}'`,
      );
      assert.equal(peer.reconciled_at, null, "both sides are compared in the next turn");
      await b!.receive(A, [version(A, id, 1, "The bridge is red")]);
      assert.equal((await b!.fact(id)).statement, "The bridge is red");
    });
  },
});
