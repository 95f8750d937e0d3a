/**
 * The service's own parts in this process, on the same database: loads a corpus in bulk through the code that writes
 * what HTTP writes, and shows which statements a recall consists of.
 */
import postgres from "postgres";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import type { OperationContext } from "../../src/context.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import type { Tx } from "../../src/db/tx.ts";
import { addToSession, insertSession } from "../../src/db/queries/sessions.ts";
import { insertTurns, type NewTurn } from "../../src/db/queries/turns.ts";
import { insertRevisions, insertUnits } from "../../src/db/queries/unit_writes.ts";
import { operatorContext } from "../../src/domain/access/authorize.ts";
import { stateBody, toClaim } from "../../src/domain/kinds/facts/claims.ts";
import { allocateDocNos, type IndexRow, indexTexts, prepareTexts } from "../../src/domain/unit/indexing.ts";
import { countTokens } from "../../src/domain/common/tokens.ts";
import { CreateFactBody } from "../../src/schema/fact.ts";
import { note, Progress } from "./_bench.ts";
import type { CorpusSession } from "./_corpus.ts";
import { type Loaded, Sampler } from "./_load.ts";
import type { Access, BenchService } from "./_service.ts";
import { linkTurns } from "../../src/domain/sessions/tails.ts";

/** Turns and facts of one transaction. */
const CHUNK_UNITS = 1_500;
const SENSITIVITY = "internal";

/**
 * Loads a corpus in large transactions: the same rows and postings that requests would leave after compaction, and
 * every vector. Several threads prepare and store sessions in parallel, each on its own connection. Indexes that the
 * load does not need are dropped first and built again at the end. Meanwhile the service is stopped: its workers would
 * read whole tables without them. It writes no rows of the change feed.
 */
export async function loadDirectly(
  service: BenchService,
  access: Access,
  sessions: Iterable<CorpusSession>,
  units: number,
  sampleSize: number,
): Promise<Loaded> {
  if (service.superuserUrl === undefined) {
    throw new Error("Cannot load by SQL: the database is embedded; use --load http");
  }
  const superuser = postgres(service.superuserUrl, { max: 1, onnotice: () => {} });
  const started = performance.now();
  const sampler = new Sampler(units, sampleSize);
  const restoreIndexes = await dropIndexes(superuser);
  using _stopped = pause(service.pid);
  const progress = new Progress("Storing units", units);
  let turns = 0, facts = 0, lastSessionId = "";
  const chunks = chunksOf(sessions);
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, async () => {
    using thread = new LoaderThread({ env: service.env, workspaceId: access.workspaceId });
    for (const chunk of chunks) {
      lastSessionId = await thread.store(chunk);
      for (const session of chunk) {
        turns += session.turns.length;
        facts += session.facts.length;
        sampler.offer(session.turns);
        progress.add(session.turns.length + session.facts.length);
      }
    }
  }));
  progress.end();
  const stored = performance.now();
  await restoreIndexes();
  note("Vacuum and statistics …");
  await superuser.unsafe("vacuum (analyze)");
  await superuser.end({ timeout: 5 });
  const ended = performance.now();
  note(`Stored in ${inSeconds(stored - started)} s, indexes and statistics made in ${inSeconds(ended - stored)} s`);
  return { sample: sampler.taken, turns, facts, lastSessionId, seconds: (ended - started) / 1_000 };
}

/** Stops a process until the end of the scope. */
function pause(pid: number): Disposable {
  Deno.kill(pid, "SIGSTOP");
  return {
    [Symbol.dispose]() {
      try {
        Deno.kill(pid, "SIGCONT");
      } catch (error) {
        // The process has died; the resulting error tells more.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    },
  };
}

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** The place where a thread stores its chunks. */
export interface LoadTarget {
  readonly env: BenchService["env"];
  readonly workspaceId: string;
}

/** A thread that stores one chunk at a time; see `_direct_worker.ts`. */
class LoaderThread implements Disposable {
  readonly #worker = new Worker(new URL("./_direct_worker.ts", import.meta.url), { type: "module" });

  constructor(target: LoadTarget) {
    this.#worker.postMessage({ target });
  }

  /** @returns the id of the chunk's last session. @throws Error when the chunk cannot be stored */
  async store(chunk: readonly CorpusSession[]): Promise<string> {
    const reply = Promise.withResolvers<string>();
    this.#worker.onmessage = ({ data }) => reply.resolve(data as string);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      reply.reject(new Error(`Cannot load: ${event.message}`));
    };
    this.#worker.postMessage({ chunk });
    return await reply.promise;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

/** Opens the service's parts. @returns a function that stores a chunk with them */
export async function openLoader({ env, workspaceId }: LoadTarget) {
  // While a thread prepares texts, its connection waits, so the deadlines are long.
  const patience = { SVC_DB_DEADLINE_MS: "600000", SVC_DB_CONNECT_TIMEOUT_SECONDS: "60" };
  const deps = await createDeps(readConfig({ ...env, ...patience }));
  const ctx = operatorContext(deps, workspaceId);
  return (chunk: readonly CorpusSession[]) => storeChunk(ctx, chunk);
}

function* chunksOf(sessions: Iterable<CorpusSession>): Generator<CorpusSession[]> {
  let chunk: CorpusSession[] = [], size = 0;
  for (const session of sessions) {
    chunk.push(session);
    size += session.turns.length + session.facts.length;
    if (size < CHUNK_UNITS) continue;
    yield chunk;
    chunk = [];
    size = 0;
  }
  if (chunk.length > 0) yield chunk;
}

async function storeChunk(ctx: OperationContext, chunk: readonly CorpusSession[]): Promise<string> {
  const prepared: { turns: Prepared; facts: Prepared }[] = [];
  for (const { turns, facts } of chunk) {
    prepared.push({
      turns: await prepareAll(
        ctx,
        turns.map(({ content, name }) => ({ kind: "turn" as const, text: content, speaker: name })),
      ),
      facts: await prepareAll(ctx, facts.map((text) => ({ kind: "fact" as const, text }))),
    });
  }
  return await ctx.tx(async (tx) => {
    const rows: IndexRow[] = [];
    let lastId = "";
    for (const [i, session] of chunk.entries()) {
      const { turns, facts } = prepared[i]!;
      const [stored, texts] = await Promise.all([
        storeTurns(ctx, tx, session, turns),
        storeFacts(ctx, tx, session, facts),
      ]);
      rows.push(...stored.rows, ...texts);
      lastId = stored.id;
    }
    await indexTexts(tx, rows);
    return lastId;
  });
}

type Prepared = Awaited<ReturnType<typeof prepareTexts>>;

async function prepareAll(
  ctx: OperationContext,
  texts: readonly { readonly kind: "turn" | "fact"; readonly text: string; readonly speaker?: string }[],
): Promise<Prepared> {
  const found = await prepareTexts(ctx, texts.map((text) => ({ ...text, sensitivity: SENSITIVITY })));
  if (found.every((text) => text.embedding !== null)) return found;
  const vectors = await ctx.deps.embeddings.embed(texts.map((text) => text.text), { purpose: "document" });
  return found.map((text, i) => ({ ...text, embedding: vectors[i]! }));
}

async function storeTurns(
  ctx: OperationContext,
  tx: Tx,
  { startedAt, turns: said }: CorpusSession,
  prepared: Prepared,
): Promise<{ readonly id: string; readonly rows: IndexRow[] }> {
  const id = uuidv7(tx.now);
  const [session, docNos, features] = await Promise.all([
    insertSession(tx, {
      id,
      title: null,
      agentId: null,
      externalId: null,
      sensitivity: SENSITIVITY,
      tags: [],
      metadata: {},
      scratchpad: {},
      startedAt: new Date(startedAt),
      timezone: null,
    }),
    allocateDocNos(tx, said.length),
    linkTurns(ctx, tx, { id, nextPosition: 0 }, prepared),
  ]);
  const turns = said.map((turn, position): NewTurn => {
    const turnId = uuidv7(tx.now);
    return {
      id: turnId,
      position,
      docNo: docNos[position]!,
      messageId: turnId,
      role: "user",
      name: turn.name,
      content: turn.content,
      pinned: false,
      tags: [],
      metadata: {},
      occurredAt: new Date(turn.occurredAt),
      utcOffset: null,
      entityIds: [],
      features: features[position]!,
    };
  });
  await Promise.all([
    insertTurns(tx, session!, turns),
    addToSession(tx, id, {
      turns: turns.length,
      tokens: turns.reduce((sum, turn) => sum + countTokens(turn.content), 0),
      participants: [...new Set(said.map((turn) => turn.name))],
    }),
  ]);
  const { groupNo } = session!;
  return { id, rows: turns.map(({ docNo, position }, i) => ({ docNo, position, groupNo, prepared: prepared[i]! })) };
}

async function storeFacts(
  ctx: OperationContext,
  tx: Tx,
  { facts }: CorpusSession,
  prepared: Prepared,
): Promise<IndexRow[]> {
  if (facts.length === 0) return [];
  const docNos = await allocateDocNos(tx, facts.length);
  const rows = facts.map((statement, i) => ({
    ...toClaim(ctx, tx, stateBody(CreateFactBody.parse({ statement })), {
      named: new Map(),
      cited: new Set(),
      replaced: new Map(),
    }),
    docNo: docNos[i]!,
  }));
  await insertUnits(tx, rows);
  const version = { event: "created", reason: null, recordedAt: tx.now, replacedAt: null, changedBy: tx.actor };
  await insertRevisions(tx, rows.map((unit) => ({ unit, ...version })));
  return rows.map(({ docNo }, i) => ({ docNo, groupNo: 0, position: 0, prepared: prepared[i]! }));
}

/**
 * Drops the non-unique indexes of the large tables, the nearest-neighbour index among them. @returns a function that
 * builds them again
 */
async function dropIndexes(superuser: postgres.Sql): Promise<() => Promise<void>> {
  const indexes = await superuser<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid in ('turn'::regclass, 'unit'::regclass, 'unit_revision'::regclass, 'embedding'::regclass)
       and not i.indisunique`;
  for (const { name } of indexes) await superuser.unsafe(`drop index ${name}`);
  return async () => {
    note("Indexes …");
    await superuser.unsafe("set maintenance_work_mem = '2GB'");
    for (const { definition } of indexes) await superuser.unsafe(definition);
  };
}
