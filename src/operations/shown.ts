/** Finds the resources that a reply shows, which the audit log records for a read. */
import type { OperationContext } from "../context.ts";
import { looksLikeUuid } from "../schema/uuid.ts";

/** Notes for the audit log which resources the reply shows, wherever they are in it. */
export function noteShown({ trail }: OperationContext, body: unknown): void {
  const shown = new Set<string>();
  collectIds(body, shown);
  trail.shown = [...shown];
  trail.shownCount = shown.size;
}

/**
 * Members that are not searched: callers supply their contents, or, in the case of `errors`, they name refused items.
 */
const FREE_MEMBERS = new Set([
  "attributes",
  "context",
  "detail",
  "errors",
  "metadata",
  "parameters",
  "scratchpad",
  "steps",
]);

function collectIds(value: unknown, ids: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collectIds(item, ids);
    return;
  }
  // This repeats the id that a caller asked for: there is no such resource here.
  if ((value as { reason?: unknown }).reason === "not_found") return;
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (name === "id" && typeof member === "string" && looksLikeUuid(member)) ids.add(member);
    // `data` is searched only if it is a list: in a page it holds the rows, in an event the author's content.
    else if (!FREE_MEMBERS.has(name) && (name !== "data" || Array.isArray(member))) collectIds(member, ids);
  }
}
