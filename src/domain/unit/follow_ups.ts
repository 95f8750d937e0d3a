/**
 * What follows from changes of units beyond the units themselves: what rests on one that was invalidated or reinstated
 * becomes stale or fresh, and each kind does what its rules say. It follows by itself from every write of the ledger.
 */
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitType } from "../../schema/unit.ts";
import { rulesOf, type UnitChange } from "./rules.ts";
import { changesStanding, settleDependants } from "./standing.ts";

/** What the follow-ups did to units. */
export class Followed {
  readonly #stale: ReadonlySet<string>;
  readonly #revised: ReadonlyMap<string, UnitRow<unknown>>;

  constructor(stale: Iterable<string>, revised: readonly UnitRow<unknown>[]) {
    this.#stale = new Set(stale);
    this.#revised = new Map(revised.map((row) => [row.id, row]));
  }

  /** A unit that was written before the follow-ups, as it is after them. */
  current<Body>(row: UnitRow<Body>): UnitRow<Body> {
    const latest = (this.#revised.get(row.id) ?? row) as UnitRow<Body>;
    return this.#stale.has(row.id) && !latest.stale ? { ...latest, stale: true } : latest;
  }
}

/**
 * Changes whose follow-ups are still to come. A writer of several units that belong together gives one to each write, and
 * calls `run` when all is written; any other write runs its own.
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

  /** Has follow what concerns standing alone; what the kinds do is asked of them later, by `onNamed`. */
  async runStanding(tx: Tx): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    await settleStanding(tx, changes);
  }
}

/** Returns the units that became stale, as far as the transaction sees them. */
async function settleStanding(tx: Tx, changes: readonly UnitChange[]): Promise<readonly string[]> {
  const stored = changes.filter(({ isNew }) => isNew !== true);
  const moved = netChanges(stored).flatMap(({ before, after }) =>
    after !== undefined && changesStanding(before, after) ? [after.id] : []
  );
  return (await settleDependants(tx, moved)).marked;
}

/** Has each kind do what its rules say about changed units. Returns the units that it revised, as they are now. */
async function followKinds(tx: Tx, changes: readonly UnitChange[]): Promise<UnitRow<unknown>[]> {
  const revised: UnitRow<unknown>[] = [];
  for (const [type, own] of Map.groupBy(changes, ({ before }): UnitType => before.type)) {
    revised.push(...await rulesOf(type).onChanged?.(tx, own) ?? []);
  }
  return revised;
}

/** Several changes of a unit as one. */
function netChanges(changes: readonly UnitChange[]): UnitChange[] {
  const byUnit = Map.groupBy(changes, ({ before }) => before.id);
  return [...byUnit.values()].map((own) => ({ ...own.at(-1)!, before: own[0]!.before }));
}
