/** Turns between two services: the other side gets what one publishes, once, whatever happens on the way. */
import assert from "node:assert/strict";
import { QUERY_PARAMETERS_MAX } from "../../src/edge/query_limits.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { entryOf, pairUp, type Side, startPair } from "./_pair.ts";
import { create, type Json, later, ok, recalled, rows, turn } from "./_turns.ts";

Deno.test({
  ...POSTGRES,
  name: "F19 what is written on A is recalled on B after a turn, once; edits and erasures follow; the digest proves it",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    let fact: Json;

    await t.step("facts from before and after pairing are pulled, and are recalled at the other side", async () => {
      fact = await create(a, "The turbine of plant Nord runs at 3,000 rpm.", { attribution: "user_stated" });
      await create(a, "Secret bonus list of plant Nord.", { sensitivity: "restricted" });
      const report = await turn(b, a);
      assert.deepEqual([report.received, report.rejected], [1, []]);
      const [found] = await recalled(b, "turbine plant Nord");
      assert.equal(found.id, fact.id);
      assert.equal(found.attribution ?? "federation_received", "federation_received");
      assert.ok(!JSON.stringify(await rows(b, "select * from unit where workspace_id = :ws")).includes("bonus"));
      assert.deepEqual(report.reconciled, { equal: true, differences: 0, left: [] });
    });

    await t.step("where nothing is new a turn is one request", async () => {
      const before = a.front.requests.length;
      assert.equal((await turn(b, a)).received, 0);
      assert.equal(a.front.requests.length - before, 1, a.front.requests.slice(before).join("\n"));
    });

    await t.step("an edit follows as an update, and nothing goes back", async () => {
      const statement = "The turbine of plant Nord runs at 3,600 rpm.";
      await ok(a.service.patch(`/v1/memory/facts/${fact.id}`, { statement }, { headers: { "if-match": '"1"' } }));
      await turn(b, a);
      assert.equal((await recalled(b, "turbine plant Nord"))[0].text, statement);
      assert.equal((await turn(a, b)).received, 0);
    });

    await t.step("a hint brings the next turn forward", async () => {
      const wish = await create(a, "The pump of plant Nord was replaced in May.");
      await a.service.step("federation");
      const { nextAttemptAt } = (await entryOf(b, a))!;
      assert.ok(nextAttemptAt! <= pair.now, "B's turn is due");
      await b.service.step("federation");
      await waitFor(
        "the fact to be on B",
        async () => (await b.service.get(`/v1/memory/facts/${wish.id}`)).status === 200,
      );
    });

    await t.step(
      "an erasure is sent and acknowledged with a signature, and everything of the item is gone from B",
      async () => {
        await ok(a.service.post(`/v1/facts/${fact.id}/forget`, { mode: "erase" }));
        await turn(a, b);
        assert.equal((await b.service.get(`/v1/memory/facts/${fact.id}`)).status, 410);
        assert.deepEqual(
          await recalled(b, "turbine 3,600 rpm").then((all) => all.map(({ id }) => id).includes(fact.id)),
          false,
        );
        const [told] = await rows(a, "select outcome, ack, acked_at from federation_erasure where workspace_id = :ws");
        assert.equal(told.outcome, "erased");
        assert.ok(told.ack.signature.length > 80 && told.acked_at !== null);
        for (const table of ["unit", "unit_revision", "posting", "embedding"]) {
          const left = await rows(
            b,
            `select * from ${table} t where workspace_id = :ws and t::text like '%${fact.id}%'`,
          );
          assert.deepEqual(left, [], table);
        }
        const [{ n }] = await rows(
          b,
          `select count(*)::int as n from deletion_log where workspace_id = :ws and resource_id = '${fact.id}'`,
        );
        assert.equal(n, 1);
      },
    );

    await t.step("a changed row on one side shows in the digest, and is repaired", async () => {
      const before = await turn(b, a, { reconcile: true });
      assert.deepEqual(before.reconciled, { equal: true, differences: 0, left: [] });
      await rows(
        b,
        `delete from federation_version where workspace_id = :ws and writer = '${a.id}' and not is_deleted`,
      );
      const after = await turn(b, a, { reconcile: true });
      assert.equal(after.reconciled?.equal, true, JSON.stringify(after));
      assert.ok(after.reconciled!.differences > 0);
    });

    await t.step(
      "more items differ than a request may have parameters: one turn compares and repairs them",
      async () => {
        const count = 2 * QUERY_PARAMETERS_MAX + 1;
        const facts = Array.from(
          { length: count },
          (_, i) => ({ statement: `Valve ${i} of plant Nord is in room ${i}.` }),
        );
        await ok(a.service.post("/v1/memory/facts/batch", { facts }));
        await turn(b, a);
        await rows(
          b,
          `delete from federation_version where workspace_id = :ws and writer = '${a.id}' and not is_deleted`,
        );
        const before = a.front.requests.length;
        const { reconciled } = await turn(b, a, { reconcile: true });
        assert.deepEqual(
          [reconciled?.equal, reconciled!.differences >= count],
          [true, true],
          JSON.stringify(reconciled),
        );
        // A page, the root of each side, one level, the buckets, four times 60 items, and the root again.
        assert.equal(a.front.requests.length - before, 10, a.front.requests.slice(before).join("\n").slice(0, 4_000));
      },
    );

    await t.step(
      "two edits of one fact are contested on both sides: both are recalled, and each side has one review",
      async () => {
        const both = await create(a, "The gate of plant Nord is painted green.");
        await turn(b, a);
        const edit = (side: Side, colour: string) =>
          ok(
            side.service.patch(`/v1/memory/facts/${both.id}`, {
              statement: `The gate of plant Nord is painted ${colour}.`,
            }, {
              headers: { "if-match": '"1"' },
            }),
          );
        await edit(a, "red");
        await edit(b, "blue");
        assert.equal((await turn(b, a)).conflicts, 1);
        assert.equal((await turn(a, b)).conflicts, 1);
        for (const side of [a, b]) {
          const found = (await recalled(side, "gate plant Nord painted")).filter(({ text }) =>
            /painted (red|blue)/.test(text)
          );
          assert.deepEqual(found.map(({ contested }) => contested), [true, true], side.id);
          const reviews = await ok(side.service.get("/v1/review?kind=federation_conflict"));
          assert.equal(reviews.data.length, 1, side.id);
        }
        // A peer serves six roots of its digest a minute.
        later(pair, 60);
        await turn(b, a, { reconcile: true });
      },
    );

    await t.step("a job takes a turn and shows its result", async () => {
      await create(a, "The boiler of plant Nord is inspected each year.");
      const started = await b.service.post("/v1/memory/federation/sync", { peer: a.id });
      assert.deepEqual([started.status, started.body.status], [202, "processing"]);
      const again = await b.service.post("/v1/memory/federation/sync", { peer: a.id });
      assert.equal(again.body.jobId, started.body.jobId);
      await b.service.step("federation");
      const job = await waitFor("the job to end", async () => {
        const { body } = await b.service.get(`/v1/memory/federation/sync/${started.body.jobId}`);
        return body.status === "processing" ? undefined : body;
      });
      assert.equal(job.status, "completed", JSON.stringify(job));
      assert.deepEqual([job.peer, job.received, job.conflicts], [a.id, 1, 0]);
      assert.equal((await b.service.post("/v1/memory/federation/sync", { peer: "instance:c.test" })).status, 404);
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "F18 a peer that is down is asked again after 30 s, 2 min, 10 min, 30 min, 1 h, and what was missed comes then",
  async fn() {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    await turn(b, a);
    const fact = await create(a, "The crane of dock 4 lifts forty tons.");
    const { service } = a.front;
    a.front.service = undefined;
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      const report = await syncWithPeer(b.service.operator(), a.id);
      assert.ok(report?.error !== null);
      const { state, nextAttemptAt, lastError } = (await entryOf(b, a))!;
      assert.equal(state, "DEGRADED");
      assert.ok(typeof lastError?.["message"] === "string");
      waits.push((nextAttemptAt!.getTime() - pair.now.getTime()) / 1_000);
      pair.now = nextAttemptAt!;
    }
    for (const [i, seconds] of [30, 120, 600, 1_800, 3_600, 3_600].entries()) {
      assert.ok(waits[i]! >= seconds && waits[i]! <= seconds * 1.1 + 1, `${i}: ${waits[i]}`);
    }
    a.front.service = service;
    await turn(b, a);
    assert.equal((await entryOf(b, a))!.state, "ACTIVE");
    assert.equal((await b.service.get(`/v1/memory/facts/${fact.id}`)).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T42 a page that was changed on its way, or that does not end, leaves no row and does not move the cursor",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    await create(a, "The ferry leaves at noon.");
    await turn(b, a, { mode: "pull" });
    const fact = await create(a, "The ferry to the island leaves at dawn.");
    const place = () => rows(b, "select pull_cursor from federation_peer where workspace_id = :ws");
    const before = await place();
    // The reply's token covers the whole reply: one that was changed on the way is refused.
    const lies: Record<string, (body: string) => string> = {
      "a cut page": (body) => body.slice(0, body.length / 2),
      "another cursor": (body) => body.replace(/"cursor":"./, '"cursor":"x'),
      "a page of nothing": () => "",
      "no JSON": () => "<html>",
    };
    for (const [name, lie] of Object.entries(lies)) {
      await t.step(name, async () => {
        a.front.garble = lie;
        const report = await syncWithPeer(b.service.operator(), a.id, { mode: "pull" });
        a.front.garble = undefined;
        assert.ok(report?.error, "the turn fails");
        assert.deepEqual([report.received, await place()], [0, before]);
        assert.equal((await b.service.get(`/v1/memory/facts/${fact.id}`)).status, 404);
        assert.equal((await entryOf(b, a))!.state, "DEGRADED");
        assert.equal((await turn(b, a, { mode: "push" })).error, null);
      });
    }
    await turn(b, a);
    assert.equal((await b.service.get(`/v1/memory/facts/${fact.id}`)).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F21 a turn that is cut off anywhere loses nothing and repeats nothing; two processes never have the same turn",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair);
    for (let i = 0; i < 12; i++) await create(a, `Buoy ${i} of the harbour is lit.`);

    await t.step("one process has the turn, and the other gets none", async () => {
      const ctx = b.service.operator();
      const [one, two] = await Promise.all([syncWithPeer(ctx, a.id), syncWithPeer(ctx, a.id)]);
      assert.equal([one, two].filter((report) => report === undefined).length, 1);
      assert.equal((one ?? two)!.received, 12);
    });

    await t.step("the same pages again change nothing", async () => {
      const count = () =>
        rows(b, "select count(*)::int as n, sum(version)::int as v from unit where workspace_id = :ws");
      const before = await count();
      await rows(b, "update federation_peer set pull_cursor = null where workspace_id = :ws");
      await turn(b, a);
      assert.deepEqual(await count(), before);
    });

    await t.step("a lease that a process left behind runs out", async () => {
      const until = new Date(pair.now.getTime() + 60_000).toISOString();
      await rows(
        b,
        `update federation_peer set lease_id = gen_random_uuid(), lease_expires_at = '${until}' where workspace_id = :ws`,
      );
      assert.equal(await syncWithPeer(b.service.operator(), a.id), undefined);
      later(pair, 61);
      await turn(b, a);
    });

    await t.step(
      "if the peer does not know our cursor any more, we pull from the start and compare both sides",
      async () => {
        await rows(a, "update federation_cursor set epoch = gen_random_uuid() where workspace_id = :ws");
        const report = await turn(b, a);
        assert.equal(report.reconciled?.equal, true);
      },
    );

    await t.step("nothing is exchanged with a removed peer, and its open job ends", async () => {
      await ok(b.service.post("/v1/memory/federation/sync", { peer: a.id }));
      await ok(b.service.delete(`/v1/memory/federation/peers/${encodeURIComponent(a.id)}`));
      assert.equal(await syncWithPeer(b.service.operator(), a.id), undefined);
      const before = a.front.requests.length;
      await b.service.step("federation");
      assert.equal(a.front.requests.length, before);
      const jobs = await waitFor("the job to end", async () => {
        const open = await rows(b, "select * from job where workspace_id = :ws and state in ('queued', 'running')");
        return open.length === 0 && await rows(b, "select state from job where workspace_id = :ws");
      });
      assert.deepEqual(jobs.map(({ state }: Json) => state), ["failed"]);
    });
  },
});
