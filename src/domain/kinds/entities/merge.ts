/**
 * Merges entities that are one, and undoes merges. A merged entity keeps its record and its id,
 * which leads to the survivor. References to it (relations, mentions, facts) are not rewritten but
 * resolved, so that a merge can be undone.
 */
import type { OperationContext } from "../../../context.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import { findMerges, noteMerge } from "../../../db/queries/entity_merges.ts";
import { closeReviewItem, findPairItems } from "../../../db/queries/review_items.ts";
import { findUnits, lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { MergedEntity, MergeEntityBody } from "../../../schema/entity.ts";
import { ENTITY_TYPE_OTHER } from "../../../schema/entity_type.ts";
import { saidColumns } from "../../unit/kind.ts";
import { requireVerifier } from "../../unit/update.ts";
import { mostSensitive, trustOf } from "../../unit/trust.ts";
import { requireNamed, requireUnit, requireVersion, reviseUnit } from "../../unit/store.ts";
import { analyseEntity, mergeAttributes, requireSize, union } from "./additions.ts";
import type { EntityBody, EntityRow } from "./body.ts";
import { ENTITIES, tidyAliases } from "./kind.ts";
import { resolveEntities } from "./resolve.ts";
import { showEntities } from "./show_entities.ts";

/** Merges of a workspace wait for each other, so that if two cross, the second sees the result of the first. */
const MERGE_LOCK = "entities:merge";

/** What a merged entity added to the survivor, and its own earlier state; by names, never by content. */
export interface MergeDetail {
  readonly status: string;
  readonly sensitivity: EntityRow["sensitivity"];
  /** The survivor before. */
  readonly survivorVersion: number;
  readonly survivorSensitivity: EntityRow["sensitivity"];
  readonly aliases: readonly string[];
  readonly attributes: readonly string[];
  readonly drawers: readonly string[];
  readonly tags: readonly string[];
  readonly derivedFrom: readonly string[];
  readonly typed: boolean;
}

/**
 * Locks entities whose merging changes: first their names, as every writer does, then their rows by id. Invisible ones
 * are left out.
 */
export async function lockEntities(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, EntityRow>> {
  const read = async (lock?: "update") =>
    await findUnits<EntityBody>(tx, ids, { type: "entity", ...(lock && { lock }) });
  await lockNames(tx, (await read()).flatMap((row) => ENTITIES.namesOf!(row.body)));
  return new Map((await read("update")).map((row) => [row.id, row]));
}

export async function lockMerges(tx: Tx): Promise<void> {
  await lockNames(tx, [MERGE_LOCK]);
}

/**
 * Merges entities into one.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `validation_failed`, `insufficient_scope`; `conflict`
 * when one is already merged into the other, or into a third; `invalid_transition`
 */
export async function mergeEntities(
  ctx: OperationContext,
  id: string,
  { sourceIds, reason }: MergeEntityBody,
  ifMatch: number | undefined,
): Promise<MergedEntity> {
  return await ctx.tx(async (tx) => {
    await lockMerges(tx);
    const { survivor, merged } = await applyMerge(ctx, tx, id, sourceIds, { reason: reason ?? null, ifMatch });
    const [shown] = await showEntities(tx, [survivor]);
    return { ...shown!, merged: merged.map(({ id, version }) => ({ id, version })) };
  });
}

interface MergeNote {
  readonly reason: string | null;
  readonly ifMatch?: number | undefined;
  /** The review item whose decision this is; the code that resolves it closes it. */
  readonly reviewItemId?: string | undefined;
}

/** Merges in an open transaction that has called `lockMerges`. Entities merged into it already stay as they are. */
export async function applyMerge(
  ctx: OperationContext,
  tx: Tx,
  id: string,
  sourceIds: readonly string[],
  { reason, ifMatch, reviewItemId }: MergeNote,
): Promise<{ readonly survivor: EntityRow; readonly merged: EntityRow[] }> {
  if (sourceIds.includes(id)) throw refuseSource(sourceIds.indexOf(id), "is the entity itself");
  const targetId = (await resolveEntities(tx, [id])).get(id)!;
  const rows = await lockEntities(tx, [targetId, ...sourceIds]);
  const target = rows.get(targetId) ?? await requireUnit<EntityBody>(tx, "entity", targetId);
  requireVersion(target, ifMatch);
  if (target.status !== "active") {
    throw new ServiceError("invalid_transition", `Cannot merge into ${target.id}: it is ${target.status}`);
  }
  const sources = await pickSources(tx, target, requireNamed(rows, [...new Set(sourceIds)], "sourceIds"));
  if (sources.length === 0) return { survivor: target, merged: [] };
  for (const entity of [target, ...sources]) requireVerifier(ctx, entity);
  const { next, details } = combine(target, sources);
  requireSize(next.body);
  const merged: EntityRow[] = [];
  for (const source of sources) {
    const changes = {
      status: "merged",
      // A caller who may not see the survivor must not learn of it by an old id.
      sensitivity: next.sensitivity,
      body: { ...source.body, mergedInto: target.id },
    };
    const note = { event: "merged", reason: `into ${target.id}${reason === null ? "" : `: ${reason}`}` };
    merged.push(await reviseUnit(tx, source, changes, note));
  }
  const survivor = await reviseUnit(tx, target, next, {
    event: "absorbed",
    reason: `${sources.map((source) => source.id).join(", ")}${reason === null ? "" : `: ${reason}`}`,
    prepared: analyseEntity(ctx, next),
  });
  const mergeId = uuidv7(tx.now);
  for (const [i, source] of sources.entries()) {
    const detail = details[i] as unknown as Record<string, unknown>;
    await noteMerge(tx, { sourceId: source.id, mergeId, survivorVersion: survivor.version, detail });
  }
  await settlePairs(tx, survivor, sources, reviewItemId);
  return { survivor, merged };
}

/** Closes the questions whether the two are one. */
async function settlePairs(
  tx: Tx,
  survivor: EntityRow,
  sources: readonly EntityRow[],
  reviewItemId: string | undefined,
): Promise<void> {
  const pairs = sources.map((source) => ({ a: survivor.id, b: source.id }));
  for (const { id, status } of await findPairItems(tx, "near_duplicate", pairs)) {
    if (status !== "open" || id === reviewItemId) continue;
    const outcome = `merged into ${survivor.id}`;
    const { version, sensitivity } = await closeReviewItem(tx, id, "resolved", { outcome });
    tx.record({ kind: "review.resolved", resourceType: "review", resourceId: id, version, sensitivity });
  }
}

/**
 * The entities that are still to be merged.
 * @throws ServiceError `conflict`
 */
async function pickSources(tx: Tx, target: EntityRow, rows: readonly EntityRow[]): Promise<EntityRow[]> {
  const roots = await resolveEntities(tx, rows.map((row) => row.id));
  return rows.filter((row) => {
    const root = roots.get(row.id)!;
    if (row.id === target.id) {
      throw new ServiceError(
        "conflict",
        `Cannot merge ${row.id}: the entity to merge it into is itself merged into it`,
        {
          extra: { survivorId: row.id },
        },
      );
    }
    if (row.status !== "merged") return true;
    if (root === target.id) return false;
    throw new ServiceError("conflict", `Cannot merge ${row.id}: it is merged into ${root}; merge that one`, {
      extra: { survivorId: root },
    });
  });
}

function refuseSource(index: number, message: string): ServiceError {
  const errors = [{ path: `sourceIds.${index}`, message }];
  return new ServiceError("validation_failed", `Cannot merge: sourceIds.${index} ${message}`, { errors });
}

/** The survivor with the additions of the others, and what each of them added. */
function combine(target: EntityRow, sources: readonly EntityRow[]) {
  const sensitivity = mostSensitive(target.sensitivity, ...sources.map((source) => source.sensitivity));
  let next: EntityRow = target;
  const details = sources.map((source): MergeDetail => {
    const before = next;
    next = absorb(before, source);
    const added = (names: (row: EntityRow) => readonly string[]) =>
      names(next).filter((name) => !names(before).includes(name));
    return {
      status: source.status,
      sensitivity: source.sensitivity,
      survivorVersion: target.version,
      survivorSensitivity: target.sensitivity,
      aliases: added((row) => row.body.aliases),
      attributes: added((row) => Object.keys(row.body.attributes)),
      drawers: added((row) => row.body.drawers),
      tags: added((row) => row.tags),
      derivedFrom: added((row) => row.derivedFrom),
      typed: next.body.entityType !== before.body.entityType,
    };
  });
  return { next: { ...next, sensitivity }, details };
}

/** Adds one entity's members to another. Its own win; it keeps its attribution, and both bound its trust. */
function absorb(target: EntityRow, { body, ...source }: EntityRow): EntityRow {
  const own = target.body;
  const next: EntityBody = {
    ...own,
    entityType: own.entityType === ENTITY_TYPE_OTHER ? body.entityType : own.entityType,
    aliases: tidyAliases(own.canonicalName, [...own.aliases, body.canonicalName, ...body.aliases]),
    attributes: mergeAttributes(own.attributes, body.attributes, false).attributes,
    drawers: union(own.drawers, body.drawers),
  };
  const trustCap = Math.min(target.trustCap, source.trustCap);
  return {
    ...target,
    ...saidColumns<EntityBody>(ENTITIES, next, target.status),
    tags: union(target.tags, source.tags),
    derivedFrom: union(target.derivedFrom, source.derivedFrom).filter((id) => id !== target.id && id !== source.id),
    trustCap,
    trustScore: trustOf(target.attribution, trustCap),
    stale: target.stale || source.stale,
    pinned: target.pinned || source.pinned,
  };
}

/** The records of merged entities with the ways they went. */
export async function readMerges(tx: Tx, sourceIds: readonly string[]) {
  return new Map((await findMerges(tx, sourceIds)).map((merge) => [merge.sourceId, merge]));
}
