/**
 * The digest by which two instances find out whether they have the same items of each other, and which ones differ. It
 * covers the items that this instance offers a reader, or those that it holds of a peer. It is computed from the rows
 * of the register whenever a reader asks for the root, and kept only for the rest of that walk.
 */
import type { OperationContext } from "../../../context.ts";
import { BUCKET_DIGITS, RangeTree } from "../../../crypto/range_tree.ts";
import { allowLongStatements } from "../../../db/long_statements.ts";
import { readCursor } from "../../../db/queries/federation_publication.ts";
import * as queries from "../../../db/queries/federation_versions.ts";
import type { VersionRow } from "../../../db/queries/federation_versions.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { isCleared, type Sensitivity } from "../../../schema/common.ts";
import { type FederationDigest, type FederationDigestQuery, toWireType } from "../../../schema/federation_item.ts";
import { perService } from "../../common/per_service.ts";
import { beginPublication, publish, seeingAll } from "../register/publish.ts";
import { findReader, type Reader, requirePull } from "../protocol/reader.ts";
import { hashItem } from "../register/shared_form.ts";

/** The most walks that are kept at once; each has a tree of some megabytes. */
const TREES_MAX = 8;
const TREE_KEPT_MS = 60_000;
const ROUNDS_MAX = 20;
/** The longest time for reading a register, in milliseconds; the asker waits 25 s. A million entries take seconds. */
export const DIGEST_DEADLINE_MS = 20_000;
/** How often one reader may ask for a root of either side, which is made from all rows; a walk takes one or two. */
const ROOTS = { perMinute: 6, burst: 6 } as const;

interface KeptTree {
  readonly tree: RangeTree;
  readonly seq: number;
  readonly madeAt: number;
}

const treesOf = perService(() => new Map<string, KeptTree>());

/**
 * Returns nodes of a digest, or the entries of its buckets.
 * @throws ServiceError `not_found` for another workspace; `insufficient_scope` for a peer that only receives or is in
 * another region; `validation_failed` if a caller that is no peer asks for `held`; `rate_limited` for the seventh root
 * within a minute
 */
export async function serveDigest(ctx: OperationContext, query: FederationDigestQuery): Promise<FederationDigest> {
  const { prefix: prefixes, depth, side } = query;
  const reader = await ctx.tx((tx) => findReader(ctx, tx, query.workspace), { readOnly: true });
  if (reader.isAbroad) {
    throw new ServiceError("insufficient_scope", "Cannot serve the digest: the peer is in another region");
  }
  requirePull(reader);
  const of = sideOf(ctx, reader, side);
  const isRoot = prefixes.includes("");
  if (isRoot) await takeRoot(ctx, side);
  if (isRoot) {
    // The first round may only begin publication.
    for (let round = 0; round <= ROUNDS_MAX && await publish(ctx, { isAsked: true }); round++);
  } else await beginPublication(ctx);
  return await seeingAll(ctx).tx(async (tx) => {
    await allowLongStatements(tx, DIGEST_DEADLINE_MS);
    const { epoch, nextSeq } = (await readCursor(tx))!;
    const tree = await readTree(tx, ctx, of, nextSeq, isRoot);
    const buckets = prefixes.filter((prefix) => prefix.length === BUCKET_DIGITS);
    const entries = buckets.length === 0 ? [] : await queries.listBuckets(tx, of, buckets);
    const byBucket = Map.groupBy(entries, (entry) => entry.prefix);
    const nodes = prefixes.map((prefix) =>
      prefix.length === BUCKET_DIGITS
        ? { prefix, items: (byBucket.get(prefix) ?? []).map((entry) => toDigestItem(entry, of.clearance)) }
        : { ...tree.node(prefix), children: tree.below(prefix, depth) }
    );
    const { count: total } = tree.node("");
    const addressing = { from: ctx.deps.config.instanceId, to: reader.to, workspace: ctx.workspaceId };
    return { v: 1, ...addressing, side, epoch, seq: nextSeq - 1, total, nodes };
  }, { deadlineMs: DIGEST_DEADLINE_MS });
}

/** @throws ServiceError `rate_limited` */
async function takeRoot({ deps, workspaceId, actor }: OperationContext, side: string): Promise<void> {
  const name = `digest roots ${workspaceId} ${actor} ${side}`;
  const { isAllowed, retryAfterSeconds } = await deps.rateLimit.take(name, ROOTS);
  if (isAllowed) return;
  const message = `Cannot serve the digest: more than ${ROOTS.perMinute} roots were asked for within a minute`;
  throw new ServiceError("rate_limited", message, { headers: { "retry-after": String(retryAfterSeconds) } });
}

/** The writer whose entries a digest covers, and the clearance at which. */
interface Side {
  readonly writer: string;
  readonly clearance: Sensitivity;
}

function sideOf(ctx: OperationContext, { peer }: Reader, side: FederationDigestQuery["side"]): Side {
  if (side === "served") return { writer: ctx.deps.config.instanceId, clearance: ctx.maxSensitivity };
  if (peer !== undefined) return { writer: peer.id, clearance: "restricted" };
  throw new ServiceError("validation_failed", "Cannot show what is held: the key belongs to no peer", {
    errors: [{ path: "side", message: "only a peer can ask which of its items are held" }],
  });
}

/**
 * Computes the tree when the root is asked for. Requests for deeper nodes use that tree as long as nothing new was
 * published.
 */
async function readTree(
  tx: Tx,
  { deps, workspaceId }: OperationContext,
  side: Side,
  seq: number,
  isRoot: boolean,
): Promise<RangeTree> {
  const trees = treesOf(deps);
  const key = `${workspaceId} ${side.writer} ${side.clearance}`;
  const now = deps.clock().getTime();
  const kept = trees.get(key);
  if (!isRoot && kept?.seq === seq && now - kept.madeAt < TREE_KEPT_MS) return kept.tree;
  const tree = new RangeTree(await queries.readBuckets(tx, side));
  trees.delete(key);
  trees.set(key, { tree, seq, madeAt: now });
  if (trees.size > TREES_MAX) trees.delete(trees.keys().next().value!);
  return tree;
}

function toDigestItem({ origin, type, version, hash, isDeleted, sensitivity }: VersionRow, clearance: Sensitivity) {
  const isWithdrawn = !isDeleted && !isCleared(sensitivity, clearance);
  return {
    ...{ id: origin.id, instance: origin.instance, type: toWireType(type, isDeleted), version },
    hash: isWithdrawn ? hashItem(type, origin, null, true) : hash,
  };
}
