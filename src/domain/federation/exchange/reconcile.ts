/**
 * Compares both sides without sending all items: walks down the digest where it differs, and fetches the items that
 * differ, or pushes them to a peer that only receives. This finds items that were lost, and rows that were changed on
 * one side.
 */
import type { OperationContext } from "../../../context.ts";
import { BUCKET_DIGITS, RangeTree } from "../../../crypto/range_tree.ts";
import { allowLongStatements } from "../../../db/long_statements.ts";
import { saveReconciliation } from "../../../db/queries/federation_sync_runs.ts";
import { listBuckets, readBuckets } from "../../../db/queries/federation_versions.ts";
import { isCleared, type Sensitivity } from "../../../schema/common.ts";
import {
  type FederationDigest,
  type ItemName,
  readWireType,
  toWireType,
  writeReference,
} from "../../../schema/federation_item.ts";
import { askDigest } from "../protocol/ask_peer.ts";
import { DIGEST_DEADLINE_MS } from "./digest.ts";
import { PeerFault } from "../peers/peer_fault.ts";
import { announces, type Peer } from "../peers/peers.ts";
import { publish, seeingAll } from "../register/publish.ts";
import { isReadable, pullItems } from "./pull.ts";
import { type HeldEntry, republish, REPUBLISHED_MAX } from "../applying/republish.ts";
import { hashItem } from "../register/shared_form.ts";
import { pushItems } from "./tell_peer.ts";
import type { SyncRun } from "./sync_run.ts";

/** How many digits deeper one request asks. */
const STEP_DIGITS = 2;
/** The most prefixes that one request asks for, fewer than it may, because the token repeats the address. */
const PREFIXES_ASKED = 300;
/** The most items that may differ. Beyond that, reading all pages is cheaper than this. */
const DIFFERENCES_MAX = 65_536;
/** The most names that a report shows. */
const LEFT_MAX = 20;

/** Which entries are compared: the peer's own with those that we hold of it, or ours with those that the peer holds. */
export interface Side {
  readonly side: "served" | "held";
  readonly writer: string;
  readonly clearance: Sensitivity;
}

/** Returns which side is compared: the peer's items if we may pull from it, otherwise those that it holds of ours. */
export function sideOfPeer({ deps: { config } }: OperationContext, peer: Peer): Side {
  return isReadable(peer)
    ? { side: "served", writer: peer.id, clearance: "restricted" }
    : { side: "held", writer: config.instanceId, clearance: peer.maxSensitivity };
}

/**
 * Whether both sides can be compared: the peer announces digests. Nothing is sent to a peer that only pushes, and it serves
 * nothing.
 */
export function isComparable(peer: SyncRun["peer"]): boolean {
  return announces(peer, "digest-1") && peer.told.direction !== "push";
}

/** Compares both sides, repairs the differences, and stores the result in the run and in the peer's row. */
export async function reconcile(run: SyncRun): Promise<void> {
  const { ctx, peer } = run;
  const isPulled = isReadable(peer);
  const side = sideOfPeer(ctx, peer);
  while (!isPulled && await publish(ctx)) ctx.signal.throwIfAborted();
  // This comes first: a version that the peer made with knowledge of our lost ones is refused until they are
  // published again, and the following pull is to take it.
  await sayAgain(run);
  const first = await findDifferences(run, side);
  if (first.items.length > 0) {
    const ids = [...new Set(first.items.map(({ id }) => id))];
    if (isPulled) await pullItems(run, ids);
    else await pushItems(run, ids);
  }
  const last = first.isEqual ? first : await findDifferences(run, side);
  const found = {
    equal: last.isEqual,
    differences: first.items.length,
    left: last.items.slice(0, LEFT_MAX).map(writeReference),
  };
  run.reconciled = found;
  await ctx.tx((tx) => saveReconciliation(tx, peer.id, found));
}

/**
 * Publishes items again if the peer holds versions of this instance that this instance does not know, such as after a
 * backup was restored. Their present content is published, under higher version numbers.
 */
async function sayAgain(run: SyncRun): Promise<void> {
  const { ctx, peer } = run;
  const side: Side = { side: "held", writer: ctx.deps.config.instanceId, clearance: peer.maxSensitivity };
  const held: HeldEntry[] = [];
  await findDifferences(run, side, (entry) => held.push(entry));
  for (let i = 0; i < held.length; i += REPUBLISHED_MAX) {
    await republish(ctx, peer.id, held.slice(i, i + REPUBLISHED_MAX));
  }
}

interface Differences {
  /** Whether the digests of the whole are the same. The entries that a peer lists prove less: it may list others. */
  readonly isEqual: boolean;
  /** The items whose entries differ. */
  readonly items: readonly ItemName[];
}

/**
 * Walks both digests down and compares the entries where they differ.
 * @param onTheirs called with each entry of the peer's side that differs from what is here
 * @throws PeerFault `digest_unsound` when the peer's digest contradicts itself, or too many items differ
 */
async function findDifferences(
  run: SyncRun,
  side: Side,
  onTheirs: (entry: HeldEntry) => void = () => {},
): Promise<Differences> {
  const [tree, root] = await both(readTree(run, side), ask(run, side, [""]));
  let prefixes = compareNodes(tree, root).sort();
  while (prefixes.length > 0 && prefixes[0]!.length < BUCKET_DIGITS) {
    prefixes = await descend(run, side, tree, prefixes);
  }
  const items: ItemName[] = [];
  for (const some of chunks(prefixes)) {
    for (const name of await compareBuckets(run, side, some, onTheirs)) items.push(name);
    if (items.length > DIFFERENCES_MAX) {
      throw new PeerFault("digest_unsound", "The peer's digest differs everywhere: ask its operator");
    }
  }
  return { isEqual: prefixes.length === 0, items };
}

/** Reads the tree of this instance's side. */
async function readTree({ ctx }: SyncRun, side: Side): Promise<RangeTree> {
  return await seeingAll(ctx).tx(async (tx) => {
    await allowLongStatements(tx, DIGEST_DEADLINE_MS);
    return new RangeTree(await readBuckets(tx, side));
  }, { deadlineMs: DIGEST_DEADLINE_MS });
}

/** Waits for two concurrent tasks. If one fails, it still waits for the other one to end. */
async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return await Promise.all([one, other]);
}

/** Asks for nodes, and returns the prefixes, two digits longer, that differ below them. */
async function descend(run: SyncRun, side: Side, tree: RangeTree, prefixes: readonly string[]): Promise<string[]> {
  const differing: string[] = [];
  for (const some of chunks(prefixes)) differing.push(...compareNodes(tree, await ask(run, side, some)));
  return differing.sort();
}

/**
 * Compares nodes of the peer's tree with this instance's tree. Returns the prefixes of the children that differ; each is
 * two digits longer than its node's.
 * @throws PeerFault `digest_unsound`
 */
function compareNodes(tree: RangeTree, { nodes }: FederationDigest): string[] {
  const differing: string[] = [];
  for (const node of nodes) {
    if ("items" in node) throw new PeerFault("digest_unsound", "The peer's digest has entries where nodes belong");
    const ours = tree.node(node.prefix);
    if (ours.digest === node.digest && ours.count === node.count) continue;
    const theirs = new Map(node.children.map((child) => [child.prefix, child.digest]));
    const here = new Map(tree.below(node.prefix, STEP_DIGITS).map((child) => [child.prefix, child.digest]));
    const before = differing.length;
    for (const prefix of new Set([...theirs.keys(), ...here.keys()])) {
      const isBelow = prefix.startsWith(node.prefix) && prefix.length === node.prefix.length + STEP_DIGITS &&
        /^[0-9a-f]+$/.test(prefix);
      if (!isBelow) {
        throw new PeerFault("digest_unsound", "The peer's digest has children that are not below their node");
      }
      if (theirs.get(prefix) !== here.get(prefix)) differing.push(prefix);
    }
    if (differing.length === before) {
      throw new PeerFault("digest_unsound", "The peer's digest differs, and none of its children does");
    }
  }
  return differing;
}

/** Compares the entries in some buckets with the peer's and returns the items whose entries differ. */
async function compareBuckets(
  run: SyncRun,
  side: Side,
  prefixes: readonly string[],
  onTheirs: (entry: HeldEntry) => void,
): Promise<ItemName[]> {
  const { nodes } = await ask(run, side, prefixes);
  const entries = await seeingAll(run.ctx).tx((tx) => listBuckets(tx, side, prefixes), { readOnly: true });
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
  // These entries are missing on the other side.
  for (const entry of entries) if (here.has(writeReference(entry.origin))) differing.push(entry.origin);
  return differing;
}

async function ask(run: SyncRun, { side }: Side, prefix: readonly string[]): Promise<FederationDigest> {
  await run.hold();
  return await askDigest(run.ctx, run.peer, { side, prefix, depth: String(STEP_DIGITS) });
}

function chunks(prefixes: readonly string[]): string[][] {
  return Array.from(
    { length: Math.ceil(prefixes.length / PREFIXES_ASKED) },
    (_, i) => prefixes.slice(i * PREFIXES_ASKED, (i + 1) * PREFIXES_ASKED),
  );
}
