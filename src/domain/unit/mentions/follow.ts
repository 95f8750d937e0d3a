/** Linking knowledge units: the store of units calls it with every write, whoever writes. */
import type { Tx } from "../../../db/scope.ts";
import * as queries from "../../../db/queries/mentions.ts";
import { setEntityIds } from "../../../db/queries/name_work.ts";
import type { UnitRow } from "../../../db/queries/units.ts";
import type { TextNames } from "../../../language/mentions.ts";
import { rulesOf } from "../rules.ts";
import { findLinks, type LinkedText, type Links, storeLinks } from "./link.ts";
import { readUnit } from "./read.ts";

type Row = UnitRow<unknown>;
type NewRow = Omit<Row, "docNo">;

const NO_LINKS: Links = { mentioned: [], unknown: [], entityIds: [] };

/** What has names does not mention itself, and what it says of others is said by relations. */
function isLinked(unit: Pick<Row, "type">): boolean {
  return rulesOf(unit.type).isNamed !== true;
}

function toLinked(unit: Row, links: Links, given: readonly string[]): LinkedText {
  const mentionedAt = unit.occurredAt ?? unit.recordedAt;
  const { docNo, id: subjectId, type, sensitivity } = unit;
  return { docNo, subjectId, type, sensitivity, mentionedAt, live: unit.status !== "archived", links, given };
}

/** What a unit's text mentions, and which entities its author named. */
export interface UnitMentions {
  readonly links: Links;
  readonly given: readonly string[];
  /** Entities that the text alone names. */
  readonly found: ReadonlySet<string>;
}

function toMentions(links: Links, given: readonly string[]): UnitMentions {
  const named = new Set(given);
  const found = links.mentioned.map(({ entityId }) => entityId).filter((id) => !named.has(id));
  return { links, given, found: new Set(found) };
}

/** The entities that the unit's own list shows. */
export function listEntities({ given, links }: UnitMentions): string[] {
  return union(given, links.entityIds);
}

/** What new units mention, looked up in one round trip for all. */
export async function findMentionsOf(
  tx: Tx,
  items: readonly { readonly unit: NewRow; readonly names: TextNames | undefined }[],
): Promise<UnitMentions[]> {
  const linked = items.filter(({ unit }) => isLinked(unit));
  const found = (await findLinks(tx, linked.map(({ unit, names }) => readUnit(unit, names)))).values();
  return items.map(({ unit }) => toMentions(isLinked(unit) ? found.next().value! : NO_LINKS, unit.entityIds));
}

/** What stored units mention, read again; what their authors named is known from what is stored. */
export async function readMentionsOf(tx: Tx, units: readonly Row[]): Promise<UnitMentions[]> {
  if (units.length === 0) return [];
  const [stored, links] = await Promise.all([
    queries.listMentionsOf(tx, units.map((unit) => unit.docNo)),
    findLinks(tx, units.map((unit) => readUnit(unit, undefined))),
  ]);
  const byDoc = Map.groupBy(stored, (mention) => mention.docNo);
  return units.map(({ docNo, entityIds }, i) => {
    const found = new Set(byDoc.get(docNo)?.filter((mention) => !mention.given).map((mention) => mention.entityId));
    return { links: links[i]!, found, given: entityIds.filter((id) => !found.has(id)) };
  });
}

/** What a unit mentions after its author changed its list: what was added or removed is; what the text names stays. */
export function nameEntities(
  mentions: UnitMentions,
  before: readonly string[],
  after: readonly string[],
): UnitMentions {
  const added = after.filter((id) => !before.includes(id));
  const kept = before.filter((id) => !mentions.found.has(id) && after.includes(id));
  return toMentions(mentions.links, union(kept, added));
}

/** Writes what units mention; what was written of those that are not new is replaced. */
export async function storeMentions(
  tx: Tx,
  items: readonly { readonly row: Row; readonly isNew: boolean; readonly mentions: UnitMentions }[],
): Promise<void> {
  const former = items.filter(({ isNew }) => !isNew).map(({ row }) => row.docNo);
  if (former.length > 0) await queries.deleteMentions(tx, former);
  await storeLinks(
    tx,
    items.filter(({ row }) => isLinked(row)).map(({ row, mentions }) => toLinked(row, mentions.links, mentions.given)),
  );
}

/** New units with what they mention, and what is to be written once their rows are there. */
export async function linkNewUnits<U extends NewRow>(
  tx: Tx,
  items: readonly { readonly unit: U; readonly names: TextNames | undefined }[],
): Promise<{ readonly units: U[]; readonly store: (rows: readonly Row[]) => Promise<void> }> {
  const found = await findMentionsOf(tx, items);
  return {
    units: items.map(({ unit }, i): U => ({ ...unit, entityIds: listEntities(found[i]!) })),
    store: (rows) => storeMentions(tx, rows.map((row, i) => ({ row, isNew: true, mentions: found[i]! }))),
  };
}

function union(a: readonly string[], b: readonly string[] = []): string[] {
  return [...new Set([...a, ...b])];
}

/**
 * The next version of a unit with what it mentions, and what is to be written once it has its document number. What the
 * author added or removed is added or removed; what the text names is found again.
 */
export async function linkRevision<U extends Row>(
  tx: Tx,
  unit: Row,
  next: U,
  names: TextNames | undefined,
): Promise<{ readonly next: U; readonly store: (row: Row) => Promise<void> }> {
  if (!isLinked(next) || isSame(unit, next)) return { next, store: () => Promise.resolve() };
  const isSaid = tellsSame(unit, next);
  const [before, [links]] = await Promise.all([
    queries.listMentionsOf(tx, [unit.docNo]),
    findLinks(tx, [readUnit(next, isSaid ? undefined : names)]),
  ]);
  const found = new Set(before.filter((mention) => !mention.given).map((mention) => mention.entityId));
  const mentions = nameEntities({ links: links!, given: [], found }, unit.entityIds, next.entityIds);
  const { given } = mentions;
  return {
    next: { ...next, entityIds: listEntities(mentions) },
    store: async (row) => {
      if (row.docNo === unit.docNo) await queries.deleteMentions(tx, [row.docNo]);
      else await queries.setLive(tx, [unit.docNo], false);
      await storeLinks(tx, [toLinked(row, links!, given)]);
    },
  };
}

/**
 * Links units that were written as they were elsewhere: to what they name there, and to what their texts name here. It
 * opens nothing: the entities may come later, and are linked then.
 */
export async function linkImported(
  tx: Tx,
  units: readonly { readonly before: Row | undefined; readonly row: Row }[],
): Promise<void> {
  const linked = units.filter(({ row }) => isLinked(row));
  const found = await findLinks(tx, linked.map(({ row }) => readUnit(row, undefined)));
  const former = linked.flatMap(({ before, row }) =>
    before !== undefined && before.docNo !== row.docNo ? [before.docNo] : []
  );
  if (former.length > 0) await queries.setLive(tx, former, false);
  const there = await queries.keepEntities(tx, [...new Set(linked.flatMap(({ row }) => row.entityIds))]);
  const given = (row: Row) => row.entityIds.filter((id) => there.has(id));
  await storeLinks(tx, linked.map(({ row }, i) => toLinked(row, { ...found[i]!, unknown: [] }, given(row))));
  const changed = linked.map(({ row }, i) => ({ ...row, listed: union(row.entityIds, found[i]!.entityIds) }))
    .filter((row) => row.listed.length > row.entityIds.length);
  await setEntityIds(tx, changed.map(({ id, type, listed }) => ({ id, type, entityIds: listed })));
}

/** Whether the text and the members that name somebody say what they said. */
function tellsSame(a: Row, b: Row): boolean {
  return a.text === b.text && JSON.stringify(readUnit(a, NO_NAMES).told) === JSON.stringify(readUnit(b, NO_NAMES).told);
}

const NO_NAMES: TextNames = { names: [], grams: [] };

function isSame(a: Row, b: Row): boolean {
  const isPutAway = (row: Row) => row.status === "archived";
  return a.sensitivity === b.sensitivity && a.entityIds.join() === b.entityIds.join() &&
    isPutAway(a) === isPutAway(b) && tellsSame(a, b);
}
