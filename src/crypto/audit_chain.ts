/** The hash chain of the audit log. Decisions §2 "Audit": `hash = SHA-256(prevHash || canonical JSON of the row)`. */
import { createHash, randomBytes } from "node:crypto";
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

/** What comes before the first row: 32 zero bytes. */
export const CHAIN_START: Uint8Array = new Uint8Array(32);

/** The hash of a row, 32 bytes. */
export function hashAuditRecord(previous: Uint8Array, record: AuditRecord): Uint8Array {
  return createHash("sha256").update(previous).update(canonicalJson(record)).digest();
}

/** An address with the salt that its commitment needs. */
export interface CommittedAddress {
  readonly commitment: string;
  readonly salt: Uint8Array;
}

/** Commits to an address, so that the chain stays valid when the address is forgotten. */
export function commitToAddress(address: string, salt: Uint8Array = randomBytes(16)): CommittedAddress {
  return { salt, commitment: createHash("sha256").update(salt).update(address).digest("hex") };
}
