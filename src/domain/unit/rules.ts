/**
 * Rules by which the ledger treats units of one type differently. The ledger is a layer below the kinds and cannot import
 * them, so the composition root passes it the rules of all kinds once, before anything is written.
 */
import type { OperationContext } from "../../context.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { VersionNote } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitType } from "../../schema/unit.ts";

/** The event and reason of a change, and the review decision that caused it. */
export interface ChangeNote extends VersionNote {
  /** The review item whose decision causes the change; the code that resolves the item closes it. */
  readonly reviewItemId?: string | undefined;
}

/** A change of a unit, which was stored before the transaction or which the transaction itself created. */
export interface UnitChange<Body = unknown> {
  readonly before: UnitRow<Body>;
  /** Undefined: the unit was erased. */
  readonly after: UnitRow<Body> | undefined;
  readonly note: ChangeNote;
  /** The transaction itself created the unit, so no other unit rests on it yet. */
  readonly isNew?: boolean;
}

/** Units of one type that an import file names. */
export interface NamedByFile {
  /** Ids of units for which the file has a version after the first. */
  readonly ids: readonly string[];
  /** Ids of units that the file lists as erased. */
  readonly erasedIds: readonly string[];
}

/** A unit that takes the place of another one of its type because a relation says so. */
export interface Succession<Body = unknown> {
  /** The unit that is to be superseded; not locked yet. */
  readonly old: UnitRow<Body>;
  readonly by: UnitRow<Body>;
  /** When the old one ceases to hold; undefined: when the other one began to, as far as that is known, else now. */
  readonly at: Date | undefined;
  readonly reason: string;
}

/** What a relation `supersedes` does between two units of a type. */
export interface SuccessionRules<Body = unknown> {
  /** Takes the locks that writers of such units take before they lock rows. */
  lock(tx: Tx, units: readonly UnitRow<Body>[]): Promise<void>;
  /**
   * Supersedes the old unit; one that the other has superseded already stays as it is.
   * @throws ServiceError `validation_failed` with the path `targetId` or `sourceId`
   */
  supersede(ctx: OperationContext, tx: Tx, succession: Succession<Body>): Promise<void>;
  /** Brings the old unit back into force if the other one still is what superseded it. */
  reopen(tx: Tx, succession: Omit<Succession<Body>, "at">): Promise<void>;
}

/** The rules of one type of unit. */
export interface LedgerRules<Body = unknown> {
  /**
   * Units of the type have names, by which texts mention them; their bodies are `NamedBody`s, and they mention no other
   * units. Left out: the units have no names.
   */
  readonly isNamed?: true;
  /** Later ones may say something newer about the same matter: they are linked; see `newer.ts`. Left out: they are not. */
  readonly isStatement?: true;
  /** Members of the body that hold the unit's names: a query names it by these, its aliases and its tags. */
  readonly called: readonly (keyof Body & string)[];
  /** Members of the body that hold the name of a person, or names of persons. */
  readonly people: readonly (keyof Body & string)[];
  /** Members of the body that hold the name of anything. */
  readonly terms: readonly (keyof Body & string)[];
  /** Left out: such units have no successors, and a relation `supersedes` changes neither of its ends. */
  readonly succession?: SuccessionRules<Body>;
  /** Returns what archiving changes in a unit besides its status. */
  whenArchived?(unit: UnitRow<Body>, now: Date): { readonly body: Body };
  /**
   * Runs the follow-ups of changed or erased units of the type in the same transaction. Returns the current rows of the
   * units that it revised.
   */
  onChanged?(tx: Tx, changes: readonly UnitChange<Body>[]): Promise<readonly UnitRow<Body>[]>;
  /**
   * Does the same for units that an import file names, after the whole file is written. It is also called for units that
   * this import did not change, because an earlier import that was interrupted may have changed them. It is idempotent.
   */
  onNamed?(tx: Tx, named: NamedByFile): Promise<void>;
}

/** Rules with any type of body, for code that does not read the body. */
// deno-lint-ignore no-explicit-any
export type AnyRules = LedgerRules<any>;

let rulesByType: Readonly<Record<UnitType, AnyRules>> | undefined;

/**
 * Sets the ledger's rules of all types. They are constants of the program, the same for every service in the process.
 */
export function useRules(rules: Readonly<Record<UnitType, AnyRules>>): void {
  rulesByType = rules;
}

export function rulesOf(type: UnitType): AnyRules {
  if (rulesByType === undefined) throw new Error("the ledger was not given the rules of the types of units");
  return rulesByType[type];
}
