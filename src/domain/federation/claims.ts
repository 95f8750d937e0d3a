/**
 * Votes of instances that hold a copy. Who published nothing about an item has no entry in the register, so nobody knows
 * what it holds. Where an item is contested and the weights decide, its peers are asked what they show of it.
 */
import type { OperationContext } from "../../context.ts";
import { type ClaimedWord, listUnasked, saveConflict } from "../../db/queries/federation_conflicts.ts";
import { findItems } from "../../db/queries/federation_ids.ts";
import { findVersions, type VersionRow } from "../../db/queries/federation_versions.ts";
import { isCleared } from "../../schema/common.ts";
import { IDS_MAX, type ItemName, writeReference } from "../../schema/federation_item.ts";
import type { Claim } from "../../schema/federation_message.ts";
import { sendMessage } from "./ask_peer.ts";
import { hasVote, readElectorate } from "./electorate.ts";
import { loadStates, saveStates } from "./item_states.ts";
import { lockPublication, seeingAll } from "./publish.ts";
import { inFull, toRefusal } from "./receive.ts";
import { settleItem } from "./settle.ts";
import { requireAnswer } from "./signed_answer.ts";
import { isAbroad } from "./take_page.ts";
import type { Turn } from "./turn.ts";

/** A peer is asked about the same item again after this time: what it shows may have changed. */
const ASKED_AGAIN_MS = 600_000;

/** What is shown here of some items. Left out: what is not here, and what the context's clearance does not reach. */
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
 * Asks the peer of a turn about contested items, where the peer has a vote and published nothing about them: in a turn
 * about as many as one request may name, first about those of which it was asked longest ago. Each answer is stored with the time at which it was
 * asked for, so that the next turn goes on with the others. A peer that is not reached has no vote until it answers.
 * @throws PeerFault, OutboundError, TurnLost
 */
export async function askClaims(turn: Turn): Promise<void> {
  const { ctx, peer } = turn;
  if (isAbroad(ctx, peer)) return;
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
  await turn.hold();
  const { reply, messageId } = await sendMessage(ctx, peer, { type: "CLAIM_REQUEST", items: names });
  const { claims } = requireAnswer(ctx, peer, reply, "CLAIM_REPLY", messageId);
  // Of two claims about one item the first counts; of one about another item than was asked about, nothing.
  const said = new Map(claims.toReversed().map((claim) => [writeReference(claim), claim]));
  for (const name of names) {
    ctx.signal.throwIfAborted();
    await noteClaim(ctx, peer.id, name, said.get(writeReference(name)));
  }
}

/**
 * Notes what a peer answered about an item that is contested here. If it says another thing than before, the votes are
 * counted again. A claim counts as the word of the peer that sent it and as nobody else's.
 * @param claim undefined: the peer shows nothing of the item, or does not tell
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
    const states = await loadStates(own, tx, [{ name, type: known.type, unit: null }]);
    const state = states.get(writeReference(name))!;
    if (state.isErased || state.conflicts.size === 0) return;
    const word = claim && { version: claim.version, hash: claim.hash, updatedAt: claim.updatedAt };
    const noted: ClaimedWord = { askedAt: tx.now.toISOString(), word: word ?? null };
    let isNew = false;
    for (const [writer, conflict] of state.conflicts) {
      const before = conflict.claims[peerId]?.word;
      isNew ||= before?.hash !== word?.hash || before?.version !== word?.version;
      const next = { ...conflict, claims: { ...conflict.claims, [peerId]: noted } };
      await saveConflict(tx, next);
      state.conflicts.set(writer, next);
    }
    // Words grow old; that alone settles nothing.
    if (!isNew) return;
    const electorate = await readElectorate(own, tx);
    const strategyOf = (writer: string) => electorate.peers.get(writer)?.conflictResolution ?? "manual";
    await settleItem({ ctx: own, tx, peer: peerId, electorate, strategyOf }, state);
    await saveStates(tx, states.values());
  }).catch((error) => {
    // What cannot be stored stays contested.
    if (toRefusal(error) === undefined) throw error;
  });
}
