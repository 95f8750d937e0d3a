/**
 * Forward-only migrations, carried in the program as text so that a single binary holds them.
 *
 * Each runs in a transaction of its own, which holds an advisory lock: if two processes migrate at the same time, one
 * applies it, and the other waits and then finds it applied. Nothing is kept in the session, which a pooler may share.
 * A migration that was applied may not change: its digest is compared at every run.
 */
import postgres from "postgres";
import { createHash } from "node:crypto";
import { ServiceError } from "../errors.ts";
import { type NearestIndex, nearestIndexText } from "./nearest_index.ts";
import { CLIENT_CHECK_MS } from "./opening.ts";
import { errorCode, type PostgresOptions } from "./pool.ts";
import access from "../../migrations/0001_access.sql" with { type: "text" };
import placement from "../../migrations/0002_placement.sql" with { type: "text" };
import feedAndAudit from "../../migrations/0003_feed_and_audit.sql" with { type: "text" };
import units from "../../migrations/0004_units.sql" with { type: "text" };
import search from "../../migrations/0005_search.sql" with { type: "text" };
import names from "../../migrations/0006_names.sql" with { type: "text" };
import truth from "../../migrations/0007_truth.sql" with { type: "text" };
import tasks from "../../migrations/0008_tasks.sql" with { type: "text" };
import agents from "../../migrations/0009_agents.sql" with { type: "text" };
import upkeep from "../../migrations/0010_upkeep.sql" with { type: "text" };
import federation from "../../migrations/0011_federation.sql" with { type: "text" };
import webhooks from "../../migrations/0012_webhooks.sql" with { type: "text" };
import streamTicketVia from "../../migrations/0013_stream_ticket_via.sql" with { type: "text" };
import tokenIdentity from "../../migrations/0014_token_identity.sql" with { type: "text" };
import oauth from "../../migrations/0015_oauth.sql" with { type: "text" };
import tenants from "../../migrations/0016_tenants.sql" with { type: "text" };
import loops from "../../migrations/0017_loops.sql" with { type: "text" };
import loopMarks from "../../migrations/0018_loop_marks.sql" with { type: "text" };
import consoleSignIn from "../../migrations/0019_console_sign_in.sql" with { type: "text" };
import fromAlpha from "../../migrations/from_alpha.sql" with { type: "text" };

/**
 * What identifies a database of the last alpha before these files: the SHA-256 of its migrations, one line "<name> <digest>"
 * each, in order.
 */
const ALPHA = "b9dcb0db3d631b8d937b7905da567dd434160ba46298dd163ef003cd6a250403";

interface Migration {
  readonly name: string;
  readonly text: string;
}

/** All migrations in order. A new file is added here and nowhere else; a test compares the list with the folder. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_access", text: access },
  { name: "0002_placement", text: placement },
  { name: "0003_feed_and_audit", text: feedAndAudit },
  { name: "0004_units", text: units },
  { name: "0005_search", text: search },
  { name: "0006_names", text: names },
  { name: "0007_truth", text: truth },
  { name: "0008_tasks", text: tasks },
  { name: "0009_agents", text: agents },
  { name: "0010_upkeep", text: upkeep },
  { name: "0011_federation", text: federation },
  { name: "0012_webhooks", text: webhooks },
  { name: "0013_stream_ticket_via", text: streamTicketVia },
  { name: "0014_token_identity", text: tokenIdentity },
  { name: "0015_oauth", text: oauth },
  { name: "0016_tenants", text: tenants },
  { name: "0017_loops", text: loops },
  { name: "0018_loop_marks", text: loopMarks },
  { name: "0019_console_sign_in", text: consoleSignIn },
];

/** Any constant will do, as long as every process takes the same one. */
const LOCK_KEY = 7_305_410_127;

/** The second migration of every alpha; no file of today has its name. */
const FIRST_OF_ALPHAS = "0002_change_feed";

/** The last file that the database of the last alpha is brought to at once. */
const LAST_OF_BASELINE = "0012_webhooks";

/** The error of a migration that another process has applied in the meantime. */
const APPLIED_ALREADY = "SVC01";

export interface MigrateOptions {
  /** Dimension of the deployment's embeddings; fixed at the first migration. */
  readonly embeddingDimension: number;
  /**
   * The nearest-neighbour index of texts to build here, which blocks writers; for a database that nobody else uses.
   * Default: none; the service builds it later.
   */
  readonly nearestIndex?: NearestIndex | undefined;
  readonly onApplied?: ((name: string, durationMs: number) => void) | undefined;
  /** How often the server checks whether this process is still connected, in milliseconds; 0 never. Default 1,000. */
  readonly clientCheckMs?: number;
}

/**
 * Brings the database up to this build's schema. Returns the names of the migrations that it applied.
 * @throws ServiceError `conflict` when an applied migration differs from this build's or is unknown to it.
 */
export async function migrate(connection: PostgresOptions, options: MigrateOptions): Promise<string[]> {
  const sql = postgres({ onnotice: () => {}, fetch_types: false, ...connection, max: 1, prepare: false });
  const { clientCheckMs = CLIENT_CHECK_MS } = options;
  const begin = (clientCheckMs === 0 ? "" : `set local client_connection_check_interval = ${clientCheckMs};\n`) +
    `select pg_advisory_xact_lock(${LOCK_KEY});\n`;
  // Statements that are sent together are one transaction to Postgres. The driver's own would try to roll back on a
  // connection that died, which ends the process.
  const run: RunTogether = async (statements) => void await sql.unsafe(begin + statements);
  try {
    return await migrateWith(sql, run, options);
  } finally {
    // After a lost connection the driver would wait for it to the end of the timeout.
    await sql.end({ timeout: 1 });
  }
}

/**
 * Stores the name that a migrated database has among the clusters.
 * @throws ServiceError `conflict` when the database has another name already
 */
export async function nameCluster(connection: PostgresOptions, name: string): Promise<void> {
  const sql = postgres({ onnotice: () => {}, fetch_types: false, ...connection, max: 1, prepare: false });
  try {
    await sql`insert into cluster_identity (name) values (${name}) on conflict do nothing`;
    const [row] = await sql<[{ name: string }]>`select name from cluster_identity`;
    if (row.name !== name) {
      throw new ServiceError(
        "conflict",
        `Cannot migrate: the database for the cluster ${name} is the cluster ${row.name}`,
      );
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Runs statements in one transaction. No other process that migrates runs one at the same time. */
type RunTogether = (statements: string) => Promise<void>;

async function migrateWith(sql: postgres.Sql, run: RunTogether, options: MigrateOptions): Promise<string[]> {
  await run(`
    create table if not exists schema_migration (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`);
  const applied = new Map(
    (await sql<{ name: string; digest: string }[]>`select name, digest from schema_migration`)
      .map((row) => [row.name, row.digest]),
  );
  if (isAlpha(applied)) {
    await takeOver(run);
    return await migrateWith(sql, run, options);
  }
  refuseForeignMigrations(applied, "migrate");
  const done: string[] = [];
  for (const migration of MIGRATIONS) {
    if (applied.has(migration.name)) continue;
    const started = performance.now();
    if (!await apply(run, migration)) continue;
    done.push(migration.name);
    options.onApplied?.(migration.name, performance.now() - started);
  }
  // When it starts, the service reads it with the role of requests.
  await run("grant select on schema_migration to svc_app");
  await fixDimension(sql, run, options.embeddingDimension);
  if (options.nearestIndex) await run(nearestIndexText(options.nearestIndex, options.embeddingDimension));
  return done;
}

/** Returns false if another process has applied it in the meantime. */
async function apply(run: RunTogether, { name, text }: Migration): Promise<boolean> {
  return await unlessApplied(() =>
    run(`
      do $$ begin
        if exists (select from schema_migration where name = '${name}') then
          raise exception using errcode = '${APPLIED_ALREADY}', message = '${name} is applied already';
        end if;
      end $$;
      ${text};
      insert into schema_migration (name, digest) values ('${name}', '${digestOf(text)}')`)
  );
}

function isAlpha(applied: ReadonlyMap<string, string>): boolean {
  const lines = [...applied].sort(([a], [b]) => a < b ? -1 : 1).map(([name, digest]) => `${name} ${digest}\n`);
  return digestOf(lines.join("")) === ALPHA;
}

/** Brings a database of the last alpha to this schema, in one transaction. Returns false if another process has done it. */
async function takeOver(run: RunTogether): Promise<boolean> {
  const rows = MIGRATIONS.filter(({ name }) => name <= LAST_OF_BASELINE)
    .map(({ name, text }) => `('${name}', '${digestOf(text)}')`);
  return await unlessApplied(() =>
    run(`
      do $$ begin
        if ((select encode(sha256(convert_to(
               coalesce(string_agg(name || ' ' || digest || chr(10), '' order by name collate "C"), ''), 'UTF8')), 'hex')
               from schema_migration)) <> '${ALPHA}' then
          raise exception using errcode = '${APPLIED_ALREADY}', message = 'another process has taken the database over';
        end if;
      end $$;
      ${fromAlpha};
      delete from schema_migration;
      insert into schema_migration (name, digest) values ${rows.join(", ")}`)
  );
}

/** Returns false if another process has done the same in the meantime. */
async function unlessApplied(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (errorCode(error) === APPLIED_ALREADY) return false;
    throw error;
  }
}

/**
 * Refuses a schema that this build was not made for.
 * @param purpose what cannot be done in that case, for the message
 * @throws ServiceError `conflict` when an applied migration differs from this build's or is unknown to it.
 */
export function refuseForeignMigrations(applied: ReadonlyMap<string, string>, purpose: "migrate" | "start"): void {
  if (isAlpha(applied)) {
    throw new ServiceError(
      "conflict",
      `Cannot ${purpose}: the database is one of the last alpha; run \`svc migrate\` first`,
    );
  }
  if (applied.has(FIRST_OF_ALPHAS)) {
    throw new ServiceError(
      "conflict",
      `Cannot ${purpose}: the database is of an earlier alpha than the last one, or between the two; export its workspaces ` +
        "with the build that made it (`svc export`), and import them into a new database",
    );
  }
  const known = new Map(MIGRATIONS.map(({ name, text }) => [name, digestOf(text)]));
  for (const [name, digest] of applied) {
    if (!known.has(name)) {
      throw new ServiceError("conflict", `Cannot ${purpose}: the database has ${name}, which this build does not know`);
    }
    if (known.get(name) !== digest) {
      throw new ServiceError(
        "conflict",
        `Cannot ${purpose}: the database has ${name} with a different text than this build`,
      );
    }
  }
}

/**
 * Records the deployment's embedding dimension and builds the nearest-neighbour index of goals for it. Every deployment
 * gets this index: goals are few, and even the built-in vectors find goals that share no words with the query.
 */
async function fixDimension(sql: postgres.Sql, run: RunTogether, dimension: number): Promise<void> {
  await sql`insert into deployment (embedding_dimension) values (${dimension}) on conflict do nothing`;
  const [row] = await sql<[{ embedding_dimension: number }]>`select embedding_dimension from deployment`;
  if (row.embedding_dimension !== dimension) {
    throw new ServiceError(
      "conflict",
      `Cannot use embeddings of ${dimension} dimensions: this deployment has ${row.embedding_dimension}`,
    );
  }
  await run(
    `create index if not exists reasoning_vector_hnsw
       on reasoning_vector using hnsw ((vector::vector(${dimension})) vector_cosine_ops)`,
  );
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
