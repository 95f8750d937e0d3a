/** Stores and revises relations that show items. A relation is stored when all its ends are here. */
import {
  findRelations,
  findSurvivors,
  insertRelations,
  lockEnds,
  lockSame,
  type RelationRow,
  updateRelation,
} from "../../../db/queries/relations.ts";
import { lockNames } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import { isCleared, TRUST_SCORES } from "../../../schema/common.ts";
import { type ItemName, writeReference } from "../../../schema/federation_item.ts";
import { VERBS } from "../../../schema/relation.ts";
import { overlap, relationIdentity } from "../../relations/identity.ts";
import { refuseCircle, sensitivityOf } from "../../relations/write.ts";
import { recordRelation } from "../../unit/relation_fields.ts";
import { isStanding } from "../../unit/standing.ts";
import { mostSensitive } from "../../unit/trust.ts";
import { reserveLocalIds } from "../register/item_names.ts";
import { readRelationForm, referencesOf, type SharedForm } from "../register/shared_form.ts";
import type { Receiving } from "./write_adopted_unit.ts";

/** A version of a relation to store; `word` is its content. */
export interface ToldRelation {
  readonly name: ItemName;
  readonly word: SharedForm;
}

/** Makes the row of a relation; undefined while one of its ends is not here, as far as the peer may learn. */
async function draftRelation(
  { ctx, tx, peer, clearance = "restricted" }: Receiving,
  { name, word }: ToldRelation,
  id: string,
  before: RelationRow | undefined,
): Promise<RelationRow | undefined> {
  const ids = await reserveLocalIds(tx, ctx.deps.config.instanceId, referencesOf("relation", word));
  const said = readRelationForm(word, (one) => ids.get(writeReference(one))!);
  const survivors = await findSurvivors(tx, said.ends.map((end) => end.id));
  if (said.ends.some((end) => !survivors.has(end.id))) return undefined;
  const participants = said.ends.map(({ role, id: unitId }) => ({ role, unitId, nodeId: survivors.get(unitId)! }));
  if (new Set(participants.map((end) => end.nodeId)).size < participants.length) {
    throw new ServiceError("validation_failed", "Cannot store the relation: two ends are the same unit here");
  }
  const rows = await lockEnds(tx, [...participants.flatMap((end) => [end.unitId, end.nodeId]), ...said.evidenceIds]);
  const units = new Map(rows.map((unit) => [unit.id, unit]));
  const isVeiled = (id: string) => {
    const unit = units.get(id)!;
    return unit.originInstance !== peer && !isCleared(unit.sensitivity, clearance);
  };
  if (before === undefined && participants.some((end) => isVeiled(end.nodeId))) return undefined;
  const isOurs = name.instance === ctx.deps.config.instanceId;
  const ownSensitivity = mostSensitive(
    said.sensitivity,
    "internal",
    ...isOurs && before !== undefined ? [before.ownSensitivity] : [],
  );
  const time = (text: string | null) => text === null ? null : new Date(text);
  return {
    id,
    version: (before?.version ?? 0) + 1,
    status: said.state,
    verb: said.verb,
    isHyper: said.isHyper,
    identity: relationIdentity(said.verb, said.isHyper, participants),
    weight: said.weight,
    confidence: said.confidence,
    attribution: "federation_received",
    trustScore: TRUST_SCORES.federation_received,
    ownSensitivity,
    sensitivity: sensitivityOf(ownSensitivity, participants.flatMap((end) => units.get(end.nodeId) ?? [])),
    stale: !said.evidenceIds.every((one) => !units.has(one) || isStanding(units.get(one)!)),
    validFrom: time(said.validFrom),
    validTo: time(said.validTo),
    evidenceIds: [...new Set(said.evidenceIds)],
    tags: [...new Set(said.tags)],
    metadata: said.metadata,
    createdAt: before?.createdAt ?? tx.now,
    updatedAt: tx.now,
    createdBy: before?.createdBy ?? tx.actor,
    participants,
  };
}

/**
 * Stores a relation that is seen for the first time; undefined while one of its ends is not here. An active relation
 * that says the same for an overlapping time stands in for it.
 * @throws ServiceError `validation_failed` if it cannot be stored
 */
export async function storeRelation(
  receiving: Receiving,
  told: ToldRelation,
  id: string,
): Promise<{ readonly relation: RelationRow; readonly isStandIn: boolean } | undefined> {
  const { tx } = receiving;
  const row = await draftRelation(receiving, told, id, undefined);
  if (row === undefined) return undefined;
  const standIn = await findSame(receiving, row);
  if (standIn !== undefined) return { relation: standIn, isStandIn: true };
  await insertRelations(tx, [row]);
  recordRelation(tx, "received", row);
  return { relation: row, isStandIn: false };
}

/**
 * Finds another active relation that says the same. Refuses a relation that closes a circle of a verb that allows none.
 */
async function findSame({ tx }: Receiving, row: RelationRow): Promise<RelationRow | undefined> {
  if (row.status !== "active") return undefined;
  await lockNames(tx, [`relation:${row.identity}`, ...(VERBS[row.verb].acyclic ? [`relation:${row.verb}`] : [])]);
  const same = (await lockSame(tx, [row.identity])).find((other) => other.id !== row.id && overlap(other, row));
  if (same !== undefined) return same;
  const refusal = VERBS[row.verb].acyclic ? await refuseCircle(tx, row) : undefined;
  if (refusal !== undefined) throw refusal;
  return undefined;
}

/**
 * Writes a peer's version into a relation, whose ends and verb cannot change.
 * @throws ServiceError `validation_failed` for other ends or another verb, or if an active relation says the same
 * already
 */
export async function reviseRelation(
  receiving: Receiving,
  told: ToldRelation,
  before: RelationRow,
): Promise<RelationRow> {
  const { tx } = receiving;
  const row = await draftRelation(receiving, told, before.id, before);
  if (row === undefined || row.identity !== before.identity) {
    throw new ServiceError("validation_failed", "Cannot store the relation: its ends and its verb do not change");
  }
  if (await findSame(receiving, row) !== undefined) {
    throw new ServiceError("validation_failed", "Cannot store the relation: another one says the same for that time");
  }
  await updateRelation(tx, row);
  recordRelation(tx, "received", row);
  return row;
}

/** Locks a relation and returns its row. */
export async function lockRelation(receiving: Receiving, id: string): Promise<RelationRow | undefined> {
  const [row] = await findRelations(receiving.tx, [id], { lock: true });
  return row;
}
