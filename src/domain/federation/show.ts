/**
 * What is shown of an item, as a unit: stored and revised through the same ledger as what is written here, whatever the
 * type. What a peer says is trusted as little as anything of unknown origin, whoever it says that said it.
 */
import type { OperationContext } from "../../context.ts";
import { findUnits, lockNames, type UnitRow } from "../../db/queries/units.ts";
import { findNamedAsSource } from "../../db/queries/imports.ts";
import type { Tx } from "../../db/tx.ts";
import type { ItemName } from "../../schema/federation_item.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import type { UnitType } from "../../schema/unit.ts";
import { writeReference } from "../../schema/federation_item.ts";
import { type FactRow, LIVE_STATUSES } from "../kinds/facts/fields.ts";
import { contestIfRivalled } from "../kinds/facts/judgement.ts";
import { endOf } from "../kinds/facts/conflicts.ts";
import { settleRevision } from "../kinds/facts/update.ts";
import { type Claim, writeClaims, type Written } from "../kinds/facts/write.ts";
import { openNamesOf } from "../kinds/entities/open_names.ts";
import { REGISTRY } from "../kinds/registry.ts";
import { deriveId } from "../transfer/id_map.ts";
import { analyseOnly, type PreparedText } from "../unit/indexing.ts";
import { capDerived, isStanding, settleDependants } from "../unit/standing.ts";
import { insertUnits, reviseUnit } from "../unit/store.ts";
import { findSources } from "../unit/support.ts";
import { capOf, mostSensitive, trustOf } from "../unit/trust.ts";
import { freshWorth } from "../unit/worth.ts";
import { reserveLocalIds } from "./item_names.ts";
import { readUnitForm, referencesOf, type SaidColumns, type SharedForm } from "./shared_form.ts";

/** Who says it, and in which transaction it is stored. */
export interface Receiving {
  readonly ctx: OperationContext;
  readonly tx: Tx;
  readonly peer: string;
}

/** A version that is to be stored. */
export interface Told {
  readonly name: ItemName;
  readonly type: UnitType;
  readonly word: SharedForm;
  /** Of its text, where that was analysed before. */
  readonly text: PreparedText | undefined;
}

const RECEIVED = "federation_received";

/** What a version says, with the ids that everything has here. */
export async function readWord({ ctx, tx }: Receiving, { type, word }: Told): Promise<SaidColumns> {
  const ids = await reserveLocalIds(tx, ctx.deps.config.instanceId, referencesOf(type, word));
  return readUnitForm(type, word, (name) => ids.get(writeReference(name))!);
}

/** A unit to be: its row and its text. */
interface Draft {
  readonly row: UnitRow;
  readonly prepared: PreparedText;
  readonly evidenceIds: readonly string[];
}

/**
 * The row of a version of a peer.
 * @param before what is shown here until now
 */
async function draft(
  receiving: Receiving,
  told: Told,
  id: string,
  before: UnitRow | undefined,
): Promise<Draft> {
  const { ctx, tx } = receiving;
  const { evidenceIds, ...said } = await readWord(receiving, told);
  const named = await findSources(tx, [...said.derivedFrom, ...evidenceIds, ...said.entityIds]);
  const rests = (ids: readonly string[]) => ids.flatMap((one) => named.get(one) ?? []);
  const trustCap = capOf(rests(said.derivedFrom));
  const trustScore = trustOf(RECEIVED, trustCap);
  const stale = ![...rests(said.derivedFrom), ...rests(evidenceIds)].every(isStanding);
  const isOurs = told.name.instance === ctx.deps.config.instanceId;
  const row: UnitRow = {
    id,
    type: told.type,
    version: 1,
    worth: freshWorth(trustScore, stale).worth,
    pinned: false,
    originInstance: told.name.instance,
    originId: told.name.id,
    docNo: 0,
    recordedAt: tx.now,
    corroborationCount: 0,
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: tx.actor,
    ...before,
    ...said,
    retractedAt: said.status === "retracted" ? before?.retractedAt ?? tx.now : null,
    entityIds: said.entityIds.filter((one) => named.get(one)?.type === "entity"),
    attribution: RECEIVED,
    trustCap,
    trustScore,
    stale,
    // What began here keeps what it had: no peer makes it more public.
    sensitivity: mostSensitive(
      said.sensitivity,
      "internal",
      ...isOurs && before !== undefined ? [before.sensitivity] : [],
    ),
  };
  const text = told.text?.text === row.text ? told.text : undefined;
  const { type: kind, sensitivity } = row;
  const prepared = text === undefined
    ? analyseOnly({ kind, sensitivity, text: row.text }, ctx.deps.embeddings.model)
    : { ...text, sensitivity };
  return { row, prepared, evidenceIds };
}

function isLive(row: UnitRow): boolean {
  return (LIVE_STATUSES as readonly string[]).includes(row.status);
}

/** What stands for an item here from now on. */
export interface Stored {
  readonly unit: UnitRow;
  /** Something else that says the same stands for it. */
  readonly isStandIn: boolean;
}

/** Stores what is seen for the first time. All in force are facts or none is; returns them in their order. */
export async function storeFirst(
  receiving: Receiving,
  items: readonly (Told & { readonly id: string })[],
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
  return row.type === "fact" && isLive(row);
}

/** Facts in force follow rules of their own; everything else is stored one by one. */
function runsOf(drafts: readonly Draft[]): Draft[][] {
  const runs: Draft[][] = [];
  for (const one of drafts) {
    const last = runs.at(-1);
    if (last !== undefined && isLiveFact(one) && isLiveFact(last[0]!)) last.push(one);
    else runs.push([one]);
  }
  return runs;
}

const toldBy = (peer: string) => ({ event: "received", reason: `from ${peer}` });

/** A fact in force is held against what is known; one that says what is known is stood for by that. */
async function storeFacts({ ctx, tx, peer }: Receiving, drafts: readonly Draft[]): Promise<Stored[]> {
  const claims = drafts.map(({ row, prepared }): Claim => ({
    claim: row as unknown as FactRow,
    item: { prepared },
    told: toldBy(peer),
  }));
  const written: Written[] = await writeClaims(ctx, tx, claims);
  return written.map(({ row, isNew }) => ({ unit: row as unknown as UnitRow, isStandIn: !isNew }));
}

async function storeUnits({ ctx, tx, peer }: Receiving, drafts: readonly Draft[]): Promise<Stored[]> {
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
    const [unit] = await insertUnits(tx, [item], toldBy(peer));
    stored.push({ unit: unit!, isStandIn: false });
  }
  return stored;
}

/** What came before its sources is as stale, and trusted as little, as these let it be. */
async function followFirst({ tx }: Receiving, stored: readonly Stored[]): Promise<void> {
  const fresh = stored.flatMap(({ unit, isStandIn }) => isStandIn ? [] : [unit.id]);
  const named = fresh.length === 0 ? new Set<string>() : await findNamedAsSource(tx, fresh);
  const awaited = fresh.filter((id) => named.has(id));
  await settleDependants(tx, awaited);
  await capDerived(tx, awaited);
}

/** Has a unit say what a peer's version says. Returns it as it is then. */
export async function revise(receiving: Receiving, told: Told, unit: UnitRow): Promise<UnitRow> {
  const { ctx, tx, peer } = receiving;
  const { row: next, prepared, evidenceIds } = await draft(receiving, told, unit.id, unit);
  const note = { ...toldBy(peer), prepared };
  if (unit.type === "fact") {
    if (isLive(next)) await openNamesOf(ctx, tx, [{ unit: next, prepared }]);
    return await reviseFact(tx, unit as unknown as FactRow, next as unknown as FactRow, note) as unknown as UnitRow;
  }
  const { transfer, kind } = REGISTRY[unit.type];
  await lockNames(tx, transfer.namesOf?.(next.body) ?? []);
  const isMoved = evidenceIds.join() !== transfer.evidenceOf?.(unit.body).join();
  const row = await reviseUnit(tx, unit, next, { ...note, ...(isMoved && { evidenceIds }) });
  await kind?.onRevised?.(tx, unit, row);
  return row;
}

/** A fact that comes into force, or says something else, is held against what is known. */
async function reviseFact(
  tx: Tx,
  fact: FactRow,
  next: FactRow,
  note: { readonly event: string; readonly reason: string; readonly prepared: PreparedText },
): Promise<FactRow> {
  const wasLive = (LIVE_STATUSES as readonly string[]).includes(fact.status);
  if (next.status !== "active") return await reviseUnit(tx, fact, next, note);
  if (!wasLive) return await contestIfRivalled(tx, fact, next, note);
  const { row } = await settleRevision(tx, fact, { ...next, status: fact.status }, note);
  return row;
}

/**
 * Keeps what a unit said here as a unit of its own, closed in favour of the one that takes the peer's version. Facts alone:
 * of other types the history keeps it.
 */
export async function keepOurVersion({ ctx, tx, peer }: Receiving, name: ItemName, unit: UnitRow): Promise<void> {
  if (unit.type !== "fact") return;
  const fact = unit as unknown as FactRow;
  const validTo = endOf(fact, tx.now);
  const row: FactRow = {
    ...fact,
    id: versionId(tx, name, `${ctx.deps.config.instanceId} ${fact.version}`),
    version: 1,
    status: "superseded",
    validTo,
    body: { ...fact.body, supersededBy: fact.id, before: { validTo: fact.validTo?.toISOString() ?? null } },
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  const { type: kind, sensitivity, text } = unit;
  const prepared = analyseOnly({ kind, sensitivity, text }, ctx.deps.embeddings.model);
  const note = { event: "superseded", reason: `what ${peer} says took its place` };
  await insertUnits(tx, [{ unit: row, prepared }], note);
}

/** The id of a unit that is another version of an item than the one that is shown. */
export function versionId(tx: Tx, { instance, id }: ItemName, whose: string): string {
  return deriveId(`${tx.workspaceId} ${instance} ${whose}`, id);
}

/** Stores a version that contradicts what is shown as a unit beside it; one of the same writer takes the place of the last. */
export async function storeContested(receiving: Receiving, told: Told, id: string): Promise<UnitRow> {
  const { tx, ctx, peer } = receiving;
  const [known] = await findUnits(tx, [id], { lock: "update" });
  const { row, prepared, evidenceIds } = await draft(receiving, told, id, known);
  const next = { ...row, status: "contested" };
  if (known !== undefined) return await reviseUnit(tx, known, next, { ...toldBy(peer), prepared, evidenceIds });
  const item = { unit: next, prepared, evidenceIds };
  const { kind } = REGISTRY[told.type];
  if (told.type === "fact") await openNamesOf(ctx, tx, [item]);
  else await kind?.beforeInsert?.(ctx, tx, [item]);
  const [unit] = await insertUnits(tx, [item], toldBy(peer));
  return unit!;
}
