/** Waits for a condition, with a deadline: tests never just sleep for a time. */

/**
 * How long a test waits for something that is to happen, in milliseconds: far longer than it takes on a machine with
 * much other work. It never measures how fast something is.
 */
export const WAIT_MS = 1_000 * Number(Deno.env.get("SVC_TEST_WAIT_SECONDS") ?? 180);

export interface WaitOptions {
  /** Fails when the condition does not hold by then. Default `WAIT_MS`. */
  readonly deadlineMs?: number;
  /** Pause between two checks. */
  readonly everyMs?: number;
}

/**
 * Calls `look` again and again until it returns something other than `undefined` or `false`.
 * @throws Error naming `what`, with the last error of `look`, when the deadline is over
 */
export async function waitFor<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { deadlineMs = WAIT_MS, everyMs = 20 }: WaitOptions = {},
): Promise<T> {
  const expiresAt = performance.now() + deadlineMs;
  let cause: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= expiresAt) throw new Error(`${what}: not within ${deadlineMs} ms`, { cause });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/**
 * Returns the value of a promise, or throws an error that names `what` after the deadline: for events that would never
 * happen if a defence were lost. Default: a third of `WAIT_MS`.
 */
export async function within<T>(what: string, promise: Promise<T>, deadlineMs = WAIT_MS / 3): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
