/** Appends to the audit log, in the transaction of the change that it records. */
import { commitToAddress, splitAuditRecord } from "../crypto/audit_chain.ts";
import { uuidv7 } from "../crypto/ids.ts";
import type { ServiceError } from "../errors.ts";
import { LOCK_TIMEOUT, unavailable, UNDONE, UNSERVED } from "./database_fault.ts";
import { enterWorkspace } from "./enter_workspace.ts";
import { errorCode, isConnectionError, isLostStatement } from "./pool.ts";
import type { AuditEntry, AuditEvent, AuditSubject, ChangeInput, Tx } from "./tx.ts";

/** More ids than this are counted only. */
export const AUDIT_TARGETS_MAX = 100;
const ACTOR_TYPES: Readonly<Record<string, string>> = {
  key: "key",
  admin: "admin",
  broker: "broker",
  worker: "worker",
  cli: "operator",
  peer: "peer",
};

/**
 * If the chain's workspace is on another cluster than `tx`, appends to the chain in a transaction of its own there.
 * @returns true when it did; false when the chain is on the cluster of `tx`, where the caller has to append
 */
export type ChainElsewhere = (
  tx: Tx,
  chain: string,
  append: (tx: Tx) => Promise<void>,
) => Promise<boolean>;

/**
 * Appends entries to all the chains that they name. The chains are locked in the order of their workspaces' ids,
 * so that two such transactions never wait for each other.
 *
 * A chain on another cluster is written, and committed, before this transaction commits. If this transaction then
 * fails, that chain records something that was only tried; but nothing is ever done that the chain does not record.
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
  const append = (workspaceId: string) => (inner: Tx) => appendAudit(inner, byChain.get(workspaceId)!);
  const here = [];
  for (const workspaceId of [...byChain.keys()].sort()) {
    if (!await elsewhere?.(tx, workspaceId, append(workspaceId))) here.push(workspaceId);
  }
  for (const workspaceId of here) await enterWorkspace(tx, workspaceId, append(workspaceId));
}

/**
 * Appends entries, in their order, to the chain of the transaction's workspace. It takes one statement, which locks the
 * end of the chain until the transaction ends.
 */
export function appendAudit(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  return sendAudit(tx, auditRows(tx.workspaceId, entries));
}

/** Appends rows that `auditRows` made to the audit chain of the transaction's workspace. */
export async function sendAudit(tx: Tx, rows: string): Promise<void> {
  await tx.sql`select append_audit(${rows}::text::jsonb)`;
}

/**
 * Converts entries to the JSON text that `sendAudit` takes.
 * @throws ServiceError `unavailable` when an entry has no canonical form
 */
export function auditRows(workspaceId: string, entries: readonly AuditEntry[]): string {
  try {
    return JSON.stringify(entries.map((entry) => toRow(workspaceId, entry)));
  } catch (error) {
    throw unwritable(error);
  }
}

function toRow(workspaceId: string, { subject, at, targets = [], ...entry }: AuditEntry) {
  const address = subject.address === undefined ? undefined : commitToAddress(subject.address);
  const [type] = subject.actor.split(":");
  const record = {
    workspace_id: workspaceId,
    id: uuidv7(at),
    actor_id: subject.actor,
    actor_type: ACTOR_TYPES[type] ?? "system",
    event_type: entry.eventType,
    outcome: entry.outcome ?? "ok",
    request_id: subject.requestId,
    targets: targets.slice(0, AUDIT_TARGETS_MAX),
    target_count: entry.targetCount ?? targets.length,
    detail: {
      ...entry.detail,
      ...(subject.via !== undefined && { via: subject.via }),
      ...(subject.adminName !== undefined && { [type === "broker" ? "broker" : "admin"]: subject.adminName }),
      ...(subject.token !== undefined && { token: namesOf(subject.token) }),
    },
    created_at: at.toISOString(),
    ip_commitment: address?.commitment ?? null,
  };
  const kept = address && { ip_address: subject.address, salt: toBytea(address.salt) };
  return { ...record, ...splitAuditRecord(record), ...kept };
}

/** What names the holder of a token; the token itself is nowhere. */
function namesOf({ issuer, subject, client }: NonNullable<AuditSubject["token"]>) {
  return { issuer, subject, ...(client !== undefined && { client }) };
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
      ["57014", LOCK_TIMEOUT, UNSERVED].includes(errorCode(error) ?? "")
    ) {
      throw error;
    }
    throw unwritable(error);
  }
}

function unwritable(cause: unknown): ServiceError {
  return unavailable("Cannot do it: the audit log cannot be written", cause);
}
