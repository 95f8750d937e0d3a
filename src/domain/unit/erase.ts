/** Erases knowledge units for ever. */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import * as deletionLog from "../../db/queries/deletion_log.ts";
import { findMembers } from "../../db/queries/entity_merges.ts";
import { forgetContents } from "../../db/queries/federation_contents.ts";
import { eraseReplies } from "../../db/queries/idempotent_replies.ts";
import * as mentions from "../../db/queries/mentions.ts";
import { eraseRecalls } from "../../db/queries/recall_diary.ts";
import * as relations from "../../db/queries/relations.ts";
import * as reviewItems from "../../db/queries/review_items.ts";
import * as revisions from "../../db/queries/revisions.ts";
import * as queries from "../../db/queries/units.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, type Sensitivity } from "../../schema/common.ts";
import type { ErasureReceipt } from "../../schema/unit.ts";
import { FollowUps } from "./follow_ups.ts";
import { eraseQuotes } from "./erase_quotes.ts";
import { isNamed } from "./names/names.ts";
import { erasePrecondition } from "./preconditions.ts";
import { unindexTexts } from "./unindexing.ts";
import { recordTouched as recordRelations } from "./relation_fields.ts";
import { invalidateDependantsOf } from "./standing.ts";

export interface EraseOptions {
  /** Ids of units that are erased together with it because they were derived from it. */
  readonly derived?: readonly string[];
  /** Collects the follow-ups, which the caller runs after its last erasure. */
  readonly followUps?: FollowUps;
  /** The review by which a person decided to erase it. It stays, as a record of who decided; it holds no content. */
  readonly decidedReviewId?: string | undefined;
}

/**
 * Erases a unit for ever: content, revisions, index, embeddings, review items, relations. With an entity it also erases
 * the entities that were merged into it, which are the same thing under other names, and its versions from other
 * instances. Chains of reasoning that rest on it are erased, units that do become stale; the deletion log keeps its id,
 * and the change feed a tombstone without content.
 * @throws ServiceError `insufficient_scope` when a version of it is above the caller's clearance: the caller cannot
 * take an invisible text out of the index.
 */
export async function eraseUnit<Body>(
  ctx: OperationContext,
  tx: Tx,
  unit: UnitRow<Body>,
  reason: string | null,
  { derived, followUps, decidedReviewId }: EraseOptions = {},
): Promise<ErasureReceipt> {
  const merged = isNamed(unit) ? await lockMerged(tx, unit.id) : [];
  await queries.lockNames(tx, [`id:${unit.id}`]);
  const versions = await revisions.countRevisions(tx, unit.id);
  if (versions !== await revisions.countAllRevisions(tx, unit.id)) {
    throw new ServiceError("insufficient_scope", "Cannot erase: a part of the history is above the key's clearance");
  }
  const texts = await revisions.listRevisionTexts(tx, unit.id);
  const orphans = await unindexTexts(tx, texts.map((text) => ({ ...text, kind: unit.type })));
  const reviewed = await reviewItems.deleteReviewItems(tx, unit.id, decidedReviewId);
  const related = await relations.deleteRelationsOf(tx, unit.id);
  recordRelations(tx, "erased", related);
  const erasedTexts = [unit.text, ...texts.map(({ text }) => text)];
  await eraseQuotes(tx, unit.id, erasedTexts);
  await eraseRecalls(tx, erasedTexts.map((text) => ({ id: unit.id, text })));
  if (isNamed(unit)) await unlist(tx, unit.id);
  await queries.deleteUnit(tx, unit.id);
  await eraseReplies(tx, unit.id);
  const { marked, isPending } = await invalidateDependantsOf(tx, unit);
  await erasePrecondition(tx, unit.id);
  const isSeen = (relation: { sensitivity: Sensitivity }) => isCleared(relation.sensitivity, tx.maxSensitivity);
  const receipt = signReceipt(ctx, {
    id: unit.id,
    resourceType: unit.type,
    erasedAt: tx.now.toISOString(),
    erasedBy: tx.actor,
    reason,
    removed: {
      revisions: versions,
      texts: texts.length,
      reviewItems: reviewed,
      relations: related.filter(isSeen).length,
    },
    ...(derived !== undefined && { derived: [...derived] }),
    staleDependants: marked.length,
    moreDependants: isPending,
    instance: ctx.deps.config.instanceId,
  });
  await deletionLog.insertDeletion(tx, {
    resourceId: unit.id,
    resourceType: unit.type,
    originInstance: unit.originInstance,
    sensitivity: unit.sensitivity,
    receipt,
  });
  tx.record({
    kind: `${unit.type}.erased`,
    resourceType: unit.type,
    resourceId: unit.id,
    version: unit.version,
    sensitivity: unit.sensitivity,
    payload: { docNos: texts.map((text) => text.docNo) },
  });
  await eraseOrphans(ctx, tx, orphans);
  // The versions of other instances, and those of this instance that a peer's version replaced, are erased as well.
  const others = await queries.findUnits(tx, await forgetContents(tx, unit), { lock: "update" });
  for (const other of others) await eraseUnit(ctx, tx, other, `another version of ${unit.id}`);
  for (const member of merged) await eraseUnit(ctx, tx, member, `merged into ${unit.id}`);
  const following = followUps ?? new FollowUps();
  following.add([{ before: unit, after: undefined, note: { event: "erased", reason } }]);
  if (followUps === undefined) await following.run(tx);
  return receipt;
}

/** Locks the entities that were merged into an entity, directly or through others. */
async function lockMerged(tx: Tx, id: string): Promise<UnitRow<object>[]> {
  const members = await findMembers(tx, "root", [id]);
  if (members.length === 0) return [];
  return await queries.findUnits(tx, members.map(({ sourceId }) => sourceId), { lock: "update" });
}

/** The most texts that one erasure takes an entity off without their authors having named it; a worker does the others. */
const UNLISTED_MAX = 2_000;

/** Takes an entity off the `entityIds` of all that mention it, and tells those who keep a row of them in memory. */
async function unlist(tx: Tx, id: string): Promise<void> {
  for (const row of await mentions.unlistEntity(tx, id, UNLISTED_MAX)) {
    const { id: resourceId, type: resourceType, docNo, version, sensitivity } = row;
    tx.record({ kind: `${resourceType}.linked`, resourceType, resourceId, version, sensitivity, payload: { docNo } });
  }
}

/** The most entities that one erasure also erases; the worker finds the others. */
const ORPHANS_MAX = 200;

/**
 * Erases entities that were opened for a name in a text, when the last text with the name was erased, because the name
 * is a part of the text. They stay if somebody changed them since, or if something rests on or is related to them.
 */
export async function eraseOrphans(ctx: OperationContext, tx: Tx, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const orphans = await mentions.lockOrphans(tx, ids, ORPHANS_MAX);
  for (const entity of orphans.length === 0 ? [] : await queries.findUnits(tx, orphans)) {
    await eraseUnit(ctx, tx, entity, "no text names it any more");
  }
  return orphans.length;
}

/** Signs a receipt if the instance has a key, so that it can be shown to others. */
export function signReceipt({ deps }: OperationContext, receipt: Omit<ErasureReceipt, "signature">): ErasureReceipt {
  const { signingKey: key } = deps;
  if (key === undefined) return { ...receipt, signature: null };
  const value = key.sign(new TextEncoder().encode(canonicalJson(receipt)));
  const signature = {
    alg: "Ed25519",
    keyId: key.keyId,
    value: value.toBase64({ alphabet: "base64url", omitPadding: true }),
  } as const;
  return { ...receipt, signature };
}
