/** Loads a workspace into the hot tier's memory at one clearance: chooses the texts and reads them. */
import type { OperationContext } from "../../context.ts";
import { allowLongStatements } from "../../db/long_statements.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import * as queries from "../../db/queries/hot.ts";
import { readEntityNames, readEntityRoots } from "../../db/queries/named.ts";
import { storedLinksBelow } from "../../db/queries/newer_links.ts";
import { readLinkPlace } from "../../db/queries/newer_work.ts";
import type { Tx } from "../../db/tx.ts";
import { HotIndex } from "./hot_index.ts";
import { HotRest, type RestRows } from "./hot_rest.ts";
import { loadVectors } from "./hot_vectors.ts";
import { Slices } from "../../pause.ts";

export interface LoadOptions {
  /** The most memory of all workspaces together, estimated. */
  readonly bytesMax: number;
  /** The most turns and units of one workspace. */
  readonly unitsMax: number;
  /** Whether nothing is loaded unless the whole workspace fits. */
  readonly isForWhole: boolean;
  /** Called before the texts are read: whether to spend so many bytes. If not, nothing is loaded. */
  readonly isWorth: (bytes: number) => boolean;
}

export interface Loaded {
  readonly index: HotIndex;
  /** The position in the feed that the index has reached. */
  readonly seq: number;
}

/** No request waits for a load, so its statements may take as long as a busy database needs. */
const LOAD_DEADLINE_MS = 120_000;
/** The longest work without yielding to the event loop. */
const SLICE_MS = 4;
/** Estimated bytes of a text before it is read. */
const TEXT_BYTES = 2_500;

/** Reads a workspace's texts into a new index; undefined if they are not worth their memory. */
export async function loadIndex(ctx: OperationContext, options: LoadOptions): Promise<Loaded | undefined> {
  const { unitsMax } = options;
  const half = Math.ceil(unitsMax / 2);
  const read = await ctx.tx(async (tx) => {
    await allowLongStatements(tx, LOAD_DEADLINE_MS);
    // The head comes first: whatever is committed after it appears in the feed again, and links of earlier texts below the place.
    const [seq, linkPlace, sizes] = await Promise.all([
      readFeedHead(tx),
      readLinkPlace(tx),
      queries.countHotTexts(tx, unitsMax),
    ]);
    const count = Math.min(unitsMax, sizes.units + sizes.turns);
    if (!options.isWorth(count * TEXT_BYTES)) return undefined;
    if (options.isForWhole && sizes.units + sizes.turns >= unitsMax) return undefined;
    // Half of the capacity is for units and half for turns; either may use what the other does not need.
    const turnsMax = unitsMax - Math.min(half, sizes.units), someUnits = unitsMax - Math.min(half, sizes.turns);
    const left = unitsMax - sizes.units - sizes.turns;
    const [units, turns, rest, names, roots] = await Promise.all([
      queries.readHotUnits(tx, Math.ceil(unitsMax / 4), someUnits),
      queries.readHotTurns(tx, turnsMax),
      left > 0 ? readAllRest(tx, left) : undefined,
      readEntityNames(tx, { limit: 2 * unitsMax }),
      readEntityRoots(tx, { limit: unitsMax }),
    ]);
    return { seq, units, turns, rest, names, roots, linkPlace };
  }, { readOnly: true, deadlineMs: LOAD_DEADLINE_MS, signal: ctx.signal });
  if (read === undefined) return undefined;
  const index = new HotIndex();
  index.names.renewEntities([], read.names);
  index.names.renewRoots([], read.roots);
  const { units, turns, rest, linkPlace } = read;
  if (linkPlace > 0) index.links.awaitedBelow = storedLinksBelow(linkPlace);
  const chosen = chooseRows(units, turns, options);
  await putAll(ctx, index, chosen);
  if (rest !== undefined && chosen.length === units.length + turns.length && turns.every(({ bits }) => bits !== null)) {
    const held = new HotRest();
    await putRest(ctx, held, rest);
    if (index.bytes + held.bytes <= options.bytesMax) index.rest = held;
  }
  await loadVectors(ctx, index);
  return { index, seq: read.seq };
}

/** Names of entities that the tier holds for each text. */
const KEYS_PER_TEXT = 4;

/** Reads the part of the index that the tier does not rank; undefined if it has more than `max` texts. */
async function readAllRest(tx: Tx, max: number): Promise<RestRows | undefined> {
  const [units, former, keys] = await Promise.all([
    queries.readRestUnits(tx, { limit: max + 1 }),
    queries.readFormerTexts(tx, { limit: max + 1 }),
    queries.readEntityKeys(tx, { limit: KEYS_PER_TEXT * max + 1 }),
  ]);
  return units.length + former.length > max || keys.length > KEYS_PER_TEXT * max ? undefined : { units, former, keys };
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
  const slices = new Slices(ctx.deps.stopping, SLICE_MS);
  for (const row of rows.sort((a, b) => a.docNo - b.docNo)) {
    index.put(row);
    await slices.yieldIfDue();
  }
}

/** Puts rows that the tier does not rank, and yields to the event loop now and then. */
export async function putRest(ctx: OperationContext, rest: HotRest, { units, former, keys }: RestRows): Promise<void> {
  const slices = new Slices(ctx.deps.stopping, SLICE_MS);
  rest.put({ units: [], former: [], keys });
  for (const row of units) {
    rest.put({ units: [row], former: [], keys: [] });
    await slices.yieldIfDue();
  }
  for (const text of former) {
    rest.put({ units: [], former: [text], keys: [] });
    await slices.yieldIfDue();
  }
}
