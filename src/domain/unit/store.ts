/**
 * Finds, inserts and revises units of any type; `erase.ts` erases them. Every write goes through `write.ts`, which updates
 * everything that depends on the units.
 */
import type { Tx } from "../../db/tx.ts";
import * as deletionLog from "../../db/queries/deletion_log.ts";
import * as sources from "../../db/queries/unit_sources.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits, lockNames, type VersionNote } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { UnitType } from "../../schema/unit.ts";
import { isIndexedAlike } from "./aliases.ts";
import { allocateDocNos, analyseOnly, type PreparedText } from "./indexing.ts";
import { findMentionsOf, findMentionsOfNext, listEntities } from "./mentions/follow.ts";
import type { ChangeNote } from "./rules.ts";
import { type UnitWrite, type WriteOptions, writeUnits } from "./write.ts";

/** A unit that is about to be stored; the index assigns its document number. */
export type NewUnit<Body> = Omit<UnitRow<Body>, "docNo">;

export interface UnitToInsert<Body> {
  readonly unit: NewUnit<Body>;
  readonly prepared: PreparedText;
  /** Ids of units that support it without capping its trust. */
  readonly evidenceIds?: readonly string[];
}

/**
 * Finds a unit of one type that the transaction may see.
 * @throws ServiceError `erased` when it was erased, `not_found` when there is none or it is not visible.
 */
export async function requireUnit<Body>(
  tx: Tx,
  type: UnitType,
  id: string,
  options: { readonly lock?: "update" } = {},
): Promise<UnitRow<Body>> {
  const [unit] = await findUnits<Body>(tx, [id], { ...options, type });
  if (unit !== undefined) return unit;
  if (await deletionLog.isErased(tx, type, id)) {
    throw new ServiceError("erased", `Cannot read the ${type}: it was erased`);
  }
  throw new ServiceError("not_found", `Cannot find the ${type}`);
}

/** @throws ServiceError `version_mismatch` when the caller expects another version. */
export function requireVersion(unit: { readonly version: number }, ifMatch: number | undefined): void {
  if (ifMatch === undefined || ifMatch === unit.version) return;
  throw new ServiceError("version_mismatch", `Cannot change: the version is ${unit.version}, expected ${ifMatch}`);
}

/**
 * Stores new units with their first versions.
 * @throws ServiceError `RESURRECTION_BLOCKED` when an id was erased.
 */
export async function insertUnits<Body>(
  tx: Tx,
  items: readonly UnitToInsert<Body>[],
  note: VersionNote = { event: "created", reason: null },
): Promise<UnitRow<Body>[]> {
  if (items.length === 0) return [];
  const [docNos, mentions] = await Promise.all([
    allocateDocNos(tx, items.length),
    findMentionsOf(tx, items.map(({ unit, prepared }) => ({ unit, names: prepared.names }))),
  ]);
  const writes = items.map(({ unit, prepared, evidenceIds }, i): UnitWrite<Body> => {
    const row = { ...unit, docNo: docNos[i]!, entityIds: listEntities(mentions[i]!) };
    const texts = [{ docNo: row.docNo, sensitivity: row.sensitivity, prepared }];
    return { before: undefined, row, versions: [{ row, note }], texts, mentions: mentions[i], evidenceIds };
  });
  return (await writeUnits(tx, writes)).map((row) => row!);
}

/** The columns that a revision may set. */
export type UnitChanges<Body> = Partial<
  Omit<UnitRow<Body>, "id" | "type" | "version" | "docNo" | "createdAt" | "createdBy" | "updatedAt">
>;

export interface ReviseNote extends ChangeNote {
  /** The analysis of the new text; required if the text changes. */
  readonly prepared?: PreparedText | undefined;
  /** The ids of all its evidence, if the evidence changes. */
  readonly evidenceIds?: readonly string[] | undefined;
}

/** A change of a unit that the transaction has locked. */
export interface Revision<Body> {
  readonly unit: UnitRow<Body>;
  readonly changes: UnitChanges<Body>;
  readonly note: ReviseNote;
}

/**
 * Writes the next version of a unit that the transaction has locked. A new text, or the same one under other aliases, gets a
 * new document number; the old one stays in the index for reads of earlier versions. If the unit's trust falls, it caps the trust of derived units.
 * @throws ServiceError `validation_failed` when the unit would rest on itself, directly or through other units
 */
export async function reviseUnit<Body>(
  tx: Tx,
  unit: UnitRow<Body>,
  changes: UnitChanges<Body>,
  note: ReviseNote,
  options: WriteOptions = {},
): Promise<UnitRow<Body>> {
  const [row] = await reviseUnits(tx, [{ unit, changes, note }], options);
  return row!;
}

/**
 * Writes the next versions of several units, in order, like `reviseUnit`. The follow-ups run after all of them are
 * written.
 */
export async function reviseUnits<Body>(
  tx: Tx,
  revisions: readonly Revision<Body>[],
  options: WriteOptions = {},
): Promise<UnitRow<Body>[]> {
  if (revisions.length === 0) return [];
  const docNos = (await allocateDocNos(tx, revisions.filter(isNewDocument).length)).values();
  const writes: UnitWrite<Body>[] = [];
  for (const revision of revisions) {
    const { unit, changes, note: { prepared, evidenceIds, ...note } } = revision;
    const isNew = isNewDocument(revision);
    const isNewText = changes.text !== undefined && changes.text !== unit.text;
    if (isNewText && prepared === undefined) throw new Error("a new text was not prepared");
    await requireNoCircle(tx, unit, changes.derivedFrom, evidenceIds);
    const docNo = isNew ? docNos.next().value! : unit.docNo;
    const next = { ...nextVersion(tx, unit, changes), docNo };
    const mentions = await findMentionsOfNext(tx, unit, next, prepared?.names);
    const row = mentions === undefined ? next : { ...next, entityIds: listEntities(mentions) };
    writes.push({
      before: unit,
      row,
      versions: [{ row, note }],
      texts: isNew
        ? [{ docNo, sensitivity: row.sensitivity, prepared: prepared ?? analyseAgain(row, unit.docNo) }]
        : [],
      mentions,
      evidenceIds,
      reviewItemId: note.reviewItemId,
    });
  }
  return (await writeUnits(tx, writes, options)).map((row) => row!);
}

/** Whether the index gets a new document: another text, or the same one under other aliases. */
function isNewDocument({ unit, changes: { text = unit.text, body = unit.body } }: Revision<unknown>): boolean {
  return !isIndexedAlike(unit, { type: unit.type, text, body });
}

/** A text that stays the same under other aliases. */
function analyseAgain({ type: kind, sensitivity, text }: UnitRow<unknown>, vectorOf: number): PreparedText {
  return { ...analyseOnly({ kind, sensitivity, text }), vectorOf };
}

/**
 * The next version of a unit. Its time is never before the previous version's, even though a transaction that waited for a
 * lock may have begun before the one that wrote that version, and another process's clock may be ahead.
 */
export function nextVersion<Body>(tx: Tx, unit: UnitRow<Body>, changes: UnitChanges<Body>): UnitRow<Body> {
  const updatedAt = unit.updatedAt > tx.now ? unit.updatedAt : tx.now;
  return { ...unit, ...changes, version: unit.version + 1, updatedAt };
}

/**
 * Refuses a change by which a unit would rest on itself. Changes of such links run one at a time, so that two of them
 * cannot close a cycle together.
 * @throws ServiceError `validation_failed`
 */
async function requireNoCircle(
  tx: Tx,
  unit: UnitRow<unknown>,
  derivedFrom: readonly string[] = unit.derivedFrom,
  evidenceIds: readonly string[] = [],
): Promise<void> {
  const named = { derivedFrom, evidenceIds };
  const known = new Set(unit.derivedFrom);
  if ([...derivedFrom, ...evidenceIds].every((id) => known.has(id))) return;
  await lockNames(tx, ["unit sources"]);
  const resting = new Set(await sources.findResting(tx, unit.id, [...derivedFrom, ...evidenceIds]));
  const errors = Object.entries(named).flatMap(([path, ids]) =>
    ids.flatMap((id, i) => resting.has(id) ? [{ path: `${path}.${i}`, message: `rests on this ${unit.type}` }] : [])
  );
  if (errors.length === 0) return;
  throw new ServiceError("validation_failed", `Cannot change the ${unit.type}: it would rest on itself`, { errors });
}

/**
 * Filters `ids` to the units that the unit `unitId` may rest on: without itself and without the units that rest on it.
 */
export async function withoutResting(tx: Tx, unitId: string, ids: readonly string[]): Promise<string[]> {
  const resting = ids.length === 0 ? [] : await sources.findResting(tx, unitId, ids);
  return ids.filter((id) => id !== unitId && !resting.includes(id));
}

/**
 * Looks up the units whose ids a unit names as its sources.
 * @throws ServiceError `validation_failed` with the path of each id that is unknown or not visible.
 */
export function requireNamed<T>(found: ReadonlyMap<string, T>, ids: readonly string[], path: string): T[] {
  const errors = ids.flatMap((id, i) => found.has(id) ? [] : [{ path: `${path}.${i}`, message: "is not known" }]);
  if (errors.length > 0) {
    throw new ServiceError("validation_failed", `Cannot store: ${path} names an unknown unit`, { errors });
  }
  return ids.map((id) => found.get(id)!);
}
