/** Reads and locks everything that is known here about the items of a batch at once, and writes it back at once. */
import type { OperationContext } from "../../../context.ts";
import { type ConflictRow, findOpenConflicts } from "../../../db/queries/federation_conflicts.ts";
import { findItems, type ItemRow, saveItems } from "../../../db/queries/federation_ids.ts";
import { findVersions, saveVersions, type Verdict, type VersionRow } from "../../../db/queries/federation_versions.ts";
import { findWords, saveWords } from "../../../db/queries/federation_words.ts";
import { findErased } from "../../../db/queries/imports.ts";
import { findRelations, type RelationRow } from "../../../db/queries/relations.ts";
import { findUnits, lockNames, type UnitRow } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import { type ItemName, type ItemType, writeReference } from "../../../schema/federation_item.ts";
import { hasLiveStatus } from "../../kinds/facts/fields.ts";
import { reserveAnother, reserveLocalIds } from "./item_names.ts";
import type { Shown } from "../decision/judge.ts";
import { type VersionEntry, withItself } from "../decision/order.ts";
import { digestMembers } from "./own_version.ts";
import { publishPending } from "./publish.ts";
import { readUnitForm, referencesOf, type SharedForm } from "./shared_form.ts";

/** What is known about one item. The members change while a batch is received; `saveStates` writes them back. */
export interface KnownItem {
  readonly name: ItemName;
  readonly type: ItemType;
  row: ItemRow;
  readonly versions: Map<string, VersionRow>;
  /** The content of writers' versions that are not shown, by writer. */
  readonly words: Map<string, SharedForm>;
  /** The unit or relation that shows the item; undefined if it is not here. */
  unit: UnitRow | undefined;
  relation: RelationRow | undefined;
  /** The open conflicts, by writer. */
  readonly conflicts: Map<string, ConflictRow>;
  shown: Shown | undefined;
  isErased: boolean;
  /** What has to be written back. */
  readonly changed: { row: boolean; readonly versions: Set<string>; readonly words: Set<string> };
}

/** Reads items by name. Until the transaction ends nobody else can write or erase them. */
export async function loadStates(
  ctx: OperationContext,
  tx: Tx,
  wanted: readonly { readonly name: ItemName; readonly type: ItemType; readonly unit: SharedForm | null }[],
): Promise<Map<string, KnownItem>> {
  const { instanceId } = ctx.deps.config;
  const names = new Map(wanted.map(({ name }) => [writeReference(name), name]));
  const mentioned = wanted.flatMap(({ type, unit }) => unit === null ? [] : referencesOf(type, unit));
  const ids = await reserveLocalIds(tx, instanceId, [...names.values(), ...mentioned]);
  const localIds = [...names.keys()].map((reference) => ids.get(reference)!);
  // Rows are locked before names, in the order in which erasing locks them; so an item that was erased meanwhile is
  // noticed.
  const here = [
    ...await findUnits(tx, localIds, { lock: "update" }),
    ...await findRelations(tx, localIds, { lock: true }),
  ];
  await lockNames(tx, localIds.map((id) => `id:${id}`).sort());
  const all = [...names.values()];
  // Local changes get a version now, so that incoming versions are compared with it.
  await publishPending(ctx, tx, here.map(({ id }) => id));
  const [erased, units, relations, items, versions, words, conflicts] = await Promise.all([
    findErased(tx, localIds),
    findUnits(tx, localIds, { lock: "update" }),
    findRelations(tx, localIds, { lock: true }),
    findItems(tx, all, { lock: true }),
    findVersions(tx, all),
    findWords(tx, all),
    findOpenConflicts(tx, all),
  ]);
  const unitsById = new Map(units.map((unit) => [unit.id, unit]));
  const relationsById = new Map(relations.map((relation) => [relation.id, relation]));
  const itemsByName = new Map(items.map((item) => [writeReference(item.origin), item]));
  const [versionsByName, wordsByName, conflictsByName] = [byName(versions), byName(words), byName(conflicts)];
  const states = new Map<string, KnownItem>();
  for (const { name, type } of wanted) {
    const reference = writeReference(name);
    if (states.has(reference)) continue;
    const unitId = ids.get(reference)!;
    const row = itemsByName.get(reference) ?? newItem(name, unitId);
    const state: KnownItem = {
      name,
      type,
      row,
      versions: new Map((versionsByName.get(reference) ?? []).map((version) => [version.writer, version])),
      words: new Map((wordsByName.get(reference) ?? []).map(({ writer, word }) => [writer, word!])),
      unit: unitsById.get(unitId),
      relation: relationsById.get(unitId),
      conflicts: new Map((conflictsByName.get(reference) ?? []).map((conflict) => [conflict.writer, conflict])),
      shown: undefined,
      isErased: erased.has(unitId),
      changed: { row: false, versions: new Set(), words: new Set() },
    };
    if (row.role === "stand_in" && !standsIn(state)) await letGoOfStandIn(tx, state);
    state.shown = shownOf(state, instanceId);
    states.set(reference, state);
  }
  return states;
}

/** Groups rows by the item that they are about. */
function byName<Row extends { readonly origin: ItemName }>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ origin }) => writeReference(origin));
}

/** Whether the stand-in of an item is here and has the same content. For types other than facts, equal names suffice. */
function standsIn({ row, type, unit, relation, words }: KnownItem): boolean {
  if (type !== "fact" || unit === undefined) return (unit ?? relation) !== undefined;
  const word = row.shownWriter === null ? undefined : words.get(row.shownWriter);
  if (word === undefined) return true;
  const { contentHash } = readUnitForm("fact", word, ({ id }) => id);
  return hasLiveStatus(unit) && unit.contentHash === contentHash;
}

/** Gives an item a unit of its own again, because its stand-in was erased or has other content now. */
async function letGoOfStandIn(tx: Tx, state: KnownItem): Promise<void> {
  const unitId = await reserveAnother(tx, state.name);
  state.row = newItem(state.name, unitId);
  state.unit = undefined;
  state.relation = undefined;
  state.isErased = (await findErased(tx, [unitId])).has(unitId);
  state.changed.row = true;
}

function newItem(origin: ItemName, unitId: string): ItemRow {
  const nothing = { shownWriter: null, shownVersion: null, shownHash: null, context: {}, settled: {}, isOwn: false };
  return { origin, unitId, role: "reserved", ...nothing };
}

function shownOf({ row, versions, unit, relation }: KnownItem, instance: string): Shown | undefined {
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

/** Puts a writer's version into the register; `word` is its content, null if it need not be kept. */
export function putVersion(state: KnownItem, row: VersionRow, word: SharedForm | null): void {
  state.versions.set(row.writer, row);
  state.changed.versions.add(row.writer);
  putWord(state, row.writer, word);
}

/** Keeps the content of a writer's version, or drops it. */
export function putWord(state: KnownItem, writer: string, word: SharedForm | null): void {
  if (word === null && !state.words.has(writer)) return;
  if (word === null) state.words.delete(writer);
  else state.words.set(writer, word);
  state.changed.words.add(writer);
}

/** Notes the verdict about a writer's version. */
export function setVerdict(state: KnownItem, writer: string, verdict: Verdict): void {
  const row = state.versions.get(writer)!;
  if (row.verdict === verdict && row.unitId === state.row.unitId) return;
  state.versions.set(writer, { ...row, verdict, unitId: state.row.unitId });
  state.changed.versions.add(writer);
}

/** Notes which version of an item is shown. */
export function putShown(state: KnownItem, shown: Shown, role: ItemRow["role"] = state.row.role): void {
  state.shown = shown;
  const { hash, dot, context, settled, isOwn } = shown;
  const kept = { context, settled, isOwn, shownWriter: dot.writer, shownVersion: dot.version, shownHash: hash };
  state.row = { ...state.row, ...kept, role };
  state.changed.row = true;
}

/** Writes back all changes. */
export async function saveStates(tx: Tx, states: Iterable<KnownItem>): Promise<void> {
  const all = [...states];
  await saveItems(tx, all.flatMap(({ row, changed }) => changed.row ? [row] : []));
  await saveVersions(tx, all.flatMap(({ versions, changed }) => [...changed.versions].map((w) => versions.get(w)!)));
  await saveWords(
    tx,
    all.flatMap(({ name: origin, words, changed }) =>
      [...changed.words].map((writer) => ({ origin, writer, word: words.get(writer) ?? null }))
    ),
  );
  for (const { changed } of all) {
    changed.row = false;
    changed.versions.clear();
    changed.words.clear();
  }
}

/** The register's entry for a version that another writer sent. */
export function receivedVersion(
  tx: Tx,
  state: KnownItem,
  said:
    & Pick<VersionRow, "writer" | "version" | "updatedAt" | "hash" | "seen" | "affirms" | "isDeleted" | "isWithdrawn">
    & {
      readonly sensitivity: Sensitivity;
      readonly verdict: Verdict;
    },
): VersionRow {
  return {
    origin: state.name,
    type: state.type,
    ...said,
    leastSensitivity: said.sensitivity,
    seq: null,
    ...digestMembers({ origin: state.name, type: state.type, version: said.version, hash: said.hash }),
    withdrawnLeaf: null,
    unitId: state.row.unitId,
    unitVersion: null,
    receivedAt: tx.now,
  };
}
