/**
 * The register of federation: for each item and each writer, the latest version that the writer published. Statements
 * on `federation_version`, and the digests that are computed from it.
 */
import type { Sensitivity } from "../../schema/common.ts";
import type { ItemName, ItemType } from "../../schema/federation_item.ts";
import type { Sql, Tx } from "../tx.ts";

/**
 * What this instance did with a version of an item. `own`: it wrote it. `shown`: the unit shows it. `equal`: it says
 * the same as the shown one. `kept_ours`: another version was kept against it. `contested`: a person has to decide.
 * `covered`: the author of the shown one knew it. `blocked`: the item was erased here. `deferred`: it cannot be used
 * yet. `erased`: it is a tombstone, or was erased.
 */
export type VersionVerdict =
  | "own"
  | "shown"
  | "equal"
  | "kept_ours"
  | "contested"
  | "covered"
  | "blocked"
  | "deferred"
  | "erased";

/** An entry of the register. It does not hold the content of the version. */
export interface VersionRow {
  readonly origin: ItemName;
  readonly writer: string;
  readonly type: ItemType;
  readonly version: number;
  readonly updatedAt: Date;
  /** Lower-case hex SHA-256 of the version's content. */
  readonly hash: string;
  /** For each other writer, its latest version that the author of this one knew. */
  readonly seen: Readonly<Record<string, number>>;
  readonly affirms: "kept" | "taken" | null;
  readonly isDeleted: boolean;
  readonly isWithdrawn: boolean;
  /** The sensitivity that the writer gave it. */
  readonly sensitivity: Sensitivity;
  /** The lowest sensitivity at which the writer ever offered the item. */
  readonly leastSensitivity: Sensitivity;
  /** The place in the order of publication; null for other writers' entries. */
  readonly seq: number | null;
  /** The key that places it in the digest, hex: 8 bytes. */
  readonly key: string;
  /** Its leaf in the digest, hex: 32 bytes; and the leaf for readers from whom it is withdrawn. */
  readonly leaf: string;
  readonly withdrawnLeaf: string | null;
  readonly verdict: VersionVerdict;
  readonly unitId: string | null;
  /** The version of the unit or relation that it publishes; null for other writers' entries. */
  readonly unitVersion: number | null;
  /** When it arrived; for entries of this instance, when it was published. */
  readonly receivedAt: Date | null;
}

function columns(sql: Sql) {
  return sql`
    jsonb_build_object('instance', v.origin_instance, 'id', v.origin_id) as origin, v.writer, v.type, v.version,
    v.updated_at as "updatedAt", encode(v.hash, 'hex') as hash, v.seen, v.affirms, v.is_deleted as "isDeleted",
    v.is_withdrawn as "isWithdrawn", v.sensitivity, v.least_sensitivity as "leastSensitivity", v.seq::float8 as seq,
    encode(v.key, 'hex') as key, encode(v.leaf, 'hex') as leaf, encode(v.withdrawn_leaf, 'hex') as "withdrawnLeaf",
    v.verdict, v.unit_id as "unitId", v.unit_version as "unitVersion", v.received_at as "receivedAt"`;
}

/** Splits names of items into two lists for `unnest`. */
export function splitNames(names: readonly ItemName[]): [string[], string[]] {
  return [names.map(({ instance }) => instance), names.map(({ id }) => id)];
}

/** Finds the entries of some items, of all writers. */
export async function findVersions(tx: Tx, names: readonly ItemName[]): Promise<VersionRow[]> {
  if (names.length === 0) return [];
  const [instances, ids] = splitNames(names);
  return await tx.sql<VersionRow[]>`
    select ${columns(tx.sql)}
      from unnest(${instances}::text[], ${ids}::uuid[]) as n(instance, id)
      join federation_version v
        on v.workspace_id = ${tx.workspaceId} and v.origin_instance = n.instance and v.origin_id = n.id
     order by v.origin_instance, v.origin_id, v.writer`;
}

/** Finds the entries about some units and relations, of all writers. */
export async function findVersionsOfUnits(tx: Tx, unitIds: readonly string[]): Promise<VersionRow[]> {
  if (unitIds.length === 0) return [];
  return await tx.sql<VersionRow[]>`
    select ${columns(tx.sql)} from federation_version v
     where v.workspace_id = ${tx.workspaceId} and v.unit_id = any(${unitIds as string[]}::uuid[])`;
}

/** Stores entries, in place of their writers' earlier entries for the same items. */
export async function saveVersions(tx: Tx, rows: readonly VersionRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { sql } = tx;
  const lines = rows.map((row) => ({
    origin_instance: row.origin.instance,
    origin_id: row.origin.id,
    writer: row.writer,
    type: row.type,
    version: row.version,
    updated_at: row.updatedAt,
    hash: row.hash,
    seen: row.seen,
    affirms: row.affirms,
    is_deleted: row.isDeleted,
    is_withdrawn: row.isWithdrawn,
    sensitivity: row.sensitivity,
    least_sensitivity: row.leastSensitivity,
    seq: row.seq,
    key: row.key,
    leaf: row.leaf,
    withdrawn_leaf: row.withdrawnLeaf,
    verdict: row.verdict,
    unit_id: row.unitId,
    unit_version: row.unitVersion,
    received_at: row.receivedAt,
  }));
  await sql`
    insert into federation_version (
      workspace_id, origin_instance, origin_id, writer, type, version, updated_at, hash, seen, affirms, is_deleted,
      is_withdrawn, sensitivity, least_sensitivity, seq, key, leaf, withdrawn_leaf, verdict, unit_id, unit_version,
      received_at)
    select ${tx.workspaceId}, n.origin_instance, n.origin_id, n.writer, n.type, n.version, n.updated_at,
           decode(n.hash, 'hex'), n.seen, n.affirms, n.is_deleted, n.is_withdrawn, n.sensitivity, n.least_sensitivity,
           n.seq, decode(n.key, 'hex'), decode(n.leaf, 'hex'), decode(n.withdrawn_leaf, 'hex'), n.verdict, n.unit_id,
           n.unit_version, n.received_at
      from jsonb_to_recordset(${sql.json(lines)}) as n(
             origin_instance text, origin_id uuid, writer text, type text, version int, updated_at timestamptz, hash text,
             seen jsonb, affirms text, is_deleted boolean, is_withdrawn boolean, sensitivity sensitivity,
             least_sensitivity sensitivity, seq bigint, key text, leaf text, withdrawn_leaf text, verdict text,
             unit_id uuid, unit_version int, received_at timestamptz)
        on conflict (workspace_id, origin_instance, origin_id, writer) do update set
           type = excluded.type, version = excluded.version, updated_at = excluded.updated_at, hash = excluded.hash,
           seen = excluded.seen, affirms = excluded.affirms, is_deleted = excluded.is_deleted,
           is_withdrawn = excluded.is_withdrawn, sensitivity = excluded.sensitivity,
           least_sensitivity = excluded.least_sensitivity, seq = excluded.seq, leaf = excluded.leaf,
           withdrawn_leaf = excluded.withdrawn_leaf, verdict = excluded.verdict, unit_id = excluded.unit_id,
           unit_version = excluded.unit_version, received_at = excluded.received_at,
           word = case when federation_version.version = excluded.version then federation_version.word end`;
}

/** Whether an entry is served at a clearance: as a whole, or as withdrawn if the clearance once allowed it. */
function isOffered({ sql }: Tx, clearance: Sensitivity) {
  return sql`v.least_sensitivity <= ${clearance}::sensitivity`;
}

/** Lists own entries after a place in the order of publication that are served at a clearance. */
export async function listPublished(
  tx: Tx,
  clearance: Sensitivity,
  after: number,
  limit: number,
): Promise<VersionRow[]> {
  return await tx.sql<VersionRow[]>`
    select ${columns(tx.sql)} from federation_version v
     where v.workspace_id = ${tx.workspaceId} and v.seq > ${after} and ${isOffered(tx, clearance)}
     order by v.seq limit ${limit}`;
}

/**
 * Returns when the last own entry up to a place was published; undefined if there is none, or if an older build published
 * it.
 */
export async function findPublishedAt(tx: Tx, upTo: number): Promise<Date | undefined> {
  const [row] = await tx.sql<{ at: Date | null }[]>`
    select received_at as at from federation_version
     where workspace_id = ${tx.workspaceId} and seq is not null and seq <= ${upTo}
     order by seq desc limit 1`;
  return row?.at ?? undefined;
}

/** Finds own entries by the ids that their items have at their origins. */
export async function findPublished(tx: Tx, clearance: Sensitivity, ids: readonly string[]): Promise<VersionRow[]> {
  return await tx.sql<VersionRow[]>`
    select ${columns(tx.sql)} from federation_version v
     where v.workspace_id = ${tx.workspaceId} and v.seq is not null and v.origin_id = any(${ids as string[]}::uuid[])
       and ${isOffered(tx, clearance)}
     order by v.origin_id, v.origin_instance`;
}

/** A bucket of a digest that is not empty. */
export interface BucketRow {
  readonly no: number;
  readonly count: number;
  /** 32 bytes. */
  readonly digest: Uint8Array;
}

/** The bytes of a bucket as the database writes it: number, count, digest. */
const BUCKET_BYTES = 4 + 4 + 32;

/**
 * Computes the buckets of a digest over the entries of a writer that are served at a clearance. All buckets come as one
 * value: tens of thousands of rows would take longer to fetch than to compute.
 */
export async function readBuckets(
  tx: Tx,
  side: { readonly writer: string; readonly clearance: Sensitivity },
): Promise<BucketRow[]> {
  const { sql } = tx;
  // The index `federation_version_digest` holds everything that is read, in order, and is read from end to end.
  // Postgres assumes that its pages are scattered, and would rather read the whole table and sort it.
  await sql`select set_config('random_page_cost', '1', true)`;
  const [row] = await sql<{ buckets: string | null }[]>`
    select encode(string_agg(int4send(b.no) || int4send(b.count) || b.digest, ''::bytea), 'base64') as buckets
      from (select v.bucket as no, count(*)::int as count,
                   sha256('\\x00'::bytea || string_agg(
                     case when v.sensitivity <= ${side.clearance}::sensitivity then v.leaf else v.withdrawn_leaf end,
                     ''::bytea order by v.key, (v.origin_instance || '/' || v.origin_id) collate "C")) as digest
              from federation_version v
             where v.workspace_id = ${tx.workspaceId} and v.writer = ${side.writer}
               and ${isOffered(tx, side.clearance)}
             group by 1) as b`;
  const bytes = Uint8Array.fromBase64(row?.buckets ?? "");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / BUCKET_BYTES }, (_, i) => {
    const at = i * BUCKET_BYTES;
    return { no: view.getInt32(at), count: view.getInt32(at + 4), digest: bytes.subarray(at + 8, at + BUCKET_BYTES) };
  });
}

/** Lists the entries of some buckets, each named by its first two bytes in hex. */
export async function listBuckets(
  tx: Tx,
  side: { readonly writer: string; readonly clearance: Sensitivity },
  prefixes: readonly string[],
): Promise<(VersionRow & { readonly prefix: string })[]> {
  const { sql } = tx;
  const prefixOf = new Map(prefixes.map((prefix) => [Number.parseInt(prefix, 16), prefix]));
  const rows = await sql<(VersionRow & { readonly bucket: number })[]>`
    select ${columns(sql)}, v.bucket from federation_version v
     where v.workspace_id = ${tx.workspaceId} and v.writer = ${side.writer}
       and v.bucket = any(${[...prefixOf.keys()]}::int[]) and ${isOffered(tx, side.clearance)}
     order by v.key, (v.origin_instance || '/' || v.origin_id) collate "C"`;
  return rows.map(({ bucket, ...row }) => ({ ...row, prefix: prefixOf.get(bucket)! }));
}
