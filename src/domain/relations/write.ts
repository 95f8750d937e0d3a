/**
 * Writes relations, one or many: `prepareRelations` outside the transaction, `writeRelations` inside, so that other
 * code can combine them with writes of its own.
 */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/relations.ts";
import type { EndRow, RelationRow } from "../../db/queries/relations.ts";
import { lockNames } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import { type Sensitivity, TRUST_SCORES } from "../../schema/common.ts";
import { type CreateRelationBody, VERBS } from "../../schema/relation.ts";
import { mayChange } from "../unit/flow.ts";
import { mostSensitive, requireClaimable, requireClearance } from "../unit/trust.ts";
import { isStanding } from "../unit/standing.ts";
import { mergeRelation, recordRelation, refuseOverfull } from "../unit/relation_fields.ts";
import { overlap, relationIdentity } from "./identity.ts";
import { lockSuccessions, succeed } from "./succession.ts";

/** An end as the caller named it, and its place in the request. */
interface NamedEnd {
  readonly role: string;
  readonly id: string;
  readonly path: string;
}

export interface PreparedRelation {
  readonly body: CreateRelationBody;
  readonly ends: readonly NamedEnd[];
}

export interface Refused {
  readonly refusal: ServiceError;
}

export interface Related {
  readonly isNew: boolean;
  readonly row: RelationRow;
}

/** Checks relations as far as possible without the database, and refuses those that the caller may not state. */
export function prepareRelations(
  ctx: OperationContext,
  bodies: readonly CreateRelationBody[],
): (PreparedRelation | Refused)[] {
  return bodies.map((body) =>
    orRefused(() => {
      requireClaimable(ctx, body.attribution);
      if (body.sensitivity !== undefined) requireClearance(ctx, body.sensitivity);
      const ends = body.participants?.map(({ role, id }, i) => ({ role, id, path: `participants.${i}.id` })) ?? [
        { role: "source", id: body.sourceId!, path: "sourceId" },
        { role: "target", id: body.targetId!, path: "targetId" },
      ];
      return { body, ends };
    })
  );
}

/**
 * Writes prepared relations in order. If one exists already with overlapping validity, it is found instead and takes
 * over what is stronger in the new one. A refused one does not hold up the others.
 */
export async function writeRelations(
  ctx: OperationContext,
  tx: Tx,
  items: readonly (PreparedRelation | Refused)[],
): Promise<(Related | Refused)[]> {
  const prepared = items.flatMap((item) => "refusal" in item ? [] : [item]);
  await lockSuccessions(tx, prepared.map(({ body }) => body));
  const units = await lockUnits(tx, prepared);
  const placed = items.map((item) => "refusal" in item ? item : orRefused(() => place(ctx, tx, item, units)));
  const rows = placed.flatMap((item) => "refusal" in item ? [] : [item]);
  if (rows.length === 0) return placed.flatMap((item) => "refusal" in item ? [item] : []);
  // So concurrent requests for the same relation create one, and two requests cannot close a cycle together.
  await lockNames(
    tx,
    rows.flatMap(({ verb, identity }) => [
      `relation:${identity}`,
      ...(VERBS[verb].acyclic ? [`relation:${verb}`] : []),
    ]),
  );
  const known = await queries.lockSame(tx, rows.map((row) => row.identity));
  return await writeAll(ctx, tx, placed, known);
}

async function writeAll(
  ctx: OperationContext,
  tx: Tx,
  placed: readonly (RelationRow | Refused)[],
  known: readonly RelationRow[],
): Promise<(Related | Refused)[]> {
  const live = new Map(known.map((row) => [row.id, row]));
  const fresh = new Map<string, RelationRow>();
  const changed = new Set<string>();
  const flush = async () => {
    if (fresh.size > 0) await queries.insertRelations(tx, [...fresh.values()]);
    fresh.clear();
  };
  const outcomes: { readonly isNew: boolean; readonly id: string }[] = [];
  const results: (Refused | number)[] = [];
  for (const item of placed) {
    if ("refusal" in item) {
      results.push(item);
      continue;
    }
    const same = [...live.values()].find((row) => row.identity === item.identity && overlap(row, item));
    if (same !== undefined) {
      const merged = mergeRelation(same, item);
      const refusal = (merged === same ? undefined : refuseOverfull(merged)) ?? await refuseSuccession(ctx, tx, same);
      if (refusal !== undefined) {
        results.push({ refusal });
        continue;
      }
      if (merged !== same) live.set(same.id, merged);
      if (merged !== same && !fresh.has(same.id)) changed.add(same.id);
      if (fresh.has(same.id)) fresh.set(same.id, merged);
      results.push(outcomes.push({ isNew: false, id: same.id }) - 1);
      continue;
    }
    if (VERBS[item.verb].acyclic) {
      await flush();
      const refusal = await refuseCircle(tx, item) ?? await refuseSuccession(ctx, tx, item);
      if (refusal !== undefined) {
        results.push({ refusal });
        continue;
      }
    }
    live.set(item.id, item);
    fresh.set(item.id, item);
    recordRelation(tx, "created", item);
    results.push(outcomes.push({ isNew: true, id: item.id }) - 1);
  }
  await flush();
  for (const id of changed) {
    const before = live.get(id)!;
    const row = { ...before, version: before.version + 1, updatedAt: tx.now };
    live.set(id, row);
    await queries.updateRelation(tx, row);
    recordRelation(tx, "corroborated", row);
  }
  return results.map((result) =>
    typeof result === "number" ? { isNew: outcomes[result]!.isNew, row: live.get(outcomes[result]!.id)! } : result
  );
}

/** Carries out a relation `supersedes`, or returns why its target may not be superseded. */
async function refuseSuccession(ctx: OperationContext, tx: Tx, row: RelationRow): Promise<ServiceError | undefined> {
  try {
    await succeed(ctx, tx, row);
    return undefined;
  } catch (error) {
    // The check precedes all writes.
    if (error instanceof ServiceError && error.code === "validation_failed") return error;
    throw error;
  }
}

/** The units that relations name, and the survivors of merged ones, locked against changes. */
async function lockUnits(tx: Tx, items: readonly PreparedRelation[]): Promise<ReadonlyMap<string, EndRow>> {
  const units = new Map<string, EndRow>();
  let ids = [...new Set(items.flatMap(({ body, ends }) => [...body.evidenceIds, ...ends.map((end) => end.id)]))];
  while (ids.length > 0) {
    const found = await queries.lockEnds(tx, ids);
    for (const unit of found) units.set(unit.id, unit);
    ids = [...new Set(found.flatMap((unit) => unit.mergedInto ?? []))].filter((id) => !units.has(id));
  }
  return units;
}

/** The row of a relation between known units. @throws ServiceError `validation_failed` */
function place(
  ctx: OperationContext,
  tx: Tx,
  { body, ends }: PreparedRelation,
  units: ReadonlyMap<string, EndRow>,
): RelationRow {
  requireKnown(units, [...ends, ...body.evidenceIds.map((id, i) => ({ id, path: `evidenceIds.${i}` }))]);
  const survivorOf = (id: string): EndRow => {
    const unit = units.get(id)!;
    return unit.mergedInto === null || !units.has(unit.mergedInto) ? unit : survivorOf(unit.mergedInto);
  };
  const participants = ends.map(({ role, id }) => ({ role, unitId: id, nodeId: survivorOf(id).id }));
  for (const [i, { nodeId }] of participants.entries()) {
    if (participants.findIndex((other) => other.nodeId === nodeId) === i) continue;
    throw new ServiceError("validation_failed", "Cannot create the relation: two ends are the same unit", {
      errors: [{ path: ends[i]!.path, message: "is the same unit as another end" }],
    });
  }
  const own = body.sensitivity ?? "internal";
  const sensitivity = sensitivityOf(own, ends.flatMap(({ id }) => [units.get(id)!, survivorOf(id)]));
  requireClearance(ctx, sensitivity);
  const isHyper = body.participants !== undefined;
  return {
    id: uuidv7(tx.now),
    version: 1,
    status: "active",
    verb: body.verb,
    isHyper,
    identity: relationIdentity(body.verb, isHyper, participants),
    weight: body.weight,
    confidence: body.confidence,
    attribution: body.attribution,
    trustScore: TRUST_SCORES[body.attribution],
    ownSensitivity: own,
    sensitivity,
    stale: body.evidenceIds.some((id) => mayChange(units.get(id)!, { sensitivity }) && !isStanding(units.get(id)!)),
    validFrom: body.validFrom === undefined ? null : new Date(body.validFrom),
    validTo: body.validTo === undefined ? null : new Date(body.validTo),
    evidenceIds: [...new Set(body.evidenceIds)],
    tags: [...new Set(body.tags)],
    metadata: body.metadata,
    createdAt: tx.now,
    updatedAt: tx.now,
    createdBy: tx.actor,
    participants,
  };
}

/** @throws ServiceError `validation_failed` with the place of each id that is unknown or not visible. */
export function requireKnown(
  units: ReadonlyMap<string, unknown>,
  named: readonly { readonly id: string; readonly path: string }[],
): void {
  const errors = named.flatMap(({ id, path }) => units.has(id) ? [] : [{ path, message: "is not known" }]);
  if (errors.length > 0) {
    throw new ServiceError("validation_failed", "Cannot create the relation: it names an unknown unit", { errors });
  }
}

/** A relation is at least as sensitive as each of its ends. */
export function sensitivityOf(own: Sensitivity, ends: readonly { readonly sensitivity: Sensitivity }[]): Sensitivity {
  return mostSensitive(own, ...ends.map((end) => end.sensitivity));
}

/** The refusal of a relation that would close a cycle, for verbs that allow none. */
export async function refuseCircle(tx: Tx, row: RelationRow): Promise<ServiceError | undefined> {
  const nodes = (role: string) => row.participants.filter((end) => end.role === role).map((end) => end.nodeId);
  const [sources, targets] = [nodes("source"), nodes("target")];
  if (sources.length === 0 || targets.length === 0) return undefined;
  const way = await queries.findWay(tx, row.verb, targets, sources, row);
  if (way === "none") return undefined;
  const what = way === "found" ? "it would close a cycle" : "its ends have too many relations to rule out a cycle";
  return new ServiceError("validation_failed", `Cannot create the relation: ${what} of ${row.verb}`, {
    errors: [{ path: row.isHyper ? "participants" : "targetId", message: what }],
  });
}

function orRefused<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) return { refusal: error };
    throw error;
  }
}
