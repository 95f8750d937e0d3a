/** A question whose answer is valid for all callers who were waiting when it was sent. */

/**
 * A caller who comes while the question is under way waits for the next one, and all who wait share that one. So
 * nobody gets the answer to a question that was sent before they came.
 */
export class SharedQuestion<T> {
  readonly #put: () => Promise<T>;
  #underWay: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  constructor(put: () => Promise<T>) {
    this.#put = put;
  }

  ask(): Promise<T> {
    this.#next ??= this.#underWay.then(() => {
      this.#next = undefined;
      const answer = this.#put();
      this.#underWay = answer.catch(() => {});
      return answer;
    });
    return this.#next;
  }
}
