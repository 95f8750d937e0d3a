/** `/v1/memory/strategies` */
import * as strategies from "../../../operations/strategies.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Strategies",
  section: "Knowledge",
  description: "What to do in a kind of situation, and how often it worked.",
};

export const createStrategy = route("post", "/memory/strategies", strategies.createStrategy);
export const listStrategies = route("get", "/memory/strategies", strategies.listStrategies);
export const getStrategy = route("get", "/memory/strategies/{id}", strategies.getStrategy);
export const updateStrategy = route("patch", "/memory/strategies/{id}", strategies.updateStrategy);
export const archiveStrategy = route("delete", "/memory/strategies/{id}", strategies.archiveStrategy);
export const createStrategies = route("post", "/memory/strategies/batch", strategies.createStrategies);
export const forgetStrategy = route("post", "/memory/strategies/{id}/forget", strategies.forgetStrategy);
export const restoreStrategy = route("post", "/memory/strategies/{id}/restore", strategies.restoreStrategy);
export const listStrategyRevisions = route(
  "get",
  "/memory/strategies/{id}/revisions",
  strategies.listStrategyRevisions,
);
