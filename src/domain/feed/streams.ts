/**
 * The open streams of a process: how many there may be, who hears of a touched key, who is cut off, and that all of them
 * end when the service stops. SECURITY.md T10, T56, F5, F13.
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
  /** Streams of this process, and of one key in it. */
  readonly max: number;
  readonly perKeyMax: number;
  readonly stopping: AbortSignal;
  /** Told that a stream ended. */
  readonly onEnd?: (end: StreamEnd) => void;
}

/** How often readers and keys are looked at, in milliseconds. */
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

  /** For the metrics. */
  sizes(): StreamSizes {
    return { open: this.#open.size };
  }

  /**
   * Opens a stream on behalf of who asks, who was authorized a moment ago.
   * @param scope what the key needs as long as the stream is open
   * @throws ServiceError `rate_limited` when the key has too many open, `unavailable` when the process has, or stops;
   *   `insufficient_scope` under a break-glass grant; `unauthenticated` and the like when the key was touched meanwhile
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
      // Registered first: from here on no revocation is missed.
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

  /** Waits until every connection is closed, at most so long: a reader that takes nothing does not hear of the end. */
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

  /** Ends a stream whose key may no longer; while the key cannot be looked up, nothing is sent on it. */
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
