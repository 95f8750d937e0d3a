/** One call of an RPC, from its admission to its end. */
import { ConnectError, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Deps, OperationContext } from "../context.ts";
import type { OpenStream } from "../domain/feed/open_stream.ts";
import { admit } from "../edge/admit.ts";
import { readIdempotencyKey } from "../edge/idempotency_key.ts";
import { type Observed, toRefusal } from "../edge/observe.ts";
import { ServiceError } from "../errors.ts";
import { checkedBody } from "./body.ts";
import { toConnectError } from "./errors.ts";
import type { RpcHead } from "./head.ts";
import { limitsOf, type Rpc } from "./rpc.ts";
import { auditTrailOf } from "../domain/audit/trail.ts";

/** The longest time for the final message of an ended stream. */
const LAST_WORDS_MS = 2_000;

export class Call {
  /** Whether its head was sent: then the status cannot report later faults. */
  isAnswered = false;
  /** Aborted when the reply's body is to be broken off. */
  readonly cut = new AbortController();
  /** Aborted when the caller has disconnected, or its timeout has passed. */
  readonly signal: AbortSignal;
  readonly #deadline = new AbortController();
  readonly #left = new AbortController();
  /** Aborted when the caller has disconnected, as the request or the reader of the reply reports. */
  readonly #gone: AbortSignal;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #ctx: OperationContext | undefined;
  #stream: OpenStream | undefined;
  #bodyFault: ServiceError | undefined;
  #isCounted = false;

  constructor(
    readonly deps: Deps,
    readonly rpc: Rpc,
    readonly request: Request,
    readonly head: RpcHead,
    readonly observed: Observed,
  ) {
    this.#gone = AbortSignal.any([request.signal, this.#left.signal]);
    this.signal = AbortSignal.any([this.#gone, this.#deadline.signal]);
    // A timeout of 0 is reported when the caller is admitted.
    if (head.timeoutMs) this.#after(head.timeoutMs, () => this.#deadline.abort(late()));
  }

  /** The caller, which is known once the call was admitted. */
  get ctx(): OperationContext {
    return this.#ctx!;
  }

  /** The order of checks up to the body; runs before a byte of the body is read. */
  async admit(): Promise<void> {
    const isStream = this.rpc.kind !== "unary";
    const admission = { ...this.rpc.operation, bodyBytesMax: limitsOf(this.rpc).bytesMax, isStream };
    const { headers, url } = this.request;
    const { fault, timeoutMs } = this.head;
    try {
      const ctx = await admit(this.deps, admission, this.observed, { headers, signal: this.signal, url });
      // A stream's token covers no bytes, because its messages have tokens of their own. `acceptBody` itself records
      // refusals in the audit log.
      await this.observed.acceptBody?.(new Uint8Array());
      this.#ctx = ctx;
      if (fault !== undefined) throw fault;
      if (timeoutMs === 0) throw late();
      const key = readIdempotencyKey(headers);
      if (key !== undefined && this.rpc.writesAsItReads) {
        throw new ServiceError(
          "invalid_request",
          "Cannot accept Idempotency-Key: a stream has many writes; facts are recognised by content, turns by messageId",
        );
      }
    } catch (error) {
      if (this.#ctx !== undefined) this.noteRefused(error);
      throw this.refuse(error);
    }
  }

  /**
   * Ties the call to a stream: if the caller disconnects, the stream ends, and the caller's messages are read until the
   * stream ends. A caller that does not take the final message is cut off.
   */
  follow(stream: OpenStream): void {
    this.#stream = stream;
    const onGone = () => {
      stream.close(this.#deadline.signal.reason);
      stream[Symbol.dispose]();
    };
    this.signal.addEventListener("abort", onGone, { once: true });
    if (this.signal.aborted) onGone();
    const onEnd = () => this.#after(LAST_WORDS_MS, () => this.cut.abort(stream.signal.reason));
    stream.signal.addEventListener("abort", onEnd, { once: true });
    if (stream.signal.aborted) onEnd();
  }

  /** The checked body. It is read only after the call is admitted. */
  async *body(): AsyncGenerator<Uint8Array> {
    const limits = limitsOf(this.rpc);
    const { bodyDeadlineMs } = this.deps.config;
    try {
      yield* checkedBody(this.request, this.rpc.method.input, this.head, {
        ...limits,
        deadlineMs: limits.pauseMs ?? bodyDeadlineMs,
        // One message is read before the stream exists.
        signal: this.#stream?.signal ?? this.signal,
      });
    } catch (error) {
      if (error instanceof ServiceError) this.#bodyFault = error;
      // A refused body never reaches the handler of one request, and a conversation records only messages that it read.
      const isTold = this.rpc.kind === "client_streaming" || error === this.#stream?.signal.reason;
      if (!isTold) this.noteRefused(error);
      throw this.refuse(error);
    }
  }

  /** The error that a handler met while reading: the service's own refusal, if the body was refused. */
  readFault(error: unknown): unknown {
    return this.#bodyFault ?? error;
  }

  /** Records a refusal in the audit log if no handler records it. */
  noteRefused(error: unknown): void {
    auditTrailOf(this.deps).noteRequest(this.ctx, error instanceof ServiceError ? error.code : "internal");
  }

  /** Converts an error to what the library sends. Its own faults keep their codes. */
  refuse(error: unknown): ConnectError {
    if (error instanceof ConnectError) return error;
    const { deps, observed } = this;
    const { reason } = this.#deadline.signal;
    const refusal = toRefusal(deps, observed, reason ?? error, this.#gone);
    // A caller that disconnects is no error; a refusal while the body is read comes here again through its handler.
    if (this.isAnswered && !this.#gone.aborted && !this.#isCounted) {
      this.#isCounted = true;
      deps.telemetry.metrics.countError({ method: observed.method, endpoint: observed.route, type: refusal.code });
    }
    return toConnectError(refusal, observed.requestId);
  }

  /** Notes that nobody reads the reply any more; over HTTP/2 that is the only sign that the caller has disconnected. */
  leave(reason: unknown): void {
    this.#left.abort(reason);
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #after(ms: number, then: () => void): void {
    this.#timers.add(setTimeout(then, ms));
  }
}

function late(): ServiceError {
  const message = "Cannot finish the request: its timeout has passed";
  return new ServiceError("deadline_exceeded", message, { isCallersFault: true });
}

export const CALL = createContextKey<Call | undefined>(undefined);

export function callOf(context: HandlerContext): Call {
  return context.values.get(CALL)!;
}
