/** Reading the audit log and its tree. Rows are written by `db/audit.ts` alone. */
import type { AuditRecord } from "../../crypto/audit_chain.ts";
import type { Tx } from "../tx.ts";

export interface AuditRow extends Omit<AuditRecord, "seq" | "created_at"> {
  readonly seq: number;
  readonly created_at: Date;
  readonly hash: Uint8Array;
}

/** A row with the caller's address, while that is kept. */
export interface AuditRowShown extends AuditRow {
  readonly ip_address: string | null;
}

export interface AuditFilter {
  /** Names, or beginnings of names that end with `.`. */
  readonly eventTypes: readonly string[] | undefined;
  readonly actorId: string | undefined;
  readonly outcome: string | undefined;
  readonly target: string | undefined;
  readonly requestId: string | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  readonly order: "asc" | "desc";
  /** The row before the first. */
  readonly after: number | undefined;
  readonly limit: number;
}

export async function listAuditRows(tx: Tx, filter: AuditFilter): Promise<AuditRowShown[]> {
  const { sql } = tx;
  const { eventTypes, actorId, outcome, target, requestId, from, to, order, after, limit } = filter;
  const exact = eventTypes?.filter((name) => !name.endsWith("."));
  const begins = eventTypes?.filter((name) => name.endsWith("."));
  return await sql<AuditRowShown[]>`
    select l.workspace_id, l.seq::float8 as seq, l.id, l.actor_id, l.actor_type, l.event_type, l.outcome, l.request_id,
           l.targets, l.target_count, l.detail, l.created_at, l.ip_commitment, l.hash, a.ip_address
      from svc_audit_log l
      left join svc_audit_address a on a.workspace_id = l.workspace_id and a.seq = l.seq
     where l.workspace_id = ${tx.workspaceId}
       ${
    eventTypes === undefined ? sql`` : sql`and (l.event_type = any(${exact!}) or exists (
          select from unnest(${begins!}::text[]) as b(beginning) where starts_with(l.event_type, b.beginning)))`
  }
       ${actorId === undefined ? sql`` : sql`and l.actor_id = ${actorId}`}
       ${outcome === undefined ? sql`` : sql`and l.outcome = ${outcome}`}
       ${target === undefined ? sql`` : sql`and ${target}::uuid = any(l.targets)`}
       ${requestId === undefined ? sql`` : sql`and l.request_id = ${requestId}`}
       ${from === undefined ? sql`` : sql`and l.created_at >= ${from}`}
       ${to === undefined ? sql`` : sql`and l.created_at < ${to}`}
       ${after === undefined ? sql`` : order === "asc" ? sql`and l.seq > ${after}` : sql`and l.seq < ${after}`}
     order by l.seq ${order === "asc" ? sql`asc` : sql`desc`}
     limit ${limit}`;
}

/** A row with the salt by which its commitment to the caller's address is checked, while that is kept. */
export interface AuditRowKept extends AuditRowShown {
  readonly salt: Uint8Array | null;
}

/** Rows in the chain's order, beginning with `from`. */
export async function readAuditRows(tx: Tx, from: number, limit: number): Promise<AuditRowKept[]> {
  return await tx.sql<AuditRowKept[]>`
    select l.workspace_id, l.seq::float8 as seq, l.id, l.actor_id, l.actor_type, l.event_type, l.outcome, l.request_id,
           l.targets, l.target_count, l.detail, l.created_at, l.ip_commitment, l.hash, a.ip_address, a.salt
      from svc_audit_log l
      left join svc_audit_address a on a.workspace_id = l.workspace_id and a.seq = l.seq
     where l.workspace_id = ${tx.workspaceId} and l.seq >= ${from}
     order by l.seq limit ${limit}`;
}

/** The chain's end as it was last written; undefined before the first row. */
export async function readAuditHead(tx: Tx): Promise<{ seq: number; hash: Uint8Array } | undefined> {
  const [row] = await tx.sql<{ seq: number; hash: Uint8Array }[]>`
    select seq::float8 as seq, hash from svc_audit_head where workspace_id = ${tx.workspaceId} and seq > 0`;
  return row;
}

/** Hashes of the rows `from` to `to` (exclusive, both numbered from 0), in order. */
export async function readAuditHashes(tx: Tx, from: number, to: number): Promise<Uint8Array[]> {
  const rows = await tx.sql<{ hash: Uint8Array }[]>`
    select hash from svc_audit_log
     where workspace_id = ${tx.workspaceId} and seq > ${from} and seq <= ${to}
     order by seq`;
  return rows.map((row) => row.hash);
}

/** The tree's nodes over whole blocks `from` to `to` (exclusive), as far as they are stored. */
export async function readAuditNodes(tx: Tx, from: number, to: number): Promise<{ block: number; hash: Uint8Array }[]> {
  return await tx.sql<{ block: number; hash: Uint8Array }[]>`
    select block::float8 as block, hash from svc_audit_node
     where workspace_id = ${tx.workspaceId} and block >= ${from} and block < ${to}`;
}

export async function insertAuditNode(tx: Tx, block: number, hash: Uint8Array): Promise<void> {
  await tx.sql`
    insert into svc_audit_node (workspace_id, block, hash) values (${tx.workspaceId}, ${block}, ${hash})
    on conflict do nothing`;
}

export interface CheckpointRow {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  readonly createdAt: Date;
}

/** The latest checkpoint; undefined when there is none. */
export async function readLastCheckpoint(tx: Tx): Promise<CheckpointRow | undefined> {
  const [row] = await tx.sql<CheckpointRow[]>`
    select size::float8 as size, root, note, created_at as "createdAt" from svc_audit_checkpoint
     where workspace_id = ${tx.workspaceId} order by size desc limit 1`;
  return row;
}

/** The checkpoints over `from` to `to` rows, the smallest first: no more than there are sizes between them. */
export async function listCheckpoints(tx: Tx, from: number, to: number): Promise<CheckpointRow[]> {
  return await tx.sql<CheckpointRow[]>`
    select size::float8 as size, root, note, created_at as "createdAt" from svc_audit_checkpoint
     where workspace_id = ${tx.workspaceId} and size between ${from} and ${to} order by size`;
}

/** Inserts a checkpoint; false if another process has made the same one. */
export async function insertCheckpoint(tx: Tx, row: CheckpointRow): Promise<boolean> {
  const rows = await tx.sql`
    insert into svc_audit_checkpoint (workspace_id, size, root, note, created_at)
    values (${tx.workspaceId}, ${row.size}, ${row.root}, ${row.note}, ${row.createdAt})
    on conflict do nothing returning 1`;
  return rows.length > 0;
}

/** The time of the oldest address of a caller; undefined if none is kept. */
export async function readOldestAddress(tx: Tx): Promise<Date | undefined> {
  const [row] = await tx.sql<{ at: Date | null }[]>`
    select min(created_at) as at from svc_audit_address where workspace_id = ${tx.workspaceId}`;
  return row?.at ?? undefined;
}

/** Deletes addresses of callers; returns how many. */
export async function deleteAuditAddresses(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from svc_audit_address
     where workspace_id = ${tx.workspaceId} and seq in (
       select seq from svc_audit_address where workspace_id = ${tx.workspaceId} and created_at < ${before}
        order by created_at limit ${limit})
    returning 1`;
  return rows.length;
}
