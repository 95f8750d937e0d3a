/**
 * The store of knowledge units of all types: find, list, insert, revise; see `erase.ts`.
 *
 * Every write keeps four things together in one transaction: the row, its revision, its place in the recall index and
 * its entry in the change feed. What a type's states mean is that type's own module's matter.
 */
import type { Tx } from "../../db/scope.ts";
import * as deletionLog from "../../db/queries/deletion_log.ts";
import * as mentions from "../../db/queries/mentions.ts";
import * as revisions from "../../db/queries/revisions.ts";
import * as relations from "../../db/queries/relations.ts";
import { raiseSelfEdits } from "../../db/queries/self_edits.ts";
import * as sources from "../../db/queries/unit_sources.ts";
import * as queries from "../../db/queries/units.ts";
import type { UnitRow, VersionNote } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import { linkNewUnits, linkRevision } from "./mentions/follow.ts";
import { isNamed, type NamedBody, raiseNames, renewNames, storeNames } from "./names/names.ts";
import { allocateDocNos, indexTexts, type PreparedText, reclassifyTexts } from "./indexing.ts";
import { settlePreconditions } from "./preconditions.ts";
import { leastSensitive } from "./trust.ts";
import { capDerived, reviewRevised, reviewStale } from "./standing.ts";

export { listUnits } from "../../db/queries/unit_lists.ts";
export type { UnitFilter } from "../../db/queries/unit_lists.ts";
export type { UnitRow, VersionNote } from "../../db/queries/units.ts";
export { markFallen, markRisen } from "./standing.ts";

/** A unit that is about to be stored; its document number is given by the index. */
export type NewUnit<Body> = Omit<UnitRow<Body>, "docNo">;

export interface UnitToInsert<Body> {
  readonly unit: NewUnit<Body>;
  readonly prepared: PreparedText;
  /** Units that support it without bounding its trust. */
  readonly evidenceIds?: readonly string[];
}

/**
 * A unit of one type that the transaction may see.
 * @throws ServiceError `erased` when it was erased, `not_found` when there is none or it is not visible.
 */
export async function requireUnit<Body>(
  tx: Tx,
  type: UnitType,
  id: string,
  options: { readonly lock?: "update" } = {},
): Promise<UnitRow<Body>> {
  const [unit] = await queries.findUnits(tx, [id], { ...options, type });
  if (unit !== undefined) return unit as unknown as UnitRow<Body>;
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
 * Stores new units with their first revisions and indexes them.
 * @throws ServiceError `RESURRECTION_BLOCKED` when an id was erased.
 */
export async function insertUnits<Body>(
  tx: Tx,
  items: readonly UnitToInsert<Body>[],
  note: VersionNote = { event: "created", reason: null },
): Promise<UnitRow<Body>[]> {
  if (items.length === 0) return [];
  const [docNos, linked] = await Promise.all([
    allocateDocNos(tx, items.length),
    linkNewUnits(tx, items.map(({ unit, prepared }) => ({ unit, names: prepared.names }))),
  ]);
  const rows = linked.units.map((unit, i): UnitRow<Body> => ({ ...unit, docNo: docNos[i]! }));
  const inserted = await queries.insertUnits(tx, rows as unknown as UnitRow[], note);
  if (inserted.length !== rows.length) {
    throw new ServiceError("RESURRECTION_BLOCKED", "Cannot store: an item with this id was erased");
  }
  const links = items.flatMap(({ unit, evidenceIds }) => [
    ...unit.derivedFrom.map((sourceId) => ({ unitId: unit.id, sourceId, kind: "derived_from" as const })),
    ...(evidenceIds ?? []).map((sourceId) => ({ unitId: unit.id, sourceId, kind: "evidence" as const })),
  ]);
  if (links.length > 0) await sources.insertSources(tx, links);
  await Promise.all([indexTexts(tx, rows.map((row, i) => indexRow(row, items[i]!.prepared))), linked.store(rows)]);
  await followInsertion(tx, rows);
  for (const row of rows) recordUnit(tx, note.event, row);
  await reviewStale(tx, rows);
  return rows;
}

function indexRow(row: UnitRow<unknown>, prepared: PreparedText) {
  return { docNo: row.docNo, groupNo: 0, position: 0, prepared: { ...prepared, sensitivity: row.sensitivity } };
}

/** What a revision may set. */
export type UnitChanges<Body> = Partial<
  Omit<UnitRow<Body>, "id" | "type" | "version" | "docNo" | "createdAt" | "createdBy" | "updatedAt">
>;

export interface ReviseNote extends VersionNote {
  /** Of the new text, where the text changes. */
  readonly prepared?: PreparedText | undefined;
  /** Of the new evidence, where it changes. */
  readonly evidenceIds?: readonly string[] | undefined;
  /** The review item whose decision this is; who decided closes it. */
  readonly reviewItemId?: string | undefined;
}

/**
 * Writes the next version of a unit that the transaction has locked. A new text gets a new document number: the old one
 * stays in the index for readers of the past. A lower trust bounds what was derived from the unit.
 * @throws ServiceError `validation_failed` when it would come to rest on itself, through whatever others
 */
export async function reviseUnit<Body>(
  tx: Tx,
  unit: UnitRow<Body>,
  changes: UnitChanges<Body>,
  note: ReviseNote,
): Promise<UnitRow<Body>> {
  const isNewText = changes.text !== undefined && changes.text !== unit.text;
  const [docNo] = isNewText ? await allocateDocNos(tx, 1) : [unit.docNo];
  // A transaction that waited for another began before it, and another process's clock may be ahead: versions follow
  // each other in time all the same.
  const updatedAt = unit.updatedAt > tx.now ? unit.updatedAt : tx.now;
  const linked = await linkRevision<UnitRow<Body>>(
    tx,
    unit,
    { ...unit, ...changes, docNo: docNo!, version: unit.version + 1, updatedAt },
    note.prepared?.names,
  );
  const { next } = linked;
  if (next.sensitivity !== unit.sensitivity) await reclassifyUnit(tx, unit, next);
  await requireNoCircle(tx, unit, changes.derivedFrom, note.evidenceIds);
  const kept = await queries.updateUnit(tx, next as unknown as UnitRow, { event: note.event, reason: note.reason }, {
    stale: next.stale === unit.stale,
    trust: next.trustScore === unit.trustScore && next.trustCap === unit.trustCap,
  });
  if (kept === undefined) {
    throw new ServiceError(
      "version_mismatch",
      `Cannot change the ${unit.type}: another request has changed it in the meantime`,
    );
  }
  const row = { ...next, ...kept };
  if (isNewText) {
    if (note.prepared === undefined) throw new Error("a new text was not prepared");
    await indexTexts(tx, [indexRow(row, note.prepared)]);
  }
  await linked.store(row);
  if (changes.derivedFrom !== undefined) await replaceSources(tx, unit.id, "derived_from", changes.derivedFrom);
  if (note.evidenceIds !== undefined) await replaceSources(tx, unit.id, "evidence", note.evidenceIds);
  recordUnit(tx, note.event, row, leastSensitive(unit.sensitivity, row.sensitivity));
  await followRevision(tx, unit, row);
  await reviewRevised(tx, unit, row, note.reviewItemId);
  return row;
}

/** What is kept beside units begins with them, whoever stores them: the names of those that have any. */
export async function followInsertion(tx: Tx, rows: readonly UnitRow<unknown>[]): Promise<void> {
  await storeNames(tx, rows.filter(isNamed));
}

/** What hangs on a unit follows its next version: names, relations, chains of reasoning, the trust of what was derived. */
export async function followRevision(tx: Tx, before: UnitRow<unknown>, after: UnitRow<unknown>): Promise<void> {
  if (isNamed(before) && isNamed(after)) await renewNames(tx, before, after);
  const [was, is] = [mergedInto(before), mergedInto(after)];
  if (after.sensitivity !== before.sensitivity || was !== is) await relations.followUnit(tx, before.id, was);
  if (changesGround(before, after)) await settlePreconditions(tx, [before.id]);
  if (after.trustScore < before.trustScore) await capDerived(tx, before.id);
}

/**
 * Nothing rests on itself. Changes of what rests on what wait for each other, so that no two form a cycle together.
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
  await queries.lockNames(tx, ["unit sources"]);
  const resting = new Set(await sources.findResting(tx, unit.id, [...derivedFrom, ...evidenceIds]));
  const errors = Object.entries(named).flatMap(([path, ids]) =>
    ids.flatMap((id, i) => resting.has(id) ? [{ path: `${path}.${i}`, message: `rests on this ${unit.type}` }] : [])
  );
  if (errors.length === 0) return;
  throw new ServiceError("validation_failed", `Cannot change the ${unit.type}: it would rest on itself`, { errors });
}

/** Of some units, those that another one may come to rest on: neither it itself nor what rests on it. */
export async function withoutResting(tx: Tx, unitId: string, ids: readonly string[]): Promise<string[]> {
  const resting = ids.length === 0 ? [] : await sources.findResting(tx, unitId, ids);
  return ids.filter((id) => id !== unitId && !resting.includes(id));
}

/** Of a merged unit: into which it was merged. */
function mergedInto(unit: UnitRow<unknown>): string | null {
  return isNamed(unit) ? unit.body.mergedInto : null;
}

/** Whether reasoning that rests on the unit may fall or rise. */
export function changesGround(unit: UnitRow<unknown>, next: UnitRow<unknown>): boolean {
  return unit.status !== next.status || unit.contentHash !== next.contentHash || unit.stale !== next.stale ||
    unit.expiresAt?.getTime() !== next.expiresAt?.getTime() || unit.validTo?.getTime() !== next.validTo?.getTime();
}

function replaceSources(tx: Tx, unitId: string, kind: sources.SourceKind, ids: readonly string[]): Promise<void> {
  return sources.replaceSources(tx, [unitId], kind, ids.map((sourceId) => ({ unitId, sourceId })));
}

/**
 * Moves a unit's indexed texts to its next version's sensitivity. A higher one counts for the whole past, which often
 * says the same; a lower one for a text that stays.
 */
export async function reclassifyUnit(tx: Tx, unit: UnitRow<unknown>, next: UnitRow<unknown>): Promise<void> {
  const to = next.sensitivity;
  const isBelow = (sensitivity: Sensitivity) => sensitivity !== to && leastSensitive(sensitivity, to) === sensitivity;
  const isRaised = isBelow(unit.sensitivity);
  const texts = await revisions.listRevisionTexts(tx, unit.id);
  const moving = texts.filter((text) => isRaised ? isBelow(text.sensitivity) : text.docNo === next.docNo);
  await reclassifyTexts(tx, moving.map((text) => ({ ...text, kind: unit.type })), to);
  if (!isRaised) return;
  await revisions.raiseRevisions(tx, unit.id, to);
  await raiseSelfEdits(tx, unit.id, to);
  await raiseNamed(tx, moving.map((text) => text.docNo), to);
}

/**
 * Entities that were opened for names in texts follow them when no text below names them any more: the name is a part of
 * the text. Those that somebody has touched since, or that something rests on or is related to, stay.
 */
async function raiseNamed(tx: Tx, docNos: readonly number[], to: Sensitivity): Promise<void> {
  const ids = await mentions.lockOpenedFor(tx, docNos, to);
  for (const entity of ids.length === 0 ? [] : await queries.findUnits<NamedBody>(tx, ids)) {
    const raised = { ...entity, sensitivity: to };
    await queries.raiseUnit(tx, entity.id, to);
    await reclassifyUnit(tx, entity, raised);
    await raiseNames(tx, raised);
    recordUnit(tx, "updated", raised, entity.sensitivity);
  }
}

/** Whether what rests on the unit may rest on it. Archived and expired knowledge was right; it is only out of use. */
export function isStanding(unit: Pick<UnitRow<unknown>, "status" | "stale">): boolean {
  return !unit.stale && !["superseded", "retracted", "rejected"].includes(unit.status);
}

/**
 * Units that another one names as sources.
 * @throws ServiceError `validation_failed` with the place of each id that is unknown or not visible.
 */
export function requireNamed<T>(found: ReadonlyMap<string, T>, ids: readonly string[], path: string): T[] {
  const errors = ids.flatMap((id, i) => found.has(id) ? [] : [{ path: `${path}.${i}`, message: "is not known" }]);
  if (errors.length > 0) {
    throw new ServiceError("validation_failed", `Cannot store: ${path} names an unknown unit`, { errors });
  }
  return ids.map((id) => found.get(id)!);
}

/** Tells the feed about a unit: where the index has it and in which state it is, never what it says. */
export function recordUnit(
  tx: Tx,
  event: string,
  unit: UnitRow<unknown>,
  sensitivity: Sensitivity = unit.sensitivity,
): void {
  tx.record({
    kind: `${unit.type}.${event}`,
    resourceType: unit.type,
    resourceId: unit.id,
    version: unit.version,
    sensitivity,
    payload: {
      docNo: unit.docNo,
      status: unit.status,
      ...(mergedInto(unit) !== null && { mergedInto: mergedInto(unit) }),
    },
  });
}
