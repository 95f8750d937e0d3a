/** Snapshots, `/v1/memory/governance/drift`, `/v1/memory/health` and its history. */
import assert from "node:assert/strict";
import { takeDueSnapshot } from "../../src/domain/upkeep/snapshots.ts";
import { revalueDue } from "../../src/domain/upkeep/worth_votes.ts";
import { embedPending } from "../../src/domain/upkeep/embedding.ts";
import { flushUsage } from "../../src/domain/recall/noted/usage.ts";
import { startService, type TestService } from "../_service.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { get, post, refusal } from "./_units.ts";

const DRIFT = "/v1/memory/governance/drift";
const HISTORY = "/v1/memory/health/history";
const HOUR_MS = 3_600_000;

async function fill(service: TestService, n: number, topic: (i: number) => string, body: object = {}): Promise<void> {
  const facts = Array.from({ length: n }, (_, i) => ({ statement: topic(i), ...body }));
  assert.equal((await service.post("/v1/memory/facts/batch", { facts })).status, 200);
  while (await embedPending(service.operator()));
}

const garden = (i: number) => `The garden grows roses, tulips and herbs in bed number ${i} beside the wooden fence`;
const rocket = (i: number) => `Rocket engine test ${i} burned liquid oxygen under high chamber pressure in orbit`;

test("a memory that goes on as it was is stable; a planted shift is found with what moved", async (service, clock) => {
  await fill(service, 60, garden);
  const first = await get(service, DRIFT);
  assert.deepEqual(
    [first.verdict, first.baseline],
    ["unknown", null],
    "nothing is called stable that was not compared",
  );
  assert.equal(await takeDueSnapshot(service.operator()), true);
  clock.step(25 * HOUR_MS);
  await fill(service, 20, (i) => garden(100 + i));
  const calm = await get(service, DRIFT);
  assert.equal(calm.verdict, "stable", JSON.stringify(calm));
  await fill(service, 200, rocket, { attribution: "unverified" });
  const moved = await get(service, DRIFT);
  assert.equal(moved.verdict, "drifted");
  const names = moved.measures.filter((one: { verdict: string }) => one.verdict === "drifted").map((
    one: { name: string },
  ) => one.name);
  for (const name of ["attribution", "vocabulary", "embedding"]) assert.ok(names.includes(name), JSON.stringify(moved));
  assert.ok(moved.newTermRate > 0.5);
  assert.match(moved.reasons.join("\n"), /unverified went from 0 % to/);
  assert.equal(
    (await service.get("/v1/memory/governance/gate")).body.conditions[2].passed,
    true,
    "no second snapshot yet",
  );
  assert.equal(await takeDueSnapshot(service.operator()), true);
  const gate = await get(service, "/v1/memory/governance/gate");
  const [, , drift] = gate.conditions;
  assert.deepEqual([drift.name, drift.passed, drift.value > 0.25], ["drift", false, true]);
  const { data: [latest, earliest] } = await get(service, HISTORY);
  const { verdict, index, newTermRate, baseline } = await get(service, `${DRIFT}?baseline=${earliest.snapshotId}`);
  const { measures, ...told } = latest.drift;
  assert.deepEqual(told, { verdict, index, newTermRate, baseline });
  assert.equal(measures.length, 6);
  assert.deepEqual(earliest.drift, {
    verdict: "unknown",
    index: null,
    measures: [],
    newTermRate: null,
    baseline: null,
  });
  const public_ = await service.createKey({ maxSensitivity: "public" });
  const [moment] = (await service.get(HISTORY, { key: public_ })).body.data;
  assert.equal(moment.drift.verdict, "unknown", "what is too little at a clearance says nothing, whatever lies above");
});

test("a snapshot holds no word, and what it holds of an erased one leads nowhere", async (service) => {
  const secret = await create(service, { statement: "The zanzibar codeword opens the garden" });
  await create(service, { statement: "The garden grows roses" });
  await takeDueSnapshot(service.operator());
  const read = () =>
    service.operator().tx(async (tx) => {
      const rows = await tx.sql<{ all: string; words: Record<string, number> }[]>`
        select (s.*)::text as all, words from snapshot s where workspace_id = ${tx.workspaceId}`;
      const known = await tx.sql<{ term: string; token: string }[]>`
        select term, token from vocabulary where workspace_id = ${tx.workspaceId}`;
      return { rows, terms: new Map(known.map(({ term, token }) => [token, term])) };
    });
  const before = await read();
  const tokens = before.rows.flatMap(({ words }) => Object.keys(words));
  assert.deepEqual(new Set(tokens.map((token) => before.terms.get(token))), new Set(before.terms.values()));
  for (const term of ["zanzibar", "codeword", "garden"]) {
    assert.ok([...before.terms.values()].includes(term), term);
    assert.ok(!before.rows.some(({ all }) => all.includes(term)), term);
  }
  await post(service, `/v1/facts/${secret.id}/forget`, { mode: "erase" }, 200);
  const after = await read();
  const left = new Set(tokens.flatMap((token) => after.terms.get(token) ?? []));
  assert.deepEqual([left.has("zanzibar"), left.has("garden")], [false, true]);
  // The same word, written again, has another token than in the old snapshot.
  await create(service, { statement: "Zanzibar again" });
  const again = [...(await read()).terms].find(([, term]) => term === "zanzibar")!;
  assert.ok(!tokens.includes(again[0]));
});

test(
  "no vector is in a snapshot: what was meant then is told by the texts that are still there",
  async (service, clock) => {
    await fill(service, 30, garden);
    await takeDueSnapshot(service.operator());
    clock.step(25 * HOUR_MS);
    const secret = await create(service, { statement: "The zanzibar codeword opens the garden" });
    while (await embedPending(service.operator()));
    await takeDueSnapshot(service.operator());
    const rows = await service.operator().tx((tx) => tx.sql<{ data: unknown }[]>`select data from snapshot`);
    const lists: unknown[][] = [];
    JSON.stringify(rows, (_, value) => (Array.isArray(value) && lists.push(value), value));
    const sums = lists.filter((list) => list.length > 10 && list.every((value) => typeof value === "number"));
    assert.deepEqual(sums, [], "the difference of two would be one text's vector");
    const meaning = async () => (await get(service, DRIFT)).measures.at(-1);
    const { data: [{ drift: { measures } }] } = await get(service, HISTORY);
    const { name, value } = measures.at(-1);
    assert.deepEqual([name, (await meaning()).value], ["embedding", value]);
    assert.ok(value > 0, "a text was added since");
    await post(service, `/v1/facts/${secret.id}/forget`, { mode: "erase" }, 200);
    assert.deepEqual(
      [(await meaning()).value, (await meaning()).verdict],
      [0, "stable"],
      "without it all is as it was",
    );
    const { data: facts } = await get(service, "/v1/memory/facts?limit=20");
    for (const { id } of facts) await post(service, `/v1/facts/${id}/forget`, { mode: "erase" }, 200);
    assert.deepEqual(
      [(await meaning()).value, (await meaning()).verdict],
      [null, "unknown"],
      "nothing is kept of them",
    );
  },
);

test("a baseline is named by its id or a time; what does not exist is not found", async (service, clock) => {
  await fill(service, 5, garden);
  await takeDueSnapshot(service.operator());
  const first = clock.now.toISOString();
  clock.step(2 * HOUR_MS);
  await create(service, { statement: "The garden grows nettles" });
  await takeDueSnapshot(service.operator());
  const { data: [late, early] } = await get(service, HISTORY);
  const baseline = async (query: string) => (await get(service, `${DRIFT}${query}`)).baseline.snapshotId;
  assert.equal(await baseline(""), early.snapshotId);
  assert.equal(await baseline(`?baseline=${late.snapshotId}`), late.snapshotId);
  assert.equal(await baseline(`?baseline=${first}`), early.snapshotId);
  assert.equal(await baseline(`?baseline=${clock.now.toISOString()}`), late.snapshotId);
  const foreign = await service.createKey({ workspaceId: await service.createWorkspace() });
  for (
    const [value, key] of [[UNKNOWN_ID, service.key], ["2020-01-01T00:00:00Z", service.key], [late.snapshotId, foreign]]
  ) {
    assert.deepEqual(refusal(await service.get(`${DRIFT}?baseline=${value}`, { key })), [404, "not_found"]);
  }
  assert.equal((await service.get(`${DRIFT}?baseline=yesterday`)).status, 422);
});

test("one snapshot a period, whichever of two processes takes it; so many are kept", async (service, clock) => {
  const env = { SVC_SNAPSHOTS_KEPT: "3" };
  await using one = await startService({ database: service.database!, clock: () => clock.now, env });
  await using two = await startService({ database: service.database!, clock: () => clock.now, env });
  for (let hour = 0; hour < 6; hour++) {
    await create(service, { statement: `The garden grows ${hour} nettles` });
    await Promise.all([one, two, one, two].map((process) => takeDueSnapshot(process.operator(service.workspaceId))));
    clock.step(HOUR_MS);
  }
  const { data } = await get(service, HISTORY);
  assert.equal(data.length, 4, "the last and three before it");
  assert.equal(new Set(data.map((moment: { takenAt: string }) => moment.takenAt)).size, 4);
  const pages = [];
  for (let query = "?limit=3&order=asc"; query !== "";) {
    const page = await get(service, HISTORY + query);
    pages.push(...page.data);
    query = page.nextCursor === null ? "" : `?limit=3&order=asc&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(pages, data.toReversed());
  const between = await get(service, `${HISTORY}?from=${data[2].takenAt}&to=${data[0].takenAt}`);
  assert.deepEqual(between.data, [data[1], data[2]]);
});

test(
  "a memory that stays as it is has one more snapshot a day later, and that drift is measured against",
  async (service, clock) => {
    const take = async () => {
      const taken = [];
      for (let hour = 0; hour < 60; hour++, clock.step(HOUR_MS)) {
        if (await takeDueSnapshot(service.operator())) taken.push(hour);
      }
      return taken;
    };
    assert.deepEqual(await take(), [], "nothing was ever there");
    await fill(service, 60, garden);
    assert.deepEqual(await take(), [0, 25]);
    await fill(service, 60, rocket);
    assert.deepEqual(await take(), [0, 25]);
    const { data } = await get(service, HISTORY);
    const verdicts = data.map(({ drift }: { drift: { verdict: string } }) => drift.verdict);
    assert.deepEqual(verdicts, ["stable", "shifting", "stable", "unknown"]);
  },
);

test("health and its history say what is there, to each clearance what it sees", async (service, clock) => {
  await create(service, { pinned: true });
  await create(service, { sensitivity: "restricted" });
  const gone = await create(service, {});
  await service.delete(`/v1/memory/facts/${gone.id}`);
  await create(service, { expiresAt: "2026-06-01T12:30:00Z" });
  const session = await post(service, "/v1/session", { title: "Planning" });
  await post(service, `/v1/session/${session.id}/turns`, {
    role: "user",
    messageId: "m",
    content: "We ship on Friday.",
  });
  await post(service, "/v1/memory/decisions", { title: "Database", decision: "Postgres." });
  const triple = { subject: "Caroline", predicate: "lives in" };
  await create(service, { ...triple, object: "Paris", attribution: "user_stated" });
  await create(service, { ...triple, object: "Rome" });
  clock.step(HOUR_MS);
  for (const query of ["Where does Caroline live?", "What is the weather on Mars, zzz?"]) {
    await post(service, "/v1/memory/recall", { query, types: ["fact"] }, 200);
  }
  await flushUsage(service.operator());
  await takeDueSnapshot(service.operator());
  const low = await service.createKey({ maxSensitivity: "internal" });
  const [now, nowLow] = [
    await get(service, "/v1/memory/health"),
    (await service.get("/v1/memory/health", { key: low })).body,
  ];
  const [then] = (await get(service, HISTORY)).data;
  const [thenLow] = (await service.get(HISTORY, { key: low })).body.data;
  for (const [health, moment, facts] of [[now, then, 4], [nowLow, thenLow, 3]]) {
    assert.deepEqual([health.liveFacts, health.pinned, health.turns, health.sessions], [facts, 1, 1, 1]);
    const names = [
      "liveFacts",
      "pinned",
      "turns",
      "sessions",
      "embeddedRatio",
      "embeddingBacklog",
      "recalls",
      "recallHitRate",
      "lastWriteAt",
    ];
    for (const name of names) assert.deepEqual(moment[name], health[name], name);
    const { data: entities } =
      (await service.get("/v1/entities?limit=200", { key: health === now ? service.key : low })).body;
    assert.equal(moment.units, facts + 1 + entities.length, "with the archived one, and who is named in them");
    assert.deepEqual([health.recalls, health.backlog.openReviews, moment.openReviews], [2, 1, 1]);
  }
  assert.ok(now.backlog.changes > 0);
  for (let i = 0; i < 5 && await revalueDue(service.operator()); i++);
  const settled = (await get(service, "/v1/memory/health")).backlog;
  assert.deepEqual([settled.worth, settled.changes - settled.changes, settled.jobs], [0, 0, 0]);
});
