/**
 * The one list of route modules. `/v1/memory/facts/…` is in `memory/facts.ts`, `/v1/admin/keys/…` in `admin/keys.ts`, any
 * other path in the file of its first part. A module exports its `GROUP` and endpoints, each under its operation's id.
 */
export * as adminApiKeys from "./admin/api_keys.ts";
export * as adminBreakGlass from "./admin/break_glass.ts";
export * as adminKeys from "./admin/keys.ts";
export * as adminWorkspaces from "./admin/workspaces.ts";
export * as audit from "./audit.ts";
export * as decisions from "./decisions.ts";
export * as docs from "./docs.ts";
export * as entities from "./entities.ts";
export * as episodes from "./episodes.ts";
export * as exports from "./export.ts";
export * as facts from "./facts.ts";
export * as graph from "./graph.ts";
export * as health from "./health.ts";
export * as healthz from "./healthz.ts";
export * as imports from "./import.ts";
export * as memoryAdmin from "./memory/admin.ts";
export * as memoryChanges from "./memory/changes.ts";
export * as memoryDecisions from "./memory/decisions.ts";
export * as memoryEntities from "./memory/entities.ts";
export * as memoryEpisodes from "./memory/episodes.ts";
export * as memoryEvents from "./memory/events.ts";
export * as memoryFacts from "./memory/facts.ts";
export * as memoryFederation from "./memory/federation.ts";
export * as memoryGovernance from "./memory/governance.ts";
export * as memoryHealth from "./memory/health.ts";
export * as memoryProcedural from "./memory/procedural.ts";
export * as memoryReasoning from "./memory/reasoning.ts";
export * as memoryRecall from "./memory/recall.ts";
export * as memoryRelations from "./memory/relations.ts";
export * as memorySkills from "./memory/skills.ts";
export * as memoryStrategies from "./memory/strategies.ts";
export * as memoryTasks from "./memory/tasks.ts";
export * as memoryTimeline from "./memory/timeline.ts";
export * as memoryUnits from "./memory/units.ts";
export * as memoryWorkflows from "./memory/workflows.ts";
export * as metrics from "./metrics.ts";
export * as openapiJson from "./openapi_json.ts";
export * as recall from "./recall.ts";
export * as relations from "./relations.ts";
export * as review from "./review.ts";
export * as self from "./self.ts";
export * as session from "./session.ts";
export * as stream from "./stream.ts";
export * as timeline from "./timeline.ts";
