/** What makes two relations the same. */
import { createHash } from "node:crypto";
import { type Verb, VERBS } from "../../schema/relation.ts";

/**
 * A text that is equal for relations of the same verb between the same ends in the same roles, in whatever order they
 * are told; where the verb says the same both ways, two ends have no order. The function `relation_identity` of the
 * database makes the same.
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

/** Whether two spans share a moment; a span without an end goes on for ever. */
export function overlap(
  a: { readonly validFrom: Date | null; readonly validTo: Date | null },
  b: { readonly validFrom: Date | null; readonly validTo: Date | null },
): boolean {
  const isBefore = (to: Date | null, from: Date | null) => to !== null && from !== null && to <= from;
  return !isBefore(a.validTo, b.validFrom) && !isBefore(b.validTo, a.validFrom);
}
