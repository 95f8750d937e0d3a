/**
 * Derives rules from runs that tell no lessons, without I/O or a model: steps that all good runs of a task took and no
 * bad one (do it), and steps that all bad ones took and no good one (avoid it). It needs runs of both kinds.
 */
import { normaliseGoal } from "../reasoning/goals.ts";
import { BAD_MAX, GOOD_MIN, type NewRule, toLine } from "./rules.ts";

type DerivedRule = Omit<NewRule, "namedIds">;

export interface DerivableRun {
  readonly task: string;
  readonly steps: readonly unknown[];
  readonly score: number;
}

/** The most rules of each kind from one task. */
const RULES_MAX = 3;
const TASK_CHARS_MAX = 120;
const STEP_CHARS_MAX = 400;

/** @param runs of one task, in the order in which they were recorded */
export function deriveRules(runs: readonly DerivableRun[]): DerivedRule[] {
  const good = runs.filter((run) => run.score >= GOOD_MIN).map(stepsOf);
  const bad = runs.filter((run) => run.score <= BAD_MAX).map(stepsOf);
  if (good.length === 0 || bad.length === 0) return [];
  const task = cut(runs[0]!.task, TASK_CHARS_MAX);
  const make = (section: NewRule["section"], verb: string) => (step: string): DerivedRule => {
    const lesson = `For "${task}", ${verb}: ${cut(step, STEP_CHARS_MAX)}`;
    return { section, lesson, text: lesson, source: "derived" };
  };
  return [
    ...distinct(good, bad).map(make("strategies", "do")),
    ...distinct(bad, good).map(make("pitfalls", "avoid")),
  ];
}

/** Steps that all runs of one group have and no run of the other, as they were first written. */
function distinct(ones: readonly ReadonlyMap<string, string>[], others: readonly ReadonlyMap<string, string>[]) {
  return [...ones[0]!].filter(([key]) => ones.every((run) => run.has(key)) && !others.some((run) => run.has(key)))
    .slice(0, RULES_MAX).map(([, step]) => step);
}

function stepsOf(run: DerivableRun): ReadonlyMap<string, string> {
  const steps = new Map<string, string>();
  for (const step of run.steps) {
    const text = typeof step === "string" ? step : (step as { readonly action?: unknown }).action;
    if (typeof text !== "string") continue;
    const key = normaliseGoal(text);
    if (key !== "" && !steps.has(key)) steps.set(key, text);
  }
  return steps;
}

function cut(text: string, charsMax: number): string {
  const line = toLine(text).replaceAll('"', "'");
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1).toWellFormed()}…`;
}
