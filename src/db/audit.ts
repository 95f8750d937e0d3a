/** Appends to the audit log, in the transaction of the change that it records. */
import { CHAIN_START, commitToAddress, hashAuditRecord } from "../crypto/audit_chain.ts";
import { uuidv7 } from "../crypto/ids.ts";
import { LOCK_TIMEOUT, unavailable, UNDONE } from "./database_fault.ts";
import { enterWorkspace } from "./enter_workspace.ts";
import { errorCode, isConnectionError, isLostStatement } from "./pool.ts";
import type { AuditEntry, AuditEvent, AuditSubject, ChangeInput, Tx } from "./tx.ts";

/** More ids than this are counted only. */
export const AUDIT_TARGETS_MAX = 100;
const ACTOR_TYPES: Readonly<Record<string, string>> = {
  key: "key",
  admin: "admin",
  worker: "worker",
  cli: "operator",
  peer: "peer",
};

/** The end of the transaction's chain, locked until it commits. */
interface Head {
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** Locks the chain's end. Sent together with other statements, it costs no round trip of its own. */
export async function lockAuditHead(tx: Tx): Promise<Head> {
  const [row] = await tx.sql<[{ seq: string; hash: Uint8Array }]>`
    insert into svc_audit_head as h (workspace_id, seq, hash) values (${tx.workspaceId}, 0, ${CHAIN_START})
    on conflict (workspace_id) do update set seq = h.seq
    returning seq, hash`;
  return { seq: Number(row.seq), hash: row.hash };
}

/**
 * Appends to the chain of a workspace in a transaction of its own, where that stands in another cluster than `tx`.
 * @returns whether it does
 */
export type ChainElsewhere = (
  tx: Tx,
  chain: string,
  append: (tx: Tx) => Promise<void>,
) => Promise<boolean>;

/**
 * Appends entries to all the chains that they name. The chains are locked in the order of their workspaces' ids, so that
 * two such transactions never wait for each other. A chain of another cluster gets them right before: should this
 * transaction then not commit, it tells of something that was tried, and never is anything done that it does not tell of.
 */
export async function appendToChains(
  tx: Tx,
  entries: readonly AuditEntry[],
  elsewhere?: ChainElsewhere,
): Promise<void> {
  const byChain = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    for (const workspaceId of new Set(entry.chains ?? [tx.workspaceId])) {
      byChain.set(workspaceId, [...byChain.get(workspaceId) ?? [], entry]);
    }
  }
  const append = (workspaceId: string) => async (inner: Tx) =>
    await writeAudit(inner, await lockAuditHead(inner), byChain.get(workspaceId)!);
  const here = [];
  for (const workspaceId of [...byChain.keys()].sort()) {
    if (!await elsewhere?.(tx, workspaceId, append(workspaceId))) here.push(workspaceId);
  }
  for (const workspaceId of here) await enterWorkspace(tx, workspaceId, append(workspaceId));
}

/** Appends entries in their order behind the locked end. */
export async function writeAudit(tx: Tx, head: Head, entries: readonly AuditEntry[]): Promise<void> {
  let { seq, hash } = head;
  const rows = [];
  const addresses = [];
  for (const entry of entries) {
    const { subject, at, targets = [] } = entry;
    const address = subject.address === undefined ? undefined : commitToAddress(subject.address);
    const [type] = subject.actor.split(":");
    const record = {
      workspace_id: tx.workspaceId,
      seq: ++seq,
      id: uuidv7(at),
      actor_id: subject.actor,
      actor_type: ACTOR_TYPES[type] ?? "system",
      event_type: entry.eventType,
      outcome: entry.outcome ?? "ok",
      request_id: subject.requestId,
      targets: targets.slice(0, AUDIT_TARGETS_MAX),
      target_count: entry.targetCount ?? targets.length,
      detail: subject.via === undefined ? entry.detail ?? {} : { ...entry.detail, via: subject.via },
      created_at: at.toISOString(),
      ip_commitment: address?.commitment ?? null,
    };
    hash = hashAuditRecord(hash, record);
    rows.push({ ...record, hash: toBytea(hash) });
    if (address) addresses.push({ seq, ip_address: subject.address, salt: toBytea(address.salt), created_at: at });
  }
  await Promise.all([
    tx.sql`
      insert into svc_audit_log
      select * from jsonb_to_recordset(${tx.sql.json(rows as never)}) as r(
        workspace_id uuid, seq bigint, id uuid, actor_id text, actor_type text, event_type text, outcome text,
        request_id text, targets uuid[], target_count integer, detail jsonb, created_at timestamptz,
        ip_commitment text, hash bytea)`,
    addresses.length > 0 && tx.sql`
      insert into svc_audit_address (workspace_id, seq, ip_address, salt, created_at)
      select ${tx.workspaceId}, * from jsonb_to_recordset(${tx.sql.json(addresses as never)}) as r(
        seq bigint, ip_address text, salt bytea, created_at timestamptz)`,
    tx.sql`
      update svc_audit_head set seq = ${seq}, hash = ${hash} where workspace_id = ${tx.workspaceId}`,
  ]);
}

/** Bytes as Postgres reads them in a text. */
function toBytea(bytes: Uint8Array): string {
  return `\\x${bytes.toHex()}`;
}

/**
 * The audit rows of a transaction: the events that it added, or else one row for the operation with the changed
 * resources.
 */
export function auditEntries(
  subject: AuditSubject | undefined,
  at: Date,
  changes: readonly ChangeInput[],
  events: readonly AuditEvent[],
): AuditEntry[] {
  if (subject === undefined) return [];
  if (events.length > 0) return events.map((event) => ({ ...event, subject, at }));
  if (changes.length === 0) return [];
  const targets = [...new Set(changes.map((change) => change.resourceId))];
  const kinds = [...new Set(changes.map((change) => change.kind))].sort().slice(0, AUDIT_KINDS_MAX);
  return [{ eventType: `write.${subject.operationId}`, targets, detail: { kinds }, subject, at }];
}

const AUDIT_KINDS_MAX = 20;

/**
 * Awaits a write to the audit log. If the write fails, throws, so that the change that it records is rolled back too.
 * @throws ServiceError `unavailable`, or the driver's own error if the transaction can be tried again or timed out
 */
export async function asAudit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (
      isConnectionError(error) || isLostStatement(error) || UNDONE.has(errorCode(error) ?? "") ||
      ["57014", LOCK_TIMEOUT].includes(errorCode(error) ?? "")
    ) {
      throw error;
    }
    throw unavailable("Cannot do it: the audit log cannot be written", error);
  }
}
