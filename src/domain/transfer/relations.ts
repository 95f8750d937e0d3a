/** Relations as lines: a relation with its ends, as the units that were named. */
import { countUnknownAt, listRelationsToExport } from "../../db/queries/exports.ts";
import { findErased } from "../../db/queries/imports.ts";
import {
  type EndRow,
  findRelations,
  findSurvivors,
  insertRelations,
  lockEnds,
  type RelationRow,
  updateRelation,
} from "../../db/queries/relations.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { isCleared, TRUST_SCORES } from "../../schema/common.ts";
import { VERBS } from "../../schema/relation.ts";
import { RelationLine } from "../../schema/transfer_lines.ts";
import { recordRelation } from "../unit/relation_fields.ts";
import { relationIdentity } from "../relations/identity.ts";
import { refuseCircle, sensitivityOf } from "../relations/write.ts";
import {
  authorOf,
  type Importing,
  isMadeAhead,
  type LineKind,
  type LineOutcome,
  MADE_AHEAD,
  mayChange,
  NOT_ITS_OWN,
  recordedTime,
  refuse,
  toTime,
  withhold,
} from "./line_kind.ts";
import { IMPORT_LOCK } from "./unit_writer.ts";

export const RELATIONS: LineKind<RelationLine> = {
  kind: "relation",
  tables: ["relation", "relation_participant", "relation_source"],
  schema: RelationLine,
  countOmitted: (tx, asOf) => countUnknownAt(tx, "relation", asOf),
  async page(tx, view, after, limit) {
    const rows = await listRelationsToExport(tx, view, after as string | undefined, limit);
    return {
      isLast: rows.length < limit,
      next: rows.at(-1)?.row["id"],
      lines: rows.map(({ row, ends }) => toLine(row, ends)),
    };
  },
  async findClashes(importing, tx, lines) {
    const here = new Map((await findRelations(tx, lines.map((line) => line.id))).map((row) => [row.id, row]));
    return lines.filter((line) => isOther(importing, here.get(line.id), line)).map(({ id }) => ({ id }));
  },
  mapIds: (line, map) => ({
    ...line,
    id: map(line.id),
    ends: line.ends.map((end) => ({ ...end, id: map(end.id) })),
    evidenceIds: line.evidenceIds.map(map),
  }),
  async write(importing, tx, lines) {
    await lockNames(tx, [IMPORT_LOCK]);
    const unitIds = [...new Set(lines.flatMap((line) => line.ends.map((end) => end.id)))];
    const [here, erased, ends, survivors] = await Promise.all([
      findRelations(tx, lines.map((line) => line.id), { lock: true }),
      findErased(tx, lines.map((line) => line.id)),
      lockEnds(tx, unitIds),
      findSurvivors(tx, unitIds),
    ]);
    const known = new Map(here.map((row) => [row.id, row]));
    const units = new Map(ends.map((end) => [end.id, end]));
    const outcomes: LineOutcome[] = [];
    for (const line of lines) {
      if (erased.has(line.id)) outcomes.push(refuse("RESURRECTION_BLOCKED", "Cannot import: it was erased here"));
      else outcomes.push(await writeOne(importing, tx, line, known, units, survivors));
    }
    return outcomes;
  },
};

/**
 * Whether a stored row is another relation than the line's: it was created at another time. In files of other services,
 * only the id counts.
 */
function isOther({ isForeign }: Importing, row: RelationRow | undefined, line: RelationLine): boolean {
  return row !== undefined && !isForeign && row.createdAt.toISOString() !== line.createdAt;
}

function toLine(row: Readonly<Record<string, unknown>>, ends: RelationLine["ends"]): RelationLine {
  return {
    kind: "relation",
    id: row["id"],
    version: row["version"],
    status: row["status"],
    verb: row["verb"],
    isHyper: row["is_hyper"],
    ends,
    weight: row["weight"],
    confidence: row["confidence"],
    attribution: row["attribution"],
    trustScore: row["trust_score"],
    sensitivity: row["own_sensitivity"],
    stale: row["stale"],
    validFrom: toTime(row["valid_from"]),
    validTo: toTime(row["valid_to"]),
    evidenceIds: row["evidence_ids"],
    tags: row["tags"],
    metadata: row["metadata"],
    createdAt: toTime(row["created_at"]),
    updatedAt: toTime(row["updated_at"]),
    createdBy: row["created_by"],
  } as RelationLine;
}

async function writeOne(
  importing: Importing,
  tx: Tx,
  line: RelationLine,
  known: Map<string, RelationRow>,
  units: ReadonlyMap<string, EndRow>,
  survivors: ReadonlyMap<string, string>,
): Promise<LineOutcome> {
  if (!isCleared(line.sensitivity, tx.maxSensitivity)) {
    return refuse("validation_failed", `Cannot store: sensitivity ${line.sensitivity} is above the key's clearance`);
  }
  if (isMadeAhead(importing, line.createdAt)) return MADE_AHEAD;
  const before = known.get(line.id);
  if (isOther(importing, before, line)) {
    return refuse("conflict", "Cannot import: its id belongs to something else here");
  }
  if (before !== undefined && before.version >= line.version) return "unchanged";
  const ends = line.ends.map((end) => units.get(end.id));
  if (ends.some((end) => end === undefined)) return refuse("not_found", "Cannot import: one of its ends is not here");
  const row = toRow(importing, line, ends as EndRow[], survivors);
  if (before !== undefined && before.identity !== row.identity) {
    return refuse("conflict", "Cannot import: it is between other units here");
  }
  if (before !== undefined && !importing.keepsAuthors && TRUST_SCORES[before.attribution] > TRUST_SCORES.imported) {
    return refuse(
      "insufficient_scope",
      "Cannot import over what is trusted more: the key lacks the scope memory:admin",
    );
  }
  if (before !== undefined && !mayChange(importing, before)) return NOT_ITS_OWN;
  if (VERBS[row.verb].acyclic && row.status === "active") {
    const refusal = await refuseCircle(tx, row);
    if (refusal !== undefined) return refuse(refusal.code, refusal.message);
  }
  if (before === undefined) await insertRelations(tx, [row]);
  else await updateRelation(tx, row);
  known.set(row.id, row);
  recordRelation(tx, "imported", row);
  return before === undefined ? "created" : "updated";
}

function toRow(
  importing: Importing,
  line: RelationLine,
  units: readonly EndRow[],
  survivors: ReadonlyMap<string, string>,
): RelationRow {
  const { kind: _, ends, ...members } = line;
  const participants = ends.map(({ role, id }) => ({ role, unitId: id, nodeId: survivors.get(id) ?? id }));
  const max = TRUST_SCORES.imported;
  const isBelieved = importing.keepsAuthors || TRUST_SCORES[line.attribution] <= max;
  if (!isBelieved) withhold(importing, line, "attribution");
  const attribution = isBelieved ? line.attribution : "imported";
  const time = (text: string | null) => text === null ? null : new Date(text);
  return {
    ...members,
    attribution,
    trustScore: Math.min(line.trustScore, TRUST_SCORES[attribution]),
    identity: relationIdentity(line.verb, line.isHyper, participants),
    ownSensitivity: line.sensitivity,
    sensitivity: sensitivityOf(line.sensitivity, units),
    validFrom: time(line.validFrom),
    validTo: time(line.validTo),
    tags: [...new Set(line.tags)],
    createdAt: new Date(line.createdAt),
    updatedAt: new Date(recordedTime(importing, line, line.updatedAt)),
    createdBy: authorOf(importing, line, line.createdBy),
    participants,
  };
}
