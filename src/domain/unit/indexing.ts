/**
 * Writes to the recall index, in the same transaction as the text itself: a text can be recalled if and only if its
 * write is acknowledged.
 *
 * A writer calls `prepareTexts` before its transaction (analysis and embedding, no database). In the transaction it
 * calls `allocateDocNos`, for turns computes their features (`sessions/tails.ts`), stores the row that owns the text,
 * and then calls `indexTexts`. `unindexing.ts` takes texts out again.
 */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import { isBuiltInModel } from "../../db/nearest_index.ts";
import * as embeddings from "../../db/queries/embeddings.ts";
import * as postings from "../../db/queries/postings.ts";
import type { MadeAtOnce } from "../../providers/embeddings.ts";
import { readNames, type TextNames } from "../../language/name_finder.ts";
import type { Pieces } from "../../language/pieces.ts";
import {
  type AnalysedText,
  analyseText,
  encodeEntries,
  ENTRY_WORDS,
  packOccurrence,
  participantTerms,
  PSEUDO_PREFIX,
} from "../../retrieval/mod.ts";
import { Slices } from "../../pause.ts";
import { type Kind, KINDS, type Sensitivity } from "../../schema/common.ts";
import { rulesOf } from "./rules.ts";

/** A text before its write. */
export interface TextToPrepare {
  readonly kind: Kind;
  readonly sensitivity: Sensitivity;
  readonly text: string;
  /** A turn's `name`: indexed as a participant of the session. */
  readonly speaker?: string;
  /**
   * The writer of a text without `speaker`, such as the role. It tells this turn from the previous one and is not
   * indexed.
   */
  readonly author?: string;
}

/** The ranker's input from a text besides its postings; stored as `turn.features`. See `DocBits`. */
export interface TextFeatures {
  readonly bits: number;
}

/** A text that is ready to be indexed. */
export interface PreparedText extends TextToPrepare {
  readonly analysis: AnalysedText;
  /** The names in the text, before anybody has looked up who has them. */
  readonly names: TextNames;
  /** The features of the text itself; `sessions/tails.ts` adds those that depend on its session. */
  readonly features: TextFeatures;
  /**
   * The text's vector. A model's vector is queued for the worker. Null: the worker still has to compute it (the batch
   * is large, or the provider is down).
   */
  readonly embedding: Float32Array | null;
  /** The model that `embedding` comes from. */
  readonly embeddingModel: string;
  /** The document with the same text, whose vector it has, too. */
  readonly vectorOf?: number;
}

/** Of an endpoint, larger batches ask later, by the worker. */
export const INLINE_EMBEDDINGS_MAX = 32;

/** The texts of kinds with names of their own (entities) mention nobody: relations link them to others. */
const NO_NAMES: TextNames = { names: [], grams: [] };

function namesOf({ kind, text }: TextToPrepare): TextNames {
  return kind !== "turn" && rulesOf(kind).isNamed ? NO_NAMES : readNames(text);
}

/** Analyses a text that is not indexed, or whose vector is still to come. */
export function analyseOnly(text: TextToPrepare, embeddingModel = ""): PreparedText {
  const analysis = analyseText(text.text);
  const features = { bits: analysis.bits };
  return { ...text, analysis, names: namesOf(text), features, embedding: null, embeddingModel };
}

/** Prepares a text inside a transaction: what makes vectors without waiting makes its vector, or else the worker will. */
export function prepareNow({ deps: { embeddings } }: OperationContext, text: TextToPrepare): PreparedText {
  const made = text.text.trim() === "" ? undefined : embeddings.embedNow?.(text.text);
  const analysed = analyseOnly(text, made?.model ?? embeddings.model);
  return made === undefined ? analysed : { ...analysed, embedding: made.vector };
}

/** Analyses and embeds texts, without the database. If the provider is down, the worker embeds them later. */
export async function prepareTexts(ctx: OperationContext, texts: readonly TextToPrepare[]): Promise<PreparedText[]> {
  const slices = new Slices(ctx.signal);
  const analysed: PreparedText[] = [];
  for (const text of texts) {
    await slices.yieldIfDue();
    analysed.push(analyseOnly(text, ctx.deps.embeddings.model));
  }
  const made = await embedInline(ctx, texts);
  if (made === undefined) return analysed;
  return analysed.map((text, i) => ({ ...text, embedding: made.vectors[i]!, embeddingModel: made.model }));
}

async function embedInline(
  ctx: OperationContext,
  texts: readonly TextToPrepare[],
): Promise<{ readonly model: string; readonly vectors: readonly (Float32Array | null)[] } | undefined> {
  // A turn without text has no vector.
  const worded = texts.map(({ text }) => text).filter((text) => text.trim() !== "");
  if (worded.length === 0) return undefined;
  const { embeddings } = ctx.deps;
  try {
    let made: MadeAtOnce;
    if (embeddings.embedAtOnce) made = await embeddings.embedAtOnce(worded, ctx.signal);
    else if (texts.length > INLINE_EMBEDDINGS_MAX) return undefined;
    else {
      const vectors = await embeddings.embed(worded, { purpose: "document", signal: ctx.signal });
      made = { model: embeddings.model, vectors };
    }
    const vectors = made.vectors.values();
    return { model: made.model, vectors: texts.map(({ text }) => text.trim() === "" ? null : vectors.next().value!) };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return undefined;
  }
}

/** Allocates `count` new document numbers, ascending. */
export async function allocateDocNos(tx: Tx, count: number): Promise<number[]> {
  return count === 0 ? [] : await postings.allocateDocNos(tx, count);
}

/** A text and its position. */
export interface IndexRow {
  readonly docNo: number;
  /** The session's number; 0 = none. */
  readonly groupNo: number;
  /** Position within the session, from 0; 0 without a session. */
  readonly position: number;
  readonly prepared: PreparedText;
  /** Whether the session has an earlier turn of this speaker, so that the index already holds the participant. */
  readonly speakerKnown?: boolean;
}

/** Adds texts to the index: postings, vocabulary, corpus sizes, and their embeddings or their place in the queue. */
export async function indexTexts(tx: Tx, rows: readonly IndexRow[]): Promise<void> {
  if (rows.length === 0) return;
  const writes: Promise<unknown>[] = [];
  for (const group of Map.groupBy(rows, (row) => `${row.prepared.kind} ${row.prepared.sensitivity}`).values()) {
    const { kind, sensitivity } = group[0].prepared;
    writes.push(postings.addCorpusSize(tx, { kind: KINDS[kind], sensitivity }, sizeOf(group)));
    writes.push(storePostings(tx, group));
  }
  writes.push(...storeEmbeddings(tx, rows));
  await Promise.all(writes);
}

/** The most terms of one statement: the driver writes the values of a statement in one go. */
const TERMS_AT_ONCE = 10_000;

/** Stores the postings of texts of one kind and sensitivity. */
async function storePostings(tx: Tx, rows: readonly IndexRow[]): Promise<void> {
  const { kind, sensitivity } = rows[0].prepared;
  const slices = new Slices();
  const gathered = await slices.do(gatherPostings(rows));
  const terms: string[] = [];
  for (const unit of [...gathered.keys()].sort((a, b) => a - b)) {
    for (const term of await slices.do(sortTerms([...gathered.get(unit)!.keys()], 1))) terms.push(term);
  }
  for (let from = 0; from < terms.length; from += TERMS_AT_ONCE) {
    if (from > 0) await slices.yieldIfDue();
    const some = terms.slice(from, from + TERMS_AT_ONCE);
    tx.noteWords({ sensitivity, gained: some.filter((term) => !term.startsWith(PSEUDO_PREFIX)) });
    await postings.insertPostings(tx, { kind: KINDS[kind], sensitivity, ...packPostings(some, gathered) });
  }
}

/**
 * Stores built-in vectors immediately. A model's vectors are queued for the worker, because inserting them into the
 * nearest-neighbour index costs more than the rest of the write.
 */
function storeEmbeddings(tx: Tx, rows: readonly IndexRow[]): Promise<unknown>[] {
  const worded = rows.filter(({ prepared }) => prepared.text.trim() !== "");
  const copies = worded.flatMap((row) => {
    const { vectorOf } = row.prepared;
    return vectorOf === undefined ? [] : [{ ...toEmbedded(row), vectorOf }];
  });
  const byModel = Map.groupBy(
    worded.filter(({ prepared }) => prepared.vectorOf === undefined),
    ({ prepared }) => prepared.embeddingModel,
  );
  const writes = [...byModel].flatMap(([model, some]) => storeVectors(tx, model, some));
  return copies.length === 0 ? writes : [...writes, embeddings.copyEmbeddings(tx, copies)];
}

function toEmbedded({ docNo, prepared: { kind, sensitivity } }: IndexRow) {
  return { docNo, kind: KINDS[kind], sensitivity };
}

function storeVectors(tx: Tx, model: string, rows: readonly IndexRow[]): Promise<unknown>[] {
  const all = rows.map((row) => ({ ...toEmbedded(row), vector: row.prepared.embedding }));
  const isStored = isBuiltInModel(model);
  const now = all.flatMap((row) => !isStored || row.vector === null ? [] : [{ ...row, vector: row.vector }]);
  const later = all.filter((row) => !isStored || row.vector === null);
  const writes: Promise<unknown>[] = [];
  if (now.length > 0) writes.push(embeddings.insertEmbeddings(tx, model, now));
  if (later.length > 0) writes.push(embeddings.enqueueEmbeddings(tx, model, later));
  return writes;
}

function sizeOf(rows: readonly IndexRow[]) {
  return {
    docs: rows.length,
    tokens: rows.reduce((sum, row) => sum + row.prepared.analysis.length, 0),
    // Positions begin at 0, so a session is counted with its first turn.
    groups: rows.filter((row) => row.groupNo !== 0 && row.position === 0).length,
  };
}

interface PackedPostings {
  readonly terms: string[];
  readonly firstDocs: number[];
  readonly lastDocs: number[];
  readonly counts: number[];
  readonly entries: Uint8Array;
}

/**
 * The entries of each term, by the term's first unit: a map of a million terms would stand still for a tenth of a second
 * whenever it outgrows its space.
 */
type GatheredPostings = ReadonlyMap<number, ReadonlyMap<string, readonly number[]>>;

/** Gathers the entries of each term of a batch, by ascending document number. A piece is a text. */
function* gatherPostings(rows: readonly IndexRow[]): Pieces<GatheredPostings> {
  const gathered = new Map<number, Map<string, number[]>>();
  const add = (term: string, doc: number, group: number, packed: number) => {
    let byTerm = gathered.get(term.charCodeAt(0));
    if (byTerm === undefined) gathered.set(term.charCodeAt(0), byTerm = new Map());
    const words = byTerm.get(term);
    if (words === undefined) byTerm.set(term, [doc, group, packed]);
    else words.push(doc, group, packed);
  };
  const seenSpeakers = new Set<string>();
  for (const { docNo, groupNo, position, prepared, speakerKnown } of rows.toSorted((a, b) => a.docNo - b.docNo)) {
    yield;
    const { terms, tfs, length } = prepared.analysis;
    for (let i = 0; i < terms.length; i++) add(terms[i], docNo, groupNo, packOccurrence(position, tfs[i], length));
    if (groupNo === 0 || prepared.speaker === undefined || speakerKnown) continue;
    const key = `${groupNo} ${prepared.speaker}`;
    if (seenSpeakers.has(key)) continue;
    seenSpeakers.add(key);
    for (const { term, tf } of participantTerms(prepared.speaker)) add(term, docNo, groupNo, packOccurrence(0, tf, 0));
  }
  return gathered;
}

/** Terms that are looked at between two steps. */
const STEP = 1_000;

/** Sorts terms that are alike before a place, by their units, in pieces of some that begin alike. */
export function* sortTerms(terms: readonly string[], at = 0): Pieces<string[]> {
  yield;
  if (terms.length <= STEP) return terms.toSorted();
  // The end of a term, which has no unit, comes first.
  const groups = new Map<number, string[]>();
  for (const [i, term] of terms.entries()) {
    if (i % STEP === 0) yield;
    const unit = at < term.length ? term.charCodeAt(at) : -1;
    const group = groups.get(unit);
    if (group === undefined) groups.set(unit, [term]);
    else group.push(term);
  }
  const sorted: string[] = [];
  for (const unit of [...groups.keys()].sort((a, b) => a - b)) {
    for (const term of yield* sortTerms(groups.get(unit)!, at + 1)) sorted.push(term);
  }
  return sorted;
}

/** Makes one row per term. */
function packPostings(terms: string[], gathered: GatheredPostings): PackedPostings {
  const out: PackedPostings = { terms, firstDocs: [], lastDocs: [], counts: [], entries: new Uint8Array(0) };
  const words: number[] = [];
  for (const term of terms) {
    const list = gathered.get(term.charCodeAt(0))!.get(term)!;
    out.firstDocs.push(list[0]);
    out.lastDocs.push(list[list.length - ENTRY_WORDS]);
    out.counts.push(list.length / ENTRY_WORDS);
    for (const word of list) words.push(word);
  }
  return { ...out, entries: encodeEntries(words) };
}
