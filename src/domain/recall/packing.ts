/** Fits results into a budget of tokens: a result that does not fit is skipped, and later ones may still fit. */
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

  /** Takes the text's tokens if they fit. @param count counts them, if the caller knows the number */
  take(text: string, count = () => countTokens(text)): boolean {
    // A UTF-16 unit counts at least a quarter token, so a long text is refused without counting.
    if (text.length / 4 > this.#max - this.#used) return false;
    const tokens = count();
    if (this.#used + tokens > this.#max) return false;
    this.#used += tokens;
    return true;
  }
}
