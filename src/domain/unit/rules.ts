/**
 * What the ledger does differently for units of one type. The ledger stands below the kinds and cannot import them, so
 * the composition root gives it the rules of all of them, once, before anything is written.
 */
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/scope.ts";
import type { UnitType } from "../../schema/unit.ts";

/** What a transaction made of a unit. */
export interface UnitChange<Body = unknown> {
  readonly before: UnitRow<Body>;
  /** Undefined: it was erased. */
  readonly after: UnitRow<Body> | undefined;
}

/** The rules of one type of unit. */
export interface LedgerRules<Body = unknown> {
  /** It has names, by which texts mention it; its body is a `NamedBody`. It mentions nobody itself. Left out: it has none. */
  readonly isNamed?: true;
  /** Members of the body that hold the name of a person, or names of persons. */
  readonly people: readonly (keyof Body & string)[];
  /** Members of the body that hold the name of anything. */
  readonly terms: readonly (keyof Body & string)[];
  /** What else follows when units of the type were changed or erased, in the same transaction. */
  onChanged?(tx: Tx, changes: readonly UnitChange<Body>[]): Promise<void>;
}

/** Rules for any body, for code that does not look into it. */
// deno-lint-ignore no-explicit-any
export type AnyRules = LedgerRules<any>;

let rulesByType: Readonly<Record<UnitType, AnyRules>> | undefined;

/** Gives the ledger the rules of all types. They are constants of the program, the same for every service in the process. */
export function useRules(rules: Readonly<Record<UnitType, AnyRules>>): void {
  rulesByType = rules;
}

export function rulesOf(type: UnitType): AnyRules {
  if (rulesByType === undefined) throw new Error("the ledger was not given the rules of the types of units");
  return rulesByType[type];
}

/** Tells the kinds what became of their units. */
export async function followKinds(tx: Tx, changes: readonly UnitChange[]): Promise<void> {
  for (const [type, own] of Map.groupBy(changes, ({ before }) => before.type)) await rulesOf(type).onChanged?.(tx, own);
}
