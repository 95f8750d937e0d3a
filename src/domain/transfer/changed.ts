/**
 * Imports records of another product again. If a record has changed at its product since the last import, it becomes a
 * revision of its unit, unless the unit was changed here too.
 */
import { type LastImport, listLastImports } from "../../db/queries/imports.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import type { UnitType } from "../../schema/unit.ts";
import { type Importing, type Refusal, refuse } from "./line_kind.ts";

/** The type of an entity when the file only names it. */
export const UNKNOWN_TYPE = "other";

/** What the last import wrote about units; empty for a file that carries their history itself. */
export async function readLastImports(
  { isForeign }: Importing,
  tx: Tx,
  type: UnitType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LastImport>> {
  if (!isForeign || (type !== "fact" && type !== "entity")) return new Map();
  return new Map((await listLastImports(tx, ids)).map((last) => [last.id, last]));
}

/** Whether a record differs from what the last import wrote, or from what is stored. */
export function isChangedThere(last: LastImport | UnitRow, row: UnitRow): boolean {
  // A record that only names an entity states nothing about it.
  if (row.type === "entity") return last.contentHash !== row.contentHash && row.body["entityType"] !== UNKNOWN_TYPE;
  return differs(last, row);
}

function differs(last: LastImport | UnitRow, row: UnitRow): boolean {
  const isSame = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime();
  return last.contentHash !== row.contentHash || last.status !== row.status || !isSame(last.validFrom, row.validFrom) ||
    !isSame(last.validTo, row.validTo);
}

/** Why a changed record may not revise a stored unit; undefined when it may. */
export function findObstacle(last: LastImport, existing: UnitRow): Refusal | undefined {
  if (existing.type === "entity" && existing.body["entityType"] !== UNKNOWN_TYPE) {
    return refuse("conflict", "Cannot import: it has other content here");
  }
  if (!differs(last, existing) && last.attribution === existing.attribution) return undefined;
  return refuse("conflict", "Cannot import: it has changed at its product, and it was changed here, too");
}

/** The line and the row of the next version: the content of the record, with what was added here. */
export function nextImported(line: UnitLine, row: UnitRow, existing: UnitRow): { line: UnitLine; row: UnitRow } {
  const version = existing.version + 1;
  // Claims and marks come from the former text, so they do not apply to the new one.
  const { claims: _, outdates: __, ...kept } = existing.body;
  const ofLife = ["supersedes", "supersededBy", "citations", "drawers", "mergedInto"]
    .filter((name) => name in existing.body);
  const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];
  return {
    line: { ...line, version, revision: { ...line.revision, reason: `changed at ${line.origin.instance}` } },
    row: {
      ...existing,
      version,
      text: row.text,
      contentHash: row.contentHash,
      tripleKey: row.tripleKey,
      body: { ...kept, ...row.body, ...Object.fromEntries(ofLife.map((name) => [name, existing.body[name]])) },
      status: row.status,
      validFrom: row.validFrom,
      validTo: row.validTo,
      occurredAt: row.occurredAt,
      expiresAt: row.expiresAt,
      retractedAt: row.retractedAt,
      updatedAt: row.updatedAt,
      metadata: { ...existing.metadata, ...row.metadata },
      tags: union(existing.tags, row.tags),
      entityIds: union(existing.entityIds, row.entityIds),
      derivedFrom: union(existing.derivedFrom, row.derivedFrom),
    },
  };
}
