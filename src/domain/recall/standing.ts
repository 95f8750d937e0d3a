/**
 * Compares the units of a recall that are about the same subject in the same respect: their order, which one is
 * outdated at the time asked about, and which one a bounded unit interrupts.
 */
import {
  findInterrupting,
  findOutdating,
  groupRivals,
  isContestedBy,
  rankCurrency,
  type Spoken,
} from "../unit/respects.ts";

/** The standing of a unit among those of its respect. */
export interface Standing {
  /** The bounded unit that is true instead of it at that time. */
  readonly interruptedBy: string | undefined;
  /** The unit that is true instead of it at that time, or likely is. */
  readonly outdatedBy: string | undefined;
  /** Whether a contested unit contradicts it. */
  readonly contested: boolean;
}

export const ALONE: Standing = { interruptedBy: undefined, outdatedBy: undefined, contested: false };

/** The standing of a unit among others of its respect at a time. */
export function standAmong(spoken: Spoken, others: readonly Spoken[], time: Date): Standing {
  // Most units are alone in their respect.
  if (others.length < 2 && spoken.body.supersededBy == null) return ALONE;
  return {
    interruptedBy: findInterrupting(spoken, others, time)?.id,
    outdatedBy: findOutdating(spoken, others, time),
    contested: isContestedBy(spoken, others),
  };
}

/** Documents that say different things in one respect, each with its rank; see `rankCurrency`. */
export type Competing = ReadonlyMap<number, number>;

/** Which documents of some respects compete. */
export function findCompeting<S extends Spoken & { readonly docNo: number }>(
  respects: Iterable<readonly S[]>,
  time: Date,
): Competing[] {
  const competing: Competing[] = [];
  for (const said of [...respects].flatMap(groupRivals)) {
    if (new Set(said.map(({ body }) => body.folded?.object)).size < 2) continue;
    const ranks = new Map<number, number>();
    for (const spoken of said) {
      const rank = rankCurrency(spoken, said, time);
      if (rank !== undefined) ranks.set(spoken.docNo, rank);
    }
    competing.push(ranks);
  }
  return competing;
}
