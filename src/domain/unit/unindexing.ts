/** Takes texts out of the recall index, or moves them to another sensitivity: the inverse of `indexing.ts`. */
import type { Tx } from "../../db/tx.ts";
import { Slices } from "../../pause.ts";
import * as embeddings from "../../db/queries/embeddings.ts";
import * as mentions from "../../db/queries/mentions.ts";
import * as postings from "../../db/queries/postings.ts";
import {
  addAliases,
  analyseText,
  decodePostings,
  encodeEntries,
  ENTRY_WORDS,
  participantTerms,
  wordTerms,
} from "../../retrieval/mod.ts";
import { type Kind, KINDS, type Sensitivity } from "../../schema/common.ts";

/** A text in the index. `text` must be the indexed text, because its terms tell which postings hold it. */
export interface IndexedText {
  readonly docNo: number;
  readonly kind: Kind;
  readonly sensitivity: Sensitivity;
  readonly text: string;
  /** The words that were indexed besides it: aliases, and the predicates of claims. */
  readonly beside?: readonly string[];
  readonly speaker?: string;
  /** Whether the text is the first turn of its session, and the session leaves the index with it. */
  readonly firstOfGroup?: boolean;
}

/**
 * Removes texts from the index: postings, words that no other text has, embeddings, mentions, sizes.
 * @returns the ids of entities that were opened for names which no text holds any more; see `eraseOrphans`.
 */
export async function unindexTexts(tx: Tx, rows: readonly IndexedText[]): Promise<string[]> {
  if (rows.length === 0) return [];
  await postings.lockPostings(tx, "shared");
  // The groups come one after another in a fixed order, so that concurrent erasures lock rows in the same order.
  for (const group of groupTexts(rows)) {
    const removed = await removeEntries(tx, group);
    tx.noteWords({ sensitivity: group[0].sensitivity, lost: removed.emptied });
    await postings.addCorpusSize(tx, postingGroup(group[0]), negate(removed.size));
  }
  const docs = rows.map((row) => row.docNo);
  const [orphans] = await Promise.all([mentions.deleteMentions(tx, docs), embeddings.deleteEmbeddings(tx, docs)]);
  return orphans;
}

/** Moves texts to another sensitivity: from now on, keys find them by that clearance. */
export async function reclassifyTexts(tx: Tx, rows: readonly IndexedText[], to: Sensitivity): Promise<void> {
  const moving = rows.filter((row) => row.sensitivity !== to);
  if (moving.length === 0) return;
  await postings.lockPostings(tx, "shared");
  for (const group of groupTexts(moving)) {
    const { kind, sensitivity } = postingGroup(group[0]);
    const removed = await removeEntries(tx, group);
    const terms = [...removed.taken.keys()].sort();
    const words = wordTerms(terms);
    const { size } = removed;
    tx.noteWords({ sensitivity, lost: removed.emptied });
    tx.noteWords({ sensitivity: to, gained: words });
    await Promise.all([
      postings.addCorpusSize(tx, { kind, sensitivity }, negate(size)),
      postings.addCorpusSize(tx, { kind, sensitivity: to }, size),
      ...(terms.length > 0
        ? [postings.insertPostings(tx, { kind, sensitivity: to, ...packTaken(terms, removed.taken) })]
        : []),
    ]);
  }
  const docs = moving.map((row) => row.docNo);
  await Promise.all([embeddings.reclassifyEmbeddings(tx, docs, to), mentions.reclassifyMentions(tx, docs, to)]);
}

function groupTexts(rows: readonly IndexedText[]): IndexedText[][] {
  const groups = Map.groupBy(rows, (row) => `${KINDS[row.kind]} ${row.sensitivity}`);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function postingGroup(row: IndexedText): postings.PostingGroup {
  return { kind: KINDS[row.kind], sensitivity: row.sensitivity };
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
    entries: encodeEntries(lists.flat()),
  };
}

/**
 * Removes the entries of documents from all rows of postings that hold one; the rows have one kind and one sensitivity.
 * @returns the removed entries by term, the words of rows that are empty now, and the size of the texts.
 */
async function removeEntries(tx: Tx, rows: readonly IndexedText[]) {
  const group = postingGroup(rows[0]);
  const docs = new Set(rows.map((row) => row.docNo));
  const terms = new Set<string>();
  let tokens = 0;
  const slices = new Slices();
  for (const row of rows) {
    await slices.yieldIfDue();
    const analysis = analyseText(row.text);
    tokens += analysis.length;
    for (const term of addAliases(analysis, row.beside ?? []).terms) terms.add(term);
    if (row.speaker !== undefined) { for (const { term } of participantTerms(row.speaker)) terms.add(term); }
  }
  const range = { from: Math.min(...docs), to: Math.max(...docs) };
  const locked = await postings.lockPostingRows(tx, group, [...terms].sort(), range);
  const taken = new Map<string, number[]>();
  const changed: { term: string; firstDoc: number; entries: Uint8Array }[] = [];
  const emptied: { term: string; firstDoc: number }[] = [];
  for (const row of locked) {
    await slices.yieldIfDue();
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
    else changed.push({ term: row.term, firstDoc: row.firstDoc, entries: encodeEntries(kept) });
  }
  await Promise.all([
    ...(changed.length > 0 ? [postings.updatePostings(tx, group, changed)] : []),
    ...(emptied.length > 0 ? [postings.deletePostings(tx, group, emptied)] : []),
  ]);
  return {
    taken,
    emptied: wordTerms(emptied.map((row) => row.term)),
    size: { docs: rows.length, tokens, groups: rows.filter((row) => row.firstOfGroup).length },
  };
}
