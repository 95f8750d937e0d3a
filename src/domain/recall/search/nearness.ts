/** How near texts are in meaning to a query: which vector each is compared with, and which are still to be compared. */
import {
  type CorpusSize,
  isNamed,
  type NearText,
  type Prescored,
  type StoredData,
  toFirstPerson,
} from "../../../retrieval/mod.ts";
import type { Kind } from "../../../schema/common.ts";
import { isSelective } from "./request.ts";
import { type Found, type QueryVector, type Store, whenFound } from "./store.ts";

type Named = Pick<Prescored, "people">;
type Spoken = Pick<StoredData, "speaker">;

/** Texts nearest in meaning that become candidates; more if the filters refuse many. */
export const SEMANTIC_MAX = 60;
const SEMANTIC_SELECTIVE_MAX = 300;
/** Turns nearest to a query in the first person that are looked at: of those behind `SEMANTIC_MAX`, the named people's own. */
export const SAID_MAX = 120;
const OWN_MAX = 20;
/** How many of the best candidates have their vectors compared, when not all vectors are. */
const COMPARED_MAX = 100;

/**
 * The vector by which turns are searched: that of the question as the people would ask it of themselves who are named and
 * take part, because a speaker says "I" and not the own name. The query's own where it names nobody. Units are compared
 * with the query as it is: they name the people whom they are about.
 */
export function inFirstPerson(asked: QueryVector, query: string, { people }: Named): Found<QueryVector> {
  const said = toFirstPerson(query, people);
  if (said === query || asked.embed === undefined) return asked;
  return whenFound(asked.embed(said), (vector) => vector === undefined ? asked : { ...asked, vector });
}

/** The query's vector with the one in the first person at hand, for a search that cannot wait. */
export async function readFirstPerson(asked: QueryVector, query: string, { people }: Named): Promise<QueryVector> {
  const said = toFirstPerson(query, people);
  if (said === query || asked.embed === undefined) return asked;
  const vector = await asked.embed(said);
  return { ...asked, embed: (text) => text === said ? vector : undefined };
}

/**
 * Joins the texts nearest to the query, and the turns nearest to it in the first person.
 * @returns nearest first: those that become candidates, and the turns behind them that do if a named person said them
 */
export function joinNear(asked: readonly NearText[] = [], said: readonly NearText[] = [], isSelective: boolean) {
  const most = isSelective ? said.length : SEMANTIC_MAX;
  const near = [...asked, ...said.slice(0, most)].sort((a, b) => b.similarity - a.similarity || a.docNo - b.docNo);
  return { near, further: said.slice(most) };
}

/** Those of some texts, nearest first, that one of the people said whom the query names. */
export function keepOwn<T extends Spoken>(texts: readonly T[], { people }: Named): T[] {
  const isOwn = (speaker: string) => people.some(({ name }) => isNamed(speaker, name));
  return texts.filter(({ speaker }) => speaker !== undefined && isOwn(speaker)).slice(0, OWN_MAX);
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
  { vector: query, semanticExactMax, kinds, limit: wanted = SEMANTIC_MAX }: {
    readonly vector: QueryVector | undefined;
    readonly semanticExactMax: number;
    readonly kinds: readonly Kind[];
    readonly limit: number | undefined;
  },
) {
  if (query === undefined) return undefined;
  if (kinds.length === 0) return [];
  const limit = isSelective(store.request) ? SEMANTIC_SELECTIVE_MAX : wanted;
  const isSmall = corpora.reduce((sum, { docs }) => sum + docs, 0) <= semanticExactMax;
  if (isSmall || query.reach === "all") return store.findNearest(query, limit, { isSmall, kinds });
  const isOfKinds = (group: number) => group === 0 ? kinds.some((kind) => kind !== "turn") : kinds.includes("turn");
  const docs = [
    ...candidates.docs.filter((doc, i) => doc !== 0 && isOfKinds(candidates.groups[i]!)).slice(0, COMPARED_MAX),
  ];
  return docs.length === 0 ? undefined : store.compare(query, docs, limit);
}
