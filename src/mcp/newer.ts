/** What was said later about the matter of a result, as the tools show it. */
import { z } from "zod";
import type { NewerStatement } from "../schema/recall.ts";
import { markedLine } from "./text.ts";

/** It is no verdict. */
export const Newer = z.strictObject({
  id: z.string(),
  text: z.string(),
  at: z.string(),
  ended: z.literal(true).optional(),
});
export type Newer = z.infer<typeof Newer>;

export function toNewer({ id, text, occurredAt: at, ended }: NewerStatement): Newer {
  return { id, text, at, ...(ended && { ended }) };
}

/** Goes on with the line of a result; empty if nothing was said later. */
export function tellNewer(newer: Newer | undefined): string {
  if (newer === undefined) return "";
  const { id, text, at, ended } = newer;
  return `; said later${ended ? ", it has ended" : ""}: ${markedLine(text)} [${id}, ${at.slice(0, 10)}]`;
}
