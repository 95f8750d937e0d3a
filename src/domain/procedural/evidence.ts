/** Decides whether a candidate replaces the current version, by the scores of runs with each; without I/O. */
import type { PromptDecision, VersionEvidence } from "../../schema/procedural.ts";

/** Runs with a candidate that are needed to judge it. */
export const RUNS_MIN = 3;
/** After this many runs, a candidate that has not proved better is rejected. */
export const RUNS_MAX = 20;

export interface Scored {
  readonly version: number;
  readonly runs: number;
  readonly scoreSum: number;
}

/** Beta(1 + sum of scores, 1 + runs − sum of scores): its mean, and one standard deviation to either side. */
export function evidenceOf({ version, runs, scoreSum }: Scored): VersionEvidence {
  const a = 1 + scoreSum;
  const b = 1 + Math.max(0, runs - scoreSum);
  const mean = a / (a + b);
  const deviation = Math.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)));
  return {
    version,
    runs,
    mean: round(mean),
    lowerBound: round(Math.max(0, mean - deviation)),
    upperBound: round(Math.min(1, mean + deviation)),
  };
}

/** Promoted: the lower bound is not below the current mean. Rejected: the upper bound is, or all its runs are done. */
export function judgeCandidate(candidate: Scored, current: Scored): PromptDecision {
  const [c, now] = [evidenceOf(candidate), evidenceOf(current)];
  const decide = (outcome: PromptDecision["outcome"], reason: string): PromptDecision => ({
    outcome,
    reason,
    candidate: c,
    current: now,
  });
  if (c.runs < RUNS_MIN) return decide("waiting", `${c.runs} of ${RUNS_MIN} runs with the candidate`);
  if (c.lowerBound >= now.mean) {
    return decide("promoted", `its lower bound ${c.lowerBound} is not below the current mean ${now.mean}`);
  }
  if (c.upperBound < now.mean) {
    return decide("rejected", `its upper bound ${c.upperBound} is below the current mean ${now.mean}`);
  }
  if (c.runs >= RUNS_MAX) return decide("rejected", `not better after ${c.runs} runs`);
  return decide("waiting", `its lower bound ${c.lowerBound} is below the current mean ${now.mean}`);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
