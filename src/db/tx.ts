/** The transaction that query functions and capabilities get, and the changes and audit events that it records. */
import type postgres from "postgres";
import type { Sensitivity } from "../schema/common.ts";

/** The driver's handle of a transaction. It takes rows as JSON: readonly, with dates, without an index signature. */
export type Sql = postgres.TransactionSql & { json(value: unknown): postgres.Parameter };

/** The caller's workspace and clearance, which every row-level policy reads as settings, and the actor. */
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
  /**
   * Changes the vocabulary. All changes are written together right before the commit, so the transaction itself does not
   * see them.
   */
  noteWords(change: VocabularyChange): void;
}

export interface TxOptions {
  /** READ ONLY in Postgres; may be run a second time when its connection dies. */
  readonly readOnly?: boolean;
  /** A read-only one may run on a replica, if it has all that was acknowledged before. */
  readonly fromReplica?: boolean;
  readonly deadlineMs?: number;
  /** Longest wait for any one lock, in milliseconds; by default only the deadline bounds it. */
  readonly lockTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal;
  /** The workspace that the transaction is about, on whose cluster it runs. Default: the workspace of the scope. */
  readonly at?: string;
  /** The subject of the audit rows, which the same transaction writes. */
  readonly subject?: AuditSubject;
  /** Called after a commit that wrote to the audit log. */
  readonly onAudited?: () => void;
}

/** A change that an operation records. */
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

/** Words that texts of one sensitivity gained or lost. */
export interface VocabularyChange {
  readonly sensitivity: Sensitivity;
  /** Words of texts that the transaction adds. A word that is already in the vocabulary stays as it is. */
  readonly gained?: readonly string[];
  /** Words of texts that the transaction takes away. A word that another text holds stays in the vocabulary. */
  readonly lost?: readonly string[];
}

/** A change with its place in the workspace's feed. */
export interface RecordedChange extends ChangeInput {
  readonly seq: number;
}

/** An event for the audit log. */
export interface AuditEvent {
  /** `read.<operation>`, `write.<operation>`, or a name of its own such as `api_key.revoked`. */
  readonly eventType: string;
  /** Ids of the resources that were written or shown. */
  readonly targets?: readonly string[];
  /** The number of resources, if `targets` does not list all. */
  readonly targetCount?: number;
  /** `ok` (the default), `ignored`, `broken_off`, or the code of the refusal. */
  readonly outcome?: string;
  /** Small facts about it; never content, never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Workspaces whose chains get the row; default: the transaction's own. */
  readonly chains?: readonly string[];
}

/** The actor and request on whose behalf an audit row is written. */
export interface AuditSubject {
  readonly actor: string;
  /** The admin's name, if the actor is a named admin. */
  readonly adminName?: string | undefined;
  /** The token in the place of a key: its issuer, on whose behalf it was issued, and to which client. */
  readonly token?:
    | { readonly issuer: string; readonly subject: string; readonly client: string | undefined }
    | undefined;
  readonly operationId: string;
  readonly requestId: string;
  readonly address?: string | undefined;
  /** The face by which it came, if the log names it. */
  readonly via?: string | undefined;
}

/** An event with its subject and time. */
export interface AuditEntry extends AuditEvent {
  readonly subject: AuditSubject;
  readonly at: Date;
}
