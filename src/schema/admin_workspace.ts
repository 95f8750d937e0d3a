/** Workspaces as they are administered. */
import { z } from "zod";
import { KeyRateLimit } from "./admin_key.ts";
import { REGIONS } from "./regions.ts";
import { Id, ListQuery, pageOf, Sensitivity, Timestamp, TimeZone } from "./common.ts";

const DAYS_MAX = 3_650;
const CONSOLIDATE_HOURS_MAX = 720;

const Name = z.string().min(1).max(200).refine((text) => text.trim().length > 0, "must not be blank");
const Region = z.enum(REGIONS).meta({ id: "Region", description: "It never changes" });

/** Most days for which a recall is kept in the diary. */
export const RECALL_DIARY_DAYS_MAX = 90;

const PREDICATES_MAX = 500;
const Predicates = z.record(
  z.string().min(1).max(200).refine((name) => name.trim().length > 0, "must not be blank"),
  z.strictObject({ exclusive: z.boolean() }),
).refine((predicates) => Object.keys(predicates).length <= PREDICATES_MAX, `must have at most ${PREDICATES_MAX} names`);

const SETTINGS = {
  maxSensitivity: Sensitivity.meta({ description: "No key sees rows above this, whatever its own clearance" }),
  rateLimit: KeyRateLimit.nullable().meta({
    description: "The rate limit of keys without one of their own; null: the limit that the service is configured with",
  }),
  auditAddressDays: z.int().min(1).max(DAYS_MAX).nullable().meta({
    description: "The audit log deletes callers' addresses after this many days; null: it keeps them",
  }),
  consolidateEveryHours: z.int().min(1).max(CONSOLIDATE_HOURS_MAX).nullable().meta({
    description:
      "Consolidates when the last consolidation was requested this many hours ago, as soon as the gate is open; null: only on request",
  }),
  restrictedRetentionDays: z.int().min(1).max(DAYS_MAX).nullable().meta({
    description:
      "Erases restricted units, sessions, tasks, events and chains of reasoning that nobody has changed for this many days, from `restrictedRetentionFrom` on; null: keeps them. Each resource has its own age. Units that were derived from an erased one become stale and stay until they are due themselves. An entity stays while a text in force, a relation or a merged record of it is younger. Imported data is as old as its import. Recommended for restricted data: 90",
  }),
  recallDiaryDays: z.int().min(0).max(RECALL_DIARY_DAYS_MAX).meta({
    description:
      "Keeps each recall for this many days: what was asked, by whom, and which ids it showed with which scores (`GET /v1/memory/recalls`). 0, the default: keeps none, and deletes those that were kept within minutes; they cannot be read any more at once. A change takes effect in all processes within seconds",
  }),
  predicates: Predicates.meta({
    description:
      "How many values predicates of facts have at a time, by their names; capitals, spaces, hyphens and underscores do not matter. `exclusive: true`: one, so that a new value replaces the last. `exclusive: false`: several, which stand beside each other. Counts before the defaults of the service, for facts that are stated from then on; a change replaces the whole value",
    examples: [{ "deploys to": { exclusive: true }, "works at": { exclusive: false } }],
  }),
  timezone: TimeZone.nullable().meta({
    description:
      'Where the people of the workspace are. The days that a query names ("yesterday", "June 10") and those that a turn means are days of this zone, unless the request, the session or the time says another; null: of UTC. A change takes effect in all processes within seconds, for turns that are added from then on',
  }),
};
export const WorkspaceSettings = z.strictObject(SETTINGS).meta({
  id: "WorkspaceSettings",
  description: "Settings that hold for the whole workspace, whatever its keys say",
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export const Workspace = z.strictObject({
  id: Id,
  version: z.int().min(1),
  name: z.string(),
  region: Region,
  settings: WorkspaceSettings,
  restrictedRetentionFrom: Timestamp.nullable().meta({
    description: "When erasing begins: a day after the days were set or reduced; null: restricted data is kept",
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: "Workspace", description: "A workspace and its settings" });
export type Workspace = z.infer<typeof Workspace>;
export const WorkspacePage = pageOf(Workspace).meta({ id: "WorkspacePage" });

export const CreateWorkspaceBody = z.strictObject({ name: Name, region: Region }).meta({ id: "CreateWorkspaceBody" });
export type CreateWorkspaceBody = z.infer<typeof CreateWorkspaceBody>;

const changesSomething = (body: object) => Object.keys(body).length > 0;
export const UpdateWorkspaceBody = z.strictObject({
  name: Name.optional(),
  settings: z.strictObject({
    maxSensitivity: SETTINGS.maxSensitivity.optional(),
    rateLimit: SETTINGS.rateLimit.optional(),
    auditAddressDays: SETTINGS.auditAddressDays.optional(),
    consolidateEveryHours: SETTINGS.consolidateEveryHours.optional(),
    restrictedRetentionDays: SETTINGS.restrictedRetentionDays.optional(),
    recallDiaryDays: SETTINGS.recallDiaryDays.optional(),
    predicates: SETTINGS.predicates.optional(),
    timezone: SETTINGS.timezone.optional(),
  }).refine(changesSomething, "must change something").optional().meta({
    description: "The settings to change; others stay",
  }),
}).refine(changesSomething, "must change something").meta({ id: "UpdateWorkspaceBody" });
export type UpdateWorkspaceBody = z.infer<typeof UpdateWorkspaceBody>;

export const ListWorkspacesQuery = ListQuery;
export const WorkspaceParams = z.strictObject({ id: Id.meta({ description: "The workspace" }) });
