/**
 * What a query names, in the database: its entities, from which the graph is walked, and the names of units and texts.
 * Every statement is bounded, whatever the graph is like: a walk takes two round trips, and a third if it found something.
 * A query without names costs only the lookup of its words, which travels with the first statements.
 */
import { type EdgeRow, listEdges } from "../../../db/queries/edges.ts";
import { readKnownNames } from "../../../db/queries/mentions.ts";
import * as names from "../../../db/queries/recall_names.ts";
import * as queries from "../../../db/queries/recall_graph.ts";
import type { Tx } from "../../../db/tx.ts";
import { QueryNames } from "../../../retrieval/mod.ts";
import {
  type GraphArm,
  GraphWalk,
  HUB_TEXTS,
  pickSeeds,
  readSeedNames,
  type Seeds,
  shareOf,
  TEXT_STEP,
  TEXTS_MAX,
} from "../search/graph.ts";
import { joinNames, NAMED_TEXTS_MAX, type Naming, type WantedNames } from "../search/named_texts.ts";
import type { RecallRequest } from "../search/request.ts";

/** Relations of one unit that are followed, the strongest first. */
const HUB_EDGES = 24;
const EDGES_MAX = 96;
/** Entities from which the second step goes on, the most active first. */
const FRONTIER_MAX = 12;
/** This many names with the same beginning are checked for misspellings. */
const SIMILAR_MAX = 20_000;

/** Finds the entities that a query names; the lookup travels with the first statements of a recall. */
export async function findSeeds(tx: Tx, query: string): Promise<Seeds> {
  const read = readSeedNames(query);
  return pickSeeds(read, await readKnownNames(tx, read.keys));
}
/** Walks from the query's entities; finds nothing if the query names none. */
export async function walkGraph(
  tx: Tx,
  { ids: seeds, words: named }: Seeds,
  asOf: Date,
): Promise<GraphArm | undefined> {
  if (seeds.length === 0) return undefined;
  const walk = new GraphWalk(seeds);
  const edgesOf = (ids: readonly string[]) => listEdges(tx, ids, { asOf, perNode: HUB_EDGES, limit: EDGES_MAX });
  const [near, edges, own] = await Promise.all([
    queries.readNearTexts(tx, seeds, HUB_TEXTS, true),
    edgesOf(seeds),
    queries.readEntityDocs(tx, seeds),
  ]);
  for (const { docNo } of own) walk.offer(docNo, 1, []);
  const isRelated = new Set(walk.follow(edges));
  const mentioned = walk.read(near);
  const frontier = walk.pick([...isRelated, ...mentioned], FRONTIER_MAX);
  // Relations may join the texts themselves, such as a decision and the fact that it rests on.
  const subjects = near.filter((text) => text.subjectType !== "turn").slice(0, FRONTIER_MAX);
  for (const { entityId, subjectId, degree } of subjects) {
    const { activation, path } = walk.get(entityId)!;
    const step = { from: entityId, via: "mention", to: subjectId };
    walk.reach(subjectId, activation * TEXT_STEP * shareOf(degree), [...path, step]);
  }
  if (frontier.length === 0 && subjects.length === 0) return { hits: walk.hits(), named, roundTrips: 1 };
  const [texts, further, docs] = await Promise.all([
    frontier.length === 0 ? [] : queries.readNearTexts(tx, frontier, HUB_TEXTS, false),
    edgesOf([...frontier.filter((id) => isRelated.has(id)), ...subjects.map((text) => text.subjectId)]),
    queries.readUnitDocs(tx, [...isRelated], edges.map((edge) => edge.relationId), TEXTS_MAX),
  ]);
  walk.read(texts);
  offerUnits(walk, docs, edges);
  const last = walk.pick(walk.follow(further), FRONTIER_MAX);
  if (last.length === 0) return { hits: walk.hits(), named, roundTrips: 2 };
  const [lastTexts, lastDocs] = await Promise.all([
    queries.readNearTexts(tx, last, HUB_TEXTS, false),
    queries.readUnitDocs(tx, last, further.map((edge) => edge.relationId), TEXTS_MAX),
  ]);
  walk.read(lastTexts);
  offerUnits(walk, lastDocs, further);
  return { hits: walk.hits(), named, roundTrips: 3 };
}

/** Offers units that relations lead to, and the evidence for the relations. */
function offerUnits(
  walk: GraphWalk,
  docs: Awaited<ReturnType<typeof queries.readUnitDocs>>,
  edges: readonly EdgeRow[],
): void {
  const byRelation = new Map(edges.map((edge) => [edge.relationId, edge]));
  for (const { id, docNo, relationId } of docs) {
    const edge = relationId === null ? undefined : byRelation.get(relationId);
    const node = walk.get(edge?.toId ?? id);
    if (node === undefined || node.path.length === 0) continue;
    walk.offer(
      docNo,
      node.activation,
      edge === undefined ? node.path : [...node.path, { from: edge.toId, via: "evidence", to: id }],
    );
  }
}

/** The names that a query contains, and the entities that have each name. */
export interface WantedEntities extends WantedNames, names.NameLookup {
  readonly roundTrips: number;
}

/** Looks up which names the query holds, exactly or misspelt, and who has them. */
export async function findWantedNames(
  tx: Tx,
  { query: text, rows: { knownAt } }: RecallRequest,
): Promise<WantedEntities> {
  const query = new QueryNames(text);
  const [exact, held] = await Promise.all([
    names.findNameKeys(tx, query.keys, knownAt),
    names.findHeldStems(tx, query.stems),
  ]);
  const doubtful = query.doubtful(held, exact);
  const slices = query.slices(doubtful);
  const similar = slices.length === 0 ? [] : await names.listNames(tx, slices, knownAt, SIMILAR_MAX);
  const keys = [...new Set([...exact, ...query.findMistaken(similar, doubtful)])];
  const entities = await names.findNamedEntities(tx, keys, knownAt);
  const roundTrips = 1 + Number(slices.length > 0) + Number(keys.length > 0);
  return { query, keys, entities, roundTrips };
}

/** Finds the texts that a query names: the latest ones, and all of those that the ranking reached. */
export async function findNamed(
  tx: Tx,
  wanted: WantedEntities,
  { kinds, rows }: RecallRequest,
  ranked: readonly number[],
): Promise<Naming> {
  const { query, keys } = wanted;
  if (keys.length === 0) return { names: [], docs: new Map() };
  const found = await Promise.all([
    rows.types.length === 0 ? [] : names.findNamedUnits(tx, wanted, rows, NAMED_TEXTS_MAX),
    kinds.includes("turn") ? names.findNamedTurns(tx, wanted, rows, NAMED_TEXTS_MAX) : [],
    names.findNamesOf(tx, ranked, wanted, rows),
  ]);
  return { names: [...new Set(keys.map((key) => query.written(key)))], docs: joinNames(query, found.flat()) };
}
