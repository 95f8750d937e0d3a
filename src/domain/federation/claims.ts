/**
 * Claims: an instance asks peers which version of an item they show. A peer that holds a mere copy has no entry in the
 * register, so its vote is not known without asking.
 */
import type { OperationContext } from "../../context.ts";
import { saveConflict } from "../../db/queries/federation_conflicts.ts";
import { findVersions } from "../../db/queries/federation_versions.ts";
import { findItems } from "../../db/queries/federation_ids.ts";
import type { FederationClaim } from "../../schema/federation_conflict.ts";
import { type ItemName, writeReference } from "../../schema/federation_item.ts";
import { isCleared } from "../../schema/common.ts";
import { readElectorate } from "./electorate.ts";
import { loadStates, saveStates } from "./item_states.ts";
import { lockPublication, seeingAll } from "./publish.ts";
import { inFull } from "./receive.ts";
import { settleItem } from "./settle.ts";

/**
 * Returns the versions of some items that are shown here, for a peer that holds a vote. Items above its clearance are
 * left out.
 */
export async function answerClaims(ctx: OperationContext, names: readonly ItemName[]): Promise<FederationClaim[]> {
  const { deps: { config: { instanceId: instance } }, maxSensitivity } = ctx;
  return await seeingAll(ctx).tx(async (tx) => {
    const [items, entries] = await Promise.all([findItems(tx, names), findVersions(tx, names)]);
    return names.flatMap((name): FederationClaim[] => {
      const known = entries.filter(({ origin }) => writeReference(origin) === writeReference(name));
      const own = known.find(({ writer }) => writer === instance);
      const item = items.find(({ origin }) => writeReference(origin) === writeReference(name));
      const said = own ?? known.find(({ writer }) => writer === item?.shownWriter);
      if (said === undefined || said.isDeleted || !isCleared(said.sensitivity, maxSensitivity)) return [];
      const hash = own?.hash ?? item?.shownHash ?? said.hash;
      return [{ instance, id: name.id, version: said.version, hash, updatedAt: said.updatedAt.toISOString() }];
    });
  }, { readOnly: true });
}

/**
 * Stores what a peer claims about an item that is contested here, and counts the votes again. A claim counts as the
 * vote of the peer that sent it, and as nobody else's.
 */
export async function noteClaim(
  ctx: OperationContext,
  peerId: string,
  name: ItemName,
  { version, hash, updatedAt }: Pick<FederationClaim, "version" | "hash" | "updatedAt">,
): Promise<void> {
  const own = inFull(ctx, peerId);
  await own.tx(async (tx) => {
    await lockPublication(tx);
    const [known] = await findVersions(tx, [name]);
    if (known === undefined) return;
    const states = await loadStates(own, tx, [{ name, type: known.type, unit: null }]);
    const state = states.get(writeReference(name))!;
    if (state.isErased || state.conflicts.size === 0) return;
    const claim = { version, hash, updatedAt: updatedAt ?? tx.now.toISOString() };
    for (const [writer, conflict] of state.conflicts) {
      const next = { ...conflict, claims: { ...conflict.claims, [peerId]: claim } };
      await saveConflict(tx, next);
      state.conflicts.set(writer, next);
    }
    const electorate = await readElectorate(own, tx);
    const strategyOf = (writer: string) => electorate.peers.get(writer)?.conflictResolution ?? "manual";
    await settleItem({ ctx: own, tx, peer: peerId, electorate, strategyOf }, state);
    await saveStates(tx, states.values());
  });
}
