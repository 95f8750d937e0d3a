/** Shows both versions of a contested item side by side, to a person who decides at the command line. */
import type { OperationContext } from "../../../context.ts";
import { findConflictOfReview } from "../../../db/queries/federation_conflicts.ts";
import { findContents } from "../../../db/queries/federation_contents.ts";
import { findRelations } from "../../../db/queries/relations.ts";
import { findReviewItem } from "../../../db/queries/review_items.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { findUnits } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import { toRelation } from "../../unit/relation_fields.ts";

/** The content of a version, for a person to read. */
type Version = Readonly<Record<string, unknown>>;

/** Both versions of a contested item. */
export interface Contested {
  /** `contradiction`; or `erasure`: the peer erased its copy of an item that began here and asks to erase it here. */
  readonly about: "contradiction" | "erasure";
  /** The peer that published the other version. */
  readonly peer: string;
  /** The version that is shown here; null if it is gone. */
  readonly here: Version | null;
  /** The peer's version; null if its content is not stored here, and for an erasure. */
  readonly there: Version | null;
}

/**
 * Returns both versions of the item that a review of the kind `federation_conflict` is about.
 * @throws ServiceError `not_found`
 */
export async function showContested(ctx: OperationContext, reviewItemId: string): Promise<Contested> {
  return await ctx.tx(async (tx) => {
    const item = await findReviewItem(tx, reviewItemId);
    if (item?.kind !== "federation_conflict") {
      throw new ServiceError("not_found", "Cannot find the review: none about a peer has this id");
    }
    const peer = String(item.detail["writer"]);
    const conflict = await findConflictOfReview(tx, item.id);
    if (conflict === undefined) {
      const [unit] = await findUnits(tx, [item.subjectId]);
      const [relation] = unit === undefined ? await findRelations(tx, [item.subjectId]) : [];
      const here = relation === undefined ? toVersion(unit) : { type: "relation", ...toRelation(relation) };
      return { about: "erasure", peer, here, there: null };
    }
    const { unitId, otherUnitId, origin, writer } = conflict;
    const units = await findUnits(tx, [unitId, ...otherUnitId === null ? [] : [otherUnitId]]);
    const contents = await findContents(tx, [origin]);
    return {
      about: "contradiction",
      peer,
      here: toVersion(units.find(({ id }) => id === unitId)),
      there: toVersion(units.find(({ id }) => id === otherUnitId)) ??
        contents.find((one) => one.writer === writer)?.content ?? null,
    };
  }, { readOnly: true });
}

function toVersion(unit: UnitRow | undefined): Version | null {
  if (unit === undefined) return null;
  const { id, type, version, status, text, attribution, trustScore, sensitivity, updatedAt } = unit;
  return { id, type, version, status, text, attribution, trustScore, sensitivity, updatedAt: updatedAt.toISOString() };
}
