/**
 * Takes ids out of what a reader is shown of other resources: those of resources above the reader's clearance, which an
 * author with a higher clearance named or which have become more sensitive since, and those of erased resources.
 */
import type { OperationContext } from "../../context.ts";
import { findIdsAbove, findIdsErased } from "../../db/queries/imports.ts";
import { withClearance } from "../../db/enter_workspace.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { findUuids } from "../../schema/uuid.ts";

/**
 * The members by which one resource names others. `entityIds` is none of them: a fact names no entity that is more
 * sensitive, and nearly every recall would have to be checked.
 */
const REFERENCES: ReadonlySet<string> = new Set([
  "dependsOn",
  "derivedFrom",
  "duplicateOf",
  "episodeId",
  "evidenceIds",
  "factIds",
  "outdatedBy",
  "relatedFactIds",
  "supersededBy",
  "supersedes",
]);

/** Members whose contents callers supply. */
const FREE_MEMBERS: ReadonlySet<string> = new Set(["attributes", "context", "data", "metadata", "parameters"]);

/** What is in force now instead of a result is never an erased resource. */
const OF_THE_LIVING: ReadonlySet<string> = new Set(["outdatedBy"]);

/**
 * The reply without references to what the reader may not see or what was erased: taken out of lists, null in other
 * places. A reply without references costs no statement.
 */
export async function hideAbove<T>(ctx: OperationContext, reply: T): Promise<T> {
  const named = listNamed(reply, ctx.maxSensitivity);
  return named.length === 0 ? reply : await ctx.tx((tx) => hide(tx, reply, named), { readOnly: true });
}

/** Does the same in an open transaction. */
export async function hideAboveIn<T>(tx: Tx, shown: T): Promise<T> {
  const named = listNamed(shown, tx.maxSensitivity);
  return named.length === 0 ? shown : await hide(tx, shown, named);
}

async function hide<T>(tx: Tx, shown: T, named: readonly string[]): Promise<T> {
  const { maxSensitivity } = tx;
  const [above, erased] = maxSensitivity === "restricted"
    ? [new Set<string>(), await findIdsErased(tx, named)]
    : await withClearance(tx, "restricted", async (all) => [
      await findIdsAbove(all, named, maxSensitivity),
      await findIdsErased(all, named),
    ]);
  return above.size + erased.size === 0 ? shown : without(shown, above, above.union(erased)) as T;
}

function listNamed(shown: unknown, clearance: Sensitivity): string[] {
  const named = new Set<string>();
  collect(shown, named, clearance === "restricted");
  return [...named];
}

function collect(value: unknown, named: Set<string>, seesAll: boolean): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, named, seesAll);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (seesAll && OF_THE_LIVING.has(name)) continue;
    if (REFERENCES.has(name)) { for (const id of idsIn(member)) named.add(id); }
    else if (!seesAll && isReason(value, name, member)) { for (const id of findUuids(member)) named.add(id); }
    else if (!FREE_MEMBERS.has(name) || Array.isArray(member)) collect(member, named, seesAll);
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

/**
 * @param above the ids for which a reason is left out, because it tells of them
 * @param hidden the ids that no member may name
 */
function without(value: unknown, above: ReadonlySet<string>, hidden: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => without(item, above, hidden));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      if (REFERENCES.has(name)) {
        if (Array.isArray(member)) return [[name, member.filter((id) => !hidden.has(id))]];
        if (!hidden.has(member)) return [[name, member]];
        return name === "outdatedBy" ? [] : [[name, null]];
      }
      if (isReason(value, name, member)) return [[name, findUuids(member).some((id) => above.has(id)) ? null : member]];
      return [[name, !FREE_MEMBERS.has(name) || Array.isArray(member) ? without(member, above, hidden) : member]];
    }),
  );
}
