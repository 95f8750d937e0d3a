/** The one error that the client throws for refusals by the service and faults on the way to it. */
import type { ErrorCode } from "./gen/types.ts";

/**
 * The codes of the service, and those of the client itself: `connection_failed` if no reply came, `timeout` if none
 * came in time, `bad_reply` if something other than the service answered (a proxy, a redirect).
 */
export type SvcErrorCode = ErrorCode | "connection_failed" | "timeout" | "bad_reply";

/** One thing wrong with the input; `path` is dotted (`filters.AND.0.tags`), empty for the input as a whole. */
export interface SvcFieldError {
  readonly path: string;
  readonly message: string;
}

/** The members of an error besides its code and message. */
export interface SvcErrorOptions {
  readonly status?: number;
  readonly retryable?: boolean;
  readonly requestId?: string | undefined;
  readonly errors?: readonly SvcFieldError[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly help?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A call that failed. Decide by `code`, which is stable; `message` is for people. It never holds the key. */
export class SvcError extends Error {
  override readonly name = "SvcError";
  readonly code: SvcErrorCode;
  /** The HTTP status; 0 if there was no reply. */
  readonly status: number;
  /** Whether the same call may succeed later. The client has repeated it already as often as it may. */
  readonly retryable: boolean;
  /** The request's id in the service's logs and audit. */
  readonly requestId: string | undefined;
  /** The faults of the input, member by member. */
  readonly errors: readonly SvcFieldError[];
  /** How long the service asks to wait before the next try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The path, at the service, of the page that says what the code means and what to do. */
  readonly help: string | undefined;
  /** Further members of the reply, such as `homeRegion` of `wrong_region`. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: SvcErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? 0;
    this.retryable = options.retryable ?? false;
    this.requestId = options.requestId;
    this.errors = options.errors ?? [];
    this.retryAfterMs = options.retryAfterMs;
    this.help = options.help;
    this.details = options.details ?? {};
  }
}

const RETRYABLE_STATUS = [429, 502, 503, 504];

/** Returns the error for a refusal; one that is not the service's problem+json is `bad_reply`. */
export function readRefusal(id: string, { status, headers }: Response, text: string): SvcError {
  const retryAfterMs = readRetryAfter(headers.get("retry-after"));
  const problem = parseObject(text);
  if (typeof problem?.["code"] === "string" && typeof problem["message"] === "string") {
    const {
      type: _type,
      title: _title,
      status: _status,
      code,
      message,
      requestId,
      retryable,
      errors,
      help,
      ...details
    } = problem;
    return new SvcError(code as SvcErrorCode, message as string, {
      ...{ status, retryable: retryable === true, retryAfterMs, details },
      requestId: requestId as string | undefined,
      errors: errors as SvcFieldError[] | undefined,
      help: help as string | undefined,
    });
  }
  return new SvcError(
    "bad_reply",
    `Cannot call ${id}: something other than the service answered, with status ${status}`,
    {
      ...{ status, retryable: RETRYABLE_STATUS.includes(status), retryAfterMs },
      requestId: headers.get("x-request-id") ?? undefined,
    },
  );
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or a date. RFC 9110 §10.2.3. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
