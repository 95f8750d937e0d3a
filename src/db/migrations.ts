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
import changeFeed from "../../migrations/0002_change_feed.sql" with { type: "text" };
import knowledge from "../../migrations/0003_knowledge.sql" with { type: "text" };
import recall from "../../migrations/0004_recall.sql" with { type: "text" };
import embeddings from "../../migrations/0005_embeddings.sql" with { type: "text" };
import usage from "../../migrations/0006_usage.sql" with { type: "text" };
import truthMaintenance from "../../migrations/0007_truth_maintenance.sql" with { type: "text" };
import gauges from "../../migrations/0008_gauges.sql" with { type: "text" };
import tasks from "../../migrations/0009_tasks.sql" with { type: "text" };
import entities from "../../migrations/0010_entities.sql" with { type: "text" };
import relations from "../../migrations/0011_relations.sql" with { type: "text" };
import mentions from "../../migrations/0012_mentions.sql" with { type: "text" };
import truthQueue from "../../migrations/0013_truth_queue.sql" with { type: "text" };
import procedural from "../../migrations/0015_procedural.sql" with { type: "text" };
import reasoning from "../../migrations/0014_reasoning.sql" with { type: "text" };
import selfEdits from "../../migrations/0016_self_edits.sql" with { type: "text" };
import governance from "../../migrations/0017_governance.sql" with { type: "text" };
import imports from "../../migrations/0019_import.sql" with { type: "text" };
import snapshots from "../../migrations/0018_snapshots.sql" with { type: "text" };
import idempotency from "../../migrations/0020_idempotency.sql" with { type: "text" };
import audit from "../../migrations/0021_audit.sql" with { type: "text" };
import auditCheckpoints from "../../migrations/0022_audit_checkpoints.sql" with { type: "text" };
import keys from "../../migrations/0030_keys.sql" with { type: "text" };
import breakGlass from "../../migrations/0031_break_glass.sql" with { type: "text" };
import nameLost from "../../migrations/0041_name_lost.sql" with { type: "text" };
import streamTickets from "../../migrations/0050_stream_tickets.sql" with { type: "text" };
import workspaceSchedules from "../../migrations/0068_workspace_schedules.sql" with { type: "text" };
import workspaceSettings from "../../migrations/0053_workspace_settings.sql" with { type: "text" };
import keyVotes from "../../migrations/0054_key_votes.sql" with { type: "text" };
import keptAfter from "../../migrations/0057_kept_after.sql" with { type: "text" };
import sweeping from "../../migrations/0058_sweeping.sql" with { type: "text" };
import adminPages from "../../migrations/0059_admin_pages.sql" with { type: "text" };
import eraseChains from "../../migrations/0055_erase_chains.sql" with { type: "text" };
import rowHistory from "../../migrations/0061_row_history.sql" with { type: "text" };
import snapshotWords from "../../migrations/0062_snapshot_words.sql" with { type: "text" };
import eraseRecords from "../../migrations/0064_erase_records.sql" with { type: "text" };
import eventErasure from "../../migrations/0069_event_erasure.sql" with { type: "text" };
import snapshotCentroids from "../../migrations/0070_snapshot_centroids.sql" with { type: "text" };
import eraseQuotes from "../../migrations/0072_erase_quotes.sql" with { type: "text" };
import deletionLogTypes from "../../migrations/0073_deletion_log_types.sql" with { type: "text" };
import federationWords from "../../migrations/0079_federation_words.sql" with { type: "text" };
import federationRegister from "../../migrations/0076_federation_register.sql" with { type: "text" };
import webhooks from "../../migrations/0078_webhooks.sql" with { type: "text" };
import factNames from "../../migrations/0074_fact_names.sql" with { type: "text" };
import federationTurns from "../../migrations/0080_federation_turns.sql" with { type: "text" };
import webhookKeys from "../../migrations/0081_webhook_keys.sql" with { type: "text" };
import federationLimits from "../../migrations/0082_federation_limits.sql" with { type: "text" };
import ownTimes from "../../migrations/0083_own_times.sql" with { type: "text" };
import outdatedFacts from "../../migrations/0085_outdated_facts.sql" with { type: "text" };
import predicates from "../../migrations/0084_predicates.sql" with { type: "text" };
import stemCursor from "../../migrations/0091_stem_cursor.sql" with { type: "text" };
import externalIds from "../../migrations/0092_external_ids.sql" with { type: "text" };
import browse from "../../migrations/0094_browse.sql" with { type: "text" };
import placement from "../../migrations/0110_placement.sql" with { type: "text" };
import recallDiary from "../../migrations/0095_recall_diary.sql" with { type: "text" };
import appendAudit from "../../migrations/0105_append_audit.sql" with { type: "text" };
import nearestVectors from "../../migrations/0104_nearest_vectors.sql" with { type: "text" };
import latestClaims from "../../migrations/0102_latest_claims.sql" with { type: "text" };
import turnSpeakers from "../../migrations/0112_turn_speakers.sql" with { type: "text" };
import latestClaimsRead from "../../migrations/0113_latest_claims.sql" with { type: "text" };
import digestBuckets from "../../migrations/0114_digest_buckets.sql" with { type: "text" };
import replicaMark from "../../migrations/0115_replica_mark.sql" with { type: "text" };
import digestIndex from "../../migrations/0116_digest_index.sql" with { type: "text" };
import ruleVersion from "../../migrations/0117_rule_version.sql" with { type: "text" };
import postingStamp from "../../migrations/0118_posting_stamp.sql" with { type: "text" };
import stampPostings from "../../migrations/0119_stamp_postings.sql" with { type: "text" };
import postingsStamped from "../../migrations/0120_postings_stamped.sql" with { type: "text" };
import rivalIds from "../../migrations/0121_rival_ids.sql" with { type: "text" };
import sourcesAbove from "../../migrations/0132_sources_above.sql" with { type: "text" };
import spelledNames from "../../migrations/0134_spelled_names.sql" with { type: "text" };
import timezones from "../../migrations/0135_timezones.sql" with { type: "text" };
import saidKey from "../../migrations/0138_said_key.sql" with { type: "text" };
import erasedTurns from "../../migrations/0139_erased_turns.sql" with { type: "text" };
import nearestSigns from "../../migrations/0141_nearest_signs.sql" with { type: "text" };
import newerLinks from "../../migrations/0147_newer_links.sql" with { type: "text" };
import newerBackfill from "../../migrations/0148_newer_backfill.sql" with { type: "text" };
import embeddingBacklog from "../../migrations/0154_embedding_backlog.sql" with { type: "text" };
import consoleSessions from "../../migrations/0150_console_sessions.sql" with { type: "text" };
import consoleAdmins from "../../migrations/0156_console_admins.sql" with { type: "text" };
import truthWithoutStatistics from "../../migrations/0153_truth_without_statistics.sql" with { type: "text" };
import streamTicketVia from "../../migrations/0160_stream_ticket_via.sql" with { type: "text" };
import federationInvites from "../../migrations/0077_federation_invites.sql" with { type: "text" };
import federationPeers from "../../migrations/0075_federation_peers.sql" with { type: "text" };
import shorterOverlap from "../../migrations/0063_shorter_overlap.sql" with { type: "text" };
import unitNames from "../../migrations/0087_unit_names.sql" with { type: "text" };

interface Migration {
  readonly name: string;
  readonly text: string;
}

/** All migrations in order. A new file is added here and nowhere else; a test compares the list with the folder. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_access", text: access },
  { name: "0002_change_feed", text: changeFeed },
  { name: "0003_knowledge", text: knowledge },
  { name: "0004_recall", text: recall },
  { name: "0005_embeddings", text: embeddings },
  { name: "0006_usage", text: usage },
  { name: "0007_truth_maintenance", text: truthMaintenance },
  { name: "0008_gauges", text: gauges },
  { name: "0009_tasks", text: tasks },
  { name: "0010_entities", text: entities },
  { name: "0011_relations", text: relations },
  { name: "0012_mentions", text: mentions },
  { name: "0013_truth_queue", text: truthQueue },
  { name: "0014_reasoning", text: reasoning },
  { name: "0015_procedural", text: procedural },
  { name: "0016_self_edits", text: selfEdits },
  { name: "0017_governance", text: governance },
  { name: "0019_import", text: imports },
  { name: "0018_snapshots", text: snapshots },
  { name: "0020_idempotency", text: idempotency },
  { name: "0021_audit", text: audit },
  { name: "0022_audit_checkpoints", text: auditCheckpoints },
  { name: "0030_keys", text: keys },
  { name: "0031_break_glass", text: breakGlass },
  { name: "0041_name_lost", text: nameLost },
  { name: "0050_stream_tickets", text: streamTickets },
  { name: "0068_workspace_schedules", text: workspaceSchedules },
  { name: "0053_workspace_settings", text: workspaceSettings },
  { name: "0054_key_votes", text: keyVotes },
  { name: "0057_kept_after", text: keptAfter },
  { name: "0058_sweeping", text: sweeping },
  { name: "0059_admin_pages", text: adminPages },
  { name: "0055_erase_chains", text: eraseChains },
  { name: "0061_row_history", text: rowHistory },
  { name: "0062_snapshot_words", text: snapshotWords },
  { name: "0063_shorter_overlap", text: shorterOverlap },
  { name: "0064_erase_records", text: eraseRecords },
  { name: "0069_event_erasure", text: eventErasure },
  { name: "0070_snapshot_centroids", text: snapshotCentroids },
  { name: "0072_erase_quotes", text: eraseQuotes },
  { name: "0073_deletion_log_types", text: deletionLogTypes },
  { name: "0074_fact_names", text: factNames },
  { name: "0075_federation_peers", text: federationPeers },
  { name: "0076_federation_register", text: federationRegister },
  { name: "0077_federation_invites", text: federationInvites },
  { name: "0078_webhooks", text: webhooks },
  { name: "0079_federation_words", text: federationWords },
  { name: "0080_federation_turns", text: federationTurns },
  { name: "0081_webhook_keys", text: webhookKeys },
  { name: "0082_federation_limits", text: federationLimits },
  { name: "0083_own_times", text: ownTimes },
  { name: "0084_predicates", text: predicates },
  { name: "0085_outdated_facts", text: outdatedFacts },
  { name: "0087_unit_names", text: unitNames },
  { name: "0091_stem_cursor", text: stemCursor },
  { name: "0092_external_ids", text: externalIds },
  { name: "0094_browse", text: browse },
  { name: "0095_recall_diary", text: recallDiary },
  { name: "0104_nearest_vectors", text: nearestVectors },
  { name: "0102_latest_claims", text: latestClaims },
  { name: "0105_append_audit", text: appendAudit },
  { name: "0112_turn_speakers", text: turnSpeakers },
  { name: "0113_latest_claims", text: latestClaimsRead },
  { name: "0114_digest_buckets", text: digestBuckets },
  { name: "0115_replica_mark", text: replicaMark },
  { name: "0116_digest_index", text: digestIndex },
  { name: "0117_rule_version", text: ruleVersion },
  { name: "0118_posting_stamp", text: postingStamp },
  { name: "0119_stamp_postings", text: stampPostings },
  { name: "0120_postings_stamped", text: postingsStamped },
  { name: "0121_rival_ids", text: rivalIds },
  { name: "0132_sources_above", text: sourcesAbove },
  { name: "0134_spelled_names", text: spelledNames },
  { name: "0135_timezones", text: timezones },
  { name: "0138_said_key", text: saidKey },
  { name: "0139_erased_turns", text: erasedTurns },
  { name: "0141_nearest_signs", text: nearestSigns },
  { name: "0147_newer_links", text: newerLinks },
  { name: "0148_newer_backfill", text: newerBackfill },
  { name: "0154_embedding_backlog", text: embeddingBacklog },
  { name: "0150_console_sessions", text: consoleSessions },
  { name: "0156_console_admins", text: consoleAdmins },
  { name: "0153_truth_without_statistics", text: truthWithoutStatistics },
  { name: "0110_placement", text: placement },
  { name: "0160_stream_ticket_via", text: streamTicketVia },
].sort((a, b) => a.name < b.name ? -1 : 1);

/** Any constant will do, as long as every process takes the same one. */
const LOCK_KEY = 7_305_410_127;

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
  try {
    await run(`
      do $$ begin
        if exists (select from schema_migration where name = '${name}') then
          raise exception using errcode = '${APPLIED_ALREADY}', message = '${name} is applied already';
        end if;
      end $$;
      ${text};
      insert into schema_migration (name, digest) values ('${name}', '${digestOf(text)}')`);
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
