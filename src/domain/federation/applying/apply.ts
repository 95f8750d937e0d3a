/** Carries out the effects of decisions about an item: the one place where they change what is known and stored. */
import { saveConflict } from "../../../db/queries/federation_conflicts.ts";
import { compareAgain, deleteEntriesOf } from "../../../db/queries/federation_forgetting.ts";
import { findUnits } from "../../../db/queries/units.ts";
import { isFact } from "../../kinds/facts/fields.ts";
import { contestIfRivalled } from "../../kinds/facts/judgement.ts";
import { archive } from "../../unit/archive.ts";
import { eraseUnit } from "../../unit/erase.ts";
import { reviseUnit } from "../../unit/store.ts";
import { reserveAnother } from "../register/item_names.ts";
import {
  type KnownItem,
  withConflict,
  withContent,
  withNothingShown,
  withoutStandIn,
  withoutWriters,
  withRelation,
  withShown,
  withUnit,
  withVerdict,
  withVersion,
} from "../register/known_item.ts";
import type { Arrived, Effect } from "./effects.ts";
import { askToErase, eraseItem } from "./erase_item.ts";
import { endConflict, openConflict } from "./open_conflict.ts";
import { ownVersion } from "./own_entry.ts";
import { refuse } from "./refuse.ts";
import { decide, settlement, toAdopt } from "./settlement.ts";
import { beholderIn, type DecisionInputs } from "./decision_inputs.ts";
import { lockRelation, reviseRelation, storeRelation } from "./write_adopted_relation.ts";
import { type AdoptingTransaction, keepOurVersion, revise, storeFirst } from "./write_adopted_unit.ts";

/** Carries effects out, in order. Returns what is known of the item then. */
export async function apply(settling: DecisionInputs, item: KnownItem, effects: readonly Effect[]): Promise<KnownItem> {
  let next = item;
  for (const effect of effects) next = await carryOut(settling, next, effect);
  return next;
}

async function carryOut(settling: DecisionInputs, item: KnownItem, effect: Effect): Promise<KnownItem> {
  const { ctx, tx } = settling;
  switch (effect.do) {
    case "enter":
      return withVersion(item, effect.entry, effect.content);
    case "judge":
      return withVerdict(item, effect.writer, effect.verdict);
    case "drop":
      return withContent(item, effect.writer, null);
    case "show":
      return withShown(item, effect.shown, effect.role);
    case "unshow":
      return { ...item, shown: undefined };
    case "rewrite":
      return { ...item, unit: await effect.rewrite(requireUnit(item)) };
    case "archive":
      return { ...item, unit: await archive(tx, requireUnit(item), { reason: effect.reason }) };
    case "erase":
      return await eraseItem(settling, item, effect);
    case "eraseUnit": {
      const [unit] = await findUnits(tx, [effect.unitId], { lock: "update" });
      if (unit !== undefined) await eraseUnit(ctx, tx, unit, effect.reason);
      return item;
    }
    case "release":
      await release(settling, item, effect.writer);
      return item;
    case "forget":
      return withoutWriters(item, [effect.writer]);
    case "fetchAgain":
      return await fetchAgain(settling, item, effect.writers);
    case "noteClaim":
      return await noteClaim(settling, item, effect);
    case "publish":
      return withVersion(item, await ownVersion(settling, item, effect.entry), effect.content);
    case "audit":
      tx.audit(effect.event);
      return item;
    case "contest":
      return await openConflict({ ...settling, peer: effect.rival.writer }, item, effect.rival);
    case "endConflict":
      return await endConflict(tx, item, effect.writer, effect.ending);
    case "askToErase":
      await askToErase(settling, item);
      return item;
    case "settle":
      return await settle(settling, item, effect.arrived) ?? await apply(settling, item, effect.otherwise ?? []);
  }
}

/**
 * Decides about an item and carries the decision out.
 * @returns undefined if the content to show is not here and must be fetched; then nothing has changed
 */
export async function settle(
  settling: DecisionInputs,
  item: KnownItem,
  arrived?: Arrived,
): Promise<KnownItem | undefined> {
  const judged = decide(settling, item);
  if (judged.shown === undefined) return item;
  const version = toAdopt(item, judged, arrived);
  if (version === "missing") return undefined;
  const written = version === undefined ? item : await adopt(settling, item, version);
  return written && await apply(settling, written, settlement(settling, written, judged, arrived));
}

/** Writes a version's content into what is shown. Returns undefined if an end of a relation is not here. */
async function adopt(settling: DecisionInputs, item: KnownItem, version: Arrived): Promise<KnownItem | undefined> {
  const { clearance } = beholderIn(settling, version.writer);
  const receiving = { ...settling, peer: version.writer, clearance };
  const { name, type, shown } = item;
  const free = item.row.role === "stand_in" ? await leaveStandIn(settling, item) : item;
  if (type === "relation") return await adoptRelation(receiving, free, version);
  const given = { ...version, name, type };
  if (free.unit !== undefined) {
    if (shown?.isOwn === true) await keepOurVersion(receiving, name, free.unit);
    return { ...free, unit: await revise(receiving, given, free.unit) };
  }
  const [stored] = await storeFirst(receiving, [{ ...given, id: free.row.unitId }]);
  return withUnit(free, stored!.unit, stored!.isStandIn);
}

async function adoptRelation(
  receiving: AdoptingTransaction,
  item: KnownItem,
  version: Arrived,
): Promise<KnownItem | undefined> {
  const given = { ...version, name: item.name };
  if (item.relation !== undefined) {
    return { ...item, relation: await reviseRelation(receiving, given, item.relation) };
  }
  const stored = await storeRelation(receiving, given, item.row.unitId);
  if (stored === undefined) return undefined;
  const { relation, isStandIn } = stored;
  return withRelation(item, isStandIn ? relation : (await lockRelation(receiving, relation.id))!, isStandIn);
}

/** Gives an item a local id of its own, because its content no longer equals that of its stand-in. */
async function leaveStandIn({ tx }: DecisionInputs, item: KnownItem): Promise<KnownItem> {
  return withoutStandIn(item, await reserveAnother(tx, item.name));
}

/** @throws ServiceError `conflict` if the unit is not there */
export function requireUnit({ unit }: KnownItem): NonNullable<KnownItem["unit"]> {
  if (unit === undefined) throw refuse("the unit is not there");
  return unit;
}

async function release({ ctx, tx }: DecisionInputs, item: KnownItem, writer: string): Promise<void> {
  const id = item.conflicts.get(writer)?.otherUnitId ?? undefined;
  const [other] = id === undefined ? [] : await findUnits(tx, [id], { lock: "update" });
  if (other === undefined) throw refuse("the other version is not stored as a unit");
  const released = { status: "active", originInstance: ctx.deps.config.instanceId, originId: other.id };
  const note = { event: "released", reason: `kept beside ${item.row.unitId}` };
  if (isFact(other)) await contestIfRivalled(tx, other, { ...other, ...released }, note);
  else await reviseUnit(tx, other, released, note);
}

async function fetchAgain({ tx }: DecisionInputs, item: KnownItem, writers: readonly string[]): Promise<KnownItem> {
  for (const writer of writers) {
    await deleteEntriesOf(tx, writer, [item.name]);
    await compareAgain(tx, writer);
  }
  return withoutWriters(withNothingShown(item), writers);
}

async function noteClaim(
  { tx }: DecisionInputs,
  item: KnownItem,
  { peer, claim }: Extract<Effect, { readonly do: "noteClaim" }>,
): Promise<KnownItem> {
  let next = item;
  for (const conflict of item.conflicts.values()) {
    const row = { ...conflict, claims: { ...conflict.claims, [peer]: claim } };
    await saveConflict(tx, row);
    next = withConflict(next, row);
  }
  return next;
}
