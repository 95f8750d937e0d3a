/**
 * Reads a workspace's rows at one clearance and puts them into the hot tier's memory: all when it is loaded, later those
 * that changed. Before a commit of this process, the transaction itself reads what it has written, so that no reader has
 * to follow the feed for it.
 */
import type { OperationContext } from "../../../context.ts";
import { allowLongStatements } from "../../../db/long_statements.ts";
import { readFeedHead } from "../../../db/queries/changes.ts";
import { readVectors, readVectorsOf, type StoredVector } from "../../../db/queries/nearest_texts.ts";
import * as queries from "../../../db/queries/hot.ts";
import { type EntityName, readEntityNames, readEntityRoots } from "../../../db/queries/recall_names.ts";
import { storedLinksBelow } from "../../../db/queries/newer_links.ts";
import { readLinkPlace } from "../../../db/queries/newer_work.ts";
import type { ChangeInput, Tx } from "../../../db/tx.ts";
import { Slices } from "../../../pause.ts";
import type { EmbeddingProvider } from "../../../providers/embeddings.ts";
import { KINDS } from "../../../schema/common.ts";
import { HotIndex } from "./index.ts";

/** What the tier holds of texts without ranking them, of a whole workspace or of some units. */
interface RestRows {
  readonly units: readonly queries.HotRow[];
  readonly former: readonly queries.FormerText[];
  readonly keys: readonly queries.EntityKey[];
}

/** Texts as they are at one moment. */
export interface HotRows {
  /** All that changed; what is not among the rows is gone. */
  readonly ids: readonly string[];
  readonly rows: readonly queries.HotRow[];
  readonly names: readonly EntityName[];
  readonly roots: readonly { readonly sourceId: string; readonly rootId: string }[];
  /** Undefined if the tier does not hold the whole workspace. */
  readonly rest: RestRows | undefined;
  readonly vectors: readonly StoredVector[];
}

/** The ids of what changed, as far as the tier has to read it. */
interface Changed {
  readonly ids: readonly string[];
  readonly turns: readonly string[];
  readonly units: readonly string[];
  readonly entities: readonly string[];
}

interface LoadOptions {
  /** The most memory of all workspaces together, estimated. */
  readonly bytesMax: number;
  /** The most turns and units of one workspace. */
  readonly unitsMax: number;
  /** Whether nothing is loaded unless the whole workspace fits. */
  readonly isForFullRecall: boolean;
  /** Called before the texts are read: whether to spend this many bytes. If not, nothing is loaded. */
  readonly isWorth: (bytes: number) => boolean;
}

interface Loaded {
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
/** Names of entities that the tier holds for each text. */
const KEYS_PER_TEXT = 4;
/** Vectors that one statement reads. */
const VECTORS_MAX = 1_000;
/** How long the tier waits before it looks again for vectors that the embedding worker has made, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/**
 * A transaction with more changes than this is left to the next reader, so that nobody waits for these reads behind the
 * feed's lock.
 */
const WRITTEN_MAX = 32;

/** Reads a workspace's texts into a new index; undefined if they are not worth their memory. */
export async function loadIndex(ctx: OperationContext, options: LoadOptions): Promise<Loaded | undefined> {
  const { bytesMax, unitsMax } = options;
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
    if (options.isForFullRecall && sizes.units + sizes.turns >= unitsMax) return undefined;
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
  const { seq, units, turns, rest, names, roots, linkPlace } = read;
  const index = new HotIndex();
  if (linkPlace > 0) index.links.awaitedBelow = storedLinksBelow(linkPlace);
  const rows = chooseRows(units, turns, options);
  index.isComplete = rest !== undefined && rows.length === units.length + turns.length &&
    turns.every(({ bits }) => bits !== null);
  await putSlowly(ctx, index, { ids: [], rows, names, roots, rest: index.isComplete ? rest : undefined, vectors: [] });
  if (index.bytes > bytesMax) index.dropRest();
  if (ctx.deps.embeddings.inProcess) {
    const docs = index.listDocs();
    for (let at = 0; at < docs.length; at += VECTORS_MAX) {
      await addVectors(ctx, index, docs.slice(at, at + VECTORS_MAX));
    }
  }
  return { index, seq };
}

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

/** What a transaction changed; undefined if that is too much to read before its commit. */
export function listChanged(changes: readonly ChangeInput[]): Changed | undefined {
  if (changes.length > WRITTEN_MAX) return undefined;
  const idsOf = (isWanted: (type: string) => boolean) => [
    ...new Set(changes.filter(({ resourceType }) => isWanted(resourceType)).map(({ resourceId }) => resourceId)),
  ];
  return {
    ids: idsOf((type) => type in KINDS),
    turns: idsOf((type) => type === "turn"),
    units: idsOf((type) => type in KINDS && type !== "turn"),
    entities: idsOf((type) => type === "entity"),
  };
}

/** Reads what changed. All statements are sent at once, because a transaction's COMMIT may go right behind them. */
export async function readRows(
  tx: Tx,
  { ids, turns, units, entities }: Changed,
  { withRest, embeddings }: { readonly withRest: boolean; readonly embeddings: EmbeddingProvider },
): Promise<HotRows> {
  const asked = <T>(list: readonly string[], read: (which: { readonly ids: readonly string[] }) => Promise<T[]>) =>
    list.length === 0 ? [] : read({ ids: list });
  const ofRest = <T>(list: readonly string[], read: (which: { readonly ids: readonly string[] }) => Promise<T[]>) =>
    withRest ? asked(list, read) : [];
  const hasVectors = embeddings.inProcess && turns.length + units.length > 0;
  const [rows, names, roots, others, former, keys, vectors] = await Promise.all([
    queries.readHotRows(tx, { turns, units }),
    asked(entities, (which) => readEntityNames(tx, which)),
    asked(entities, (which) => readEntityRoots(tx, which)),
    ofRest(units, (which) => queries.readRestUnits(tx, which)),
    ofRest(units, (which) => queries.readFormerTexts(tx, which)),
    ofRest(entities, (which) => queries.readEntityKeys(tx, which)),
    hasVectors ? readVectorsOf(tx, { turns, units }, embeddings.comparable) : [],
  ]);
  const rest = withRest ? { units: others, former, keys } : undefined;
  return { ids, rows, names, roots, rest, vectors };
}

/** Puts rows into an index of the same clearance, each in a step. */
function* put(index: HotIndex, read: HotRows, embeddings: EmbeddingProvider): Generator<void, void> {
  const { ids, rows, names, roots, rest, vectors } = read;
  for (const id of ids) index.remove(id);
  index.names.renewEntities(ids, names);
  index.names.renewRoots(ids, roots);
  index.names.renewKeys(ids, rest?.keys ?? []);
  for (const row of rows.toSorted((a, b) => a.docNo - b.docNo)) yield index.put(row);
  // A read from before the tier held the whole workspace is only a part.
  if (rest === undefined) index.dropRest();
  else if (index.isComplete) {
    for (const row of rest.units) yield index.putRest(row);
    for (const text of rest.former) yield void index.putText(text);
  }
  const all = [...rows, ...rest?.units ?? [], ...rest?.former ?? []];
  putVectors(index, all.map(({ docNo }) => docNo), vectors, embeddings);
}

/** Puts rows into an index at once. */
export function putNow(index: HotIndex, rows: HotRows, embeddings: EmbeddingProvider): void {
  for (const _ of put(index, rows, embeddings));
}

/** Puts rows into an index, and yields to the event loop now and then so that requests are served in between. */
export async function putSlowly(ctx: OperationContext, index: HotIndex, rows: HotRows): Promise<void> {
  await new Slices(ctx.deps.stopping, SLICE_MS).do(put(index, rows, ctx.deps.embeddings));
}

/**
 * Puts vectors of texts that an index holds. A text whose vector is still to come is looked up again later. The vectors of
 * an endpoint's model stay in the database, which has an index over them.
 */
function putVectors(
  index: HotIndex,
  docNos: readonly number[],
  found: readonly StoredVector[],
  { current, inProcess }: EmbeddingProvider,
): void {
  if (!inProcess) return;
  for (const docNo of docNos) if (index.index.has(docNo)) index.vectors.expect(docNo);
  for (const { docNo, kind, model, vector } of found) {
    if (index.index.has(docNo)) index.vectors.set(docNo, kind, vector, !current.includes(model));
  }
}

/** Looks for the vectors that an index still expects, now and then, without anybody waiting for it. */
export class VectorLooks {
  #after = 0;

  /** @param ctx not bound to a request */
  lookIfDue(ctx: () => OperationContext, index: HotIndex): void {
    const { expected } = index.vectors;
    if (expected.size === 0 || performance.now() < this.#after) return;
    this.#after = Infinity;
    // The embedding worker, too, begins with the latest texts.
    const latest = [...expected].sort((a, b) => b - a).slice(0, VECTORS_MAX);
    addVectors(ctx(), index, latest).catch(() => {}).finally(() => this.#after = performance.now() + LOOK_AGAIN_MS);
  }
}

async function addVectors(ctx: OperationContext, index: HotIndex, docNos: readonly number[]): Promise<void> {
  const { embeddings } = ctx.deps;
  const found = await ctx.tx((tx) => readVectors(tx, docNos, embeddings.comparable), { readOnly: true });
  putVectors(index, docNos, found, embeddings);
}
