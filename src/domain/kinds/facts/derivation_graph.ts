/** Decides in memory, for a batch, which sources a restated fact may be made to rest on. */
import type { Tx } from "../../../db/tx.ts";
import { listSourcesBelow } from "../../../db/queries/unit_sources.ts";
import { lockNames } from "../../../db/queries/units.ts";

/** Records which units rest on which, from some units downwards. */
export class DerivationGraph {
  readonly #sources: Map<string, readonly string[]>;

  private constructor(links: readonly { readonly unitId: string; readonly sourceId: string }[]) {
    const byUnit = Map.groupBy(links, (link) => link.unitId);
    this.#sources = new Map([...byUnit].map(([id, list]) => [id, list.map((link) => link.sourceId)]));
  }

  /** Reads the sources of units. Writers that change sources wait for each other here, so that they form no cycle. */
  static async read(tx: Tx, unitIds: readonly string[]): Promise<DerivationGraph> {
    if (unitIds.length === 0) return new DerivationGraph([]);
    await lockNames(tx, ["unit sources"]);
    return new DerivationGraph(await listSourcesBelow(tx, unitIds));
  }

  /**
   * Those of the given units that `unitId` may rest on: neither itself nor any that rests on it.
   */
  without(unitId: string, ids: readonly string[]): string[] {
    return ids.filter((id) => id !== unitId && !this.#rests(id, unitId));
  }

  /** Sets the sources on which a unit rests from now on. */
  put(unitId: string, sourceIds: readonly string[]): void {
    this.#sources.set(unitId, sourceIds);
  }

  #rests(unitId: string, sourceId: string): boolean {
    const seen = new Set([unitId]);
    const open = [unitId];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      for (const source of this.#sources.get(id) ?? []) {
        if (source === sourceId) return true;
        if (!seen.has(source)) {
          seen.add(source);
          open.push(source);
        }
      }
    }
    return false;
  }
}
