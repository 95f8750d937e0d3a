/**
 * Conflicts with versions of other instances, on real databases: who decides, by which rule, and what a person's
 * decision ends.
 */
import assert from "node:assert/strict";
import { noteClaim } from "../../src/domain/federation/exchange/claims.ts";
import { listFederationConflicts } from "../../src/domain/federation/applying/list_conflicts.ts";
import { resolveFederationConflict } from "../../src/domain/federation/applying/resolve_conflict.ts";
import { listReviewItems, resolveReviewItem } from "../../src/domain/review/queue.ts";
import { ListFederationConflictsQuery } from "../../src/schema/federation_conflict.ts";
import type { ConflictResolution } from "../../src/schema/federation_peer.ts";
import { ListReviewQuery, ResolveReviewBody } from "../../src/schema/review.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, exchangeAll, factForm, itemOf, type Json, type Node } from "./_exchange.ts";

const A = "instance:a.example";
const C = "instance:c.example";
const D = "instance:d.example";

const conflictsOf = async (node: Node) =>
  (await listFederationConflicts(node.ctx, ListFederationConflictsQuery.parse({}))).data;
const reviewsOf = async (node: Node) =>
  (await listReviewItems(node.ctx, ListReviewQuery.parse({ kind: "federation_conflict" }))).data;

/** Creates a fact at `a`, which `b` gets and both change. */
async function contest(a: Node, b: Node, attribution = "agent_stated", of = "agent_stated") {
  const { id } = await a.createFact({ statement: "The gate opens at seven", attribution: of });
  await b.pull(a);
  await b.patchFact(id, { statement: "The gate opens at eight", attribution });
  await a.patchFact(id, { statement: "The gate opens at nine" });
  await b.pull(a);
  return { id, versions: { itemA: { id, instance: b.id }, itemB: { id, instance: a.id } } };
}

Deno.test({
  ...POSTGRES,
  name: "contradictions between instances",
  async fn(t) {
    await using exchange = await Exchange.open(["a", "b"]);

    await t.step(
      "T37 no policy, vote, successor or tombstone of another replaces what a person stated or verified",
      async () => {
        for (const attribution of ["user_stated", "verified"]) {
          for (const strategy of ["theirs_wins", "ours_wins", "consensus", "manual"] satisfies ConflictResolution[]) {
            const [, b] = await exchange.play(2, () => ({ strategy, weights: [100, 100] }));
            await b!.addPeer(C, { strategy, weight: 100 });
            const origin = { instance: A, id: crypto.randomUUID() };
            await b!.receive(A, [itemOf(A, { origin, unit: factForm("The code is 1") })]);
            await b!.patchFact(origin.id, { statement: "The code is 2", attribution });
            const [said] = await b!.rows("select version from federation_version where workspace_id = :ws");
            assert.equal(said.version, 1);
            await b!.receive(A, [
              itemOf(A, { origin, version: 3, seen: { [b!.id]: 2 }, unit: factForm("The code is 3") }),
            ]);
            await b!.receive(C, [
              itemOf(C, { origin, version: 4, seen: { [b!.id]: 2, [A]: 3 }, unit: factForm("The code is 3") }),
            ]);
            await b!.receive(C, [itemOf(C, { origin, version: 5 }, "fact:deleted")]);
            const fact = await b!.fact(origin.id);
            assert.deepEqual([fact.statement, fact.attribution], ["The code is 2", attribution], `${strategy}`);
          }
        }
      },
    );

    await t.step("theirs_wins takes the other version and keeps ours, closed, as a fact of its own", async () => {
      const [a, b] = await exchange.play(2, (i) => ({ strategy: i === 1 ? "theirs_wins" : "manual" }));
      const { id } = await contest(a!, b!);
      assert.equal((await b!.fact(id)).statement, "The gate opens at nine");
      const others = await b!.rows(
        `select text, status, body ->> 'supersededBy' as by from unit where workspace_id = :ws and type = 'fact' and id <> '${id}'`,
      );
      assert.deepEqual(others, [{ text: "The gate opens at eight", status: "superseded", by: id }]);
      await exchangeAll([a!, b!]);
      assert.equal((await a!.fact(id)).statement, "The gate opens at nine");
      assert.deepEqual(await conflictsOf(a!), []);
    });

    await t.step("T44 the receiver's strategy settles a contradiction, whatever the sender says", async () => {
      const [a, b] = await exchange.play(2);
      const { id } = await contest(a!, b!);
      assert.equal((await b!.fact(id)).statement, "The gate opens at eight");
      assert.deepEqual((await conflictsOf(b!)).map(({ strategy, writer }) => [strategy, writer]), [["manual", A]]);
    });

    await t.step(
      "T44 settling needs memory:admin besides the scope, and counts only versions on record here",
      async () => {
        const [a, b] = await exchange.play(2);
        const { id, versions } = await contest(a!, b!);
        await assert.rejects(resolveFederationConflict(b!.as(A), versions), { code: "insufficient_scope" });
        const wrong = { ...versions, itemB: { ...versions.itemB, hash: "0".repeat(64) } };
        await assert.rejects(resolveFederationConflict(b!.ctx, wrong), { code: "conflict" });
        const stranger = { itemA: { id: crypto.randomUUID(), instance: A }, itemB: { id, instance: A } };
        await assert.rejects(resolveFederationConflict(b!.ctx, stranger), { code: "not_found" });
        const { status, rule, winner } = await resolveFederationConflict(b!.ctx, versions);
        assert.deepEqual([status, rule, winner?.instance], ["resolved", "last_write_wins", A]);
        assert.equal((await b!.fact(id)).statement, "The gate opens at nine");
        assert.deepEqual([await conflictsOf(b!), await reviewsOf(b!)], [[], []]);
        assert.deepEqual([...(await b!.recall("gate opens")).values()].map(({ contested }) => contested), [false]);
        await exchangeAll([a!, b!]);
        assert.deepEqual(await conflictsOf(a!), []);
      },
    );

    await t.step(
      "T44 nobody settles a contradiction by its review, or dismisses it, without memory:admin",
      async () => {
        const [a, b] = await exchange.play(2);
        const { id } = await contest(a!, b!);
        const [item] = await reviewsOf(b!);
        const { service, workspaceId } = b!;
        const key = await service.createKey({ workspaceId, scopes: ["memory:write", "memory:delete", "federation"] });
        const bodies = [...item!.actions.map((action) => ({ action })), undefined];
        for (const body of bodies) {
          const path = `/v1/review/${item!.id}/${body === undefined ? "dismiss" : "resolve"}`;
          const reply = await service.post(path, body ?? {}, { key });
          assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], path);
        }
        assert.equal((await b!.fact(id)).statement, "The gate opens at eight");
        assert.deepEqual([(await conflictsOf(b!)).length, (await reviewsOf(b!)).length], [1, 1]);
        const admin = await service.createKey({ workspaceId, scopes: ["memory:write", "memory:admin"] });
        assert.equal((await service.post(`/v1/review/${item!.id}/dismiss`, {}, { key: admin })).status, 200);
        assert.deepEqual([await conflictsOf(b!), await reviewsOf(b!)], [[], []]);
      },
    );

    for (
      const [action, here] of [
        ["keep_local", "The gate opens at eight"],
        ["accept_incoming", "The gate opens at nine"],
        ["keep_both", "The gate opens at eight"],
        ["merge", "The gate opens at eight, on Mondays at nine"],
      ] as const
    ) {
      await t.step(`a review settles it by ${action}, and says so to the other side`, async () => {
        const [a, b] = await exchange.play(2);
        const { id } = await contest(a!, b!);
        const [item] = await reviewsOf(b!);
        const merged = action === "merge" ? { merged: { statement: here } } : {};
        await resolveReviewItem(b!.ctx, item!.id, ResolveReviewBody.parse({ action, ...merged }), undefined);
        assert.equal((await b!.fact(id)).statement, here);
        assert.deepEqual([await conflictsOf(b!), await reviewsOf(b!)], [[], []]);
        const [{ open }] = await b!.rows(
          "select count(*)::int as open from task where workspace_id = :ws and status = 'pending'",
        );
        assert.equal(open, 0);
        await exchangeAll([a!, b!]);
        // The other side has a conflict, too, unless its version was the one that was accepted.
        assert.equal((await conflictsOf(a!)).length, action === "accept_incoming" ? 0 : 1);
        assert.equal((await a!.fact(id)).statement, "The gate opens at nine");
        if (action === "keep_both") assert.equal((await b!.recall("gate opens")).size, 2);
      });
    }

    for (
      const [there, attribution, ends] of [
        ["theirs_wins", "agent_stated", ["keep_local", "accept_incoming", "keep_both", "merge"]],
        ["theirs_wins", "user_stated", ["accept_incoming"]],
        // Both sides have the same weight, so that no vote decides.
        ["consensus", "agent_stated", ["accept_incoming"]],
        ["manual", "agent_stated", ["accept_incoming"]],
        ["ours_wins", "agent_stated", ["accept_incoming"]],
      ] as const
    ) {
      await t.step(
        `a resolution ends it on the other side as far as ${there} allows, for what is ${attribution}`,
        async () => {
          for (const action of ["keep_local", "accept_incoming", "keep_both", "merge"] as const) {
            const [a, b] = await exchange.play(
              2,
              (i) => ({ strategy: i === 0 ? there : "manual", weights: [100, 100] }),
            );
            const { id } = await contest(a!, b!, "agent_stated", attribution);
            const [item] = await reviewsOf(b!);
            const merged = action === "merge" ? { merged: { statement: "The gate opens at ten" } } : {};
            await resolveReviewItem(b!.ctx, item!.id, ResolveReviewBody.parse({ action, ...merged }), undefined);
            await exchangeAll([a!, b!]);
            const isEnded = (ends as readonly string[]).includes(action);
            const [one, other] = [await a!.fact(id), await b!.fact(id)];
            assert.equal(one.statement === other.statement, isEnded, action);
            const open = [...await conflictsOf(a!), ...await conflictsOf(b!)];
            assert.equal(open.length, isEnded ? 0 : 1, action);
          }
        },
      );
    }

    await t.step(
      "T37 consensus: the claim of an instance that holds a copy counts as that instance's vote and nobody else's",
      async () => {
        const [a, b] = await exchange.play(2, () => ({ strategy: "consensus", weights: [100, 100] }));
        await b!.addPeer(C, { weight: 100 });
        await b!.addPeer(D);
        const { id } = await contest(a!, b!);
        assert.equal((await conflictsOf(b!)).length, 1);
        const name = { instance: A, id };
        const [{ hash, version }] = await b!.rows(
          `select encode(hash, 'hex') as hash, version from federation_version where workspace_id = :ws and writer = '${A}'`,
        );
        const claim = { version, hash, updatedAt: new Date().toISOString() };
        // The instance D has no weight here.
        await noteClaim(b!.ctx, D, name, claim);
        assert.equal((await conflictsOf(b!)).length, 1);
        await noteClaim(b!.ctx, C, name, claim);
        assert.deepEqual(await conflictsOf(b!), []);
        assert.equal((await b!.fact(id)).statement, "The gate opens at nine");
      },
    );

    await t.step(
      "T34 erasing a contested item erases the other version too, and closes its review and task",
      async () => {
        const [a, b] = await exchange.play(2);
        const { id } = await contest(a!, b!);
        await b!.erase(id);
        await b!.serve(A);
        const left: Json[] = await b!.rows(
          `select 'unit' as what from unit where workspace_id = :ws and origin_id = '${id}'
          union all select 'word' from federation_version where workspace_id = :ws and word is not null
          union all select 'conflict' from federation_conflict where workspace_id = :ws
          union all select 'review' from review_item where workspace_id = :ws and status = 'open'
          union all select 'task' from task where workspace_id = :ws and status = 'pending'`,
        );
        assert.deepEqual(left, []);
      },
    );
  },
});
