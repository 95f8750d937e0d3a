/**
 * Votes about versions of an item, in whole millionths, so that everybody who counts the same votes finds the same. Weights
 * come from what is configured here about an instance, never from what it says. Pure.
 */

/** An instance that may vote, as it is known here. */
export interface Voter {
  readonly instance: string;
  /** From 0 to 100, as configured here. */
  readonly weight: number;
  /** By how much its clock differs from ours, in milliseconds. */
  readonly skewMs: number;
}

/** The last word of an instance on an item. */
export interface Word {
  readonly instance: string;
  readonly hash: string;
  readonly updatedAt: Date;
}

export interface Vote {
  readonly instance: string;
  readonly hash: string;
  /** In millionths of a point of weight. */
  readonly weight: number;
}

export interface Tally {
  /** The hash that won; null where none did. */
  readonly winner: string | null;
  /** In the order of the instances' ids. */
  readonly votes: readonly Vote[];
}

const MILLION = 1_000_000;
/** Clocks that differ no more than this are taken for equal. */
const SKEW_FREE_MS = 5_000;
/** From here on a clock says nothing about when something was said. */
const SKEW_MAX_MS = 300_000;
/** The time in which a word loses half of its weight. */
const HALF_LIFE_MS = 30 * 24 * 3_600_000;
/** Old words keep an eighth. */
const FRESH_MIN = MILLION / 8;
/** The winner has more than this share of the votes cast, in percent. */
const MAJORITY_PERCENT = 66;
const INSTANCES_MIN = 2;

/** What a word weighs, in millionths: the voter's weight, less where clocks differ or the word is old. */
export function weighWord({ weight, skewMs }: Voter, updatedAt: Date, now: Date): number {
  const skew = Math.min(Math.max(Math.abs(skewMs), SKEW_FREE_MS), SKEW_MAX_MS);
  const near = Math.floor(MILLION * (SKEW_MAX_MS - skew) / (SKEW_MAX_MS - SKEW_FREE_MS));
  const ageMs = Math.max(0, now.getTime() - updatedAt.getTime());
  const fresh = Math.max(FRESH_MIN, Math.round(MILLION * 2 ** (-ageMs / HALF_LIFE_MS)));
  return Math.floor(weight * near * fresh / MILLION);
}

/**
 * Counts the words of those that may vote; words of others, and a second one of the same instance, count nothing. A hash
 * wins by more than 66 percent of the votes cast, of two instances at least, where those that voted have at least half of
 * the configured weight of all.
 */
export function tally(voters: readonly Voter[], words: readonly Word[], now: Date): Tally {
  const lastWords = new Map(words.toReversed().map((word) => [word.instance, word]));
  const cast = voters.flatMap((voter) => {
    const word = lastWords.get(voter.instance);
    if (word === undefined || voter.weight <= 0) return [];
    return [{ voter, instance: voter.instance, hash: word.hash, weight: weighWord(voter, word.updatedAt, now) }];
  });
  const votes = cast.map(({ instance, hash, weight }) => ({ instance, hash, weight }))
    .sort((a, b) => a.instance < b.instance ? -1 : 1);
  const possible = sum(voters.map(({ weight }) => weight));
  if (2 * sum(cast.map(({ voter }) => voter.weight)) < possible) return { winner: null, votes };
  const total = sum(votes.map(({ weight }) => weight));
  const [winner] =
    [...Map.groupBy(votes, ({ hash }) => hash)].find(([, same]) =>
      same.length >= INSTANCES_MIN && 100 * sum(same.map(({ weight }) => weight)) > MAJORITY_PERCENT * total
    ) ?? [null];
  return { winner, votes };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
