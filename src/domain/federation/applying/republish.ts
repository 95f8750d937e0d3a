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
import { loadItems, saveKnown } from "../register/stored_items.ts";
import { entriesOf, type KnownItem } from "../register/known_item.ts";
import { highestVersion, mergeSeen, type VersionEntry } from "../decision/order.ts";
import { digestMembers, nextOwnVersion } from "../register/own_version.ts";
import { lockPublication, seeingAll, takePlace, tombstoneOf } from "../register/publish.ts";
import { apply } from "./apply.ts";
import type { Effect } from "./effects.ts";
import { type DecisionInputs, readSettling } from "./decision_inputs.ts";
import { planErasureRequest } from "./tombstones.ts";
import { findPeer } from "../peers/peers.ts";
import { beholderOf, isVeiled } from "./veil.ts";

/** The most items of one transaction. */
export const REPUBLISHED_MAX = 100;

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
export async function republish(ctx: OperationContext, peer: string, held: readonly HeldEntry[]): Promise<void> {
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
    const settling = await readSettling(own, tx, peer);
    const items = await loadItems(own, tx, wanted);
    const beholder = beholderOf(peer, await findPeer(ctx.deps, tx, peer), ctx.maxSensitivity);
    for (const entry of held) {
      const reference = writeReference(entry.origin);
      const item = items.get(reference);
      if (item === undefined) continue;
      const mayAsk = !isVeiled(item, ctx.deps.config.instanceId, beholder);
      items.set(reference, await apply(settling, item, await planAbove(settling, item, entry, mayAsk)));
    }
    await saveKnown(tx, items.values());
  });
}

/** Finds the items that began here and were erased. The register may have no entry of them any more. */
async function findBuried({ deps }: OperationContext, tx: Tx, held: readonly HeldEntry[]): Promise<HeldEntry[]> {
  const ours = held.filter(({ origin }) => origin.instance === deps.config.instanceId);
  const erased = await findErased(tx, ours.map(({ origin }) => origin.id));
  return ours.filter(({ origin }) => erased.has(origin.id));
}

/**
 * Decides how one item is published above a held version. The entry was read again under the locks, because it may have
 * changed.
 * @param mayAsk whether the peer may know of the item, so that a person may be asked about what it says
 */
async function planAbove(
  { ctx, tx, peer }: DecisionInputs,
  item: KnownItem,
  held: HeldEntry,
  mayAsk: boolean,
): Promise<Effect[]> {
  const { instanceId: writer } = ctx.deps.config;
  const { shown } = item;
  const own = item.versions.get(writer);
  if (own !== undefined && !isBeyond(held, own)) return [];
  const highest = highestVersion(entriesOf(item));
  // A peer that invents versions raises the number by no more than it could by publishing versions of its own.
  const version = Math.min(VERSION_MAX, Math.max(held.version, highest) + 1, highest + VERSION_JUMP_MAX);
  // Content that was taken over from another instance is served as it came, also under the new version.
  const content = item.contents.get(writer) ?? null;
  const effects: Effect[] = [];
  if (own !== undefined) {
    const { origin, type, hash } = own;
    const entry = { ...own, version, ...await takePlace(tx), ...digestMembers({ origin, type, version, hash }) };
    effects.push({ do: "enter", entry, content });
    if (held.isDeleted && !own.isDeleted && mayAsk) effects.push(...planErasureRequest(item, peer).effects);
  } else if (shown !== undefined && !held.isDeleted) {
    const { [writer]: _itself, ...seen } = mergeSeen(shown.context, shown.settled);
    const { hash } = shown;
    const entry: VersionEntry = {
      ...{ writer, version, updatedAt: tx.now, hash, seen },
      ...{ affirms: "taken", isDeleted: false },
    };
    effects.push({ do: "publish", entry, content });
  } else if (item.isErased) {
    // The item is erased here, so the version that the peer still holds is withdrawn.
    const known = [...item.versions.values()];
    const tombstone = tombstoneOf(writer, item.name, item.type, item.row.unitId, tx.now, known);
    const row = nextOwnVersion(tombstone, known, await takePlace(tx));
    effects.push({ do: "enter", entry: { ...row, version, ...digestMembers({ ...row, version }) }, content });
  } else return [];
  if (shown === undefined || item.row.shownWriter === null) return effects;
  const dot = shown.dot.writer === writer ? { writer, version } : shown.dot;
  const context = mergeSeen(shown.context, { [writer]: version });
  return [...effects, { do: "show", shown: { ...shown, dot, context } }];
}

function isBeyond(held: HeldEntry, { version, hash }: VersionRow): boolean {
  return held.version > version || (held.version === version && held.hash !== hash);
}
