/** Strategies: what to do in a kind of situation. */
import { STRATEGIES } from "../domain/kinds/strategies.ts";
import { ListStrategiesQuery, StrategyPage } from "../schema/strategy.ts";
import * as unit from "./kind.ts";

const STRATEGY: unit.RevisedKindWords = {
  kind: STRATEGIES,
  one: "Strategy",
  many: "Strategies",
  article: "a strategy",
  plural: "strategies",
  page: StrategyPage,
  listQuery: ListStrategiesQuery,
  updateDescription: "An archived one is restored by `status: active`, alone or with other changes.",
  createExample: {
    name: "Bisect before reading",
    situation: "A test that passed last week fails, and the change that broke it is not known.",
    pattern: "Run a bisection over the commits of the week before reading any code.",
    outcome: "The cause is found in minutes.",
    successCount: 3,
    tags: ["debugging"],
  },
  updateExample: { successCount: 4, reason: "it worked again" },
};

export const createStrategy = unit.creating(STRATEGY);
export const listStrategies = unit.listing(STRATEGY);
export const getStrategy = unit.getting(STRATEGY);
export const updateStrategy = unit.updating(STRATEGY);
export const archiveStrategy = unit.archiving(STRATEGY);
export const createStrategies = unit.creatingMany(STRATEGY);
export const forgetStrategy = unit.forgetting(STRATEGY);
export const restoreStrategy = unit.restoring(STRATEGY);
export const listStrategyRevisions = unit.listingRevisions(STRATEGY);
