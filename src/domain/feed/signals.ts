/**
 * What this process has heard of each workspace's feed: how far it goes, and that notifications may have been lost.
 * This only wakes readers; they read their events from the feed.
 */

interface FeedPosition {
  /** The last position that was heard of since notifications may last have been lost. */
  head: number;
  /** Grows when notifications may have been lost. */
  gap: number;
  followers: number;
  readonly waiting: Set<() => void>;
}

export class FeedSignals {
  /** Places of workspaces that somebody follows. */
  readonly #places = new Map<string, FeedPosition>();

  /** The feed of a workspace has reached `seq`. */
  noteSeq(workspaceId: string, seq: number): void {
    const place = this.#places.get(workspaceId);
    if (place === undefined || !Number.isSafeInteger(seq) || seq <= place.head) return;
    place.head = seq;
    wake(place);
  }

  /**
   * Notes that notifications may have been lost, so that every waiting reader checks for itself. Earlier signals are
   * forgotten: if the database was set back to an earlier state, a reader would otherwise look for the lost entries
   * without a pause and never reach them.
   */
  noteGap(): void {
    for (const place of this.#places.values()) {
      place.gap++;
      place.head = 0;
      wake(place);
    }
  }

  follow(workspaceId: string): FollowedFeed {
    const place = this.#places.get(workspaceId) ?? { head: 0, gap: 0, followers: 0, waiting: new Set() };
    place.followers++;
    this.#places.set(workspaceId, place);
    return new FollowedFeed(place, () => {
      if (--place.followers === 0) this.#places.delete(workspaceId);
    });
  }
}

function wake({ waiting }: FeedPosition): void {
  for (const resolve of waiting) resolve();
  waiting.clear();
}

/** The feed of one workspace, as one reader follows it. */
export class FollowedFeed implements Disposable {
  readonly #place: FeedPosition;
  readonly #leave: () => void;
  #wake: (() => void) | undefined;

  constructor(place: FeedPosition, leave: () => void) {
    this.#place = place;
    this.#leave = leave;
  }

  get head(): number {
    return this.#place.head;
  }

  /** Read it before the feed is read, and pass it to `beyond` afterwards. */
  get gap(): number {
    return this.#place.gap;
  }

  /** Ends the wait in progress. */
  wake(): void {
    this.#wake?.();
  }

  /** Waits until the feed goes beyond `seq`, a gap is possible, `wake` is called, time is up or `signal` is aborted. */
  async beyond(seq: number, gap: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#place.head > seq || this.#place.gap > gap || signal.aborted) return;
    this.#place.waiting.add(resolve);
    this.#wake = resolve;
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort);
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    this.#place.waiting.delete(resolve);
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}
