/**
 * Counts votes about the versions of an item, in whole millionths, so that everybody who counts the same votes gets the
 * same result. Weights come from the configuration of this instance, never from a statement of another. Pure.
 */

/** An instance that may vote. */
export interface Voter {
  readonly instance: string;
  /** The configured weight, from 0 to 100. */
  readonly weight: number;
  /** By how many milliseconds its clock differs from ours. */
  readonly skewMs: number;
}

/** The version of an item for which an instance votes: the last one that it published or claimed. */
export interface VotedVersion {
  readonly instance: string;
  readonly hash: string;
  readonly updatedAt: Date;
}

/** A counted vote. */
export interface CountedVote {
  readonly instance: string;
  readonly hash: string;
  /** In millionths of a point of weight. */
  readonly weight: number;
}

/** The result of a vote. */
export interface Tally {
  /** The hash that won; null if none did. */
  readonly winner: string | null;
  /** The counted votes, in the order of the instances' ids. */
  readonly votes: readonly CountedVote[];
}

const MILLION = 1_000_000;
/** Clocks that differ by at most this count as equal. */
const SKEW_FREE_MS = 5_000;
/** From this difference on, a vote weighs nothing, because its time says nothing. */
const SKEW_MAX_MS = 300_000;
/** The time in which a vote loses half of its weight. */
const HALF_LIFE_MS = 30 * 24 * 3_600_000;
/** An old vote keeps an eighth of its weight. */
const FRESH_MIN = MILLION / 8;
/** The winner needs more than this share of the votes, in percent. */
const MAJORITY_PERCENT = 66;
const INSTANCES_MIN = 2;

/** Computes the weight of a vote in millionths: the voter's weight, reduced if the clocks differ or the vote is old. */
export function weighWord({ weight, skewMs }: Voter, updatedAt: Date, now: Date): number {
  const skew = Math.min(Math.max(Math.abs(skewMs), SKEW_FREE_MS), SKEW_MAX_MS);
  const near = Math.floor(MILLION * (SKEW_MAX_MS - skew) / (SKEW_MAX_MS - SKEW_FREE_MS));
  const ageMs = Math.max(0, now.getTime() - updatedAt.getTime());
  const fresh = Math.max(FRESH_MIN, Math.round(MILLION * 2 ** (-ageMs / HALF_LIFE_MS)));
  return Math.floor(weight * near * fresh / MILLION);
}

/**
 * Counts the votes of voters. Votes of other instances, and second votes of the same instance, do not count. A hash
 * wins with more than 66 percent of the votes and at least two instances, if those that voted have at least half of the
 * weight of all voters.
 */
export function tally(voters: readonly Voter[], words: readonly VotedVersion[], now: Date): Tally {
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
