/** Decides when two relations are the same. */
import { createHash } from "node:crypto";
import { type Verb, VERBS } from "../../schema/relation.ts";

/**
 * A text that is equal for relations of the same verb between the same ends in the same roles, in whatever order they
 * are given; if the verb is symmetric, two ends have no order. The database function `relation_identity` makes the same
 * text.
 */
export function relationIdentity(
  verb: Verb,
  isHyper: boolean,
  ends: readonly { readonly role: string; readonly nodeId: string }[],
): string {
  const isUnordered = !isHyper && VERBS[verb].symmetric;
  const texts = ends.map(({ role, nodeId }) => `${isUnordered ? "end" : role}:${nodeId}`).sort();
  return createHash("md5").update(`${verb}|${texts.join(",")}`).digest("hex");
}

/** Whether two spans share a moment; a span without an end lasts for ever. */
export function overlap(
  a: { readonly validFrom: Date | null; readonly validTo: Date | null },
  b: { readonly validFrom: Date | null; readonly validTo: Date | null },
): boolean {
  const isBefore = (to: Date | null, from: Date | null) => to !== null && from !== null && to <= from;
  return !isBefore(a.validTo, b.validFrom) && !isBefore(b.validTo, a.validFrom);
}
