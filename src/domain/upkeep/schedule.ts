/** Scheduled consolidation: as often as the workspace says, behind the gate. */
import type { OperationContext } from "../../context.ts";
import { readLastAskedAt } from "../../db/queries/jobs.ts";
import { lockNames } from "../../db/queries/units.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { insertJob } from "./jobs.ts";
import { GATE_LOCK, isHeld, readGate } from "./consolidation_guard.ts";

const HOUR_MS = 3_600_000;
const READ_ONLY = { readOnly: true };

/**
 * Queues a consolidation if the workspace has an interval and the last request, by anybody, is that long ago; returns
 * its job. A closed gate postpones it until the gate is open; a dry run does not count. If several processes check at
 * the same time, one queues it.
 */
export async function consolidateWhenDue(ctx: OperationContext): Promise<string | undefined> {
  if (await ctx.tx(findDueHours, READ_ONLY) === undefined) return undefined;
  const gate = await readGate(ctx);
  if (gate.state !== "open") return undefined;
  return await ctx.tx(async (tx) => {
    // Another process may have queued one, or somebody may hold the gate, since it was read.
    await lockNames(tx, [GATE_LOCK]);
    const everyHours = await findDueHours(tx);
    if (everyHours === undefined || await isHeld(tx)) return undefined;
    const row = await insertJob(ctx, tx, "consolidate", { dryRun: false, force: false, gate: gate.conditions });
    if (row === undefined) return undefined;
    tx.audit({ eventType: "consolidation.scheduled", targets: [row.id], detail: { everyHours } });
    return row.id;
  });
}

/** The workspace's interval if a consolidation is due now; undefined if none is due. */
async function findDueHours(tx: Tx): Promise<number | undefined> {
  const everyHours = (await findWorkspace(tx))?.consolidateEveryHours ?? null;
  if (everyHours === null) return undefined;
  const last = await readLastAskedAt(tx, "consolidate");
  return last === null || tx.now.getTime() - last.getTime() >= everyHours * HOUR_MS ? everyHours : undefined;
}
