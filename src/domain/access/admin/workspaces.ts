/** The operator's view of workspaces. */
import type { Deps, OperationContext } from "../../../context.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import { tellKeysChanged } from "../../../db/queries/api_keys.ts";
import * as queries from "../../../db/queries/workspaces.ts";
import { ServiceError } from "../../../errors.ts";
import type {
  CreateWorkspaceBody,
  UpdateWorkspaceBody,
  Workspace,
  WorkspaceSettings,
} from "../../../schema/admin_workspace.ts";
import type { ListQuery, Page } from "../../../schema/common.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../../common/cursor.ts";
import { forgetZone } from "../../common/zones.ts";
import { chainsOf, inWorkspace, mergePages, SYSTEM_WORKSPACE, systemReads } from "../../common/system.ts";
import { requireVersion } from "../../unit/store.ts";

/**
 * Creates a workspace.
 * @param cluster the cluster to place it on; by default the one that the configuration names
 * @throws ServiceError `validation_failed` when there is no such cluster
 */
export async function createWorkspace(
  ctx: OperationContext,
  body: CreateWorkspaceBody,
  cluster = ctx.deps.config.database.newWorkspacesCluster,
): Promise<Workspace> {
  const workspaceId = uuidv7(ctx.deps.clock());
  await ctx.deps.db.place(workspaceId, cluster);
  return await inWorkspace(ctx, workspaceId).tx(async (tx) => {
    await queries.createWorkspace(tx.sql, { workspaceId, ...body });
    tx.audit({
      eventType: "workspace.created",
      targets: [workspaceId],
      detail: { name: body.name, region: body.region },
      chains: chainsOf(workspaceId),
    });
    return toWorkspace(requireWorkspaceRow(await queries.findWorkspace(tx)));
  });
}

/** Lists workspaces, the newest first unless asked otherwise. */
export async function pageWorkspaces(ctx: OperationContext, query: ListQuery): Promise<Page<Workspace>> {
  const { limit, order } = query;
  const after = decodeCursor("workspaces", order, query.cursor, isId);
  const filter = { order, after, limit: limit + 1 };
  const found = await ctx.deps.db.each((sql) => queries.pageWorkspaces(sql, filter), systemReads(ctx));
  const rows = mergePages(found, filter, (row) => row.workspaceId);
  return toPage(rows, limit, toWorkspace, (row) => encodeCursor("workspaces", order, row.workspaceId));
}

/** @throws ServiceError `not_found` */
export async function getWorkspace(ctx: OperationContext, id: string): Promise<Workspace> {
  const row = await inWorkspace(ctx, id).tx((tx) => queries.findWorkspace(tx), { readOnly: true });
  return toWorkspace(requireWorkspaceRow(row));
}

/**
 * Renames a workspace, or changes its settings. What they allow keys applies from the commit on in every process.
 * @throws ServiceError `not_found`, `version_mismatch`
 */
export async function updateWorkspace(
  ctx: OperationContext,
  id: string,
  { name, settings }: UpdateWorkspaceBody,
  ifMatch: number | undefined,
): Promise<Workspace> {
  const { publicIds, workspace } = await inWorkspace(ctx, id).tx(async (tx) => {
    const row = requireWorkspaceRow(await queries.findWorkspace(tx, true));
    requireVersion(row, ifMatch);
    const restrictedRetentionFrom = beginRetention(row, settings?.restrictedRetentionDays, tx.now);
    await queries.updateWorkspace(tx, {
      ...{ ...row, ...(name !== undefined && { name }), ...settings },
      restrictedRetentionFrom,
      recallDiaryFrom: beginDiary(row, settings?.recallDiaryDays ?? row.recallDiaryDays, tx.now),
    });
    const tell = (eventType: string, detail: Record<string, unknown>) =>
      tx.audit({ eventType, targets: [id], detail, chains: chainsOf(id) });
    if (name !== undefined) tell("workspace.renamed", { name, before: row.name });
    if (settings !== undefined) tell("workspace.settings_changed", { ...settings, before: settingsOf(row) });
    const publicIds = settings === undefined ? [] : await tellKeysChanged(tx);
    return { publicIds, workspace: toWorkspace(requireWorkspaceRow(await queries.findWorkspace(tx))) };
  });
  for (const publicId of publicIds) ctx.deps.verifiedKeys.evict(publicId);
  forgetZone(ctx.deps, id);
  return workspace;
}

/** The grace period before erasure begins, so that somebody can still correct a typing error. */
const RETENTION_GRACE_MS = 86_400_000;

/** The time from which the service erases restricted data. A longer retention than before does not change it. */
function beginRetention(row: queries.WorkspaceListed, days: number | null | undefined, now: Date): Date | null {
  const { restrictedRetentionDays: before, restrictedRetentionFrom: from } = row;
  if (days === undefined) return from;
  if (days === null) return null;
  return before === null || days < before ? new Date(now.getTime() + RETENTION_GRACE_MS) : from;
}

/** The time from which diary entries are shown. If the diary is turned on again, earlier entries stay hidden. */
function beginDiary({ recallDiaryFrom: from }: queries.WorkspaceListed, days: number, now: Date): Date | null {
  return days === 0 ? null : from ?? now;
}

function requireWorkspaceRow(row: queries.WorkspaceListed | undefined): queries.WorkspaceListed {
  // SYSTEM_WORKSPACE is not a workspace that an admin may see or change.
  if (row === undefined || row.workspaceId === SYSTEM_WORKSPACE) {
    throw new ServiceError("not_found", "Cannot find the workspace");
  }
  return row;
}

/**
 * Lists all workspaces, for loops and the command line. With `partial`, those of clusters that cannot be reached are
 * left out.
 */
export function listWorkspaces(deps: Deps, { partial = false } = {}): Promise<queries.WorkspaceRow[]> {
  return deps.db.each(queries.listWorkspaces, { readOnly: true, partial });
}

function toWorkspace(row: queries.WorkspaceListed): Workspace {
  return {
    id: row.workspaceId,
    version: row.version,
    name: row.name,
    region: row.region as Workspace["region"],
    settings: settingsOf(row),
    restrictedRetentionFrom: row.restrictedRetentionFrom?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function settingsOf(row: queries.WorkspaceListed): WorkspaceSettings {
  const { maxSensitivity, rateLimit, auditAddressDays, consolidateEveryHours } = row;
  const { restrictedRetentionDays, recallDiaryDays, predicates, timezone } = row;
  return {
    maxSensitivity,
    rateLimit: rateLimit && { ...rateLimit },
    auditAddressDays,
    consolidateEveryHours,
    restrictedRetentionDays,
    recallDiaryDays,
    predicates,
    timezone,
  };
}
