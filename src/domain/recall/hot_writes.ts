/**
 * Puts this process's writes into the hot tier at the commit. Before the commit, the transaction reads the rows that it
 * has written, at its own clearance, so that no reader has to follow the feed for them.
 */
import * as queries from "../../db/queries/hot.ts";
import { type EntityName, readEntityNames, readEntityRoots } from "../../db/queries/named.ts";
import type { ChangeInput, Tx } from "../../db/tx.ts";
import { KINDS } from "../../schema/common.ts";
import type { EmbeddingProvider } from "../../providers/embeddings.ts";
import type { HotIndex } from "./hot_index.ts";
import type { RestRows } from "./hot_rest.ts";
import { docNosOf, putVectors, readVectorsOfUnits, type TextVectors } from "./hot_vectors.ts";

/** The texts that a transaction changed, as they are at its end. */
export interface WrittenTexts {
  readonly ids: readonly string[];
  readonly rows: readonly queries.HotRow[];
  readonly names: readonly EntityName[];
  readonly roots: readonly { readonly sourceId: string; readonly rootId: string }[];
  /** Their part of the index that the tier does not rank, if the tier holds the whole workspace. */
  readonly rest: RestRows | undefined;
  readonly vectors: TextVectors;
}

export interface ReadWrittenOptions {
  /** Whether the tier holds the whole workspace. */
  readonly withRest: boolean;
  readonly embeddings: EmbeddingProvider;
}

/**
 * A transaction with more changes than this is left to the next reader, so that nobody waits for these reads behind the
 * feed's lock.
 */
const WRITTEN_MAX = 32;

/** Reads the texts that a transaction has changed; undefined if there are too many. */
export async function readWritten(
  tx: Tx,
  changes: readonly ChangeInput[],
  { withRest, embeddings }: ReadWrittenOptions,
): Promise<WrittenTexts | undefined> {
  if (changes.length > WRITTEN_MAX) return undefined;
  const idsOf = (isWanted: (type: string) => boolean) => [
    ...new Set(changes.filter(({ resourceType }) => isWanted(resourceType)).map(({ resourceId }) => resourceId)),
  ];
  const ids = idsOf((type) => type in KINDS), entities = idsOf((type) => type === "entity");
  const turns = idsOf((type) => type === "turn"), units = idsOf((type) => type in KINDS && type !== "turn");
  // All statements are sent at once, because the transaction's COMMIT goes right behind them.
  const [rows, rest, names, roots, found] = await Promise.all([
    queries.readHotRows(tx, { turns, units }),
    withRest ? readRest(tx, units, entities) : undefined,
    entities.length === 0 ? [] : readEntityNames(tx, { ids: entities }),
    entities.length === 0 ? [] : readEntityRoots(tx, { ids: entities }),
    readVectorsOfUnits(tx, embeddings, { turns, units }),
  ]);
  return { ids, rows, names, roots, rest, vectors: { docNos: docNosOf(rows, rest), found } };
}

/** Reads the part of units' index that the tier does not rank. */
export async function readRest(
  tx: Tx,
  units: readonly string[],
  entities: readonly string[],
): Promise<RestRows> {
  const [others, former, keys] = await Promise.all([
    units.length === 0 ? [] : queries.readRestUnits(tx, { ids: units }),
    units.length === 0 ? [] : queries.readFormerTexts(tx, { ids: units }),
    entities.length === 0 ? [] : queries.readEntityKeys(tx, { ids: entities }),
  ]);
  return { units: others, former, keys };
}

/** Puts the texts that a transaction changed into an index of the same clearance. */
export function applyWritten(
  index: HotIndex,
  { ids, rows, names, roots, rest, vectors }: WrittenTexts,
  embeddings: EmbeddingProvider,
): void {
  for (const id of ids) index.remove(id);
  index.names.renewEntities(ids, names);
  index.names.renewRoots(ids, roots);
  for (const row of rows.toSorted((a, b) => a.docNo - b.docNo)) index.put(row);
  // A read from before the tier held the whole workspace is only a part.
  if (rest === undefined) index.rest = undefined;
  else {
    index.rest?.put(rest);
    index.putLinks(rest.units);
  }
  putVectors(index, vectors, embeddings);
}
