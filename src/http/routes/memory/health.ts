/** `/v1/memory/health` */
import * as health from "../../../operations/health.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = {
  name: "Health",
  section: "Upkeep",
  description: "The health of a workspace, now and over time.",
};

export const getMemoryHealth = route("get", "/memory/health", health.getMemoryHealth);
export const listHealthHistory = route("get", "/memory/health/history", health.listHealthHistory);
