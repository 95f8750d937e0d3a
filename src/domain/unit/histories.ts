/**
 * Many versions of many units in a few statements: what a batch decided in memory is written as it would have been one
 * by one, whatever its size. Each unit that is stored already is locked, and has not changed since it was read.
 *
 * The versions keep text, sensitivity and trust, or raise the trust: what else a version can bring with it (a new text in
 * the index, a cap on what was derived) is `reviseUnit`'s.
 */
import * as queries from "../../db/queries/imports.ts";
import { insertSources, replaceSources } from "../../db/queries/unit_sources.ts";
import type { UnitRow, VersionNote } from "../../db/queries/units.ts";
import type { Tx } from "../../db/scope.ts";
import { ServiceError } from "../../errors.ts";
import { storeMentions, type UnitMentions } from "./mentions/follow.ts";
import { settlePreconditions } from "./preconditions.ts";
import { indexTexts, type PreparedText } from "./indexing.ts";
import { reviewRevisions, reviewStale } from "./standing.ts";
import { changesGround, recordUnit, type UnitChanges } from "./store.ts";

export interface UnitVersion<Body> {
  readonly row: UnitRow<Body>;
  readonly note: VersionNote;
}

/** What a transaction makes of one unit. */
export interface UnitHistory<Body> {
  /** As it is stored; undefined: it is new. */
  readonly before: UnitRow<Body> | undefined;
  /** As it will be in force. How often it was stated changes without a version. */
  readonly row: UnitRow<Body>;
  /** The versions that are added, each right after the one before. */
  readonly versions: readonly UnitVersion<Body>[];
  /** The analysed text of a new one. */
  readonly prepared?: PreparedText | undefined;
  /** What it mentions; undefined where that stays as it is stored. */
  readonly mentions?: UnitMentions | undefined;
}

type Histories = readonly UnitHistory<unknown>[];

/**
 * Stores units with all their versions, and has follow what hangs on them. The feed is told by the caller, in the order
 * of what happened; what rests on units that fell is the caller's to mark.
 * @throws ServiceError `RESURRECTION_BLOCKED` when the id of a new one was erased
 */
export async function storeHistories(tx: Tx, histories: Histories): Promise<void> {
  const fresh = histories.filter(({ before }) => before === undefined);
  const changed = histories.filter(({ before, row }) => before !== undefined && before !== row);
  if (fresh.length > 0) {
    const inserted = await queries.insertUnitRows(tx, rowsOf(fresh));
    if (inserted.size < fresh.length) {
      throw new ServiceError("RESURRECTION_BLOCKED", "Cannot store: an item with this id was erased");
    }
  }
  const indexed = fresh.map(({ row, prepared }) => {
    return { docNo: row.docNo, groupNo: 0, position: 0, prepared: { ...prepared!, sensitivity: row.sensitivity } };
  });
  const mentioning = histories.flatMap(({ before, row, mentions }) =>
    mentions === undefined ? [] : [{ row, isNew: before === undefined, mentions }]
  );
  await Promise.all([
    changed.length > 0 ? queries.updateUnitRows(tx, rowsOf(changed)) : undefined,
    storeVersions(tx, histories),
    storeSources(tx, fresh, changed),
    indexTexts(tx, indexed),
    storeMentions(tx, mentioning),
  ]);
  await reviewStale(tx, fresh.map(({ row }) => row));
  await reviewRevisions(tx, changed.map(({ before, row }) => ({ before: before!, after: row })));
  // Nothing rests on what is new.
  const moved = changed.filter(({ before, row }) => changesGround(before!, row));
  await settlePreconditions(tx, moved.map(({ row }) => row.id));
}

function rowsOf(histories: Histories): UnitRow[] {
  return histories.map(({ row }) => row as UnitRow);
}

async function storeVersions(tx: Tx, histories: Histories): Promise<void> {
  const revisions = histories.flatMap(({ versions }) =>
    versions.map(({ row, note }, i): queries.NewRevision => ({
      unit: row as UnitRow,
      ...note,
      recordedAt: row.updatedAt,
      replacedAt: versions[i + 1]?.row.updatedAt ?? null,
      changedBy: tx.actor,
    }))
  );
  const closed = histories.flatMap(({ before, versions: [first] }) =>
    before === undefined || first === undefined
      ? []
      : [{ id: before.id, version: before.version, at: first.row.updatedAt }]
  );
  await Promise.all([
    revisions.length > 0 ? queries.insertRevisionRows(tx, revisions) : undefined,
    closed.length > 0 ? queries.closeRevisions(tx, closed) : undefined,
  ]);
}

async function storeSources(tx: Tx, fresh: Histories, changed: Histories): Promise<void> {
  const moved = changed.filter(({ before, row }) => before!.derivedFrom.join() !== row.derivedFrom.join());
  const linksOf = (histories: Histories) =>
    histories.flatMap(({ row }) =>
      row.derivedFrom.map((sourceId) => ({ unitId: row.id, sourceId, kind: "derived_from" as const }))
    );
  if (moved.length > 0) await replaceSources(tx, moved.map(({ row }) => row.id), "derived_from", linksOf(moved));
  const links = linksOf(fresh);
  if (links.length > 0) await insertSources(tx, links);
}

/** The next version of a unit. Versions follow each other in time, whatever the clocks of two processes say. */
export function nextVersion<Body>(tx: Tx, unit: UnitRow<Body>, changes: UnitChanges<Body>): UnitRow<Body> {
  const updatedAt = unit.updatedAt > tx.now ? unit.updatedAt : tx.now;
  return { ...unit, ...changes, version: unit.version + 1, updatedAt };
}

/** A change of a unit that the transaction has locked. */
export interface Revision<Body> {
  readonly unit: UnitRow<Body>;
  readonly changes: Pick<UnitChanges<Body>, "status" | "validFrom" | "validTo" | "body">;
  readonly note: VersionNote;
}

/** Writes the next version of each of some units, and tells the feed. As `reviseUnit`, for what says what it said. */
export async function reviseUnits<Body>(tx: Tx, revisions: readonly Revision<Body>[]): Promise<UnitRow<Body>[]> {
  if (revisions.length === 0) return [];
  const histories = revisions.map(({ unit, changes, note }): UnitHistory<Body> => {
    const row = nextVersion(tx, unit, changes);
    return { before: unit, row, versions: [{ row, note }] };
  });
  await storeHistories(tx, histories);
  for (const { row, versions: [version] } of histories) recordUnit(tx, version!.note.event, row);
  return histories.map(({ row }) => row);
}
