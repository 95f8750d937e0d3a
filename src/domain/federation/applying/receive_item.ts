/**
 * The steps in which one item of a peer is received, in a transaction that holds the lock of publication and the item. Each
 * step ends the item or leads to the next.
 */
import type { Tx } from "../../../db/tx.ts";
import { SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import { VERSION_JUMP_MAX } from "../../../schema/federation_item.ts";
import { archive } from "../../unit/archive.ts";
import { ENTRIES_MAX, hasRoom, type Room } from "./deferred.ts";
import type { ItemResult, PreparedItem } from "./incoming.ts";
import { type KnownItem, putShown, putVersion, receivedVersion, setVerdict } from "../register/item_states.ts";
import { beholderIn, isShownProtected, settleItem, type Settling } from "./settle.ts";
import { receiveTombstone } from "./tombstones.ts";
import { isVeiled, veil } from "./veil.ts";

/** A peer's time that is further ahead than this is replaced by the time of receipt. */
const AHEAD_MAX_MS = 30_000;

/** The outcome for an item, and the version from which the peer may go on. */
export type Outcome = Pick<ItemResult, "outcome" | "base" | "told">;

/** Puts an item's version into the register. */
export function putEntry(
  tx: Tx,
  state: KnownItem,
  item: PreparedItem,
  verdict: Parameters<typeof setVerdict>[2],
  word: Parameters<typeof putVersion>[2],
): void {
  const { body, hash, isDeleted } = item;
  const said = new Date(body.updatedAt);
  const isAhead = said.getTime() > tx.now.getTime() + AHEAD_MAX_MS;
  const known = state.versions.get(body.writer);
  const sensitivity = (body.unit?.["sensitivity"] ?? known?.sensitivity ?? "internal") as Sensitivity;
  const { writer, version, seen, affirms } = body;
  const entry = {
    ...{ writer, version, seen, affirms, hash, isDeleted, verdict },
    updatedAt: isAhead ? tx.now : said,
    isWithdrawn: body.withdrawn === true,
    sensitivity: SENSITIVITIES.includes(sensitivity) ? sensitivity : "internal",
  };
  putVersion(state, receivedVersion(tx, state, entry), word);
}

/** Takes one item through the checks in order; each check ends it or passes it on. */
export async function receiveItem(
  settling: Settling,
  item: PreparedItem,
  state: KnownItem,
  room: Room,
): Promise<Outcome> {
  const { ctx, tx } = settling;
  const { body, hash, isDeleted } = item;
  const known = state.versions.get(body.writer);
  const origin = state.versions.get(state.name.instance);
  if (state.isErased || (origin?.isDeleted === true && state.name.instance !== ctx.deps.config.instanceId)) {
    if (known === undefined || known.version < body.version) {
      putEntry(tx, state, item, isDeleted ? "erased" : "blocked", null);
    }
    return { outcome: isDeleted ? "acknowledged" : "RESURRECTION_BLOCKED" };
  }
  const beholder = beholderIn(settling);
  const isHidden = isVeiled(state, ctx.deps.config.instanceId, beholder);
  const seen = isHidden ? veil(state, beholder) : state;
  const step = checkRegister(settling, item, seen);
  if (step !== undefined) return step;
  const base = Math.max(0, ...[...seen.versions.values()].map(({ version }) => version));
  const isJump = body.version - base > VERSION_JUMP_MAX;
  // Nobody can raise an item's version number by repeating what is shown.
  if (isJump) return hash === seen.shown?.hash ? { outcome: "duplicate" } : { outcome: "VERSION_JUMP_REJECTED", base };
  if (item.refusal !== undefined) {
    // A later build may read it, so the peer's version is kept until then, if the database can store it.
    const isKept = item.isUnstorable !== true && room.entries < ENTRIES_MAX;
    putEntry(tx, state, item, "deferred", isKept ? body.unit : null);
    return { outcome: "validation_failed" };
  }
  if (isHidden) return holdBack(tx, item, state, room);
  if (isDeleted) {
    putEntry(tx, state, item, "erased", null);
    return { outcome: await receiveTombstone(settling, state) };
  }
  if (body.unit === null) return { outcome: await withdraw(settling, item, state) };
  if (!hasRoom(room)) {
    putEntry(tx, state, item, "deferred", body.unit);
    return { outcome: "deferred" };
  }
  return { outcome: await show(settling, item, state) };
}

/** Keeps a peer's version of an item that is veiled from it, until it may know of the item. */
function holdBack(tx: Tx, item: PreparedItem, state: KnownItem, room: Room): Outcome {
  const { body: { unit }, isDeleted } = item;
  const verdict = isDeleted ? "erased" : unit === null ? "covered" : "deferred";
  putEntry(tx, state, item, verdict, room.entries < ENTRIES_MAX ? unit : null);
  return { outcome: isDeleted ? "not_found" : "deferred" };
}

/** Compares an item with the register. Returns its outcome if it goes no further. */
function checkRegister(
  { ctx, tx, peer }: Settling,
  { type, body, hash }: PreparedItem,
  state: KnownItem,
): Outcome | undefined {
  const known = state.versions.get(body.writer);
  const { instanceId } = ctx.deps.config;
  const others = [...state.versions.values()];
  const isOtherType = others.some((row) => row.type !== type) || (state.unit?.type ?? type) !== type ||
    (state.relation !== undefined) !== (type === "relation") && (state.unit ?? state.relation) !== undefined;
  // After a restore of an older backup here, an unknown item may name versions of ours, which are lost.
  const seenOfOurs = body.seen[instanceId] ?? 0;
  const isLost = others.length === 0 && seenOfOurs < body.version;
  const isUnpublished = seenOfOurs > (state.versions.get(instanceId)?.version ?? 0) && !isLost;
  if (isOtherType || isUnpublished) return { outcome: "validation_failed" };
  if (known === undefined || known.version < body.version) return undefined;
  if (known.version > body.version) return { outcome: "unchanged" };
  if (known.hash === hash) return known.verdict === "deferred" ? undefined : { outcome: "duplicate" };
  tx.audit({
    eventType: "federation.equivocation",
    targets: [state.row.unitId],
    detail: { peer, version: body.version },
  });
  return { outcome: "conflict" };
}

/** Lets the register decide which version is shown now, after an item arrived. */
async function show(settling: Settling, item: PreparedItem, state: KnownItem): Promise<ItemOutcome> {
  const { tx, peer } = settling;
  const { body, hash, text, said } = item;
  const isSame = hash === state.shown?.hash;
  putEntry(tx, state, item, "covered", body.unit);
  const fresh = { writer: peer, hash, word: body.unit!, text, said };
  if (!await settleItem(settling, state, fresh)) {
    setVerdict(state, peer, "deferred");
    return "deferred";
  }
  if (isSame) return "duplicate";
  if (state.conflicts.has(peer)) return "contested";
  return state.shown?.hash === hash ? "applied" : "kept_ours";
}

/** Handles that the peer no longer offers an item: a copy that nobody else vouches for is archived. */
async function withdraw(settling: Settling, item: PreparedItem, state: KnownItem): Promise<ItemOutcome> {
  const { tx, peer } = settling;
  putEntry(tx, state, item, "covered", null);
  const { shown, unit } = state;
  if (shown === undefined || shown.isOwn || shown.dot.writer !== peer || isShownProtected(state)) {
    await settleItem(settling, state);
    return "kept_ours";
  }
  if (unit !== undefined && state.row.role === "unit") {
    state.unit = await archive(tx, unit, { reason: `no longer offered by ${peer}` });
  }
  const { version, seen } = item.body;
  const dot = { writer: peer, version };
  putShown(state, { ...shown, hash: item.hash, dot, context: { ...shown.context, ...seen, [peer]: version } });
  return "applied";
}
