/** A relation's members: in the API's form, merged from two relations that say the same, and in the change feed. */
import type { RelationRow, TouchedRelation } from "../../db/queries/relations.ts";
import type { Tx } from "../../db/tx.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import { ServiceError } from "../../errors.ts";
import { Metadata, type Sensitivity } from "../../schema/common.ts";
import type { Relation } from "../../schema/relation.ts";
import { mostSensitive } from "./trust.ts";
import { LINKS_MAX } from "../../schema/unit.ts";

const TAGS_MAX = 50;

/** The resource. Ends that are merged entities are replaced by their survivors. */
export function toRelation(row: RelationRow): Relation {
  const iso = (date: Date | null) => date?.toISOString() ?? null;
  const [source, target] = row.participants;
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    verb: row.verb,
    sourceId: row.isHyper ? null : source!.nodeId,
    targetId: row.isHyper ? null : target!.nodeId,
    participants: row.isHyper ? row.participants.map(({ role, nodeId }) => ({ role, id: nodeId })) : null,
    weight: row.weight,
    confidence: row.confidence,
    attribution: row.attribution,
    trustScore: row.trustScore,
    sensitivity: row.sensitivity,
    stale: row.stale,
    validFrom: iso(row.validFrom),
    validTo: iso(row.validTo),
    evidenceIds: [...row.evidenceIds],
    tags: [...row.tags],
    metadata: row.metadata as Relation["metadata"],
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: row.createdBy,
  };
}

/**
 * Merges a relation with another one that says the same: the greater weight and confidence, the more trusted
 * attribution, the evidence and tags of both, the higher sensitivity, and further members of the metadata. Validity
 * stays. Returns the same row if the other adds nothing. The result may exceed the limits of a relation; see
 * `refuseOverfull`.
 */
export function mergeRelation(row: RelationRow, other: RelationRow): RelationRow {
  const isTrusted = other.trustScore > row.trustScore;
  const merged: RelationRow = {
    ...row,
    weight: Math.max(row.weight, other.weight),
    confidence: Math.max(row.confidence, other.confidence),
    attribution: isTrusted ? other.attribution : row.attribution,
    trustScore: Math.max(row.trustScore, other.trustScore),
    stale: row.stale || other.stale,
    ownSensitivity: mostSensitive(row.ownSensitivity, other.ownSensitivity),
    sensitivity: mostSensitive(row.sensitivity, other.sensitivity),
    evidenceIds: [...new Set([...row.evidenceIds, ...other.evidenceIds])],
    tags: [...new Set([...row.tags, ...other.tags])],
    metadata: { ...other.metadata, ...row.metadata },
  };
  return canonicalJson(said(merged)) === canonicalJson(said(row)) ? row : merged;
}

/** The refusal of a relation that would exceed its limits. */
export function refuseOverfull({ evidenceIds, tags, metadata }: RelationRow): ServiceError | undefined {
  const errors: { path: string; message: string }[] = [];
  const refuse = (path: string, most: string) =>
    errors.push({ path, message: `together with those of the existing relation, more than ${most}` });
  if (evidenceIds.length > LINKS_MAX) refuse("evidenceIds", String(LINKS_MAX));
  if (tags.length > TAGS_MAX) refuse("tags", String(TAGS_MAX));
  if (!Metadata.safeParse(metadata).success) refuse("metadata", "16 KiB");
  if (errors.length === 0) return undefined;
  const message = `Cannot relate: ${
    errors.map(({ path }) => path).join(" and ")
  } would be more than one relation holds`;
  return new ServiceError("validation_failed", message, { errors });
}

/** The members that a new version of a relation may change. */
export function said(row: RelationRow) {
  const { status, weight, confidence, attribution, ownSensitivity, stale, validFrom, validTo, tags, metadata } = row;
  return {
    ...{ status, weight, confidence, attribution, ownSensitivity, stale, metadata },
    evidenceIds: [...row.evidenceIds],
    tags: [...tags],
    validFrom: validFrom?.toISOString() ?? null,
    validTo: validTo?.toISOString() ?? null,
  };
}

/** Records a relation in the feed: its state, never its ends. */
export function recordRelation(
  tx: Tx,
  event: string,
  row: RelationRow,
  sensitivity: Sensitivity = row.sensitivity,
): void {
  tx.record({
    kind: `relation.${event}`,
    resourceType: "relation",
    resourceId: row.id,
    version: row.version,
    sensitivity,
    payload: { status: row.status, verb: row.verb },
  });
}

/** Records in the feed that a change of a unit has changed relations. */
export function recordTouched(tx: Tx, event: string, rows: readonly TouchedRelation[]): void {
  for (const { id: resourceId, version, sensitivity } of rows) {
    tx.record({ kind: `relation.${event}`, resourceType: "relation", resourceId, version, sensitivity });
  }
}
