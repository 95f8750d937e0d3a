/** Strategies: what to do in a kind of situation. Interface §4.3, decisions §6 "memory/strategies". */
import { STRATEGIES } from "../../../domain/kinds/strategies.ts";
import {
  CreateStrategyBody,
  ListStrategiesQuery,
  Strategy,
  StrategyPage,
  UpdateStrategyBody,
} from "../../../schema/strategy.ts";
import {
  archiveEndpoint,
  createEndpoint,
  createManyEndpoint,
  forgetEndpoint,
  getEndpoint,
  listEndpoint,
  restoreEndpoint,
  revisionsEndpoint,
  type UnitFace,
  updateEndpoint,
} from "../../unit_endpoints.ts";

const face: UnitFace = {
  kind: STRATEGIES,
  path: "/memory/strategies",
  one: "Strategy",
  many: "Strategies",
  article: "a strategy",
  plural: "strategies",
  unit: Strategy,
  page: StrategyPage,
  createBody: CreateStrategyBody,
  updateBody: UpdateStrategyBody,
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

export const createStrategy = createEndpoint(face);
export const listStrategies = listEndpoint(face);
export const getStrategy = getEndpoint(face);
export const updateStrategy = updateEndpoint(face);
export const archiveStrategy = archiveEndpoint(face);
export const createStrategies = createManyEndpoint(face);
export const forgetStrategy = forgetEndpoint(face);
export const restoreStrategy = restoreEndpoint(face);
export const listStrategyRevisions = revisionsEndpoint(face);
