/** Workers give way to requests: they wait for a lock for a second and come back later. */
import { errorCode } from "../../db/pool.ts";
import { LOCK_TIMEOUT } from "../../db/database_fault.ts";
import { ServiceError } from "../../errors.ts";

/** The longest time that a worker waits for any one lock, in milliseconds. */
export const WORKER_LOCK_TIMEOUT_MS = 1_000;

/** Whether work was undone because somebody else held a lock for too long; the worker can repeat it later. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof ServiceError && errorCode(error.cause) === LOCK_TIMEOUT;
}
