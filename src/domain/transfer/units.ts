/** Knowledge units as lines, one for each version: how they are read. `unit_writer.ts` writes them. */
import type { z } from "zod";
import { type ExportedRevision, listUnitIds, listUnitRevisions, type RevisionKey } from "../../db/queries/exports.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { checkInput } from "../../schema/field_errors.ts";
import { UnitLine } from "../../schema/transfer_lines.ts";
import { type Clash, type LineKind, toTime } from "./line_kind.ts";
import { mapReferences, referencePaths } from "./references.ts";
import { isSameUnit, type UnitTransfer } from "./unit_rows.ts";
import { type PreparedLines, prepareUnitLines, writeUnitLines } from "./unit_writer.ts";

/** The longest text that a unit holds anywhere. */
const TEXT_BYTES_MAX = 16_384;
const ITEMS_MAX = 1_000;
/** Comes after every version. */
const VERSION_MAX = 2_147_483_647;

/** The entry of a type of unit in the registry. */
export function unitKind(transfer: UnitTransfer): LineKind<UnitLine> {
  const references = referencePaths(transfer.body);
  return {
    kind: transfer.type,
    tables: ["unit", "unit_revision", "unit_source"],
    schema: lineSchema(transfer),
    async page(tx, view, after, limit) {
      const key = after as RevisionKey | undefined;
      const ids = await listUnitIds(tx, transfer.type, key, limit);
      const rows = ids.length === 0 ? [] : await listUnitRevisions(tx, view, ids, key, limit);
      const isCut = rows.length === limit;
      const last = isCut ? rows.at(-1)! : { id: ids.at(-1) ?? "", version: VERSION_MAX };
      return {
        lines: rows.map((row) => toLine(transfer, row)),
        next: { id: last.id, version: last.version } satisfies RevisionKey,
        isLast: !isCut && ids.length < limit,
      };
    },
    findClashes: (_, tx, lines) => findClashes(tx, transfer, lines),
    mapIds: (line, map) => ({
      ...line,
      id: map(line.id),
      derivedFrom: line.derivedFrom.map(map),
      entityIds: line.entityIds.map(map),
      live: line.live && { ...line.live, entityIds: line.live.entityIds.map(map) },
      body: mapReferences(line.body, references, map) as UnitLine["body"],
    }),
    prepare: (importing, lines) => prepareUnitLines(importing, transfer, lines),
    write: (importing, tx, lines, prepared) =>
      writeUnitLines(importing, tx, transfer, lines, prepared as PreparedLines),
  };
}

function lineSchema({ type, statuses, body }: UnitTransfer): z.ZodType<UnitLine> {
  return UnitLine.transform((line, context): UnitLine => {
    // The report names the first fault of a refused line.
    const [fault] = checkInput(body, line.body, "body").faults?.told() ?? [];
    if (fault) context.addIssue({ code: "custom", path: [fault.path], message: fault.message });
    if (line.kind !== type) context.addIssue({ code: "custom", path: ["kind"], message: `must be ${type}` });
    if (!statuses.includes(line.status)) {
      context.addIssue({ code: "custom", path: ["status"], message: `must be one of ${statuses.join(", ")}` });
    }
    const tooLong = findTooLong(line.body, ["body"]);
    if (tooLong !== undefined) context.addIssue({ code: "custom", ...tooLong });
    return line;
  }) as unknown as z.ZodType<UnitLine>;
}

/** The first place of a text or list that is longer than the API allows. */
export function findTooLong(
  value: unknown,
  path: (string | number)[],
): { path: typeof path; message: string } | undefined {
  if (typeof value === "string") {
    const isLong = value.length > TEXT_BYTES_MAX || new TextEncoder().encode(value).byteLength > TEXT_BYTES_MAX;
    return isLong ? { path, message: `must be at most ${TEXT_BYTES_MAX} bytes in UTF-8` } : undefined;
  }
  if (value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value) && value.length > ITEMS_MAX) {
    return { path, message: `must have at most ${ITEMS_MAX} items` };
  }
  for (const [name, item] of Object.entries(value)) {
    const found = findTooLong(item, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Ids that belong to another type of unit here, or to a unit of another origin; and units for which another stands. */
async function findClashes(tx: Tx, transfer: UnitTransfer, lines: readonly UnitLine[]): Promise<Clash[]> {
  const here = new Map((await findUnits(tx, [...new Set(lines.map((line) => line.id))])).map((row) => [row.id, row]));
  const standIns = await transfer.findStandIns?.(tx, lines.filter((line) => !here.has(line.id)));
  const clashes = new Map<string, Clash>();
  for (const line of lines) {
    const row = here.get(line.id);
    const localId = standIns?.get(line.id);
    if (localId !== undefined) clashes.set(line.id, { id: line.id, localId });
    else if (row !== undefined && !isSameUnit(row, line)) clashes.set(line.id, { id: line.id });
  }
  return [...clashes.values()];
}

/** Members that have changed since the version was written; null if none has. */
function liveOf({ snapshot: row, live }: ExportedRevision): UnitLine["live"] {
  if (live === null) return null;
  const isSame = live.trustScore === row["trust_score"] && live.trustCap === row["trust_cap"] &&
    live.worth === row["worth"] && live.stale === row["stale"] &&
    live.corroborationCount === row["corroboration_count"] &&
    JSON.stringify(live.entityIds) === JSON.stringify(row["entity_ids"]);
  return isSame ? null : live;
}

function toLine(transfer: UnitTransfer, revision: ExportedRevision): UnitLine {
  const { snapshot: row } = revision;
  const body = { ...(row["body"] as Record<string, unknown>) };
  for (const name of transfer.computed ?? []) delete body[name];
  return {
    kind: transfer.type,
    id: revision.id,
    version: revision.version,
    revision: {
      event: revision.event,
      reason: revision.reason,
      recordedAt: revision.recordedAt.toISOString(),
      replacedAt: revision.replacedAt?.toISOString() ?? null,
      changedBy: revision.changedBy,
    },
    status: row["status"],
    attribution: row["attribution"],
    trustScore: row["trust_score"],
    trustCap: row["trust_cap"],
    confidence: row["confidence"],
    sensitivity: row["sensitivity"],
    tags: row["tags"],
    metadata: row["metadata"],
    worth: row["worth"],
    pinned: row["pinned"],
    origin: { instance: row["origin_instance"], id: row["origin_id"] },
    derivedFrom: row["derived_from"],
    stale: row["stale"],
    validFrom: toTime(row["valid_from"]),
    validTo: toTime(row["valid_to"]),
    recordedAt: toTime(row["recorded_at"]),
    retractedAt: toTime(row["retracted_at"]),
    occurredAt: toTime(row["occurred_at"]),
    expiresAt: toTime(row["expires_at"]),
    entityIds: row["entity_ids"],
    corroborationCount: row["corroboration_count"],
    live: liveOf(revision),
    createdAt: toTime(row["created_at"]),
    updatedAt: toTime(row["updated_at"]),
    createdBy: row["created_by"],
    body,
  } as UnitLine;
}
