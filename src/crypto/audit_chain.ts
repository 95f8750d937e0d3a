/** The hash chain of the audit log: `hash = SHA-256(prevHash || canonical JSON of the row)`. */
import { hash, randomBytes } from "node:crypto";
import { canonicalJson } from "./canonical_json.ts";

/** A row as the chain covers it, in the interface's names. Times are RFC 3339 with milliseconds. */
export interface AuditRecord {
  readonly workspace_id: string;
  /** From 1 without gaps. */
  readonly seq: number;
  readonly id: string;
  readonly actor_id: string;
  readonly actor_type: string;
  readonly event_type: string;
  readonly outcome: string;
  readonly request_id: string;
  readonly targets: readonly string[];
  readonly target_count: number;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  /** SHA-256 of salt and address in hex, or null. */
  readonly ip_commitment: string | null;
}

/** The hash before the first row: 32 zero bytes. */
export const CHAIN_START: Uint8Array = new Uint8Array(32);

/** The hash of a row, 32 bytes. */
export function hashAuditRecord(previous: Uint8Array, record: AuditRecord): Uint8Array {
  return sha256Of(previous, auditRecordText(record));
}

/**
 * The canonical JSON of a row. Every read makes one, so simple rows are written directly in the canonical order.
 * @throws ServiceError `validation_failed` when the row has no canonical form
 */
export function auditRecordText(record: AuditRecord): string {
  if (Object.keys(record.detail).length > 0) return canonicalJson(record);
  const text = JSON.stringify({
    actor_id: record.actor_id,
    actor_type: record.actor_type,
    created_at: record.created_at,
    detail: record.detail,
    event_type: record.event_type,
    id: record.id,
    ip_commitment: record.ip_commitment,
    outcome: record.outcome,
    request_id: record.request_id,
    seq: record.seq,
    target_count: record.target_count,
    targets: record.targets,
    workspace_id: record.workspace_id,
  });
  // JSON escapes only a lone surrogate in this way, which has no canonical form.
  return text.includes("\\ud") ? canonicalJson(record) : text;
}

/**
 * Splits the canonical JSON of a row in two, before and after the sequence number, which only the database knows.
 * @throws ServiceError `validation_failed` when the row has no canonical form
 */
export function splitAuditRecord(
  record: Omit<AuditRecord, "seq">,
): { readonly before: string; readonly after: string } {
  const text = auditRecordText({ ...record, seq: 0 });
  // The members after `seq` are a number and ids, so the last match is the member itself.
  const at = text.lastIndexOf(SEQ_MEMBER) + SEQ_MEMBER.length;
  return { before: text.slice(0, at), after: text.slice(at + 1) };
}

const SEQ_MEMBER = '"seq":';

const encoder = new TextEncoder();
/** Room for a row of a hundred targets; a longer one gets its own. */
const scratch = new Uint8Array(16_384);

/** SHA-256 of bytes followed by a text, in one call, because at this size the calls cost most. */
function sha256Of(start: Uint8Array, text: string): Uint8Array {
  const most = start.length + 3 * text.length;
  const bytes = most <= scratch.length ? scratch : new Uint8Array(most);
  bytes.set(start);
  const { written } = encoder.encodeInto(text, bytes.subarray(start.length));
  return Uint8Array.fromHex(hash("sha256", bytes.subarray(0, start.length + written), "hex"));
}

/** An address with the salt that its commitment needs. */
export interface CommittedAddress {
  readonly commitment: string;
  readonly salt: Uint8Array;
}

/** Commits to an address, so that the chain stays valid when the address is forgotten. */
export function commitToAddress(address: string, salt: Uint8Array = randomBytes(16)): CommittedAddress {
  return { salt, commitment: sha256Of(salt, address).toHex() };
}
