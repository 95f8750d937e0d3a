/**
 * Comparing both sides item by item without shipping them: the digest is walked down where it differs, and what differs is
 * fetched, or pushed to a peer that only receives. What was lost, or changed in one row of one side, shows up here.
 */
import { BUCKET_DIGITS, RangeTree } from "../../crypto/range_tree.ts";
import { saveReconciliation } from "../../db/queries/federation_turns.ts";
import { listBuckets, readBuckets } from "../../db/queries/federation_versions.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import {
  type FederationDigest,
  type ItemName,
  readWireType,
  toWireType,
  writeReference,
} from "../../schema/federation_item.ts";
import { askDigest } from "./ask_peer.ts";
import { PeerFault } from "./peer_fault.ts";
import { publish, seeingAll } from "./publish.ts";
import { isReadable, pullItems } from "./pull.ts";
import { type HeldEntry, RESAID_MAX, resay } from "./resay.ts";
import { hashItem } from "./shared_form.ts";
import { pushItems } from "./tell_peer.ts";
import type { Turn } from "./turn.ts";

/** Digits by which one request goes down. */
const STEP_DIGITS = 2;
const PREFIXES_MAX = 500;
/** Beyond so many buckets that differ, page after page is cheaper than this. */
const BUCKETS_MAX = 65_536;
/** Names that a report tells. */
const LEFT_MAX = 20;

/** Which entries are compared: theirs against what is held of them, or ours against what they hold. */
interface Side {
  readonly side: "served" | "held";
  readonly writer: string;
  readonly clearance: Sensitivity;
}

/** Whether there is anything to compare: to a peer that only pushes, nothing is sent, and it serves nothing. */
export function isComparable({ told }: Turn["peer"]): boolean {
  return told.direction !== "push";
}

/** Compares both sides and repairs what differs; says in the turn and in the peer's row what was found. */
export async function reconcile(turn: Turn): Promise<void> {
  const { ctx, peer } = turn;
  const { instanceId } = ctx.deps.config;
  const isPulled = isReadable(peer);
  const side: Side = isPulled
    ? { side: "served", writer: peer.id, clearance: "restricted" }
    : { side: "held", writer: instanceId, clearance: peer.maxSensitivity };
  while (!isPulled && await publish(ctx)) ctx.signal.throwIfAborted();
  // First, so that what the peer said since it heard of those versions is taken afterwards.
  await sayAgain(turn);
  const differing = await findDifferences(turn, side);
  if (differing.length > 0) {
    const ids = [...new Set(differing.map(({ id }) => id))];
    if (isPulled) await pullItems(turn, ids);
    else await pushItems(turn, ids);
  }
  const left = differing.length === 0 ? [] : await findDifferences(turn, side);
  const found = {
    equal: left.length === 0,
    differences: differing.length,
    left: left.slice(0, LEFT_MAX).map(writeReference),
  };
  turn.reconciled = found;
  await ctx.tx((tx) => saveReconciliation(tx, peer.id, found));
}

/**
 * What the peer holds of this instance beyond what is known to have been published, such as after a backup was restored, is
 * said again as it is now, under versions that are higher.
 */
async function sayAgain(turn: Turn): Promise<void> {
  const { ctx, peer } = turn;
  const side: Side = { side: "held", writer: ctx.deps.config.instanceId, clearance: peer.maxSensitivity };
  const held: HeldEntry[] = [];
  await findDifferences(turn, side, (entry) => held.push(entry));
  for (let i = 0; i < held.length; i += RESAID_MAX) await resay(ctx, peer.id, held.slice(i, i + RESAID_MAX));
}

/**
 * The items whose entries differ.
 * @param onTheirs told of each entry of the peer's side that differs from what is here
 */
async function findDifferences(
  turn: Turn,
  side: Side,
  onTheirs: (entry: HeldEntry) => void = () => {},
): Promise<ItemName[]> {
  const tree = await seeingAll(turn.ctx).tx(async (tx) => new RangeTree(await readBuckets(tx, side)));
  let prefixes = [""];
  while (prefixes.length > 0 && prefixes[0]!.length < BUCKET_DIGITS) {
    prefixes = await descend(turn, side, tree, prefixes);
  }
  if (prefixes.length > BUCKETS_MAX) {
    throw new PeerFault("digest_unsound", "The peer's digest differs everywhere: ask its operator");
  }
  const differing: ItemName[] = [];
  for (const some of chunks(prefixes)) differing.push(...await compareBuckets(turn, side, some, onTheirs));
  return differing;
}

/** The prefixes two digits further down that differ. */
async function descend(turn: Turn, side: Side, tree: RangeTree, prefixes: readonly string[]): Promise<string[]> {
  const differing: string[] = [];
  for (const some of chunks(prefixes)) {
    const { nodes } = await ask(turn, side, some);
    for (const node of nodes) {
      if ("items" in node) throw new PeerFault("digest_unsound", "The peer's digest has entries where nodes belong");
      const ours = tree.node(node.prefix);
      if (ours.digest === node.digest && ours.count === node.count) continue;
      const theirs = new Map(node.children.map((child) => [child.prefix, child.digest]));
      const here = new Map(tree.below(node.prefix, STEP_DIGITS).map((child) => [child.prefix, child.digest]));
      const before = differing.length;
      for (const prefix of new Set([...theirs.keys(), ...here.keys()])) {
        const isBelow = prefix.startsWith(node.prefix) && prefix.length === node.prefix.length + STEP_DIGITS;
        if (!isBelow) {
          throw new PeerFault("digest_unsound", "The peer's digest has children that are not below their node");
        }
        if (theirs.get(prefix) !== here.get(prefix)) differing.push(prefix);
      }
      if (differing.length === before) {
        throw new PeerFault("digest_unsound", "The peer's digest differs, and none of its children does");
      }
    }
  }
  return differing.sort();
}

async function compareBuckets(
  turn: Turn,
  side: Side,
  prefixes: readonly string[],
  onTheirs: (entry: HeldEntry) => void,
): Promise<ItemName[]> {
  const { nodes } = await ask(turn, side, prefixes);
  const entries = await seeingAll(turn.ctx).tx((tx) => listBuckets(tx, side, prefixes), { readOnly: true });
  const here = new Map(entries.map((entry) => {
    const { origin, type, version, isDeleted, sensitivity, hash } = entry;
    const isHidden = !isDeleted && !isCleared(sensitivity, side.clearance);
    const shown = isHidden ? hashItem(type, origin, null, true) : hash;
    return [writeReference(origin), `${toWireType(type, isDeleted)} ${version} ${shown}`];
  }));
  const differing: ItemName[] = [];
  for (const node of nodes) {
    if (!("items" in node)) throw new PeerFault("digest_unsound", "The peer's digest has nodes where entries belong");
    for (const { instance, id, type, version, hash } of node.items) {
      const reference = writeReference({ instance, id });
      if (here.get(reference) !== `${type} ${version} ${hash}`) {
        differing.push({ instance, id });
        onTheirs({ origin: { instance, id }, version, hash, ...readWireType(type) });
      }
      here.delete(reference);
    }
  }
  // What the other side does not have.
  for (const entry of entries) if (here.has(writeReference(entry.origin))) differing.push(entry.origin);
  return differing;
}

async function ask(turn: Turn, { side }: Side, prefix: readonly string[]): Promise<FederationDigest> {
  await turn.hold();
  return await askDigest(turn.ctx, turn.peer, { side, prefix, depth: String(STEP_DIGITS) });
}

function chunks(prefixes: readonly string[]): string[][] {
  return Array.from(
    { length: Math.ceil(prefixes.length / PREFIXES_MAX) },
    (_, i) => prefixes.slice(i * PREFIXES_MAX, (i + 1) * PREFIXES_MAX),
  );
}
