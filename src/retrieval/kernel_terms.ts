/** What the kernel reads of a query: its terms, each with its postings. */

/** One postings list as the kernel reads it. */
export interface KernelList {
  readonly entries: Uint32Array;
  /** Tokens of an average document of its kind. */
  readonly averageLength: number;
}

/** Postings of a related term, and its weight against 1 for the query's term. */
export interface KernelRelated extends KernelList {
  readonly weight: number;
}

/** A scored query term. Weights are final: `idf` and `local` hold the term's weight in the query already. */
export interface KernelTerm {
  readonly exact: readonly KernelList[];
  readonly expansions: readonly { readonly lists: readonly KernelList[]; readonly weight: number }[];
  /** By the lexicon; they count in `related` alone. */
  related: readonly KernelRelated[];
  /** w · idf over the corpus: for BM25 and coverage. */
  idf: number;
  /** w · idf inside the sessions that can matter: for the proximity kernel. */
  local: number;
}
