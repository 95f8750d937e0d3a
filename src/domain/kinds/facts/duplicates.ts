/** Finds live facts that say nearly the same as new ones. They are suggested to the caller; nothing is closed. */
import type { Tx } from "../../../db/tx.ts";
import {
  countTexts,
  findFactsByDoc,
  type KnownFact,
  readEmbeddings,
  readPostings,
} from "../../../db/queries/similar_texts.ts";
import { decodePostings, ENTRY_WORDS, wordTerms } from "../../../retrieval/mod.ts";
import type { Pieces } from "../../../language/pieces.ts";
import { Slices } from "../../../pause.ts";
import { KINDS } from "../../../schema/common.ts";
import type { PreparedText } from "../../unit/indexing.ts";
import { type FactRow, isLive } from "./fields.ts";
import type { Near } from "./near_index.ts";
import { cosineOf, type Gist, gistOf, nearDuplicateScore, needsVectors } from "./similarity.ts";

/** The facts to compare are found by this many of the rarest words. */
const TERMS_MAX = 6;
/** Words in more facts than this say little and cost much. */
const DF_MAX = 5_000;
/** Postings that are read for all statements together; the rarest words come first. */
const POSTINGS_MAX = 500_000;
/** Facts compared with one statement, and with all of a batch together. */
const CANDIDATES_MAX = 20;
const BATCH_CANDIDATES_MAX = 2_000;

/** A statement that may be a near-duplicate, and the values by which it is compared. */
export interface ComparedStatement {
  readonly gist: Gist;
  readonly prepared: PreparedText;
}

/** The gists of texts by their analysis, which is the same object from its preparation to its write. */
const gists = new WeakMap<PreparedText["analysis"], Gist>();

/** Reads the gist of a text before its transaction begins. `toStatement` finds it. */
export function prepareGist({ text, analysis }: PreparedText): void {
  gists.set(analysis, gistOf(text));
}

export function toStatement(text: string, prepared: PreparedText): ComparedStatement {
  const known = text === prepared.text ? gists.get(prepared.analysis) : undefined;
  return { gist: known ?? gistOf(text), prepared };
}

/** A fact that may say nearly the same. */
export interface LikelyDuplicate {
  readonly known: Pick<KnownFact, "id" | "tripleKey" | "object" | "inferred">;
  readonly gist: Gist;
  /** The cosine of the embeddings, if both exist. */
  readonly cosine: number | undefined;
}

/** Stored live facts that may say nearly the same, for each statement. A batch costs as many round trips as one. */
export async function findCandidates(tx: Tx, statements: readonly ComparedStatement[]): Promise<LikelyDuplicate[][]> {
  const chosen = await chooseTerms(tx, statements);
  const terms = [...new Set(chosen.flat())];
  if (terms.length === 0) return statements.map(() => []);
  const most = Math.max(1, Math.min(CANDIDATES_MAX, Math.floor(BATCH_CANDIDATES_MAX / statements.length)));
  const slices = new Slices();
  const holders = await slices.do(Holders.read(await readPostings(tx, KINDS.fact, terms)));
  const docNos: (readonly number[])[] = [];
  for (const [i, { prepared }] of statements.entries()) {
    await slices.yieldIfDue();
    docNos.push(holders.mostShared(chosen[i]!, Math.ceil(Math.min(wordsOf(prepared).length, TERMS_MAX) / 2), most));
  }
  const rows = await findFactsByDoc(tx, [...new Set(docNos.flat())]);
  const known = new Map<number, { readonly row: KnownFact; readonly gist: Gist }>();
  for (const row of rows) {
    await slices.yieldIfDue();
    if (isLive(row, tx.now)) known.set(row.docNo, { row, gist: gistOf(row.text) });
  }
  const found = docNos.map((numbers) => numbers.flatMap((docNo) => known.get(docNo) ?? []));
  const vectorOf = await readVectors(tx, statements, found);
  return statements.map(({ prepared: { embedding } }, i) =>
    found[i]!.map(({ row, gist }): LikelyDuplicate => {
      const vector = vectorOf.get(row.docNo);
      return { known: row, gist, cosine: embedding === null || !vector ? undefined : cosineOf(vector, embedding) };
    })
  );
}

/** Reads embeddings for pairs that words alone do not decide. */
async function readVectors(
  tx: Tx,
  statements: readonly ComparedStatement[],
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
  return wordTerms(prepared.analysis.terms);
}

/** The rarest words of each statement that stored facts hold, within the limit on reads for all together. */
async function chooseTerms(tx: Tx, statements: readonly ComparedStatement[]): Promise<string[][]> {
  const slices = new Slices();
  const all = new Set<string>();
  for (const { prepared } of statements) {
    await slices.yieldIfDue();
    for (const term of wordsOf(prepared)) all.add(term);
  }
  if (all.size === 0) return [];
  const counts = new Map((await countTexts(tx, KINDS.fact, [...all])).map(({ term, n }) => [term, n]));
  const chosen: string[][] = [];
  for (const { prepared } of statements) {
    await slices.yieldIfDue();
    chosen.push(
      wordsOf(prepared).filter((term) => (counts.get(term) ?? Infinity) <= DF_MAX)
        .sort((a, b) => counts.get(a)! - counts.get(b)!).slice(0, TERMS_MAX),
    );
  }
  let left = POSTINGS_MAX;
  const affordable = new Set(
    [...new Set(chosen.flat())].sort((a, b) => counts.get(a)! - counts.get(b)!)
      .filter((term) => (left -= counts.get(term)!) >= 0),
  );
  return chosen.map((terms) => terms.filter((term) => affordable.has(term)));
}

/** Document numbers that are looked at between two steps. */
const STEP = 10_000;

/** @internal For each term, the texts that hold it, by places in the order of their document numbers. */
export class Holders {
  readonly #docNos: Float64Array;
  readonly #placesOf: ReadonlyMap<string, Uint32Array>;
  readonly #counts: Uint16Array;
  /** Earlier results by terms: many statements of a batch share their rarest words. */
  readonly #found = new Map<string, readonly number[]>();

  private constructor(docNos: Float64Array, placesOf: ReadonlyMap<string, Uint32Array>) {
    this.#docNos = docNos;
    this.#placesOf = placesOf;
    this.#counts = new Uint16Array(docNos.length);
  }

  /** Reads rows of postings, a row or a term a piece. */
  static *read(postings: readonly { readonly term: string; readonly entries: Uint8Array }[]): Pieces<Holders> {
    const docsOf = new Map<string, number[]>();
    for (const { term, entries } of postings) {
      yield;
      const docs = docsOf.get(term) ?? [];
      if (docs.length === 0) docsOf.set(term, docs);
      const words = decodePostings(entries);
      for (let i = 0; i < words.length; i += ENTRY_WORDS) docs.push(words[i]!);
    }
    const places = new Map<number, number>();
    for (const docs of docsOf.values()) {
      yield;
      for (const doc of docs) places.set(doc, 0);
    }
    const docNos = Float64Array.from(places.keys()).sort();
    for (let place = 0; place < docNos.length; place++) {
      if (place % STEP === 0) yield;
      places.set(docNos[place]!, place);
    }
    const placesOf = new Map<string, Uint32Array>();
    for (const [term, docs] of docsOf) {
      yield void placesOf.set(term, Uint32Array.from(docs, (doc) => places.get(doc)!));
    }
    return new Holders(docNos, placesOf);
  }

  /**
   * Returns the document numbers of up to `most` texts that hold at least `min` of the terms: those that hold most of them
   * first, the newest first of these.
   */
  mostShared(terms: readonly string[], min: number, most: number): readonly number[] {
    const name = `${min} ${most} ${terms.join(" ")}`;
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const counts = this.#counts;
    const held: number[] = [];
    for (const term of terms) {
      for (const place of this.#placesOf.get(term) ?? []) if (counts[place]!++ === 0) held.push(place);
    }
    const found = held.filter((place) => counts[place]! >= min)
      .sort((a, b) => counts[b]! - counts[a]! || b - a).slice(0, most).map((place) => this.#docNos[place]!);
    for (const place of held) counts[place] = 0;
    this.#found.set(name, found);
    return found;
  }
}

/** The fact among candidates that a fact nearly duplicates; null for none. */
export function pickDuplicate(fact: FactRow, gist: Gist, candidates: readonly LikelyDuplicate[]): string | null {
  return findBest(fact, gist, candidates)?.id ?? null;
}

/** The candidate that a fact is most alike, with the likeness; the first one of a tie, undefined if none is alike. */
export function findBest(fact: FactRow, gist: Gist, candidates: readonly LikelyDuplicate[]): Near | undefined {
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
export function tellsApart(known: LikelyDuplicate["known"], fact: FactRow): boolean {
  if (known.inferred || fact.body.folded.inferred === true) return false;
  return known.tripleKey !== null && fact.tripleKey !== null &&
    (known.tripleKey !== fact.tripleKey || known.object !== fact.body.folded.object);
}
