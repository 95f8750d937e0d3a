/**
 * Follow-ups: how a change of a unit changes other units. If a unit is invalidated or reinstated, the units that rest on it
 * become stale or fresh; and the rules of each kind may change further units. Every write of the ledger runs them.
 */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitType } from "../../schema/unit.ts";
import { rulesOf, type UnitChange } from "./rules.ts";
import { changesStanding, settleDependants } from "./standing.ts";

/** The changes that the follow-ups made. */
export class Followed {
  readonly #stale: ReadonlySet<string>;
  readonly #revised: ReadonlyMap<string, UnitRow<unknown>>;

  constructor(stale: Iterable<string>, revised: readonly UnitRow<unknown>[]) {
    this.#stale = new Set(stale);
    this.#revised = new Map(revised.map((row) => [row.id, row]));
  }

  /** Returns the row that a unit has after the follow-ups, given the row that was written before them. */
  current<Body>(row: UnitRow<Body>): UnitRow<Body> {
    const latest = (this.#revised.get(row.id) ?? row) as UnitRow<Body>;
    return this.#stale.has(row.id) && !latest.stale ? { ...latest, stale: true } : latest;
  }
}

/**
 * Collects changes whose follow-ups have not run yet. A caller that writes several related units passes one instance to
 * each write and calls `run` after the last write; any other write creates and runs its own.
 */
export class FollowUps {
  #changes: UnitChange[] = [];

  add(changes: readonly UnitChange[]): void {
    this.#changes.push(...changes);
  }

  async run(tx: Tx): Promise<Followed> {
    const changes = this.#changes;
    this.#changes = [];
    return new Followed(await settleStanding(tx, changes), await followKinds(tx, changes));
  }

  /** Only marks dependants stale or fresh. The caller later runs the rules of the kinds by `onNamed`. */
  async runStanding(tx: Tx): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    await settleStanding(tx, changes);
  }
}

/**
 * Marks the units that rest on changed units stale or fresh. Returns those that became stale and that the transaction
 * may see.
 */
async function settleStanding(tx: Tx, changes: readonly UnitChange[]): Promise<readonly string[]> {
  const stored = changes.filter(({ isNew }) => isNew !== true);
  const moved = netChanges(stored).flatMap(({ before, after }) =>
    after !== undefined && changesStanding(before, after) ? [after.id] : []
  );
  return (await settleDependants(tx, moved)).marked;
}

/** Runs the rules of each kind on its changed units. Returns the current rows of the units that the rules revised. */
async function followKinds(tx: Tx, changes: readonly UnitChange[]): Promise<UnitRow<unknown>[]> {
  const revised: UnitRow<unknown>[] = [];
  for (const [type, own] of Map.groupBy(changes, ({ before }): UnitType => before.type)) {
    revised.push(...await rulesOf(type).onChanged?.(tx, own) ?? []);
  }
  return revised;
}

/** Combines the changes of each unit into one, from its first `before` to its last `after`. */
function netChanges(changes: readonly UnitChange[]): UnitChange[] {
  const byUnit = Map.groupBy(changes, ({ before }) => before.id);
  return [...byUnit.values()].map((own) => ({ ...own.at(-1)!, before: own[0]!.before }));
}
