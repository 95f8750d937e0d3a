/** Finds live facts that say nearly the same as new ones. They are suggested to the caller; nothing is closed. */
import type { Tx } from "../../../db/tx.ts";
import {
  countTexts,
  findFactsByDoc,
  type KnownFact,
  readEmbeddings,
  readPostings,
} from "../../../db/queries/similar_texts.ts";
import { decodePostings, ENTRY_WORDS, PSEUDO_PREFIX } from "../../../retrieval/mod.ts";
import { KINDS } from "../../../schema/common.ts";
import type { PreparedText } from "../../unit/indexing.ts";
import { type FactRow, isLive } from "./fields.ts";
import type { Near } from "./near_index.ts";
import { cosineOf, type Gist, gistOf, nearDuplicateScore, needsVectors } from "./similarity.ts";

/** The facts to compare are found by so many of the rarest words. */
const TERMS_MAX = 6;
/** Words in more facts than this say little and cost much. */
const DF_MAX = 5_000;
/** Postings that are read for all statements together; the rarest words come first. */
const POSTINGS_MAX = 500_000;
/** Facts compared with one statement, and with all of a batch together. */
const CANDIDATES_MAX = 20;
const BATCH_CANDIDATES_MAX = 2_000;

/** A statement that may be a near-duplicate, and the values by which it is compared. */
export interface Statement {
  readonly gist: Gist;
  readonly prepared: PreparedText;
}

export function toStatement(text: string, prepared: PreparedText): Statement {
  return { gist: gistOf(text), prepared };
}

/** A fact that may say nearly the same. */
export interface Candidate {
  readonly known: Pick<KnownFact, "id" | "tripleKey" | "object" | "inferred">;
  readonly gist: Gist;
  /** The cosine of the embeddings, if both exist. */
  readonly cosine: number | undefined;
}

/** Stored live facts that may say nearly the same, for each statement. A batch costs as many round trips as one. */
export async function findCandidates(tx: Tx, statements: readonly Statement[]): Promise<Candidate[][]> {
  const chosen = await chooseTerms(tx, statements);
  const terms = [...new Set(chosen.flat())];
  if (terms.length === 0) return statements.map(() => []);
  const most = Math.max(1, Math.min(CANDIDATES_MAX, Math.floor(BATCH_CANDIDATES_MAX / statements.length)));
  const holders = new Holders(await readPostings(tx, KINDS.fact, terms));
  const docNos = statements.map(({ prepared }, i) =>
    holders.mostShared(chosen[i]!, Math.ceil(Math.min(wordsOf(prepared).length, TERMS_MAX) / 2), most)
  );
  const rows = await findFactsByDoc(tx, [...new Set(docNos.flat())]);
  const known = new Map(
    rows.filter((row) => isLive(row, tx.now)).map((row) => [row.docNo, { row, gist: gistOf(row.text) }]),
  );
  const found = docNos.map((numbers) => numbers.flatMap((docNo) => known.get(docNo) ?? []));
  const vectorOf = await readVectors(tx, statements, found);
  return statements.map(({ prepared: { embedding } }, i) =>
    found[i]!.map(({ row, gist }): Candidate => {
      const vector = vectorOf.get(row.docNo);
      return { known: row, gist, cosine: embedding === null || !vector ? undefined : cosineOf(vector, embedding) };
    })
  );
}

/** Reads embeddings for pairs that words alone do not decide. */
async function readVectors(
  tx: Tx,
  statements: readonly Statement[],
  found: readonly (readonly { readonly row: KnownFact; readonly gist: Gist }[])[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const docNos = new Set(
    statements.flatMap(({ gist, prepared }, i) =>
      prepared.embedding === null
        ? []
        : found[i]!.filter((fact) => needsVectors(gist, fact.gist)).map((fact) => fact.row.docNo)
    ),
  );
  if (docNos.size === 0) return new Map();
  const rows = await readEmbeddings(tx, statements[0]!.prepared.embeddingModel, [...docNos]);
  return new Map(rows.map(({ docNo, vector }) => [docNo, JSON.parse(vector) as number[]]));
}

function wordsOf(prepared: PreparedText): string[] {
  return prepared.analysis.terms.filter((term) => !term.startsWith(PSEUDO_PREFIX));
}

/** The rarest words of each statement that stored facts hold, within the limit on reads for all together. */
async function chooseTerms(tx: Tx, statements: readonly Statement[]): Promise<string[][]> {
  const all = [...new Set(statements.flatMap(({ prepared }) => wordsOf(prepared)))];
  if (all.length === 0) return [];
  const counts = new Map((await countTexts(tx, KINDS.fact, all)).map(({ term, n }) => [term, n]));
  const chosen = statements.map(({ prepared }) =>
    wordsOf(prepared).filter((term) => (counts.get(term) ?? Infinity) <= DF_MAX)
      .sort((a, b) => counts.get(a)! - counts.get(b)!).slice(0, TERMS_MAX)
  );
  let left = POSTINGS_MAX;
  const affordable = new Set(
    [...new Set(chosen.flat())].sort((a, b) => counts.get(a)! - counts.get(b)!)
      .filter((term) => (left -= counts.get(term)!) >= 0),
  );
  return chosen.map((terms) => terms.filter((term) => affordable.has(term)));
}

/** @internal For each term, the texts that hold it, by places in the order of their document numbers. */
export class Holders {
  readonly #docNos: Float64Array;
  readonly #placesOf: ReadonlyMap<string, Uint32Array>;
  readonly #counts: Uint16Array;
  /** Earlier results by terms: many statements of a batch share their rarest words. */
  readonly #found = new Map<string, readonly number[]>();

  constructor(postings: readonly { readonly term: string; readonly entries: Uint8Array }[]) {
    const docsOf = new Map<string, number[]>();
    for (const { term, entries } of postings) {
      const docs = docsOf.get(term) ?? [];
      if (docs.length === 0) docsOf.set(term, docs);
      const words = decodePostings(entries);
      for (let i = 0; i < words.length; i += ENTRY_WORDS) docs.push(words[i]!);
    }
    const all = new Set<number>();
    for (const docs of docsOf.values()) for (const doc of docs) all.add(doc);
    this.#docNos = Float64Array.from(all).sort();
    const placeOf = new Map(Array.from(this.#docNos, (docNo, place) => [docNo, place]));
    this.#placesOf = new Map(
      [...docsOf].map(([term, docs]) => [term, Uint32Array.from(docs, (doc) => placeOf.get(doc)!)]),
    );
    this.#counts = new Uint16Array(this.#docNos.length);
  }

  /**
   * Returns the document numbers of up to `most` texts that hold at least `min` of the terms: those that hold most of them
   * first, the newest first of these.
   */
  mostShared(terms: readonly string[], min: number, most: number): readonly number[] {
    const name = `${min} ${most} ${terms.join(" ")}`;
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const counts = this.#counts.fill(0);
    for (const term of terms) for (const place of this.#placesOf.get(term) ?? []) counts[place]!++;
    const found: number[] = [];
    for (let count = terms.length; count >= Math.max(1, min) && found.length < most; count--) {
      for (let place = counts.length - 1; place >= 0 && found.length < most; place--) {
        if (counts[place] === count) found.push(this.#docNos[place]!);
      }
    }
    this.#found.set(name, found);
    return found;
  }
}

/** The fact among candidates that a fact nearly duplicates; null for none. */
export function pickDuplicate(fact: FactRow, gist: Gist, candidates: readonly Candidate[]): string | null {
  return findBest(fact, gist, candidates)?.id ?? null;
}

/** The candidate that a fact is most alike, with the likeness; the first one of a tie, undefined if none is alike. */
export function findBest(fact: FactRow, gist: Gist, candidates: readonly Candidate[]): Near | undefined {
  let best: Near | undefined;
  for (const { known, gist: other, cosine } of candidates) {
    if (known.id === fact.id || tellsApart(known, fact)) continue;
    const score = nearDuplicateScore(gist, other, cosine);
    if (score > 0 && (best === undefined || score > best.score)) best = { id: known.id, score };
  }
  return best;
}

/**
 * Whether triples tell two facts apart: another subject or predicate, or another object, which conflict detection
 * judges. An inferred triple tells nothing apart here; `differsInValue` compares what the facts claim.
 */
export function tellsApart(known: Candidate["known"], fact: FactRow): boolean {
  if (known.inferred || fact.body.folded.inferred === true) return false;
  return known.tripleKey !== null && fact.tripleKey !== null &&
    (known.tripleKey !== fact.tripleKey || known.object !== fact.body.folded.object);
}
