/** The support of a unit: the sources that bound its trust, and the evidence that supports it. */
import type { Tx } from "../../db/tx.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import { capOf } from "./trust.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { mayChange } from "./flow.ts";
import { isStanding } from "./standing.ts";
import { requireNamed } from "./store.ts";

/** Visible units by id, locked against changes while another unit comes to rest on them. */
export async function findSources(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, UnitRow>> {
  const rows = ids.length === 0 ? [] : await findUnits(tx, [...new Set(ids)], { lock: "share" });
  return new Map(rows.map((row) => [row.id, row]));
}

export interface Resting {
  readonly id: string;
  readonly derivedFrom: readonly string[];
  readonly trustCap: number;
  readonly stale: boolean;
  readonly sensitivity: Sensitivity;
}

/**
 * The support of a unit whose sources or evidence are replaced; undefined leaves them unchanged. The cap can only fall:
 * removing a weak source from the list does not make the unit stronger. Present sources may stay although the caller
 * does not see them.
 * @throws ServiceError `validation_failed` for an id that is unknown, not visible, or the unit's own.
 */
export function supportOf(
  unit: Resting,
  named: ReadonlyMap<string, UnitRow>,
  next: { readonly derivedFrom?: readonly string[] | undefined; readonly evidenceIds?: readonly string[] | undefined },
  evidence: readonly string[] = [],
): Pick<Resting, "derivedFrom" | "trustCap" | "stale"> {
  const { derivedFrom, trustCap, stale } = unit;
  if (next.derivedFrom === undefined && next.evidenceIds === undefined) return { derivedFrom, trustCap, stale };
  const knownFrom = (ids: readonly string[]) => {
    const known = new Map<string, UnitRow | undefined>(ids.map((id) => [id, undefined]));
    for (const [id, row] of named) known.set(id, row);
    known.delete(unit.id);
    return known;
  };
  const sources = requireNamed(knownFrom(derivedFrom), next.derivedFrom ?? derivedFrom, "derivedFrom");
  const supporting = requireNamed(knownFrom(evidence), next.evidenceIds ?? evidence, "evidenceIds");
  const all = [...sources, ...supporting];
  const visible = all.filter((source) => source !== undefined);
  return {
    derivedFrom: [...new Set(next.derivedFrom ?? derivedFrom)],
    trustCap: Math.min(trustCap, capOf(sources.filter((source) => source !== undefined))),
    stale: !visible.filter((source) => mayChange(source, unit)).every(isStanding) ||
      (visible.length < all.length && stale),
  };
}
