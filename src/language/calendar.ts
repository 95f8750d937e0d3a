/** The words for months, days and numbers, each list once. */

/** In calendar order, in lower case. */
export const MONTH_WORDS: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** In lower case, from Sunday on, as `Date` counts them. */
export const DAY_WORDS: readonly string[] = "sunday monday tuesday wednesday thursday friday saturday".split(" ");

/** From zero to twenty. */
const SMALL_NUMBERS: readonly string[] =
  ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen " +
    "nineteen twenty").split(" ");
const TENS: readonly string[] = "thirty forty fifty sixty seventy eighty ninety hundred".split(" ");

/** Numbers by their words: each up to twenty, the tens and a hundred. */
export const NUMBER_VALUES: Readonly<Record<string, number>> = Object.fromEntries([
  ...SMALL_NUMBERS.map((word, i) => [word, i]),
  ...TENS.map((word, i) => [word, 30 + 10 * i]),
]);

/** The number words from one to twelve. */
export const COUNT_WORDS: readonly string[] = SMALL_NUMBERS.slice(1, 13);

/** The word with its first letter as a capital. */
export function capitalise(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
