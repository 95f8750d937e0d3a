/**
 * Carries out the decision about an item: changes what is shown, opens and closes conflicts, and publishes how this
 * instance settled it.
 */
import type { Sensitivity } from "../../../schema/common.ts";
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import type { PreparedText } from "../../unit/indexing.ts";
import { isProtected } from "../../unit/trust.ts";
import { closeConflict, openConflict } from "./open_conflict.ts";
import { type Electorate, findWinner } from "./voters.ts";
import { type KnownItem, putShown, putVersion, putWord, setVerdict, toEntry } from "../register/item_states.ts";
import { judgeItem, type Judgement, type Shown } from "../decision/judge.ts";
import { seenOf } from "../decision/order.ts";
import { ownVersion } from "./own_entry.ts";
import type { SaidColumns, SharedForm } from "../register/shared_form.ts";
import { keepOurVersion, type Receiving, revise, storeFirst } from "./write_adopted_unit.ts";
import { lockRelation, reviseRelation, storeRelation } from "./write_adopted_relation.ts";
import { reserveAnother } from "../register/item_names.ts";
import { type Beholder, beholderOf } from "./veil.ts";

/** The inputs of a decision about items of a batch. */
export interface Settling extends Receiving {
  readonly electorate: Electorate;
  /** The strategy for contradictions with a writer's versions. */
  strategyOf(writer: string): ConflictResolution;
  /** The clearance of the key with which the peer sent its request; undefined if no request of a peer is carried out. */
  readonly keyClearance?: Sensitivity | undefined;
}

/** A writer as one from whom items may be veiled. */
export function beholderIn({ electorate, peer, keyClearance = "restricted" }: Settling, writer = peer): Beholder {
  return beholderOf(writer, electorate.peers.get(writer), writer === peer ? keyClearance : "restricted");
}

/**
 * Whether a person stated what is shown of an item, or verified it. A stand-in belongs to another item: the peer's
 * version leaves it and gets a unit of its own.
 */
export function isShownProtected({ row, unit, relation }: KnownItem): boolean {
  const shown = unit ?? relation;
  return row.role !== "stand_in" && shown !== undefined && isProtected(shown);
}

/** Decides which version of an item is shown, from the present register. Carries out nothing. */
export function decide({ ctx, tx, electorate, strategyOf }: Settling, state: KnownItem): Judgement {
  const entries = [...state.versions.values()].map(toEntry);
  return judgeItem({ entries, shown: state.shown }, {
    instance: ctx.deps.config.instanceId,
    origin: state.name.instance,
    isProtected: isShownProtected(state),
    strategyOf,
    weightOf: (writer) => electorate.weights.get(writer) ?? 0,
    findWinner: (live) => findWinner(electorate, state, live, tx.now),
  });
}

/** A version that just arrived, with its content. */
export interface Fresh {
  readonly writer: string;
  readonly hash: string;
  readonly word: SharedForm;
  readonly text: PreparedText | undefined;
  /** Its content, if it was read before, with the id that each reference has at its origin. */
  readonly said?: SaidColumns | undefined;
}

/**
 * Decides about an item and carries the decision out. Returns false, and changes nothing, if the content to show is not
 * stored here and must be fetched.
 */
export async function settleItem(settling: Settling, state: KnownItem, fresh?: Fresh): Promise<boolean> {
  const before = state.shown;
  const judged = decide(settling, state);
  const { shown, adopted, affirmed } = judged;
  if (shown === undefined) return true;
  if (adopted !== undefined && shown.hash !== before?.hash) {
    const at = fresh?.hash === shown.hash ? fresh : findWord(state, shown.hash);
    if (at === undefined) return false;
    if (!await adopt(settling, state, before, at)) return false;
  }
  putShown(state, shown, state.row.role === "reserved" ? "unit" : state.row.role);
  if (affirmed !== undefined) {
    const word = adopted === undefined ? null : fresh?.hash === shown.hash ? fresh.word : null;
    putVersion(state, await ownVersion(settling, state, affirmed), word);
  }
  await settleConflicts(settling, state, judged, fresh);
  noteVerdicts(settling, state, judged);
  return true;
}

function findWord(state: KnownItem, hash: string) {
  for (const [writer, word] of state.words) {
    if (state.versions.get(writer)?.hash === hash) return { writer, hash, word, text: undefined, said: undefined };
  }
  return undefined;
}

/** Writes a version's content into what is shown. Returns false if an end of a relation is not here. */
async function adopt(settling: Settling, state: KnownItem, before: Shown | undefined, at: Fresh): Promise<boolean> {
  const receiving = { ...settling, peer: at.writer, clearance: beholderIn(settling, at.writer).clearance };
  if (state.type === "relation") return await adoptRelation(receiving, state, at);
  const told = { name: state.name, type: state.type, word: at.word, text: at.text, said: at.said };
  if (state.unit === undefined || state.row.role === "stand_in") {
    if (state.row.role === "stand_in") await leaveStandIn(settling, state);
    const [stored] = await storeFirst(receiving, [{ ...told, id: state.row.unitId }]);
    noteStored(state, stored!.unit.id, stored!.isStandIn);
    if (!stored!.isStandIn) state.unit = stored!.unit;
    return true;
  }
  if (before?.isOwn === true) await keepOurVersion(receiving, state.name, state.unit);
  state.unit = await revise(receiving, told, state.unit);
  return true;
}

async function adoptRelation(receiving: Receiving, state: KnownItem, at: Fresh): Promise<boolean> {
  const told = { name: state.name, word: at.word };
  if (state.row.role === "stand_in") await leaveStandIn(receiving, state);
  if (state.relation !== undefined) {
    state.relation = await reviseRelation(receiving, told, state.relation);
    return true;
  }
  const stored = await storeRelation(receiving, told, state.row.unitId);
  if (stored === undefined) return false;
  noteStored(state, stored.relation.id, stored.isStandIn);
  if (!stored.isStandIn) state.relation = await lockRelation(receiving, stored.relation.id);
  return true;
}

/** Gives an item a local id of its own, because its content no longer equals that of its stand-in. */
async function leaveStandIn({ tx }: Receiving, state: KnownItem): Promise<void> {
  const unitId = await reserveAnother(tx, state.name);
  state.row = { ...state.row, unitId, role: "reserved" };
  state.unit = undefined;
  state.relation = undefined;
}

/** Notes which unit or relation shows an item. */
export function noteStored(state: KnownItem, unitId: string, isStandIn: boolean): void {
  state.row = { ...state.row, unitId, role: isStandIn ? "stand_in" : "unit" };
  state.changed.row = true;
}

async function settleConflicts(settling: Settling, state: KnownItem, judged: Judgement, fresh?: Fresh): Promise<void> {
  const { tx } = settling;
  const contested = new Set(judged.contested);
  for (const writer of [...state.conflicts.keys()]) {
    if (contested.has(writer)) continue;
    const { hash, dot } = judged.shown!;
    const isTaken = state.versions.get(writer)?.hash === hash;
    const outcome = isTaken ? `what ${writer} says is shown` : `what ${dot.writer} says is shown`;
    await closeConflict(tx, state, writer, {
      state: "resolved",
      outcome: `settled by ${settling.strategyOf(writer) === "consensus" ? "a vote" : "the peer"}: ${outcome}`,
      winner: { instance: dot.writer, version: dot.version, hash },
    });
  }
  for (const writer of contested) {
    const isFresh = fresh?.writer === writer;
    const word = isFresh ? fresh.word : state.words.get(writer);
    if (word === undefined || (!isFresh && state.conflicts.has(writer))) continue;
    const text = isFresh ? fresh.text : undefined;
    const strategy = settling.strategyOf(writer);
    await openConflict({ ...settling, peer: writer }, state, { writer, word, text, strategy });
  }
}

/**
 * Stores the verdict about each writer's version. Drops the content of versions that are shown, or that will never be
 * shown.
 */
function noteVerdicts({ ctx }: Settling, state: KnownItem, { shown, contested }: Judgement): void {
  const { hash, dot, context, settled } = shown!;
  for (const { writer, ...row } of state.versions.values()) {
    if (writer === ctx.deps.config.instanceId || row.verdict === "deferred" || row.isDeleted || row.isWithdrawn) {
      continue;
    }
    const isShown = row.hash === hash;
    if (isShown) setVerdict(state, writer, writer === dot.writer && row.version === dot.version ? "shown" : "equal");
    else if (contested.includes(writer)) setVerdict(state, writer, "contested");
    else setVerdict(state, writer, seenOf(settled, writer) >= row.version ? "kept_ours" : "covered");
    const isKept = isShown ? state.row.role === "stand_in" : seenOf(context, writer) < row.version;
    if (!isKept) putWord(state, writer, null);
  }
}
