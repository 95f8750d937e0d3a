/** `/v1/memory/agents` */
import * as agents from "../../../operations/agents.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Agents",
  section: "Agents",
  description: "Which agents use the memory.",
};

export const listAgents = route("get", "/memory/agents", agents.listAgents);
