/** Consolidation archives worthless units, but none that are pinned, user_stated, verified or under review. */
import { listWorthless, type WorthlessFilter } from "../../db/queries/consolidation.ts";
import { lockUnits } from "../kinds/any_unit.ts";
import { REGISTRY, typesWhere } from "../kinds/registry.ts";
import { archive } from "../unit/archive.ts";
import type { RunningJob } from "./running_job.ts";
import { changedUnit, plannedUnit } from "./job_units.ts";
import { PROTECTED_ATTRIBUTIONS } from "../unit/trust.ts";

const DAY_MS = 86_400_000;
const TYPES = typesWhere(({ worth }) => worth.isArchived);
const STATUSES = ["active", "probationary"];

export async function archiveWorthless(job: RunningJob, most: number): Promise<void> {
  const { archiveWorthMax, archiveAgeDays } = job.ctx.deps.config.governance;
  const filter: WorthlessFilter = {
    types: TYPES,
    statuses: STATUSES,
    protectedAttributions: PROTECTED_ATTRIBUTIONS,
    worthMax: archiveWorthMax,
    before: new Date(job.ctx.deps.clock().getTime() - archiveAgeDays * DAY_MS),
  };
  const found = await job.ctx.tx((tx) => listWorthless(tx, filter, most), { readOnly: true });
  for (const { id, type } of found) {
    if (job.countOf("archive") >= most) return;
    if (job.hasDone("archive", [id])) continue;
    await job.step(async (tx) => {
      const [unit] = await lockUnits(tx, [id]);
      // Somebody may have used, pinned or disputed it since it was found.
      const [still] = await listWorthless(tx, filter, 1, id);
      if (unit === undefined || still === undefined) return undefined;
      const reason = `it is worth ${unit.worth.toFixed(3)}, less than ${archiveWorthMax}, and was not touched for ` +
        `${archiveAgeDays} days`;
      if (job.isDryRun) return { kind: "archive", reason, units: [plannedUnit(unit, "archived")], undo: null };
      const after = await archive<unknown>(tx, unit, { reason: `${reason} (job ${job.row.id})` });
      const undo = REGISTRY[type].restoredBy?.replace("{id}", id) ?? `POST /v1/memory/admin/jobs/${job.row.id}/revert`;
      return { kind: "archive", reason, units: [changedUnit(unit, after, "archived")], undo };
    });
  }
}
