/** How the client calls the service over HTTP: addresses, retries, time limits. */
import { readRefusal, SvcError } from "./error.ts";
import { type Limit, startLimit } from "./limit.ts";
import { buildRequest, type Input, type Options } from "./request.ts";
import type { CallDefaults, Route, Target } from "./route.ts";

/** Fills in defaults for absent limits. @throws TypeError for an impossible limit, naming `what` cannot be done */
export function readDefaults(
  what: string,
  { timeoutMs, retries }: CallDefaults,
  defaults: Required<CallDefaults>,
): Required<CallDefaults> {
  const read = { timeoutMs: timeoutMs ?? defaults.timeoutMs, retries: retries ?? defaults.retries };
  if (!(read.timeoutMs > 0)) throw new TypeError(`Cannot ${what}: timeoutMs is not above 0`);
  if (!(Number.isInteger(read.retries) && read.retries >= 0 && read.retries <= RETRIES_MAX)) {
    throw new TypeError(`Cannot ${what}: retries is not 0 to ${RETRIES_MAX}`);
  }
  return read;
}

const RETRIES_MAX = 10;
const BACKOFF_MS = 250;
const BACKOFF_MAX_MS = 8_000;

/** Calls an operation; repeats the call as often as it may. @throws SvcError; the signal's reason when it is aborted */
export async function call(target: Target, id: string, route: Route, input: Input, options: Options): Promise<unknown> {
  const { url, init } = buildRequest(target, id, route, input, options);
  const { timeoutMs, retries } = readDefaults(`call ${id}`, options as CallDefaults, target);
  const limit = startLimit(id, timeoutMs, options["signal"]);
  let isStream = false;
  try {
    for (let tried = 0;; tried++) {
      try {
        const reply = await send(target, id, route, url, { ...init, signal: limit.signal });
        isStream = route.reply === "stream";
        return reply;
      } catch (error) {
        await limit.pause(waitFor(error, tried, retries, limit), error);
      }
    }
  } finally {
    limit.end(isStream);
  }
}

async function send(target: Target, id: string, route: Route, url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  let text = "";
  try {
    response = await target.fetch(url, init);
    if (response.ok && route.reply === "stream") return response.body ?? new Blob().stream();
    text = await response.text();
  } catch (cause) {
    // The service refused what the call needs first: the token of a tenant.
    if (cause instanceof SvcError) throw cause;
    const place = `${init.method} ${url.split("?")[0]}`;
    throw new SvcError("connection_failed", `Cannot call ${id}: the connection failed (${place})`, {
      ...{ cause, retryable: true },
    });
  }
  if (!response.ok) throw readRefusal(id, response, text);
  if (route.reply === "text") return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `Cannot call ${id}: something other than the service answered, with no JSON`;
    throw new SvcError("bad_reply", message, { cause, status: response.status });
  }
}

/** How long to wait before the next try, in milliseconds; throws the error if there is no further try. */
function waitFor(error: unknown, tried: number, retries: number, limit: Limit): number {
  limit.signal.throwIfAborted();
  if (!(error instanceof SvcError) || !error.retryable || tried >= retries) throw error;
  return Math.max(error.retryAfterMs ?? 0, backoff(tried));
}

/** A random part keeps clients that failed together from retrying together. */
export function backoff(tried: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** tried) * (0.5 + Math.random() / 2);
}
