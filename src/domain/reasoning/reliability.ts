/** How much a chain is to be relied on, from its outcome and the votes about it; without I/O. */
import type { ReasoningOutcome, ReasoningStatus, Reliability } from "../../schema/reasoning.ts";

/** What is believed before any vote: the parameters of a Beta distribution by the outcome. */
const PRIORS: Readonly<Record<ReasoningOutcome, readonly [number, number]>> = {
  success: [2, 1],
  partial: [1, 1],
  failure: [1, 2],
};
/** Up to this mean, with any vote, an entry is served for its own goal and context alone. */
export const DEMOTED_UP_TO = 0.5;
/** Below this mean, with so many votes, it is not served at all. */
export const RETIRED_BELOW = 0.3;
export const RETIRED_VOTES_MIN = 4;
/** One-sided 95 %. */
const Z = 1.645;

export function reliabilityOf(outcome: ReasoningOutcome, helpful: number, harmful: number): Reliability {
  const [a0, b0] = PRIORS[outcome];
  const a = a0 + helpful;
  const b = b0 + harmful;
  const mean = a / (a + b);
  const deviation = Math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)));
  return { mean: round(mean), lowerBound: round(Math.max(0, mean - Z * deviation)), helpful, harmful };
}

/** What the votes make of an entry; each vote may change it in either direction. */
export function standingOf(outcome: ReasoningOutcome, helpful: number, harmful: number): ReasoningStatus {
  const { mean } = reliabilityOf(outcome, helpful, harmful);
  if (mean < RETIRED_BELOW && helpful + harmful >= RETIRED_VOTES_MIN) return "retired";
  // What failed is believed little from the beginning; it is votes that demote.
  return mean <= DEMOTED_UP_TO && helpful + harmful > 0 ? "demoted" : "active";
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
