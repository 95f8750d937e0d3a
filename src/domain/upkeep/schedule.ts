/** Consolidation that nobody has to ask for: as often as the workspace says, behind the gate. */
import type { OperationContext } from "../../context.ts";
import { readLastAskedAt } from "../../db/queries/jobs.ts";
import { lockNames } from "../../db/queries/units.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { insertJob } from "./jobs.ts";
import { GATE_LOCK, isHeld, readGate } from "./gate.ts";

const HOUR_MS = 3_600_000;
const READ_ONLY = { readOnly: true };

/**
 * Queues a consolidation where the workspace says how often and the last one was asked for so long ago, by whomever, and
 * answers its job. A closed gate puts it off until the gate is open; a dry run does not count. Of several processes that
 * look at the same time one queues it.
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
