/** `/v1/memory/procedural` */
import * as procedural from "../../../operations/procedural.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Playbooks",
  section: "Agents",
  description: "Rules that an agent learns from its runs. A new version has to prove itself.",
};

export const optimizePlaybook = route("post", "/memory/procedural/optimize", procedural.optimizePlaybook);
export const getPrompt = route("get", "/memory/procedural/prompt/{agent}", procedural.getPrompt);
export const listPromptHistory = route(
  "get",
  "/memory/procedural/prompt/{agent}/history",
  procedural.listPromptHistory,
);
export const diffPrompts = route("get", "/memory/procedural/prompt/{agent}/diff", procedural.diffPrompts);
export const rollbackPrompt = route("post", "/memory/procedural/prompt/{agent}/rollback", procedural.rollbackPrompt);
export const listPlaybookRules = route("get", "/memory/procedural/prompt/{agent}/rules", procedural.listPlaybookRules);
export const updatePlaybookRule = route(
  "patch",
  "/memory/procedural/prompt/{agent}/rules/{rule}",
  procedural.updatePlaybookRule,
);
