/** What is wrong with an input: listed for the first members, counted for the others. */
import type { FieldError } from "../errors.ts";

/** Faults that one reply lists; an input may have more. */
export const FAULTS_MAX = 50;

/** Faults of one input, one for each path: the first `FAULTS_MAX` and the number of the others. */
export class Faults {
  readonly #told = new Map<string, string>();
  #more = 0;

  /** Adds a fault, unless one is listed for the same path. The path is only computed if it is listed. */
  add(path: () => string, message: string | (() => string)): void {
    if (this.isFull) {
      this.#more++;
      return;
    }
    const place = path();
    if (!this.#told.has(place)) this.#told.set(place, typeof message === "string" ? message : message());
  }

  /** Adds what another part of the same input has. */
  addAll(others: Faults): void {
    for (const [path, message] of others.#told) this.add(() => path, message);
    this.#more += others.#more;
  }

  /** Counts faults that are not listed. */
  addMore(count: number): void {
    this.#more += count;
  }

  /** Whether further faults are only counted. */
  get isFull(): boolean {
    return this.#told.size >= FAULTS_MAX;
  }

  get size(): number {
    return this.#told.size + this.#more;
  }

  /** How many are counted but not listed. */
  get more(): number {
    return this.#more;
  }

  /** The listed faults, one entry per path. */
  told(): FieldError[] {
    return [...this.#told].map(([path, message]) => ({ path, message }));
  }

  /** As `told`, and where there are more, a last entry of no path that says how many. */
  list(): FieldError[] {
    const more = this.#more === 0 ? [] : [{ path: "", message: `and ${this.#more.toLocaleString("en-US")} more` }];
    return [...this.told(), ...more];
  }
}
