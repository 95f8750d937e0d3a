/** Pieces that several tools share: schemas of arguments, and the text of a unit. */
import { z } from "zod";
import type { KnowledgeUnit } from "../schema/knowledge_unit.ts";

export const UnitId = z.string().describe("Id of a unit, as recall shows it in brackets");
export const When = z.string().max(40).describe("RFC 3339 time or date");
export const Reason = z.string().min(1).max(1_000);

/** The content of a unit, in one text. */
export function textOfUnit(unit: KnowledgeUnit): string {
  const { type } = unit;
  if (type === "fact") return unit.statement;
  if (type === "decision") return `${unit.title}: ${unit.decision}`;
  if (type === "entity") return unit.canonicalName;
  if (type === "episode") return unit.title;
  return unit.name;
}
