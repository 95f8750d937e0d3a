/** Which terms of a query some document holds, and what they weigh. */

import { framesQuestion } from "./query_cues.ts";
import type { Prescored } from "./types.ts";

type Matched = Pick<Prescored, "plan" | "scored" | "unknown" | "query">;

/** The weight of the scored terms whose bits are set. */
export function weighTerms(weights: Float64Array, bits: number): number {
  let sum = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) sum += weights[31 - Math.clz32(rest & -rest)];
  return sum;
}

/** The bits of the scored terms of which some document holds the term or a substitute. */
export function knownBits({ scored, unknown }: Matched): number {
  const missing = new Set(unknown);
  return scored.reduce((bits, term, t) => missing.has(term) ? bits : bits | 1 << t, 0);
}

/** The terms of a query that do more than frame it, or all if there are no others: in "Tell me about Zenith" that is Zenith. */
export class TellingTerms {
  readonly #weights: Float64Array;
  readonly #bits: number;
  readonly #weight: number;

  /** @param of terms that no text has do not count: `known`; or they do: `asked` */
  constructor(candidates: Matched, of: "known" | "asked" = "asked") {
    const { plan, scored, query } = candidates;
    const counted = of === "known" ? knownBits(candidates) : scored.reduce((bits, _, t) => bits | 1 << t, 0);
    const framing = new Set(plan.terms.filter(({ word }) => framesQuestion(word)).map(({ term }) => term));
    this.#weights = query.terms;
    this.#bits = scored.reduce((bits, term, t) => framing.has(term) ? bits & ~(1 << t) : bits, counted) || counted;
    this.#weight = weighTerms(query.terms, this.#bits);
  }

  /** What the terms weigh whose bits are set, as a share of all. */
  share(bits: number): number {
    return this.#weight > 0 ? weighTerms(this.#weights, bits & this.#bits) / this.#weight : 0;
  }
}
