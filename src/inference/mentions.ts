/**
 * Finds names in texts, without a model: runs of capitalised words, quoted titles, acronyms, product names, handles; and
 * the short runs of words that known names are looked up by. Pure and synchronous; Unicode letters throughout.
 *
 * What may open a new entity has to be sure, so a capital at the beginning of a sentence proves nothing by itself
 * (`strong: false`), nor does one in German, in a headline or in a text that shouts. What is known already is found in
 * small letters too, unless it is an ordinary word ("will", "apple").
 */
import { nameKey } from "../schema/entity_name.ts";
import {
  CALENDAR,
  CONNECTORS,
  FUNCTION_WORDS,
  GERMAN_CUES,
  NAMES_DO,
  NO_PEOPLE,
  OPENERS,
  OPENING_VERBS,
  ORDINARY_NAMES,
  PEOPLE_ARE,
  PEOPLE_DO,
  PEOPLE_DO_SOMEWHERE,
  PEOPLE_DO_WHERE,
  SHOUTED,
  TITLES,
} from "./mention_words.ts";
import { stemWord } from "./words.ts";

/** Words of the longest name that is looked up. */
export const NAME_WORDS_MAX = 4;
/** Words of a text that are looked at, and runs of them; what comes later in a longer one is not found. */
const TEXT_WORDS_MAX = 4_000;
const GRAMS_MAX = 12_000;
const NAME_CHARACTERS_MAX = 80;

/** A name that stands in a text, known or not. */
export interface FoundName {
  /** As written, without possessive. */
  readonly name: string;
  readonly key: string;
  /** Whether it is surely a name: its capital is not the beginning of a sentence, it is quoted as a title, … */
  readonly strong: boolean;
}

/** A run of words that may be a known name. */
export interface Gram {
  readonly key: string;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

/** What a text holds of names. */
export interface TextNames {
  readonly names: readonly FoundName[];
  readonly grams: readonly Gram[];
}

const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’ʼ.&_+-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*(?:\+\+|#)?/gu;
/** What says nothing about names, or more than a name: addresses, code in fences and backticks. */
const NOISE =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|\b(?:https?|ftp):\/\/\S+|\bwww\.\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,255}/gu;
const HANDLE = /(?<![\p{L}\p{N}@])@[\p{L}][\p{L}\p{N}_-]{1,38}(?![\p{L}\p{N}_@])/gu;
const QUOTED =
  /"([^"\n]{2,60})"|“([^”\n]{2,60})”|«\s?([^»\n]{2,60}?)\s?»|„([^“”\n]{2,60})[“”]|「([^」\n]{2,30})」|『([^』\n]{2,30})』/gu;
const POSSESSIVE = /['’ʼ]s$/iu;
const MAY_BE_POSSESSIVE = /['’ʼ]/;
const SMALL_ASCII = /^[a-z]+$/;
const SPACE = 32;
const HAS_LETTER = /\p{L}/u;
const IS_CAPITALISED = /^\p{Lu}/u;
const IS_ACRONYM = /^\p{Lu}{2,6}$/u;
const HAS_INNER_CAPITAL = /\p{Ll}\p{Lu}/u;
/** Endings of words for things and doings, which names hardly have. */
const IS_KIND_OF_THING = /(?:tion|sion|ment|ness|ity|ance|ence|ware|ism|ics|ship|ing|ers|data|base)$/;
const IS_INITIAL = /^\p{Lu}$/u;
/** A letter first, few digits: "GPT-4", "S3", "Log4j"; no hash, no version. */
const IS_CODED = /^(?=\p{L})(?![vV]\d)(?=[^\d]*\d)(?:\D*\d){1,4}\D*$/u;
const UNSEGMENTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const UNSEGMENTED_CHARACTERS_MAX = 4;

interface Token {
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

/** Everything of names in a text: candidates for new ones, and the runs by which known ones are looked up. */
export function readNames(text: string): TextNames {
  const plain = text.normalize("NFC").replace(NOISE, (noise) => " ".repeat(noise.length));
  const tokens = tokenise(plain);
  return { names: findNames(plain, tokens), grams: listGrams(plain, tokens) };
}

function tokenise(text: string): Token[] {
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
    // Nothing follows a possessive within the same name.
    initial = IS_INITIAL.test(raw) || TITLES.has(word);
    before = end;
  }
  return tokens;
}

type Look = "none" | "capital" | "sure";

/** What a word looks like, wherever it stands. */
function lookOf(raw: string, word: string): Look {
  if (!HAS_LETTER.test(raw) || raw.length > 40) return "none";
  if (IS_ACRONYM.test(raw)) return SHOUTED.has(word) || FUNCTION_WORDS.has(word) ? "none" : "sure";
  if (HAS_INNER_CAPITAL.test(raw)) return "sure";
  if (!IS_CAPITALISED.test(raw)) return "none";
  if (IS_CODED.test(raw)) return /^\p{Lu}\d+$/u.test(raw) && raw.length > 3 ? "capital" : "sure";
  return "capital";
}

/** Whether a capitalised word is no name for all that. */
function isPlainWord(word: string): boolean {
  return FUNCTION_WORDS.has(word) || CALENDAR.has(word) || OPENERS.has(word);
}

function isOpener(word: string): boolean {
  return isPlainWord(word) || OPENING_VERBS.has(stemWord(word));
}

function findNames(text: string, tokens: readonly Token[]): FoundName[] {
  const found = new Map<string, FoundName>();
  const add = (name: string, strong: boolean) => {
    const key = nameKey(name);
    if (key === "" || name.length > NAME_CHARACTERS_MAX) return;
    if (!found.has(key) || (strong && !found.get(key)!.strong)) found.set(key, { name, key, strong });
  };
  if (text.includes("@")) { for (const [handle] of text.matchAll(HANDLE)) add(handle, true); }
  const quoted: { readonly start: number; readonly end: number }[] = [];
  for (const match of text.matchAll(QUOTED)) {
    const title = match.slice(1).find((part) => part !== undefined)!.trim();
    if (!isTitle(title)) continue;
    add(title, true);
    quoted.push({ start: match.index, end: match.index + match[0].length });
  }
  const trusted = trustedStretches(tokens);
  const confirmed = confirmedWords(tokens);
  for (const run of listRuns(tokens)) {
    if (run.length > 0 && quoted.some(({ start, end }) => run[0]!.start >= start && run[0]!.start < end)) continue;
    const judged = judgeRun(run, tokens, confirmed, trusted);
    if (judged === undefined) continue;
    const { from, strong } = judged;
    add(text.slice(run[from]!.start, run.at(-1)!.end).replace(/\s+/gu, " "), strong);
  }
  return [...found.values()];
}

/** Words that have their capital, or their form, in the middle of a sentence of this text. */
function confirmedWords(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter((token) => !token.opens && token.look !== "none").map((token) => token.word));
}

/** Runs of words that look like a name and stand together, connectors inside them included. */
function* listRuns(tokens: readonly Token[]): Generator<Token[]> {
  let run: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (run.length > 0 && !token.joined) {
      yield trimRun(run);
      run = [];
    }
    const looks = token.look !== "none" || (IS_INITIAL.test(token.raw) && token.word !== "i");
    if (looks && token.word !== "i") run.push(token);
    else if (run.length > 0 && CONNECTORS.has(token.word) && leadsOn(tokens, i)) run.push(token);
    else if (run.length > 0) {
      yield trimRun(run);
      run = [];
    }
  }
  if (run.length > 0) yield trimRun(run);
}

/** Whether after connectors there is another word of the name. */
function leadsOn(tokens: readonly Token[], at: number): boolean {
  for (let i = at + 1; i < Math.min(tokens.length, at + 3); i++) {
    const token = tokens[i]!;
    if (!token.joined) return false;
    if (token.look !== "none" && !isPlainWord(token.word)) return true;
    if (!CONNECTORS.has(token.word)) return false;
  }
  return false;
}

/** Without connectors, function words and days at its end. */
function trimRun(run: readonly Token[]): Token[] {
  let end = run.length;
  while (end > 0 && isPlainWord(run[end - 1]!.word)) end--;
  return run.slice(0, end);
}

/** Where the name in a run begins, and whether it surely is one. */
function judgeRun(
  run: readonly Token[],
  tokens: readonly Token[],
  confirmed: ReadonlySet<string>,
  trusted: (token: Token) => boolean,
): { readonly from: number; readonly strong: boolean } | undefined {
  let from = 0;
  while (from < run.length && (isPlainWord(run[from]!.word) || CONNECTORS.has(run[from]!.word))) from++;
  if (from === 0 && run[0]?.opens && isOpener(run[0].word) && !confirmed.has(run[0].word)) from = 1;
  while (from < run.length && (isPlainWord(run[from]!.word) || CONNECTORS.has(run[from]!.word))) from++;
  const name = run.slice(from);
  if (name.length === 0 || name.length > 6) return undefined;
  const [first] = name;
  // "J. and", "A": an initial alone is no name; a title alone neither.
  if (name.length === 1 && (first!.raw.length === 1 || TITLES.has(first!.word))) return undefined;
  const sure = name.some((token) => token.look === "sure");
  const proven = !first!.opens || confirmed.has(first!.word) || (sure && name.length === 1) || isSubject(name, tokens);
  return { from, strong: proven && ((sure && name.length === 1) || trusted(first!)) };
}

/** Whether what opens a sentence is a name because of what it does there. */
function isSubject(name: readonly Token[], tokens: readonly Token[]): boolean {
  const last = name.at(-1)!;
  const [verb, after] = [1, 2].map((step) => tokens[last.at + step]).map((token) => token?.joined ? token.word : "");
  if (name.length > 1) return NAMES_DO.has(verb!) || doPeople(verb!, after!);
  // "Invoices went to spam": many things, where the verb does not say that it is one.
  if (last.word.endsWith("s") && !verb!.endsWith("s")) return false;
  return doPeople(verb!, after!) && !NO_PEOPLE.has(last.word) && !IS_KIND_OF_THING.test(last.word);
}

function doPeople(verb: string, after: string): boolean {
  return PEOPLE_DO.has(verb) || (PEOPLE_DO_SOMEWHERE.has(verb) && PEOPLE_DO_WHERE.has(after)) ||
    ((verb === "is" || verb === "was") && PEOPLE_ARE.has(after));
}

/** Whether capitals mean anything where a word stands: not in German (for single words), headlines and shouting. */
function trustedStretches(tokens: readonly Token[]): (token: Token) => boolean {
  const isGerman = tokens.filter((token) => GERMAN_CUES.has(token.word)).length >= 2;
  const loud = new Set<Token>();
  let sentence: Token[] = [];
  const close = () => {
    const letters = sentence.filter((token) => HAS_LETTER.test(token.raw));
    const capitals = letters.filter((token) => IS_CAPITALISED.test(token.raw) && token.word !== "i");
    const isLoud = letters.length >= 5 && capitals.length > 0.75 * letters.length;
    if (isLoud || isGerman) { for (const token of sentence) loud.add(token); }
    sentence = [];
  };
  for (const token of tokens) {
    if (token.opens) close();
    sentence.push(token);
  }
  close();
  return (token) => !loud.has(token);
}

/** A quotation that is written as a title: every word but the small ones has a capital. */
function isTitle(quoted: string): boolean {
  if (/[.!?,;:…]$/u.test(quoted)) return false;
  if (UNSEGMENTED.test(quoted)) return [...quoted].length <= 20;
  const tokens = tokenise(quoted);
  if (tokens.length === 0 || tokens.length > 8) return false;
  const large = tokens.filter((token) => token.look !== "none");
  const small = tokens.length - large.length;
  const plain = tokens.filter((token) => token.look === "none" && !FUNCTION_WORDS.has(token.word)).length;
  if (large.length === 0 || plain > 0 || small > large.length + 1) return false;
  return tokens.length > 1 ? large.length > 1 || large[0]!.look === "sure" : !isOpener(tokens[0]!.word);
}

/** Printable ASCII; what a part of it begins and ends with is a letter or digit. */
const PLAIN = /^[ -~]*$/;

/** Runs of one to four words that a known name may be; those that can be none are left out. */
function listGrams(text: string, tokens: readonly Token[]): Gram[] {
  const grams: Gram[] = [];
  // Of plain text with single spaces between words, the key of a part is that part of the text in small letters.
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

/** Runs of one script within a word of a script without spaces: what is written in the syllables of grammar is no name. */
const SCRIPT_RUNS = /[\p{Script=Han}々]{2,}|[\p{Script=Katakana}ー]{2,}|\p{Script=Thai}{2,}/gu;

/** Scripts without spaces: whole runs, and of Chinese characters the short parts that names have. */
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

/** Words of one name are parted by a space, a hyphen, or the dot after an initial. */
function isNear(text: string, before: Token, after: Token): boolean {
  if (after.start === before.end + 1 && text.charCodeAt(before.end) === SPACE) return true;
  const gap = text.slice(before.end, after.start);
  return /^[ \t\u00a0\n]$/.test(gap) || /^ ?[-–] ?$/.test(gap) || (before.raw.length <= 4 && gap === ". ");
}

function canBeName(first: Token, last: Token, single: boolean): boolean {
  if (single) {
    const { raw, word, opens } = first;
    if (raw.length < 2 || (first.look === "none" && !HAS_LETTER.test(raw))) return false;
    // "Will" is a name where its capital says something, "will" never.
    if (ORDINARY_NAMES.has(word) || CALENDAR.has(word)) return IS_CAPITALISED.test(raw) && !opens;
    return !FUNCTION_WORDS.has(word) || IS_ACRONYM.test(raw);
  }
  const edge = (token: Token) => FUNCTION_WORDS.has(token.word) && !IS_CAPITALISED.test(token.raw);
  return !edge(first) && !edge(last);
}

/** The known names that a text holds: of those that overlap the longest, then the first. */
export function pickKnown<T>(grams: readonly Gram[], known: ReadonlyMap<string, T>): T[] {
  const hits = grams.filter((gram) => known.has(gram.key))
    .sort((a, b) => (b.end - b.start) - (a.end - a.start) || a.start - b.start);
  const taken: Gram[] = [];
  for (const hit of hits) {
    if (!taken.some((other) => hit.start < other.end && other.start < hit.end)) taken.push(hit);
  }
  return [...new Set(taken.map((gram) => known.get(gram.key)!))];
}

const GENERIC_SPEAKER =
  /^(?:user|assistant|system|tool|bot|agent|human|ai|unknown|anonymous|guest|me|you)(?:[\s_-]?\d+)?$/iu;

/** A speaker's or participant's name, where it names somebody. */
export function readSpeaker(name: string): FoundName | undefined {
  const clean = name.normalize("NFC").replace(/\s+/gu, " ").trim();
  if (clean.length > NAME_CHARACTERS_MAX || !HAS_LETTER.test(clean) || GENERIC_SPEAKER.test(clean)) return undefined;
  return { name: clean, key: nameKey(clean), strong: true };
}

/** The subject or object of a triple, where it is a name and not a description. */
export function readTerm(term: string): FoundName | undefined {
  const clean = term.normalize("NFC").replace(/\s+/gu, " ").trim().replace(POSSESSIVE, "").replace(
    /(?<![.,;:!?])[.,;:!?]+$/u,
    "",
  );
  if (clean.length > NAME_CHARACTERS_MAX || GENERIC_SPEAKER.test(clean)) return undefined;
  const tokens = tokenise(clean);
  if (tokens.length === 0 || tokens.length > 6) return undefined;
  const isName = tokens.every((token) =>
    token.look !== "none" || CONNECTORS.has(token.word) || IS_INITIAL.test(token.raw) || /^\d{1,4}$/.test(token.raw)
  );
  const [first] = tokens;
  const plain = tokens.every((token) => isPlainWord(token.word) || /^\d+$/.test(token.raw));
  const caseless = !/[\p{Lu}\p{Ll}\p{Lt}]/u.test(clean) && HAS_LETTER.test(clean) && clean.length <= 20;
  if (plain || (!caseless && (!isName || first!.look === "none" && !IS_INITIAL.test(first!.raw)))) return undefined;
  return { name: clean, key: nameKey(clean), strong: true };
}
