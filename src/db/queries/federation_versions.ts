/**
 * The register of federation: for each item and each writer, the latest version that the writer published. Statements
 * on `federation_version`, and on `federation_cursor`, which holds how far publication has come.
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
export type Verdict =
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
  readonly verdict: Verdict;
  readonly unitId: string | null;
  /** The version of the unit or relation that it publishes; null for other writers' entries. */
  readonly unitVersion: number | null;
  /** When it came; of entries of this instance, when it was published. */
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
      from jsonb_to_recordset(${sql.json(lines as never)}) as n(
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

/** How far publication has come. */
export interface PublicationCursor {
  /** The last change of the feed that was looked at. */
  readonly publishedSeq: number;
  readonly nextSeq: number;
  readonly epoch: string;
  /** Which table is being walked to publish what was there before the first peer; null: the walk is over. */
  readonly walk: "unit" | "relation" | null;
  readonly walkAfter: string | null;
}

/** Returns how far publication has come; undefined if it has not begun. */
export async function readCursor(tx: Tx): Promise<PublicationCursor | undefined> {
  const [row] = await tx.sql<PublicationCursor[]>`
    select published_seq::float8 as "publishedSeq", next_seq::float8 as "nextSeq", epoch, walk,
           walk_after as "walkAfter"
      from federation_cursor where workspace_id = ${tx.workspaceId}`;
  return row;
}

/** Begins publication: follows the feed after `publishedSeq`, and walks what was there before. */
export async function createCursor(tx: Tx, publishedSeq: number, epoch: string): Promise<void> {
  await tx.sql`
    insert into federation_cursor (workspace_id, published_seq, epoch, walk)
    values (${tx.workspaceId}, ${publishedSeq}, ${epoch}, 'unit') on conflict do nothing`;
}

/** Stores how far publication has come. */
export async function saveCursor(tx: Tx, cursor: PublicationCursor): Promise<void> {
  await tx.sql`
    update federation_cursor
       set published_seq = ${cursor.publishedSeq}, next_seq = ${cursor.nextSeq}, epoch = ${cursor.epoch},
           walk = ${cursor.walk}, walk_after = ${cursor.walkAfter}
     where workspace_id = ${tx.workspaceId}`;
}

/**
 * The events of revisions in which a caller changes a unit's content. Changes by the service have other events or
 * authors.
 */
const SAID = ["updated", "retracted", "merged", "unmerged", "reverted", "linked"];

/**
 * Returns those of some units that a caller of this instance changed after a version, and after the last version that a
 * peer's item brought.
 */
export async function findSaid(
  tx: Tx,
  units: readonly { readonly id: string; readonly after: number }[],
): Promise<ReadonlySet<string>> {
  if (units.length === 0) return new Set();
  const rows = await tx.sql<{ id: string }[]>`
    select n.id from unnest(${units.map((unit) => unit.id)}::uuid[], ${
    units.map((unit) => unit.after)
  }::int[]) as n(id, after)
     where exists (
       select from unit_revision r
        where r.workspace_id = ${tx.workspaceId} and r.id = n.id and r.version > n.after and r.event = any(${SAID})
          and (r.changed_by ^@ 'key:' or r.changed_by ^@ 'admin:' or r.changed_by = 'cli')
          and not exists (
            select from unit_revision p
             where p.workspace_id = ${tx.workspaceId} and p.id = n.id and p.version >= r.version and p.event = 'received'))`;
  return new Set(rows.map((row) => row.id));
}

/** Lists the next units or relations of the workspace, by id. */
export async function listAll(
  tx: Tx,
  what: "unit" | "relation",
  after: string | null,
  limit: number,
): Promise<string[]> {
  const { sql } = tx;
  const rows = await sql<{ id: string }[]>`
    select id from ${what === "unit" ? sql`unit` : sql`relation`}
     where workspace_id = ${tx.workspaceId} ${after === null ? sql`` : sql`and id > ${after}`}
     order by id limit ${limit}`;
  return rows.map((row) => row.id);
}

/**
 * Returns those entities that were created for a name in a text, that nobody has changed, and that no relation names.
 */
export async function findBare(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<{ id: string }[]>`
    select u.id from unit u
     where u.workspace_id = ${tx.workspaceId} and u.id = any(${ids as string[]}::uuid[]) and u.type = 'entity'
       and u.version = 1 and u.metadata ? 'inferredFrom'
       and not exists (select from relation_participant p
                        where p.workspace_id = ${tx.workspaceId} and p.unit_id = u.id)`;
  return new Set(rows.map((row) => row.id));
}

/** An erasure of which peers are to be notified. */
export interface ErasureNotice {
  readonly origin: ItemName;
  readonly type: ItemType;
  readonly version: number;
  readonly erasedAt: Date;
  /** The peer that erased the item, and so needs no notice. */
  readonly exceptPeer: string | null;
}

/** Stores notices of erasure for every peer of the workspace. Each is kept until the peer has acknowledged it. */
export async function noteErasures(tx: Tx, notices: readonly ErasureNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const lines = notices.map(({ origin, type, version, erasedAt, exceptPeer }) => ({
    ...{ instance: origin.instance, id: origin.id, type, version, erased_at: erasedAt, except_peer: exceptPeer },
  }));
  await tx.sql`
    insert into federation_erasure (
      workspace_id, peer_id, origin_instance, origin_id, type, version, erased_at, next_attempt_at)
    select ${tx.workspaceId}, p.id, n.instance, n.id, n.type, n.version, n.erased_at, ${tx.now}
      from jsonb_to_recordset(${tx.sql.json(lines as never)}) as n(
             instance text, id uuid, type text, version int, erased_at timestamptz, except_peer text)
      join federation_peer p
        on p.workspace_id = ${tx.workspaceId} and p.removed_at is null and p.id is distinct from n.except_peer
        on conflict do nothing`;
}

/** Whether the workspace has an approved peer. */
export async function hasPeer(tx: Tx): Promise<boolean> {
  const rows = await tx.sql`
    select from federation_peer
     where workspace_id = ${tx.workspaceId} and removed_at is null and approved_at is not null limit 1`;
  return rows.length > 0;
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
  // The index `federation_version_digest` holds all that is read, in order, and is read from end to end. Postgres reckons with
  // pages that lie apart, and would rather read the whole table and sort it.
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

/** Notes the place after which a peer asks. The peer has what comes before it, or is storing the last page of that. */
export async function noteReached(tx: Tx, peerId: string, seq: number): Promise<void> {
  await tx.sql`
    update federation_peer set acked_seq = ${seq}
     where workspace_id = ${tx.workspaceId} and id = ${peerId} and acked_seq < ${seq}`;
}
