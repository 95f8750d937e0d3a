/**
 * Publishes items again after this instance's record went back, because a backup was restored. Peers then hold versions of
 * this instance that it does not know of, and could not tell new versions with the same numbers from those.
 */
import type { OperationContext } from "../../../context.ts";
import { findVersions, type VersionRow } from "../../../db/queries/federation_versions.ts";
import { findErased } from "../../../db/queries/imports.ts";
import type { Tx } from "../../../db/tx.ts";
import {
  type ItemName,
  type ItemType,
  VERSION_JUMP_MAX,
  VERSION_MAX,
  writeReference,
} from "../../../schema/federation_item.ts";
import { type KnownItem, loadStates, putShown, saveStates, toEntry } from "../register/item_states.ts";
import { highestVersion, mergeSeen } from "../decision/order.ts";
import { ownVersion } from "./own_entry.ts";
import { digestMembers, nextOwnVersion } from "../register/own_version.ts";
import { lockPublication, seeingAll, takePlace, tombstoneOf } from "../register/publish.ts";
import type { Receiving } from "./write_adopted_unit.ts";
import { askAboutErasure } from "./tombstones.ts";
import { findPeer } from "../peers/peers.ts";
import { beholderOf, isVeiled } from "./veil.ts";

/** The most items of one transaction. */
export const RESAID_MAX = 100;

/** The last version of this instance that a peer holds of an item. */
export interface HeldEntry {
  readonly origin: ItemName;
  readonly version: number;
  /** Lower-case hex. */
  readonly hash: string;
  readonly type: ItemType;
  readonly isDeleted: boolean;
}

/**
 * Publishes some items again, under higher version numbers than those that a peer holds. An item of another instance of
 * which this instance knows no own version is published as it is shown here, or as erased. An item that is not here at all
 * is left out. If a peer says that this instance erased an item, a person is asked.
 */
export async function resay(ctx: OperationContext, peer: string, held: readonly HeldEntry[]): Promise<void> {
  const own = seeingAll(ctx);
  await own.tx(async (tx) => {
    await lockPublication(tx);
    const known = await findVersions(tx, held.map(({ origin }) => origin));
    const types = new Map(known.map(({ origin, type }) => [writeReference(origin), type]));
    for (const { origin, type } of await findBuried(own, tx, held)) types.set(writeReference(origin), type);
    const wanted = held.flatMap(({ origin: name }) => {
      const type = types.get(writeReference(name));
      return type === undefined ? [] : [{ name, type, unit: null }];
    });
    const states = await loadStates(own, tx, wanted);
    const beholder = beholderOf(peer, await findPeer(ctx.deps, tx, peer), ctx.maxSensitivity);
    for (const entry of held) {
      const state = states.get(writeReference(entry.origin));
      if (state === undefined) continue;
      const mayAsk = !isVeiled(state, ctx.deps.config.instanceId, beholder);
      await sayAbove({ ctx: own, tx, peer }, state, entry, mayAsk);
    }
    await saveStates(tx, states.values());
  });
}

/** Finds the items that began here and were erased. The register may have no entry of them any more. */
async function findBuried({ deps }: OperationContext, tx: Tx, held: readonly HeldEntry[]): Promise<HeldEntry[]> {
  const ours = held.filter(({ origin }) => origin.instance === deps.config.instanceId);
  const erased = await findErased(tx, ours.map(({ origin }) => origin.id));
  return ours.filter(({ origin }) => erased.has(origin.id));
}

/**
 * Publishes one item above a held version. The entry is read again under the locks, because it may have changed.
 * @param mayAsk whether the peer may know of the item, so that a person may be asked about what it says
 */
async function sayAbove(receiving: Receiving, state: KnownItem, held: HeldEntry, mayAsk: boolean): Promise<void> {
  const { ctx, tx } = receiving;
  const { instanceId: writer } = ctx.deps.config;
  const said = state.versions.get(writer);
  if (said !== undefined && !isBeyond(held, said)) return;
  const { shown } = state;
  const entries = [...state.versions.values()].map(toEntry);
  const highest = highestVersion(entries);
  // A peer that invents versions raises the number by no more than it could by publishing versions of its own.
  const version = Math.min(VERSION_MAX, Math.max(held.version, highest) + 1, highest + VERSION_JUMP_MAX);
  if (said !== undefined) {
    const { origin, type, hash } = said;
    const again = { ...said, version, ...await takePlace(tx) };
    putAgain(state, { ...again, ...digestMembers({ origin, type, version, hash }) });
    if (held.isDeleted && !said.isDeleted && mayAsk) await askAboutErasure(receiving, state);
  } else if (shown !== undefined && !held.isDeleted) {
    const { [writer]: _itself, ...seen } = mergeSeen(shown.context, shown.settled);
    const word = {
      writer,
      version,
      updatedAt: tx.now,
      hash: shown.hash,
      seen,
      affirms: "taken",
      isDeleted: false,
    } as const;
    putAgain(state, await ownVersion(receiving, state, word));
  } else if (state.isErased) {
    // The item is erased here, so the version that the peer still holds is withdrawn.
    const known = [...state.versions.values()];
    const tombstone = tombstoneOf(writer, state.name, state.type, state.row.unitId, tx.now, known);
    const row = nextOwnVersion(tombstone, known, await takePlace(tx));
    putAgain(state, { ...row, version, ...digestMembers({ ...row, version }) });
  } else return;
  if (shown === undefined || state.row.shownWriter === null) return;
  const dot = shown.dot.writer === writer ? { writer, version } : shown.dot;
  putShown(state, { ...shown, dot, context: mergeSeen(shown.context, { [writer]: version }) });
}

function isBeyond(held: HeldEntry, { version, hash }: VersionRow): boolean {
  return held.version > version || (held.version === version && held.hash !== hash);
}

function putAgain(state: KnownItem, row: VersionRow): void {
  state.versions.set(row.writer, row);
  state.changed.versions.add(row.writer);
  // Content that was taken over from another instance is served as it came, also under the new version.
  if (state.words.has(row.writer)) state.changed.words.add(row.writer);
}
