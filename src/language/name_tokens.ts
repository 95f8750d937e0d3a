/**
 * The words of a text as parts of names: where each stands and what it looks like. They are not the words of `tokenise.ts`: a
 * name may hold `&`, `+`, `#`, dots and hyphens ("AT&T", "C++", "Node.js"), and its capitals count.
 */
import { CALENDAR, FUNCTION_WORDS, OPENERS, OPENING_VERBS, SHOUTED, TITLES } from "./name_words.ts";
import { stemWord } from "./tokenise.ts";

/** The most words of a text that are read; names that come later in a longer text are not found. */
const TEXT_WORDS_MAX = 4_000;
export const NAME_CHARACTERS_MAX = 80;

const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’ʼ.&_+-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*(?:\+\+|#)?/gu;
export const HANDLE = /(?<![\p{L}\p{N}@])@[\p{L}][\p{L}\p{N}_-]{1,38}(?![\p{L}\p{N}_@])/gu;
export const POSSESSIVE = /['’ʼ]s$/iu;
const MAY_BE_POSSESSIVE = /['’ʼ]/;
const SMALL_ASCII = /^[a-z]+$/;
export const SPACE = 32;
export const HAS_LETTER = /\p{L}/u;
export const IS_CAPITALISED = /^\p{Lu}/u;
export const IS_ACRONYM = /^\p{Lu}{2,6}$/u;
const HAS_INNER_CAPITAL = /\p{Ll}\p{Lu}/u;
export const IS_INITIAL = /^\p{Lu}$/u;
/** A letter first and few digits ("GPT-4", "S3", "Log4j"): neither a hash nor a version. */
const IS_CODED = /^(?=\p{L})(?![vV]\d)(?=[^\d]*\d)(?:\D*\d){1,4}\D*$/u;
export const UNSEGMENTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A word of a text. */
export interface Token {
  readonly raw: string;
  /** Place among the tokens. */
  readonly at: number;
  /** Folded, without possessive. */
  readonly word: string;
  readonly start: number;
  /** Without the possessive. */
  readonly end: number;
  /** Opens a sentence, a line, a quotation or a list item. */
  readonly opens: boolean;
  /** Joined to the token before by nothing but a space, or an initial's dot and a space. */
  readonly joined: boolean;
  readonly look: Look;
}

/** The words of a text in order; offsets are those of UTF-16. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  let before = 0;
  let initial = false;
  for (const match of text.matchAll(TOKEN)) {
    if (tokens.length >= TEXT_WORDS_MAX) break;
    const [full] = match;
    const raw = MAY_BE_POSSESSIVE.test(full) ? full.replace(POSSESSIVE, "") : full;
    const word = raw.toLowerCase();
    const start = match.index, end = start + raw.length;
    const gap = start === before + 1 && text.charCodeAt(before) === SPACE ? " " : text.slice(before, start);
    const joined = tokens.length > 0 && (gap === " " || /^[\t\u00a0]$/.test(gap) || (initial && gap === ". "));
    const opens = tokens.length === 0 || (!joined && /[.!?…:;\n•*>。！？"“«„]/u.test(gap));
    const look = word === raw && SMALL_ASCII.test(raw) ? "none" : lookOf(raw, word);
    tokens.push({ raw, at: tokens.length, word, start, end, opens, joined, look });
    // A name ends with its possessive.
    initial = IS_INITIAL.test(raw) || TITLES.has(word);
    before = end;
  }
  return tokens;
}

type Look = "none" | "capital" | "sure";

/** The look of a word, in whatever place it is. */
function lookOf(raw: string, word: string): Look {
  if (!HAS_LETTER.test(raw) || raw.length > 40) return "none";
  if (IS_ACRONYM.test(raw)) return SHOUTED.has(word) || FUNCTION_WORDS.has(word) ? "none" : "sure";
  if (HAS_INNER_CAPITAL.test(raw)) return "sure";
  if (!IS_CAPITALISED.test(raw)) return "none";
  if (IS_CODED.test(raw)) return /^\p{Lu}\d+$/u.test(raw) && raw.length > 3 ? "capital" : "sure";
  return "capital";
}

/** Whether a capitalised word is an ordinary word all the same. */
export function isPlainWord(word: string): boolean {
  return FUNCTION_WORDS.has(word) || CALENDAR.has(word) || OPENERS.has(word);
}

/** Whether a word may be capitalised because it opens a sentence. */
export function isOpener(word: string): boolean {
  return isPlainWord(word) || OPENING_VERBS.has(stemWord(word, "prose"));
}
