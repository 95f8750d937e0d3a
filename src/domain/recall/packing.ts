/** Fitting results into a budget of tokens: what does not fit is passed over, and what follows may still fit. */
import { countTokens } from "../common/tokens.ts";

export class TokenBudget {
  #used = 0;
  readonly #max: number;

  constructor(max: number | undefined) {
    this.#max = max ?? Infinity;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes the text's tokens if they fit. */
  take(text: string): boolean {
    // A token is at least one UTF-16 unit's quarter, so a long text need not be counted to be refused.
    if (text.length / 4 > this.#max - this.#used) return false;
    return this.takeTokens(countTokens(text));
  }

  /** Takes tokens if they fit. */
  takeTokens(tokens: number): boolean {
    if (this.#used + tokens > this.#max) return false;
    this.#used += tokens;
    return true;
  }
}
