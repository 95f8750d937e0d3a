/**
 * Text analysis: how a text becomes terms. Documents and queries pass the same steps (Unicode NFKC, lower case, words,
 * stop words, Porter stems), so that both sides meet in the postings.
 *
 * Pure and synchronous. A change of the terms that `analyseText` gives needs a rebuild of the index.
 */
import { hasStrongTime } from "../../language/dates.ts";
import { foldLetters } from "../../language/letters.ts";
import { participantKey } from "../../language/names.ts";
import { wordSet } from "../../language/word_set.ts";
import {
  isStopWord,
  normaliseText,
  opensSentence,
  splitWords,
  stemWord,
  TERM_UNITS_MAX,
} from "../../language/tokenise.ts";
import { listSpellingTerms } from "./spellings.ts";
import { listStemTerms, STEM_PREFIX } from "./stems.ts";

/** Bits of `DocBits`, the one number that is stored with a document beside its postings. */
export const DOC_FLAG = {
  /** The text ends in a question mark (a closing bracketed note such as "[photo: …]" aside). */
  endsInQuestion: 1,
  /** The text holds a question mark. */
  hasQuestion: 2,
  /** The text holds a strong time expression: "yesterday", "two weeks ago", "in May 2023". */
  strongTime: 4,
  /** A word inside a sentence has a capital, and is no stop word such as "I" or "The". */
  midCapital: 8,
  /** The text quotes something: "…" or “…”. */
  quoted: 16,
  /** The turn before in the session holds a question mark. */
  previousHasQuestion: 32,
  /** The turn before in the session is by somebody else. */
  previousOtherSpeaker: 64,
  /** The text holds a word that begins with a digit: "12", "3D". */
  hasNumber: 128,
} as const;

/**
 * Flags and small counts of a document in one unsigned 31-bit integer, fit for an `integer` column:
 * bits 0–7 `DOC_FLAG`, 8–11 first-person words (max 15), 12–19 content tokens (max 255), 20–27 terms new in the session (max
 * 255), 28–30 words with a capital inside a sentence (max 7; 0 in turns that an older version of the service stored).
 */
export type DocBits = number;

/** A text as the index sees it. `terms[i]` occurs `tfs[i]` times. */
export interface AnalysedText {
  readonly terms: string[];
  readonly tfs: number[];
  /** Content tokens: the length that BM25 normalises by. */
  readonly length: number;
  /** See `DocBits`; the two flags about the turn before are set by `withPrevious`. */
  readonly bits: DocBits;
}

/** Words by which writers refer to themselves, folded. */
export const FIRST_PERSON = wordSet(
  "i im ive id ill me my mine myself we us our ours ourselves weve",
);

/** The most words with a capital that are counted. */
const CAPITALS_MAX = 7;

const HAS_DIGIT = /\p{N}/u;

/** "internationalization" → "i18n"; undefined for words under 10 letters, which nobody abbreviates so. */
export function numeronym(word: string): string | undefined {
  return word.length >= 10 && /^[a-z]+$/.test(word)
    ? `${word[0]}${word.length - 2}${word[word.length - 1]}`
    : undefined;
}

function isCapital(raw: string): boolean {
  const first = raw[0];
  return first !== first.toLowerCase() && first === first.toUpperCase();
}

/** Pseudo-terms of abbreviations start with this and stay out of the vocabulary for near spellings. */
export const PSEUDO_PREFIX = "@";

/** Those of some terms that are words, without the pseudo-terms. */
export function wordTerms(terms: readonly string[]): string[] {
  return terms.filter((term) => !term.startsWith(PSEUDO_PREFIX));
}

/** Those of some terms that are words or stems of words, by which two texts are found to share a word. */
export function wordAndStemTerms(terms: readonly string[]): string[] {
  return terms.filter((term) => !term.startsWith(PSEUDO_PREFIX) || term.startsWith(STEM_PREFIX));
}

function addTerm(terms: string[], tfs: number[], seen: Map<string, number>, term: string): void {
  const at = seen.get(term);
  if (at === undefined) {
    seen.set(term, terms.length);
    terms.push(term);
    tfs.push(1);
  } else tfs[at]++;
}

/**
 * Analyses a text for the index.
 *
 * Besides stems it gives pseudo-terms for abbreviations ("@a:nyc" for "New York City", "@n:k8s" for
 * "kubernetes"), for the stems of words in other languages (see `stems.ts`) and for other
 * spellings (see `spellings.ts`), which do not count in `length`.
 *
 * @param sessionTerms terms of the session's earlier turns, if known; new ones are counted and
 * added
 */
export function analyseText(input: string, sessionTerms?: Set<string>): AnalysedText {
  const text = normaliseText(input);
  const terms: string[] = [];
  const tfs: number[] = [];
  const seen = new Map<string, number>();
  let length = 0, firstPerson = 0, bits = 0, fresh = 0, capitals = 0;
  let acronym = "", acronymEnd = -1;
  const flushAcronym = () => {
    if (acronym.length >= 2 && acronym.length <= 6) addTerm(terms, tfs, seen, `@a:${acronym.toLowerCase()}`);
    acronym = "";
  };
  const words = splitWords(text);
  for (const { raw, folded, index } of words) {
    if (FIRST_PERSON.has(folded)) firstPerson++;
    const stop = isStopWord(folded, "search");
    const capital = isCapital(raw);
    if (capital && !stop) {
      if (capitals < CAPITALS_MAX && !opensSentence(text, index)) capitals++;
      if (acronym !== "" && index !== acronymEnd + 1) flushAcronym();
      acronym += raw[0];
      acronymEnd = index + raw.length;
    } else if (acronym !== "") flushAcronym();
    if (stop || folded === "") continue;
    if (folded.charCodeAt(0) < 58 && HAS_DIGIT.test(folded)) bits |= DOC_FLAG.hasNumber;
    length++;
    addTerm(terms, tfs, seen, stemWord(folded, "search"));
    const short = numeronym(folded);
    if (short !== undefined) addTerm(terms, tfs, seen, `@n:${short}`);
  }
  if (acronym !== "") flushAcronym();
  if (sessionTerms !== undefined) {
    for (const term of terms) {
      if (sessionTerms.has(term) || term.startsWith(PSEUDO_PREFIX)) continue;
      sessionTerms.add(term);
      fresh++;
    }
  } else fresh = terms.length;
  for (const term of listStemTerms(text, words)) addTerm(terms, tfs, seen, term);
  for (const term of listSpellingTerms(text, words)) addTerm(terms, tfs, seen, term);
  if (capitals > 0) bits |= DOC_FLAG.midCapital | capitals << 28;
  bits |= textFlags(text) | Math.min(15, firstPerson) << 8 | Math.min(255, length) << 12 | Math.min(255, fresh) << 20;
  return { terms, tfs, length, bits };
}

/**
 * Adds a document's aliases to its analysed text, so that they find it too. Their terms count once
 * each if the text lacks them. Length and bits stay the same.
 */
export function addAliases(text: AnalysedText, aliases: readonly string[]): AnalysedText {
  if (aliases.length === 0) return text;
  const known = new Set(text.terms);
  const added = [...new Set(aliases.flatMap((alias) => analyseText(alias).terms))].filter((term) => !known.has(term));
  return { ...text, terms: [...text.terms, ...added], tfs: [...text.tfs, ...added.map(() => 1)] };
}

const QUOTATION = /["“][^"“”]{2,}["”]/;

/** The text without a bracketed note at its end. It is no pattern, because that would start over at each bracket. */
function withoutTrailingNote(text: string): string {
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith("]")) return text;
  const noteStart = trimmed.indexOf("[", trimmed.lastIndexOf("]", trimmed.length - 2) + 1);
  return noteStart === -1 ? text : trimmed.slice(0, noteStart).trimEnd();
}

function textFlags(text: string): number {
  let flags = 0;
  if (text.includes("?")) {
    flags |= DOC_FLAG.hasQuestion;
    if (/\?["”')\s]*$/.test(withoutTrailingNote(text))) flags |= DOC_FLAG.endsInQuestion;
  }
  if (QUOTATION.test(text)) flags |= DOC_FLAG.quoted;
  if (hasStrongTime(text)) flags |= DOC_FLAG.strongTime;
  return flags;
}

/** Adds flags about the turn before: whether it asks, and whether somebody else wrote it. */
export function withPrevious(bits: DocBits, previous: { bits: DocBits; sameSpeaker: boolean } | undefined): DocBits {
  if (previous === undefined) return bits;
  let out = bits;
  if (previous.bits & DOC_FLAG.hasQuestion) out |= DOC_FLAG.previousHasQuestion;
  if (!previous.sameSpeaker) out |= DOC_FLAG.previousOtherSpeaker;
  return out;
}

/** Prefix of the pseudo-terms that say who takes part in a session. */
export const PARTICIPANT_PREFIX = "@p:";
/** `tf` of a participant posting: the name or one of its words in full, or only a short form ("Mel" for Melanie). */
export const PARTICIPANT_TF = { full: 1, short: 2 } as const;

/**
 * Pseudo-terms for a participant of a session, one posting each per (session, participant): the folded name, each of its
 * words, both also with plain letters, and the first 3 and 4 letters of words that are at least 2 letters longer.
 */
export function participantTerms(name: string): { term: string; tf: number }[] {
  const folded = participantKey(name);
  if (folded === "") return [];
  const out = new Map<string, number>([[folded, PARTICIPANT_TF.full]]);
  out.set(foldLetters(folded), PARTICIPANT_TF.full);
  const parts = [...new Set([...folded.split(" "), ...foldLetters(folded).split(" ")])];
  for (const part of parts) if (part.length > 1) out.set(part, PARTICIPANT_TF.full);
  for (const part of parts) {
    for (const size of [3, 4]) {
      const short = part.slice(0, size);
      if (part.length >= size + 2 && !out.has(short)) out.set(short, PARTICIPANT_TF.short);
    }
  }
  return [...out].map(([term, tf]) => ({ term: (PARTICIPANT_PREFIX + term).slice(0, TERM_UNITS_MAX), tf }));
}

/** Whether a speaker (any spelling) is the person that a query calls `name`, folded. */
export function isNamed(speaker: string, name: string): boolean {
  const whole = foldLetters(participantKey(speaker)), folded = foldLetters(name);
  if (whole === folded) return true;
  for (const part of whole.split(" ")) {
    if (part === folded) return true;
    if (folded.length >= 3 && folded.length <= 4 && part.length >= folded.length + 2 && part.startsWith(folded)) {
      return true;
    }
  }
  return false;
}

/** A pause in a session, in ms, after which what follows is another conversation: six hours. */
const GROUP_PAUSE_MS = 6 * 3_600_000;

/**
 * Whether a turn opens a new group. Ranking takes the turns of a group for one conversation, so a
 * session that resumes after a long pause is better indexed as several groups. Times in ms since
 * the epoch.
 */
export function opensNewGroup(previousMs: number, ms: number): boolean {
  return Math.abs(ms - previousMs) > GROUP_PAUSE_MS;
}
