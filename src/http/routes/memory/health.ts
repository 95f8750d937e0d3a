/** `/v1/memory/health` */
import * as health from "../../../operations/health.ts";
import { type Group, route } from "../../route.ts";

export const GROUP: Group = { name: "memory/health", description: "The health snapshot of a workspace" };

export const getMemoryHealth = route("get", "/memory/health", health.getMemoryHealth);
export const listHealthHistory = route("get", "/memory/health/history", health.listHealthHistory);
