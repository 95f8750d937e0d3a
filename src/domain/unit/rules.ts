/**
 * What the ledger does differently for units of one type. The ledger stands below the kinds and cannot import them, so
 * the composition root gives it the rules of all of them, once, before anything is written.
 */
import type { UnitRow, VersionNote } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitType } from "../../schema/unit.ts";

/** What happened to a unit, and whose decision it was. */
export interface ChangeNote extends VersionNote {
  /** The review item whose decision this is; who decided closes it. */
  readonly reviewItemId?: string | undefined;
}

/** What a transaction made of a unit that was there, or of one that it had made. */
export interface UnitChange<Body = unknown> {
  readonly before: UnitRow<Body>;
  /** Undefined: it was erased. */
  readonly after: UnitRow<Body> | undefined;
  readonly note: ChangeNote;
  /** The transaction itself has made it, so that nothing rests on it. */
  readonly isNew?: boolean;
}

/** Units of one type that a file names. */
export interface NamedByFile {
  /** Those that have more than one version in it. */
  readonly ids: readonly string[];
  /** Those that it says were erased. */
  readonly erasedIds: readonly string[];
}

/** The rules of one type of unit. */
export interface LedgerRules<Body = unknown> {
  /** It has names, by which texts mention it; its body is a `NamedBody`. It mentions nobody itself. Left out: it has none. */
  readonly isNamed?: true;
  /** Members of the body that hold the name of a person, or names of persons. */
  readonly people: readonly (keyof Body & string)[];
  /** Members of the body that hold the name of anything. */
  readonly terms: readonly (keyof Body & string)[];
  /** What archiving a unit changes besides its state. */
  whenArchived?(unit: UnitRow<Body>, now: Date): { readonly body: Body };
  /**
   * What else follows in the same transaction when units of the type were changed or erased. Returns the units that it
   * revised, as they are now.
   */
  onChanged?(tx: Tx, changes: readonly UnitChange<Body>[]): Promise<readonly UnitRow<Body>[]>;
  /**
   * The same for units that a file names, asked once all of it is written, whether it changed them or found them changed:
   * an import that was broken off may have done so. Doing it again changes nothing.
   */
  onNamed?(tx: Tx, named: NamedByFile): Promise<void>;
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
