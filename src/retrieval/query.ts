/** The plan of a query: turns a question into the terms whose postings are needed, and says what it asks for. */

import { type DateWindow, parseDates } from "./dates.ts";
import { everydayTerms } from "./everyday_words.ts";
import { isForeignStopWord } from "./foreign_terms.ts";
import type { Lexicon, LexiconName } from "./lexicon.ts";
import { foldLetters } from "../language/letters.ts";
import type { Zone } from "../language/local_time.ts";
import { participantKey } from "../language/names.ts";
import { readTongues } from "../language/tongues.ts";
import { isStopWord, normaliseText, type Word } from "../language/words.ts";
import { findCues, type QueryCues } from "./query_cues.ts";
import { addCompounds, addRunAcronyms, findCapitals, makeTerms, type QueryTerm } from "./query_terms.ts";
import { type QueryWord, splitQuery } from "./query_words.ts";
import { listEmojiWords, listSmallNames } from "./spellings.ts";
import { PARTICIPANT_PREFIX } from "./text.ts";

/** At most so many distinct related terms are looked up for a query. */
export const QUERY_RELATED_MAX = 128;
/** At most so many related terms are looked up for one term at first. */
export const TERM_RELATED_MAX = 32;
/** At most so many terms of a query get related terms: those that are rarest in the language. */
export const QUERY_RELATING_MAX = 8;
/** A query with more terms than this gets no everyday terms. */
export const QUERY_EVERYDAY_MAX = 12;

/** Which postings to read for a query, and how to weigh its terms. Plain data: it may be logged or cached. */
export interface QueryPlan {
  readonly terms: readonly QueryTerm[];
  /** Names of several adjacent words ("john smith"), folded; they are looked up among the participants. */
  readonly fullNames: readonly string[];
  readonly windows: readonly DateWindow[];
  readonly cues: QueryCues;
  /**
   * Every term whose postings are needed: stems, expansions and participant pseudo-terms; distinct.
   */
  readonly keys: readonly string[];
  /**
   * The best related terms, none of them in `keys`. Their postings are read, too, if the limit
   * allows. For a corpus that holds few of them see `furtherRelated`.
   */
  readonly relatedKeys: readonly string[];
  /**
   * The everyday terms, none of them in the other lists. Their postings are needed in documents
   * without a session only.
   */
  readonly everydayKeys: readonly string[];
  /** Whether the query seems to be in English: the sentence encoder reads nothing else well. */
  readonly isEnglish: boolean;
  /** The source of the related terms. The ranker takes the weights that were trained with it. */
  readonly lexicon: LexiconName;
}

/** Options of `planQuery`. */
export interface PlanOptions {
  /** The time from which "yesterday" and "in May" are counted, in ms since the epoch. */
  readonly referenceMs: number;
  /** The zone of the asker's days; default: UTC. */
  readonly zone?: Zone;
  /** Adds related terms; absent: none. */
  readonly lexicon?: Lexicon;
}

/**
 * Analyses a query. No I/O: `keys` of the plan says which postings the caller is to read.
 *
 * Words that say a date are no terms. A query that holds only stop words gives a plan without terms, which finds
 * nothing. Stop words of other languages are left out, too, unless the
 * query has no other word.
 */
export function planQuery(query: string, options: PlanOptions): QueryPlan {
  const text = normaliseText(query);
  const emoji = listEmojiWords(text);
  const words = splitQuery(text);
  const reading = readTongues(text, words);
  const dates = parseDates(text, options.referenceMs, options.zone);
  const isDated = (word: Word) => dates.spans.some((s) => word.index >= s.start && word.index < s.end);
  const names = new Set(listSmallNames(text, words));
  const isWanted = (w: Word) => w.folded !== "" && (names.has(w) || !isStopWord(w.folded, "search")) && !isDated(w);
  const worded = words.filter(isWanted);
  const wanted = withEmoji(worded, emoji);
  const telling = withEmoji(worded.filter((word) => names.has(word) || !isForeignStopWord(word, reading)), emoji);
  const capitals = findCapitals(text, words);
  const { terms, at } = makeTerms(text, telling.length > 0 ? telling : wanted, reading, capitals);
  const compounded = addCompounds(addRunAcronyms(terms, capitals.runs, at), words, at);
  // The lexicon is English: a word of another language that is spelled like an English one is related to other words.
  const isEnglish = reading.whole.length === 0;
  const expanded = addRelated(
    isEnglish ? addEveryday(compounded) : compounded,
    isEnglish ? options.lexicon : undefined,
  );
  const fullNames = capitals.runs.map((run) => participantKey(run.map((w) => w.raw).join(" ")));
  return {
    terms: expanded,
    fullNames,
    windows: dates.windows,
    cues: findCues(text, words),
    ...lookupKeys(expanded, fullNames),
    isEnglish: isEnglish && isLatin(words),
    lexicon: options.lexicon?.name ?? "none",
  };
}

/** Beside words an emoji says little. */
const EMOJI_WEIGHT = 0.4;

function withEmoji(words: readonly QueryWord[], emoji: readonly QueryWord[]): readonly QueryWord[] {
  if (emoji.length === 0) return words;
  return words.length === 0 ? emoji : [...words, ...emoji.map((one) => ({ ...one, weight: EMOJI_WEIGHT }))];
}

/** Whether a query seems to be in English, as `planQuery` reads it. */
export function seemsEnglish(query: string): boolean {
  const text = normaliseText(query), words = splitQuery(text);
  return readTongues(text, words).whole.length === 0 && isLatin(words);
}

/** Whether most words are written in Latin letters. */
function isLatin(words: readonly Word[]): boolean {
  const latin = words.filter(({ raw }) => /\p{Script=Latin}/u.test(raw)).length;
  return 2 * latin >= words.filter(({ raw }) => /\p{L}/u.test(raw)).length;
}

/** Adds everyday terms to the terms of a question. A long message gets none: it holds such words for other reasons. */
function addEveryday(terms: readonly QueryTerm[]): readonly QueryTerm[] {
  if (terms.length > QUERY_EVERYDAY_MAX) return terms;
  return terms.map((term) => term.entity ? term : { ...term, everyday: everydayTerms(term.term) });
}

/**
 * Adds related terms to the query's terms, but not to likely names or to words that only frame the
 * question. Of a long message only the rarest words get them.
 */
function addRelated(terms: readonly QueryTerm[], lexicon: Lexicon | undefined): QueryTerm[] {
  if (lexicon === undefined) return [...terms];
  const ranked = terms.flatMap((term, at) => {
    const rank = term.entity || term.weight < 1 ? undefined : lexicon.rankOf(term.term);
    return rank === undefined ? [] : { at, rank };
  }).sort((a, b) => b.rank - a.rank);
  const relating = new Set(ranked.slice(0, QUERY_RELATING_MAX).map(({ at }) => at));
  return terms.map((term, at) => relating.has(at) ? { ...term, related: lexicon.related(term.term) } : term);
}

/** How many related terms of each term are looked up at first; the more terms share the limit, the fewer. */
export function relatedShare(terms: readonly QueryTerm[]): number {
  const relating = terms.filter(({ related }) => related.length > 0).length;
  return Math.min(TERM_RELATED_MAX, Math.floor(QUERY_RELATED_MAX / Math.max(1, relating)));
}

/** The names under which a person of a query is looked up: as written, and with plain letters. */
export function participantNames(name: string): string[] {
  return [...new Set([name, foldLetters(name)])];
}

function lookupKeys(
  terms: readonly QueryTerm[],
  fullNames: readonly string[],
): Pick<QueryPlan, "keys" | "relatedKeys" | "everydayKeys"> {
  const keys = new Set<string>();
  for (const t of terms) {
    keys.add(t.term);
    for (const e of t.expansions) keys.add(e.term);
    if (t.person !== "no") { for (const name of participantNames(t.word)) keys.add(PARTICIPANT_PREFIX + name); }
  }
  for (const name of fullNames.flatMap(participantNames)) keys.add(PARTICIPANT_PREFIX + name);
  const related = new Set<string>(), share = relatedShare(terms);
  for (const t of terms) for (const { term } of t.related.slice(0, share)) if (!keys.has(term)) related.add(term);
  const everyday = new Set(terms.flatMap((t) => t.everyday.map(({ term }) => term)));
  const others = [...everyday].filter((term) => !keys.has(term) && !related.has(term));
  return { keys: [...keys], relatedKeys: [...related], everydayKeys: others };
}
