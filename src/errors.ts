/**
 * The one error class of the service and the table of its codes.
 *
 * A code is stable and part of the interface; a message is for people. Every refusal that a
 * caller may see is a `ServiceError`; anything else that is thrown becomes `internal` and reveals nothing but its
 * request id.
 */

/** Connect's own code names, as they travel in its error JSON. */
export type ConnectCodeName =
  | "invalid_argument"
  | "unauthenticated"
  | "permission_denied"
  | "failed_precondition"
  | "not_found"
  | "unimplemented"
  | "already_exists"
  | "aborted"
  | "resource_exhausted"
  | "internal"
  | "unavailable"
  | "deadline_exceeded";

interface CodeEntry {
  readonly status: number;
  readonly connect: ConnectCodeName;
  readonly title: string;
  /** Whether the same request may succeed later without a change. */
  readonly retryable?: true;
}

/** Every error code: its HTTP status, its Connect code and its RFC 9457 title. */
export const ERROR_CODES = {
  invalid_request: { status: 400, connect: "invalid_argument", title: "Invalid request" },
  unauthenticated: { status: 401, connect: "unauthenticated", title: "Not authenticated" },
  federation_token_invalid: { status: 401, connect: "unauthenticated", title: "Federation token invalid" },
  replay_detected: { status: 401, connect: "unauthenticated", title: "Replay detected" },
  totp_invalid: { status: 401, connect: "unauthenticated", title: "One-time code invalid" },
  insufficient_scope: { status: 403, connect: "permission_denied", title: "Insufficient scope" },
  origin_not_allowed: { status: 403, connect: "permission_denied", title: "Origin not allowed" },
  ip_not_allowed: { status: 403, connect: "permission_denied", title: "Address not allowed" },
  wrong_region: { status: 403, connect: "failed_precondition", title: "Wrong region" },
  workspace_suspended: { status: 403, connect: "permission_denied", title: "Workspace suspended" },
  break_glass_required: { status: 403, connect: "permission_denied", title: "Break-glass grant required" },
  self_approval: { status: 403, connect: "permission_denied", title: "Own request cannot be approved" },
  not_found: { status: 404, connect: "not_found", title: "Not found" },
  method_not_allowed: { status: 405, connect: "unimplemented", title: "Method not allowed" },
  conflict: { status: 409, connect: "already_exists", title: "Conflict" },
  invalid_transition: { status: 409, connect: "failed_precondition", title: "Invalid transition" },
  gate_closed: { status: 409, connect: "failed_precondition", title: "Gate closed" },
  RESURRECTION_BLOCKED: { status: 409, connect: "failed_precondition", title: "Resurrection blocked" },
  VERSION_JUMP_REJECTED: { status: 409, connect: "failed_precondition", title: "Version jump rejected" },
  idempotency_in_progress: { status: 409, connect: "aborted", title: "Request still running", retryable: true },
  erased: { status: 410, connect: "not_found", title: "Erased" },
  version_mismatch: { status: 412, connect: "aborted", title: "Version mismatch" },
  payload_too_large: { status: 413, connect: "resource_exhausted", title: "Payload too large" },
  unsupported_media_type: { status: 415, connect: "unimplemented", title: "Unsupported media type" },
  validation_failed: { status: 422, connect: "invalid_argument", title: "Validation failed" },
  idempotency_key_reused: { status: 422, connect: "invalid_argument", title: "Idempotency key reused" },
  federation_verify_failed: { status: 422, connect: "invalid_argument", title: "Federation signature invalid" },
  federation_decrypt_failed: { status: 422, connect: "invalid_argument", title: "Federation item cannot be opened" },
  rate_limited: { status: 429, connect: "resource_exhausted", title: "Rate limited", retryable: true },
  internal: { status: 500, connect: "internal", title: "Internal error" },
  unavailable: { status: 503, connect: "unavailable", title: "Unavailable", retryable: true },
  deadline_exceeded: { status: 504, connect: "deadline_exceeded", title: "Deadline exceeded", retryable: true },
} as const satisfies Record<string, CodeEntry>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One thing wrong with a request; `path` is dotted (`filters.AND.0.tags`), empty for the body as a whole. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly errors?: readonly FieldError[];
  /** Members that the reply has besides the common ones, such as `homeRegion`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Reply headers, such as `retry-after`, which is 1 second for `unavailable` by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the caller is at fault; by default the status of the code decides. */
  readonly isCallersFault?: boolean;
}

/** Every 503 tells callers when to try again. */
const RETRY_SOON = { "retry-after": "1" };

/** The end of the message of a 429: people see no headers. */
function sayWhen(headers: ServiceErrorOptions["headers"] = {}): string {
  const seconds = headers["retry-after"];
  return seconds === undefined ? "" : `; try again in ${seconds} ${seconds === "1" ? "second" : "seconds"}`;
}

/** A refusal with a stable code. The message may be shown to the caller: it never holds secrets or SQL. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly isCallersFault: boolean;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(code === "rate_limited" ? message + sayWhen(options.headers) : message, { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.errors = options.errors;
    this.extra = options.extra ?? {};
    this.headers = { ...(code === "unavailable" && RETRY_SOON), ...options.headers };
    this.isCallersFault = options.isCallersFault ?? ERROR_CODES[code].status < 500;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  get retryable(): boolean {
    return "retryable" in ERROR_CODES[this.code];
  }
}
