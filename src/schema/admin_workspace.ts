/** Workspaces as they are administered. Interface §2.2 "Workspace", decisions §6 "keys, workspaces". */
import { z } from "zod";
import { REGIONS } from "./regions.ts";
import { Id, ListQuery, pageOf, Timestamp } from "./common.ts";

const Name = z.string().min(1).max(200).refine((text) => text.trim().length > 0, "must not be blank");
const Region = z.enum(REGIONS).meta({ id: "Region", description: "It never changes" });

export const Workspace = z.strictObject({
  id: Id,
  version: z.int().min(1),
  name: z.string(),
  region: Region,
  createdAt: Timestamp,
  updatedAt: Timestamp,
}).meta({ id: "Workspace" });
export type Workspace = z.infer<typeof Workspace>;
export const WorkspacePage = pageOf(Workspace).meta({ id: "WorkspacePage" });

export const CreateWorkspaceBody = z.strictObject({ name: Name, region: Region });
export type CreateWorkspaceBody = z.infer<typeof CreateWorkspaceBody>;

export const UpdateWorkspaceBody = z.strictObject({ name: Name });
export type UpdateWorkspaceBody = z.infer<typeof UpdateWorkspaceBody>;

export const ListWorkspacesQuery = ListQuery;
export const WorkspaceParams = z.strictObject({ id: Id.meta({ description: "The workspace" }) });
