/**
 * Query analysis: turns a question into the terms whose postings are needed, and reads what it asks
 * for.
 */

import { type DateWindow, parseDates } from "./dates.ts";
import { everydayTerms } from "./everyday_words.ts";
import type { Lexicon, LexiconName, Related } from "./lexicon.ts";
import { participantKey } from "../language/names.ts";
import { readTongues, type TongueReading } from "../language/tongues.ts";
import { isStopWord, normaliseText, opensSentence, stemWord, type Word } from "../language/words.ts";
import { LIST_CUES, RECORDING_WORDS, SCAFFOLD_WORDS, TIME_QUESTION_WORDS, TITLED_WORKS } from "./cue_words.ts";
import { type QueryWord, splitQuery } from "./query_words.ts";
import { expandStems, isForeignStopWord } from "./foreign_terms.ts";
import { numeronym, PARTICIPANT_PREFIX } from "./text.ts";

/**
 * At most so many distinct terms of a query are scored, because their matches are bits of one u32.
 */
export const QUERY_TERMS_MAX = 24;
/**
 * At most so many distinct terms of a query are looked up: of a longer query those at its beginning
 * and end. The rarest `QUERY_TERMS_MAX` of those that some document holds are scored.
 */
export const QUERY_LOOKUPS_MAX = 128;
/** At most so many distinct related terms are looked up for a query, and at first for one term. */
export const QUERY_RELATED_MAX = 128;
export const TERM_RELATED_MAX = 32;
/** At most so many terms of a query get related terms: those that are rarest in the language. */
export const QUERY_RELATING_MAX = 8;
/** A query with more terms than this gets no everyday terms. */
export const QUERY_EVERYDAY_MAX = 12;
/** Weight of a scaffold word (see `SCAFFOLD_WORDS`) against 1 for any other. */
export const SCAFFOLD_WEIGHT = 0.4;

/** Weight of a joined word ("icecream") against its two parts. */
const COMPOUND_WEIGHT = 0.9;

/**
 * A term that may replace a query term, and the weight of a match against 1 for the term itself.
 */
export interface Expansion {
  readonly term: string;
  readonly weight: number;
}

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
  /**
   * Terms that documents without a session use in its place, see everyday_words.ts. Turns of
   * sessions are not searched for them.
   */
  readonly everyday: readonly Expansion[];
  /**
   * Terms of the lexicon that may replace it. They count for less than expansions, and only in the
   * kernel.
   */
  readonly related: readonly Related[];
}

/** What a question asks for. */
export interface QueryCues {
  readonly when: boolean;
  readonly where: boolean;
  readonly title: boolean;
  readonly list: boolean;
  readonly count: boolean;
  /** It asks what the service was told or has stored, so its dates mean the time of recording. */
  readonly recording: boolean;
}

/**
 * Which postings to read for a query, and how to weigh its terms. Plain data: it may be logged or
 * cached.
 */
export interface QueryPlan {
  readonly terms: readonly QueryTerm[];
  /**
   * Names of several adjacent words ("john smith"), folded; they are looked up among the
   * participants.
   */
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
  /** The source of the related terms. The ranker takes the weights that were trained with it. */
  readonly lexicon: LexiconName;
}

/** Options of `planQuery`. */
export interface PlanOptions {
  /** The time from which "yesterday" and "in May" are counted, in ms since the epoch. */
  readonly referenceMs: number;
  /** Adds related terms; absent: none. */
  readonly lexicon?: Lexicon;
}

/** "What did I tell you", "what have you learned", "what was stored in memory". */
const RECORDING =
  /\b(?:i|we)(?:'ve|'d)?(?: have| had)?(?: ever| just| already)? (?:tell|told|teach|taught|give|given|gave|say|said|mention|mentioned|ask|asked)(?: to)? you\b|\byou(?:'ve|'d)?(?: have| had)?(?: ever| just| already| newly)? (?:learn|learned|learnt|store|stored|save|saved|record|recorded|remember|remembered|note|noted|add|added|memori[sz]e|memori[sz]ed|capture|captured|write down|written down)\b|\b(?:i|we) (?:store|stored|save|saved|record|recorded|memori[sz]e|memori[sz]ed)\b|\b(?:stored|saved|recorded|added|noted|imported|new)\b.*\b(?:memory|memories|facts)\b|\b(?:memory|memories|facts)\b.*\b(?:stored|saved|recorded|added|noted|imported)\b|\bwhat(?: was|'s been| has been|'s| is| got) (?:newly )?(?:stored|saved|recorded|memori[sz]ed|learned|learnt)\b/;

function findCues(text: string, words: readonly Word[]): QueryCues {
  const lower = text.toLowerCase();
  const asks = /\b(?:what|which|whose|name)\b/.test(lower);
  const first = words.slice(0, 6).map((w) => w.folded);
  const head = first.findIndex((w) => w === "what" || w === "which");
  const plural = head >= 0 &&
    first.slice(head + 1, head + 4).some((w) =>
      LIST_CUES.has(w) || /[^s]s$/.test(w) && w.length > 3 && !isStopWord(w, "search")
    );
  return {
    when:
      /^\W*(?:(?:since|until|by|from)\s+)?when\b|\bwhen (?:did|was|were|is|are|does|do|will|has|have|had)\b|\bhow (?:long|recently)\b|\bhow many (?:days|weeks|months|years)\b|\b(?:what|which) (?:day|date|month|year|time)\b/
        .test(lower),
    where:
      /\bwhere\b|\b(?:what|which) (?:city|country|state|town|place|places|cities|countries|states|location|area|region)\b/
        .test(lower),
    title: asks && words.some((w) => TITLED_WORKS.has(w.folded)),
    list: plural || /\bwhat (?:all|are|were)\b|\blist\b/.test(lower),
    count: /\bhow (?:many|often)\b/.test(lower),
    recording: RECORDING.test(lower),
  };
}

/**
 * Whether a query with dates asks only what was or will be at that time: "what happened in May",
 * "what is planned for tomorrow", "what did Caroline do last week". Only then is a date alone a
 * reason to return anything.
 * @param isName whether a word of the query names somebody
 */
export function asksOnlyOfTime(
  { windows, terms, cues }: Pick<QueryPlan, "windows" | "terms" | "cues">,
  isName: (term: QueryTerm) => boolean,
): boolean {
  return windows.length > 0 &&
    terms.every((term) =>
      SCAFFOLD_WORDS.has(term.word) || TIME_QUESTION_WORDS.has(term.word) ||
      cues.recording && RECORDING_WORDS.has(term.word) || isName(term)
    );
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
}

function findCapitals(text: string, words: readonly Word[]): Capitals {
  const runs: Word[][] = [];
  let run: Word[] = [];
  let meaningful = false;
  for (const word of words) {
    const capital = word.raw[0] !== word.raw[0].toLowerCase() && !isStopWord(word.folded, "search");
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
  return { runs, meaningful };
}

function quotedRanges(text: string): { start: number; end: number }[] {
  return [...text.matchAll(/["“]([^"“”]{2,})["”]/g)].map((m) => ({ start: m.index, end: m.index + m[0].length }));
}

/**
 * Analyses a query. No I/O: `keys` of the plan says which postings the caller is to read.
 *
 * Words that say a date are no terms; a query that is nothing but stop words is analysed with its stop words' letters
 * ignored, so it gives a plan without terms, which finds nothing. Stop words of other languages are left out, too, unless the
 * query has no other word.
 */
export function planQuery(query: string, options: PlanOptions): QueryPlan {
  const text = normaliseText(query);
  const words = splitQuery(text);
  const reading = readTongues(text, words);
  const dates = parseDates(text, options.referenceMs);
  const isDated = (word: Word) => dates.spans.some((s) => word.index >= s.start && word.index < s.end);
  const wanted = words.filter((w) => w.folded !== "" && !isStopWord(w.folded, "search") && !isDated(w));
  const telling = wanted.filter((word) => !isForeignStopWord(word, reading));
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
    lexicon: options.lexicon?.name ?? "none",
  };
}

/** The distinct terms of words, at most `QUERY_LOOKUPS_MAX`, and where each of them is. */
function makeTerms(
  text: string,
  words: readonly QueryWord[],
  reading: TongueReading,
  capitals: Capitals,
): { readonly terms: QueryTerm[]; readonly at: Map<string, number> } {
  const quotes = quotedRanges(text);
  const found: QueryTerm[] = [];
  const known = new Map<string, number>();
  let sentence = 0, end = 0;
  for (const word of words) {
    if (endsSentence(text.slice(end, word.index))) sentence++;
    end = word.index + word.raw.length;
    const term = stemWord(word.folded, "search");
    const made = makeTerm(text, word, term, sentence, capitals, quotes);
    const place = known.get(term);
    if (place === undefined) {
      const middle = made.person === "midCapital";
      // For an English question, texts in other languages are searched only for what is likely a
      // name.
      const stems = !reading.isEnglish || middle || !/^[a-z]+$/.test(word.folded)
        ? expandStems(word, reading, middle)
        : [];
      known.set(term, found.length);
      found.push({ ...made, expansions: [...made.expansions, ...(word.expansions ?? []), ...stems] });
    } else found[place] = mergeTerms(found[place]!, made);
  }
  const terms = found.length <= QUERY_LOOKUPS_MAX
    ? found
    : [...found.slice(0, QUERY_LOOKUPS_MAX / 2), ...found.slice(-QUERY_LOOKUPS_MAX / 2)];
  return { terms, at: new Map(terms.map(({ term }, i) => [term, i])) };
}

/** Whether the text between two words ends a sentence. */
function endsSentence(between: string): boolean {
  return /[.!?;…]["”’')\]]*\s|[。！？\n]/.test(between);
}

/**
 * Merges a word that occurs again: adds its sentence, and takes over the signs that it is a name.
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
  const capital = word.raw[0] !== word.raw[0].toLowerCase();
  const middle = capital && !opensSentence(text, word.index);
  const quoted = quotes.some((q) => word.index > q.start && word.index < q.end);
  return {
    term,
    word: word.folded,
    weight: word.weight ?? (SCAFFOLD_WORDS.has(word.folded) ? SCAFFOLD_WEIGHT : 1),
    sentences: [sentence],
    entity: middle || quoted,
    person: middle ? "midCapital" : capital || !capitals.meaningful ? "maybe" : "no",
    expansions: abbreviations(word),
    everyday: [],
    related: [],
  };
}

/**
 * "New York City" also finds "NYC": the abbreviation may replace each of the words, at a reduced
 * weight.
 */
function addRunAcronyms(terms: QueryTerm[], runs: readonly Word[][], at: ReadonlyMap<string, number>): QueryTerm[] {
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
function addCompounds(terms: QueryTerm[], words: readonly Word[], at: ReadonlyMap<string, number>): QueryTerm[] {
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

/**
 * Adds everyday terms to the terms of a question. A long message gets none: it holds such words for
 * other reasons.
 */
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

/**
 * How many related terms of each term are looked up at first; the more terms share the limit, the
 * fewer.
 */
export function relatedShare(terms: readonly QueryTerm[]): number {
  const relating = terms.filter(({ related }) => related.length > 0).length;
  return Math.min(TERM_RELATED_MAX, Math.floor(QUERY_RELATED_MAX / Math.max(1, relating)));
}

function lookupKeys(
  terms: readonly QueryTerm[],
  fullNames: readonly string[],
): Pick<QueryPlan, "keys" | "relatedKeys" | "everydayKeys"> {
  const keys = new Set<string>();
  for (const t of terms) {
    keys.add(t.term);
    for (const e of t.expansions) keys.add(e.term);
    if (t.person !== "no") keys.add(PARTICIPANT_PREFIX + t.word);
  }
  for (const name of fullNames) keys.add(PARTICIPANT_PREFIX + name);
  const related = new Set<string>(), share = relatedShare(terms);
  for (const t of terms) for (const { term } of t.related.slice(0, share)) if (!keys.has(term)) related.add(term);
  const everyday = new Set(terms.flatMap((t) => t.everyday.map(({ term }) => term)));
  const others = [...everyday].filter((term) => !keys.has(term) && !related.has(term));
  return { keys: [...keys], relatedKeys: [...related], everydayKeys: others };
}
