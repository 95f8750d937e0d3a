/**
 * The registry: route modules by URL prefix. A route module exports endpoints and nothing else; the type enforces it,
 * and a test holds every path against its module's prefix and every export's name against its `operationId`.
 */
import type { Endpoint } from "../endpoint.ts";
import * as adminApiKeys from "./admin/api_keys.ts";
import * as adminBreakGlass from "./admin/break_glass.ts";
import * as adminKeys from "./admin/keys.ts";
import * as adminWorkspaces from "./admin/workspaces.ts";
import * as audit from "./audit.ts";
import * as decisions from "./decisions.ts";
import * as docs from "./docs.ts";
import * as entities from "./entities.ts";
import * as episodes from "./episodes.ts";
import * as exports from "./export.ts";
import * as facts from "./facts.ts";
import * as graph from "./graph.ts";
import * as health from "./health.ts";
import * as memoryAdminConsolidate from "./memory/admin/consolidate.ts";
import * as memoryAdminJobs from "./memory/admin/jobs.ts";
import * as imports from "./import.ts";
import * as memoryAdminExport from "./memory/admin/export.ts";
import * as memoryAdminImport from "./memory/admin/import.ts";
import * as memoryAdminStats from "./memory/admin/stats.ts";
import * as memoryChanges from "./memory/changes.ts";
import * as memoryDecisions from "./memory/decisions.ts";
import * as memoryEntities from "./memory/entities.ts";
import * as memoryEpisodes from "./memory/episodes.ts";
import * as memoryEvents from "./memory/events.ts";
import * as memoryFacts from "./memory/facts.ts";
import * as memoryGovernance from "./memory/governance.ts";
import * as memoryHealth from "./memory/health.ts";
import * as memoryProcedural from "./memory/procedural.ts";
import * as memoryReasoning from "./memory/reasoning.ts";
import * as memoryRecall from "./memory/recall.ts";
import * as memoryRelations from "./memory/relations.ts";
import * as memorySkills from "./memory/skills.ts";
import * as memoryStrategies from "./memory/strategies.ts";
import * as memoryTasks from "./memory/tasks.ts";
import * as memoryUnits from "./memory/units.ts";
import * as memoryTimeline from "./memory/timeline.ts";
import * as memoryWorkflows from "./memory/workflows.ts";
import * as operations from "./operations.ts";
import * as recall from "./recall.ts";
import * as relations from "./relations.ts";
import * as review from "./review.ts";
import * as self from "./self.ts";
import * as session from "./session.ts";
import * as stream from "./stream.ts";
import * as timeline from "./timeline.ts";

export const ROUTE_MODULES: Readonly<Record<`/${string}`, Readonly<Record<string, Endpoint>>>> = {
  "/": operations,
  "/v1": docs,
  "/v1/admin/api-keys": adminApiKeys,
  "/v1/admin/break-glass": adminBreakGlass,
  "/v1/admin/keys": adminKeys,
  "/v1/admin/workspaces": adminWorkspaces,
  "/v1/audit": audit,
  "/v1/decisions": decisions,
  "/v1/entities": entities,
  "/v1/episodes": episodes,
  "/v1/export": exports,
  "/v1/facts": facts,
  "/v1/graph": graph,
  "/v1/health": health,
  "/v1/memory/admin/consolidate": memoryAdminConsolidate,
  "/v1/memory/admin/jobs": memoryAdminJobs,
  "/v1/import": imports,
  "/v1/memory/admin/export": memoryAdminExport,
  "/v1/memory/admin/import": memoryAdminImport,
  "/v1/memory/admin/stats": memoryAdminStats,
  "/v1/memory/changes": memoryChanges,
  "/v1/memory/decisions": memoryDecisions,
  "/v1/memory/entities": memoryEntities,
  "/v1/memory/episodes": memoryEpisodes,
  "/v1/memory/events": memoryEvents,
  "/v1/memory/facts": memoryFacts,
  "/v1/memory/governance": memoryGovernance,
  "/v1/memory/health": memoryHealth,
  "/v1/memory/procedural": memoryProcedural,
  "/v1/memory/reasoning": memoryReasoning,
  "/v1/memory/recall": memoryRecall,
  "/v1/memory/relations": memoryRelations,
  "/v1/memory/skills": memorySkills,
  "/v1/memory/strategies": memoryStrategies,
  "/v1/memory/tasks": memoryTasks,
  "/v1/memory/units": memoryUnits,
  "/v1/memory/timeline": memoryTimeline,
  "/v1/memory/workflows": memoryWorkflows,
  "/v1/recall": recall,
  "/v1/relations": relations,
  "/v1/review": review,
  "/v1/self": self,
  "/v1/session": session,
  "/v1/stream": stream,
  "/v1/timeline": timeline,
};

export const ENDPOINTS: readonly Endpoint[] = Object.values(ROUTE_MODULES).flatMap((module) => Object.values(module));
