/** Which peer may erase what, on real databases, and that nothing that was erased comes back. */
import assert from "node:assert/strict";
import { showContested } from "../../src/domain/federation/applying/compare_conflict.ts";
import { createRelation } from "../../src/domain/relations/create.ts";
import { getRelation } from "../../src/domain/relations/read.ts";
import { getReviewItem, listReviewItems } from "../../src/domain/review/queue.ts";
import { CreateRelationBody } from "../../src/schema/relation.ts";
import { ListReviewQuery, type ReviewAction, type ReviewItem } from "../../src/schema/review.ts";
import type { Scope } from "../../src/schema/scopes.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, factForm, itemOf, type Json, type Node } from "./_exchange.ts";

const A = "instance:a.example";
const B = "instance:b.example";
const C = "instance:c.example";

const nameOf = (instance: string) => ({ instance, id: crypto.randomUUID() });
const outcomesOf = (results: readonly { readonly outcome: string }[]) => results.map(({ outcome }) => outcome);

/** How many times erasing and receiving race; the soak run races more. */
const RACES = Number(Deno.env.get("SVC_TEST_RACES") ?? 20);

async function countRows(node: Node, table: string, where: string): Promise<number> {
  const [{ count }] = await node.rows(`select count(*)::int from ${table} where workspace_id = :ws and ${where}`);
  return count;
}

/** The open requests of peers to erase something, the oldest first. */
async function requestsTo(node: Node): Promise<ReviewItem[]> {
  const query = ListReviewQuery.parse({ kind: "federation_conflict", order: "asc" });
  return (await listReviewItems(node.ctx, query)).data;
}

/** Keys of the workspace with these scopes. */
function keysOf({ service, workspaceId }: Node, ...scopes: Scope[][]): Promise<string[]> {
  return Promise.all(scopes.map((scopes) => service.createKey({ workspaceId, scopes })));
}

/** Resolves a review with a key: the state that it has then, or the code of the refusal. */
async function decide({ service }: Node, id: string, key: string, action: ReviewAction): Promise<[number, string]> {
  const { status, body } = await service.post(`/v1/review/${id}/resolve`, { action }, { key });
  return [status, body.code ?? body.status];
}

Deno.test({
  ...POSTGRES,
  name: "erasing items that other instances have",
  async fn(t) {
    await using exchange = await Exchange.open(["b"]);

    await t.step(
      "T35 the origin's tombstone erases row, embedding and texts, with deletion log and feed, even of a unit that is verified here",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const origin = nameOf(A);
        await b!.receive(A, [itemOf(A, { origin, unit: factForm("The vault code is kept in the blue folder") })]);
        await b!.patchFact(origin.id, { attribution: "verified" });
        const [{ docNo }] = await b!.rows(
          `select doc_no::int as "docNo" from unit where workspace_id = :ws and id = '${origin.id}'`,
        );
        const buried = itemOf(A, { origin, version: 3 }, "fact:deleted");
        assert.deepEqual(outcomesOf(await b!.receive(A, [buried])), ["erased"]);
        assert.equal(await countRows(b!, "unit", `id = '${origin.id}'`), 0);
        assert.equal(await countRows(b!, "unit_revision", `id = '${origin.id}'`), 0);
        assert.equal(await countRows(b!, "embedding", `doc_no = ${docNo}`), 0);
        assert.equal(await countRows(b!, "deletion_log", `resource_id = '${origin.id}'`), 1);
        assert.equal(await countRows(b!, "change", `resource_id = '${origin.id}' and kind = 'fact.erased'`), 1);
        assert.equal((await b!.recall("vault code blue folder")).size, 0);
        assert.deepEqual(outcomesOf(await b!.receive(A, [buried])), ["acknowledged"]);
        const again = itemOf(A, { origin, version: 4, unit: factForm("The vault code is kept in the blue folder") });
        assert.deepEqual(outcomesOf(await b!.receive(A, [again])), ["RESURRECTION_BLOCKED"]);
        assert.equal(await countRows(b!, "unit", `id = '${origin.id}'`), 0);
      },
    );

    await t.step("T35 a peer erases nothing that began here: a person is asked, once", async () => {
      const [b] = await exchange.play(1);
      await b!.addPeer(A);
      const ours = await b!.createFact({ statement: "The bakery opens at six", attribution: "verified" });
      const origin = { instance: B, id: ours.id };
      for (const version of [2, 3]) {
        const buried = itemOf(A, { origin, version }, "fact:deleted");
        assert.deepEqual(outcomesOf(await b!.receive(A, [buried])), ["review_opened"]);
      }
      assert.equal((await b!.fact(ours.id)).statement, "The bakery opens at six");
      const { data } = await listReviewItems(b!.ctx, ListReviewQuery.parse({ kind: "federation_conflict" }));
      assert.deepEqual(data.map(({ detail }) => detail["kind"]), ["erase_request"]);
    });

    await t.step(
      "T35 a peer removes only its own version of another's item, and blocks no id in advance",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        await b!.addPeer(C);
        const origin = nameOf(A);
        const unknown = itemOf(C, { origin, version: 1 }, "fact:deleted");
        assert.deepEqual(outcomesOf(await b!.receive(C, [unknown])), ["not_found"]);
        const said = itemOf(A, { origin, unit: factForm("The pool is heated") });
        assert.deepEqual(outcomesOf(await b!.receive(A, [said])), ["applied"]);
        const buried = itemOf(C, { origin, version: 2, seen: { [A]: 1 } }, "fact:deleted");
        assert.deepEqual(outcomesOf(await b!.receive(C, [buried])), ["version_removed"]);
        assert.equal((await b!.fact(origin.id)).statement, "The pool is heated");
      },
    );

    await t.step(
      "T35 a peer's request to erase is accepted by whoever may erase: the item is gone, and the review tells who decided",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const ours = await b!.createFact({ statement: "The bakery opens at six" });
        await b!.receive(A, [itemOf(A, { origin: { instance: B, id: ours.id }, version: 2 }, "fact:deleted")]);
        const [item] = await requestsTo(b!);
        assert.deepEqual(item!.actions, ["keep_local", "accept_incoming"]);
        const [writer, eraser] = await keysOf(b!, ["memory:write"], ["memory:write", "memory:delete"]);
        assert.deepEqual(await decide(b!, item!.id, writer!, "keep_both"), [422, "validation_failed"]);
        assert.deepEqual(await decide(b!, item!.id, writer!, "accept_incoming"), [403, "insufficient_scope"]);
        assert.equal((await b!.fact(ours.id)).statement, "The bakery opens at six");
        assert.deepEqual(await decide(b!, item!.id, eraser!, "accept_incoming"), [200, "resolved"]);
        await assert.rejects(b!.fact(ours.id), { code: "erased" });
        const { status, resolution, resolvedBy } = await getReviewItem(b!.ctx, item!.id);
        assert.deepEqual([status, resolution?.outcome], ["resolved", "erased"]);
        assert.match(resolvedBy!, /^key:/);
        assert.equal(await countRows(b!, "change", `resource_id = '${item!.id}' and kind = 'review.resolved'`), 1);
      },
    );

    await t.step("T35 a peer's request to erase can be turned down by whoever may write", async () => {
      const [b] = await exchange.play(1);
      await b!.addPeer(A);
      const ours = await b!.createFact({ statement: "The bakery opens at six" });
      await b!.receive(A, [itemOf(A, { origin: { instance: B, id: ours.id }, version: 2 }, "fact:deleted")]);
      const [item] = await requestsTo(b!);
      const [writer] = await keysOf(b!, ["memory:write"]);
      assert.deepEqual(await decide(b!, item!.id, writer!, "keep_local"), [200, "resolved"]);
      assert.equal((await b!.fact(ours.id)).statement, "The bakery opens at six");
    });

    await t.step(
      "T35 a relation is erased as a peer asks: what it superseded is in force again, and every peer is told",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        await b!.addPeer(C);
        const [older, newer] = [
          await b!.createFact({ statement: "The bakery opens at six" }),
          await b!.createFact({ statement: "The bakery opens at seven" }),
        ];
        const related = CreateRelationBody.parse({ verb: "supersedes", sourceId: newer.id, targetId: older.id });
        const { relation } = await createRelation(b!.ctx, related);
        assert.equal((await b!.fact(older.id)).status, "superseded");
        await b!.serve(A);
        const origin = { instance: B, id: relation.id };
        for (const peer of [A, C]) {
          const buried = itemOf(peer, { origin, version: 2 }, "relation:deleted");
          assert.deepEqual(outcomesOf(await b!.receive(peer, [buried])), ["review_opened"]);
        }
        const [item, other] = await requestsTo(b!);
        const { about, here } = await showContested(b!.ctx, item!.id);
        assert.deepEqual([about, here?.["type"], here?.["id"]], ["erasure", "relation", relation.id]);
        const [eraser] = await keysOf(b!, ["memory:write", "memory:delete"]);
        assert.deepEqual(await decide(b!, item!.id, eraser!, "accept_incoming"), [200, "resolved"]);
        await assert.rejects(getRelation(b!.ctx, relation.id), { code: "not_found" });
        assert.equal((await b!.fact(older.id)).status, "active");
        await assert.rejects(getReviewItem(b!.ctx, other!.id), { code: "not_found" });
        assert.equal(await countRows(b!, "deletion_log", `resource_id = '${relation.id}'`), 1);
        assert.equal(await countRows(b!, "change", `resource_id = '${relation.id}' and kind = 'relation.erased'`), 1);
        const told = (await b!.serve(C)).find(({ body }) => body.origin.id === relation.id);
        assert.equal(told?.isDeleted, true);
        const late = itemOf(A, { origin, version: 3 }, "relation:deleted");
        assert.deepEqual(outcomesOf(await b!.receive(A, [late])), ["acknowledged"]);
      },
    );

    await t.step("T34 an item that was erased before it arrives is refused, also under another type", async () => {
      const [b] = await exchange.play(1);
      await b!.addPeer(A);
      const origin = nameOf(A);
      assert.deepEqual(outcomesOf(await b!.receive(A, [itemOf(A, { origin, version: 2 }, "fact:deleted")])), [
        "erased",
      ]);
      const late = itemOf(A, { origin, version: 1, unit: factForm("late") });
      const later = itemOf(A, { origin, version: 3, unit: factForm("later") });
      assert.deepEqual(outcomesOf(await b!.receive(A, [late])), ["RESURRECTION_BLOCKED"]);
      assert.deepEqual(outcomesOf(await b!.receive(A, [later])), ["RESURRECTION_BLOCKED"]);
      assert.equal(await countRows(b!, "unit", `id = '${origin.id}'`), 0);
    });

    await t.step("T34 erasing and receiving at once leaves nothing, whichever comes first", async () => {
      const [b] = await exchange.play(1);
      await b!.addPeer(A);
      for (let i = 0; i < RACES; i++) {
        const origin = nameOf(A);
        await b!.receive(A, [itemOf(A, { origin, unit: factForm(`The lift stops at floor ${i}`) })]);
        const next = itemOf(A, { origin, version: 2, unit: factForm(`The lift stops at floor ${i}, as a rule`) });
        const results = await Promise.allSettled([b!.erase(origin.id), b!.receive(A, [next])]);
        const failed = results.flatMap((result) => result.status === "rejected" ? [result.reason as Json] : []);
        assert.deepEqual(failed, []);
        const [{ outcome }] = await b!.receive(A, [{ ...next, body: { ...next.body, version: 3 } }]) as [Json];
        assert.equal(outcome, "RESURRECTION_BLOCKED");
        assert.equal(await countRows(b!, "unit", `origin_id = '${origin.id}'`), 0);
      }
    });
  },
});
