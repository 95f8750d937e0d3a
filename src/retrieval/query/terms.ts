/** The terms of a query: its distinct content words, what each of them weighs, and what may replace it. */
import { wordSet } from "../../language/word_set.ts";
import type { LanguageReading } from "../../language/detect_language.ts";
import { isStopWord, normaliseText, opensSentence, splitWords, stemWord, type Word } from "../../language/tokenise.ts";
import { expandCodes, expandSpelling } from "../terms/spellings.ts";
import { expandStems, type Expansion } from "../terms/stems.ts";
import { analyseText, numeronym } from "../terms/text.ts";
import type { QueryWord } from "./words.ts";

/**
 * At most this many distinct terms of a query are scored, because their matches are bits of one u32.
 */
export const QUERY_TERMS_MAX = 24;
/**
 * At most this many distinct terms of a query are looked up: of a longer query those at its beginning
 * and end. The rarest `QUERY_TERMS_MAX` of those that some document holds are scored.
 */
export const QUERY_LOOKUPS_MAX = 128;
/** Words that frame a question and seldom occur in its answer. They count for little in a query. */
export const SCAFFOLD_WORDS = wordSet(`
  kind kinds type types sort sorts thing things way ways person people time times name names named mention mentions mentioned
  say says said tell tells told describe describes described discuss discusses discussed talk talks talked talking
  share shares shared get gets got getting have make makes made making go goes went gone going take takes took taken taking
  use uses used using like likes liked think thinks thought feel feels felt consider considered considering
  many much long often likely regarding specific different various
  happen happens happened according currently recently
`);
/** Weight of a scaffold word (see `SCAFFOLD_WORDS`) against 1 for any other. */
const SCAFFOLD_WEIGHT = 0.4;

/** Weight of a joined word ("icecream") against its two parts. */
const COMPOUND_WEIGHT = 0.9;

/** One distinct content word of the query. */
export interface QueryTerm {
  readonly term: string;
  /** The folded word that the term is the stem of. */
  readonly word: string;
  readonly weight: number;
  /** Numbers, from 0, of the query's sentences that hold the term. */
  readonly sentences: readonly number[];
  /** Capitalised inside a sentence, or quoted: likely the name of something. */
  readonly entity: boolean;
  /** May be a person's name: looked up among the participants. Short forms ("Mel") count only inside a sentence. */
  readonly person: "no" | "maybe" | "midCapital";
  readonly expansions: readonly Expansion[];
}

/** Abbreviations both ways: "k8s" finds "kubernetes", "kubernetes" finds "k8s", "NYC" finds "New York City". */
function abbreviations(word: Word): Expansion[] {
  const out: Expansion[] = [];
  if (/^[a-z]\d{1,2}[a-z]$/.test(word.folded)) out.push({ term: `@n:${word.folded}`, weight: 0.9 });
  if (/^\p{Lu}{2,6}$/u.test(word.raw)) out.push({ term: `@a:${word.folded}`, weight: 0.7 });
  const short = numeronym(word.folded);
  if (short !== undefined) out.push({ term: short, weight: 0.9 });
  return out;
}

interface Capitals {
  /** Runs of two or more adjacent capitalised words. */
  runs: Word[][];
  /**
   * Whether the query has capitals beyond the first letter and "I". Only then does a small letter
   * show that a word is no name.
   */
  meaningful: boolean;
  /** The query is in German, which writes each noun with a capital. */
  areNouns: boolean;
}

function isCapital({ raw }: Word): boolean {
  return raw[0] !== raw[0].toLowerCase();
}

/** Whether a word has a capital inside a sentence. */
function isCapitalWithin(text: string, word: Word): boolean {
  return isCapital(word) && !opensSentence(text, word.index);
}

/** The capitals of a query, by which names are recognised. */
export function findCapitals(text: string, words: readonly Word[], reading: LanguageReading): Capitals {
  const runs: Word[][] = [];
  let run: Word[] = [];
  let meaningful = false;
  for (const word of words) {
    const capital = isCapital(word) && !isStopWord(word.folded, "search");
    if (capital && !opensSentence(text, word.index)) meaningful = true;
    const last = run[run.length - 1];
    const joined = capital && last !== undefined && word.index === last.index + last.raw.length + 1;
    if (!joined) {
      if (run.length > 1) runs.push(run);
      run = [];
    }
    if (capital) run.push(word);
  }
  if (run.length > 1) runs.push(run);
  return { runs, meaningful, areNouns: reading.whole.includes("german") };
}

function quotedRanges(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/["“]([^"“”]{2,})["”]/g)].map((m) => ({ start: m.index, end: m.index + m[0].length }));
}

/** The distinct terms of words, at most `QUERY_LOOKUPS_MAX`, and where each of them is. */
export function makeTerms(
  text: string,
  words: readonly QueryWord[],
  reading: LanguageReading,
  capitals: Capitals,
): { readonly terms: QueryTerm[]; readonly at: Map<string, number> } {
  const quotes = quotedRanges(text);
  const codes = expandCodes(text, words);
  const found: QueryTerm[] = [];
  const known = new Map<string, number>();
  let sentence = 0, end = 0;
  for (const word of words) {
    if (endsSentence(text.slice(end, word.index))) sentence++;
    end = word.index + word.raw.length;
    const term = stemWord(word.folded, "search");
    const made = makeTerm(text, word, term, sentence, capitals, quotes);
    const isNameLike = isCapitalWithin(text, word);
    const place = known.get(term);
    if (place === undefined) {
      // For an English question, texts in other languages are searched only for what is likely a
      // name.
      const stems = !reading.isEnglish || isNameLike || !/^[a-z]+$/.test(word.folded)
        ? expandStems(word, reading, isNameLike)
        : [];
      known.set(term, found.length);
      const spellings = [...(word.expansions ?? expandSpelling(word)), ...(codes.get(word.index) ?? [])];
      found.push({ ...made, expansions: withBestWeights([...made.expansions, ...spellings, ...stems]) });
    } else found[place] = mergeTerms(found[place]!, made);
  }
  const terms = found.length <= QUERY_LOOKUPS_MAX
    ? found
    : [...found.slice(0, QUERY_LOOKUPS_MAX / 2), ...found.slice(-QUERY_LOOKUPS_MAX / 2)];
  return { terms, at: new Map(terms.map(({ term }, i) => [term, i])) };
}

/** Each term once, with its greatest weight. */
function withBestWeights(expansions: readonly Expansion[]): Expansion[] {
  const best = new Map<string, number>();
  for (const { term, weight } of expansions) best.set(term, Math.max(weight, best.get(term) ?? 0));
  return [...best].map(([term, weight]) => ({ term, weight }));
}

/** Whether the text between two words ends a sentence. */
function endsSentence(between: string): boolean {
  return /[.!?;…]["”’')\]]*\s|[。！？\n]/.test(between);
}

/**
 * Merges a word that occurs again: adds its sentence, and takes over the signals that it is a name.
 */
function mergeTerms(before: QueryTerm, again: QueryTerm): QueryTerm {
  const named = again.person === "midCapital" || again.entity;
  const [sentence] = again.sentences;
  return {
    ...before,
    ...(named && { person: again.person, entity: again.entity }),
    sentences: before.sentences.includes(sentence) ? before.sentences : [...before.sentences, sentence],
  };
}

function makeTerm(
  text: string,
  word: QueryWord,
  term: string,
  sentence: number,
  capitals: Capitals,
  quotes: { start: number; end: number }[],
): QueryTerm {
  const capital = isCapital(word);
  const middle = isCapitalWithin(text, word) && !capitals.areNouns;
  const quoted = quotes.some((q) => word.index > q.start && word.index < q.end);
  return {
    term,
    word: word.folded,
    weight: word.weight ?? (SCAFFOLD_WORDS.has(word.folded) ? SCAFFOLD_WEIGHT : 1),
    sentences: [sentence],
    entity: middle || quoted,
    person: middle ? "midCapital" : capital || !capitals.meaningful ? "maybe" : "no",
    expansions: abbreviations(word),
  };
}

/** "New York City" also finds "NYC": the abbreviation may replace each of the words, at a reduced weight. */
export function addRunAcronyms(
  terms: QueryTerm[],
  runs: readonly Word[][],
  at: ReadonlyMap<string, number>,
): QueryTerm[] {
  const out = [...terms];
  for (const run of runs) {
    if (run.length > 6) continue;
    const acronym = run.map((w) => w.raw[0]).join("").toLowerCase();
    for (const word of run) {
      const i = at.get(stemWord(word.folded, "search"));
      if (i !== undefined) out[i] = { ...out[i], expansions: [...out[i].expansions, { term: acronym, weight: 0.7 }] };
    }
  }
  return out;
}

/** "ice cream" also finds "icecream": the joined word may replace each of the two. */
export function addCompounds(terms: QueryTerm[], words: readonly Word[], at: ReadonlyMap<string, number>): QueryTerm[] {
  const out = [...terms];
  for (let i = 0; i + 1 < words.length; i++) {
    const left = words[i], right = words[i + 1];
    const a = at.get(stemWord(left.folded, "search")), b = at.get(stemWord(right.folded, "search"));
    if (a === undefined || b === undefined || right.index !== left.index + left.raw.length + 1) continue;
    const joined = { term: stemWord(left.folded + right.folded, "search"), weight: COMPOUND_WEIGHT };
    out[a] = { ...out[a], expansions: [...out[a].expansions, joined] };
    out[b] = { ...out[b], expansions: [...out[b].expansions, joined] };
  }
  return out;
}

/** How a text matches one term of a query. */
interface MatchedTerm {
  /** The query's word. */
  readonly asked: string;
  /** The text's words of the same stem or another spelling, as they stand there, each once. */
  readonly same: readonly string[];
}

/** Finds the words of a text that match the terms, in the order of the terms. */
export function findMatchedWords(text: string, terms: readonly QueryTerm[]): MatchedTerm[] {
  const words = splitWords(normaliseText(text)).map(({ raw }) => ({ raw, terms: new Set(analyseText(raw).terms) }));
  const wordsOf = (wanted: readonly string[]) => [
    ...new Map(
      words.filter((word) => wanted.some((term) => word.terms.has(term))).map(({ raw }) => [raw.toLowerCase(), raw]),
    ).values(),
  ];
  return terms.map(({ term, word, expansions }) => ({
    asked: word,
    same: wordsOf([term, ...expansions.map((one) => one.term)]),
  }));
}
