/** How the client calls the service over HTTP: addresses, retries, time limits. */
import { readRefusal, SvcError } from "./error.ts";
import { type Limit, startLimit } from "./limit.ts";
import { buildRequest, type Input, type Options } from "./request.ts";

/** How an operation is asked for. */
export interface Route {
  readonly method: string;
  /** From the root of the service, with `{name}` for members of the path. */
  readonly path: string;
  /** `flat`: the members that are in no other place; `json`: the member `body`; otherwise the media type of `file`. */
  readonly body?: string;
  /** The members of the query, where there is a body; without one, all that are not in the path. */
  readonly query?: readonly string[];
  /** The headers that it takes; each is an option. */
  readonly headers?: readonly string[];
  /** What comes back instead of JSON. */
  readonly reply?: "text" | "stream";
  /** Whether it is a list in pages, with `cursor`, `data` and `nextCursor`. */
  readonly pages?: true;
}

/** What every call takes as options; set at the client for all its calls. */
export interface CallDefaults {
  /**
   * Longest that a call takes with all its tries, in milliseconds; Infinity: no limit. Of a reply that is a stream, the time
   * until it begins.
   * @default 30000
   */
  readonly timeoutMs?: number;
  /**
   * How often a call is repeated when the connection fails or the service says that it may succeed later, 0 to 10. A
   * repetition has the same Idempotency-Key, so that what is asked for happens once.
   * @default 3
   */
  readonly retries?: number;
}

/** The way to the service. */
export interface Target extends Required<CallDefaults> {
  /** Without a slash at the end. */
  readonly origin: string;
  /** What every request has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** What of the two is given, otherwise the default. @throws TypeError for what cannot be, naming `what` cannot be done */
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

/** Calls an operation; repeats the call as far as it may. @throws SvcError; the signal's reason when it is aborted */
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

/** How long to wait before the next try, in milliseconds; throws the error where there is no further try. */
function waitFor(error: unknown, tried: number, retries: number, limit: Limit): number {
  limit.signal.throwIfAborted();
  if (!(error instanceof SvcError) || !error.retryable || tried >= retries) throw error;
  return Math.max(error.retryAfterMs ?? 0, backoff(tried));
}

/** A random part keeps clients that failed together from coming back together. */
export function backoff(tried: number): number {
  return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** tried) * (0.5 + Math.random() / 2);
}
