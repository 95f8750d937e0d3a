/** The one list of RPCs. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import type { UnaryRpc } from "../unary.ts";
import { forget, remember } from "./facts.ts";
import { getHealth } from "./health.ts";
import { recall } from "./recall.ts";
import { recordReasoning, resolveReasoning } from "./reasoning.ts";
import { selfEdit } from "./self.ts";
import { createTask, recordEvent, updateTask } from "./tasks.ts";

/** Every method of the service has to be here: one that is missing does not compile. */
const METHODS: Record<keyof typeof SvcService.method, UnaryRpc> = {
  recall,
  remember,
  forget,
  resolveReasoning,
  recordReasoning,
  createTask,
  updateTask,
  recordEvent,
  selfEdit,
  getHealth,
};

export const RPCS: readonly UnaryRpc[] = Object.values(METHODS);
