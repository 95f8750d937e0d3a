/** Consolidation's first step: marks facts whose expiry has passed as expired. */
import { listDueFacts } from "../../db/queries/consolidation.ts";
import { type FactBody, LIVE_STATUSES, statusAt } from "../kinds/facts/fields.ts";
import { expireFacts } from "../kinds/facts/lifecycle.ts";
import { lockFact } from "../kinds/facts/load.ts";
import type { RunningJob } from "./running_job.ts";
import { changedUnit, plannedUnit } from "./job_units.ts";

export async function expireDue(job: RunningJob, most: number): Promise<void> {
  const due = await job.ctx.tx((tx) => listDueFacts<FactBody>(tx, most), { readOnly: true });
  for (const { id } of due) {
    if (job.countOf("expire") >= most) return;
    if (job.hasDone("expire", [id])) continue;
    await job.step(async (tx) => {
      const fact = await lockFact(tx, id);
      if (!(LIVE_STATUSES as string[]).includes(fact.status) || statusAt(fact, tx.now) !== "expired") return undefined;
      const reason = `its expiry was ${fact.expiresAt!.toISOString()}`;
      if (job.isDryRun) return { kind: "expire", reason, units: [plannedUnit(fact, "expired")], undo: null };
      const [expired] = await expireFacts(tx, [fact]);
      const units = [changedUnit(fact, expired!, "expired")];
      return { kind: "expire", reason, units, undo: `POST /v1/facts/${id}/restore` };
    });
  }
}
