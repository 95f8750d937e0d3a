/**
 * Forgetting a peer that was removed: what was received from it is erased for good, as if it had never been exchanged.
 * What somebody here, or another peer, has a word on stays with their words.
 */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/federation_forgetting.ts";
import { deleteAllRemoteFacts } from "../../db/queries/federation_remote.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { chainsOf } from "../common/system.ts";
import { writeReference } from "../../schema/federation_item.ts";
import { readElectorate } from "./electorate.ts";
import { type KnownItem, loadStates, saveStates, toEntry } from "./item_states.ts";
import { requireManager } from "./manage_peers.ts";
import { beginPublication, lockPublication, seeingAll } from "./publish.ts";
import type { Settling } from "./settle.ts";
import { unknownPeer } from "./show_peers.ts";
import { eraseItem, takeBack } from "./tombstones.ts";

/** Items of one transaction, each of which may be erased with all its versions. */
const BATCH_ITEMS = 50;
const BATCH_DEADLINE_MS = 60_000;

/** What was received from a peer, or became of it. */
export interface ForgottenPeer {
  readonly peer: string;
  /** Items that the peer alone had a word on. They are erased, and cannot come back. */
  readonly erased: number;
  /** Items of which the peer's word is gone, and those of others stay. */
  readonly takenBack: number;
  /** Facts of another region, known by id and hash alone. */
  readonly remoteFacts: number;
}

/**
 * How much there is to forget of a peer: entries of items, and facts of another region.
 * @throws ServiceError `not_found`; `conflict` while the peer is not removed; `insufficient_scope`
 */
export async function countReceived(
  ctx: OperationContext,
  id: string,
): Promise<{ readonly items: number; readonly remoteFacts: number }> {
  requireManager(ctx);
  return await seeingAll(ctx).tx(async (tx) => {
    await requireRemoved(tx, id);
    return await queries.countReceived(tx, id);
  }, { readOnly: true });
}

/**
 * Erases what was received from a peer that was removed, batch by batch: whoever is interrupted calls it again.
 * @throws ServiceError `not_found`; `conflict` while the peer is not removed; `insufficient_scope`
 */
export async function forgetPeer(ctx: OperationContext, id: string): Promise<ForgottenPeer> {
  requireManager(ctx);
  const all = seeingAll(ctx);
  await all.tx((tx) => requireRemoved(tx, id), { readOnly: true });
  await beginPublication(all);
  let [erased, takenBack] = [0, 0];
  while (true) {
    ctx.signal.throwIfAborted();
    const batch = await all.tx((tx) => forgetBatch(all, tx, id), { deadlineMs: BATCH_DEADLINE_MS });
    if (batch === undefined) break;
    erased += batch.erased;
    takenBack += batch.takenBack;
  }
  return await all.tx(async (tx) => {
    const uid = await requireRemoved(tx, id);
    const remoteFacts = await deleteAllRemoteFacts(tx, id);
    await queries.resetExchange(tx, id);
    const detail = { peer: id, erased, takenBack, remoteFacts };
    tx.audit({ eventType: "federation.peer_forgotten", targets: [uid], detail, chains: chainsOf(tx.workspaceId) });
    return detail;
  });
}

/** A peer that is still exchanged with would send everything again. Answers its uid. */
async function requireRemoved(tx: Tx, id: string): Promise<string> {
  const row = await queries.findRemoval(tx, id);
  if (row === undefined) throw unknownPeer();
  if (row.removedAt === null) {
    throw new ServiceError("conflict", "Cannot forget the peer: remove it first, `svc federation peers remove`");
  }
  return row.uid;
}

/** Forgets the next items; undefined when there are none. */
async function forgetBatch(ctx: OperationContext, tx: Tx, peer: string) {
  await lockPublication(tx);
  await requireRemoved(tx, peer);
  const entries = await queries.listEntriesOf(tx, peer, BATCH_ITEMS);
  if (entries.length === 0) return undefined;
  const electorate = await readElectorate(ctx, tx);
  const strategyOf = (writer: string) => electorate.peers.get(writer)?.conflictResolution ?? "manual";
  const settling: Settling = { ctx, tx, peer, electorate, strategyOf };
  const states = await loadStates(ctx, tx, entries.map(({ origin: name, type }) => ({ name, type, unit: null })));
  let [erased, takenBack] = [0, 0];
  for (const { origin } of entries) {
    const outcome = await forgetItem(settling, states.get(writeReference(origin))!);
    if (outcome === "erased") erased++;
    if (outcome === "taken_back") takenBack++;
  }
  await saveStates(tx, states.values());
  await queries.deleteEntriesOf(tx, peer, entries.map(({ origin }) => origin));
  return { erased, takenBack };
}

async function forgetItem(settling: Settling, state: KnownItem): Promise<"erased" | "taken_back" | "nothing"> {
  const { tx, peer } = settling;
  const entry = state.versions.get(peer)!;
  // Its row goes at the end of the batch: from here on nothing is decided by it.
  state.versions.delete(peer);
  state.words.delete(peer);
  if (state.isErased || entry.isDeleted) return "nothing";
  const others = [...state.versions.values()].filter((row) => !toEntry(row).isDeleted);
  if (others.length === 0) {
    await eraseItem(settling, state, `forgotten with ${peer}`, "federation.item_forgotten");
    return "erased";
  }
  if (!await takeBack(settling, state, `${peer} was forgotten`)) await awaitOthers(tx, state, others);
  return "taken_back";
}

/**
 * What the others say is not here any more: their entries go, too, so that the next comparison with them fetches what
 * they say, and that is shown then. Where this instance has a word of its own, a vote here has taken the peer's version
 * over: it stays.
 */
async function awaitOthers(
  tx: Tx,
  state: KnownItem,
  others: readonly { readonly writer: string; readonly verdict: string }[],
): Promise<void> {
  if (others.some(({ verdict }) => verdict === "own")) return;
  const nothing = { shownWriter: null, shownVersion: null, shownHash: null, context: {}, isOwn: false };
  state.row = { ...state.row, ...nothing };
  state.changed.row = true;
  for (const { writer } of others) {
    state.versions.delete(writer);
    state.changed.versions.delete(writer);
    state.changed.words.delete(writer);
    await queries.deleteEntriesOf(tx, writer, [state.name]);
    await queries.compareAgain(tx, writer);
  }
}
