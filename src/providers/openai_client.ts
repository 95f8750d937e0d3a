/**
 * The HTTP side of OpenAI-compatible endpoints: one JSON POST with a deadline, bounded retries and a bounded reply.
 *
 * The endpoint is the operator's choice but not trusted: redirects are refused (they would carry the key elsewhere),
 * the reply's size is bounded while it is read, and nothing of a reply's body reaches an error.
 */
import { ServiceError } from "../errors.ts";
import type { CircuitBreaker } from "../circuit_breaker.ts";
import type { CountTokens } from "./embeddings.ts";
import type { ProviderError, ProviderErrorClass, ProviderFailure } from "./provider_error.ts";

export interface OpenAiClientOptions {
  /** Base URL (`https://host/v1`) or the full URL of the operation; its query string is kept. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  /** The wait before the second attempt, in milliseconds, doubled for each further one; default 250. */
  readonly backoffMs?: number | undefined;
  /** The client waits for no `Retry-After` longer than this, in milliseconds, but hands it to its caller; default 10,000. */
  readonly retryAfterMsMax?: number | undefined;
}

/** Options of every provider behind such an endpoint; each adds its own limits on time and attempts. */
export interface OpenAiProviderOptions extends OpenAiClientOptions {
  readonly model: string;
  /** How long a circuit stays open at first, in milliseconds. */
  readonly cooldownMs?: number | undefined;
  readonly onTokens?: CountTokens | undefined;
}

export interface PostOptions {
  readonly timeoutMs: number;
  readonly attemptsMax: number;
  readonly replyBytesMax: number;
  readonly breaker: CircuitBreaker;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a call: a reply, or a refusal of the input, to which the caller may react with another request. */
export type PostReply<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "rejected"; readonly status: number; readonly body: string };

const REJECTED_BODY_BYTES_MAX = 16_384;
const RETRIED: ReadonlySet<ProviderFailure> = new Set(["unreachable", "timeout", "rate_limited", "server_error"]);

export class OpenAiClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #failure: ProviderErrorClass;
  readonly #backoffMs: number;
  readonly #retryAfterMsMax: number;

  /** @throws ServiceError `validation_failed` when the URL or the key cannot be used; neither is shown. */
  constructor(operation: "embeddings" | "chat/completions", failure: ProviderErrorClass, options: OpenAiClientOptions) {
    this.#url = resolveUrl(options.url, operation);
    this.#headers = {
      "content-type": "application/json",
      "accept": "application/json",
      ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${checkKey(options.apiKey)}` }),
    };
    this.#failure = failure;
    this.#backoffMs = options.backoffMs ?? 250;
    this.#retryAfterMsMax = options.retryAfterMsMax ?? 10_000;
  }

  /**
   * Posts a body and validates the reply with `parse`, whose own `ProviderError` counts as a failure of the endpoint.
   * @throws ProviderError of the client's class.
   */
  async post<T>(body: unknown, parse: (reply: unknown) => T, options: PostOptions): Promise<PostReply<T>> {
    const payload = JSON.stringify(body);
    for (let attempt = 1;; attempt++) {
      const leave = options.breaker.enter();
      if (leave === null) throw new this.#failure("circuit_open", "Cannot call the endpoint: its circuit is open");
      try {
        const reply = await this.#attempt(payload, options);
        const result = reply.kind === "ok" ? { kind: reply.kind, value: parse(this.#parseJson(reply.value)) } : reply;
        leave({ kind: result.kind === "ok" ? "ok" : "unknown" });
        return result;
      } catch (error) {
        if (!(error instanceof this.#failure)) {
          leave({ kind: "unknown" });
          throw error;
        }
        const patient = (error.retryAfterMs ?? 0) <= this.#retryAfterMsMax;
        leave(outcomeOf(error, patient));
        const last = attempt >= options.attemptsMax || !RETRIED.has(error.reason) || !patient || options.breaker.open;
        if (last || options.signal?.aborted) throw error;
        await this.#wait(attempt, error.retryAfterMs ?? 0, options.signal);
      }
    }
  }

  async #attempt(payload: string, options: PostOptions): Promise<PostReply<string>> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), options.timeoutMs);
    const signal = options.signal ? AbortSignal.any([deadline.signal, options.signal]) : deadline.signal;
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: payload,
        redirect: "manual",
        signal,
      });
      const { status } = response;
      if (status === 400 || status === 413 || status === 422) {
        const refusal = await readBounded(response, REJECTED_BODY_BYTES_MAX);
        return { kind: "rejected", status, body: refusal ?? "" };
      }
      if (!response.ok) {
        await response.body?.cancel();
        throw this.#statusError(status, response.headers.get("retry-after"));
      }
      const text = await readBounded(response, options.replyBytesMax);
      if (text === null) {
        throw new this.#failure("too_large", `Cannot read the reply: it is over ${options.replyBytesMax} bytes`);
      }
      return { kind: "ok", value: text };
    } catch (error) {
      if (error instanceof this.#failure) throw error;
      throw this.#transportError(deadline.signal, options);
    } finally {
      clearTimeout(timer);
    }
  }

  #parseJson(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // Some servers write NaN and Infinity, which JSON does not have.
      if (/[[,:]\s*-?(?:NaN|Infinity)\b/.test(text)) {
        throw new this.#failure("not_finite", "Cannot read the reply: it holds NaN or Infinity");
      }
      throw new this.#failure("malformed", "Cannot read the reply: it is not JSON");
    }
  }

  #statusError(status: number, retryAfter: string | null): ProviderError {
    const reason = status === 429
      ? "rate_limited"
      : status >= 500
      ? "server_error"
      : status >= 300 && status < 400
      ? "redirected"
      : status === 401 || status === 403
      ? "unauthorised"
      : "unexpected_status";
    const retryAfterMs = status === 429 || status >= 500 ? readRetryAfter(retryAfter) : undefined;
    return new this.#failure(reason, `Cannot use the reply: its status is ${status}`, { retryAfterMs });
  }

  /** A transport's own error may hold the URL or a header, so it is neither shown nor kept as the cause. */
  #transportError(deadline: AbortSignal, options: PostOptions): ProviderError {
    if (options.signal?.aborted) return this.#abortError(options.signal);
    if (deadline.aborted) {
      return new this.#failure("timeout", `Cannot call the endpoint: no reply within ${options.timeoutMs} ms`);
    }
    return new this.#failure("unreachable", "Cannot call the endpoint: the connection failed");
  }

  #abortError(signal: AbortSignal): ProviderError {
    const timedOut = signal.reason instanceof DOMException && signal.reason.name === "TimeoutError";
    return timedOut
      ? new this.#failure("timeout", "Cannot call the endpoint: the caller's deadline passed")
      : new this.#failure("aborted", "Cannot call the endpoint: the call was aborted");
  }

  /** Exponential backoff with full jitter, at least as long as the endpoint asked for. */
  #wait(attempt: number, retryAfterMs: number, signal: AbortSignal | undefined): Promise<void> {
    const delayMs = retryAfterMs + Math.random() * this.#backoffMs * 2 ** (attempt - 1);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(this.#abortError(signal!));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, delayMs);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}

/** Failures that tell nothing about the endpoint's health. */
const NEUTRAL: ReadonlySet<ProviderFailure> = new Set(["aborted", "cut_off", "refused"]);

/** A `Retry-After` opens the circuit by itself only if it is not waited for here. */
function outcomeOf(error: ProviderError, patient: boolean) {
  if (NEUTRAL.has(error.reason)) return { kind: "unknown" } as const;
  return { kind: "failed", retryAfterMs: patient ? undefined : error.retryAfterMs } as const;
}

/** The operation's URL; one with a password is refused, because the password would appear in logs. */
function resolveUrl(base: string, operation: string): string {
  const url = URL.parse(base);
  const fault = url === null || (url.protocol !== "http:" && url.protocol !== "https:")
    ? "it is not an http or https URL"
    : url.username !== "" || url.password !== ""
    ? "it holds credentials"
    : undefined;
  if (url === null || fault !== undefined) {
    throw new ServiceError("validation_failed", `Cannot use the URL of the ${operation} endpoint: ${fault}`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(`/${operation}`) ? path : `${path}/${operation}`;
  url.hash = "";
  return url.href;
}

/** A key that no header can carry would be printed by the HTTP client's own error. */
function checkKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ServiceError("validation_failed", "Cannot use the API key: it holds characters outside visible ASCII");
}

/** `Retry-After` in seconds or as an HTTP date; undefined when absent or unreadable. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** The body as text, or null as soon as it exceeds the limit. */
async function readBounded(response: Response, bytesMax: number): Promise<string | null> {
  if (Number(response.headers.get("content-length") ?? 0) > bytesMax) {
    await response.body?.cancel();
    return null;
  }
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream and with it the connection.
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(whole);
}
