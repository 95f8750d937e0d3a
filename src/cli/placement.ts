/** `svc workspace place`, `move` and `purge`: show which cluster a workspace is on, and move it to another. */
import type { Command } from "commander";
import type { Deps } from "../context.ts";
import { Mover } from "../db/move_workspace.ts";
import { ownerConnectionsOf } from "../db/connections.ts";
import { chainsOf, inWorkspace } from "../domain/common/system.ts";
import { getWorkspace } from "../domain/access/admin/workspaces.ts";
import { ServiceError } from "../errors.ts";
import { systemContext } from "./operator.ts";
import { parseId } from "./parse.ts";
import { parseCount } from "./parse_count.ts";
import type { CliParts } from "./parts.ts";

const GRACE_SECONDS = 3_600;
const PAUSE_SECONDS = 10;

export function addPlacementCommands(workspace: Command, { withDeps, print, remark }: CliParts): void {
  const id = ["<workspaceId>", "id of the workspace", parseId] as const;
  workspace.command("place").description("show on which cluster a workspace is, and what is left of its last move")
    .argument(...id)
    .action((workspaceId: string) =>
      withDeps(async (deps) => {
        await using mover = moverOf(deps, remark);
        const move = (await mover.list()).find((one) => one.id === workspaceId) ?? null;
        // During a move there may be no cluster that serves the workspace.
        if (move === null) await getWorkspace(systemContext(deps), workspaceId);
        print({ workspaceId, cluster: await deps.db.clusterOf(workspaceId), move });
      })
    );
  workspace.command("move").description(
    "move a workspace to another cluster while it is in use; run it again when it was interrupted",
  )
    .argument(...id)
    .requiredOption("--to <cluster>", "name of the cluster; `home` is that of DATABASE_URL")
    .option("--pause-seconds <seconds>", "longest time for which writes may wait", parseCount(1, 600), PAUSE_SECONDS)
    .option("--abandon", "end a move that has not switched, and delete what was copied")
    .action((workspaceId: string, options: MoveCommandOptions) =>
      withDeps(async (deps) => {
        if (options.abandon) return await abandonMove(deps, workspaceId, options.to, remark);
        print(await moveWorkspace(deps, workspaceId, options, remark));
      })
    );
  workspace.command("purge").description("delete what a moved workspace left on its former cluster")
    .argument(...id)
    .option(
      "--grace-seconds <seconds>",
      "how long ago the switch must be: what began to read before it has ended by then",
      parseCount(0),
      GRACE_SECONDS,
    )
    .action((workspaceId: string, { graceSeconds }: { graceSeconds: number }) =>
      withDeps(async (deps) => {
        await using mover = moverOf(deps, remark);
        await recordBegun(deps, workspaceId, "workspace.purge_begun", {});
        const purged = await mover.purge(workspaceId, graceSeconds);
        await record(deps, workspaceId, "workspace.purged_after_move", purged);
        print({ workspaceId, ...purged });
      })
    );
}

interface MoveCommandOptions {
  readonly to: string;
  readonly pauseSeconds: number;
  readonly abandon?: true;
}

async function moveWorkspace(
  deps: Deps,
  workspaceId: string,
  { to, pauseSeconds }: MoveCommandOptions,
  remark: CliParts["remark"],
) {
  if (!deps.db.clusters.has(to)) {
    throw new ServiceError("validation_failed", `Cannot move the workspace: there is no cluster ${to}`);
  }
  await using mover = moverOf(deps, remark, pauseSeconds);
  await recordBegun(deps, workspaceId, "workspace.move_begun", { target: to });
  const { source, target, pausedMs, hasSwitched } = await mover.move(workspaceId, to);
  if (hasSwitched) await record(deps, workspaceId, "workspace.moved", { source, target });
  return { workspaceId, source, target, writesPausedMs: pausedMs === undefined ? null : Math.round(pausedMs) };
}

async function abandonMove(
  deps: Deps,
  workspaceId: string,
  to: string,
  remark: CliParts["remark"],
): Promise<void> {
  await using mover = moverOf(deps, remark);
  await mover.abandon(workspaceId);
  await record(deps, workspaceId, "workspace.move_abandoned", { target: to });
}

function moverOf({ config }: Deps, remark: CliParts["remark"], pauseSeconds = PAUSE_SECONDS): Mover {
  return new Mover({
    ways: ownerConnectionsOf(config),
    pauseSeconds,
    tell: (progress) => remark(JSON.stringify(progress)),
  });
}

/** Writes to the service's audit chain before anything is done, so that the chain also records a run that is killed. */
async function recordBegun(deps: Deps, workspaceId: string, eventType: string, detail: Record<string, unknown>) {
  await systemContext(deps).tx((tx) => {
    tx.audit({ eventType, targets: [workspaceId], detail });
    return Promise.resolve();
  });
}

/** Writes to the audit chain of the workspace, on the cluster where it is now, and to that of the service. */
async function record(deps: Deps, workspaceId: string, eventType: string, detail: Record<string, unknown>) {
  await inWorkspace(systemContext(deps), workspaceId).tx((tx) => {
    tx.audit({ eventType, targets: [workspaceId], detail, chains: chainsOf(workspaceId) });
    return Promise.resolve();
  });
}
