/** The one list of RPCs. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import type { Rpc } from "../rpc.ts";
import { forget, remember } from "./facts.ts";
import { federationSync } from "./federation.ts";
import { getHealth } from "./health.ts";
import { importMemory, ingestBatch } from "./ingest.ts";
import { recall } from "./recall.ts";
import { recordReasoning, resolveReasoning } from "./reasoning.ts";
import { selfEdit } from "./self.ts";
import { session } from "./session.ts";
import { createTask, recordEvent, updateTask } from "./tasks.ts";
import { streamHealth, watchMemory, watchTasks } from "./watch.ts";
import { whoami } from "./whoami.ts";

/** Every method of the service has to be here: the program does not compile without one. */
const METHODS: Record<keyof typeof SvcService.method, Rpc> = {
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
  watchMemory,
  watchTasks,
  streamHealth,
  ingestBatch,
  importMemory,
  session,
  federationSync,
  whoami,
};

export const RPCS: readonly Rpc[] = Object.values(METHODS);
