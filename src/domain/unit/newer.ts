/**
 * Links a statement, when it is written, to the earlier ones about the same matter. They are found by rare words in common, by
 * bounded look-ups, and judged by these words and by the cosine of their vectors. A link is no verdict: recall shows
 * the newer statement beside the older one.
 */
import { comparableWith } from "../../db/nearest_index.ts";
import {
  deleteNewerLinks,
  linkStatements,
  type NewStatement,
  type RarePostings,
  readRarePostings,
  type SharedWords,
} from "../../db/queries/newer_links.ts";
import type { Tx } from "../../db/tx.ts";
import { decodePostings, ENTRY_WORDS, STEM_PREFIX, wordAndStemTerms } from "../../retrieval/mod.ts";
import { FUNCTION_WORDS_BY_LANGUAGE } from "../../language/function_words.ts";
import { Slices } from "../../pause.ts";
import { KINDS, type Sensitivity } from "../../schema/common.ts";
import type { PreparedText } from "./indexing.ts";

/** Words of one statement that are looked up. */
const TERMS_MAX = 48;
/** A word in more texts than this tells nothing. */
const DF_MAX = 400;
/** A word in so few texts is as rare as one can be: a matter may be told of several times. */
const RARE_DF = 4;
/** Postings that are read for one statement, and for all of a batch. */
const ENTRIES_MAX = 1_200, BATCH_ENTRIES_MAX = 200_000;
/** Earlier statements of each kind that one is compared with. */
const COMPARED_MAX = 8;
/** Statements that share less are not compared. */
const SHARE_MIN = 0.2;
/** A statement of fewer words counts as one of this many, so that one word in common is not all of it. */
const LENGTH_MIN = 3;
const LIMITS = {
  most: 4,
  strengthMin: 0.2,
  withoutVector: 0.25,
  // Half of a conversation is what assistants say, which is not linked.
  window: 384,
  nearest: 12,
  pauseMs: 6 * 3_600_000,
};

/** A statement that is being written, with its text's number in the index. */
export interface ToldStatement extends Omit<NewStatement, "vector"> {
  readonly prepared: PreparedText;
}

/** The earlier texts that hold words of statements, on their way, by the statements' sensitivity. */
export type SoughtWords = ReadonlyMap<Sensitivity, Promise<RarePostings[]>>;

/**
 * Looks for the words of statements. A write that is about to send other statements looks for them first, so that the answer
 * comes along with theirs.
 * @param upTo the number of the last text that is wanted; default: all are
 */
export function seekWords(
  tx: Tx,
  told: readonly Pick<ToldStatement, "prepared">[],
  { upTo }: { readonly upTo?: number } = {},
): SoughtWords {
  const sought = new Map<Sensitivity, Promise<RarePostings[]>>();
  for (const [sensitivity, some] of bySensitivity(told)) {
    const terms = [...new Set(some.flatMap(wordsOf))];
    const found = terms.length === 0 ? Promise.resolve([]) : readRarePostings(tx, terms, [KINDS.fact, KINDS.turn], {
      sensitivity,
      dfMax: DF_MAX,
      entriesMax: Math.min(ENTRIES_MAX * some.length, BATCH_ENTRIES_MAX),
      upTo,
    });
    // A write that fails before it needs them does not wait for them.
    found.catch(() => {});
    sought.set(sensitivity, found);
  }
  return sought;
}

/** Links statements that the transaction stores to the earlier ones about the same matter, and to each other. */
export async function linkNewer(
  tx: Tx,
  told: readonly ToldStatement[],
  sought: SoughtWords = seekWords(tx, told),
): Promise<void> {
  for (const [sensitivity, some] of bySensitivity(told)) await linkGroup(tx, some, await sought.get(sensitivity) ?? []);
}

function bySensitivity<T extends Pick<ToldStatement, "prepared">>(told: readonly T[]): Map<Sensitivity, T[]> {
  const worded = told.filter(({ prepared }) => prepared.analysis.length > 0);
  return Map.groupBy(worded, ({ prepared }) => prepared.sensitivity);
}

/** Finds the links of a statement that says something else now. */
export async function renewLinks(tx: Tx, told: readonly ToldStatement[], sought: SoughtWords): Promise<void> {
  if (told.length === 0) return;
  await deleteNewerLinks(tx, "unit", told.map(({ id }) => id));
  await linkNewer(tx, told, sought);
}

/** Links statements that are in the index already, as they would have been linked at their writes. */
export async function linkStored(tx: Tx, told: readonly ToldStatement[]): Promise<void> {
  const groups = Map.groupBy(
    told,
    ({ prepared: { sensitivity, embeddingModel } }) => `${sensitivity} ${embeddingModel}`,
  );
  for (const some of groups.values()) {
    const upTo = Math.max(...some.map(({ docNo }) => docNo));
    const [found = []] = await Promise.all(seekWords(tx, some, { upTo }).values());
    await linkGroup(tx, some, found, { areStored: true });
  }
}

/** Links statements of one sensitivity: what is more sensitive must not decide which of the others are linked. */
async function linkGroup(
  tx: Tx,
  told: readonly ToldStatement[],
  found: readonly RarePostings[],
  { areStored = false } = {},
): Promise<void> {
  const [{ prepared: { sensitivity, embeddingModel } }] = told as [ToldStatement];
  const words = told.map(wordsOf);
  const holders = await readHolders(found);
  if (!areStored) addTold(holders, told, words);
  const slices = new Slices();
  const mostShared = holders.finder();
  const shared: SharedWords[] = [];
  for (const [of, { docNo, prepared }] of told.entries()) {
    await slices.yieldIfDue();
    shared.push(...mostShared(words[of]!, docNo, prepared.analysis.length).map((one) => ({ of, ...one })));
  }
  const statements = told.map(({ prepared, ...statement }): NewStatement => ({
    ...statement,
    vector: prepared.embedding,
  }));
  if (shared.length === 0 && statements.every(({ vector }) => vector === null)) return;
  const models = comparableWith(embeddingModel);
  await linkStatements(tx, statements, shared, { models, sensitivity, areStored }, LIMITS);
}

/** The function words of all languages that are told apart. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  Object.values(FUNCTION_WORDS_BY_LANGUAGE).flatMap((words) => [...words]),
);

/** The words by which a statement is looked up; the longest ones if there are many, because short ones are seldom rare. */
function wordsOf({ prepared: { analysis } }: Pick<ToldStatement, "prepared">): string[] {
  const terms = wordAndStemTerms(analysis.terms);
  const stems = terms.filter(isStem), plain = terms.filter((term) => !isStem(term));
  // What is a function word in one language may be a word in another one.
  const words = stems.length === 0 ? plain : [...plain.filter((word) => !FUNCTION_WORDS.has(word)), ...rootsOf(stems)];
  return words.length <= TERMS_MAX ? words : words.sort((a, b) => b.length - a.length).slice(0, TERMS_MAX);
}

function isStem(term: string): boolean {
  return term.startsWith(STEM_PREFIX);
}

/** A word in another language than English has several stems, of which the shortest stands for all. */
function rootsOf(stems: readonly string[]): string[] {
  const roots: string[] = [];
  for (const stem of stems.toSorted((a, b) => a.length - b.length)) {
    const isForm = /^[=#]/u.test(stem.slice(STEM_PREFIX.length));
    if (!isForm && !roots.some((root) => stem.startsWith(root))) roots.push(stem);
  }
  return roots;
}

/** How much each of some words counts: a word and its stem are one. */
function scaleOf(words: readonly string[]): number {
  const stems = words.filter(isStem).length;
  return words.length === 0 ? 1 : Math.max(stems, words.length - stems) / words.length;
}

/** The texts that hold some words, by their places in a list: a batch asks for the same texts again and again. */
class Holders {
  readonly #placeOf = new Map<number, number>();
  readonly #docNos: number[] = [];
  /** In words. */
  readonly #lengths: number[] = [];
  /** For each word how many texts hold it, and the places of those that were read. */
  readonly #byWord = new Map<string, { df: number; readonly places: number[] }>();

  add(word: string, docNo: number, length: number): void {
    let place = this.#placeOf.get(docNo);
    if (place === undefined) {
      this.#placeOf.set(docNo, place = this.#docNos.push(docNo) - 1);
      this.#lengths.push(length);
    }
    this.#of(word).places.push(place);
  }

  /** Says how many more texts hold a word. */
  count(word: string, df: number): void {
    this.#of(word).df += df;
  }

  #of(word: string) {
    let own = this.#byWord.get(word);
    if (own === undefined) this.#byWord.set(word, own = { df: 0, places: [] });
    return own;
  }

  /** A function that finds the texts that share most with a statement, the latest first of equals. */
  finder(): (words: readonly string[], docNo: number, length: number) => { docNo: number; share: number }[] {
    const sums = new Float64Array(this.#docNos.length);
    return (words, docNo, length) => {
      const met: number[] = [];
      const scale = scaleOf(words);
      for (const word of words) {
        const { df, places } = this.#byWord.get(word) ?? { df: 0, places: [] };
        if (df > DF_MAX) continue;
        // Greetings and praise, of which a conversation is full, count for hardly anything.
        const weight = scale * Math.min(1, RARE_DF / df);
        for (const place of places) {
          if (sums[place] === 0) met.push(place);
          sums[place]! += weight;
        }
      }
      const found: { docNo: number; share: number }[] = [];
      for (const place of met) {
        const other = this.#docNos[place]!;
        const share = shareOf(sums[place]!, length, this.#lengths[place]!);
        // A statement is compared with those that were stored before it, which its batch and the index hold beside others.
        if (share >= SHARE_MIN && other < docNo) found.push({ docNo: other, share });
        sums[place] = 0;
      }
      return found.sort((a, b) => b.share - a.share || b.docNo - a.docNo).slice(0, COMPARED_MAX);
    };
  }
}

async function readHolders(found: readonly RarePostings[]): Promise<Holders> {
  const slices = new Slices();
  const holders = new Holders();
  for (const { term, df, entries } of found) {
    await slices.yieldIfDue();
    holders.count(term, df);
    const words = decodePostings(entries);
    for (let i = 0; i < words.length; i += ENTRY_WORDS) holders.add(term, words[i]!, words[i + 2]! & 0xff);
  }
  return holders;
}

/** Adds the statements of a batch, which are not in the index yet, to the holders of their words. */
function addTold(holders: Holders, told: readonly ToldStatement[], words: readonly string[][]): void {
  if (told.length < 2) return;
  for (const [of, { docNo, prepared: { analysis: { length } } }] of told.entries()) {
    for (const word of words[of]!) {
      holders.count(word, 1);
      holders.add(word, docNo, length);
    }
  }
}

/** How much two texts share, by the weights of their common words and the length of the shorter one. */
function shareOf(sum: number, a: number, b: number): number {
  return sum / Math.sqrt(Math.max(LENGTH_MIN, Math.min(a, b)));
}
