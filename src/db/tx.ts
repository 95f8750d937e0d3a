/** A transaction as query functions and capabilities see it, and what it takes with it to the change feed and the audit log. */
import type postgres from "postgres";
import type { Sensitivity } from "../schema/common.ts";

export type Sql = postgres.TransactionSql;

/** Who is asking: the two settings that every row-level policy reads. */
export interface WorkspaceScope {
  readonly workspaceId: string;
  readonly maxSensitivity: Sensitivity;
  /** Recorded as the author of changes, such as `key:<id>` or `worker:<name>`. */
  readonly actor: string;
}

/** An open transaction. Query functions take it first and name its workspace in every statement. */
export interface Tx extends WorkspaceScope {
  readonly sql: Sql;
  /** The time of the operation, the same for all that it writes. */
  readonly now: Date;
  /** Adds a row to the change feed; all are appended in one statement right before the commit. */
  record(change: ChangeInput): void;
  /** Adds a row to the audit log, in place of the one for the operation as a whole. */
  audit(event: AuditEvent): void;
}

export interface TxOptions {
  /** READ ONLY in Postgres; may be run a second time when its connection dies. */
  readonly readOnly?: boolean;
  readonly deadlineMs?: number;
  /** Longest wait for any one lock, in milliseconds; by default only the deadline bounds it. */
  readonly lockTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal;
  /** On whose behalf: the audit log records the changes in the same transaction. */
  readonly subject?: AuditSubject;
  /** Called after a commit that wrote to the audit log. */
  readonly onAudited?: () => void;
}

/** A change as an operation records it. */
export interface ChangeInput {
  /** What happened, such as `fact.created`. */
  readonly kind: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly version: number;
  readonly sensitivity: Sensitivity;
  /** A small reference for readers, never the content itself. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** A change with its place in the workspace's feed. */
export interface RecordedChange extends ChangeInput {
  readonly seq: number;
}

/** What happened. */
export interface AuditEvent {
  /** `read.<operation>`, `write.<operation>`, or a name of its own such as `api_key.revoked`. */
  readonly eventType: string;
  /** Ids of what was written or shown. */
  readonly targets?: readonly string[];
  /** How many there were, where `targets` does not have all. */
  readonly targetCount?: number;
  /** `ok` (the default), `ignored`, `broken_off`, or the code of the refusal. */
  readonly outcome?: string;
  /** Small facts about it; never content, never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Workspaces whose chains get the row; default: the transaction's own. */
  readonly chains?: readonly string[];
}

/** On whose behalf. */
export interface AuditSubject {
  readonly actor: string;
  readonly operationId: string;
  readonly requestId: string;
  readonly address?: string | undefined;
}

/** An event with its subject and time. */
export interface AuditEntry extends AuditEvent {
  readonly subject: AuditSubject;
  readonly at: Date;
}
