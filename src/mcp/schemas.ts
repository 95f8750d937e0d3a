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
  const { items } = boundsOf(member);
  if (typeof items !== "object" || Array.isArray(items)) throw new Error("the member is no list");
  const { minLength = 0, maxLength } = textOf(items);
  return listLike(member, z.string().min(minLength).max(maxLength!));
}

/** A list of these items, as long as the member of a resource may be. */
export function listLike<Item extends z.ZodType>(member: z.ZodType, item: Item): z.ZodArray<Item> {
  const { minItems = 0, maxItems } = boundsOf(member);
  if (maxItems === undefined) throw new Error("the list has no bound");
  const list = z.array(item).max(maxItems);
  return minItems === 0 ? list : list.min(minItems);
}

/** A whole number with the bounds that a member of a resource has. */
export function intLike(member: z.ZodType): z.ZodInt {
  const { minimum, maximum } = boundsOf(member);
  if (minimum === undefined || maximum === undefined) throw new Error("the number has no bounds");
  return z.int().min(minimum).max(maximum);
}

function boundsOf(member: z.ZodType) {
  const isWrapped = member instanceof z.ZodOptional || member instanceof z.ZodDefault;
  const inner = isWrapped ? member.unwrap() as z.ZodType : member;
  return textOf(z.toJSONSchema(inner, { io: "input", unrepresentable: "any", metadata: z.registry() }));
}

/** Where a text or any JSON is taken, a tool takes the text. */
function textOf(schema: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  const text = schema.anyOf?.find((one) => typeof one === "object" && one.type === "string");
  return typeof text === "object" ? text : schema;
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
