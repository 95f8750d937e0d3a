/** Strategies: what to do in a kind of situation, and how often it worked. */
import type { CreateStrategyBody, ListStrategiesQuery, UpdateStrategyBody } from "../../schema/strategy.ts";
import { labelled, textsOf, type UnitKind } from "../unit/kind.ts";

/** The typed rest of a strategy, as the row keeps it. */
export type StrategyBody = {
  readonly name: string;
  readonly situation: string;
  readonly pattern: string;
  readonly outcome: string | null;
  readonly successCount: number;
  readonly failureCount: number;
};

export const STRATEGIES: UnitKind<StrategyBody, CreateStrategyBody, UpdateStrategyBody, ListStrategiesQuery> = {
  type: "strategy",
  called: ["name"],
  people: [],
  terms: [],
  content: ["name", "situation", "pattern", "outcome"],
  listed: ["active"],
  editable: ["active"],
  transitions: { archived: ["active"] },
  statusOf: () => "active",
  toBody: ({ name, situation, pattern, outcome, successCount, failureCount }) => ({
    name,
    situation,
    pattern,
    outcome: outcome ?? null,
    successCount,
    failureCount,
  }),
  patchBody: (body, patch) => ({
    name: patch.name ?? body.name,
    situation: patch.situation ?? body.situation,
    pattern: patch.pattern ?? body.pattern,
    outcome: patch.outcome === undefined ? body.outcome : patch.outcome,
    successCount: patch.successCount ?? body.successCount,
    failureCount: patch.failureCount ?? body.failureCount,
  }),
  textOf: (body) =>
    textsOf([
      body.name,
      labelled("Situation", body.situation),
      labelled("Pattern", body.pattern),
      labelled("Outcome", body.outcome),
    ]),
  filterOf: ({ name }) => name === undefined ? {} : { bodyContains: { name } },
};
