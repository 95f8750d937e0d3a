/** The errors of transactions, and the errors that callers get for them. */
import { ServiceError } from "../errors.ts";
import { errorCode, isConnectionError } from "./pool.ts";

/** Serialization failures and deadlocks: the database undid everything, so the same work can be tried again. */
export const UNDONE = new Set(["40001", "40P01"]);
/** Classes of SQLSTATE that say what the server cannot do now, whatever is asked. The request is not at fault. */
const INCAPABLE: Readonly<Record<string, string>> = {
  "08": "the connection to it failed",
  "53": "it has run out of resources",
  "55": "it is not in the state that this needs",
  "57": "its operator has stopped it",
  "58": "it cannot read or write its files",
};
/** `read_only_sql_transaction`: a standby, or a database that was made read-only. */
const READ_ONLY = "25006";
/** `lock_not_available`: the wait for a lock took longer than the transaction allows. */
export const LOCK_TIMEOUT = "55P03";
/** The error code for a transaction that did not finish by its deadline. */
export const DEADLINE = "SVC_DEADLINE";
/** The database is one of several clusters. Another one serves the workspace, or is about to. Nothing was done. */
export const UNSERVED = "SVC10";
/** The replica has not replayed everything that the read must see. */
export const REPLICA_BEHIND = "SVC11";
/** The server is no replica any more: it was promoted. */
export const REPLICA_PROMOTED = "SVC12";
/** The replica follows another server than the primary, or is read by another role. */
export const REPLICA_FOREIGN = "SVC13";
/** The transaction had not begun, so it changed nothing; `again`: it can be tried on another pool. */
export class NotBegun extends Error {
  constructor(cause: unknown, readonly again: boolean) {
    super("the transaction did not begin", { cause });
  }
}

/**
 * Converts an error of the driver to the error that a caller may see.
 * @param isReadOnly whether the transaction asked not to write, so that a write in it is a mistake of this program
 */
export function toServiceError(error: unknown, isReadOnly = false): unknown {
  const cause = error instanceof NotBegun ? error.cause : error;
  const code = errorCode(cause) ?? "";
  if (error instanceof NotBegun && code === DEADLINE) {
    return unavailable("Cannot use the database: no connection became free in time", cause);
  }
  if (code === DEADLINE || code === "57014") {
    return new ServiceError("deadline_exceeded", "Cannot finish the request: the database took too long", { cause });
  }
  if (isConnectionError(cause)) return unavailable("Cannot reach the database", cause);
  if (code === LOCK_TIMEOUT) return unavailable("Cannot finish the request: others hold a lock that it needs", cause);
  if (code === READ_ONLY && !isReadOnly) return unavailable("Cannot write: the database takes no writes now", cause);
  const incapable = isSqlState(code) ? INCAPABLE[code.slice(0, 2)] : undefined;
  if (incapable !== undefined) return unavailable(`Cannot use the database: ${incapable}`, cause);
  // Whatever the server refuses a connection for, it is no fault of the request that needed one.
  if (error instanceof NotBegun && isSqlState(code)) {
    return unavailable("Cannot use the database: it refuses the connection", cause);
  }
  if (UNDONE.has(code)) {
    return unavailable("Cannot finish the request: others changed the same rows all the time", cause);
  }
  return cause;
}

function isSqlState(code: string): boolean {
  return /^[0-9][0-9A-Z]{4}$/.test(code);
}

/** The database cannot serve now; the same request may succeed a moment later. */
export function unavailable(message: string, cause: unknown): ServiceError {
  return new ServiceError("unavailable", message, { cause });
}
