/**
 * What a search reads, from Postgres or from memory. The search is a generator: each step yields what it reads, and goes
 * on when that has been found. Memory answers at once, so that nothing can change in between; in Postgres, what one step
 * reads travels together.
 */
import type { ResultRow } from "../../../db/queries/recall_results.ts";
import type { NeighbourRow } from "../../../db/queries/recall.ts";
import type { Successor } from "../../../db/queries/recall_slots.ts";
import type {
  CorpusSize,
  Expansion,
  MeaningSource,
  NearText,
  PostingsList,
  Prescored,
  Scale,
  StoredData,
} from "../../../retrieval/mod.ts";
import type { Kind } from "../../../schema/common.ts";
import type { RecallResult, RecallTier } from "../../../schema/recall.ts";
import type { Spoken } from "../../unit/slots.ts";
import type { KnownUnit } from "./current_first.ts";
import type { GraphArm, Seeds } from "./graph.ts";
import type { Naming, WantedNames } from "./named_texts.ts";
import type { RecallRequest } from "./request.ts";

/** What was read, or is still on the way. */
export type Found<T> = T | Promise<T>;

/** Goes on with what was found. */
export function whenFound<A, B>(found: Found<A>, next: (value: A) => Found<B>): Found<B> {
  return found instanceof Promise ? found.then(next) : next(found);
}

/** The postings of terms; a term that no text holds has no lists. */
export type TermLists = Map<string, PostingsList[]>;

/** A period in ms since the epoch; `to` does not belong to it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A unit with a triple. */
export type SpokenUnit = Spoken & { readonly docNo: number };

/** A text that passes the filters, and its place. */
export interface PlacedText {
  readonly data: StoredData;
  /** The session's number; 0 = none. */
  readonly groupNo: number;
  readonly position: number;
}

/** A text as a result shows it. */
export interface ShownText {
  readonly docNo: number;
  readonly tripleKey: string | null;
  readonly row: Pick<ResultRow, "text" | "type" | "sessionId" | "position">;
  /** Without its place in a list. */
  readonly result: RecallResult;
  readonly tokens: number;
}

/** A statement that the reader may see and that passes the filters of the request. */
export interface FilteredStatement {
  readonly docNo: number;
  readonly text: ShownText;
  readonly result: RecallResult;
  /** When it began to hold, or was said, in ms. */
  readonly at: number;
}

/** The links between statements, as far as a request may follow them. */
export interface NewerSource {
  /** `words`: how much of rare words both statements have in common. */
  linksOf(id: string): readonly { readonly id: string; readonly strength: number; readonly words: number }[];
  /** The turn that a citation names. */
  turnOf(sessionId: string, messageId: string): string | undefined;
  find(id: string): FilteredStatement | undefined;
  /** The cosine of a text with the query; undefined: not known. */
  nearness(docNo: number): number | undefined;
}

/** The query's embedding. */
export interface QueryVector {
  readonly vector: Float32Array;
  /** The models whose vectors it may be compared with. */
  readonly models: readonly string[];
  /**
   * The vectors that it is compared with. `all`: those of all texts. `small`: those of all texts in a small workspace,
   * otherwise those of the best candidates that the query's words found.
   */
  readonly reach: "all" | "small";
  /** How cosines with it are read; undefined: not known. */
  readonly scale: Scale | undefined;
  readonly source: MeaningSource;
  /** Makes another text's vector as the query's was made; absent: that would ask a server. */
  readonly embed?: (text: string) => Found<Float32Array | undefined>;
}

/** One request's view of the texts of a workspace: its filters apply to every row. */
export interface Store {
  readonly request: RecallRequest;
  readonly timer: TierTimer;
  /** Postings of the query's terms and of their near spellings. */
  readPostings(terms: readonly string[]): Found<TermLists>;
  readCorpora(): Found<readonly CorpusSize[]>;
  /** Near spellings of each of some terms, which need not be in texts of the kinds that the request asks for. */
  findNearTerms(terms: readonly string[]): Found<readonly Expansion[][]>;
  /** The number of a session; undefined if it is not visible. */
  findGroup(sessionId: string): Found<number | undefined>;
  /** Sessions with turns in one of the spans, the fullest first, each with the position after its last such turn. */
  findDatedGroups(spans: readonly Period[]): Found<ReadonlyMap<number, number>>;
  /** Units of one of the spans, whatever they say. */
  findDatedUnits(spans: readonly Period[]): Found<readonly number[]>;
  /** The entities that the query names. */
  findSeeds(): Found<Seeds>;
  /** Walks from entities to texts. */
  walk(seeds: Seeds): Found<GraphArm | undefined>;
  /** The names in the query. */
  findWantedNames(): Found<WantedNames>;
  /** The latest texts that have these names, and all of those with one of some numbers. */
  findNamed(wanted: WantedNames, docs: readonly number[]): Found<Naming>;
  /** The texts nearest to a vector, of some of the kinds that the request asks for. */
  findNearest(
    query: QueryVector,
    limit: number,
    options: { readonly isSmall: boolean; readonly kinds: readonly Kind[] },
  ): Found<readonly NearText[]>;
  /** The nearest of some texts. */
  compare(query: QueryVector, docs: readonly number[], limit: number): Found<readonly NearText[]>;
  /** The ranker's input for candidates; undefined for those that the filters refuse. */
  readCandidates(candidates: Prescored): Found<(StoredData | undefined)[]>;
  /** Those of some documents, of whatever kind, that pass the filters. */
  readDocuments(docs: readonly number[]): Found<readonly PlacedText[]>;
  /** The successors of documents that the filters refuse, and the units that likely outdate others of some slots. */
  findSuccessors(refused: readonly number[], tripleKeys: readonly string[]): Found<readonly Successor[]>;
  /** The units of each of some slots, the latest first. */
  readSpoken(tripleKeys: readonly string[]): Found<ReadonlyMap<string, readonly SpokenUnit[]>>;
  /** Those of some documents that pass the filters, whole. */
  readTexts(docs: readonly number[]): Found<readonly ShownText[]>;
  /** Pinned units that pass the filters, the latest first. */
  readPinned(limit: number): Found<readonly ShownText[]>;
  /** The newer statements about the matters of results. */
  readNewer(
    shown: readonly { readonly text: ShownText; readonly result: RecallResult }[],
    query: QueryVector | undefined,
  ): Found<NewerSource>;
  /** The turns up to `reach` places before and after some turns. */
  readNeighbours(
    turns: readonly { readonly sessionId: string; readonly position: number }[],
    reach: number,
  ): Found<readonly NeighbourRow[]>;
  /** The columns of a unit that was read; undefined for a turn. */
  unitOf(docNo: number): KnownUnit | undefined;
  /** The triple key of a unit that was read. */
  tripleKeyOf(docNo: number): string | undefined;
}

/** Steps that end with a `T`. Each yields the parts that it reads and is given them in the same order. */
export type Steps<T> = Generator<readonly unknown[], T, readonly unknown[]>;

type Values<Parts extends readonly unknown[]> = { -readonly [K in keyof Parts]: Awaited<Parts[K]> };

/** One step: reads all parts. */
export function* all<const Parts extends readonly unknown[]>(parts: Parts): Steps<Values<Parts>> {
  return (yield parts) as Values<Parts>;
}

/** One step with one part. */
export function* one<T>(part: Found<T>): Steps<T> {
  return (yield [part])[0] as T;
}

/** Runs steps over memory. */
export function runNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

/** Runs steps over a database. @param onTrip is called for each round trip */
export async function runLater<T>(steps: Steps<T>, onTrip?: () => void): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    if (step.value.some((part) => part instanceof Promise)) onTrip?.();
    step = steps.next(await Promise.all(step.value));
  }
  return step.value;
}

export interface TierReport {
  readonly tier: RecallTier;
  readonly candidates: number;
  /** The tier's own time. */
  readonly durationMs: number;
  /** From its first piece of work to its last, on the clock of `performance.now()`. */
  readonly span: { readonly startedMs: number; readonly endedMs: number };
}

/** Adds up how long each tier took, and from when to when. */
export class TierTimer {
  readonly #times = new Map<RecallTier, { durationMs: number; startedMs: number; endedMs: number }>();
  readonly #counts = new Map<RecallTier, number>();
  #last = performance.now();

  /** Assigns the time since the last lap to a tier. */
  lap(tier: RecallTier): void {
    const started = this.#last;
    this.#last = performance.now();
    this.add(tier, started, this.#last);
  }

  /** Adds a period to a tier that runs in parallel to the others. */
  add(tier: RecallTier, startedMs: number, endedMs: number): void {
    const before = this.#times.get(tier);
    this.#times.set(tier, {
      durationMs: (before?.durationMs ?? 0) + endedMs - startedMs,
      startedMs: before?.startedMs ?? startedMs,
      endedMs,
    });
  }

  /** Times a read. One that is still on the way runs in parallel to what the laps measure. */
  time<T>(tier: RecallTier, read: () => T | Promise<T>): T | Promise<T> {
    const started = performance.now();
    const found = read();
    if (found instanceof Promise) {
      return found.then((value) => {
        this.add(tier, started, performance.now());
        return value;
      });
    }
    const ended = performance.now();
    this.add(tier, started, ended);
    this.#last += ended - started;
    return found;
  }

  count(tier: RecallTier, candidates: number): void {
    this.#counts.set(tier, candidates);
  }

  /** Reports the tiers that took part. */
  report(): TierReport[] {
    return (["lexical", "semantic", "graph", "temporal"] as const).flatMap((tier) => {
      const time = this.#times.get(tier);
      if (time === undefined) return [];
      const { durationMs, ...span } = time;
      return [{
        tier,
        candidates: this.#counts.get(tier) ?? 0,
        durationMs: Math.round(durationMs * 1_000) / 1_000,
        span,
      }];
    });
  }
}
