/** Loads a workspace into the hot tier's memory at one clearance: chooses the texts and reads them. */
import type { OperationContext } from "../../context.ts";
import { allowLongStatements } from "../../db/long_statements.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import * as queries from "../../db/queries/hot.ts";
import { readEntityNames, readEntityRoots } from "../../db/queries/named.ts";
import { HotIndex } from "./hot_index.ts";

export interface LoadOptions {
  /** Memory of all workspaces together, estimated. */
  readonly bytesMax: number;
  /** Turns and units of one workspace. */
  readonly unitsMax: number;
  /** Called before the texts are read: whether this many bytes should be spent. If not, nothing is loaded. */
  readonly isWorth: (bytes: number) => boolean;
}

export interface Loaded {
  readonly index: HotIndex;
  /** The feed's place that the index has reached. */
  readonly seq: number;
}

/** No request waits for a load, so its statements may take as long as a busy database needs. */
const LOAD_DEADLINE_MS = 120_000;
/** The longest work without yielding to the event loop. */
const SLICE_MS = 4;
/** Estimated bytes of a text, for before it is read. */
const TEXT_BYTES = 2_500;

/** Reads a workspace's texts into a new index; undefined when they are not worth their memory. */
export async function loadIndex(ctx: OperationContext, options: LoadOptions): Promise<Loaded | undefined> {
  const { unitsMax } = options;
  const half = Math.ceil(unitsMax / 2);
  const read = await ctx.tx(async (tx) => {
    await allowLongStatements(tx, LOAD_DEADLINE_MS);
    // The head comes first: whatever is committed after it appears in the feed again.
    const [seq, sizes] = await Promise.all([readFeedHead(tx), queries.countHotTexts(tx, unitsMax)]);
    const count = Math.min(unitsMax, sizes.units + sizes.turns);
    if (!options.isWorth(count * TEXT_BYTES)) return undefined;
    // Half of the capacity is for units and half for turns; either may use what the other does not need.
    const turnsMax = unitsMax - Math.min(half, sizes.units), someUnits = unitsMax - Math.min(half, sizes.turns);
    const [units, turns, names, roots] = await Promise.all([
      queries.readHotUnits(tx, Math.ceil(unitsMax / 4), someUnits),
      queries.readHotTurns(tx, turnsMax),
      readEntityNames(tx, { limit: 2 * unitsMax }),
      readEntityRoots(tx, { limit: unitsMax }),
    ]);
    return { seq, units, turns, names, roots };
  }, { readOnly: true, deadlineMs: LOAD_DEADLINE_MS, signal: ctx.signal });
  if (read === undefined) return undefined;
  const index = new HotIndex();
  index.names.renewEntities([], read.names);
  index.names.renewRoots([], read.roots);
  await putAll(ctx, index, chooseRows(read.units, read.turns, options));
  return { index, seq: read.seq };
}

/** Chooses the rows that fit: pinned ones first, then used ones, then the latest; units and turns alternate. */
function chooseRows(
  units: readonly queries.HotRow[],
  turns: readonly queries.HotRow[],
  { bytesMax, unitsMax }: LoadOptions,
): queries.HotRow[] {
  const worth = (row: queries.HotRow) => (row.pinned ? 2 : row.useCount > 0 ? 1 : 0);
  const time = (row: queries.HotRow) => (row.updatedAt ?? row.createdAt).getTime();
  const sides = [
    units.toSorted((a, b) => worth(b) - worth(a) || time(b) - time(a) || b.docNo - a.docNo),
    turns.toSorted((a, b) => b.docNo - a.docNo),
  ];
  const chosen: queries.HotRow[] = [];
  let bytes = 0;
  for (let place = 0; place < Math.max(...sides.map((side) => side.length)); place++) {
    for (const side of sides) {
      const row = side[place];
      if (row === undefined) continue;
      // The postings of a text take about as many bytes as the text.
      bytes += 2 * row.text.length + 2_000;
      if (chosen.length >= unitsMax || bytes > bytesMax) return chosen;
      chosen.push(row);
    }
  }
  return chosen;
}

/** Puts rows into an index, and yields to the event loop now and then so that requests are served in between. */
export async function putAll(ctx: OperationContext, index: HotIndex, rows: queries.HotRow[]): Promise<void> {
  const slice = new Slice();
  for (const row of rows.sort((a, b) => a.docNo - b.docNo)) {
    index.put(row);
    if (await slice.pause()) ctx.deps.stopping.throwIfAborted();
  }
}

/** Yields to the event loop during long work. */
class Slice {
  #end = performance.now() + SLICE_MS;

  /** Yields if it is time to. @returns whether it did */
  async pause(): Promise<boolean> {
    if (performance.now() < this.#end) return false;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#end = performance.now() + SLICE_MS;
    return true;
  }
}
