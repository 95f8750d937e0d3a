/**
 * What goes into the engine and comes out of its first half. See mod.ts for the order of calls.
 */

import type { DocumentTimes } from "./dates.ts";
import type { Expansion, QueryPlan } from "./query.ts";

/** Size of the corpus of one kind of document, as the caller's filters (workspace, clearance, types) see it. */
export interface CorpusSize {
  readonly kind: number;
  readonly docs: number;
  /** Content tokens of all documents. */
  readonly tokens: number;
  /** Sessions; 0 for kinds without. */
  readonly groups: number;
}

/** Postings of one term and kind; a term may have several lists (batches). Order within and between lists is free. */
export interface PostingsList {
  readonly kind: number;
  /** Decoded entries, see postings.ts. */
  readonly entries: Uint32Array;
  /** True document frequency where `entries` was capped; absent: `entries` is complete. */
  readonly df?: number;
}

/** Whether a list is of documents without a session: all lists of a kind are, or none is. */
export function isOfUnits({ entries }: PostingsList): boolean {
  return entries.length > 0 && entries[1] === 0;
}

/** What the caller read for a plan. */
export interface PostingsInput {
  readonly corpora: readonly CorpusSize[];
  readonly lists: ReadonlyMap<string, readonly PostingsList[]>;
  /** Substitutes for terms without a match, from `nearTerms`; their lists must be in `lists`. */
  readonly substitutes?: ReadonlyMap<string, readonly Expansion[]>;
  /** Sessions whose time lies in one of the plan's windows → number of their turns (at most some 50 sessions). */
  readonly temporalGroups?: ReadonlyMap<number, number>;
  /** Only these sessions (0 = documents without a session) are looked at. */
  readonly onlyGroups?: ReadonlySet<number>;
  /** Candidates wanted; default `CANDIDATES`. */
  readonly limit?: number;
}

/** Candidates of a query when the caller does not say. */
export const CANDIDATES = 200;
/** A person of the query who takes part in sessions. */
export interface NamedPerson {
  readonly name: string;
}

/** What the words of a query weigh, whether a document holds them or not. */
export interface QueryWeights {
  /** By term of `scored`: its weight times its inverse document frequency. */
  readonly terms: Float64Array;
  /** Bit t: `scored[t]` is capitalised inside a sentence, or quoted. */
  readonly entities: number;
  /** By sentence of the query that has terms: bits of the scored ones, and the weight of all of them. */
  readonly sentences: readonly { readonly bits: number; readonly weight: number }[];
  /** Terms, and their weight together; also of those beyond the number that is scored. */
  readonly count: number;
  readonly total: number;
  /** The inverse document frequency of a term that one document holds. */
  readonly rarest: number;
}

/** Candidates in the order of the prescore. Arrays run in parallel; the feature matrix is row-major. */
export interface Prescored {
  readonly plan: QueryPlan;
  readonly people: readonly NamedPerson[];
  /** Terms that were scored, and those that no document holds. */
  readonly scored: readonly string[];
  readonly unknown: readonly string[];
  readonly size: number;
  /** Document numbers; 0 where only the place is known: a neighbour without a match, at (group, position). */
  readonly docs: Uint32Array;
  readonly groups: Uint32Array;
  readonly positions: Uint32Array;
  /** Bit t: the document contains the term `scored[t]`. */
  readonly matched: Uint32Array;
  /** The same for what stands within three turns of it; of documents without a session: as `matched`. */
  readonly nearby: Uint32Array;
  /** What the query's words weigh. */
  readonly query: QueryWeights;
  /** `size` × `FEATURE_COUNT`; the stored features are still 0. */
  readonly features: Float32Array;
}

/** What is stored with a document beside its postings, and read for candidates only. */
export interface StoredData extends DocumentTimes {
  readonly doc: number;
  /** Who wrote it: a turn's `name`, as given. */
  readonly speaker?: string;
  /** See `DocBits` in text.ts. */
  readonly bits: number;
}
