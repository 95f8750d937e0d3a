/** Changes and archives relations. A patch that changes nothing makes no version. */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import type { Tx } from "../../db/tx.ts";
import { lockEnds, lockSame, type RelationRow, updateRelation as queryUpdate } from "../../db/queries/relations.ts";
import { lockNames } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import { TRUST_SCORES } from "../../schema/common.ts";
import { type Relation, type UpdateRelationBody, VERBS } from "../../schema/relation.ts";
import { mayChange } from "../unit/flow.ts";
import { leastSensitive, requireClaimable, requireClearance } from "../unit/trust.ts";
import { isStanding } from "../unit/standing.ts";
import { requireVersion } from "../unit/store.ts";
import { recordRelation, said, toRelation } from "../unit/relation_fields.ts";
import { overlap } from "./identity.ts";
import { requireRelation } from "./read.ts";
import { lockSuccession, succeed, undoSuccession } from "./succession.ts";
import { refuseCircle, requireKnown, sensitivityOf } from "./write.ts";

/**
 * Changes a relation; its ends and its verb are fixed. `status: active` restores an archived one.
 * @throws ServiceError `not_found`, `version_mismatch`, `validation_failed`, `insufficient_scope`; `invalid_transition`
 * when it is archived and stays so; `conflict` when another active relation says the same then
 */
export async function updateRelation(
  ctx: OperationContext,
  id: string,
  body: UpdateRelationBody,
  ifMatch: number | undefined,
): Promise<Relation> {
  if (body.attribution !== undefined) requireClaimable(ctx, body.attribution);
  if (body.sensitivity !== undefined) requireClearance(ctx, body.sensitivity);
  return await ctx.tx((tx) => applyRelationUpdate(ctx, tx, id, body, ifMatch));
}

/** Changes a relation in an open transaction; errors as `updateRelation`. */
export async function applyRelationUpdate(
  ctx: OperationContext,
  tx: Tx,
  id: string,
  body: UpdateRelationBody,
  ifMatch: number | undefined,
): Promise<Relation> {
  const seen = await requireRelation(tx, id);
  if (body.status !== undefined) await lockSuccession(tx, seen);
  const evidence = await lockEnds(tx, [...(body.evidenceIds ?? []), ...seen.participants.map((end) => end.nodeId)]);
  const units = new Map(evidence.map((unit) => [unit.id, unit]));
  const movesInTime = body.status !== undefined || body.validFrom !== undefined || body.validTo !== undefined;
  // The locks keep other relations from saying the same, or closing a cycle, in the meantime.
  if (movesInTime) {
    const { verb, identity } = seen;
    await lockNames(tx, [`relation:${identity}`, ...(VERBS[verb].acyclic ? [`relation:${verb}`] : [])]);
  }
  const row = await requireRelation(tx, id, { lock: true });
  requireVersion(row, ifMatch);
  if (row.status === "archived" && body.status === undefined) {
    throw new ServiceError("invalid_transition", "Cannot change the relation: it is archived");
  }
  requireKnown(
    new Map<string, unknown>([...row.evidenceIds.map((id): [string, undefined] => [id, undefined]), ...units]),
    (body.evidenceIds ?? []).map((id, i) => ({ id, path: `evidenceIds.${i}` })),
  );
  const next = patched(
    row,
    body,
    (ids) => ids.flatMap((id) => units.get(id) ?? []).some((unit) => mayChange(unit, row) && !isStanding(unit)),
  );
  requireSpan(next);
  if (canonicalJson(said(next)) === canonicalJson(said(row))) return toRelation(row);
  if (movesInTime) await requireFree(tx, next);
  const sensitivity = sensitivityOf(next.ownSensitivity, evidence.filter(({ id }) => isEnd(row, id)));
  if (next.status !== row.status) await succeed(ctx, tx, next);
  return toRelation(await writeVersion(tx, row, { ...next, sensitivity }, restoresOrUpdates(row, next)));
}

function patched(
  row: RelationRow,
  body: UpdateRelationBody,
  isFallen: (ids: readonly string[]) => boolean,
): RelationRow {
  const date = (value: string | null | undefined, before: Date | null) =>
    value === undefined ? before : value === null ? null : new Date(value);
  const attribution = body.attribution ?? row.attribution;
  const evidenceIds = body.evidenceIds === undefined ? row.evidenceIds : [...new Set(body.evidenceIds)];
  const keepsUnseen = evidenceIds.some((id) => row.evidenceIds.includes(id)) && row.stale;
  const stale = body.evidenceIds === undefined ? row.stale : isFallen(evidenceIds) || keepsUnseen;
  return {
    ...row,
    status: body.status ?? row.status,
    weight: body.weight ?? row.weight,
    confidence: body.confidence ?? row.confidence,
    attribution,
    trustScore: TRUST_SCORES[attribution],
    ownSensitivity: body.sensitivity ?? row.ownSensitivity,
    stale: body.stale ?? stale,
    validFrom: date(body.validFrom, row.validFrom),
    validTo: date(body.validTo, row.validTo),
    evidenceIds,
    tags: body.tags === undefined ? row.tags : [...new Set(body.tags)],
    metadata: body.metadata ?? row.metadata,
  };
}

function isEnd(row: RelationRow, id: string): boolean {
  return row.participants.some((end) => end.nodeId === id);
}

function restoresOrUpdates(row: RelationRow, next: RelationRow): string {
  return row.status === next.status ? "updated" : "restored";
}

function requireSpan({ validFrom, validTo }: RelationRow): void {
  if (validFrom === null || validTo === null || validFrom <= validTo) return;
  throw new ServiceError("validation_failed", "Cannot change the relation: validTo would be before validFrom", {
    errors: [{ path: "validTo", message: "must not be before validFrom" }],
  });
}

/** @throws ServiceError `conflict` when another active relation says the same at that time, or a cycle would close. */
async function requireFree(tx: Tx, next: RelationRow): Promise<void> {
  const same = (await lockSame(tx, [next.identity])).find((other) => other.id !== next.id && overlap(other, next));
  if (same !== undefined) {
    throw new ServiceError(
      "conflict",
      "Cannot change the relation: another relation already says the same for that time",
      {
        extra: { relationId: same.id },
      },
    );
  }
  const refusal = VERBS[next.verb].acyclic ? await refuseCircle(tx, next) : undefined;
  if (refusal !== undefined) throw refusal;
}

async function writeVersion(tx: Tx, before: RelationRow, row: RelationRow, event: string): Promise<RelationRow> {
  const updatedAt = before.updatedAt > tx.now ? before.updatedAt : tx.now;
  const next = { ...row, version: before.version + 1, updatedAt };
  await queryUpdate(tx, next);
  recordRelation(tx, event, next, leastSensitive(before.sensitivity, next.sensitivity));
  return next;
}

/**
 * Archives a relation: it leaves lists and walks, and can be restored. An archived one is returned as it is.
 * @throws ServiceError `not_found`, `version_mismatch`
 */
export async function archiveRelation(
  ctx: OperationContext,
  id: string,
  ifMatch: number | undefined,
): Promise<Relation> {
  return await ctx.tx((tx) => putRelationAway(tx, id, ifMatch));
}

/** Archives a relation in an open transaction; errors as `archiveRelation`. */
export async function putRelationAway(tx: Tx, id: string, ifMatch: number | undefined): Promise<Relation> {
  await lockSuccession(tx, await requireRelation(tx, id));
  const row = await requireRelation(tx, id, { lock: true });
  requireVersion(row, ifMatch);
  if (row.status === "archived") return toRelation(row);
  const archived = await writeVersion(tx, row, { ...row, status: "archived" }, "archived");
  await undoSuccession(tx, archived);
  return toRelation(archived);
}
