/**
 * The failures of an inference provider.
 *
 * To a caller of the API each is `unavailable`; the `reason` is for the code that decides what to do next (store the
 * item without an embedding, recall without the semantic arm, summarise by rules) and for logs. Neither a message nor
 * a cause ever holds an API key, a URL, a reply's body or a text that was sent.
 */
import { ServiceError } from "../errors.ts";

export type ProviderFailure =
  /** There was no connection, or it broke before the reply was complete. */
  | "unreachable"
  /** The deadline of a call passed. */
  | "timeout"
  /** The caller's signal was aborted for a reason other than a timeout. */
  | "aborted"
  /** Earlier calls failed, so this one was not tried. */
  | "circuit_open"
  | "rate_limited"
  | "server_error"
  /** 401 or 403. */
  | "unauthorised"
  /** 400, 413 or 422: the endpoint works but refuses this input. */
  | "rejected"
  /** Any other status that is not a success, such as 404. */
  | "unexpected_status"
  | "redirected"
  | "too_large"
  /** The reply is no JSON or has another shape. */
  | "malformed"
  | "wrong_count"
  | "wrong_dimension"
  | "not_finite"
  | "zero_vector"
  /** A generated text reached its limit before its end. */
  | "cut_off"
  /** A language model declined to answer. */
  | "refused"
  /** The configuration switches it off. */
  | "off"
  /** A file of the sentence encoder is missing or not the one that it should be. */
  | "damaged"
  /** This platform has no library for the sentence encoder. */
  | "unsupported";

export interface ProviderErrorOptions {
  /** How long the endpoint asked not to be called, if it did. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A provider could not do its work. HTTP 503 `unavailable` if it ever reaches a caller. */
export class ProviderError extends ServiceError {
  readonly reason: ProviderFailure;
  readonly retryAfterMs: number | undefined;

  constructor(reason: ProviderFailure, message: string, options: ProviderErrorOptions = {}) {
    super("unavailable", message, { headers: { "retry-after": "5" }, cause: options.cause });
    this.name = "ProviderError";
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Texts could not be embedded. */
export class EmbeddingError extends ProviderError {
  override readonly name = "EmbeddingError";
}

/** A text could not be generated. */
export class GenerationError extends ProviderError {
  override readonly name = "GenerationError";
}

/** The class of error that a client throws. */
export type ProviderErrorClass = typeof EmbeddingError | typeof GenerationError;
