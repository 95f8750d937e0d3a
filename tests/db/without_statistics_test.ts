/** Statements whose plans were made while the tables were empty: what they read grows with the rows, not with their square. */
import { ok } from "node:assert/strict";
import { linkStatements, type NewStatement } from "../../src/db/queries/newer_links.ts";
import { type PassKind, settleLinks, unlinkBelow } from "../../src/db/queries/unit_sources.ts";
import { insertUnits } from "../../src/db/queries/unit_writes.ts";
import { findUnits } from "../../src/db/queries/units.ts";
import type { Tx } from "../../src/db/tx.ts";
import { prune } from "../../src/db/vocabulary.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

/** Units, and as many rows of postings. */
const ROWS = 1_000;
/** Rows while the plan is made. */
const FEW = 20;
/** After so many runs Postgres keeps a plan. */
const RUNS = 8;
/** How often a row may be read by one statement, all its parts together. */
const READS_MAX = 40;

/** Runs a statement about a unit and those that rest on it. */
type Run = (tx: Tx, source: string, ids: readonly string[]) => Promise<unknown>;

class Undone extends Error {}

/** Rows of all tables that this transaction has read so far. */
async function rowsRead(tx: Tx): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as n from pg_stat_xact_user_tables`;
  return row.n;
}

/** Runs a statement on empty tables until its plan is kept, fills the tables, and says how much it reads then. */
async function readsAfterGrowth(service: TestService, run: Run) {
  const body = { statement: "Rex sleeps in the yard." };
  const { body: { id } } = await service.post("/v1/memory/facts", body);
  let reads = 0;
  await service.operator().tx(async (tx) => {
    await tx.sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`;
    const few = await fill(tx, id, 0, FEW);
    for (let i = 0; i < RUNS; i++) await run(tx, id, few);
    const ids = [...few, ...await fill(tx, id, FEW, ROWS)];
    const before = await rowsRead(tx);
    await run(tx, id, ids);
    reads = await rowsRead(tx) - before;
    throw new Undone();
  }).catch((error) => {
    if (!(error instanceof Undone)) throw error;
  });
  return reads;
}

/** Adds copies of a fact that rest on it, and a word for each. */
async function fill(tx: Tx, id: string, from: number, to: number): Promise<string[]> {
  const { sql, workspaceId: ws } = tx;
  const [unit] = await findUnits(tx, [id]);
  const ids = Array.from({ length: to - from }, () => crypto.randomUUID());
  await insertUnits(tx, ids.map((copy, n) => ({ ...unit!, id: copy, docNo: 1_000_000 + from + n })));
  await sql`
    insert into unit_source (workspace_id, source_id, unit_id, kind)
    select ${ws}, ${id}, unit_id, 'derived_from' from unnest(${ids}::uuid[]) as u(unit_id)`;
  await sql`
    insert into posting (workspace_id, term, kind, sensitivity, first_doc, last_doc, n, entries)
    select ${ws}, 'word' || n, 1, 'internal', n, n, 1, decode(repeat('00', 12), 'hex') from generate_series(${
    from + 1
  }::int, ${to}::int) as n`;
  await sql`
    insert into vocabulary (workspace_id, sensitivity, term)
    select ${ws}, 'internal', 'word' || n from generate_series(${from + 1}::int, ${to}::int) as n`;
  return ids;
}

const PLACE = { afterId: "00000000-0000-0000-0000-000000000000", fallenId: null, how: null, fallenSensitivity: null };
const settle = (what: PassKind): Run => async (tx, source, ids) => {
  if (what === "trust") await tx.sql`update unit set trust_score = 10 where id = ${source}`;
  else await tx.sql`update unit set status = 'retracted' where id = ${source}`;
  await settleLinks(tx, what, [source, ...ids.slice(0, 500)].map((sourceId) => ({ ...PLACE, sourceId })), 500);
};

/** A thousand statements, each beside eight earlier ones, or one before the tables grow. */
async function link(tx: Tx, _: string, ids: readonly string[]): Promise<void> {
  const told = ids.map((id): NewStatement => ({
    ...{ id, docNo: 2_000_000, isTurn: false, at: new Date(0), speaker: null, sessionId: null, vector: null },
  }));
  const shared = told.flatMap((_, of) =>
    Array.from({ length: 8 }, (_, i) => ({ of, docNo: 1_000_000 + (of + i) % ROWS, share: 1 }))
  );
  const limits = {
    most: 5,
    strengthMin: 0.3,
    withoutVector: 0.25,
    window: 128,
    nearest: 8,
    pauseMs: 1,
  };
  await linkStatements(tx, told, shared, { models: ["none"], sensitivity: "internal", areStored: false }, limits);
}

const words = Array.from({ length: 500 }, (_, i) => `word${i + 1}`);

const STATEMENTS: Readonly<Record<string, Run>> = {
  "what rests on a fallen unit becomes stale": settle("standing"),
  "what was derived from a unit is trusted no more than it": settle("trust"),
  "statements get their links to newer ones": link,
  "links to an erased unit are taken from what is less sensitive": (tx, id) =>
    unlinkBelow(tx, { id, sensitivity: "restricted" }),
  "words that no text holds go": (tx) => prune(tx, "internal", words),
};

Deno.test({
  ...POSTGRES,
  name: "tables that have grown since a plan was made are not read once for each of their rows",
  async fn(t) {
    await using service = await startService();
    for (const [name, run] of Object.entries(STATEMENTS)) {
      await t.step(name, async () => {
        const reads = await readsAfterGrowth(service, run);
        ok(reads > 100, "it has something to do");
        ok(reads <= READS_MAX * ROWS, `it read ${reads} rows of ${ROWS}`);
      });
    }
  },
});
