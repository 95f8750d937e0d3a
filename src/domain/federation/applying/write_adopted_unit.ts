/**
 * Stores and revises the units that show items, by the same ledger as local writes. Whatever a peer says about its
 * source, the content gets the low trust of `federation_received`.
 */
import type { OperationContext } from "../../../context.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits, lockNames } from "../../../db/queries/units.ts";
import { findNamedAsSource } from "../../../db/queries/imports.ts";
import type { Tx } from "../../../db/tx.ts";
import type { Sensitivity } from "../../../schema/common.ts";
import type { ItemName } from "../../../schema/federation_item.ts";
import type { UnitLine } from "../../../schema/transfer_lines.ts";
import type { UnitType } from "../../../schema/unit.ts";
import { writeReference } from "../../../schema/federation_item.ts";
import { type FactRow, hasLiveStatus, isFact } from "../../kinds/facts/fields.ts";
import { contestIfRivalled } from "../../kinds/facts/judgement.ts";
import { endOf } from "../../kinds/facts/conflicts.ts";
import { settleRevision } from "../../kinds/facts/update.ts";
import { type NewFact, writeNewFacts } from "../../kinds/facts/write.ts";
import { openNamesOf } from "../../kinds/entities/open_names.ts";
import { REGISTRY } from "../../kinds/registry.ts";
import { deriveId } from "../../transfer/id_map.ts";
import { keepExternalId } from "../../unit/external_id.ts";
import { type PreparedText, prepareNow } from "../../unit/indexing.ts";
import { capDerived, isStanding, settleDependants } from "../../unit/standing.ts";
import { insertUnits, reviseUnit } from "../../unit/store.ts";
import { findSources } from "../../unit/support.ts";
import { capOf, mostSensitive, trustOf } from "../../unit/trust.ts";
import { freshWorth } from "../../unit/worth.ts";
import { reserveLocalIds } from "../register/item_names.ts";
import { type AuthoredColumns, readUnitForm, referencesOf, type SharedForm } from "../register/shared_form.ts";

/** The peer whose version is stored, and the transaction that stores it. */
export interface AdoptingTransaction {
  readonly ctx: OperationContext;
  readonly tx: Tx;
  readonly peer: string;
  /** Up to which sensitivity the peer may know of what others wrote; undefined: it names nothing new. */
  readonly clearance?: Sensitivity | undefined;
}

/** A version to store. */
export interface PeerVersion {
  readonly name: ItemName;
  readonly type: UnitType;
  readonly content: SharedForm;
  /** Its analysed text, if it was analysed before. */
  readonly text: PreparedText | undefined;
  /** Its content, if it was read before, with the id that each reference has at its origin. */
  readonly authored?: AuthoredColumns | undefined;
}

const RECEIVED = "federation_received";

/** Reads the content of a version, with local ids in place of references. */
export async function readContent(
  { ctx, tx }: AdoptingTransaction,
  { type, content, authored }: PeerVersion,
): Promise<AuthoredColumns> {
  const names = referencesOf(type, content);
  const ids = await reserveLocalIds(tx, ctx.deps.config.instanceId, names);
  if (authored !== undefined && names.every((name) => ids.get(writeReference(name)) === name.id)) return authored;
  return readUnitForm(type, content, (name) => ids.get(writeReference(name))!);
}

/** A unit to store: its row, its analysed text and its evidence. */
interface Draft {
  readonly row: UnitRow;
  readonly prepared: PreparedText;
  readonly evidenceIds: readonly string[];
}

/**
 * Makes the row of a peer's version.
 * @param before the row of the unit that shows the item now, if there is one
 */
async function draft(
  receiving: AdoptingTransaction,
  version: PeerVersion,
  id: string,
  before: UnitRow | undefined,
): Promise<Draft> {
  const { ctx, tx } = receiving;
  const { evidenceIds, ...authored } = await readContent(receiving, version);
  const named = await findSources(tx, [...authored.derivedFrom, ...evidenceIds, ...authored.entityIds]);
  const rests = (ids: readonly string[]) => ids.flatMap((one) => named.get(one) ?? []);
  const trustCap = capOf(rests(authored.derivedFrom));
  const trustScore = trustOf(RECEIVED, trustCap);
  const stale = ![...rests(authored.derivedFrom), ...rests(evidenceIds)].every(isStanding);
  const isOurs = version.name.instance === ctx.deps.config.instanceId;
  const row: UnitRow = {
    id,
    type: version.type,
    version: 1,
    worth: freshWorth(trustScore, stale).worth,
    pinned: false,
    originInstance: version.name.instance,
    originId: version.name.id,
    docNo: 0,
    recordedAt: tx.now,
    corroborationCount: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: tx.actor,
    ...before,
    ...authored,
    retractedAt: authored.status === "retracted" ? before?.retractedAt ?? tx.now : null,
    entityIds: authored.entityIds.filter((one) => named.get(one)?.type === "entity"),
    attribution: RECEIVED,
    trustCap,
    trustScore,
    stale,
    // An item that began here keeps at least its sensitivity: no peer makes it more public.
    sensitivity: mostSensitive(
      authored.sensitivity,
      "internal",
      ...isOurs && before !== undefined ? [before.sensitivity] : [],
    ),
  };
  const text = version.text?.text === row.text ? version.text : undefined;
  const { type: kind, sensitivity } = row;
  const prepared = text === undefined
    ? prepareNow(ctx, { kind, sensitivity, text: row.text })
    : { ...text, sensitivity };
  return { row, prepared, evidenceIds };
}

/** The unit that shows an item from now on. */
export interface Stored {
  readonly unit: UnitRow;
  /** Whether another unit with the same content stands in for the item. */
  readonly isStandIn: boolean;
}

/** Stores items that are new here. Either all of a run are facts in force, or none is. Returns them in order. */
export async function storeFirst(
  receiving: AdoptingTransaction,
  items: readonly (PeerVersion & { readonly id: string })[],
): Promise<Stored[]> {
  const drafts: Draft[] = [];
  for (const item of items) drafts.push(await draft(receiving, item, item.id, undefined));
  const stored: Stored[] = [];
  for (const run of runsOf(drafts)) {
    const isFacts = isLiveFact(run[0]!);
    stored.push(...isFacts ? await storeFacts(receiving, run) : await storeUnits(receiving, run));
  }
  await followFirst(receiving, stored);
  return stored;
}

function isLiveFact({ row }: Draft): boolean {
  return isFact(row) && hasLiveStatus(row);
}

/**
 * Splits drafts into runs: facts in force are stored together, by rules of their own; anything else is stored one by
 * one.
 */
function runsOf(drafts: readonly Draft[]): Draft[][] {
  const runs: Draft[][] = [];
  for (const one of drafts) {
    const last = runs.at(-1);
    if (last !== undefined && isLiveFact(one) && isLiveFact(last[0]!)) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

const receivedFrom = (peer: string) => ({ event: "received", reason: `from ${peer}` });

/**
 * Stores facts in force, comparing them with the known ones. A known fact that says the same stands in for the new one.
 */
async function storeFacts({ ctx, tx, peer }: AdoptingTransaction, drafts: readonly Draft[]): Promise<Stored[]> {
  const facts = drafts.map(({ row, prepared }): NewFact => (
    { fact: row as FactRow, prepared, originEvent: receivedFrom(peer) }
  ));
  const written = await writeNewFacts(ctx, tx, facts);
  return facts.map((fact) => {
    const { row: unit, isNew } = written.get(fact)!;
    return { unit, isStandIn: !isNew };
  });
}

async function storeUnits({ ctx, tx, peer }: AdoptingTransaction, drafts: readonly Draft[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const { row, prepared, evidenceIds } of drafts) {
    const { transfer, kind } = REGISTRY[row.type];
    const names = transfer.namesOf?.(row.body) ?? [];
    if (names.length > 0) await lockNames(tx, names);
    const line = { id: row.id, status: row.status, sensitivity: row.sensitivity, body: row.body };
    const standIns = await transfer.findStandIns?.(tx, [line as unknown as UnitLine]);
    const standIn = standIns?.get(row.id);
    if (standIn !== undefined) {
      const [unit] = await findUnits(tx, [standIn]);
      stored.push({ unit: unit!, isStandIn: true });
      continue;
    }
    const item = { unit: row, prepared, evidenceIds };
    if (row.type === "fact") await openNamesOf(ctx, tx, [item]);
    else await kind?.beforeInsert?.(ctx, tx, [item]);
    const [unit] = await insertUnits(tx, [item], receivedFrom(peer));
    stored.push({ unit: unit!, isStandIn: false });
  }
  return stored;
}

/** Applies the staleness and the trust of sources to units that were stored before their sources. */
async function followFirst({ tx }: AdoptingTransaction, stored: readonly Stored[]): Promise<void> {
  const fresh = stored.flatMap(({ unit, isStandIn }) => isStandIn ? [] : [unit.id]);
  const named = fresh.length === 0 ? new Set<string>() : await findNamedAsSource(tx, fresh);
  const awaited = fresh.filter((id) => named.has(id));
  await settleDependants(tx, awaited);
  await capDerived(tx, awaited);
}

/** Writes a peer's version into a unit. Returns the unit's new row. */
export async function revise(receiving: AdoptingTransaction, version: PeerVersion, unit: UnitRow): Promise<UnitRow> {
  const { ctx, tx, peer } = receiving;
  const { row: peers, prepared, evidenceIds } = await draft(receiving, version, unit.id, unit);
  // A peer cannot remove the external id that this workspace's callers gave to a fact.
  const next = { ...peers, body: keepExternalId(unit.body, peers.body) };
  const note = { ...receivedFrom(peer), prepared };
  if (isFact(unit) && isFact(next)) {
    if (hasLiveStatus(next)) await openNamesOf(ctx, tx, [{ unit: next, prepared }]);
    return await reviseFact(tx, unit, next, note);
  }
  const { transfer, kind } = REGISTRY[unit.type];
  await lockNames(tx, transfer.namesOf?.(next.body) ?? []);
  const isMoved = evidenceIds.join() !== transfer.evidenceOf?.(unit.body).join();
  const row = await reviseUnit(tx, unit, next, { ...note, ...(isMoved && { evidenceIds }) });
  await kind?.onRevised?.(tx, unit, row);
  return row;
}

/** Revises a fact. One that comes into force, or changes its content, is compared with the known facts. */
async function reviseFact(
  tx: Tx,
  fact: FactRow,
  next: FactRow,
  note: { readonly event: string; readonly reason: string; readonly prepared: PreparedText },
): Promise<FactRow> {
  const wasLive = hasLiveStatus(fact);
  if (next.status !== "active") return await reviseUnit(tx, fact, next, note);
  if (!wasLive) return await contestIfRivalled(tx, fact, next, note);
  // A peer's statement ends no other fact by its wording.
  const { row } = await settleRevision(tx, fact, { ...next, status: fact.status }, note, { byClaims: false });
  return row;
}

/**
 * Keeps this instance's version of a fact as a unit of its own, superseded by the unit that takes the peer's version.
 * Units of other types keep it in their history.
 */
export async function keepOurVersion(
  { ctx, tx, peer }: AdoptingTransaction,
  name: ItemName,
  unit: UnitRow,
): Promise<void> {
  if (!isFact(unit)) return;
  const validTo = endOf(unit, tx.now);
  const { externalId: _, ...body } = unit.body;
  const row: FactRow = {
    ...unit,
    id: versionId(tx, name, `${ctx.deps.config.instanceId} ${unit.version}`),
    version: 1,
    status: "superseded",
    validTo,
    body: { ...body, supersededBy: unit.id, before: { validTo: unit.validTo?.toISOString() ?? null } },
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  const { type: kind, sensitivity, text } = unit;
  const prepared = prepareNow(ctx, { kind, sensitivity, text });
  const note = { event: "superseded", reason: `what ${peer} says took its place` };
  await insertUnits(tx, [{ unit: row, prepared }], note);
}

/** The id of the unit that holds another version of an item than the shown one. */
export function versionId(tx: Tx, { instance, id }: ItemName, whose: string): string {
  return deriveId(`${tx.workspaceId} ${instance} ${whose}`, id);
}

/** Stores a version that contradicts the shown one as a unit beside it, in place of the same writer's earlier one. */
export async function storeContested(
  receiving: AdoptingTransaction,
  version: PeerVersion,
  id: string,
): Promise<UnitRow> {
  const { tx, ctx, peer } = receiving;
  const [known] = await findUnits(tx, [id], { lock: "update" });
  const { row, prepared, evidenceIds } = await draft(receiving, version, id, known);
  const next = { ...row, status: "contested" };
  if (known !== undefined) return await reviseUnit(tx, known, next, { ...receivedFrom(peer), prepared, evidenceIds });
  const item = { unit: next, prepared, evidenceIds };
  const { kind } = REGISTRY[version.type];
  if (version.type === "fact") await openNamesOf(ctx, tx, [item]);
  else await kind?.beforeInsert?.(ctx, tx, [item]);
  const [unit] = await insertUnits(tx, [item], receivedFrom(peer));
  return unit!;
}
