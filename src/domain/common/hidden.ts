/**
 * Takes the ids of resources above a reader's clearance out of what the reader is shown of other resources, which may
 * name them because an author with a higher clearance said so, or because they have become more sensitive since.
 */
import type { OperationContext } from "../../context.ts";
import { findIdsAbove } from "../../db/queries/imports.ts";
import { withClearance } from "../../db/enter_workspace.ts";
import type { Tx } from "../../db/tx.ts";
import { findUuids } from "../../schema/uuid.ts";

/**
 * The members by which one resource names others. `entityIds` is none of them: a fact names no entity that is more
 * sensitive, and nearly every recall would have to be checked.
 */
const REFERENCES: ReadonlySet<string> = new Set([
  "dependsOn",
  "derivedFrom",
  "duplicateOf",
  "evidenceIds",
  "factIds",
  "outdatedBy",
  "supersededBy",
  "supersedes",
]);

/** Members whose contents callers supply. */
const FREE_MEMBERS: ReadonlySet<string> = new Set(["attributes", "context", "data", "metadata", "parameters"]);

/**
 * The reply without references to what the reader may not see: taken out of lists, null in other places. A reply without
 * references costs no statement.
 */
export async function hideAbove<T>(ctx: OperationContext, reply: T): Promise<T> {
  if (ctx.maxSensitivity === "restricted") return reply;
  const named = listNamed(reply);
  return named.length === 0 ? reply : await ctx.tx((tx) => hide(tx, reply, named), { readOnly: true });
}

/** Does the same in an open transaction. */
export async function hideAboveIn<T>(tx: Tx, shown: T): Promise<T> {
  if (tx.maxSensitivity === "restricted") return shown;
  const named = listNamed(shown);
  return named.length === 0 ? shown : await hide(tx, shown, named);
}

async function hide<T>(tx: Tx, shown: T, named: readonly string[]): Promise<T> {
  const { maxSensitivity } = tx;
  const hidden = await withClearance(tx, "restricted", (above) => findIdsAbove(above, named, maxSensitivity));
  return hidden.size === 0 ? shown : without(shown, hidden) as T;
}

function listNamed(shown: unknown): string[] {
  const named = new Set<string>();
  collect(shown, named);
  return [...named];
}

function collect(value: unknown, named: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, named);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (REFERENCES.has(name)) { for (const id of idsIn(member)) named.add(id); }
    else if (isReason(value, name, member)) { for (const id of findUuids(member)) named.add(id); }
    else if (!FREE_MEMBERS.has(name) || Array.isArray(member)) collect(member, named);
  }
}

function idsIn(member: unknown): string[] {
  const texts: unknown[] = Array.isArray(member) ? member : [member];
  return texts.flatMap((text) => typeof text === "string" ? findUuids(text) : []);
}

/** Whether the member says why a version was written: the service names there what caused it. */
function isReason(version: object, name: string, member: unknown): member is string {
  return name === "reason" && "event" in version && typeof member === "string";
}

function without(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => without(item, hidden));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (REFERENCES.has(name)) {
        if (Array.isArray(member)) return [[name, member.filter((id) => !hidden.has(id))]];
        if (!hidden.has(member)) return [[name, member]];
        return name === "outdatedBy" ? [] : [[name, null]];
      }
      if (isReason(value, name, member)) {
        return [[
          name,
          findUuids(member).some((id) => hidden.has(id)) ? null : member,
        ]];
      }
      return [[name, !FREE_MEMBERS.has(name) || Array.isArray(member) ? without(member, hidden) : member]];
    }),
  );
}
