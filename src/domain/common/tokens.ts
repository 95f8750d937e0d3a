/**
 * How many tokens a text costs a language model, roughly: what `maxTokens`, `usage.tokens` and a session's
 * `tokenCount` mean.
 *
 * A tokeniser's vocabulary is megabytes and differs from model to model, so this is an approximation that needs none:
 * ASCII counts a quarter of a token a character (English prose and code), other alphabets half of one, and scripts that
 * are written without spaces (Chinese, Japanese, Korean, Thai …), symbols and emoji one each. Rounded up; an empty text
 * has 0. It is a property of the characters alone, so it is monotonous: a longer text never costs less.
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
