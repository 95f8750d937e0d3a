/**
 * Estimates how many tokens a text costs a language model, for `maxTokens`, `usage.tokens` and a session's
 * `tokenCount`.
 *
 * A tokeniser's vocabulary takes megabytes and differs from model to model, so this approximation uses none: an ASCII
 * character counts a quarter of a token (English prose and code), one of other alphabets half a token; one of a script
 * without spaces (Chinese, Japanese, Korean, Thai …), a symbol or an emoji counts one. The sum is rounded up; an empty
 * text has 0. It depends on the characters alone, so it is monotonic: a longer text never costs less.
 */
export function countTokens(text: string): number {
  let quarters = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) quarters += 1;
    // Latin with marks, Greek, Cyrillic, Armenian, Hebrew, Arabic.
    else if (unit < 0x900) quarters += 2;
    // Each half of a surrogate pair counts half, so the pair counts one.
    else if (unit >= 0xd800 && unit <= 0xdfff) quarters += 2;
    else quarters += 4;
  }
  return Math.ceil(quarters / 4);
}

/** A budget of tokens: a text that does not fit is skipped, and later ones may still fit. */
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
