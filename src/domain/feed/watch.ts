/**
 * Follows a workspace's change feed or its health on an open stream: first the entries behind a
 * cursor, then new ones, each once and in order. docs/reference/guarantees.md T10, T56, F10.
 *
 * It keeps only the batch that was read last. It reads on when the reader asks for more, in a
 * transaction that ends before it gives anything. Notifications only wake it up.
 */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type { Change, Channel } from "../../schema/change.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import type { HealthSnapshot } from "../../schema/health.ts";
import type { Scope } from "../../schema/scopes.ts";
import { streamFailed } from "../../telemetry/events.ts";
import { auditTrailOf, subjectOf } from "../audit/trail.ts";
import { readSnapshot } from "../upkeep/health.ts";
import { missingTaskScope, TASK_SCOPE } from "../common/task_scope.ts";
import { channelOf, cursorAt, readSince, requireReached } from "./changes.ts";
import type { OpenStream } from "./open_stream.ts";
import type { FollowedFeed } from "./signals.ts";
import { streamsOf } from "./streams.ts";
import { pause } from "../../pause.ts";

/** Opens a stream for a caller who was authorized with `scope`. See `Streams.open`. */
export function openStream(ctx: OperationContext, scope: Scope | "any" = "memory:read"): Promise<OpenStream> {
  return streamsOf(ctx.deps).open(ctx, scope);
}

export interface WatchOptions {
  /** The position after which to begin; default: the feed's current end. */
  readonly since?: string | undefined;
}

export interface WatchChangesOptions extends WatchOptions {
  readonly channel: Exclude<Channel, "health">;
}

/** One event; `cursor` is the position right after it. */
export interface StreamEvent<Event> {
  readonly cursor: string;
  readonly event: Event;
}

/**
 * The time after which a reader without notifications reads the feed itself, because its connection may be dead
 * unnoticed.
 */
const LOOK_AFTER_MS = 15_000;
const RETRY_MS = 500;
/** The shortest time between two snapshots of health on one stream. */
const HEALTH_PAUSE_MS = 1_000;

/** Some events, and the clearance that they were read with. */
interface Given<Event> {
  readonly told: readonly StreamEvent<Event>[];
  readonly clearance: Sensitivity;
  /** Where the feed ended when they were read. */
  readonly head: number;
}

/** Gives the next events; undefined: there are none yet, and the caller asks again. */
type Next<Event> = (feed: FollowedFeed, signal: AbortSignal) => Promise<Given<Event> | undefined>;

/** The events of one channel, to be iterated once. It ends when it is stopped, and throws if the stream has ended. */
export class Watch<Event extends Change | HealthSnapshot> implements AsyncIterable<StreamEvent<Event>>, Disposable {
  readonly channel: Channel;
  /** The place at which it begins. */
  readonly cursor: string;
  readonly #stream: OpenStream;
  readonly #next: Next<Event>;
  readonly #stopped = new AbortController();
  #count = 0;
  #through: number;

  constructor(stream: OpenStream, channel: Channel, begin: number, next: Next<Event>) {
    this.#stream = stream;
    this.channel = channel;
    this.cursor = cursorAt(stream.workspaceId, begin);
    this.#through = begin;
    this.#next = next;
    this.#note("stream.subscribed", "ok", { after: begin });
    stream.signal.addEventListener("abort", this.#onEnd, { once: true });
    if (stream.signal.aborted) this.#onEnd();
  }

  /** Stops sending; a waiting iteration ends. */
  [Symbol.dispose](): void {
    this.#stop("unsubscribed");
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent<Event>, void, void> {
    const stream = this.#stream;
    const { signal } = this.#stopped;
    using feed = streamsOf(stream.deps).signals.follow(stream.workspaceId);
    using _touched = stream.onTouched(() => feed.wake());
    try {
      while (!signal.aborted) {
        const given = await this.#nextOrPause(feed, signal);
        if (given === undefined) continue;
        const head = Math.max(given.head, feed.head);
        for (const told of given.told) {
          // The key may have been touched since the last event was taken.
          if (stream.isDue) await this.#checkAgain(signal);
          if (signal.aborted) break;
          if (!this.#maySee(told.event, given.clearance)) continue;
          this.#count++;
          this.#through = "seq" in told.event ? told.event.seq : told.event.changeSeq;
          using _ = stream.hold({ headAtGiving: head, headNow: () => feed.head });
          yield told;
        }
      }
    } finally {
      this.#stop("unsubscribed");
    }
    stream.signal.throwIfAborted();
  }

  /** The next entry. While the database cannot be reached there is none; then it continues from the same position. */
  async #nextOrPause(feed: FollowedFeed, signal: AbortSignal): Promise<Given<Event> | undefined> {
    try {
      await this.#stream.check();
      if (!this.#mayWatch) throw missingTaskScope();
      return await this.#next(feed, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ServiceError && error.retryable) await pause(RETRY_MS, signal);
      else this.#fail(error);
    }
  }

  async #checkAgain(signal: AbortSignal): Promise<void> {
    while (this.#stream.isDue && !signal.aborted) {
      await this.#stream.check().catch(() => pause(RETRY_MS, signal));
    }
  }

  /** Whether the stream may still have the channel. */
  get #mayWatch(): boolean {
    return (this.channel !== "tasks" && this.channel !== "events") || this.#stream.has(TASK_SCOPE);
  }

  /** Whether the stream may see an event that was read with a clearance; a snapshot counts what that clearance sees. */
  #maySee(event: Event, clearance: Sensitivity): boolean {
    const { maxSensitivity } = this.#stream;
    return this.#mayWatch &&
      ("sensitivity" in event ? isCleared(event.sensitivity, maxSensitivity) : clearance === maxSensitivity);
  }

  #fail(error: unknown): void {
    const stream = this.#stream;
    if (error instanceof ServiceError) return stream.finish("access", error);
    streamFailed(stream.deps.telemetry.log, { requestId: stream.subject.requestId, channel: this.channel, error });
    stream.finish(
      "fault",
      new ServiceError("internal", "Cannot continue: an unexpected error occurred", { cause: error }),
    );
  }

  readonly #onEnd = (): void => this.#stop(this.#stream.end ?? "closed");

  #stop(how: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    this.#stream.signal.removeEventListener("abort", this.#onEnd);
    this.#note("stream.ended", how, { events: this.#count, through: this.#through });
  }

  /**
   * Records a read by the feed positions that it covered. They tell what was shown, because feed entries never change.
   */
  #note(eventType: string, outcome: string, detail: Record<string, unknown>): void {
    const { deps, workspaceId, subject, maxSensitivity } = this.#stream;
    auditTrailOf(deps).note(workspaceId, subjectOf(subject), {
      eventType,
      outcome,
      detail: { channel: this.channel, maxSensitivity, ...detail },
    });
  }
}

/**
 * Follows the changes of one channel.
 * @throws ServiceError `validation_failed` for a cursor of another feed or beyond its end, `insufficient_scope`
 */
export async function watchChanges(
  stream: OpenStream,
  { channel, since }: WatchChangesOptions,
): Promise<Watch<Change>> {
  if (channel !== "memory" && !stream.has(TASK_SCOPE)) throw missingTaskScope();
  const begin = await beginAt(stream, since);
  const { reader } = streamsOf(stream.deps);
  let position = begin;
  return new Watch<Change>(stream, channel, begin, async (feed, signal) => {
    const { gap } = feed;
    const clearance = stream.maxSensitivity;
    const batch = await reader.read({ workspaceId: stream.workspaceId, maxSensitivity: clearance }, position);
    // The batch may have been read with a clearance that the stream no longer has.
    if (stream.isDue || stream.maxSensitivity !== clearance) return undefined;
    position = batch.through;
    const told = batch.changes.filter((change) => channelOf(change.resourceType) === channel)
      .map((event) => ({ cursor: cursorAt(stream.workspaceId, event.seq), event }));
    if (told.length > 0) return { told, clearance, head: batch.head };
    if (batch.through >= batch.head) await feed.beyond(batch.through, gap, LOOK_AFTER_MS, signal);
    return undefined;
  });
}

/** Follows the workspace's health: a snapshot now, unless `since` is given, and another whenever it has changed. */
export async function watchHealth(stream: OpenStream, { since }: WatchOptions = {}): Promise<Watch<HealthSnapshot>> {
  const begin = await beginAt(stream, since);
  const { reader } = streamsOf(stream.deps);
  let seen = since === undefined ? -1 : begin;
  let last: string | undefined;
  return new Watch<HealthSnapshot>(stream, "health", begin, async (feed, signal) => {
    const { gap } = feed;
    if (await reader.readHead(stream) <= seen) {
      await feed.beyond(seen, gap, LOOK_AFTER_MS, signal);
      // Some numbers of a snapshot move without a change; at a position that was sent already, only a change is sent.
      if (last === undefined) return undefined;
    }
    if (last !== undefined) await pause(HEALTH_PAUSE_MS, signal);
    const ctx = stream.context();
    const event = await reader.turn(() => readSnapshot(ctx));
    seen = event.changeSeq;
    const text = JSON.stringify(event);
    if (text === last) return undefined;
    last = text;
    const { changeSeq: head } = event;
    return { told: [{ cursor: cursorAt(stream.workspaceId, head), event }], clearance: ctx.maxSensitivity, head };
  });
}

async function beginAt(stream: OpenStream, since: string | undefined): Promise<number> {
  auditTrailOf(stream.deps).requireRoom();
  const begin = since === undefined ? undefined : readSince(stream.workspaceId, since);
  const head = await streamsOf(stream.deps).reader.readHead(stream);
  if (begin !== undefined) requireReached(begin, head);
  return begin ?? head;
}
