/**
 * What is known here about an item: the versions that instances published of it, which one is shown, and the unit or
 * relation that shows it. It is a value: every function here returns a changed copy. Pure.
 */
import type { ConflictRow } from "../../../db/queries/federation_conflicts.ts";
import type { ItemRow } from "../../../db/queries/federation_ids.ts";
import type { VersionRow, VersionVerdict } from "../../../db/queries/federation_versions.ts";
import type { RelationRow } from "../../../db/queries/relations.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { ItemName, ItemType } from "../../../schema/federation_item.ts";
import type { ShownVersion } from "../decision/judge.ts";
import { type VersionEntry, withItself } from "../decision/order.ts";
import { digestMembers } from "./own_version.ts";
import type { SharedForm } from "./shared_form.ts";

/** The members of an item that `saveItems` writes. */
interface Stored {
  readonly row: ItemRow;
  readonly versions: ReadonlyMap<string, VersionRow>;
  /** The content of writers' versions that are not shown, by writer. */
  readonly contents: ReadonlyMap<string, SharedForm>;
}

export interface KnownItem extends Stored {
  readonly name: ItemName;
  readonly type: ItemType;
  /** The unit or relation that shows the item; undefined if it is not here. */
  readonly unit: UnitRow | undefined;
  readonly relation: RelationRow | undefined;
  /** The open conflicts, by writer. */
  readonly conflicts: ReadonlyMap<string, ConflictRow>;
  readonly shown: ShownVersion | undefined;
  readonly isErased: boolean;
  /** What the database holds. */
  readonly stored: Stored;
}

/** The row of an item that is not here, under the local id that is reserved for it. */
export function reservedRow(origin: ItemName, unitId: string): ItemRow {
  return { origin, unitId, role: "reserved", ...NOTHING_SHOWN, settled: {} };
}

const NOTHING_SHOWN = { shownWriter: null, shownVersion: null, shownHash: null, context: {}, isOwn: false };

/** The version that this instance shows of an item; undefined: it shows none. */
export function shownOf({ row, versions, unit, relation }: KnownItem, instance: string): ShownVersion | undefined {
  const { shownWriter, shownVersion, shownHash, context, settled, isOwn } = row;
  if (shownWriter !== null && shownHash !== null) {
    return { hash: shownHash, dot: { writer: shownWriter, version: shownVersion! }, context, settled, isOwn };
  }
  const own = versions.get(instance);
  if (own === undefined || own.isDeleted || (unit ?? relation) === undefined) return undefined;
  const { hash, version } = own;
  return { hash, dot: { writer: instance, version }, context: withItself(toEntry(own)), settled, isOwn: true };
}

/** The entry of the register as `judge.ts` sees it. A version that cannot be shown counts as deleted. */
export function toEntry(row: VersionRow): VersionEntry {
  const { writer, version, updatedAt, hash, seen, affirms, isDeleted, isWithdrawn, verdict } = row;
  const isOut = isDeleted || isWithdrawn || verdict === "deferred" || verdict === "blocked";
  return { writer, version, updatedAt, hash, seen, affirms, isDeleted: isOut };
}

/** The entries of an item as `judge.ts` sees them. */
export function entriesOf({ versions }: KnownItem): VersionEntry[] {
  return [...versions.values()].map(toEntry);
}

/** The entry for a version that another writer sent. */
export function receivedVersion(
  { name: origin, type, row: { unitId } }: KnownItem,
  sent:
    & Pick<VersionRow, "writer" | "version" | "updatedAt" | "hash" | "seen" | "affirms" | "isDeleted" | "isWithdrawn">
    & { readonly sensitivity: Sensitivity; readonly verdict: VersionVerdict },
  receivedAt: Date,
): VersionRow {
  return {
    origin,
    type,
    ...sent,
    leastSensitivity: sent.sensitivity,
    seq: null,
    ...digestMembers({ origin, type, version: sent.version, hash: sent.hash }),
    withdrawnLeaf: null,
    unitId,
    unitVersion: null,
    receivedAt,
  };
}

/** Puts a writer's version in place of its earlier one; `content` is null if it need not be kept. */
export function withVersion(item: KnownItem, row: VersionRow, content: SharedForm | null): KnownItem {
  return withContent({ ...item, versions: new Map(item.versions).set(row.writer, row) }, row.writer, content);
}

/** Keeps the content of a writer's version, or drops it. */
export function withContent(item: KnownItem, writer: string, content: SharedForm | null): KnownItem {
  if (content !== null) return { ...item, contents: new Map(item.contents).set(writer, content) };
  return item.contents.has(writer) ? { ...item, contents: without(item.contents, writer) } : item;
}

/** Notes the verdict about a writer's version. */
export function withVerdict(item: KnownItem, writer: string, verdict: VersionVerdict): KnownItem {
  const row = item.versions.get(writer)!;
  const { unitId } = item.row;
  if (row.verdict === verdict && row.unitId === unitId) return item;
  return { ...item, versions: new Map(item.versions).set(writer, { ...row, verdict, unitId }) };
}

/** Notes which version is shown. */
export function withShown(item: KnownItem, shown: ShownVersion, role: ItemRow["role"] = item.row.role): KnownItem {
  const { hash, dot, context, settled, isOwn } = shown;
  const kept = { context, settled, isOwn, shownWriter: dot.writer, shownVersion: dot.version, shownHash: hash };
  return { ...item, shown, row: { ...item.row, ...kept, role } };
}

/** Notes which unit shows the item. Another item's unit that stands in for it is not the item's own. */
export function withUnit(item: KnownItem, unit: UnitRow, isStandIn: boolean): KnownItem {
  const row = { ...item.row, unitId: unit.id, role: isStandIn ? "stand_in" as const : "unit" as const };
  return { ...item, row, unit: isStandIn ? item.unit : unit };
}

/** Notes which relation shows the item, as `withUnit` does. */
export function withRelation(item: KnownItem, relation: RelationRow, isStandIn: boolean): KnownItem {
  const row = { ...item.row, unitId: relation.id, role: isStandIn ? "stand_in" as const : "unit" as const };
  return { ...item, row, relation: isStandIn ? item.relation : relation };
}

/** Takes a stand-in away: the item gets a local id of its own, under which nothing is stored yet. */
export function withoutStandIn(item: KnownItem, unitId: string): KnownItem {
  return { ...item, row: { ...item.row, unitId, role: "reserved" }, unit: undefined, relation: undefined };
}

/** Notes an open conflict with its writer. */
export function withConflict(item: KnownItem, row: ConflictRow): KnownItem {
  return { ...item, conflicts: new Map(item.conflicts).set(row.writer, row) };
}

/** Notes that the conflict with a writer has ended. */
export function withoutConflict(item: KnownItem, writer: string): KnownItem {
  return { ...item, conflicts: without(item.conflicts, writer) };
}

/** Leaves the entries of some writers out of all further decisions. Their rows are deleted by whoever asks for this. */
export function withoutWriters(item: KnownItem, writers: readonly string[]): KnownItem {
  return { ...item, versions: without(item.versions, ...writers), contents: without(item.contents, ...writers) };
}

/** Shows nothing any more, and knows of no version that was shown. */
export function withNothingShown(item: KnownItem): KnownItem {
  return { ...item, row: { ...item.row, ...NOTHING_SHOWN } };
}

/** The item after it was erased for ever. */
export function asErased(item: KnownItem): KnownItem {
  const { row } = item;
  const erased = [...item.versions.values()].flatMap(({ writer, verdict }) => verdict === "own" ? [] : [writer]);
  const judged = erased.reduce((one, writer) => withVerdict(one, writer, "erased"), item);
  return {
    ...judged,
    row: { ...reservedRow(row.origin, row.unitId), role: row.role === "stand_in" ? "stand_in" : "reserved" },
    contents: new Map(),
    unit: undefined,
    relation: undefined,
    shown: undefined,
    isErased: true,
  };
}

/** What the database does not hold yet. */
export function unsaved({ name: origin, row, versions, contents, stored }: KnownItem) {
  const isNewVersion = (writer: string) => versions.get(writer)?.version !== stored.versions.get(writer)?.version;
  // Storing another version of a writer drops the content that is kept, so it is stored again.
  const isOther = (writer: string) =>
    contents.get(writer) !== stored.contents.get(writer) || (contents.has(writer) && isNewVersion(writer));
  return {
    rows: row === stored.row ? [] : [row],
    versions: [...versions.values()].filter((one) => one !== stored.versions.get(one.writer)),
    contents: [...versions.keys()].filter(isOther).map((writer) => (
      { origin, writer, content: contents.get(writer) ?? null }
    )),
  };
}

function without<Value>(map: ReadonlyMap<string, Value>, ...keys: readonly string[]): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([key]) => !keys.includes(key)));
}
