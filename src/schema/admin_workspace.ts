/** Workspaces as they are administered. */
import { z } from "zod";
import { KeyRateLimit } from "./admin_key.ts";
import { REGIONS } from "./regions.ts";
import { Id, ListQuery, pageOf, Sensitivity, Timestamp } from "./common.ts";

const DAYS_MAX = 3_650;
const CONSOLIDATE_HOURS_MAX = 720;

const Name = z.string().min(1).max(200).refine((text) => text.trim().length > 0, "must not be blank");
const Region = z.enum(REGIONS).meta({ id: "Region", description: "It never changes" });

const SETTINGS = {
  maxSensitivity: Sensitivity.meta({ description: "No key sees rows above it, whatever its own clearance" }),
  rateLimit: KeyRateLimit.nullable().meta({
    description: "Of keys that have none of their own; null: the service's own",
  }),
  auditAddressDays: z.int().min(1).max(DAYS_MAX).nullable().meta({
    description: "Callers' addresses in the audit log are forgotten after so many days; null: they are kept",
  }),
  consolidateEveryHours: z.int().min(1).max(CONSOLIDATE_HOURS_MAX).nullable().meta({
    description:
      "The memory is consolidated when the last consolidation was asked for so many hours ago, as soon as the " +
      "gate is open; null: only when somebody asks",
  }),
  restrictedRetentionDays: z.int().min(1).max(DAYS_MAX).nullable().meta({
    description:
      "Restricted units, sessions, tasks, events and chains of reasoning that nobody has changed for so many days are " +
      "erased for good, each for its own age, beginning at `restrictedRetentionFrom`; null: they are kept. Units that were derived from them " +
      "become stale and stay until they are due themselves, an entity stays while a text in force, a relation or a merged " +
      "record of it is younger, and what was imported is as old as its storing here. 90 is recommended where restricted " +
      "data is kept at all",
  }),
};
export const WorkspaceSettings = z.strictObject(SETTINGS).meta({
  id: "WorkspaceSettings",
  description: "What holds for the whole workspace, whatever its keys say",
});
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>;

export const Workspace = z.strictObject({
  id: Id,
  version: z.int().min(1),
  name: z.string(),
  region: Region,
  settings: WorkspaceSettings,
  restrictedRetentionFrom: Timestamp.nullable().meta({
    description:
      "From when on restricted data is erased: a day after the days were set or made fewer; null: it is kept",
  }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;
export const WorkspacePage = pageOf(Workspace).meta({ id: "WorkspacePage" });

export const CreateWorkspaceBody = z.strictObject({ name: Name, region: Region });
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
  }).refine(changesSomething, "must change something").optional().meta({ description: "Those that are to change" }),
}).refine(changesSomething, "must change something");
export type UpdateWorkspaceBody = z.infer<typeof UpdateWorkspaceBody>;

export const ListWorkspacesQuery = ListQuery;
export const WorkspaceParams = z.strictObject({ id: Id.meta({ description: "The workspace" }) });
