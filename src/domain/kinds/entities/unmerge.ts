/** Undoes a merge: the merged entity becomes independent again, and the survivor loses what it added. */
import type { OperationContext } from "../../../context.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { type EntityMergeRow, findMembers, renumberMerges } from "../../../db/queries/entity_merges.ts";
import { findRevision } from "../../../db/queries/revisions.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { MergeEntityBody, SeparatedEntity } from "../../../schema/entity.ts";
import { nameKeys } from "../../../language/names.ts";
import { ENTITY_TYPE_OTHER } from "../../../schema/entity_type.ts";
import { saidColumns } from "../../unit/kind.ts";
import { requireVerifier } from "../../unit/update.ts";
import { findSources } from "../../unit/support.ts";
import { capOf, trustOf } from "../../unit/trust.ts";
import { isStanding } from "../../unit/standing.ts";
import { requireNamed, requireUnit, requireVersion, reviseUnit } from "../../unit/store.ts";
import { analyseEntity } from "./additions.ts";
import type { EntityBody, EntityRow } from "./body.ts";
import { ENTITIES } from "./kind.ts";
import { lockEntities, lockMerges, type MergeDetail, readMerges } from "./merge.ts";
import { resolveEntities } from "./resolve.ts";
import { showEntities } from "./show_entities.ts";

/** A merged entity and how it was merged. */
interface Member {
  readonly row: EntityRow;
  readonly merge: EntityMergeRow;
  /** Undefined: the merge was made elsewhere and imported with the entity. */
  readonly detail: MergeDetail | undefined;
}

/**
 * Undoes merges into an entity. If nothing has changed the entity since, it becomes what it was before the merge.
 * Otherwise it loses the members that the others added, as far as these are unchanged, and keeps its sensitivity.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `validation_failed`, `insufficient_scope`;
 * `invalid_transition` for one that is not merged; `conflict` for one that was merged into another entity, or whose
 * name another entity has
 */
export async function unmergeEntities(
  ctx: OperationContext,
  id: string,
  { sourceIds, reason }: MergeEntityBody,
  ifMatch: number | undefined,
): Promise<SeparatedEntity> {
  return await ctx.tx(async (tx) => {
    await lockMerges(tx);
    const { survivor, separated } = await applyUnmerge(ctx, tx, id, sourceIds, { reason: reason ?? null, ifMatch });
    const [shown, ...others] = await showEntities(tx, [survivor, ...separated]);
    return { ...shown!, separated: others };
  });
}

/** Undoes merges in an open transaction that has called `lockMerges`. */
export async function applyUnmerge(
  ctx: OperationContext,
  tx: Tx,
  id: string,
  sourceIds: readonly string[],
  { reason, ifMatch }: { readonly reason: string | null; readonly ifMatch?: number | undefined },
): Promise<{ readonly survivor: EntityRow; readonly separated: EntityRow[] }> {
  const targetId = (await resolveEntities(tx, [id])).get(id)!;
  const rows = await lockEntities(tx, [targetId, ...sourceIds]);
  const target = rows.get(targetId) ?? await requireUnit<EntityBody>(tx, "entity", targetId);
  requireVersion(target, ifMatch);
  const members = await requireMembers(tx, target, requireNamed(rows, [...new Set(sourceIds)], "sourceIds"));
  for (const entity of [target, ...members.map(({ row }) => row)]) requireVerifier(ctx, entity);
  const tail = reason === null ? "" : `: ${reason}`;
  const { next, restores } = await withoutMembers(tx, target, members);
  // The survivor is revised first, because it holds names that the others take back.
  const survivor = await reviseUnit(tx, target, next, {
    event: "separated",
    reason: `${members.map(({ row }) => row.id).join(", ")}${tail}`,
    prepared: analyseEntity(ctx, next),
  });
  const separated: EntityRow[] = [];
  for (const { row, detail } of members) {
    const changes = {
      status: detail?.status ?? "active",
      sensitivity: detail?.sensitivity ?? row.sensitivity,
      body: { ...row.body, mergedInto: null },
    };
    separated.push(await reviseUnit(tx, row, changes, { event: "unmerged", reason: `from ${target.id}${tail}` }));
  }
  if (restores !== undefined) await renumberMerges(tx, target.id, restores, survivor.version);
  return { survivor, separated };
}

/** @throws ServiceError `invalid_transition`, `conflict` */
async function requireMembers(tx: Tx, target: EntityRow, rows: readonly EntityRow[]): Promise<Member[]> {
  const merges = await readMerges(tx, rows.map((row) => row.id));
  return rows.map((row): Member => {
    const merge = merges.get(row.id);
    if (row.status !== "merged" || merge === undefined) {
      throw new ServiceError("invalid_transition", `Cannot undo the merge of ${row.id}: it is ${row.status}`);
    }
    if (merge.survivorId !== target.id) {
      const hint = merge.rootId === target.id ? "; take the merge of that one back first" : "";
      const message = `Cannot take the merge of ${row.id} back: it was merged into ${merge.survivorId}${hint}`;
      throw new ServiceError("conflict", message, { extra: { survivorId: merge.survivorId } });
    }
    const detail = merge.mergeId === null ? undefined : merge.detail as unknown as MergeDetail;
    return { row, merge, detail };
  });
}

/** The survivor without some members; `restores` is the version that it returns to, if it returns to one. */
async function withoutMembers(
  tx: Tx,
  target: EntityRow,
  members: readonly Member[],
): Promise<{ readonly next: EntityRow; readonly restores?: number }> {
  const leaving = new Set(members.map(({ row }) => row.id));
  const merges = await findMembers(tx, "survivor", [target.id]);
  const remaining = merges.filter((merge) => !leaving.has(merge.sourceId));
  const [{ merge, detail }] = members as [Member];
  const isWhole = members.every((member) => member.merge.mergeId === merge.mergeId) &&
    remaining.every((other) => other.mergeId !== merge.mergeId);
  if (detail !== undefined && isWhole && merge.survivorVersion === target.version) {
    const before = await findRevision(tx, target.id, detail.survivorVersion);
    if (before !== undefined) {
      const was = before.unit as EntityRow;
      const support = await supportNow(tx, was);
      const next = { ...was, ...support, worth: target.worth, sensitivity: detail.survivorSensitivity };
      return { next, restores: was.version };
    }
  }
  const rows = remaining.length === 0
    ? []
    : await findUnits<EntityBody>(tx, remaining.map((other) => other.sourceId), { type: "entity" });
  return { next: members.reduce((next, member) => giveBack(next, member, rows), target) };
}

/** Its sources may have lost standing or trust in the meantime, which makes no version of the merged entity. */
async function supportNow(tx: Tx, was: EntityRow) {
  const sources = [...(await findSources(tx, was.derivedFrom)).values()];
  const trustCap = Math.min(was.trustCap, capOf(sources));
  return { trustCap, trustScore: trustOf(was.attribution, trustCap), stale: !sources.every(isStanding) };
}

/** Takes out what a member added, except what another remaining member has too. */
function giveBack(target: EntityRow, { row, detail }: Member, remaining: readonly EntityRow[]): EntityRow {
  const { body } = target;
  const stays = (names: (row: EntityRow) => readonly string[]) => new Set(remaining.flatMap(names));
  const namesOf = (entity: EntityRow) => nameKeys([entity.body.canonicalName, ...entity.body.aliases]);
  const staying = stays(namesOf);
  const brought = new Set(nameKeys(detail?.aliases ?? [row.body.canonicalName, ...row.body.aliases]));
  const leaves = (alias: string) => nameKeys([alias]).some((key) => brought.has(key) && !staying.has(key));
  const without = (own: readonly string[], gone: readonly string[] | undefined, kept: ReadonlySet<string>) =>
    own.filter((name) => !gone?.includes(name) || kept.has(name));
  const isUntyped = detail?.typed === true && body.entityType === row.body.entityType;
  const next: EntityBody = {
    ...body,
    entityType: isUntyped
      ? remaining.find((other) => other.body.entityType !== ENTITY_TYPE_OTHER)?.body.entityType ?? ENTITY_TYPE_OTHER
      : body.entityType,
    aliases: body.aliases.filter((alias) => !leaves(alias)),
    attributes: attributesWithout(body.attributes, row, detail?.attributes ?? [], remaining),
    drawers: without(body.drawers, detail?.drawers, stays((other) => other.body.drawers)),
  };
  return {
    ...target,
    ...saidColumns<EntityBody>(ENTITIES, next, target.status),
    tags: without(target.tags, detail?.tags, stays((other) => other.tags)),
    derivedFrom: without(target.derivedFrom, detail?.derivedFrom, stays((other) => other.derivedFrom)),
  };
}

/** An attribute in `brought` gets the value of a remaining member, or is removed, unless it was changed since. */
function attributesWithout(
  attributes: Readonly<Record<string, unknown>>,
  { body }: EntityRow,
  brought: readonly string[],
  remaining: readonly EntityRow[],
): Record<string, unknown> {
  const next = { ...attributes };
  for (const name of brought) {
    if (!Object.hasOwn(next, name) || canonicalJson(next[name]) !== canonicalJson(body.attributes[name])) continue;
    delete next[name];
    const other = remaining.find((row) => Object.hasOwn(row.body.attributes, name));
    if (other !== undefined) next[name] = other.body.attributes[name];
  }
  return next;
}
