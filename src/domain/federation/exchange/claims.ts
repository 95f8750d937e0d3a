/**
 * Claims: an instance asks peers which version of a contested item they show. A peer that holds a mere copy has no entry
 * in the register, so its vote is not known without asking.
 */
import type { OperationContext } from "../../../context.ts";
import { type ClaimedWord, listUnasked } from "../../../db/queries/federation_conflicts.ts";
import { findItems } from "../../../db/queries/federation_ids.ts";
import { findVersions, type VersionRow } from "../../../db/queries/federation_versions.ts";
import { isCleared } from "../../../schema/common.ts";
import { IDS_MAX, type ItemName, writeReference } from "../../../schema/federation_item.ts";
import type { Claim } from "../../../schema/federation_message.ts";
import { sendMessage } from "../protocol/ask_peer.ts";
import { hasVote, readElectorate } from "../applying/voting_instances.ts";
import { loadItem, saveKnown } from "../register/stored_items.ts";
import { lockPublication, seeingAll } from "../register/publish.ts";
import { toRefusal } from "../applying/deferred.ts";
import { inFull } from "../applying/receive.ts";
import { apply } from "../applying/apply.ts";
import type { Effect } from "../applying/effects.ts";
import { readSettling } from "../applying/decision_inputs.ts";
import { requireAnswer } from "../protocol/signed_answer.ts";
import { isAbroad } from "../peers/peers.ts";
import type { SyncRun } from "./sync_run.ts";

/** After this time a peer is asked about the same item again, because it may show another version by then. */
const ASKED_AGAIN_MS = 600_000;

/** Returns the versions of some items that are shown here. Items above the context's clearance are left out. */
export async function findClaims(ctx: OperationContext, names: readonly ItemName[]): Promise<Claim[]> {
  return await ctx.tx(async (tx) => {
    const [items, entries] = [await findItems(tx, names), await findVersions(tx, names)];
    const shown = new Map(items.map((item) => [writeReference(item.origin), item]));
    return [...Map.groupBy(entries, ({ origin }) => writeReference(origin))].flatMap(([reference, some]): Claim[] => {
      const item = shown.get(reference);
      const isShown = ({ writer, version, verdict }: VersionRow) =>
        item?.shownWriter == null ? verdict === "own" : writer === item.shownWriter && version === item.shownVersion;
      const entry = some.find(isShown);
      if (entry === undefined || entry.isDeleted || !isCleared(entry.sensitivity, ctx.maxSensitivity)) return [];
      const { origin: { instance, id }, version, hash, updatedAt } = entry;
      return [{ id, instance, version, hash, updatedAt: updatedAt.toISOString() }];
    });
  }, { readOnly: true });
}

/**
 * Asks the peer of a run about contested items, if it has a vote. One run sends at most one request, with as many items
 * as a request may name; the items about which the peer was asked longest ago come first. Each answer is stored with the
 * time of the request. A peer that does not answer has no vote.
 * @throws PeerFault, OutboundError, SyncRunLost
 */
export async function askClaims(run: SyncRun): Promise<void> {
  const { ctx, peer } = run;
  if (isAbroad(peer)) return;
  const names = await seeingAll(ctx).tx(async (tx) => {
    const electorate = await readElectorate(ctx, tx);
    if (!hasVote(electorate, peer.id)) return [];
    const voted = [...electorate.peers.values()].filter((one) => one.conflictResolution === "consensus");
    return await listUnasked(tx, {
      peer: peer.id,
      writers: voted.map(({ id }) => id),
      clearance: peer.maxSensitivity,
      askedBefore: new Date(tx.now.getTime() - ASKED_AGAIN_MS),
      limit: IDS_MAX,
    });
  }, { readOnly: true });
  if (names.length === 0) return;
  await run.hold();
  const { reply, messageId } = await sendMessage(ctx, peer, { type: "CLAIM_REQUEST", items: names });
  const { claims } = requireAnswer(ctx, peer, reply, "CLAIM_REPLY", messageId);
  // If an item is claimed twice, the first claim counts. Claims about items that were not asked about are ignored.
  const said = new Map(claims.toReversed().map((claim) => [writeReference(claim), claim]));
  for (const name of names) {
    ctx.signal.throwIfAborted();
    await noteClaim(ctx, peer.id, name, said.get(writeReference(name)));
  }
}

/**
 * Stores what a peer claims about an item that is contested here. If it claims something else than before, the votes are
 * counted again. A claim counts as the vote of the peer that sent it, and as nobody else's.
 * @param claim undefined: the peer shows no version of the item, or does not say which
 */
export async function noteClaim(
  ctx: OperationContext,
  peerId: string,
  name: ItemName,
  claim: Pick<Claim, "version" | "hash" | "updatedAt"> | undefined,
): Promise<void> {
  const own = inFull(ctx, peerId);
  await own.tx(async (tx) => {
    await lockPublication(tx);
    const [known] = await findVersions(tx, [name]);
    if (known === undefined) return;
    const item = await loadItem(own, tx, name, known.type);
    if (item.isErased || item.conflicts.size === 0) return;
    const word = claim === undefined ? null : { version: claim.version, hash: claim.hash, updatedAt: claim.updatedAt };
    const noted: ClaimedWord = { askedAt: tx.now.toISOString(), word };
    const isNew = [...item.conflicts.values()].some(({ claims: { [peerId]: before } }) =>
      before?.word?.hash !== word?.hash || before?.word?.version !== word?.version
    );
    const settling = await readSettling(own, tx, peerId);
    const effects: Effect[] = [{ do: "noteClaim", peer: peerId, claim: noted }];
    // A claim that only grew older settles nothing.
    if (isNew) effects.push({ do: "settle" });
    await saveKnown(tx, [await apply(settling, item, effects)]);
  }).catch((error) => {
    // An item that cannot be stored stays contested.
    if (toRefusal(error) === undefined) throw error;
  });
}
