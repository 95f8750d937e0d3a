/** The handle of a transaction, which refuses every use once its transaction is lost. */
import type postgres from "postgres";
import { isConnectionError } from "./pool.ts";
import type { Sql } from "./tx.ts";

export interface TransactionState {
  /** `queued` until a connection is free, `abandoned` once the caller has its answer. */
  phase: "queued" | "running" | "abandoned";
  lost?: { readonly error: unknown };
  /** The driver could not continue the transaction. */
  failed?: true;
  /** Marks the transaction as lost and has its pool replaced. */
  readonly lose: (error: unknown) => void;
  /** Does the same, and rejects the caller's promise immediately. */
  readonly fail: (error: unknown) => void;
}

/**
 * The functions in a driver's statement object, which the driver calls to send the statement and to report its failure.
 */
interface DriverQuery {
  handler: (query: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Wraps a transaction handle so that nothing built with it is sent once its transaction is lost. A statement can always be
 * built and is refused when it is awaited: if building it threw, `Promise.all([read(tx), tx.sql…])` would never take up the
 * promise before it, whose error would then end the process.
 */
export function guardHandle(raw: postgres.TransactionSql, state: TransactionState): Sql {
  return new Proxy(raw, {
    apply(target, self, args) {
      return guardQuery(Reflect.apply(target as unknown as (...args: unknown[]) => unknown, self, args), state);
    },
    get(target, name) {
      if (name === "json") return Reflect.get(target, name);
      if (name === "unsafe") {
        return (...args: Parameters<typeof target.unsafe>) => guardQuery(target.unsafe(...args), state);
      }
      // A savepoint's ROLLBACK TO is the driver's own and cannot be held back when the connection has died.
      throw new TypeError(
        `Cannot use ${String(name)} of a transaction: only statements are guarded, arrays go as they are`,
      );
    },
  });
}

/**
 * The driver sends a statement when it is first awaited, some time after it was built, so sending is guarded too. The
 * handle marks the transaction as lost before it rejects the statement, so that a caller that swallows the error cannot send
 * another one.
 */
function guardQuery<T>(made: T, state: TransactionState): T {
  if (!(made instanceof Promise)) return made;
  const query = made as unknown as DriverQuery;
  const { handler, reject } = query;
  query.handler = (self) => {
    if (state.lost) return reject(state.lost.error);
    handler(self);
  };
  query.reject = (error) => {
    if (isConnectionError(error)) state.lose(error);
    else if (isDriversOwn(error)) state.fail(error);
    reject(error);
  };
  return made;
}

/**
 * Whether the driver itself refused a statement, such as for a value that it cannot send. When another one is under way on
 * the connection, postgres.js 3.4.9 rejects that one instead, never settles the refused one, and from then on takes each
 * answer for that of the statement before: the connection cannot be used any more.
 */
function isDriversOwn(error: unknown): boolean {
  return error instanceof Error && error.name !== "PostgresError" && !isConnectionError(error);
}
