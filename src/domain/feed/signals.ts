/**
 * What this process has heard of each workspace's feed: how far it goes, and that notifications may have been lost. It only
 * wakes readers up: what they tell, they read from the feed.
 */

interface Place {
  /** The last entry that was heard of since notifications may last have been lost. */
  head: number;
  /** Grows when notifications may have been lost. */
  gap: number;
  followers: number;
  readonly waiting: Set<() => void>;
}

export class FeedSignals {
  /** Of workspaces that somebody follows. */
  readonly #places = new Map<string, Place>();

  /** The feed of a workspace has reached `seq`. */
  noteSeq(workspaceId: string, seq: number): void {
    const place = this.#places.get(workspaceId);
    if (place === undefined || !Number.isSafeInteger(seq) || seq <= place.head) return;
    place.head = seq;
    wake(place);
  }

  /**
   * Notifications may have been lost: every waiting reader checks for itself. Earlier signals are
   * forgotten. If the database was set back to an earlier state, a reader would otherwise never
   * reach the lost entries and look for them without a pause.
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

function wake({ waiting }: Place): void {
  for (const resolve of waiting) resolve();
  waiting.clear();
}

/** The feed of one workspace, as one reader follows it. */
export class FollowedFeed implements Disposable {
  readonly #place: Place;
  readonly #leave: () => void;
  #wake: (() => void) | undefined;

  constructor(place: Place, leave: () => void) {
    this.#place = place;
    this.#leave = leave;
  }

  get head(): number {
    return this.#place.head;
  }

  /** To be taken before the feed is read, and given to `beyond` after. */
  get gap(): number {
    return this.#place.gap;
  }

  /** Ends the wait that runs. */
  wake(): void {
    this.#wake?.();
  }

  /** Waits until the feed goes beyond `seq`, there may be a gap, it is woken, the time is over, or the signal is aborted. */
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
