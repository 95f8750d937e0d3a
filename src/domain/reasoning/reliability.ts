/** How reliable a chain is, by its outcome and the votes about it; without I/O. */
import type { ReasoningOutcome, ReasoningStatus, Reliability } from "../../schema/reasoning.ts";

/** The belief before any vote: the parameters of a Beta distribution by the outcome. */
const PRIORS: Readonly<Record<ReasoningOutcome, readonly [number, number]>> = {
  success: [2, 1],
  partial: [1, 1],
  failure: [1, 2],
};
/** Up to this mean, and with any vote, an entry is served only for its own goal and context. */
export const DEMOTED_UP_TO = 0.5;
/** Below this mean, and with at least this many votes, it is not served at all. */
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

/** The status of an entry by its votes; each vote may change it in either direction. */
export function standingOf(outcome: ReasoningOutcome, helpful: number, harmful: number): ReasoningStatus {
  const { mean } = reliabilityOf(outcome, helpful, harmful);
  if (mean < RETIRED_BELOW && helpful + harmful >= RETIRED_VOTES_MIN) return "retired";
  // A failed chain is trusted little from the beginning; only votes demote it.
  return mean <= DEMOTED_UP_TO && helpful + harmful > 0 ? "demoted" : "active";
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
