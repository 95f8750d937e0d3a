/**
 * Writes units. This is the only code that stores rows of units and their versions: creates, revisions, batches and
 * imports all call it.
 *
 * In the same transaction a write also updates everything that depends on a unit's row: its versions, the links to its
 * sources, its texts in the recall index, its mentions of entities, its own names, its relations, the chains of reasoning
 * that rest on it, the trust and standing of the units that rest on it, the reviews of stale units, and the change feed.
 */
import * as relations from "../../db/queries/relations.ts";
import { deleteAllSources, insertSources, replaceSources, type SourceLink } from "../../db/queries/unit_sources.ts";
import {
  closeRevisions,
  insertRevisions,
  insertUnits,
  type NewRevision,
  updateUnits,
} from "../../db/queries/unit_writes.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { VersionNote } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { addAliases } from "../../retrieval/mod.ts";
import { indexedBeside } from "./aliases.ts";
import { FollowUps } from "./follow_ups.ts";
import { indexTexts, type PreparedText } from "./indexing.ts";
import { storeMentions, type UnitMentions } from "./mentions/follow.ts";
import { linkNewer, renewLinks, seekWords, type SoughtWords, type ToldStatement } from "./newer.ts";
import { isNamed, mergedInto, renewNames, storeNames } from "./names/names.ts";
import { storeCalled } from "./names/unit_names.ts";
import { settlePreconditions } from "./preconditions.ts";
import { reclassifyUnit } from "./reclassify.ts";
import { recordUnit } from "./record.ts";
import { rulesOf, type UnitChange } from "./rules.ts";
import { capDerived, reviewRevised, reviewStale } from "./standing.ts";
import { leastSensitive } from "./trust.ts";

export interface UnitVersion<Body> {
  readonly row: UnitRow<Body>;
  readonly note: VersionNote;
  /** When and by whom another workspace recorded this version; left out: this transaction records it now. */
  readonly recorded?: { readonly at: Date; readonly until: Date | null; readonly by: string };
}

/** A text that is new to the index, with the sensitivity under which it is found. */
export interface NewText {
  readonly docNo: number;
  readonly sensitivity: Sensitivity;
  readonly prepared: PreparedText;
}

/** The write of one unit. If the unit is stored already, the transaction has locked it. */
export interface UnitWrite<Body> {
  /** The stored row; undefined: the unit is new. */
  readonly before: UnitRow<Body> | undefined;
  /**
   * The unit's current row after the write. It may differ from `before` without a new version (`corroborationCount`).
   */
  readonly row: UnitRow<Body>;
  /** The versions that the write adds, the oldest first. */
  readonly versions: readonly UnitVersion<Body>[];
  readonly texts?: readonly NewText[] | undefined;
  /** The entities that it mentions; undefined: the stored mentions stay. */
  readonly mentions?: UnitMentions | undefined;
  /** Ids of units that support it without capping its trust; undefined: the stored ones stay. */
  readonly evidenceIds?: readonly string[] | undefined;
  /** The review item whose decision causes this write; the code that resolves the item closes it. */
  readonly reviewItemId?: string | undefined;
}

export interface WriteOptions {
  /** Collects the follow-ups, which the caller runs after its last write; left out: the write runs them itself. */
  readonly followUps?: FollowUps;
  /** Records the write in the change feed; left out: the write records each version, unit by unit. */
  readonly record?: (rows: readonly UnitRow<unknown>[]) => void;
  /** For imported units; see `Arrival`. */
  readonly arrival?: Arrival;
}

/**
 * Options for units that an import brings with their earlier versions. The write skips a unit whose id is taken. Units
 * that rest on an imported unit may be stored before it, and its sources may be stored later, so it may be linked to ids
 * that do not exist yet. The write opens no reviews of stale units, because the import brings its own reviews.
 */
export interface Arrival {
  /** The links from a unit to its sources, which replace all its stored ones. */
  readonly sourcesOf: (row: UnitRow<unknown>) => readonly SourceLink[];
}

type Write = UnitWrite<unknown>;
type Change = Write & { readonly before: UnitRow<unknown> };

/**
 * Writes units and updates everything that depends on them. Returns their current rows, in the order of the writes;
 * undefined for an imported unit whose id is taken.
 * @throws ServiceError `RESURRECTION_BLOCKED` when the id of a new unit was erased, `version_mismatch` when another
 *   transaction has changed a unit since it was read
 */
export async function writeUnits<Body>(
  tx: Tx,
  writes: readonly UnitWrite<Body>[],
  { followUps, record, arrival }: WriteOptions = {},
): Promise<(UnitRow<Body> | undefined)[]> {
  const sought = seekWords(tx, writes.filter(isReworded).flatMap(toTold));
  const stored = await storeRows(tx, writes, arrival !== undefined);
  const done = writes.flatMap((write): Write[] => {
    const row = stored.get(write.row.id);
    return row === undefined ? [] : [{ ...write, row }];
  });
  const fresh = done.filter(({ before }) => before === undefined);
  const changed = done.filter(isChange);
  await Promise.all([
    storeVersions(tx, done),
    storeNewer(tx, fresh, changed.filter(isReworded), sought),
    arrival === undefined ? storeSources(tx, fresh, changed) : replaceAllSources(tx, fresh, changed, arrival),
    indexTexts(tx, done.flatMap((write) => (write.texts ?? []).map((text) => toIndexRow(write, text)))),
    storeMentions(tx, done.flatMap((write) => toMentioning(write, arrival))),
    storeCalled(tx, done.map(toNamedWrite)),
  ]);
  await storeNames(tx, fresh.map(({ row }) => row).filter(isNamed));
  for (const { before, row } of changed) if (isNamed(before) && isNamed(row)) await renewNames(tx, before, row);
  if (record === undefined) recordVersions(tx, done);
  else record(done.map(({ row }) => row));
  await followRows(tx, fresh, changed, arrival !== undefined);
  const following = followUps ?? new FollowUps();
  following.add(done.flatMap(arrival === undefined ? changesOf : changeOf));
  const followed = followUps === undefined ? await following.run(tx) : undefined;
  const rows = new Map(done.map(({ row }) => [row.id, followed?.current(row) ?? row]));
  return writes.map(({ row }) => rows.get(row.id) as UnitRow<Body> | undefined);
}

function isChange(write: Write): write is Change {
  return write.before !== undefined && write.before !== write.row;
}

/** Writes the rows. Returns the rows as they are stored afterwards, by id. */
async function storeRows(
  tx: Tx,
  writes: readonly Write[],
  isArrival: boolean,
): Promise<ReadonlyMap<string, UnitRow<unknown>>> {
  const fresh = writes.filter(({ before }) => before === undefined);
  const changed = writes.filter(isChange);
  for (const { before, row } of changed) {
    if (before.sensitivity !== row.sensitivity) await reclassifyUnit(tx, before, row);
  }
  const [inserted, kept] = await Promise.all([
    insertUnits(tx, fresh.map(({ row }) => row)),
    updateUnits(
      tx,
      changed.map(({ before, row }) => ({
        row,
        versionBefore: before.version,
        keeps: {
          stale: row.stale === before.stale,
          trust: row.trustScore === before.trustScore && row.trustCap === before.trustCap,
        },
      })),
    ),
  ]);
  if (inserted.size < fresh.length && !isArrival) {
    throw new ServiceError("RESURRECTION_BLOCKED", "Cannot store: an item with this id was erased");
  }
  const lost = changed.find(({ row }) => !kept.has(row.id));
  if (lost !== undefined) {
    throw new ServiceError(
      "version_mismatch",
      `Cannot change the ${lost.row.type}: another request has changed it in the meantime`,
    );
  }
  const isStored = (write: Write) => write.before !== undefined || inserted.has(write.row.id);
  return new Map(writes.filter(isStored).map(({ row }) => [row.id, { ...row, ...kept.get(row.id) }]));
}

/**
 * Stores the versions. A new current version takes the stored values of kept columns; an imported one stays unchanged.
 */
async function storeVersions(tx: Tx, writes: readonly Write[]): Promise<void> {
  const revisions = writes.flatMap(({ row: { version, stale, trustScore, trustCap }, versions }) =>
    versions.map(({ row, note, recorded }, i): NewRevision => ({
      unit: recorded === undefined && row.version === version ? { ...row, stale, trustScore, trustCap } : row,
      event: note.event,
      reason: note.reason,
      recordedAt: recorded?.at ?? row.updatedAt,
      replacedAt: recorded === undefined ? versions[i + 1]?.row.updatedAt ?? null : recorded.until,
      changedBy: recorded?.by ?? tx.actor,
    }))
  );
  const closed = writes.flatMap(({ before, versions }) => {
    const next = before && versions.find(({ row }) => row.version > before.version);
    return next === undefined
      ? []
      : [{ id: before!.id, version: before!.version, at: next.recorded?.at ?? next.row.updatedAt }];
  });
  await Promise.all([insertRevisions(tx, revisions), closeRevisions(tx, closed)]);
}

async function storeSources(tx: Tx, fresh: readonly Write[], changed: readonly Change[]): Promise<void> {
  const added = fresh.flatMap(linksOf);
  if (added.length > 0) await insertSources(tx, added);
  const moved = changed.filter(({ before, row }) => before.derivedFrom.join() !== row.derivedFrom.join());
  const supported = changed.filter(({ evidenceIds }) => evidenceIds !== undefined);
  for (const [kind, writes] of [["derived_from", moved], ["evidence", supported]] as const) {
    const links = writes.flatMap(linksOf).filter((link) => link.kind === kind);
    if (writes.length > 0) await replaceSources(tx, writes.map(({ row }) => row.id), kind, links);
  }
}

function linksOf({ row, evidenceIds = [] }: Write): SourceLink[] {
  return [
    ...row.derivedFrom.map((sourceId) => ({ unitId: row.id, sourceId, kind: "derived_from" as const })),
    ...evidenceIds.map((sourceId) => ({ unitId: row.id, sourceId, kind: "evidence" as const })),
  ];
}

async function replaceAllSources(
  tx: Tx,
  fresh: readonly Write[],
  changed: readonly Change[],
  { sourcesOf }: Arrival,
): Promise<void> {
  const replaced = changed.filter(({ before, row }) => row.version > before.version);
  if (replaced.length > 0) await deleteAllSources(tx, replaced.map(({ row }) => row.id));
  const links = [...fresh, ...replaced].flatMap(({ row }) => sourcesOf(row));
  if (links.length > 0) await insertSources(tx, links);
}

/** Links new statements to earlier ones about the same matter, and reworded ones anew. */
async function storeNewer(
  tx: Tx,
  fresh: readonly Write[],
  reworded: readonly Change[],
  sought: SoughtWords,
): Promise<void> {
  await renewLinks(tx, reworded.flatMap(toTold), sought);
  await linkNewer(tx, fresh.flatMap(toTold), sought);
}

/** Whether the write changes the text of a unit: a changed text has a new number in the index. */
function isReworded({ before, row }: Write): boolean {
  return before?.docNo !== row.docNo;
}

/**
 * A unit that states something, with its present text; none for other units, and for those that cite a turn: recall follows
 * the links of the turn, which says it in full and without a label.
 */
function toTold({ row, texts = [] }: Write): ToldStatement[] {
  const text = texts.find(({ docNo }) => docNo === row.docNo);
  if (text === undefined || rulesOf(row.type).isStatement !== true) return [];
  const { citations = [] } = row.body as { readonly citations?: readonly { readonly sessionId?: string }[] };
  if (citations.some(({ sessionId }) => sessionId !== undefined)) return [];
  return [{
    id: row.id,
    isTurn: false,
    docNo: row.docNo,
    at: row.validFrom ?? row.occurredAt ?? row.recordedAt,
    speaker: null,
    sessionId: null,
    prepared: { ...text.prepared, sensitivity: text.sensitivity },
  }];
}

function toNamedWrite({ before, row, versions }: Write) {
  const times = versions.map(({ recorded }) => recorded?.at ?? row.updatedAt);
  return { before, row, since: times.reduce((a, b) => b < a ? b : a, row.updatedAt) };
}

/** The text with the aliases of the version that has it. */
function toIndexRow({ row, versions }: Write, { docNo, sensitivity, prepared }: NewText) {
  const { type, body } = versions.findLast((version) => version.row.docNo === docNo)?.row ?? row;
  const analysis = addAliases(prepared.analysis, indexedBeside(type, body));
  return { docNo, groupNo: 0, position: 0, prepared: { ...prepared, sensitivity, analysis } };
}

/**
 * An import whose text is stored already adds its mentions to the stored ones and deletes none of them. Names in the
 * text that wait for a second text before they get an entity thus keep waiting.
 */
function toMentioning({ before, row, mentions }: Write, arrival: Arrival | undefined) {
  if (mentions === undefined) return [];
  const isAddition = arrival !== undefined && before?.docNo === row.docNo;
  return [{ before: isAddition ? undefined : before, row, mentions }];
}

function recordVersions(tx: Tx, writes: readonly Write[]): void {
  for (const { before, row, versions } of writes) {
    for (const version of versions) {
      const current = version.row.version === row.version ? row : version.row;
      recordUnit(
        tx,
        version.note.event,
        current,
        leastSensitive(before?.sensitivity ?? row.sensitivity, row.sensitivity),
      );
    }
  }
}

/** Updates what depends on the rows: relations, chains of reasoning, the trust of derived units, and reviews. */
async function followRows(
  tx: Tx,
  fresh: readonly Write[],
  changed: readonly Change[],
  isArrival: boolean,
): Promise<void> {
  for (const { before, row } of changed) {
    const was = mergedInto(before);
    if (row.sensitivity !== before.sensitivity || was !== mergedInto(row)) await relations.followUnit(tx, row.id, was);
  }
  // Nothing rests on a new unit yet, unless the unit was imported.
  await settlePreconditions(tx, changed.filter(changesGround).map(({ row }) => row.id));
  const lowered = changed.filter(({ before, row }) => row.trustScore < before.trustScore);
  await capDerived(tx, [...lowered, ...isArrival ? fresh : []].map(({ row }) => row.id));
  if (isArrival) return;
  await reviewStale(tx, fresh.map(({ row }) => row));
  await reviewRevised(
    tx,
    changed.map(({ before, row, reviewItemId }) => ({ before, after: row, decidedId: reviewItemId })),
  );
}

/** Whether reasoning that rests on the unit may be invalidated or reinstated. */
function changesGround({ before, row }: Change): boolean {
  return before.status !== row.status || before.contentHash !== row.contentHash || before.stale !== row.stale ||
    before.expiresAt?.getTime() !== row.expiresAt?.getTime() || before.validTo?.getTime() !== row.validTo?.getTime();
}

/** The changes that the new versions made, in their order. */
function changesOf({ before, row, versions, reviewItemId }: Write): UnitChange[] {
  const changes: UnitChange[] = [];
  let last = before;
  for (const { row: version, note } of versions) {
    const after = version.version === row.version ? row : version;
    if (last !== undefined) {
      changes.push({ before: last, after, note: { ...note, reviewItemId }, isNew: before === undefined });
    }
    last = after;
  }
  return changes;
}

/** The change that an import made to a stored unit; none for a new unit. */
function changeOf(write: Write): UnitChange[] {
  const note = write.versions.at(-1)?.note;
  return isChange(write) && note !== undefined ? [{ before: write.before, after: write.row, note }] : [];
}
