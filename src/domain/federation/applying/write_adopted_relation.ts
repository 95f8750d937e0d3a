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
import type { AdoptingTransaction } from "./write_adopted_unit.ts";

/** A version of a relation to store. */
export interface PeerRelation {
  readonly name: ItemName;
  readonly content: SharedForm;
}

/** Makes the row of a relation; undefined while one of its ends is not here, as far as the peer may learn. */
async function draftRelation(
  { ctx, tx, peer, clearance = "restricted" }: AdoptingTransaction,
  { name, content }: PeerRelation,
  id: string,
  before: RelationRow | undefined,
): Promise<RelationRow | undefined> {
  const ids = await reserveLocalIds(tx, ctx.deps.config.instanceId, referencesOf("relation", content));
  const authored = readRelationForm(content, (one) => ids.get(writeReference(one))!);
  const survivors = await findSurvivors(tx, authored.ends.map((end) => end.id));
  if (authored.ends.some((end) => !survivors.has(end.id))) return undefined;
  const participants = authored.ends.map(({ role, id: unitId }) => ({ role, unitId, nodeId: survivors.get(unitId)! }));
  if (new Set(participants.map((end) => end.nodeId)).size < participants.length) {
    throw new ServiceError("validation_failed", "Cannot store the relation: two ends are the same unit here");
  }
  const rows = await lockEnds(tx, [
    ...participants.flatMap((end) => [end.unitId, end.nodeId]),
    ...authored.evidenceIds,
  ]);
  const units = new Map(rows.map((unit) => [unit.id, unit]));
  const isVeiled = (id: string) => {
    const unit = units.get(id)!;
    return unit.originInstance !== peer && !isCleared(unit.sensitivity, clearance);
  };
  if (before === undefined && participants.some((end) => isVeiled(end.nodeId))) return undefined;
  const isOurs = name.instance === ctx.deps.config.instanceId;
  const ownSensitivity = mostSensitive(
    authored.sensitivity,
    "internal",
    ...isOurs && before !== undefined ? [before.ownSensitivity] : [],
  );
  const time = (text: string | null) => text === null ? null : new Date(text);
  return {
    id,
    version: (before?.version ?? 0) + 1,
    status: authored.state,
    verb: authored.verb,
    isHyper: authored.isHyper,
    identity: relationIdentity(authored.verb, authored.isHyper, participants),
    weight: authored.weight,
    confidence: authored.confidence,
    attribution: "federation_received",
    trustScore: TRUST_SCORES.federation_received,
    ownSensitivity,
    sensitivity: sensitivityOf(ownSensitivity, participants.flatMap((end) => units.get(end.nodeId) ?? [])),
    stale: !authored.evidenceIds.every((one) => !units.has(one) || isStanding(units.get(one)!)),
    validFrom: time(authored.validFrom),
    validTo: time(authored.validTo),
    evidenceIds: [...new Set(authored.evidenceIds)],
    tags: [...new Set(authored.tags)],
    metadata: authored.metadata,
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
  receiving: AdoptingTransaction,
  version: PeerRelation,
  id: string,
): Promise<{ readonly relation: RelationRow; readonly isStandIn: boolean } | undefined> {
  const { tx } = receiving;
  const row = await draftRelation(receiving, version, id, undefined);
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
async function findSame({ tx }: AdoptingTransaction, row: RelationRow): Promise<RelationRow | undefined> {
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
  receiving: AdoptingTransaction,
  version: PeerRelation,
  before: RelationRow,
): Promise<RelationRow> {
  const { tx } = receiving;
  const row = await draftRelation(receiving, version, before.id, before);
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
export async function lockRelation(receiving: AdoptingTransaction, id: string): Promise<RelationRow | undefined> {
  const [row] = await findRelations(receiving.tx, [id], { lock: true });
  return row;
}
