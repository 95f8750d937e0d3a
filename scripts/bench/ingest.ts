/**
 * Measures how fast turns are stored over HTTP on durable Postgres, beside bare inserts of the same rows.
 *
 *     deno run -A scripts/bench/ingest.ts [--turns 20000] [--batch 500] [--singles 500] [--concurrency 1,4]
 *       [--small 20] [--workspaces 10] [--clients 8] [--seed 1] [--database postgres|embedded|any] [--json <file>]
 *
 * - small batches (Postgres only): clients start a session for each batch of a few turns, in one workspace after another.
 * - batches: each connection adds batches to its own sessions, four to a session.
 * - single writes: one turn a request.
 * - recallable: after the reply to a batch, full recall and the hot tier ask for its last turn, which holds a word of
 *   its own; it must be the first result.
 * - reference (Postgres only): the same rows into a copy of the table `turn` with its indexes, by statements of as many
 *   rows, each in a transaction of its own.
 */
import postgres from "postgres";
import { parseArgs } from "node:util";
import { describeMachine, formatTable, latencyCells, note, parseCount, writeJson } from "./_bench.ts";
import { Corpus, type CorpusTurn } from "./_corpus.ts";
import { type Checks, type Measured, openWriter, runBatches, splitTurns, type Work } from "./_ingest.ts";
import { Client } from "./_load.ts";
import { type Access, type BenchService, parseDatabase, startBenchService } from "./_service.ts";

/** Adds each batch to a new session, in one workspace after another. */
async function openSmallWriter({ url }: BenchService, accesses: readonly Access[]) {
  const clients = await Promise.all(accesses.map(({ key }) => Client.open(url, key)));
  const work: Work = async (batch, index) => {
    const client = clients[index % clients.length]!;
    const { id } = await client.post("/v1/session", {}) as { id: string };
    await client.post(`/v1/session/${id}/turns`, { turns: batch.map((turn) => ({ role: "user", ...turn })) });
  };
  return { work, close: () => clients.forEach((client) => client[Symbol.dispose]()) };
}

/** Adds turns one by one, all of a connection to one session. */
async function openSingleWriter({ url, access: { key } }: BenchService) {
  const client = await Client.open(url, key);
  const { id } = await client.post("/v1/session", {}) as { id: string };
  const work: Work = async ([turn]) => {
    await client.post(`/v1/session/${id}/turns`, { role: "user", ...turn });
  };
  return { work, close: () => client[Symbol.dispose]() };
}

/** Inserts the rows alone: no analysis, no index for recall, no change feed, no row-level security. */
async function openInserter(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const workspaceId = crypto.randomUUID(), sessionId = crypto.randomUUID();
  let position = 0;
  const work: Work = async (batch) => {
    const rows = batch.map((turn) => ({
      id: crypto.randomUUID(),
      position: position++,
      doc_no: position,
      name: turn.name,
      content: turn.content,
      occurred_at: turn.occurredAt,
    }));
    await sql.begin((tx) =>
      tx`
      insert into bare_turn (workspace_id, id, session_id, group_no, position, doc_no, message_id, role, name, content,
                             sensitivity, occurred_at, recorded_at)
      select ${workspaceId}, r.id, ${sessionId}, 1, r.position, r.doc_no, r.id::text, 'user', r.name, r.content, 'internal',
             r.occurred_at, now()
        from jsonb_to_recordset(${tx.json(rows)}) as r(
          id uuid, position int, doc_no bigint, name text, content text, occurred_at timestamptz)`
    );
  };
  return { work, close: () => sql.end({ timeout: 5 }) };
}

async function createBareTable(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`create table if not exists bare_turn (like turn including all)`;
  await sql.end({ timeout: 5 });
}

/** Measures small batches from several clients to several workspaces, and the bare rows for comparison. */
async function measureSmall(
  service: BenchService,
  turns: readonly CorpusTurn[],
  shape: { readonly small: number; readonly workspaces: number; readonly clients: number },
): Promise<Record<string, Measured>> {
  const { superuserUrl } = service;
  if (superuserUrl === undefined) return {};
  const { small, workspaces, clients } = shape;
  const accesses: Access[] = [];
  for (let i = 0; i < workspaces; i++) accesses.push(await service.addWorkspace(`small ${i}`));
  const batches = splitTurns(turns, small);
  const label = `sessions of ${small} in ${workspaces} workspaces ×${clients}`;
  const measured = await runBatches(label, batches, clients, service.pid, () => openSmallWriter(service, accesses));
  await createBareTable(superuserUrl);
  const bare = `bare inserts of ${small} ×${clients}`;
  const reference = await runBatches(bare, batches, clients, undefined, () => openInserter(superuserUrl));
  return { [label]: measured, [`reference: ${bare}`]: reference };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      turns: { type: "string" },
      batch: { type: "string" },
      singles: { type: "string" },
      concurrency: { type: "string", default: "1,4" },
      small: { type: "string" },
      workspaces: { type: "string" },
      clients: { type: "string" },
      seed: { type: "string" },
      database: { type: "string", default: "postgres" },
      json: { type: "string" },
    },
  });
  const count = parseCount("turns", options.turns, 20_000);
  const batch = parseCount("batch", options.batch, 500);
  const singles = parseCount("singles", options.singles, 500);
  const levels = options.concurrency.split(",").map((text) => parseCount("concurrency", text, 1));
  const machine = describeMachine();
  await using service = await startBenchService({ database: parseDatabase(options.database) });
  const corpus = new Corpus(parseCount("seed", options.seed, 1));
  const turns = corpus.sessions(Number.MAX_SAFE_INTEGER).flatMap((session) => session.turns)
    .take(count + 2 * singles).toArray();
  const checks: Checks = { asked: 0, found: 0, foundHot: 0 };
  const results: Record<string, Measured> = {};
  // Measured first, because after batches the service is still computing vectors.
  for (const c of levels) {
    results[`single writes ×${c}`] = await runBatches(
      `single writes ×${c}`,
      splitTurns(turns.slice(count, count + singles), 1),
      c,
      service.pid,
      () => openSingleWriter(service),
    );
  }
  const small = {
    small: parseCount("small", options.small, 20),
    workspaces: parseCount("workspaces", options.workspaces, 10),
    clients: parseCount("clients", options.clients, 8),
  };
  Object.assign(results, await measureSmall(service, turns.slice(0, count), small));
  for (const c of levels) {
    const batches = splitTurns(turns.slice(0, count), batch);
    results[`batches of ${batch} ×${c}`] = await runBatches(
      `batches of ${batch} ×${c}`,
      batches,
      c,
      service.pid,
      () => openWriter(service, service.access),
    );
    const { superuserUrl } = service;
    if (superuserUrl === undefined) continue;
    await createBareTable(superuserUrl);
    results[`reference: bare inserts of ${batch} ×${c}`] = await runBatches(
      `bare inserts of ${batch} ×${c}`,
      batches,
      c,
      undefined,
      () => openInserter(superuserUrl),
    );
  }
  // Separate from the measurement above, which waits only for replies.
  await runBatches(
    "checked batches",
    splitTurns(turns.slice(0, Math.min(count, 20 * batch)), batch),
    1,
    undefined,
    () => openWriter(service, service.access, checks),
  );
  note(`database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(
    ["what", "turns/s", "p50 ms", "p95 ms", "p99 ms", "CPU ms/turn"],
    Object.entries(results).map(([name, result]) => [
      name,
      result.turnsPerSecond.toFixed(0),
      ...latencyCells(result),
      result.serverCpuMsPerTurn?.toFixed(3) ?? "–",
    ]),
  ));
  console.log(
    `\nrecallable when the reply arrives: ${checks.found} of ${checks.asked} by recall, ${checks.foundHot} by the hot tier`,
  );
  const database = service.database;
  await writeJson(options.json, { program: "bench_ingest", machine, database, batch, results, recallable: checks });
  if (checks.found < checks.asked || checks.foundHot < checks.asked) {
    throw new Error("Cannot accept the run: a turn was not recallable when its reply had arrived");
  }
}

if (import.meta.main) await main();
