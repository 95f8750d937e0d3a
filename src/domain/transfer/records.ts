/** Review items and the deletion log as lines. */
import { type DeletionKey, listDeletionsToExport } from "../../db/queries/exports.ts";
import { findEvent } from "../../db/queries/events.ts";
import { findErased, insertImportedDeletion, listTablesWith } from "../../db/queries/imports.ts";
import { findTask } from "../../db/queries/tasks.ts";
import { findUnits, lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared } from "../../schema/common.ts";
import { DeletionLine, ReviewItemLine } from "../../schema/transfer_lines.ts";
import type { UnitType } from "../../schema/unit.ts";
import { eraseUnit } from "../unit/erase.ts";
import { FollowUps } from "../unit/follow_ups.ts";
import { eraseOneEvent, eraseTask } from "../tasks/erase.ts";
import {
  authorOf,
  type Importing,
  type LineKind,
  type LineOutcome,
  mapDeep,
  recordedTime,
  refuse,
  toTime,
} from "./line_kind.ts";
import { plainKind } from "./plain.ts";
import { IMPORT_LOCK } from "./unit_writer.ts";

export const REVIEW_ITEMS: LineKind<ReviewItemLine> = plainKind<ReviewItemLine>({
  kind: "review_item",
  table: "review_item",
  resourceType: "review",
  schema: ReviewItemLine,
  toLine(row, { asOf }) {
    const resolvedAt = row["resolved_at"] as string | null;
    // An item that was closed since then was open at that time.
    const wasOpen = row["status"] === "open" || (asOf !== null && resolvedAt !== null && new Date(resolvedAt) > asOf);
    return {
      kind: "review_item",
      id: row["id"],
      reviewKind: row["kind"],
      status: wasOpen ? "open" : row["status"],
      sensitivity: row["sensitivity"],
      subjectId: row["subject_id"],
      otherId: row["other_id"],
      detail: row["detail"],
      resolution: wasOpen ? null : row["resolution"],
      createdAt: toTime(row["created_at"]),
      resolvedAt: wasOpen ? null : toTime(resolvedAt),
      resolvedBy: wasOpen ? null : row["resolved_by"],
    } as ReviewItemLine;
  },
  toColumns: (line, importing) => ({
    kind: line.reviewKind,
    status: line.status,
    sensitivity: line.sensitivity,
    subject_id: line.subjectId,
    other_id: line.otherId,
    detail: line.detail,
    resolution: line.resolution,
    created_at: line.createdAt,
    resolved_at: recordedTime(importing, line, line.resolvedAt),
    resolved_by: authorOf(importing, line, line.resolvedBy),
  }),
  versionOf: (line) => line.status === "open" ? 1 : 2,
  createdAt: (line) => line.createdAt,
  mapIds: (line, map) => ({
    ...line,
    id: map(line.id),
    subjectId: map(line.subjectId),
    otherId: line.otherId && map(line.otherId),
    detail: mapDeep(line.detail, map),
    resolution: mapDeep(line.resolution, map),
  }),
});

/**
 * Deletions. They come before all other lines, so that nothing comes back that was erased. Erased resources that still
 * exist here are erased, too, if the key may delete.
 */
export const DELETIONS: LineKind<DeletionLine> = {
  kind: "deletion",
  tables: ["deletion_log"],
  schema: DeletionLine,
  async page(tx, view, after, limit) {
    const rows = await listDeletionsToExport(tx, view, after as DeletionKey | undefined, limit);
    const last = rows.at(-1);
    return {
      isLast: rows.length < limit,
      next: last && { id: last["resource_id"], type: last["resource_type"] } as DeletionKey,
      lines: rows.map((row) => ({
        kind: "deletion",
        id: row["resource_id"],
        resourceType: row["resource_type"],
        originInstance: row["origin_instance"],
        sensitivity: row["sensitivity"],
        erasedAt: toTime(row["erased_at"]),
        erasedBy: row["erased_by"],
        receipt: row["receipt"],
      })),
    };
  },
  mapIds: (line, map) => ({ ...line, id: map(line.id), receipt: mapDeep(line.receipt, map) }),
  async write(importing, tx, lines) {
    await lockNames(tx, [IMPORT_LOCK]);
    const erased = await findErased(tx, lines.map((line) => line.id));
    const outcomes: LineOutcome[] = [];
    const followUps = new FollowUps();
    for (const line of lines) {
      const outcome = erased.has(line.id) ? "unchanged" : await writeDeletion(importing, tx, line, followUps);
      if (outcome === "created") erased.add(line.id);
      if (typeof outcome === "string") importing.named.get(line.resourceType as UnitType)?.erasedIds.add(line.id);
      outcomes.push(outcome);
    }
    await followUps.runStanding(tx);
    return outcomes;
  },
};

/** Erases the resource of the line, if it exists; refuses if the id belongs to another resource. */
async function eraseHere(
  { ctx }: Importing,
  tx: Tx,
  line: DeletionLine,
  followUps: FollowUps,
): Promise<LineOutcome | undefined> {
  const { id, resourceType } = line;
  const reason = "erased at the source of an import";
  const [unit] = await findUnits(tx, [id], { lock: "update" });
  const isTheUnit = unit?.type === resourceType && unit.originInstance === line.originInstance;
  const task = resourceType === "task" ? await findTask(tx, id, { lock: true }) : undefined;
  const event = resourceType === "event" ? await findEvent(tx, id) : undefined;
  if (unit !== undefined && isTheUnit) await eraseUnit(ctx, tx, unit, reason, { followUps });
  else if (task !== undefined) await eraseTask(ctx, tx, task, reason);
  else if (event !== undefined) await eraseOneEvent(ctx, tx, event, reason);
  else if ((await listTablesWith(tx, id)).length > 0) {
    return refuse("conflict", "Cannot import the erasure: its id belongs to something else here");
  } else return undefined;
  return "created";
}

async function writeDeletion(
  importing: Importing,
  tx: Tx,
  line: DeletionLine,
  followUps: FollowUps,
): Promise<LineOutcome> {
  const { ctx } = importing;
  if (!isCleared(line.sensitivity, ctx.maxSensitivity)) {
    return refuse("validation_failed", `Cannot store: sensitivity ${line.sensitivity} is above the key's clearance`);
  }
  if (!ctx.scopes.has("memory:delete")) {
    return refuse("insufficient_scope", "Cannot import an erasure: the key lacks the scope memory:delete");
  }
  const outcome = await eraseHere(importing, tx, line, followUps);
  if (outcome !== undefined) return outcome;
  const erasedBy = authorOf(importing, line, line.erasedBy);
  const erasedAt = recordedTime(importing, line, line.erasedAt);
  return await insertImportedDeletion(tx, { ...line, erasedBy, erasedAt }) ? "created" : "unchanged";
}
