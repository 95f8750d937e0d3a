/** `/v1/memory/admin/consolidate` and its jobs: the gate, each kind of step, protections, leases, revert. */
import assert from "node:assert/strict";
import * as jobQueries from "../../src/db/queries/jobs.ts";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { takeDueSnapshot } from "../../src/domain/upkeep/snapshots.ts";
import { revalueDue } from "../../src/domain/upkeep/worth_votes.ts";
import { expireDueFacts } from "../../src/domain/kinds/facts/lifecycle.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { create, livesIn, read, test, UNKNOWN_ID } from "./_facts.ts";
import { get, post, refusal, versionsOf } from "./_units.ts";

const ADMIN = "/v1/memory/admin";
const GATE = "/v1/memory/governance/gate";
const DAY_MS = 86_400_000;
type Body = Reply["body"];

async function ask(service: TestService, body: object = { force: true }): Promise<Body> {
  return await post(service, `${ADMIN}/consolidate`, body, 202);
}

async function finish(service: TestService, id: string): Promise<Body> {
  for (let i = 0; i < 5 && await runJobs(service.operator()); i++);
  const job = await get(service, `${ADMIN}/jobs/${id}`);
  assert.equal(job.state, "completed", JSON.stringify(job));
  return job;
}

async function run(service: TestService, body: object = { force: true }): Promise<Body> {
  return await finish(service, (await ask(service, body)).id);
}

async function revert(service: TestService, id: string): Promise<Body> {
  return await finish(service, (await post(service, `${ADMIN}/jobs/${id}/revert`, {}, 202)).id);
}

async function settle(service: TestService): Promise<void> {
  for (let i = 0; i < 20 && await revalueDue(service.operator()); i++);
}

/** Facts that are the same statement in other words make two facts, as their hashes differ. */
async function twins(service: TestService, first: object = {}, second: object = {}): Promise<[Body, Body]> {
  return [
    await create(service, { statement: "The server stands in the blue room.", ...first }),
    await create(service, { statement: "Server stands in blue room", ...second }),
  ];
}

async function incident(service: TestService, n: number, body: object = {}): Promise<Body> {
  return await post(service, "/v1/memory/episodes", {
    title: `The deployment failed on node ${n}`.replace(/ on node \d+/, ""),
    summary: `Deployment ${n} failed; the cache was flushed and it went through.`,
    kind: "incident",
    outcome: "Flushing the cache solved it.",
    attribution: "tool_observed",
    ...body,
  });
}

/** Everything that a reader sees of all units, to compare before and after. */
async function statusesOf(service: TestService): Promise<Record<string, string>> {
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ id: string; status: string; body: unknown }[]>`
    select id, status, body from unit where workspace_id = ${tx.workspaceId} order by id`
  );
  return Object.fromEntries(rows.map((row) => [row.id, `${row.status} ${JSON.stringify(row.body)}`]));
}

test("a closed gate refuses with what fails; force goes through it, but not through a manual hold", async (service) => {
  await create(service, {});
  const closed = await service.post(`${ADMIN}/consolidate`, {});
  assert.deepEqual(refusal(closed), [409, "gate_closed"]);
  assert.deepEqual(closed.body.errors.map((one: { path: string }) => one.path), [
    "gate.new_facts",
    "gate.quiet_period",
  ]);
  await post(service, GATE, { action: "hold", reason: "An import runs." }, 200);
  const held = await service.post(`${ADMIN}/consolidate`, { force: true });
  assert.deepEqual(refusal(held), [409, "gate_closed"]);
  assert.deepEqual(held.body.errors.map((one: { path: string }) => one.path), ["gate.manual_hold"]);
  assert.equal((await get(service, `${ADMIN}/jobs`)).data.length, 0);
  const dry = await run(service, { dryRun: true });
  assert.equal(dry.gate.find((one: { name: string }) => one.name === "manual_hold").passed, false);
  await post(service, GATE, { action: "release", reason: "Done." }, 200);
  const job = await run(service);
  assert.deepEqual([job.kind, job.state, job.attempts, job.failure], ["consolidate", "completed", 1, null]);
  const gate = await get(service, GATE);
  assert.equal(gate.lastRun.jobId, job.id, "a dry run is no run");
  assert.equal(gate.conditions[0].value, 0);
});

test("facts that say the same become one: the more trusted stays as it is and takes the citations", async (service) => {
  const citation = (messageId: string) => ({ citations: [{ messageId }] });
  const [weak, strong] = await twins(service, { ...citation("a"), tags: ["x"] }, {
    ...citation("b"),
    attribution: "tool_observed",
  });
  const job = await run(service);
  assert.deepEqual(job.report.steps, { merge: 1 });
  assert.deepEqual(
    job.steps[0].units.map((unit: Body) => [unit.id, unit.role, unit.versionBefore, unit.versionAfter]),
    [
      [strong.id, "kept", 1, 2],
      [weak.id, "merged", 1, 2],
    ],
  );
  const kept = await read(service, strong.id);
  assert.deepEqual([kept.status, kept.trustScore, kept.confidence, kept.corroborationCount], [
    "active",
    80,
    strong.confidence,
    1,
  ]);
  assert.deepEqual(kept.citations.map((one: Body) => one.messageId).sort(), ["a", "b"]);
  assert.deepEqual(kept.tags, ["x"]);
  assert.equal((await read(service, weak.id)).status, "archived");
  assert.match((await versionsOf(service, weak.id)).at(-1)![1]!, new RegExp(`merged into ${strong.id}`));
});

test("what is only alike is suggested, what differs in a word, a number, a time or a reader is left alone", async (service) => {
  const long = "Caroline's brother moved with his family from Oslo to Boston last spring after college";
  const brother = await create(service, { statement: long });
  const sister = await create(service, { statement: long.replace("brother", "sister") });
  await create(service, { statement: "Alice beats Bob at chess" });
  await create(service, { statement: "Bob beats Alice at chess" });
  await create(service, { statement: "The rent is 900 euros" });
  await create(service, { statement: "Rent is 950 euros" });
  await create(service, { statement: "The trip goes from Rome to Paris" });
  await create(service, { statement: "The trip goes to Rome from Paris" });
  await create(service, { statement: "Dana smokes" });
  await create(service, { statement: "Dana never smokes" });
  await create(service, { statement: "The door is green", sensitivity: "restricted" });
  await create(service, { statement: "Door is green" });
  await create(service, { statement: "The shop is closed", validTo: "2027-01-01T00:00:00Z" });
  await create(service, { statement: "Shop is closed" });
  const before = await statusesOf(service);
  const job = await run(service);
  assert.deepEqual([job.steps, job.report.steps], [[], {}]);
  assert.deepEqual(await statusesOf(service), before);
  const pairs = job.report.suggestions.map((one: Body) => [one.factId, one.otherId].sort().join());
  assert.ok(pairs.includes([brother.id, sister.id].sort().join()), JSON.stringify(job.report.suggestions));
});

test("neither a pinned nor a user_stated nor a verified fact is merged away, whatever says the same", async (service) => {
  for (const [i, shield] of [{ pinned: true }, { attribution: "user_stated" }, { attribution: "verified" }].entries()) {
    const statement = ["The lamp is red", "The tree is tall", "The lake is cold"][i]!;
    const safe = await create(service, { statement, ...shield });
    const other = await create(service, { statement: statement.slice(4), pinned: true, attribution: "verified" });
    const job = await run(service);
    assert.deepEqual(job.steps, []);
    for (const { id } of [safe, other]) assert.equal((await read(service, id)).status, "active");
  }
});

test("what is due is closed, and again readable as it was after a revert", async (service, clock) => {
  const { id } = await livesIn(service, "Lisbon", { attribution: "agent_stated", expiresAt: "2026-06-02T00:00:00Z" });
  const contested = await livesIn(service, "Oslo", { attribution: "unverified" });
  assert.equal(contested.conflict.outcome, "contested");
  clock.step(2 * DAY_MS);
  const job = await run(service);
  assert.deepEqual(job.steps.map((step: Body) => [step.kind, step.units[0].id, step.units[0].statusAfter]), [
    ["expire", id, "expired"],
  ]);
  assert.equal(await expireDueFacts(service.operator()), 0, "the worker finds nothing left");
  assert.equal((await read(service, contested.id)).status, "active", "what it kept contested is released");
  const { status } = await get(service, `/v1/review/${contested.conflict.reviewItemId}`);
  assert.equal(status, "resolved");
  await revert(service, job.id);
  const back = await read(service, id);
  assert.deepEqual([back.status, back.expiresAt], ["contested", null], "the other one is in force by now");
});

test(
  "the worthless is archived when it is old; what is protected, newly used, pinned or under review is not",
  async (service, clock) => {
    const low = { attribution: "unverified" };
    const fact = await create(service, low);
    const skill = await post(service, "/v1/memory/skills", {
      name: "Guess",
      description: "Guesses",
      instructions: "Guess.",
      ...low,
    });
    const decision = await post(service, "/v1/memory/decisions", { title: "Old", decision: "We guess.", ...low });
    await post(service, "/v1/memory/entities", { canonicalName: "Quay", ...low });
    const pinned = await create(service, { ...low, pinned: true });
    const stated = await create(service, { attribution: "user_stated" });
    for (let i = 0; i < 4; i++) {
      const signals = [{ unitId: stated.id, signal: "harmful" }];
      const reply = await service.post("/v1/memory/governance/worth/feedback", { signals }, {
        key: await service.createKey(),
      });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    }
    const triple = { subject: "Caroline", predicate: "lives in" };
    await create(service, { ...triple, object: "Paris", attribution: "user_stated" });
    const contested = await create(service, { ...triple, object: "Rome", ...low });
    await settle(service);
    assert.deepEqual((await run(service)).steps, [], "nothing is old enough");
    clock.step(200 * DAY_MS);
    const used = await create(service, low);
    await settle(service);
    const dry = await run(service, { dryRun: true });
    const ids = (job: Body) => job.steps.map((step: Body) => step.units[0].id).sort();
    assert.deepEqual(ids(dry), [fact.id, skill.id].sort());
    assert.equal((await read(service, fact.id)).status, "active", "a dry run changes nothing");
    const job = await run(service);
    assert.deepEqual(ids(job), ids(dry));
    for (const { id } of [pinned, stated, used]) assert.equal((await read(service, id)).status, "active");
    assert.equal((await read(service, contested.id)).status, "contested");
    assert.equal((await get(service, `/v1/memory/decisions/${decision.id}`)).status, "accepted");
    assert.equal((await get(service, `/v1/memory/skills/${skill.id}`)).status, "archived");
    const back = await revert(service, job.id);
    assert.deepEqual(back.report.steps, { revert: 2 });
    assert.equal((await read(service, fact.id)).status, "active");
    assert.equal((await get(service, `/v1/memory/skills/${skill.id}`)).status, "probationary");
    clock.step(200 * DAY_MS);
    await settle(service);
    const again = ids(await run(service));
    assert.ok(!again.includes(fact.id) && !again.includes(skill.id), "what a person took back is left alone");
  },
);

test("three episodes that went alike become a strategy, no more trusted than the least of them", async (service) => {
  const episodes = [await incident(service, 1), await incident(service, 2, { attribution: "unverified" })];
  await post(service, "/v1/memory/episodes", {
    title: "A birthday was held",
    kind: "event",
    outcome: "Cake was eaten.",
  });
  assert.deepEqual((await run(service)).steps, [], "two are not enough");
  episodes.push(await incident(service, 3));
  const job = await run(service);
  assert.deepEqual(job.report.steps, { promote: 1 });
  const [made, ...sources] = job.steps[0].units;
  assert.deepEqual(sources.map((unit: Body) => unit.id).sort(), episodes.map((episode) => episode.id).sort());
  const strategy = await get(service, `/v1/memory/strategies/${made.id}`);
  assert.deepEqual([strategy.attribution, strategy.trustScore, strategy.derivedFrom.toSorted()], [
    "agent_inferred",
    10,
    episodes.map((episode) => episode.id).sort(),
  ]);
  assert.deepEqual((await run(service)).steps, [], "a second run does nothing");
  await revert(service, job.id);
  assert.equal((await get(service, `/v1/memory/strategies/${made.id}`)).status, "archived");
  assert.deepEqual((await run(service)).steps, []);
});

test("no trust rises and a second run does nothing, over a memory of everything", async (service, clock) => {
  await twins(service, { attribution: "unverified" }, { attribution: "tool_observed" });
  await create(service, { attribution: "imported" });
  for (const n of [1, 2, 3, 4]) await incident(service, n);
  clock.step(200 * DAY_MS);
  await settle(service);
  const trusts = async () =>
    new Map((await service.operator().tx((tx) =>
      tx.sql<{ id: string; trust: number }[]>`
      select id, trust_score as trust from unit where workspace_id = ${tx.workspaceId}`
    )).map((row) => [row.id, row.trust]));
  const before = await trusts();
  const job = await run(service);
  assert.deepEqual(Object.keys(job.report.steps).sort(), ["archive", "merge", "promote"]);
  for (const [id, trust] of await trusts()) assert.ok(trust <= (before.get(id) ?? 45));
  const after = await statusesOf(service);
  assert.deepEqual((await run(service)).steps, []);
  assert.deepEqual(await statusesOf(service), after);
});

test("a revert gives everything back as it was, twice changes nothing, and what was changed since stays", async (service) => {
  const [weak, strong] = await twins(service, { citations: [{ messageId: "a" }] }, { attribution: "tool_observed" });
  const [first, second] = [
    await create(service, { statement: "The lamp is red" }),
    await create(service, { statement: "Lamp is red" }),
  ];
  const before = await statusesOf(service);
  const job = await run(service);
  assert.deepEqual(job.report.steps, { merge: 2 });
  const lamp = job.steps.find((step: Body) => step.units.some((unit: Body) => unit.id === first.id));
  const merged = lamp.units.find((unit: Body) => unit.role === "merged").id;
  await service.patch(`/v1/memory/facts/${lamp.units[0].id}`, { tags: ["changed"] });
  const back = await revert(service, job.id);
  assert.deepEqual(back.report.steps, { skip: 1, revert: 1 });
  assert.match(back.steps.find((step: Body) => step.kind === "skip").reason, /was changed since/);
  assert.equal((await read(service, merged)).status, "archived");
  const after = await statusesOf(service);
  for (const { id } of [strong]) assert.equal(after[id], before[id]);
  assert.equal((await read(service, weak.id)).status, "active");
  assert.equal((await read(service, strong.id)).corroborationCount, 0);
  const again = await revert(service, job.id);
  assert.deepEqual(again.report.steps, { skip: 1 });
  assert.equal(
    (await get(service, `${ADMIN}/jobs/${job.id}`)).steps.filter((step: Body) => step.revertedBy !== null).length,
    1,
  );
  assert.deepEqual((await run(service)).steps, [], "what was taken back is not merged again");
  assert.ok(second);
});

test(
  "a job that dies in the middle is taken up by another process, and no step is made twice",
  async (service, clock) => {
    await twins(service);
    await create(service, { statement: "The lamp is red" });
    await create(service, { statement: "Lamp is red" });
    const { id } = await ask(service);
    // The first process dies in its second step: its transaction is rolled back, and its lease remains.
    let renewed = 0;
    const dying = service.operator();
    const killed = {
      ...dying,
      deps: new Proxy(dying.deps, {
        get: (target, name) =>
          name !== "db" ? Reflect.get(target, name) : new Proxy(target.db, {
            get: (db, method) =>
              method !== "tx"
                ? Reflect.get(db, method)
                : (scope: never, work: (tx: unknown) => Promise<unknown>, options: never) =>
                  db.tx(scope, async (tx) => {
                    const value = await work(tx);
                    const [row] = await tx.sql`select count(*)::int as n from job_step where job_id = ${id}`;
                    if (row!.n > 1 || renewed > 0) {
                      renewed++;
                      throw Object.assign(new Error("the process died"), { name: "Killed" });
                    }
                    return value;
                  }, options),
          }),
      }),
      signal: dying.signal,
    };
    await runJobs(killed as never).catch(() => {});
    assert.ok(renewed > 0, "it died in the second step, and could not even say that it failed");
    const seen = await get(service, `${ADMIN}/jobs/${id}`);
    assert.deepEqual([seen.state, seen.steps.length, seen.attempts], ["running", 1, 1]);
    assert.equal(await runJobs(service.operator()), "later", "its lease has not run out");
    assert.deepEqual(refusal(await service.post(`${ADMIN}/consolidate`, { force: true })), [409, "conflict"]);
    clock.step(61_000);
    const job = await finish(service, id);
    assert.deepEqual([job.attempts, job.report.steps, job.steps.length], [2, { merge: 2 }, 2]);
    assert.equal(job.progress.steps, 2);
  },
);

test("a process that lost its lease makes no further step", async (service, clock) => {
  await twins(service);
  const { id } = await ask(service);
  const leaseOf = (leaseId: string) => ({
    kinds: ["consolidate"],
    isHeld: false,
    leaseId,
    leaseExpiresAt: new Date(clock.now.getTime() + 60_000),
  });
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const operator = service.operator();
  assert.equal((await operator.tx((tx) => jobQueries.leaseJob(tx, leaseOf(one))))?.id, id);
  assert.equal(await operator.tx((tx) => jobQueries.leaseJob(tx, leaseOf(two))), undefined);
  clock.step(61_000);
  assert.equal((await operator.tx((tx) => jobQueries.leaseJob(tx, leaseOf(two))))?.attempts, 2);
  const renew = (leaseId: string) => operator.tx((tx) => jobQueries.renewLease(tx, { id, leaseId }, clock.now));
  assert.deepEqual([await renew(one), await renew(two)], [false, true]);
});

test("two at once: one consolidation is started and one process runs it", async (service, clock) => {
  await twins(service);
  await using other = await startService({ database: service.database!, clock: () => clock.now });
  const key = await other.createKey({ workspaceId: service.workspaceId });
  const replies = await Promise.all(
    [0, 1, 2, 3].map((i) =>
      i % 2 === 0
        ? service.post(`${ADMIN}/consolidate`, { force: true })
        : other.post(`${ADMIN}/consolidate`, { force: true }, { key })
    ),
  );
  const started = replies.filter((reply) => reply.status === 202);
  assert.equal(started.length, 1, JSON.stringify(replies.map((reply) => reply.body)));
  for (const reply of replies.filter((reply) => reply.status !== 202)) {
    assert.deepEqual([...refusal(reply), reply.body.jobId], [409, "conflict", started[0]!.body.id]);
  }
  const ran = await Promise.all([service.operator(), other.operator(service.workspaceId)].map((ctx) => runJobs(ctx)));
  assert.equal(ran.filter((end) => end === true).length, 1);
  const job = await get(service, `${ADMIN}/jobs/${started[0]!.body.id}`);
  assert.deepEqual([job.state, job.attempts, job.report.steps], ["completed", 1, { merge: 1 }]);
});

test("a hold keeps a job that waits waiting, until the release", async (service) => {
  await twins(service);
  const { id } = await ask(service);
  await post(service, GATE, { action: "hold", reason: "Not now." }, 200);
  assert.ok(await runJobs(service.operator()) instanceof Date, "the loop looks again after a while");
  assert.equal((await get(service, `${ADMIN}/jobs/${id}`)).state, "queued");
  await post(service, GATE, { action: "release", reason: "Now." }, 200);
  assert.deepEqual((await finish(service, id)).report.steps, { merge: 1 });
});

test("a job sees and changes what its caller's clearance sees, and is hidden from a lower one", async (service) => {
  await twins(service, { sensitivity: "restricted" }, { sensitivity: "restricted" });
  const low = await service.createKey({ maxSensitivity: "internal" });
  const asked = await service.post(`${ADMIN}/consolidate`, { force: true }, { key: low });
  assert.equal(asked.status, 202);
  assert.deepEqual((await finish(service, asked.body.id)).steps, []);
  const job = await run(service);
  assert.deepEqual([job.sensitivity, job.report.steps], ["restricted", { merge: 1 }]);
  assert.equal((await service.get(`${ADMIN}/jobs/${job.id}`, { key: low })).status, 404);
  const listed = await service.get(`${ADMIN}/jobs`, { key: low });
  assert.deepEqual(listed.body.data.map((one: Body) => one.id), [asked.body.id]);
  const foreign = await service.createKey({ workspaceId: await service.createWorkspace() });
  for (const path of [`jobs/${job.id}`, `jobs/${UNKNOWN_ID}`]) {
    assert.equal((await service.get(`${ADMIN}/${path}`, { key: foreign })).status, 404);
    assert.equal((await service.post(`${ADMIN}/${path}/revert`, {}, { key: foreign })).status, 404);
  }
});

test("a dry run and a job that has not ended cannot be reverted", async (service) => {
  const dry = await run(service, { dryRun: true });
  assert.deepEqual(refusal(await service.post(`${ADMIN}/jobs/${dry.id}/revert`)), [409, "invalid_transition"]);
  const waiting = await ask(service);
  assert.deepEqual(refusal(await service.post(`${ADMIN}/jobs/${waiting.id}/revert`)), [409, "invalid_transition"]);
});

test(
  "a dry run foretells what the run then does, also of facts that are the same three times",
  async (service, clock) => {
    for (const statement of ["The lamp is red", "Lamp is red", "A lamp is red"]) {
      await create(service, { statement, attribution: "unverified" });
    }
    for (const n of [1, 2, 3]) await incident(service, n);
    await create(service, { expiresAt: "2026-06-02T00:00:00Z", attribution: "unverified" });
    clock.step(200 * DAY_MS);
    await settle(service);
    const before = await statusesOf(service);
    const dry = await run(service, { dryRun: true });
    assert.deepEqual(await statusesOf(service), before);
    const job = await run(service);
    assert.deepEqual(dry.report.steps, job.report.steps);
    assert.deepEqual(job.report.steps, { expire: 1, merge: 2, promote: 1 });
    assert.ok(dry.steps.every((step: Body) => step.undo === null));
  },
);

Deno.test("worth, snapshots, drift and consolidation work on the embedded database", async () => {
  let now = Date.parse("2026-06-01T12:00:00.000Z");
  await using service = await startService({ embedded: true, clock: () => new Date(now) });
  await twins(service);
  for (const n of [1, 2, 3]) await incident(service, n);
  for (let i = 0; i < 25; i++) await create(service, { attribution: "unverified" });
  await settle(service);
  assert.equal(await takeDueSnapshot(service.operator()), true);
  now += 200 * DAY_MS;
  await settle(service);
  const job = await run(service);
  assert.deepEqual(Object.keys(job.report.steps).sort(), ["archive", "merge", "promote"]);
  const drift = await get(service, "/v1/memory/governance/drift");
  assert.equal(drift.verdict, "drifted");
  assert.ok(
    drift.measures.some((one: Body) => one.name === "status" && one.verdict === "drifted"),
    JSON.stringify(drift),
  );
  assert.equal((await revert(service, job.id)).report.steps.revert, job.steps.length);
  assert.equal((await get(service, `${ADMIN}/stats`)).units.byType.strategy.byStatus.archived, 1);
});
