/** Forgets the units that a filter selects, in batches. */
import type { OperationContext } from "../../context.ts";
import { isUuid } from "../../crypto/ids.ts";
import { type BrowseKey, browseUnits } from "../../db/queries/unit_browse.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { ForgetUnitsBody, ForgottenUnit, ForgottenUnits } from "../../schema/forget_units.ts";
import { UNIT_STATES } from "../../schema/unit_state.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { archive } from "../unit/archive.ts";
import { eraseUnit } from "../unit/erase.ts";
import { FollowUps } from "../unit/follow_ups.ts";
import { PURGE_DEADLINE_MS } from "../unit/purge.ts";

const LIST = "forget units";

/** Archives or erases up to `limit` units, all in one transaction, or lists them. */
export async function forgetUnits(ctx: OperationContext, body: ForgetUnitsBody): Promise<ForgottenUnits> {
  const { mode, dryRun, limit, cursor } = body;
  const after = decodeCursor(LIST, "desc", cursor, isKey);
  return await ctx.tx(async (tx) => {
    const found = await browseUnits(tx, toFilter(body), {
      sort: "createdAt",
      order: "desc",
      after: after === undefined ? undefined : toKey(after),
      limit: limit + 1,
    });
    const { data: units, nextCursor } = toPage(found, limit, (row) => row, (row) => {
      return encodeCursor(LIST, "desc", `${row.createdAt.toISOString()} ${row.id}`);
    });
    const data = dryRun
      ? units.map(({ id, type }): ForgottenUnit => ({ id, type, outcome: "found" }))
      : await forget(ctx, tx, units, body);
    const forgotten = data.filter(({ outcome }) => outcome === "archived" || outcome === "erased").length;
    return { mode, dryRun, forgotten, data, nextCursor };
  }, { deadlineMs: PURGE_DEADLINE_MS });
}

function toFilter(body: ForgetUnitsBody) {
  const { mode, types, tags, tagsMatch, createdBy, agentId, sessionId, entityId, metadata } = body;
  const { attribution: attributions, sensitivity: sensitivities, createdFrom, createdTo, status } = body;
  // What is archived is forgotten as far as archiving goes; erasing leaves nothing behind.
  const statuses = status ?? UNIT_STATES.filter((state) => mode === "erase" || state !== "archived");
  const others = { createdBy, agentId, sessionId, entityId, metadata, attributions, sensitivities };
  return { ...others, types, tags, allTags: tagsMatch === "all", createdFrom, createdTo, statuses };
}

async function forget(
  ctx: OperationContext,
  tx: Tx,
  units: readonly UnitRow[],
  { mode, reason: given }: Pick<ForgetUnitsBody, "mode" | "reason">,
): Promise<ForgottenUnit[]> {
  const reason = given ?? null;
  const followUps = new FollowUps();
  const done: ForgottenUnit[] = [];
  for (const { id, type } of units) {
    const [unit] = await findUnits<object>(tx, [id], { lock: "update" });
    // An entity is erased together with one into which it was merged.
    if (unit === undefined) done.push({ id, type, outcome: "erased" });
    else if (mode === "archive") {
      await archive(tx, unit, { reason });
      done.push({ id, type, outcome: "archived" });
    } else done.push({ id, type, outcome: await erase(ctx, tx, unit, reason, followUps) });
  }
  await followUps.run(tx);
  return done;
}

async function erase(
  ctx: OperationContext,
  tx: Tx,
  unit: UnitRow<object>,
  reason: string | null,
  followUps: FollowUps,
): Promise<ForgottenUnit["outcome"]> {
  try {
    await eraseUnit(ctx, tx, unit, reason, { followUps });
    return "erased";
  } catch (error) {
    // Refused before anything was written.
    if (error instanceof ServiceError && error.code === "insufficient_scope") return "refused";
    throw error;
  }
}

function isKey(key: unknown): key is string {
  const [time = "", id = "", ...rest] = typeof key === "string" ? key.split(" ") : [];
  return rest.length === 0 && isUuid(id) && /^\d{4}-.*Z$/.test(time) && !Number.isNaN(Date.parse(time));
}

function toKey(text: string): BrowseKey {
  const [value, id] = text.split(" ") as [string, string];
  return { value, id };
}
