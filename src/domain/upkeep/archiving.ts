/** Consolidation archives what is worth nothing: never what is pinned, user_stated, verified or under review. */
import { listWorthless, type WorthlessFilter } from "../../db/queries/consolidation.ts";
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/scope.ts";
import type { FactRow } from "../kinds/facts/fields.ts";
import { putAway } from "../kinds/facts/lifecycle.ts";
import { lockFact } from "../kinds/facts/load.ts";
import { typesWhere } from "../kinds/registry.ts";
import type { RunningJob } from "./running_job.ts";
import { requireUnit, reviseUnit } from "../unit/store.ts";
import { changedUnit, plannedUnit } from "./job_units.ts";
import { PROTECTED_ATTRIBUTIONS } from "./merging.ts";

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
      const unit = type === "fact" ? await lockFact(tx, id) : await requireUnit(tx, type, id, { lock: "update" });
      // Somebody may have used, pinned or disputed it since it was found.
      const [still] = await listWorthless(tx, filter, 1, id);
      if (still === undefined) return undefined;
      const reason = `it is worth ${unit.worth.toFixed(3)}, less than ${archiveWorthMax}, and was not touched for ` +
        `${archiveAgeDays} days`;
      if (job.isDryRun) return { kind: "archive", reason, units: [plannedUnit(unit, "archived")], undo: null };
      const after = await archive(tx, unit, `${reason} (job ${job.row.id})`);
      const undo = type === "fact" ? `POST /v1/facts/${id}/restore` : `POST /v1/memory/admin/jobs/${job.row.id}/revert`;
      return { kind: "archive", reason, units: [changedUnit(unit, after, "archived")], undo };
    });
  }
}

async function archive(tx: Tx, unit: FactRow | UnitRow<unknown>, reason: string): Promise<UnitRow<unknown>> {
  if (unit.type === "fact") return await putAway(tx, unit as FactRow, reason);
  return await reviseUnit(tx, unit, { status: "archived" }, { event: "archived", reason });
}
