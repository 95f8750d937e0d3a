/** One of two services is restored from an older backup: it says again what it says, and nobody takes old for new. */
import assert from "node:assert/strict";
import { createDatabase, POSTGRES, type TestDatabase } from "../_postgres.ts";
import { startService, TestService } from "../_service.ts";
import { pairUp, type Side, startPair } from "./_pair.ts";
import { create, type Json, later, ok, recalled, rows, turn } from "./_turns.ts";

/** Another process of the side, on another database: the same workspace, the same key. */
async function reopen(side: Side, database: TestDatabase): Promise<void> {
  const { workspaceId, key } = side.service;
  const { service, stack } = await startService({ ...side.options, database });
  side.service = new TestService(service, workspaceId, key, database, stack);
  side.front.service = side.service;
}

const edit = (side: Side, { id }: Json, statement: string) =>
  ok(side.service.patch(`/v1/memory/facts/${id}`, { statement }));
const erase = (side: Side, { id }: Json) => ok(side.service.post(`/v1/facts/${id}/forget`, { mode: "erase" }));
const textOf = async (side: Side, { id }: Json) => (await ok(side.service.get(`/v1/memory/facts/${id}`))).statement;

async function registerOf(side: Side): Promise<string[]> {
  const found = await rows(
    side,
    `select origin_id || ' ' || writer || ' ' || version || ' ' || encode(hash, 'hex') as entry
       from federation_version where workspace_id = :ws order by 1`,
  );
  return found.map(({ entry }) => entry);
}

Deno.test({
  ...POSTGRES,
  name: "F21 after a restore of an older backup the peer reads from the start, and both sides are level again",
  async fn(t) {
    await using stack = new AsyncDisposableStack();
    const before = stack.use(await createDatabase());
    await using pair = await startPair({ b: { database: before } });
    const { a, b } = pair;
    stack.defer(() => b.service[Symbol.asyncDispose]());
    await pairUp(pair);
    const [edited, both, erased] = [
      await create(b, "The ropeway of Ebeltoft carries four people."),
      await create(b, "The windmill of Ebeltoft has five sails."),
      await create(b, "The ferry of Ebeltoft is called Maja."),
    ];
    const ours = await create(a, "The market of Ebeltoft is on Saturdays.");
    await turn(a, b);
    await turn(b, a);
    await b.service[Symbol.asyncDispose]();
    const backup = stack.use(await createDatabase({ copyOf: before }));
    await reopen(b, before);

    // What the backup does not know of.
    for (const people of ["six", "eight"]) {
      await edit(b, edited, `The ropeway of Ebeltoft carries ${people} people.`);
      await turn(a, b);
    }
    await edit(b, both, "The windmill of Ebeltoft has six sails.");
    await edit(b, ours, "The market of Ebeltoft is on Sundays.");
    await erase(b, erased);
    const lost = await create(b, "The museum of Ebeltoft is free on Mondays.");
    await turn(a, b);
    await turn(b, a);
    await edit(a, both, "The windmill of Ebeltoft has seven sails.");
    await b.service[Symbol.asyncDispose]();
    await reopen(b, backup);
    later(pair, 300);

    await t.step("places that were given anew are not those that the peer read", async () => {
      // As many places as were lost, and more: the peer's position is not beyond the end.
      for (let i = 0; i < 8; i++) await create(b, `Stall ${i} of Ebeltoft sells fish.`);
      await edit(b, edited, "The ropeway of Ebeltoft carries five people.");
      const report = await turn(a, b);
      assert.ok(report.received >= 9, JSON.stringify(report));
      const stalls = (await recalled(a, "stall Ebeltoft fish")).filter(({ text }) => text.startsWith("Stall"));
      assert.equal(stalls.length, 8);
    });

    await t.step("what B says now is above what it said before", async () => {
      const [peer] = await rows(b, "select reconciled_at from federation_peer where workspace_id = :ws");
      assert.equal(peer.reconciled_at, null, "the next turn of B compares");
      await turn(b, a);
      await turn(a, b);
      assert.match(await textOf(a, edited), /five people/);
      // What B said of A's fact it does not know any more: it says what it shows.
      const open = (await ok(a.service.get("/v1/memory/federation/conflicts"))).data;
      assert.deepEqual(open.filter(({ origin }: Json) => origin.id === ours.id), []);
      assert.equal(await textOf(a, ours), ours.statement);
    });

    await t.step("edits of both are contested on both, and people are asked about what was erased", async () => {
      await turn(b, a);
      for (const side of [a, b]) {
        const open = (await ok(side.service.get("/v1/memory/federation/conflicts"))).data;
        assert.ok(open.some(({ origin }: Json) => origin.id === both.id), side.id);
      }
      const { data } = await ok(b.service.get("/v1/review?kind=federation_conflict"));
      const asked = data.filter(({ detail }: Json) => detail.kind === "erase_request");
      assert.deepEqual(asked.map(({ detail }: Json) => [detail.writer, detail.origin.id]), [[a.id, erased.id]]);
      assert.equal((await a.service.get(`/v1/memory/facts/${erased.id}`)).status, 410);
      assert.equal((await b.service.get(`/v1/memory/facts/${erased.id}`)).status, 200);
      await erase(b, erased);
    });

    await t.step("both registers are equal but for what B lost, which stays where it is and is told", async () => {
      await turn(b, a);
      const { reconciled } = await turn(a, b, { reconcile: true });
      assert.deepEqual(reconciled!.left, [`${b.id}/${lost.id}`]);
      assert.equal(await textOf(a, lost), lost.statement);
      await turn(b, a);
      const here = (await registerOf(a)).filter((entry) => !entry.startsWith(lost.id));
      assert.deepEqual(await registerOf(b), here);
      const again = await turn(b, a);
      assert.equal(again.received, 0);
    });
  },
});
