/** The plan of a query: turns a question into the terms whose postings are needed, and says what it asks for. */
import { type DateWindow, parseDates } from "../../language/dates.ts";
import { foldLetters } from "../../language/letters.ts";
import type { Zone } from "../../language/local_time.ts";
import { participantKey } from "../../language/names.ts";
import { detectLanguages } from "../../language/detect_language.ts";
import { isStopWord, normaliseText, type Word } from "../../language/tokenise.ts";
import type { PostingsList } from "../terms/postings.ts";
import { listEmojiWords, listSmallNames } from "../terms/spellings.ts";
import { type Expansion, isForeignStopWord } from "../terms/stems.ts";
import { PARTICIPANT_PREFIX } from "../terms/text.ts";
import { findCues, type QueryCues } from "./cues.ts";
import { addCompounds, addRunAcronyms, findCapitals, makeTerms, type QueryTerm } from "./terms.ts";
import { type QueryWord, splitQuery } from "./words.ts";

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
  /** Whether the query seems to be in English: the sentence encoder reads nothing else well. */
  readonly isEnglish: boolean;
}

/** Options of `planQuery`. */
export interface PlanOptions {
  /** The time from which "yesterday" and "in May" are counted, in ms since the epoch. */
  readonly referenceMs: number;
  /** The zone of the asker's days; default: UTC. */
  readonly zone?: Zone;
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
  const words = splitQuery(text);
  const emoji = listEmojiWords(text).map((one) => isWithin(one, words) ? one : { ...one, weight: EMOJI_WEIGHT });
  const reading = detectLanguages(text, words);
  const dates = parseDates(text, options.referenceMs, options.zone);
  const isDated = (word: Word) => dates.spans.some((s) => word.index >= s.start && word.index < s.end);
  const names = new Set(listSmallNames(text, words));
  const isWanted = (w: Word) => w.folded !== "" && (names.has(w) || !isStopWord(w.folded, "search")) && !isDated(w);
  const worded = words.filter(isWanted);
  const wanted = withEmoji(worded, emoji);
  const telling = withEmoji(worded.filter((word) => names.has(word) || !isForeignStopWord(word, reading)), emoji);
  const capitals = findCapitals(text, words, reading);
  const { terms, at } = makeTerms(text, telling.length > 0 ? telling : wanted, reading, capitals);
  const expanded = addCompounds(addRunAcronyms(terms, capitals.runs, at), words, at);
  const fullNames = capitals.runs.map((run) => participantKey(run.map((w) => w.raw).join(" ")));
  return {
    terms: expanded,
    fullNames,
    windows: dates.windows,
    cues: findCues(text, words),
    keys: lookupKeys(expanded, fullNames),
    isEnglish: reading.whole.length === 0 && isLatin(words),
  };
}

/** Before or after a sentence an emoji says little; within it, it is a word: "What does 🚀 mean?" */
const EMOJI_WEIGHT = 0.4;

function withEmoji(words: readonly QueryWord[], emoji: readonly QueryWord[]): readonly QueryWord[] {
  if (emoji.length === 0) return words;
  return words.length === 0 ? emoji.map(({ weight: _, ...one }) => one) : [...words, ...emoji];
}

/** Whether a word stands between the first and the last of others. */
function isWithin({ index }: Word, words: readonly Word[]): boolean {
  return words.length > 0 && index > words[0]!.index && index < words.at(-1)!.index;
}

/**
 * Whether a query seems to be in English, as `planQuery` reads it. A bare identifier, an emoji or a name that is else a
 * small word ("Who is So?") is in no language.
 */
export function seemsEnglish(query: string): boolean {
  const text = normaliseText(query), words = splitQuery(text);
  const isTelling = ({ raw, folded }: Word) => !/\d/.test(raw) && !isStopWord(folded, "search");
  return detectLanguages(text, words).whole.length === 0 && isLatin(words) &&
    (words.some(isTelling) ||
      words.length > 0 && words.every(({ raw }) => !/\d/.test(raw)) && listSmallNames(text, words).length === 0);
}

/** Whether most words are written in Latin letters. */
function isLatin(words: readonly Word[]): boolean {
  const latin = words.filter(({ raw }) => /\p{Script=Latin}/u.test(raw)).length;
  return 2 * latin >= words.filter(({ raw }) => /\p{L}/u.test(raw)).length;
}

/** The names under which a person of a query is looked up: as written, and with plain letters. */
export function participantNames(name: string): string[] {
  return [...new Set([name, foldLetters(name)])];
}

function lookupKeys(terms: readonly QueryTerm[], fullNames: readonly string[]): string[] {
  const keys = new Set<string>();
  for (const t of terms) {
    keys.add(t.term);
    for (const e of t.expansions) keys.add(e.term);
    if (t.person !== "no") { for (const name of participantNames(t.word)) keys.add(PARTICIPANT_PREFIX + name); }
  }
  for (const name of fullNames.flatMap(participantNames)) keys.add(PARTICIPANT_PREFIX + name);
  return [...keys];
}

/**
 * Terms of a plan that found nothing, neither themselves nor by an abbreviation nor as a
 * participant. For each of them the caller reads the vocabulary with the same first letter and
 * calls `nearTerms`.
 */
export function unknownTerms(plan: QueryPlan, lists: ReadonlyMap<string, readonly PostingsList[]>): string[] {
  const found = (key: string) => (lists.get(key)?.length ?? 0) > 0;
  return plan.terms.filter((t) =>
    t.term.length >= 4 && !found(t.term) && !found(PARTICIPANT_PREFIX + t.word) &&
    !t.expansions.some((e) => found(e.term))
  ).map((t) => t.term);
}

/** Lists the substitutes whose postings the caller has yet to read. */
export function unreadSubstitutes(
  substitutes: Iterable<readonly Expansion[]>,
  lists: ReadonlyMap<string, readonly PostingsList[]>,
): string[] {
  return [...new Set([...substitutes].flat().map(({ term }) => term))].filter((term) => !lists.has(term));
}
