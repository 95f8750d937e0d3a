/** How near texts are in meaning to a query: which vector each is compared with, and which are still to be compared. */
import {
  type CorpusSize,
  leaveOutNames,
  moveVector,
  type NearText,
  type Prescored,
  type StoredData,
} from "../../../retrieval/mod.ts";
import type { Kind } from "../../../schema/common.ts";
import { isSelective } from "./request.ts";
import type { QueryVector, Store } from "./store.ts";

/** Texts nearest in meaning that become candidates; more if the filters refuse many. */
export const SEMANTIC_MAX = 60;
const SEMANTIC_SELECTIVE_MAX = 300;
/** How many of the best candidates have their vectors compared, when not all vectors are. */
const COMPARED_MAX = 100;

/**
 * The vector by which turns are searched: the query's without the names of the people who take part, because a speaker
 * does not say their own name. Units are compared with the whole query: they name the people whom they are about.
 */
export function withoutNames(asked: QueryVector, query: string, { people }: Prescored): QueryVector {
  const rest = people.length === 0 ? query : leaveOutNames(query, people);
  if (rest === query) return asked;
  const from = asked.lookUp?.(query), to = asked.lookUp?.(rest);
  return from === undefined || to === undefined ? asked : { ...asked, vector: moveVector(asked.vector, from, to) };
}

/** The candidates whose cosines are still to be read. */
export function listCompared(
  { candidates, stored }: { readonly candidates: Prescored; readonly stored: readonly (StoredData | undefined)[] },
  near: readonly NearText[] = [],
) {
  const known = new Set(near.map(({ docNo }) => docNo));
  const turns: number[] = [], units: number[] = [];
  for (const [i, data] of stored.entries()) {
    if (data !== undefined && !known.has(data.doc)) (candidates.groups[i] === 0 ? units : turns).push(data.doc);
  }
  return { turns, units };
}

/** The texts of some kinds that are nearest to a vector; undefined without one. */
export function findNearOf(
  store: Store,
  corpora: readonly CorpusSize[],
  candidates: Prescored,
  { vector: query, semanticExactMax, kinds }: {
    readonly vector: QueryVector | undefined;
    readonly semanticExactMax: number;
    readonly kinds: readonly Kind[];
  },
) {
  if (query === undefined) return undefined;
  if (kinds.length === 0) return [];
  const limit = isSelective(store.request) ? SEMANTIC_SELECTIVE_MAX : SEMANTIC_MAX;
  const isSmall = corpora.reduce((sum, { docs }) => sum + docs, 0) <= semanticExactMax;
  if (isSmall || query.reach === "all") return store.findNearest(query, limit, { isSmall, kinds });
  const isOfKinds = (group: number) => group === 0 ? kinds.some((kind) => kind !== "turn") : kinds.includes("turn");
  const docs = [
    ...candidates.docs.filter((doc, i) => doc !== 0 && isOfKinds(candidates.groups[i]!)).slice(0, COMPARED_MAX),
  ];
  return docs.length === 0 ? undefined : store.compare(query, docs, limit);
}
