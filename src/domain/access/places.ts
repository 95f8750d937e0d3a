/**
 * Limits how many callers may do something at the same time, by name. Surplus callers wait in the
 * queue of that name.
 */
export class CallQueues {
  readonly #queues = new Map<string, { count: number; readonly waiting: Set<() => void> }>();

  /** @param max 0 = any number */
  constructor(readonly max: number) {}

  /** How many callers have a turn now. */
  countOf(name: string): number {
    return this.#queues.get(name)?.count ?? 0;
  }

  /**
   * Waits for a turn, at most `waitMs`. The caller disposes the result to give the turn back; undefined when the time
   * is over.
   * @throws the signal's reason when it is aborted while waiting
   */
  async enter(name: string, signal: AbortSignal, waitMs: number): Promise<Disposable | undefined> {
    if (this.max === 0) return { [Symbol.dispose]: () => {} };
    const queue = this.#queues.get(name) ?? { count: 0, waiting: new Set() };
    this.#queues.set(name, queue);
    if (queue.count >= this.max) {
      const turn = Promise.withResolvers<boolean>();
      const take = () => turn.resolve(true);
      // Leaves immediately, so that a turn that becomes free before this function resumes goes to another caller.
      const leave = () => {
        queue.waiting.delete(take);
        turn.resolve(false);
      };
      queue.waiting.add(take);
      const timer = setTimeout(leave, Math.max(0, waitMs));
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      const hasTurn = await turn.promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      if (!hasTurn) {
        signal.throwIfAborted();
        return undefined;
      }
      // A turn that was handed over is counted already.
    } else queue.count++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        const [next] = queue.waiting;
        if (next !== undefined) {
          queue.waiting.delete(next);
          return next();
        }
        if (--queue.count === 0) this.#queues.delete(name);
      },
    };
  }
}
