/** Links units to the entities that they mention. The ledger calls this for every write. */
import type { Tx } from "../../../db/tx.ts";
import * as queries from "../../../db/queries/mentions.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import type { TextNames } from "../../../language/name_finder.ts";
import { Slices } from "../../../pause.ts";
import { rulesOf } from "../rules.ts";
import { findLinks, type LinkedText, type Links, storeLinks } from "./link.ts";
import { readUnit, type TextWithNames, type UnitToRead } from "./read.ts";

type Row = UnitRow<unknown>;
type NewRow = Omit<Row, "docNo">;

const NO_LINKS: Links = { mentioned: [], unknown: [], entityIds: [] };

/** Units that have names (entities) are not linked: their ties to other entities are stored as relations. */
function isLinked(unit: Pick<Row, "type">): boolean {
  return rulesOf(unit.type).isNamed !== true;
}

function toLinked(unit: Row, links: Links, given: readonly string[]): LinkedText {
  const mentionedAt = unit.occurredAt ?? unit.recordedAt;
  const { docNo, id: subjectId, type, sensitivity } = unit;
  return { docNo, subjectId, type, sensitivity, mentionedAt, live: unit.status !== "archived", links, given };
}

/** The entities that a unit's text mentions, and those that its author named. */
export interface UnitMentions {
  readonly links: Links;
  readonly given: readonly string[];
  /** Entities that only the text names, not the author. */
  readonly found: ReadonlySet<string>;
}

function toMentions(links: Links, given: readonly string[]): UnitMentions {
  const named = new Set(given);
  const found = links.mentioned.map(({ entityId }) => entityId).filter((id) => !named.has(id));
  return { links, given, found: new Set(found) };
}

/** The ids for the unit's `entityIds`. */
export function listEntities({ given, links }: UnitMentions): string[] {
  return union(given, links.entityIds);
}

/** Reads the names of units, in slices. */
async function readUnits(
  items: readonly { readonly unit: UnitToRead; readonly names: TextNames | undefined }[],
): Promise<TextWithNames[]> {
  const slices = new Slices();
  const texts: TextWithNames[] = [];
  for (const { unit, names } of items) {
    await slices.yieldIfDue();
    texts.push(readUnit(unit, names));
  }
  return texts;
}

/** Finds the entities that new units mention, in one round trip for all. */
export async function findMentionsOf(
  tx: Tx,
  items: readonly { readonly unit: NewRow; readonly names: TextNames | undefined }[],
): Promise<UnitMentions[]> {
  const linked = items.filter(({ unit }) => isLinked(unit));
  const found = (await findLinks(tx, await readUnits(linked))).values();
  return items.map(({ unit }) => toMentions(isLinked(unit) ? found.next().value! : NO_LINKS, unit.entityIds));
}

/**
 * Finds the entities that stored units mention by reading their texts again. The stored mentions tell which the authors
 * named.
 */
export async function readMentionsOf(tx: Tx, units: readonly Row[]): Promise<UnitMentions[]> {
  if (units.length === 0) return [];
  const [stored, links] = await Promise.all([
    queries.listMentionsOf(tx, units.map((unit) => unit.docNo)),
    readUnits(units.map((unit) => ({ unit, names: undefined }))).then((texts) => findLinks(tx, texts)),
  ]);
  const byDoc = Map.groupBy(stored, (mention) => mention.docNo);
  return units.map(({ docNo, entityIds }, i) => {
    const found = new Set(byDoc.get(docNo)?.filter((mention) => !mention.given).map((mention) => mention.entityId));
    return { links: links[i]!, found, given: entityIds.filter((id) => !found.has(id)) };
  });
}

/**
 * The mentions of a unit after its author changed `entityIds` from `before` to `after`. Entities that the text names
 * stay.
 */
export function nameEntities(
  mentions: UnitMentions,
  before: readonly string[],
  after: readonly string[],
): UnitMentions {
  const added = after.filter((id) => !before.includes(id));
  const kept = before.filter((id) => !mentions.found.has(id) && after.includes(id));
  return toMentions(mentions.links, union(kept, added));
}

/** A unit that was written, and its mentions. */
export interface MentioningUnit {
  /** Its row before the write; undefined: the unit is new. */
  readonly before: Row | undefined;
  readonly row: Row;
  readonly mentions: UnitMentions;
}

/**
 * Stores the mentions of units and replaces the stored mentions of the same texts. The mentions of a text that was replaced
 * stay, marked as no longer live, for reads of earlier versions.
 */
export async function storeMentions(tx: Tx, units: readonly MentioningUnit[]): Promise<void> {
  const linked = units.filter(({ row }) => isLinked(row));
  const former = linked.flatMap(({ before }) => before ?? []);
  const kept = new Set(linked.map(({ row }) => row.docNo));
  const same = former.filter(({ docNo }) => kept.has(docNo)).map(({ docNo }) => docNo);
  const replaced = former.filter(({ docNo }) => !kept.has(docNo)).map(({ docNo }) => docNo);
  if (same.length > 0) await queries.deleteMentions(tx, same);
  if (replaced.length > 0) await queries.setLive(tx, replaced, false);
  await storeLinks(tx, linked.map(({ row, mentions: { links, given } }) => toLinked(row, links, given)));
}

function union(a: readonly string[], b: readonly string[] = []): string[] {
  return [...new Set([...a, ...b])];
}

/**
 * Finds the mentions of a unit's next version; undefined if the stored ones stay. Applies what the author added to or
 * removed from `entityIds`, and finds the names in the text again.
 */
export async function findMentionsOfNext(
  tx: Tx,
  unit: Row,
  next: Row,
  names: TextNames | undefined,
): Promise<UnitMentions | undefined> {
  if (!isLinked(next) || isSame(unit, next)) return undefined;
  const saysSame = tellsSame(unit, next);
  const [before, [links]] = await Promise.all([
    queries.listMentionsOf(tx, [unit.docNo]),
    findLinks(tx, [readUnit(next, saysSame ? undefined : names)]),
  ]);
  const found = new Set(before.filter((mention) => !mention.given).map((mention) => mention.entityId));
  return nameEntities({ links: links!, given: [], found }, unit.entityIds, next.entityIds);
}

/**
 * Finds the mentions of imported units: the entities in their `entityIds` that exist in this workspace, and the entities of
 * this workspace that their texts name. Creates no entities for unknown names, because later lines of the import may bring
 * these entities, which are linked then.
 */
export async function findMentionsOfArrivals(tx: Tx, units: readonly Row[]): Promise<(UnitMentions | undefined)[]> {
  const linked = units.filter(isLinked);
  const [found, here] = await Promise.all([
    readUnits(linked.map((unit) => ({ unit, names: undefined }))).then((texts) => findLinks(tx, texts)),
    queries.keepEntities(tx, [...new Set(linked.flatMap((row) => row.entityIds))]),
  ]);
  const links = found.values();
  return units.map((row) => {
    if (!isLinked(row)) return undefined;
    return toMentions({ ...links.next().value!, unknown: [] }, row.entityIds.filter((id) => here.has(id)));
  });
}

/** Whether two rows have the same text and the same names in the body members that hold names. */
function tellsSame(a: Row, b: Row): boolean {
  return a.text === b.text &&
    JSON.stringify(readUnit(a, NO_NAMES).stated) === JSON.stringify(readUnit(b, NO_NAMES).stated);
}

const NO_NAMES: TextNames = { names: [], grams: [] };

function isSame(a: Row, b: Row): boolean {
  const isArchived = (row: Row) => row.status === "archived";
  return a.docNo === b.docNo && a.sensitivity === b.sensitivity && a.entityIds.join() === b.entityIds.join() &&
    isArchived(a) === isArchived(b) && tellsSame(a, b);
}
