/**
 * Gives texts that an earlier build or an earlier rule indexed the stems of today's rule (`STEM_RULE`). Until then
 * queries find them by their words as written.
 *
 * It adds only missing stems, so that it can be interrupted after each transaction and run any number of times. It also
 * follows later writes, because an older build may still be writing while a newer one runs.
 */
import type { OperationContext } from "../../context.ts";
import * as postings from "../../db/queries/postings.ts";
import * as work from "../../db/queries/stem_work.ts";
import type { Tx } from "../../db/tx.ts";
import type { StepEnd } from "../common/activity.ts";
import { STEM_RULE } from "../../language/foreign_stems.ts";
import { Slices } from "../../pause.ts";
import {
  addAliases,
  type AnalysedText,
  analyseText,
  decodePostings,
  encodeEntries,
  ENTRY_WORDS,
  packOccurrence,
  STEM_PREFIX,
} from "../../retrieval/mod.ts";
import { type Kind, KINDS } from "../../schema/common.ts";

/** Texts in one transaction, and their characters, so that erasures wait only for a moment. */
const TEXTS_MAX = 500;
const CHARS_MAX = 65_536;

interface StemmedText {
  readonly row: work.StoredText;
  readonly analysis: AnalysedText;
}

/** Checks the next texts of a workspace. A running erasure has precedence. */
export async function restemTexts(ctx: OperationContext): Promise<StepEnd> {
  const isWaiting = await ctx.tx((tx) => work.hasTextsToStem(tx, STEM_RULE), { readOnly: true });
  return isWaiting && await ctx.tx(restemSome);
}

async function restemSome(tx: Tx): Promise<StepEnd> {
  const after = await work.lockStemCursor(tx, STEM_RULE);
  if (after === undefined) return false;
  let rows = await work.listStoredTexts(tx, after, TEXTS_MAX, CHARS_MAX);
  const analysed = await analyseAll(rows);
  if (analysed.some(hasStems)) {
    // Under the lock no erasure takes a text out. Texts that one took out before are not read.
    if (!await postings.tryLockPostings(tx)) return "later";
    rows = await work.listStoredTexts(tx, after, TEXTS_MAX, CHARS_MAX);
    const stemmed = (await analyseAll(rows, analysed)).filter(hasStems);
    const groups = Map.groupBy(stemmed, ({ row }) => `${row.type} ${row.sensitivity}`);
    for (const group of groups.values()) await addMissing(tx, group);
  }
  const last = rows.at(-1);
  if (last !== undefined) await work.advanceStemCursor(tx, STEM_RULE, last.docNo);
  return rows.length === TEXTS_MAX || rows.reduce((sum, { text }) => sum + text.length, 0) >= CHARS_MAX / 2;
}

/** Analyses texts, except those that `known` has. */
async function analyseAll(
  rows: readonly work.StoredText[],
  known: readonly StemmedText[] = [],
): Promise<StemmedText[]> {
  const byDoc = new Map(known.map((one) => [one.row.docNo, one]));
  const slices = new Slices();
  const analysed: StemmedText[] = [];
  for (const row of rows) {
    await slices.yieldIfDue();
    const same = byDoc.get(row.docNo);
    const isSame = same?.row.text === row.text && same.row.beside.join() === row.beside.join();
    analysed.push({ row, analysis: isSame ? same.analysis : addAliases(analyseText(row.text), row.beside) });
  }
  return analysed;
}

function hasStems({ analysis }: StemmedText): boolean {
  return analysis.terms.some(isStem);
}

function isStem(term: string): boolean {
  return term.startsWith(STEM_PREFIX);
}

/** Adds the postings of stems that texts of one kind and sensitivity do not have yet. */
async function addMissing(tx: Tx, texts: readonly StemmedText[]): Promise<void> {
  const { type, sensitivity } = texts[0]!.row;
  const group = { kind: KINDS[type as Kind], sensitivity };
  const terms = [...new Set(texts.flatMap(({ analysis }) => analysis.terms.filter(isStem)))].sort();
  const docs = texts.map(({ row }) => row.docNo);
  const range = { from: Math.min(...docs), to: Math.max(...docs) };
  const known = new Map<string, Set<number>>();
  for (const { term, entries } of await postings.lockPostingRows(tx, group, terms, range)) {
    const words = decodePostings(entries);
    const holders = known.get(term) ?? new Set();
    known.set(term, holders);
    for (let i = 0; i < words.length; i += ENTRY_WORDS) holders.add(words[i]!);
  }
  const missing = new Map<string, number[]>();
  for (const { row: { docNo, groupNo, position }, analysis: { terms, tfs, length } } of texts) {
    terms.forEach((term, i) => {
      if (!isStem(term) || known.get(term)?.has(docNo)) return;
      const words = missing.get(term) ?? [];
      missing.set(term, words);
      words.push(docNo, groupNo, packOccurrence(position, tfs[i]!, length));
    });
  }
  if (missing.size > 0) await postings.insertPostings(tx, { ...group, ...pack(missing) });
}

/** Rows in the order of their terms, so that two writers cannot wait for each other. */
function pack(missing: ReadonlyMap<string, readonly number[]>) {
  const terms = [...missing.keys()].sort();
  const lists = terms.map((term) => missing.get(term)!);
  return {
    terms,
    // The texts came in the order of their numbers.
    firstDocs: lists.map((words) => words[0]!),
    lastDocs: lists.map((words) => words.at(-ENTRY_WORDS)!),
    counts: lists.map((words) => words.length / ENTRY_WORDS),
    entries: encodeEntries(lists.flat()),
  };
}
