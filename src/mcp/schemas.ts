/** Pieces that several tools share: schemas of arguments, and the text of a unit. */
import { z } from "zod";
import { SupersedeDecisionBody } from "../schema/decision.ts";
import type { KnowledgeUnit } from "../schema/knowledge_unit.ts";

export const UnitId = z.string().describe("Id of a unit, as recall shows it in brackets");
export const When = z.string().max(40).describe("RFC 3339 time or date");

/**
 * A text with the bounds that a member of a resource has, without the words that describe it over HTTP: models pay for
 * each of them.
 */
export function textLike(member: z.ZodType): z.ZodString {
  const { minLength = 0, maxLength } = boundsOf(member);
  if (maxLength === undefined) throw new Error("the member has no bound");
  return z.string().min(minLength).max(maxLength);
}

/** A list of such texts, as long as the member of a resource may be. */
export function textsLike(member: z.ZodType): z.ZodArray<z.ZodString> {
  const { maxItems, items } = boundsOf(member);
  if (maxItems === undefined || typeof items !== "object" || Array.isArray(items)) {
    throw new Error("the list has no bound");
  }
  const { minLength = 0, maxLength } = items;
  return z.array(z.string().min(minLength).max(maxLength!)).max(maxItems);
}

function boundsOf(member: z.ZodType) {
  const isWrapped = member instanceof z.ZodOptional || member instanceof z.ZodDefault;
  const inner = isWrapped ? member.unwrap() as z.ZodType : member;
  return z.toJSONSchema(inner, { io: "input", unrepresentable: "any", metadata: z.registry() });
}

export const Reason = textLike(SupersedeDecisionBody.shape.reason);

/** The content of a unit, in one text. */
export function textOfUnit(unit: KnowledgeUnit): string {
  const { type } = unit;
  if (type === "fact") return unit.statement;
  if (type === "decision") return `${unit.title}: ${unit.decision}`;
  if (type === "entity") return unit.canonicalName;
  if (type === "episode") return unit.title;
  return unit.name;
}
