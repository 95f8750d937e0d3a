/**
 * Forgets a peer that was removed: everything received from it is erased for good, as if it had never been exchanged.
 * Items of which this instance or another peer has a version keep these versions.
 */
import type { OperationContext } from "../../../context.ts";
import * as queries from "../../../db/queries/federation_forgetting.ts";
import { deleteAllRemoteFacts } from "../../../db/queries/federation_remote.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { chainsOf } from "../../common/system.ts";
import { writeReference } from "../../../schema/federation_item.ts";
import { loadItems, saveKnown } from "../register/stored_items.ts";
import { type KnownItem, toEntry, withoutWriters } from "../register/known_item.ts";
import { requireManager } from "../peers/manage_peers.ts";
import { beginPublication, lockPublication, seeingAll } from "../register/publish.ts";
import { apply } from "./apply.ts";
import type { Effect } from "./effects.ts";
import { readSettling } from "./decision_inputs.ts";
import { unknownPeer } from "../peers/show_peers.ts";
import { planTakeBack } from "./tombstones.ts";

/** Items of one transaction, each of which may be erased with all its versions. */
const BATCH_ITEMS = 50;
const BATCH_DEADLINE_MS = 60_000;

/** How much was received from a peer, or was forgotten. */
export interface ForgottenPeer {
  readonly peer: string;
  /** Items of which only the peer had a version. They are erased, and cannot come back. */
  readonly erased: number;
  /** Items that lost the peer's version and keep those of others. */
  readonly takenBack: number;
  /** Facts of another region, known by id and hash alone. */
  readonly remoteFacts: number;
}

/**
 * Counts what there is to forget of a peer: entries of items, and facts of another region.
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
 * Erases everything that was received from a removed peer, batch by batch; after an interruption, call it again.
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

/** Refuses a peer that is not removed, because it would send everything again. Returns its uid. */
async function requireRemoved(tx: Tx, id: string): Promise<string> {
  const row = await queries.findRemoval(tx, id);
  if (row === undefined) throw unknownPeer();
  if (row.removedAt === null) {
    throw new ServiceError("conflict", "Cannot forget the peer: remove it first, `svc federation peers remove`");
  }
  return row.uid;
}

/** Forgets the next items; undefined if there are none. */
async function forgetBatch(ctx: OperationContext, tx: Tx, peer: string) {
  await lockPublication(tx);
  await requireRemoved(tx, peer);
  const entries = await queries.listEntriesOf(tx, peer, BATCH_ITEMS);
  if (entries.length === 0) return undefined;
  const settling = await readSettling(ctx, tx, peer);
  const known = await loadItems(ctx, tx, entries.map(({ origin: name, type }) => ({ name, type, unit: null })));
  const after: KnownItem[] = [];
  const counts = { erased: 0, takenBack: 0, nothing: 0 };
  for (const { origin } of entries) {
    const item = known.get(writeReference(origin))!;
    const { outcome, effects } = planForgetting(item, peer);
    after.push(await apply(settling, item, effects));
    counts[outcome]++;
  }
  await saveKnown(tx, after);
  await queries.deleteEntriesOf(tx, peer, entries.map(({ origin }) => origin));
  return counts;
}

/** Decides what becomes of an item of a peer that is forgotten. The row of its entry is deleted after the batch. */
function planForgetting(
  known: KnownItem,
  peer: string,
): { readonly outcome: "erased" | "takenBack" | "nothing"; readonly effects: readonly Effect[] } {
  const forget: Effect = { do: "forget", writer: peer };
  if (known.isErased || known.versions.get(peer)!.isDeleted) return { outcome: "nothing", effects: [forget] };
  const item = withoutWriters(known, [peer]);
  const others = [...item.versions.values()].filter((row) => !toEntry(row).isDeleted);
  if (others.length === 0) {
    const reason = `forgotten with ${peer}`;
    return { outcome: "erased", effects: [forget, { do: "erase", reason, eventType: "federation.item_forgotten" }] };
  }
  // If this instance has a version of its own, a vote here has adopted the peer's version: it stays. Otherwise the
  // versions of the others are fetched again, and then shown.
  const isOurs = others.some(({ verdict }) => verdict === "own");
  const otherwise: Effect[] = isOurs ? [] : [{ do: "fetchAgain", writers: others.map(({ writer }) => writer) }];
  const how = { outcome: `${peer} was forgotten`, mayShow: false };
  return {
    outcome: "takenBack",
    effects: [forget, ...planTakeBack(item, peer, how), { do: "settle", otherwise }],
  };
}
