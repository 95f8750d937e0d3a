/**
 * Query analysis: from the words of a question to the terms whose postings are wanted, with what the question asks for.
 */

import { type DateWindow, parseDates } from "./dates.ts";
import type { Lexicon, LexiconName, Related } from "./lexicon.ts";
import { participantKey } from "../language/names.ts";
import { isStopWord, normaliseText, splitWords, stemWord, type Word } from "../language/words.ts";
import { LIST_CUES, RECORDING_WORDS, SCAFFOLD_WORDS, TIME_QUESTION_WORDS, TITLED_WORKS } from "./cue_words.ts";
import { numeronym, opensSentence, PARTICIPANT_PREFIX } from "./text.ts";

/** Most distinct terms of a query that are scored: their matches are kept as bits of one u32. */
export const QUERY_TERMS_MAX = 24;
/** Most distinct terms of a query that are looked up; the rarest `QUERY_TERMS_MAX` of them are scored. */
export const QUERY_LOOKUPS_MAX = 64;
/** Most distinct related terms of a query that are looked up. */
export const QUERY_RELATED_MAX = 96;
/** Weight of a scaffold word (see `SCAFFOLD_WORDS`) against 1 for any other. */
export const SCAFFOLD_WEIGHT = 0.4;

/** What a joined word ("icecream") is worth against its two parts. */
const COMPOUND_WEIGHT = 0.9;

/** A term that stands in for a query term, and what a match of it is worth against 1 for the term itself. */
export interface Expansion {
  readonly term: string;
  readonly weight: number;
}

/** One distinct content word of the query. */
export interface QueryTerm {
  readonly term: string;
  /** The folded word it comes from. */
  readonly word: string;
  readonly weight: number;
  /** Capitalised inside a sentence, or quoted: likely the name of something. */
  readonly entity: boolean;
  /** May be a person's name: looked up among the participants. Short forms ("Mel") count only inside a sentence. */
  readonly person: "no" | "maybe" | "midCapital";
  readonly expansions: readonly Expansion[];
  /** Terms that may stand in its place, by the lexicon: they count for less than expansions, and only in the kernel. */
  readonly related: readonly Related[];
}

/** What a question asks for. */
export interface QueryCues {
  readonly when: boolean;
  readonly where: boolean;
  readonly title: boolean;
  readonly list: boolean;
  readonly count: boolean;
  /** It asks what the service was told or has stored, so that its dates mean when that was recorded. */
  readonly recording: boolean;
}

/** What to fetch for a query and how to weigh it. Plain data: it may be logged or cached. */
export interface QueryPlan {
  readonly terms: readonly QueryTerm[];
  /** Names of several words that stand together ("john smith"), folded; looked up among the participants. */
  readonly fullNames: readonly string[];
  readonly windows: readonly DateWindow[];
  readonly cues: QueryCues;
  /** Every term whose postings are wanted: stems, expansions and participant pseudo-terms; distinct. */
  readonly keys: readonly string[];
  /** Terms of the lexicon whose postings are read, too, if the limit allows; none of them is in `keys`. */
  readonly relatedKeys: readonly string[];
  /** Where the related terms are from: the ranker takes the weights that were trained with it. */
  readonly lexicon: LexiconName;
}

/** Options of `planQuery`. */
export interface PlanOptions {
  /** What "yesterday" and "in May" are counted from, in ms since the epoch. */
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
 * Whether a query with dates asks for nothing but what was or will be at that time: "what happened in May", "what is planned
 * for tomorrow", "what did Caroline do last week". Only then is a date alone a reason to return anything.
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
  /** Runs of capitalised words that stand together, of two words or more. */
  runs: Word[][];
  /** True where the query has capitals at all, beyond the first letter and "I": only then does a small letter deny a name. */
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
 * ignored, so it gives a plan without terms, which finds nothing.
 */
export function planQuery(query: string, options: PlanOptions): QueryPlan {
  const text = normaliseText(query);
  const words = splitWords(text);
  const dates = parseDates(text, options.referenceMs);
  const quotes = quotedRanges(text);
  const capitals = findCapitals(text, words);
  const terms: QueryTerm[] = [];
  const at = new Map<string, number>();
  for (const word of words) {
    if (word.folded === "" || isStopWord(word.folded, "search")) continue;
    if (dates.spans.some((s) => word.index >= s.start && word.index < s.end)) continue;
    if (terms.length >= QUERY_LOOKUPS_MAX) break;
    const term = stemWord(word.folded, "search");
    const made = makeTerm(text, word, term, capitals, quotes);
    const known = at.get(term);
    if (known === undefined) {
      at.set(term, terms.length);
      terms.push(made);
    } else if (made.person === "midCapital" || made.entity) {
      terms[known] = { ...terms[known], person: made.person, entity: made.entity };
    }
  }
  const compounded = addCompounds(addRunAcronyms(terms, capitals.runs, at), words, at);
  const expanded = addRelated(compounded, options.lexicon);
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

function makeTerm(
  text: string,
  word: Word,
  term: string,
  capitals: Capitals,
  quotes: { start: number; end: number }[],
): QueryTerm {
  const capital = word.raw[0] !== word.raw[0].toLowerCase();
  const middle = capital && !opensSentence(text, word.index);
  const quoted = quotes.some((q) => word.index > q.start && word.index < q.end);
  return {
    term,
    word: word.folded,
    weight: SCAFFOLD_WORDS.has(word.folded) ? SCAFFOLD_WEIGHT : 1,
    entity: middle || quoted,
    person: middle ? "midCapital" : capital || !capitals.meaningful ? "maybe" : "no",
    expansions: abbreviations(word),
    related: [],
  };
}

/** "New York City" also finds "NYC": the abbreviation stands in for each of the words, at a part of its worth. */
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

/** "ice cream" also finds "icecream": the joined word stands in for each of the two. */
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
 * The best related terms of a query, `QUERY_RELATED_MAX` in all. What is likely a name, or only frames the question, has
 * none.
 */
function addRelated(terms: readonly QueryTerm[], lexicon: Lexicon | undefined): QueryTerm[] {
  if (lexicon === undefined) return [...terms];
  const offers = terms.flatMap((term, at) =>
    term.entity || term.weight < 1 ? [] : lexicon.related(term.term).map((related) => ({ at, related }))
  );
  const chosen = terms.map((): Related[] => []);
  const distinct = new Set<string>();
  for (const { at, related } of offers.sort((a, b) => b.related.weight - a.related.weight)) {
    if (distinct.size >= QUERY_RELATED_MAX && !distinct.has(related.term)) continue;
    distinct.add(related.term);
    chosen[at].push(related);
  }
  return terms.map((term, at) => ({ ...term, related: chosen[at] }));
}

function lookupKeys(
  terms: readonly QueryTerm[],
  fullNames: readonly string[],
): Pick<QueryPlan, "keys" | "relatedKeys"> {
  const keys = new Set<string>(), related = new Set<string>();
  for (const t of terms) {
    keys.add(t.term);
    for (const e of t.expansions) keys.add(e.term);
    for (const r of t.related) related.add(r.term);
    if (t.person !== "no") keys.add(PARTICIPANT_PREFIX + t.word);
  }
  for (const name of fullNames) keys.add(PARTICIPANT_PREFIX + name);
  return { keys: [...keys], relatedKeys: [...related].filter((term) => !keys.has(term)) };
}
