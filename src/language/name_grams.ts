/** The short runs of words by which known names are looked up. */
import { nameKey } from "./names.ts";
import { CALENDAR, FUNCTION_WORDS, ORDINARY_NAMES } from "./name_words.ts";
import {
  HANDLE,
  HAS_LETTER,
  IS_ACRONYM,
  IS_CAPITALISED,
  NAME_CHARACTERS_MAX,
  SPACE,
  type Token,
  UNSEGMENTED,
} from "./name_tokens.ts";

/** The most words that a name may have to be looked up. */
const NAME_WORDS_MAX = 4;
/** The most runs of one text; names that come later in a longer text are not found. */
const GRAMS_MAX = 12_000;
const UNSEGMENTED_CHARACTERS_MAX = 4;

/** A run of words that may be a known name. */
export interface Gram {
  readonly key: string;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

/** Printable ASCII. */
const PLAIN = /^[ -~]*$/;

/** Runs of one to four words that may be a known name. */
export function listGrams(text: string, tokens: readonly Token[]): Gram[] {
  const grams: Gram[] = [];
  // The key of a part of plain ASCII text with single spaces is that part in small letters.
  const lower = PLAIN.test(text) && !text.includes("  ") ? text.toLowerCase() : undefined;
  const add = (start: number, end: number) => {
    if (grams.length < GRAMS_MAX && end - start <= NAME_CHARACTERS_MAX) {
      grams.push({ key: lower?.slice(start, end) ?? nameKey(text.slice(start, end)), start, end });
    }
  };
  for (let i = 0; i < tokens.length; i++) {
    const first = tokens[i]!;
    if (lower === undefined && UNSEGMENTED.test(first.raw)) {
      addCharacters(first, add);
      continue;
    }
    for (let j = i; j < Math.min(tokens.length, i + NAME_WORDS_MAX); j++) {
      const last = tokens[j]!;
      if (j > i && !isNear(text, tokens[j - 1]!, last)) break;
      if (last.end - first.start > NAME_CHARACTERS_MAX) break;
      if (canBeName(first, last, i === j)) add(first.start, last.end);
    }
  }
  if (text.includes("@")) {
    for (const match of text.matchAll(HANDLE)) add(match.index, match.index + match[0].length);
  }
  return grams;
}

/** Matches runs of one script in text without spaces. Hiragana is left out: it writes grammar, and no names. */
const SCRIPT_RUNS = /[\p{Script=Han}々]{2,}|[\p{Script=Katakana}ー]{2,}|\p{Script=Thai}{2,}/gu;

/** Adds whole runs of scripts without spaces, and short parts of Chinese characters, which may be names. */
function addCharacters(token: Token, add: (start: number, end: number) => void): void {
  for (const { 0: run, index } of token.raw.matchAll(SCRIPT_RUNS)) {
    const start = token.start + index;
    if (run.length > UNSEGMENTED_CHARACTERS_MAX || !/^\p{Script=Han}/u.test(run)) add(start, start + run.length);
    if (!/^\p{Script=Han}/u.test(run)) continue;
    for (let from = 0; from < run.length; from++) {
      for (let to = from + 2; to <= Math.min(run.length, from + UNSEGMENTED_CHARACTERS_MAX); to++) {
        add(start + from, start + to);
      }
    }
  }
}

/** Whether only a space, a hyphen or the dot after an initial stands between two words, as inside one name. */
function isNear(text: string, before: Token, after: Token): boolean {
  if (after.start === before.end + 1 && text.charCodeAt(before.end) === SPACE) return true;
  const gap = text.slice(before.end, after.start);
  return /^[ \t\u00a0\n]$/.test(gap) || /^ ?[-–] ?$/.test(gap) || (before.raw.length <= 4 && gap === ". ");
}

function canBeName(first: Token, last: Token, single: boolean): boolean {
  if (single) {
    const { raw, word, opens } = first;
    if (raw.length < 2 || (first.look === "none" && !HAS_LETTER.test(raw))) return false;
    // "Will" is a name where its capital says something; "will" is never one.
    if (ORDINARY_NAMES.has(word) || CALENDAR.has(word)) return IS_CAPITALISED.test(raw) && !opens;
    return !FUNCTION_WORDS.has(word) || IS_ACRONYM.test(raw);
  }
  const edge = (token: Token) => FUNCTION_WORDS.has(token.word) && !IS_CAPITALISED.test(token.raw);
  return !edge(first) && !edge(last);
}

/** The known names in a text. Where some overlap, the longest counts, then the first. */
export function pickKnown<T>(grams: readonly Gram[], known: ReadonlyMap<string, T>): T[] {
  if (known.size === 0) return [];
  const hits = grams.filter((gram) => known.has(gram.key))
    .sort((a, b) => (b.end - b.start) - (a.end - a.start) || a.start - b.start);
  const isTaken = new Uint8Array(hits.reduce((end, hit) => Math.max(end, hit.end), 0));
  const found = new Set<T>();
  for (const { key, start, end } of hits) {
    // What is taken already is at least as long, so it covers one of both ends where it overlaps.
    if (isTaken[start] === 1 || isTaken[end - 1] === 1) continue;
    isTaken.fill(1, start, end);
    found.add(known.get(key)!);
  }
  return [...found];
}
