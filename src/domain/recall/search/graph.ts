/**
 * The graph tier: walks from the entities that a query names, over relations and shared mentions, to texts that may
 * share no word with it.
 *
 * Activation spreads from the query's entities. Each step costs (`RELATION_STEP`, `MENTION_STEP`). An entity shares its
 * activation among its edges and texts, so one that is mentioned everywhere adds little; the texts of an entity with
 * more than `HUB_TEXTS` texts are ignored. Pure: `database/entities.ts` reads what the walk
 * goes over.
 */
import type { EdgeRow } from "../../../db/queries/edges.ts";
import type { TextNearEntity } from "../../../db/queries/recall_graph.ts";
import { readNames } from "../../../language/name_finder.ts";
import { pickKnown } from "../../../language/name_grams.ts";

/** Entities of one query from which the walk starts. */
export const SEEDS_MAX = 5;
/** Runs of words of a query that are looked up. */
const KEYS_MAX = 128;
/** An entity with more texts than this is a hub: its texts are not walked. */
export const HUB_TEXTS = 48;
/** The most texts that the tier offers. */
export const TEXTS_MAX = 40;
/**
 * The share of an activation that is left after a step over a relation, and over a text that mentions both entities.
 */
const RELATION_STEP = 0.7;
const MENTION_STEP = 0.25;
/** The greatest share of an entity's activation that one of its texts gets. */
export const TEXT_STEP = 0.9;
/** An activation below it is neither followed nor offered. */
const ACTIVATION_MIN = 0.04;

/** How a text was reached. */
interface GraphStep {
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
export class GraphWalk {
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
  read(texts: readonly TextNearEntity[]): string[] {
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
export function shareOf(degree: number): number {
  return Math.max(1, degree) ** -0.4;
}

/** The texts that mention an entity. */
interface Mentioning {
  readonly id: string;
  /** The text of the entity itself, if it has one. */
  readonly docNo: number | undefined;
  readonly docs: ReadonlySet<number>;
}

/** The first step of a walk, from the query's entities to the texts that mention them, without the database. */
export function walkMentions({ ids, words: named }: Seeds, mentioning: readonly Mentioning[]): GraphArm {
  const walk = new GraphWalk(ids);
  for (const { id, docNo, docs } of mentioning) {
    if (docNo !== undefined) walk.offer(docNo, 1, []);
    if (docs.size > HUB_TEXTS) continue;
    const score = TEXT_STEP * shareOf(docs.size), path = [{ from: id, via: "mention", to: null }];
    for (const doc of docs) walk.offer(doc, score, path);
  }
  return { hits: walk.hits(), named, roundTrips: 0 };
}
