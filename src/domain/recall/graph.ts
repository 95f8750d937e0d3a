/**
 * The graph tier: walks from the entities that a query names, over relations and shared mentions, to texts that may
 * share no word with it.
 *
 * Activation spreads from the query's entities. Each step costs (`RELATION_STEP`, `MENTION_STEP`). An entity shares its
 * activation among its edges and texts, so one that is mentioned everywhere adds little; the texts of an entity with
 * more than `HUB_TEXTS` texts are ignored. Every statement is bounded, whatever the graph is like: two round trips, and
 * a third if the walk found something. A query without names costs only the lookup of its words, which travels with the
 * first statements.
 */
import type { Tx } from "../../db/tx.ts";
import { readKnownNames } from "../../db/queries/mentions.ts";
import { type EdgeRow, listEdges } from "../../db/queries/edges.ts";
import * as queries from "../../db/queries/recall_graph.ts";
import { readNames } from "../../language/mentions.ts";
import { pickKnown } from "../../language/name_grams.ts";

/** Entities of one query from which the walk starts. */
export const SEEDS_MAX = 5;
/** Runs of words of a query that are looked up. */
const KEYS_MAX = 128;
/** An entity with more texts than this is a hub: its texts are not walked. */
const HUB_TEXTS = 48;
/** Relations of one unit that are followed, the strongest first. */
const HUB_EDGES = 24;
const EDGES_MAX = 96;
/** Entities from which the second step goes on, the most active first. */
const FRONTIER_MAX = 12;
/** The most texts that the tier offers. */
const TEXTS_MAX = 40;
/**
 * The share of an activation that is left after a step over a relation, and over a text that mentions both entities.
 */
const RELATION_STEP = 0.7;
const MENTION_STEP = 0.25;
/** The greatest share of an entity's activation that one of its texts gets. */
const TEXT_STEP = 0.9;
/** An activation below it is neither followed nor offered. */
const ACTIVATION_MIN = 0.04;

/** How a text was reached. */
export interface GraphStep {
  /** The unit that the step leads from. */
  readonly from: string;
  /** A relation's verb, or `mention`. */
  readonly via: string;
  /** The unit that it leads to; null: the text. */
  readonly to: string | null;
}

export interface GraphHit {
  readonly docNo: number;
  readonly rank: number;
  /** 0 to 1. */
  readonly score: number;
  /** Empty for a text that the query names itself. */
  readonly path: readonly GraphStep[];
}

export interface GraphArm {
  readonly hits: ReadonlyMap<number, GraphHit>;
  /** The words of the query that name the start entities, folded. */
  readonly named: ReadonlySet<string>;
  readonly roundTrips: number;
}

/** The entities that a query names. */
export interface Seeds {
  readonly ids: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** Finds the entities that a query names; the lookup travels with the first statements of a recall. */
export async function findSeeds(tx: Tx, query: string): Promise<Seeds> {
  const names = readSeedNames(query);
  return pickSeeds(names, await readKnownNames(tx, names.keys));
}

/** The names in a query, and the keys by which they are looked up. */
export function readSeedNames(query: string) {
  const { names, grams } = readNames(query);
  const keys = [...new Set([...names.map((name) => name.key), ...grams.map((gram) => gram.key)])].slice(0, KEYS_MAX);
  return { names, grams, keys };
}

/** Picks the entities that have the names of a query, by the rows found for its keys. */
export function pickSeeds(
  { names, grams }: ReturnType<typeof readSeedNames>,
  known: readonly { readonly key: string; readonly entityId: string }[],
): Seeds {
  const book = Map.groupBy(known.toSorted((a, b) => a.entityId < b.entityId ? -1 : 1), (row) => row.key);
  const rows = [...names.flatMap((name) => book.get(name.key) ?? []), ...pickKnown(grams, book).flat()];
  const ids = [...new Set(rows.map((row) => row.entityId))].slice(0, SEEDS_MAX);
  return { ids, words: new Set(rows.filter((row) => ids.includes(row.entityId)).flatMap((row) => row.key.split(" "))) };
}

interface Node {
  activation: number;
  readonly path: readonly GraphStep[];
}

/** One walk: the active units, and the texts that were reached. */
class Walk {
  readonly #nodes = new Map<string, Node>();
  readonly #texts = new Map<number, { score: number; path: readonly GraphStep[] }>();

  constructor(readonly seeds: readonly string[]) {
    for (const id of seeds) this.#nodes.set(id, { activation: 1, path: [] });
  }

  get(id: string): Node | undefined {
    return this.#nodes.get(id);
  }

  /** Activates a unit; several paths to it make it surer. Returns whether it is newly active. */
  reach(id: string, activation: number, path: readonly GraphStep[]): boolean {
    if (activation < ACTIVATION_MIN) return false;
    const node = this.#nodes.get(id);
    if (node === undefined) {
      this.#nodes.set(id, { activation, path });
      return true;
    }
    if (node.path.length > 0) node.activation = join(node.activation, activation);
    return false;
  }

  offer(docNo: number, score: number, path: readonly GraphStep[]): void {
    if (score < ACTIVATION_MIN) return;
    const known = this.#texts.get(docNo);
    // The reported path is the strongest.
    if (known === undefined) this.#texts.set(docNo, { score, path });
    else this.#texts.set(docNo, { score: join(known.score, score), path: known.score >= score ? known.path : path });
  }

  /**
   * Follows edges. The more edges an entity has, the less activation each passes on.
   * @returns the units that became active
   */
  follow(edges: readonly EdgeRow[]): string[] {
    const reached: string[] = [];
    for (const [from, own] of Map.groupBy(edges, (edge) => edge.fromId)) {
      const node = this.get(from);
      if (node === undefined) continue;
      const share = shareOf(own.length);
      for (const { toId, verb, weight, confidence } of own) {
        const activation = node.activation * RELATION_STEP * share * weight * (0.5 + confidence / 2);
        if (this.reach(toId, activation, [...node.path, { from, via: verb, to: toId }])) reached.push(toId);
      }
    }
    return reached;
  }

  /** Reads the texts near entities and, if asked, the other entities that they mention. */
  read(texts: readonly queries.NearText[]): string[] {
    const shared = new Map<string, Map<string, number>>();
    for (const { entityId, docNo, degree, others } of texts) {
      const { activation, path } = this.get(entityId)!;
      this.offer(docNo, activation * TEXT_STEP * shareOf(degree), [...path, {
        from: entityId,
        via: "mention",
        to: null,
      }]);
      for (const other of others) {
        if (other === entityId) continue;
        const counts = shared.get(entityId) ?? new Map<string, number>();
        shared.set(entityId, counts.set(other, (counts.get(other) ?? 0) + 1));
      }
    }
    const degrees = new Map(texts.map((text) => [text.entityId, text.degree]));
    const reached: string[] = [];
    for (const [from, counts] of shared) {
      const { activation, path } = this.get(from)!;
      for (const [to, count] of counts) {
        const step = MENTION_STEP * Math.sqrt(count / degrees.get(from)!);
        if (this.reach(to, activation * step, [...path, { from, via: "mention", to }])) reached.push(to);
      }
    }
    return reached;
  }

  /** The most active of some units. */
  pick(ids: readonly string[], limit: number): string[] {
    const activation = (id: string) => this.get(id)?.activation ?? 0;
    return ids.toSorted((a, b) => activation(b) - activation(a) || (a < b ? -1 : 1)).slice(0, limit);
  }

  hits(): Map<number, GraphHit> {
    const best = [...this.#texts].sort(([a, x], [b, y]) => y.score - x.score || b - a).slice(0, TEXTS_MAX);
    return new Map(best.map(([docNo, { score, path }], i) => [docNo, { docNo, rank: i + 1, score, path }]));
  }
}

function join(a: number, b: number): number {
  return 1 - (1 - a) * (1 - b);
}

/** The share of an activation that each of `degree` neighbours gets. */
function shareOf(degree: number): number {
  return Math.max(1, degree) ** -0.4;
}

/** The texts that mention an entity. */
export interface Mentioning {
  readonly id: string;
  /** The text of the entity itself, if it has one. */
  readonly docNo: number | undefined;
  readonly docs: ReadonlySet<number>;
}

/** The first step of a walk, from the query's entities to the texts that mention them, without the database. */
export function walkMentions({ ids, words: named }: Seeds, mentioning: readonly Mentioning[]): GraphArm {
  const walk = new Walk(ids);
  for (const { id, docNo, docs } of mentioning) {
    if (docNo !== undefined) walk.offer(docNo, 1, []);
    if (docs.size > HUB_TEXTS) continue;
    const score = TEXT_STEP * shareOf(docs.size), path = [{ from: id, via: "mention", to: null }];
    for (const doc of docs) walk.offer(doc, score, path);
  }
  return { hits: walk.hits(), named, roundTrips: 0 };
}

/** Walks from the query's entities; finds nothing if the query names none. */
export async function walkGraph(
  tx: Tx,
  { ids: seeds, words: named }: Seeds,
  asOf: Date,
): Promise<GraphArm | undefined> {
  if (seeds.length === 0) return undefined;
  const walk = new Walk(seeds);
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
  walk: Walk,
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
