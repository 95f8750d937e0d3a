/** The inputs of the ranking engine and the output of its first half. See mod.ts for the order of calls. */
import { framesQuestion } from "../query/cues.ts";
import type { QueryPlan } from "../query/plan.ts";
import type { PostingsList } from "../terms/postings.ts";
import type { Expansion } from "../terms/stems.ts";

/** Size of the corpus of one kind of document, as the caller's filters (workspace, clearance, types) see it. */
export interface CorpusSize {
  readonly kind: number;
  readonly docs: number;
  /** Content tokens of all documents. */
  readonly tokens: number;
  /** Sessions; 0 for kinds without. */
  readonly groups: number;
}

/** What the caller has read for a plan. */
export interface PostingsInput {
  readonly corpora: readonly CorpusSize[];
  readonly lists: ReadonlyMap<string, readonly PostingsList[]>;
  /** Substitutes for terms without a match, from `nearTerms`; their lists must be in `lists`. */
  readonly substitutes?: ReadonlyMap<string, readonly Expansion[]>;
  /**
   * Sessions of one of the plan's windows (at most some 50), each with the number of its first turns to lay out. The
   * database and the hot tier give one more than the position of its last turn in a window.
   */
  readonly temporalGroups?: ReadonlyMap<number, number>;
  /** Only these sessions are searched; 0 stands for documents without a session. */
  readonly onlyGroups?: ReadonlySet<number>;
  /** Candidates wanted; default `CANDIDATES`. */
  readonly limit?: number;
}

/** Number of candidates if the caller does not give one. */
export const CANDIDATES = 200;
/** A person of the query who takes part in sessions. */
export interface NamedPerson {
  readonly name: string;
}

/** The weights of the query's words, whether a document holds them or not. */
export interface QueryWeights {
  /** By term of `scored`: its weight times its inverse document frequency. */
  readonly terms: Float64Array;
  /** Bit t: `scored[t]` is capitalised inside a sentence, or quoted. */
  readonly entities: number;
  /** Per sentence with terms: the bits of its scored terms, and the weight of all its terms. */
  readonly sentences: readonly { readonly bits: number; readonly weight: number }[];
  /** Number and total weight of all terms, including those beyond the limit of scored ones. */
  readonly count: number;
  readonly total: number;
  /** The inverse document frequency of a term that one document holds. */
  readonly rarest: number;
}

/** A text that is near to a query in meaning. */
export interface NearText {
  readonly docNo: number;
  /** Cosine, to four decimals. */
  readonly similarity: number;
}

/** What made a question's vector: the table of word pieces, or an encoder. */
export type MeaningSource = "table" | "encoder";

/** How near texts are to the query. */
export interface Meaning {
  readonly source: MeaningSource;
  /** By document number, of the nearest texts and of the candidates: cosine, scaled so that unrelated texts have about 0. */
  readonly nearness: ReadonlyMap<number, number>;
  readonly best: number;
  readonly tenth: number;
  /** The nearness of the last of the nearest, which stands for what was not compared. */
  readonly least: number;
}

/** Candidates in the order of the prescore. Arrays run in parallel; the feature matrix is row-major. */
export interface Prescored {
  readonly plan: QueryPlan;
  readonly people: readonly NamedPerson[];
  /** Terms that were scored, and those that no document holds. */
  readonly scored: readonly string[];
  readonly unknown: readonly string[];
  readonly size: number;
  /** Document numbers; 0 for a neighbour without a match, of which only the place (group, position) is known. */
  readonly docs: Uint32Array;
  readonly groups: Uint32Array;
  readonly positions: Uint32Array;
  /** Bit t: the document contains the term `scored[t]`. */
  readonly matched: Uint32Array;
  /** The same for the turns within three of it; for documents without a session the same as `matched`. */
  readonly nearby: Uint32Array;
  /** What the query's words weigh. */
  readonly query: QueryWeights;
  /** `size` × `FEATURE_COUNT`; the stored features are still 0. */
  readonly features: Float32Array;
  /** The texts nearest in meaning; absent: nothing is known of meaning. */
  readonly meaning?: Meaning;
}

/**
 * The times of a document in ms since the epoch: when it happened (`occurredAt`), and the period
 * for which it holds. The time at which it was recorded is not among them.
 */
export interface DocumentTimes {
  readonly occurredAt?: number | undefined;
  readonly validFrom?: number | undefined;
  readonly validTo?: number | undefined;
}

/** Data that is stored with a document beside its postings; read only for candidates. */
export interface StoredData extends DocumentTimes {
  readonly doc: number;
  /** Who wrote it: a turn's `name`, as given. */
  readonly speaker?: string;
  /** Whether an assistant wrote it. */
  readonly isAssistant?: boolean;
  /** See `DocBits` in text.ts. */
  readonly bits: number;
}

type Matched = Pick<Prescored, "plan" | "scored" | "unknown" | "query">;

/** The weight of the scored terms whose bits are set. */
export function weighTerms(weights: Float64Array, bits: number): number {
  let sum = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) sum += weights[31 - Math.clz32(rest & -rest)];
  return sum;
}

/** The bits of the scored terms of which some document holds the term or a substitute. */
export function knownBits({ scored, unknown }: Matched): number {
  const missing = new Set(unknown);
  return scored.reduce((bits, term, t) => missing.has(term) ? bits : bits | 1 << t, 0);
}

/** The terms of a query that do more than frame it, or all if there are no others: in "Tell me about Zenith" that is Zenith. */
export class TellingTerms {
  readonly #weights: Float64Array;
  readonly #bits: number;
  readonly #weight: number;

  /** @param of terms that no text has do not count: `known`; or they do: `asked` */
  constructor(candidates: Matched, of: "known" | "asked" = "asked") {
    const { plan, scored, query } = candidates;
    const counted = of === "known" ? knownBits(candidates) : scored.reduce((bits, _, t) => bits | 1 << t, 0);
    const framing = new Set(plan.terms.filter(({ word }) => framesQuestion(word)).map(({ term }) => term));
    this.#weights = query.terms;
    this.#bits = scored.reduce((bits, term, t) => framing.has(term) ? bits & ~(1 << t) : bits, counted) || counted;
    this.#weight = weighTerms(query.terms, this.#bits);
  }

  /** What the terms weigh whose bits are set, as a share of all. */
  share(bits: number): number {
    return this.#weight > 0 ? weighTerms(this.#weights, bits & this.#bits) / this.#weight : 0;
  }
}
