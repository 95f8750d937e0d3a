/**
 * Splits texts into words, and gives stop words and stems. Recall, the built-in embeddings, the
 * extraction rules and all comparisons of statements use it. Pure and synchronous.
 */
import { stemmer } from "stemmer";
import { STOP_WORDS } from "./stop_words.ts";

/**
 * How a text is split into words. The two forms differ, and stored data depends on both, so each stays as it is unless
 * that data is computed again.
 *
 * - `search`: the form for postings, queries and comparisons of statements. Words have no possessive and no
 *   apostrophe ("Caroline's" → "caroline", "don't" → "dont"), numbers keep their points ("1.2.3"), and scripts that are
 *   written without spaces give overlapping pairs of characters.
 * - `prose`: the form for the vectors of the built-in embeddings and for the extraction rules. Words keep their
 *   apostrophes ("don't"), and scripts without spaces give whole runs.
 */
export type WordForm = "search" | "prose";

/**
 * Longest stem of the search form, in UTF-16 units: a longer word is cut, so that a pasted blob cannot bloat the vocabulary.
 */
export const TERM_UNITS_MAX = 48;
/** Longest word of the prose form that is stemmed, in UTF-16 units. */
const PROSE_STEMMED_MAX = 32;

const SEARCH_WORD = /[\p{L}\p{N}\p{M}]+(?:['’ʼ]\p{L}+)*(?:[.,]\p{N}+)*/gu;
/** Any two versions of Unicode split ordinary text the same way by this. */
const PROSE_WORD = /[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu;
const ASCII_ONLY = /^[ -~\s]*$/;
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const APOSTROPHES = /['’ʼ]/g;
const STEM_CACHE_MAX = 65_536;
const stemCache = new Map<string, string>();

/** A word of a text with its position. */
export interface Word {
  readonly raw: string;
  readonly folded: string;
  /** Place of its first UTF-16 unit. */
  readonly index: number;
}

/** A longer text may become this many times as long; what is beyond is left out. */
const EXPANSION_MAX = 2;
const SHORT_MAX = 4_096;

/**
 * NFKC; ASCII text, the usual case, is returned as it is. A character may stand for eighteen others, so a text of nothing
 * else is cut: it would take as long as a megabyte.
 */
export function normaliseText(text: string): string {
  return ASCII_ONLY.test(text)
    ? text
    : text.normalize("NFKC").slice(0, Math.max(SHORT_MAX, EXPANSION_MAX * text.length));
}

/** The words of a normalised text in the search form, in order, with their places. */
export function splitWords(text: string): Word[] {
  const out: Word[] = [];
  for (const match of text.matchAll(SEARCH_WORD)) {
    const raw = match[0];
    if (raw.charCodeAt(0) > 0x7f && UNSPACED_SCRIPT.test(raw)) {
      const characters = [...raw];
      if (characters.length === 1) out.push({ raw, folded: raw, index: match.index });
      for (let i = 0; i + 1 < characters.length; i++) {
        const pair = characters[i]! + characters[i + 1]!;
        out.push({ raw: pair, folded: pair.toLowerCase(), index: match.index });
      }
      continue;
    }
    out.push({ raw, folded: foldWord(raw), index: match.index });
  }
  return out;
}

/** Whether the word at `index` opens a sentence or the text, so that its capital means nothing. */
export function opensSentence(text: string, index: number): boolean {
  for (let i = index - 1; i >= 0; i--) {
    const c = text.charCodeAt(i);
    if (c === 32 || c === 34 || c === 39 || c === 40 || c === 0x201c || c === 0x2018) continue;
    return c === 46 || c === 33 || c === 63 || c === 10 || c === 58 || c === 91;
  }
  return true;
}

/** The folded words of any text, in order, with repetitions. */
export function listWords(text: string, form: WordForm): string[] {
  if (form === "search") return splitWords(normaliseText(text)).map(({ folded }) => folded);
  return text.normalize("NFKC").toLowerCase().replaceAll("\u2019", "'").match(PROSE_WORD) ?? [];
}

/** The stems of the words that carry content, in order, with repetitions. */
export function listContentStems(text: string, form: WordForm): string[] {
  return listWords(text, form).filter((word) => word !== "" && !isStopWord(word, form))
    .map((word) => stemWord(word, form));
}

/** Whether a folded word says little about what a text is about. The search form never indexes such a word. */
export function isStopWord(word: string, form: WordForm): boolean {
  return STOP_WORDS[form].has(word);
}

/**
 * The Porter stem of a folded English word. Words with digits or beyond ASCII stay as they are, and so do words of the
 * prose form that are very long; the prose form drops a possessive first.
 */
export function stemWord(word: string, form: WordForm): string {
  if (form === "search") return stemTerm(word);
  const bare = word.endsWith("'s") ? word.slice(0, -2) : word;
  return bare.length <= PROSE_STEMMED_MAX ? stemTerm(bare) : bare;
}

function stemTerm(word: string): string {
  let stem = stemCache.get(word);
  if (stem === undefined) {
    stem = /^[a-z]+$/.test(word) ? stemmer(word) : word;
    if (stem.length > TERM_UNITS_MAX) stem = stem.slice(0, TERM_UNITS_MAX);
    if (stemCache.size >= STEM_CACHE_MAX) stemCache.clear();
    stemCache.set(word, stem);
  }
  return stem;
}

/** Lower case without possessive, apostrophes and thousands separators: "1,200" → "1200"; decimal points stay. */
function foldWord(word: string): string {
  let folded = word.toLowerCase();
  if (/['’ʼ]/.test(folded)) folded = folded.replace(/['’ʼ]s$/, "").replace(APOSTROPHES, "");
  return folded.includes(",") ? folded.replaceAll(",", "") : folded;
}
