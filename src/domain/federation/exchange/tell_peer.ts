/** Sends to a peer: erasures until it acknowledges each, pushed items, and hints of new items. */
import type { OperationContext } from "../../../context.ts";
import * as queries from "../../../db/queries/federation_sync_runs.ts";
import { type Envelope, IDS_MAX, toWireType, VERSION_JUMP_MAX } from "../../../schema/federation_item.ts";
import type { AckedItem, SyncAck } from "../../../schema/federation_ack.ts";
import { sendMessage } from "../protocol/ask_peer.ts";
import { PeerFault } from "../peers/peer_fault.ts";
import { announces, type Peer } from "../peers/peers.ts";
import { mayReadPlain } from "../peers/sealing_keys.ts";
import { makePush } from "./serve.ts";
import { requireAnswer } from "../protocol/signed_answer.ts";
import type { SyncRun } from "./sync_run.ts";

const STEPS_MAX = 100;

/**
 * Sends the peer all erasures that it has not acknowledged.
 * @throws PeerFault
 */
export async function tellErasures(run: SyncRun): Promise<void> {
  const { ctx, peer } = run;
  while (true) {
    const pending = await ctx.tx((tx) => queries.listPendingErasures(tx, peer.id, IDS_MAX), { readOnly: true });
    if (pending.length === 0) return;
    await run.hold();
    await ctx.tx((tx) => queries.noteErasuresSent(tx, peer.id, pending.map(({ origin }) => origin)));
    const items = pending.map(({ origin, type, version, erasedAt }) => ({
      ...{ id: origin.id, instance: origin.instance, type: toWireType(type, true), version },
      erasedAt: erasedAt.toISOString(),
    }));
    const { reply, messageId } = await sendMessage(ctx, peer, { type: "ERASE_NOTIFY", requiresAck: true, items });
    if (await storeAck(ctx, peer, requireAnswer(ctx, peer, reply, "SYNC_ACK", messageId)) === 0) {
      throw new PeerFault(
        "unacknowledged",
        "The peer acknowledges none of the erasures that it was sent: ask its operator",
      );
    }
  }
}

/** Stores a peer's results for erasures. Returns how many it acknowledged. */
export async function storeAck(ctx: OperationContext, peer: Peer, ack: SyncAck): Promise<number> {
  return await ctx.tx(async (tx) => {
    const acked = await queries.ackErasures(tx, peer.id, ack.results, ack);
    if (acked > 0) {
      const outcomes = Object.fromEntries(
        [...Map.groupBy(ack.results, ({ outcome }) => outcome)].map(([outcome, some]) => [outcome, some.length]),
      );
      const detail = { peer: peer.id, outcomes };
      tx.audit({ eventType: "federation.erasure_acknowledged", targets: [peer.uid], detail });
    }
    return acked;
  });
}

/**
 * Pushes entries after a place.
 * @param from the place in the order of publication up to which the peer has everything
 */
export async function push(run: SyncRun, from: number): Promise<void> {
  const { ctx, peer } = run;
  for (let after = from;;) {
    const page = await makePush(ctx, peer, { after, ...run.readable.theirs });
    if (page === undefined) return;
    if (page.envelope.items.length > 0 && !await sendAll(run, page.envelope)) continue;
    after = page.seq;
    await run.savePushed(after);
  }
}

/** Pushes the items with some ids, whatever their origins, in their present versions. */
export async function pushItems(run: SyncRun, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < ids.length; i += IDS_MAX) {
    const page = await makePush(run.ctx, run.peer, { ids: ids.slice(i, i + IDS_MAX), ...run.readable.theirs });
    if (page !== undefined && !await sendAll(run, page.envelope)) i -= IDS_MAX;
  }
}

/** Pushes a page. Returns false if it must be made again, in plain text, because the peer cannot open it. */
async function sendAll(run: SyncRun, envelope: Envelope): Promise<boolean> {
  try {
    run.note("sent", await pushSteps(run, await send(run, envelope)));
    return true;
  } catch (error) {
    const { ctx: { deps }, peer, readable: { theirs } } = run;
    const isClosed = error instanceof PeerFault && error.code === "federation_decrypt_failed";
    const mayAgain = isClosed && envelope.alg !== undefined && announces(peer, "plain-1") && mayReadPlain(deps, peer);
    if (!mayAgain) throw error;
    theirs.form = "plain";
    return false;
  }
}

async function send(run: SyncRun, envelope: Envelope): Promise<readonly AckedItem[]> {
  await run.hold();
  const { ctx, peer } = run;
  const plain = JSON.parse(JSON.stringify(envelope));
  const { reply, messageId } = await sendMessage(ctx, peer, {
    type: "SYNC_PUSH",
    requiresAck: true,
    envelope: plain,
  });
  return requireAnswer(ctx, peer, reply, "SYNC_ACK", messageId).results;
}

/**
 * Offers items again whose version was too far ahead for the peer: their present content, under version numbers that it
 * accepts.
 */
async function pushSteps(run: SyncRun, results: readonly AckedItem[]): Promise<AckedItem[]> {
  const last: AckedItem[] = [];
  for (const result of results) {
    let now: AckedItem = result;
    for (let step = 0; step < STEPS_MAX && now.outcome === "VERSION_JUMP_REJECTED"; step++) {
      const base: number = now.base ?? 0;
      const page = await makePush(run.ctx, run.peer, {
        ids: [result.id],
        atMost: base + VERSION_JUMP_MAX,
        ...run.readable.theirs,
      });
      const acked: readonly AckedItem[] = page === undefined ? [] : await send(run, page.envelope);
      const found = acked.find(({ id, instance }) => id === result.id && instance === result.instance);
      if (found === undefined || found.outcome === "VERSION_JUMP_REJECTED" && found.base === base) break;
      now = found.outcome === "applied" && found.version < result.version ? { ...result, base: found.version } : found;
    }
    last.push(now);
  }
  return last;
}

/** Sends a peer a hint that there are new items. */
export async function sendHint(ctx: OperationContext, peer: Peer): Promise<void> {
  await sendMessage(ctx, peer, { type: "SYNC_HINT" });
}
