/** The shared form of a relation between items. */
import { z } from "zod";
import type { RelationRow } from "../../../db/queries/relations.ts";
import { Id, Metadata, Sensitivity, Share, Tags, Timestamp } from "../../../schema/common.ts";
import { checkInput, invalidInput } from "../../../schema/field_errors.ts";
import { RelationStatus, Verb } from "../../../schema/relation.ts";
import { Ids } from "../../../schema/unit.ts";
import type { ReferencePath } from "../../transfer/references.ts";

const ENDS_MIN = 2;
const ENDS_MAX = 16;

/** The form of a relation, with the local ids of its ends. */
const RelationForm = z.strictObject({
  state: RelationStatus,
  sensitivity: Sensitivity,
  confidence: Share,
  tags: Tags,
  metadata: Metadata,
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
  verb: Verb,
  isHyper: z.boolean(),
  weight: Share,
  ends: z.array(z.strictObject({ role: z.string().min(1).max(64), id: Id })).min(ENDS_MIN).max(ENDS_MAX),
  evidenceIds: Ids,
}).refine((said) => said.validFrom === null || said.validTo === null || said.validFrom <= said.validTo, {
  message: "must not be before validFrom",
  path: ["validTo"],
}).refine((said) => new Set(said.ends.map((end) => end.id)).size === said.ends.length, {
  message: "must be different units",
  path: ["ends"],
}).refine((said) => said.isHyper ? said.ends.length > ENDS_MIN : isBinary(said.ends), {
  message: "must be a source and a target, or three and more participants",
  path: ["ends"],
});
export type SaidRelation = z.infer<typeof RelationForm>;

function isBinary(ends: readonly { readonly role: string }[]): boolean {
  return ends.length === ENDS_MIN && ends[0]!.role === "source" && ends[1]!.role === "target";
}

/** The paths at which a relation's form names items. */
export const RELATION_REFERENCES: readonly ReferencePath[] = [["ends", "*", "id"], ["evidenceIds", "*"]];

/**
 * Returns the shared form of a relation.
 * @param write makes the reference for a local id
 */
export function relationForm(row: RelationRow, write: (id: string) => string) {
  return {
    state: row.status,
    // This is the sensitivity that counts: at least that of each end.
    sensitivity: row.sensitivity,
    confidence: row.confidence,
    tags: [...new Set(row.tags)].sort(),
    metadata: row.metadata,
    validFrom: row.validFrom?.toISOString() ?? null,
    validTo: row.validTo?.toISOString() ?? null,
    verb: row.verb,
    isHyper: row.isHyper,
    weight: row.weight,
    ends: row.participants.map(({ role, unitId }) => ({ role, id: write(unitId) })),
    evidenceIds: [...new Set(row.evidenceIds.map(write))].sort(),
  };
}

/** Returns the ids of everything that a relation names. */
export function namedByRelation(row: RelationRow): string[] {
  return [...row.participants.map((end) => end.unitId), ...row.evidenceIds];
}

/**
 * Checks the form of a relation, given with local ids, against its schema.
 * @throws ServiceError `validation_failed`
 */
export function readRelation(local: unknown): SaidRelation {
  const { data, faults } = checkInput(RelationForm, local, "unit");
  if (faults) throw invalidInput(faults);
  return data;
}
