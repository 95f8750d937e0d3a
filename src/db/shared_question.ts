/** A question whose answer holds for everybody who waited for it when it was put. */

/**
 * Whoever comes while the question is under way waits for the next one, and all who wait share that: nobody gets the answer to
 * a question that was put before he came.
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
