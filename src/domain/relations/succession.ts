/**
 * Carries out relations `supersedes`: between two facts, or two decisions, the source supersedes the target, which
 * comes back into force when the relation is archived. Between other units, and in a hyperedge, it is an ordinary
 * relation.
 */
import type { OperationContext } from "../../context.ts";
import type { RelationRow } from "../../db/queries/relations.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { Verb } from "../../schema/relation.ts";
import { rulesOf, type SuccessionRules } from "../unit/rules.ts";

interface Pair {
  readonly rules: SuccessionRules;
  readonly old: UnitRow;
  readonly by: UnitRow;
}

/** The units of a relation that supersedes; null if it changes neither. */
function pairOf(units: ReadonlyMap<string, UnitRow>, sourceId: string, targetId: string): Pair | null {
  const [by, old] = [units.get(sourceId), units.get(targetId)];
  if (by === undefined || old === undefined || by.type !== old.type) return null;
  const rules = rulesOf(old.type).succession;
  return rules === undefined ? null : { rules, old, by };
}

async function readPair(tx: Tx, { verb, isHyper, participants }: RelationRow): Promise<Pair | null> {
  if (verb !== "supersedes" || isHyper) return null;
  const idOf = (role: string) => participants.find((end) => end.role === role)!.nodeId;
  const ids = [idOf("source"), idOf("target")] as const;
  const units = await findUnits(tx, ids);
  return pairOf(new Map(units.map((unit) => [unit.id, unit])), ...ids);
}

/** Takes the locks of units that relations are about to supersede, before their rows are locked. */
export async function lockSuccessions(
  tx: Tx,
  relations: readonly { readonly verb: Verb; readonly sourceId?: string; readonly targetId?: string }[],
): Promise<void> {
  const named = relations.flatMap(({ verb, sourceId, targetId }) =>
    verb === "supersedes" && sourceId !== undefined && targetId !== undefined ? [[sourceId, targetId] as const] : []
  );
  if (named.length === 0) return;
  const units = new Map((await findUnits(tx, [...new Set(named.flat())])).map((unit) => [unit.id, unit]));
  const pairs = named.flatMap((ids) => pairOf(units, ...ids) ?? []);
  for (const [rules, own] of Map.groupBy(pairs, (pair) => pair.rules)) {
    await rules.lock(tx, own.flatMap(({ old, by }) => [old, by]));
  }
}

/** Takes the locks of the units that a stored relation supersedes, before their rows are locked. */
export async function lockSuccession(tx: Tx, row: RelationRow): Promise<void> {
  const pair = await readPair(tx, row);
  await pair?.rules.lock(tx, [pair.old, pair.by]);
}

/**
 * Carries out a relation.
 * @throws ServiceError `validation_failed` if the target may not be superseded
 */
export async function succeed(ctx: OperationContext, tx: Tx, row: RelationRow): Promise<void> {
  const pair = await readPair(tx, row);
  if (pair === null) return;
  const { rules, old, by } = pair;
  const reason = `superseded by ${by.id}, as the relation ${row.id} says`;
  await rules.supersede(ctx, tx, { old, by, at: row.validFrom ?? undefined, reason });
}

/** Undoes a relation after it was archived. */
export async function undoSuccession(tx: Tx, row: RelationRow): Promise<void> {
  const pair = await readPair(tx, row);
  if (pair === null) return;
  const { rules, old, by } = pair;
  await rules.reopen(tx, { old, by, reason: `the relation ${row.id}, by which ${by.id} superseded it, was archived` });
}
