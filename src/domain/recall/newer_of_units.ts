/** What was said later about the matters of units that no question found: those of a profile, or one that is read. */
import type { OperationContext } from "../../context.ts";
import { readUnitResults, type ResultRow } from "../../db/queries/recall.ts";
import type { RowFilter } from "../../db/queries/recall_filters.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { type Kind, KINDS } from "../../schema/common.ts";
import type { SoughtUnits } from "../../schema/knowledge_unit.ts";
import type { NewerStatement } from "../../schema/recall.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import { countTokens, TokenBudget } from "../common/tokens.ts";
import { type BitsCache, bitsCacheOf } from "./bits_cache.ts";
import { pointToNewer } from "./newer.ts";
import { readNewer } from "./newer_rows.ts";
import { toResult } from "./results.ts";

const ALL_KINDS = Object.keys(KINDS) as Kind[];

/**
 * Finds the newer statements of units in force, as far as the transaction's clearance sees them and they hold now.
 * @param docs the numbers of the units' texts
 * @param most pointers; the strongest are kept
 * @returns by the units' ids
 */
export async function findNewerOf(
  tx: Tx,
  docs: readonly number[],
  { bits, most }: { readonly bits: BitsCache; readonly most: number },
): Promise<ReadonlyMap<string, NewerStatement>> {
  if (docs.length === 0) return new Map();
  const rows = inForceAt(tx.now);
  const shown = (await readUnitResults(tx, docs, rows)).map((row) => ({ text: toText(row), result: toResult(row) }));
  const source = await readNewer(tx, shown, { kinds: ALL_KINDS, rows }, { bits, query: undefined, toText });
  const pointed = pointToNewer(shown, source, { rows, budget: new TokenBudget(undefined), most });
  return new Map(pointed.flatMap(({ result: { id, newer } }) => newer === undefined ? [] : [[id, newer] as const]));
}

/** Adds to units that were read by their ids what was said later about their matters. */
export async function addNewerOf(ctx: OperationContext, units: SoughtUnits): Promise<SoughtUnits> {
  const ids = units.data.flatMap(({ id, type }) => type === "fact" ? [id] : []);
  if (ids.length === 0) return units;
  const bits = bitsCacheOf(ctx.deps);
  const newer = await ctx.tx(async (tx) => {
    const rows = await findUnits(tx, ids);
    return await findNewerOf(tx, rows.map(({ docNo }) => docNo), { bits, most: rows.length });
  }, { readOnly: true });
  const data = units.data.map((one) => {
    const later = newer.get(one.id);
    return later === undefined ? one : { ...one, newer: later };
  });
  return { ...units, data };
}

/** Everything that holds at a time. */
function inForceAt(asOf: Date): RowFilter {
  return {
    ...{ types: UNIT_TYPES, bare: false, asOf, historic: false, knownAt: null, superseded: false, until: null },
    ...{ byRecording: false, sessionId: null, tags: null, tagsAll: false, from: null, to: null, minTrust: null },
    predicate: null,
  };
}

function toText(row: ResultRow) {
  return {
    ...{ row, docNo: row.docNo, tripleKey: row.tripleKey, result: toResult(row) },
    get tokens() {
      return countTokens(row.text);
    },
  };
}
