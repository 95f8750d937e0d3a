/**
 * The open streams of a process: limits their number, tells them of touched keys, cuts off slow readers, and ends all
 * of them when the service stops. docs/reference/guarantees.md T10, T56, F5, F13.
 */
import type { OperationContext } from "../../context.ts";
import type { Database } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { StreamSizes } from "../../telemetry/metric_sources.ts";
import type { StreamEnd } from "../../telemetry/metrics.ts";
import { ownerName } from "../access/request_load.ts";
import { OpenStream } from "./open_stream.ts";
import { FeedReader } from "./reader.ts";
import { FeedSignals } from "./signals.ts";
import { perService } from "../common/per_service.ts";

export interface StreamsOptions {
  readonly db: Database;
  /** The most streams of this process, and of one key in it. */
  readonly max: number;
  readonly perKeyMax: number;
  readonly stopping: AbortSignal;
  /** Called when a stream has ended. */
  readonly onEnd?: (end: StreamEnd) => void;
}

/** How often readers and keys are checked, in milliseconds. */
const LOOK_MS = 1_000;

/** The open streams of a service. */
export const streamsOf = perService(({ db, config, stopping, telemetry }) => {
  const onEnd = (end: StreamEnd) => telemetry.metrics.countStreamEnd(end);
  return new Streams({ db, ...config.streams, stopping, onEnd });
});

export class Streams implements Disposable {
  readonly signals = new FeedSignals();
  readonly reader: FeedReader;
  readonly #options: StreamsOptions;
  readonly #open = new Set<OpenStream>();
  readonly #whenEmpty: (() => void)[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.reader = new FeedReader(options.db);
    options.stopping.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** The sizes for the metrics. */
  sizes(): StreamSizes {
    return { open: this.#open.size };
  }

  /**
   * Opens a stream on behalf of a caller who was authorized a moment ago.
   * @param scope what the key needs as long as the stream is open
   * @throws ServiceError `rate_limited` when the key has too many open streams; `unavailable` when the process has too
   * many, or is stopping; `insufficient_scope` under a break-glass grant; `unauthenticated` and the like when the key
   * was touched meanwhile
   */
  async open(ctx: OperationContext, scope: Scope | "any"): Promise<OpenStream> {
    this.#requireRoom(ctx);
    const stream = new OpenStream({
      ctx,
      scope,
      turn: (work) => this.reader.turn(work),
      onEnd: (end) => this.#options.onEnd?.(end),
      onGone: (gone) => {
        this.#open.delete(gone);
        if (this.#open.size > 0) return;
        this.#rest();
        for (const resolve of this.#whenEmpty.splice(0)) resolve();
      },
    });
    this.#open.add(stream);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    try {
      // The stream is registered first, so that from here on no revocation is missed.
      await stream.check();
    } catch (error) {
      stream[Symbol.dispose]();
      throw error;
    }
    return stream;
  }

  /** A key was revoked or changed; without an id, any key may have been. */
  noteKey(publicId: string | undefined): void {
    for (const stream of this.#open) {
      if (stream.credential === undefined || (publicId !== undefined && stream.credential !== publicId)) continue;
      stream.noteTouched();
      this.#check(stream);
    }
  }

  /**
   * Waits at most `timeoutMs` until all connections are closed: a reader that takes nothing does not notice the end.
   */
  async gone(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenEmpty.push(resolve);
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    this.#stop();
    this.#rest();
  }

  #requireRoom(ctx: OperationContext): void {
    const { max, perKeyMax, stopping } = this.#options;
    stopping.throwIfAborted();
    if (ctx.actor.startsWith("admin:")) {
      throw new ServiceError(
        "insufficient_scope",
        "Cannot open a stream under a break-glass grant: each use of a grant is recorded; read GET /v1/memory/changes",
      );
    }
    if (this.#open.size >= max) {
      throw new ServiceError("unavailable", `Cannot open a stream: this process has ${max} open`);
    }
    let own = 0;
    for (const stream of this.#open) if (ownerName(stream) === ownerName(ctx)) own++;
    if (own < perKeyMax) return;
    throw new ServiceError("rate_limited", `Cannot open a stream: the key has ${own} open already`, {
      headers: { "retry-after": "1" },
    });
  }

  #look(): void {
    for (const stream of this.#open) {
      stream.look();
      this.#check(stream);
    }
  }

  /** Ends a stream whose key has lost its right to it; while the key cannot be looked up, the stream sends nothing. */
  #check(stream: OpenStream): void {
    stream.check().catch(() => {});
  }

  #stop(): void {
    for (const stream of this.#open) {
      stream.finish("stopping", new ServiceError("unavailable", "Cannot continue: the service is stopping"));
    }
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
