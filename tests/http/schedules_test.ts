/** Scheduled work that a workspace's settings turn on: consolidation, and erasure of old restricted data. */
import assert from "node:assert/strict";
import { runJobs } from "../../src/domain/upkeep/job_works.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, type Reply, startService, type TestService } from "../_service.ts";
import { Tables } from "./_tables.ts";
import { exportAll, importText, type Line, makeFile } from "./_transfer.ts";
import { get, post } from "./_units.ts";

const ADMIN = { key: ADMIN_TOKEN };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GATE = "/v1/memory/governance/gate";

async function set(service: TestService, settings: unknown): Promise<Reply["body"]> {
  const reply = await service.patch(`/v1/admin/workspaces/${service.workspaceId}`, { settings }, ADMIN);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function audited(service: TestService, eventType: string): Promise<Reply["body"][]> {
  return (await get(service, `/v1/audit?eventType=${eventType}&order=asc`)).data;
}

Deno.test({
  ...POSTGRES,
  name: "a workspace that says how often is consolidated so often: behind the gate, by one process, as a job, and told",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await createDatabase());
    let now = Date.parse("2026-06-01T12:00:00.000Z");
    const env = { SVC_GATE_NEW_FACTS_MIN: "1", SVC_GATE_QUIET_SECONDS: "60" };
    const options = { database, env, clock: () => new Date(now) };
    const near = stack.use(await startService(options));
    const far = stack.use(await startService(options));
    const later = (ms: number) => void (now += ms);
    let serial = 0;
    /** Writes something new after the last run, at a later moment. */
    const write = async () => {
      later(1_000);
      await post(near, "/v1/memory/facts", { statement: `The shelf has ${++serial} boards.` }, 201);
    };
    /** All processes check at the same time; then the requested jobs run. Returns how many jobs there are. */
    const look = async () => {
      const more = await Promise.all([near, far, near, far].map((one) => one.step("consolidation", near.workspaceId)));
      assert.ok(more.every((one) => !one));
      for (let i = 0; i < 5 && await runJobs(near.operator()); i++);
      return (await get(near, "/v1/memory/admin/jobs")).data.length;
    };
    await write();
    later(2 * HOUR_MS);
    assert.equal(await look(), 0, "nobody said how often");
    await set(near, { consolidateEveryHours: 24 });
    await post(near, GATE, { action: "hold", reason: "An import runs." }, 200);
    assert.equal(await look(), 0, "the gate is held");
    await post(near, GATE, { action: "release", reason: "It is done." }, 200);
    assert.equal(await look(), 1);
    const [job] = (await get(near, "/v1/memory/admin/jobs")).data;
    assert.deepEqual([job.state, job.requestedBy, job.input], [
      "completed",
      "worker:consolidation",
      { dryRun: false, force: false },
    ]);
    assert.ok(job.gate.every(({ passed }: { passed: boolean }) => passed));
    const rows = await audited(near, "consolidation.scheduled");
    assert.deepEqual(rows.map(({ actor_id, targets, detail }) => [actor_id, targets, detail]), [
      ["worker:consolidation", [job.id], { everyHours: 24 }],
    ]);

    await write();
    later(23 * HOUR_MS);
    assert.equal(await look(), 1, "it is not due yet");
    later(HOUR_MS - 1_000);
    assert.equal(await look(), 2);
    later(48 * HOUR_MS);
    assert.equal(await look(), 2, "nothing is new, so the gate is closed");
    await write();
    later(HOUR_MS);
    assert.equal(await look(), 3, "as soon as the gate is open");
    // A run counts, whoever asks for it; a dry run does not.
    await write();
    later(23 * HOUR_MS);
    await post(near, "/v1/memory/admin/consolidate", { force: true }, 202);
    assert.equal(await look(), 4);
    await write();
    later(23 * HOUR_MS);
    await post(near, "/v1/memory/admin/consolidate", { dryRun: true }, 202);
    later(HOUR_MS);
    assert.equal(await look(), 5, "the dry run waits and runs first");
    assert.equal(await look(), 6);
    await set(near, { consolidateEveryHours: null });
    await write();
    later(48 * HOUR_MS);
    assert.equal(await look(), 6);
  },
});

/** Knowledge of every kind that is restricted, all of it with a word of its own, and some that is not. */
async function fill(service: TestService, word: string) {
  const restricted = { sensitivity: "restricted" };
  const fact = (text: string, more: object = {}) =>
    post(service, "/v1/memory/facts", { statement: `${text} ${word}`, ...restricted, ...more }, 201);
  const secret = await fact("The vault's word is");
  const pinned = await fact("The second word is", { pinned: true });
  const { id: session } = await post(service, "/v1/session", { title: `About ${word}`, ...restricted }, 201);
  await post(service, `/v1/session/${session}/turns`, { role: "user", content: `Say ${word}.` }, 201);
  const goal = { goal: `Find ${word}`, answer: `It is ${word}.`, ...restricted };
  const { id: chain } = await post(service, "/v1/memory/reasoning/record", goal, 201);
  const { id: task } = await post(service, "/v1/memory/tasks", { title: `Open ${word}`, ...restricted }, 201);
  const happened = { type: "opened", data: { word }, ...restricted };
  const { id: event } = await post(service, "/v1/memory/events", happened, 201);
  const open = await post(
    service,
    "/v1/memory/facts",
    { statement: "The hall is open.", sensitivity: "confidential" },
    201,
  );
  return { secret, pinned, session, chain, task, event, open };
}

Deno.test({
  ...POSTGRES,
  name:
    "restricted data that nobody changes is erased after the days that its workspace says, a day's grace given, and told",
  async fn() {
    let now = Date.parse("2026-06-01T12:00:00.000Z");
    await using service = await startService({ clock: () => new Date(now), env: { SVC_DB_DEADLINE_MS: "60000" } });
    await using tables = new Tables(service);
    const later = (days: number) => void (now += days * DAY_MS);
    const word = `quixotry${crypto.randomUUID().slice(0, 8)}`;
    const { secret, pinned, session, chain, task, event, open } = await fill(service, word);
    const sweep = async () => {
      for (let i = 0; i < 20 && await service.step("sweeping"); i++);
    };
    const status = async (path: string) => (await service.get(path)).status;
    const facts = () => Promise.all([secret, pinned, open].map(({ id }) => status(`/v1/facts/${id}`)));

    later(60);
    const derived = await post(service, "/v1/memory/facts", {
      ...{ statement: "Who knows it gets in.", sensitivity: "restricted", derivedFrom: [secret.id] },
    }, 201);
    const changed = await post(service, "/v1/memory/facts", {
      statement: "The key is blue.",
      sensitivity: "restricted",
    });
    later(40);
    await sweep();
    assert.deepEqual(await facts(), [200, 200, 200], "it is kept unless the workspace says otherwise");
    const first = await set(service, { restrictedRetentionDays: 90 });
    assert.equal(Date.parse(first.restrictedRetentionFrom), now + DAY_MS);
    await sweep();
    assert.deepEqual(await facts(), [200, 200, 200], "a slip can be taken back for a day");
    const longer = await set(service, { restrictedRetentionDays: 95 });
    assert.equal(longer.restrictedRetentionFrom, first.restrictedRetentionFrom);
    assert.equal((await set(service, { restrictedRetentionDays: null })).restrictedRetentionFrom, null);
    await set(service, { restrictedRetentionDays: 90 });

    later(1);
    await sweep();
    assert.deepEqual(await facts(), [410, 410, 200]);
    assert.equal(
      (await get(service, `/v1/facts/${derived.id}`)).stale,
      true,
      "what was derived from it has its own time",
    );
    assert.equal(await status(`/v1/facts/${changed.id}`), 200, "its time is not over");
    assert.equal(await status(`/v1/memory/reasoning/${chain}`), 404);
    assert.equal(await status(`/v1/memory/tasks/${task}`), 410);
    const { body: emptied } = await service.get(`/v1/session/${session}`);
    assert.deepEqual([emptied.status, emptied.title, emptied.turnCount], ["discarded", null, 0]);
    assert.deepEqual(await tables.naming(service.workspaceId, [word]), []);
    const rows = await audited(service, "retention.erased");
    const told = rows.map(({ actor_id, targets, detail }) => [actor_id, targets, detail]);
    const by = (resourceType: string) => ({ days: 90, resourceType });
    for (
      const [targets, detail] of [
        [[secret.id], by("unit")],
        [[pinned.id], by("unit")],
        [[session], by("session")],
        [[chain], by("reasoning")],
        [[task], by("task")],
        [[event], by("event")],
      ]
    ) {
      assert.ok(
        told.some((row) => JSON.stringify(row) === JSON.stringify(["worker:sweeping", targets, detail])),
        `${JSON.stringify(targets)} in ${JSON.stringify(told)}`,
      );
    }
    assert.equal(told.length, 6);
    const { data } = await get(service, `/v1/memory/changes?kind=fact.erased&kind=reasoning.deleted&kind=turn.deleted`);
    assert.deepEqual(data.map(({ resourceId }: { resourceId: string }) => resourceId).sort().length, 4);
    const [{ receipt }] = await service.operator().tx((tx) =>
      tx.sql<[{ receipt: Record<string, unknown> }]>`
      select receipt from deletion_log where workspace_id = ${tx.workspaceId} and resource_id = ${secret.id}`
    );
    assert.deepEqual([receipt["erasedBy"], receipt["reason"]], [
      "worker:sweeping",
      "restricted, unchanged for 90 days",
    ]);
    await sweep();
    assert.equal((await audited(service, "retention.erased")).length, 6, "nothing is erased twice");
    // A change starts its time again.
    later(40);
    assert.equal((await service.patch(`/v1/memory/facts/${changed.id}`, { confidence: 0.5 })).status, 200);
    later(60);
    await sweep();
    assert.equal(await status(`/v1/facts/${changed.id}`), 200);
    later(31);
    await sweep();
    assert.equal(await status(`/v1/facts/${changed.id}`), 410);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "retention takes each row for its own age: nothing younger or unrestricted goes with it, an import is new, and none holds up others",
  async fn() {
    let now = Date.parse("2026-06-01T12:00:00.000Z");
    await using service = await startService({ clock: () => new Date(now), env: { SVC_DB_DEADLINE_MS: "60000" } });
    const later = (days: number) => void (now += days * DAY_MS);
    const restricted = { sensitivity: "restricted" };
    const fact = async (statement: string, more: object = restricted): Promise<string> =>
      (await post(service, "/v1/memory/facts", { statement, ...more }, 201)).id;
    const entity = async (canonicalName: string): Promise<string> =>
      (await post(service, "/v1/memory/entities", { canonicalName, entityType: "thing", ...restricted }, 201)).id;
    const relate = (sourceId: string, targetId: string) =>
      post(service, "/v1/memory/relations", { verb: "about", sourceId, targetId }, 201);
    const sweep = async () => {
      for (let i = 0; i < 20 && await service.step("sweeping"); i++);
    };
    const status = async (id: string) => (await service.get(`/v1/memory/units/${id}`)).status;
    const statuses = (...ids: string[]) => Promise.all(ids.map(status));
    const age = (id: string, days: number) =>
      service.operator().tx((tx) =>
        tx.sql`update unit set updated_at = ${new Date(
          now - days * DAY_MS,
        )} where id = ${id} and workspace_id = ${tx.workspaceId}`
      );

    const held = await fact("The first word is plover.");
    const source = await fact("The vault has four doors.");
    const [named, related, alone, former, kept] = [
      ...[await entity("Quenby Vault"), await entity("Ardith Vault"), await entity("Lonely Vault")],
      ...[await entity("Oswin Vault"), await entity("Edlin Vault")],
    ];
    await post(service, `/v1/memory/entities/${kept}/merge`, { sourceIds: [former] }, 200);
    const { id: session } = await post(service, "/v1/session", { title: "Vaults", ...restricted }, 201);
    await post(service, `/v1/session/${session}/turns`, { role: "user", messageId: "m1", content: "Good day." }, 201);
    const { header, lines } = await exportAll(service);

    later(95);
    const decision = {
      title: "The doors",
      decision: "Paint the doors.",
      rationale: "They rust.",
      derivedFrom: [source],
    };
    const { id: fresh } = await post(service, "/v1/memory/decisions", { ...decision, sensitivity: "internal" }, 201);
    const { id: alike } = await post(service, "/v1/memory/decisions", { ...decision, title: "The same doors" }, 201);
    const young = await fact("It shuts at nine.", { ...restricted, entityIds: [named] });
    const relation = await relate(related, fresh);
    await age(former, 1);
    // A backup of long ago, brought back under other ids, and a turn for a session that is here.
    const copies = lines.filter((line: Line) => line.id === source || line.id === session).map((line: Line) => {
      const id = crypto.randomUUID();
      return { ...line, id, ...line.origin && { origin: { ...line.origin, id } } };
    });
    const [backup, backupSession] = ["fact", "session"].map((kind) =>
      copies.find((line: Line) => line.kind === kind).id
    ) as [string, string];
    copies.find((line: Line) => line.kind === "fact").body.statement = "The vault has five doors.";
    const turn = lines.find((line: Line) => line.kind === "turn");
    copies.push({ ...turn, id: crypto.randomUUID(), position: 1, messageId: "m2", content: "Good night." });
    const report = await importText(service, makeFile(header, copies));
    assert.deepEqual([report.errors, report.created], [[], 3]);
    await set(service, { restrictedRetentionDays: 90 });
    later(1);
    // Another transaction locks the oldest row as long as this lasts.
    await service.operator().tx(async (tx) => {
      await tx.sql`select from unit where workspace_id = ${tx.workspaceId} and id = ${held} for update`;
      await sweep();
    });
    assert.deepEqual(
      await statuses(held, source, alone),
      [200, 410, 410],
      "one that cannot be erased holds up no other",
    );
    assert.equal((await get(service, `/v1/memory/units/${alike}`)).sensitivity, "restricted");
    assert.equal((await get(service, `/v1/memory/units/${alike}`)).stale, true);
    assert.equal((await get(service, `/v1/memory/units/${fresh}`)).stale, false, "its readers may not know the source");
    assert.deepEqual(await statuses(named, young), [200, 200], "a younger text names it");
    assert.equal(await status(related), 200, "a younger relation has it");
    assert.equal((await service.get(`/v1/memory/relations/${relation.id}`)).status, 200);
    assert.equal(await status(kept), 200, "what was merged into it is younger");
    assert.equal(await status(backup), 200, "it was stored here a day ago");
    const sessions = async () =>
      await Promise.all([session, backupSession].map(async (id) => (await get(service, `/v1/session/${id}`)).status));
    assert.deepEqual(await sessions(), ["open", "open"]);
    await sweep();
    assert.equal(await status(held), 410, "it is tried again");

    later(90);
    await sweep();
    await sweep();
    assert.deepEqual(await statuses(named, young, related, backup, kept, fresh), [410, 410, 410, 410, 410, 200]);
    assert.deepEqual(await sessions(), ["discarded", "discarded"]);
  },
});
