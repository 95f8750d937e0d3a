/** Finding live facts that say nearly the same as a new one. They are suggested to the caller; nothing is closed. */
import type { Tx } from "../../db/scope.ts";
import { readEmbeddings, readRarePostings } from "../../db/queries/similar_texts.ts";
import { findUnitsByDoc } from "../../db/queries/units.ts";
import { decodePostings, ENTRY_WORDS } from "../../retrieval/postings.ts";
import { PSEUDO_PREFIX } from "../../retrieval/text.ts";
import { KINDS } from "../../schema/common.ts";
import type { PreparedText } from "../recall/indexing.ts";
import { type FactRow, isLive } from "./fields.ts";
import { cosineOf, type Gist, gistOf, nearDuplicateScore } from "./similarity.ts";

/** The rarest words decide which facts are looked at; of these, so many. */
const TERMS_MAX = 6;
const CANDIDATES_MAX = 20;
/** Words in more facts than this say little and cost much. */
const DF_MAX = 5_000;

/** A statement that may be a near-duplicate, and what it is compared by. */
export interface Statement {
  readonly gist: Gist;
  readonly prepared: PreparedText;
}

export function toStatement(text: string, prepared: PreparedText): Statement {
  return { gist: gistOf(text), prepared };
}

/** Stored facts that share the statement's rarest words, with the cosine of the embeddings where both are there. */
export interface Candidate {
  readonly row: FactRow;
  readonly gist: Gist;
  readonly cosine: number | undefined;
}

/** Stored facts that may say nearly the same as a statement. */
export async function findCandidates(tx: Tx, statement: Statement): Promise<Candidate[]> {
  const { prepared } = statement;
  const terms = prepared.analysis.terms.filter((term) => !term.startsWith(PSEUDO_PREFIX));
  if (terms.length === 0) return [];
  const lists = await readRarePostings(tx, KINDS.fact, terms, { terms: TERMS_MAX, dfMax: DF_MAX });
  const docNos = mostShared(lists.map((list) => list.entries), Math.ceil(Math.min(terms.length, TERMS_MAX) / 2));
  if (docNos.length === 0) return [];
  const [rows, vectors] = await Promise.all([
    findUnitsByDoc(tx, "fact", docNos),
    prepared.embedding === null ? [] : readEmbeddings(tx, prepared.embeddingModel, docNos),
  ]);
  const vectorOf = new Map(vectors.map(({ docNo, vector }) => [docNo, JSON.parse(vector) as number[]]));
  return (rows as unknown as FactRow[]).filter((row) => isLive(row, tx.now)).map((row) => {
    const vector = vectorOf.get(row.docNo);
    return {
      row,
      gist: gistOf(row.text),
      cosine: vector === undefined ? undefined : cosineOf(vector, prepared.embedding!),
    };
  });
}

/** Document numbers that stand in at least `min` of the lists, those in most lists first. */
function mostShared(lists: readonly Uint8Array[], min: number): number[] {
  const counts = new Map<number, number>();
  for (const entries of lists) {
    const words = decodePostings(entries);
    for (let i = 0; i < words.length; i += ENTRY_WORDS) counts.set(words[i]!, (counts.get(words[i]!) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= min).sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, CANDIDATES_MAX).map(([docNo]) => docNo);
}

/**
 * The fact among candidates that a fact nearly duplicates; null for none. Facts whose triples tell them apart are no
 * duplicates: another subject or predicate, or another object, which is for conflict detection to judge.
 */
export function pickDuplicate(fact: FactRow, gist: Gist, candidates: readonly Candidate[]): string | null {
  let best: { id: string; score: number } | undefined;
  for (const { row, gist: other, cosine } of candidates) {
    if (row.id === fact.id || tellsApart(row, fact)) continue;
    const score = nearDuplicateScore(gist, other, cosine);
    if (score > 0 && (best === undefined || score > best.score)) best = { id: row.id, score };
  }
  return best?.id ?? null;
}

function tellsApart(a: FactRow, b: FactRow): boolean {
  return a.tripleKey !== null && b.tripleKey !== null &&
    (a.tripleKey !== b.tripleKey || a.body.folded.object !== b.body.folded.object);
}
