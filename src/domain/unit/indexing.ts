/**
 * Writing to the recall index, in the same transaction as the text itself: a text can be recalled when its write is
 * acknowledged, and never when it is not.
 *
 * The way of a write: `prepareTexts` before the transaction (analysis and embedding, no database); in the transaction
 * `allocateDocNos`, for turns their features (`sessions/tails.ts`), then the owner's row, then `indexTexts`. `unindexTexts` is its inverse.
 */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import * as embeddings from "../../db/queries/embeddings.ts";
import * as postings from "../../db/queries/postings.ts";
import * as mentions from "../../db/queries/mentions.ts";
import { readNames, type TextNames } from "../../language/mentions.ts";
import {
  type AnalysedText,
  analyseText,
  decodePostings,
  ENTRY_WORDS,
  packOccurrence,
  participantTerms,
  PSEUDO_PREFIX,
} from "../../retrieval/mod.ts";
import { type Kind, KINDS, type Sensitivity } from "../../schema/common.ts";
import { rulesOf } from "./rules.ts";

/** A text before its write. */
export interface TextToPrepare {
  readonly kind: Kind;
  readonly sensitivity: Sensitivity;
  readonly text: string;
  /** A turn's `name`: indexed as a participant of the session. */
  readonly speaker?: string;
  /** Who wrote it where there is no name, such as the role: told apart from the turn before, never searched. */
  readonly author?: string;
}

/** Numbers that the ranker wants of a text beside its postings; stored as `turn.features`. See `DocBits`. */
export interface TextFeatures {
  readonly bits: number;
}

/** A text that is ready to be indexed. */
export interface PreparedText extends TextToPrepare {
  readonly analysis: AnalysedText;
  /** The names that it holds, before anybody looked them up. */
  readonly names: TextNames;
  /** What the text says by itself; `sessions/tails.ts` adds what its session says. */
  readonly features: TextFeatures;
  /** Null: the worker embeds it later (a large batch, or the provider is down). */
  readonly embedding: Float32Array | null;
  /** The model that `embedding` comes from. */
  readonly embeddingModel: string;
}

/** Above this many texts the vectors come later: a nearest-neighbour insert costs more than all else together. */
export const INLINE_EMBEDDINGS_MAX = 32;

/** What has names itself mentions nobody: relations link it to others. */
const NO_NAMES: TextNames = { names: [], grams: [] };

function namesOf({ kind, text }: TextToPrepare): TextNames {
  return kind !== "turn" && rulesOf(kind).isNamed ? NO_NAMES : readNames(text);
}

/** Analyses a text that is only known in a transaction; the worker embeds it. */
export function analyseOnly(text: TextToPrepare, embeddingModel: string): PreparedText {
  const analysis = analyseText(text.text);
  const features = { bits: analysis.bits };
  return { ...text, analysis, names: namesOf(text), features, embedding: null, embeddingModel };
}

/** Analyses and embeds texts. No database; a provider that is down only leaves the embeddings for later. */
export async function prepareTexts(ctx: OperationContext, texts: readonly TextToPrepare[]): Promise<PreparedText[]> {
  const analyses = texts.map((text) => analyseText(text.text));
  const vectors = await embedInline(ctx, texts);
  return texts.map((text, i) => ({
    ...text,
    analysis: analyses[i],
    names: namesOf(text),
    features: { bits: analyses[i].bits },
    embedding: vectors?.[i] ?? null,
    embeddingModel: ctx.deps.embeddings.model,
  }));
}

async function embedInline(
  ctx: OperationContext,
  texts: readonly TextToPrepare[],
): Promise<Float32Array[] | undefined> {
  if (texts.length === 0 || texts.length > INLINE_EMBEDDINGS_MAX) return undefined;
  try {
    return await ctx.deps.embeddings.embed(texts.map((text) => text.text), { purpose: "document", signal: ctx.signal });
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return undefined;
  }
}

/** `count` new document numbers, ascending. */
export async function allocateDocNos(tx: Tx, count: number): Promise<number[]> {
  return count === 0 ? [] : await postings.allocateDocNos(tx, count);
}

/** A text and its place. */
export interface IndexRow {
  readonly docNo: number;
  /** The session's number; 0 = none. */
  readonly groupNo: number;
  /** Place within the session, from 0; 0 without one. */
  readonly position: number;
  readonly prepared: PreparedText;
  /** The session has a turn of this speaker already, so that it need not be recorded as a participant again. */
  readonly speakerKnown?: boolean;
}

/** Adds texts to the index: postings, vocabulary, corpus sizes, and their embeddings or their place in the queue. */
export async function indexTexts(tx: Tx, rows: readonly IndexRow[]): Promise<void> {
  if (rows.length === 0) return;
  const writes: Promise<unknown>[] = [];
  for (const group of Map.groupBy(rows, (row) => `${row.prepared.kind} ${row.prepared.sensitivity}`).values()) {
    const { kind, sensitivity } = group[0].prepared;
    const packed = packPostings(group);
    writes.push(postings.addCorpusSize(tx, { kind: KINDS[kind], sensitivity }, sizeOf(group)));
    if (packed.terms.length > 0) {
      writes.push(postings.insertPostings(tx, { kind: KINDS[kind], sensitivity, ...packed }));
      const words = packed.terms.filter((term) => !term.startsWith(PSEUDO_PREFIX));
      writes.push(postings.insertVocabulary(tx, sensitivity, words));
    }
  }
  writes.push(...storeEmbeddings(tx, rows));
  await Promise.all(writes);
}

function storeEmbeddings(tx: Tx, rows: readonly IndexRow[]): Promise<unknown>[] {
  const describe = ({ docNo, prepared }: IndexRow) => ({
    docNo,
    kind: KINDS[prepared.kind],
    sensitivity: prepared.sensitivity,
  });
  const later = rows.filter((row) => row.prepared.embedding === null);
  const now = rows.flatMap((row) =>
    row.prepared.embedding === null ? [] : [{ ...describe(row), vector: row.prepared.embedding }]
  );
  const writes: Promise<unknown>[] = [];
  if (now.length > 0) writes.push(embeddings.insertEmbeddings(tx, rows[0].prepared.embeddingModel, now));
  if (later.length > 0) writes.push(embeddings.enqueueEmbeddings(tx, later.map(describe)));
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

/** One row per term for the whole batch; terms in ascending order, entries in that of the documents. */
function packPostings(rows: readonly IndexRow[]): PackedPostings {
  const byTerm = new Map<string, number[]>();
  const add = (term: string, doc: number, group: number, packed: number) => {
    const words = byTerm.get(term);
    if (words === undefined) byTerm.set(term, [doc, group, packed]);
    else words.push(doc, group, packed);
  };
  const seenSpeakers = new Set<string>();
  for (const { docNo, groupNo, position, prepared, speakerKnown } of rows.toSorted((a, b) => a.docNo - b.docNo)) {
    const { terms, tfs, length } = prepared.analysis;
    for (let i = 0; i < terms.length; i++) add(terms[i], docNo, groupNo, packOccurrence(position, tfs[i], length));
    if (groupNo === 0 || prepared.speaker === undefined || speakerKnown) continue;
    const key = `${groupNo} ${prepared.speaker}`;
    if (seenSpeakers.has(key)) continue;
    seenSpeakers.add(key);
    for (const { term, tf } of participantTerms(prepared.speaker)) add(term, docNo, groupNo, packOccurrence(0, tf, 0));
  }
  const terms = [...byTerm.keys()].sort();
  const out: PackedPostings = { terms, firstDocs: [], lastDocs: [], counts: [], entries: new Uint8Array(0) };
  const words: number[] = [];
  for (const term of terms) {
    const list = byTerm.get(term)!;
    out.firstDocs.push(list[0]);
    out.lastDocs.push(list[list.length - ENTRY_WORDS]);
    out.counts.push(list.length / ENTRY_WORDS);
    for (const word of list) words.push(word);
  }
  return { ...out, entries: encodeWords(words) };
}

function encodeWords(words: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < words.length; i++) view.setUint32(i * 4, words[i], true);
  return bytes;
}

/** A text that is in the index; the text must be the one that was indexed. */
export interface IndexedText {
  readonly docNo: number;
  readonly kind: Kind;
  readonly sensitivity: Sensitivity;
  readonly text: string;
  readonly speaker?: string;
  /** Of turns: the session's first turn goes, and with it the session. */
  readonly firstOfGroup?: boolean;
}

/**
 * Takes texts out of the index, without a trace: postings, words that only they held, embeddings, mentions, sizes.
 * Answers the entities that were opened for names which no text holds any more; see `eraseOrphans`.
 */
export async function unindexTexts(tx: Tx, rows: readonly IndexedText[]): Promise<string[]> {
  if (rows.length === 0) return [];
  await postings.lockPostings(tx, "shared");
  const emptied: Emptied[] = [];
  // One after another and in a fixed order, so that two erasures lock rows in the same order.
  for (const group of groupTexts(rows)) {
    const removed = await removeEntries(tx, group);
    emptied.push({ sensitivity: group[0].sensitivity, terms: removed.emptied });
    await postings.addCorpusSize(tx, postingGroup(group[0]), negate(sizeOfTexts(group)));
  }
  await forgetWords(tx, emptied);
  const docs = rows.map((row) => row.docNo);
  const [orphans] = await Promise.all([mentions.deleteMentions(tx, docs), embeddings.deleteEmbeddings(tx, docs)]);
  return orphans;
}

/** Moves texts to another sensitivity: those who see the row find it, nobody else does. */
export async function reclassifyTexts(tx: Tx, rows: readonly IndexedText[], to: Sensitivity): Promise<void> {
  const moving = rows.filter((row) => row.sensitivity !== to);
  if (moving.length === 0) return;
  await postings.lockPostings(tx, "shared");
  const emptied: Emptied[] = [];
  for (const group of groupTexts(moving)) {
    const { kind, sensitivity } = postingGroup(group[0]);
    const removed = await removeEntries(tx, group);
    const terms = [...removed.taken.keys()].sort();
    const words = terms.filter((term) => !term.startsWith(PSEUDO_PREFIX));
    const size = sizeOfTexts(group);
    emptied.push({ sensitivity, terms: removed.emptied });
    await Promise.all([
      postings.addCorpusSize(tx, { kind, sensitivity }, negate(size)),
      postings.addCorpusSize(tx, { kind, sensitivity: to }, size),
      ...(terms.length > 0
        ? [postings.insertPostings(tx, { kind, sensitivity: to, ...packTaken(terms, removed.taken) })]
        : []),
      ...(words.length > 0 ? [postings.insertVocabulary(tx, to, words)] : []),
    ]);
  }
  await forgetWords(tx, emptied);
  const docs = moving.map((row) => row.docNo);
  await Promise.all([embeddings.reclassifyEmbeddings(tx, docs, to), mentions.reclassifyMentions(tx, docs, to)]);
}

/** Words of which a text was the last in some row of postings; other rows may have more. */
interface Emptied {
  readonly sensitivity: Sensitivity;
  readonly terms: readonly string[];
}

/** After all postings and in a fixed order, so that no erasure waits for a word while another waits for its postings. */
async function forgetWords(tx: Tx, emptied: readonly Emptied[]): Promise<void> {
  const groups = Map.groupBy(emptied, (one) => one.sensitivity);
  for (const [sensitivity, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const terms = [...new Set(group.flatMap((one) => one.terms))].sort();
    if (terms.length > 0) await postings.pruneVocabulary(tx, sensitivity, terms);
  }
}

function groupTexts(rows: readonly IndexedText[]): IndexedText[][] {
  const groups = Map.groupBy(rows, (row) => `${KINDS[row.kind]} ${row.sensitivity}`);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function postingGroup(row: IndexedText): postings.PostingGroup {
  return { kind: KINDS[row.kind], sensitivity: row.sensitivity };
}

function sizeOfTexts(rows: readonly IndexedText[]) {
  return {
    docs: rows.length,
    tokens: rows.reduce((sum, row) => sum + analyseText(row.text).length, 0),
    groups: rows.filter((row) => row.firstOfGroup).length,
  };
}

function negate(size: { docs: number; tokens: number; groups: number }) {
  return { docs: -size.docs, tokens: -size.tokens, groups: -size.groups };
}

function packTaken(terms: readonly string[], taken: ReadonlyMap<string, number[]>) {
  const lists = terms.map((term) => taken.get(term)!);
  const docs = lists.map((list) => list.filter((_, i) => i % ENTRY_WORDS === 0));
  return {
    terms,
    firstDocs: docs.map((list) => Math.min(...list)),
    lastDocs: docs.map((list) => Math.max(...list)),
    counts: docs.map((list) => list.length),
    entries: encodeWords(lists.flat()),
  };
}

/** Cuts the documents' entries out of every row that holds one. */
async function removeEntries(tx: Tx, rows: readonly IndexedText[]) {
  const group = postingGroup(rows[0]);
  const docs = new Set(rows.map((row) => row.docNo));
  const terms = new Set<string>();
  for (const row of rows) {
    for (const term of analyseText(row.text).terms) terms.add(term);
    if (row.speaker !== undefined) { for (const { term } of participantTerms(row.speaker)) terms.add(term); }
  }
  const range = { from: Math.min(...docs), to: Math.max(...docs) };
  const locked = await postings.lockPostingRows(tx, group, [...terms].sort(), range);
  const taken = new Map<string, number[]>();
  const changed: { term: string; firstDoc: number; entries: Uint8Array }[] = [];
  const emptied: { term: string; firstDoc: number }[] = [];
  for (const row of locked) {
    const words = decodePostings(row.entries);
    const kept: number[] = [];
    for (let i = 0; i < words.length; i += ENTRY_WORDS) {
      let target = kept;
      if (docs.has(words[i])) {
        target = taken.get(row.term) ?? [];
        taken.set(row.term, target);
      }
      target.push(words[i], words[i + 1], words[i + 2]);
    }
    if (kept.length === words.length) continue;
    if (kept.length === 0) emptied.push(row);
    else changed.push({ term: row.term, firstDoc: row.firstDoc, entries: encodeWords(kept) });
  }
  await Promise.all([
    ...(changed.length > 0 ? [postings.updatePostings(tx, group, changed)] : []),
    ...(emptied.length > 0 ? [postings.deletePostings(tx, group, emptied)] : []),
  ]);
  return { taken, emptied: emptied.map((row) => row.term).filter((term) => !term.startsWith(PSEUDO_PREFIX)) };
}
