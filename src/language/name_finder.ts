/**
 * Finds names in texts without a model: runs of capitalised words, quoted titles, acronyms, product names and handles. It
 * also lists the short runs of words by which known names are looked up. Pure and synchronous; letters are those of Unicode.
 *
 * Only a certain name may open a new entity. A capital at the beginning of a sentence proves nothing by itself (`strong:
 * false`); neither does a capital in German, in a headline or in a text written in capitals. A known name is also found in
 * small letters, unless it is an ordinary word ("will", "apple").
 */
import { type NameType, typeOfName } from "./name_types.ts";
import { nameKey } from "./names.ts";
import {
  CONNECTORS,
  FUNCTION_WORDS,
  GERMAN_CUES,
  NAMES_DO,
  NO_PEOPLE,
  PEOPLE_ARE,
  PEOPLE_DO,
  PEOPLE_DO_SOMEWHERE,
  PEOPLE_DO_WHERE,
  TITLES,
} from "./name_words.ts";
import { type Gram, listGrams } from "./name_grams.ts";
import {
  HANDLE,
  HAS_LETTER,
  IS_CAPITALISED,
  IS_INITIAL,
  isOpener,
  isPlainWord,
  NAME_CHARACTERS_MAX,
  POSSESSIVE,
  type Token,
  tokenise,
  UNSEGMENTED,
} from "./name_tokens.ts";

/** A name in a text, whether an entity has it or not. */
export interface FoundName {
  /** As written, without possessive. */
  readonly name: string;
  readonly key: string;
  /** Whether it is certainly a name: its capital does not open a sentence, it is quoted as a title, … */
  readonly strong: boolean;
  /** The type that the text gives the name; absent: none. */
  readonly type?: NameType;
}

/** The names in a text. */
export interface TextNames {
  readonly names: readonly FoundName[];
  readonly grams: readonly Gram[];
}

/** Parts of a text in which no names are looked for: addresses, code in fences and backticks. */
const NOISE =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|\b(?:https?|ftp):\/\/\S+|\bwww\.\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,255}/gu;
const QUOTED =
  /"([^"\n]{2,60})"|“([^”\n]{2,60})”|«\s?([^»\n]{2,60}?)\s?»|„([^“”\n]{2,60})[“”]|「([^」\n]{2,30})」|『([^』\n]{2,30})』/gu;
/** Endings of words for things and activities, which names seldom have. */
const IS_KIND_OF_THING = /(?:tion|sion|ment|ness|ity|ance|ence|ware|ism|ics|ship|ing|ers|data|base)$/;

/** Reads the names of a text: candidates for new entities, and the runs of words by which known names are looked up. */
export function readNames(text: string): TextNames {
  const plain = text.normalize("NFC").replace(NOISE, (noise) => " ".repeat(noise.length));
  const tokens = tokenise(plain);
  return { names: findNames(plain, tokens), grams: listGrams(plain, tokens) };
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
  return [...found.values()].map((one) => {
    const type = one.strong ? typeOfName(text, one.name) : undefined;
    return type === undefined ? one : { ...one, type };
  });
}

/** Words that this text writes with a capital, or in a form that only names have, inside a sentence. */
function confirmedWords(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(tokens.filter((token) => !token.opens && token.look !== "none").map((token) => token.word));
}

/** Runs of adjacent words that look like one name, with the connectors between them. */
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

/** Whether another word of the name follows the connectors. */
function leadsOn(tokens: readonly Token[], at: number): boolean {
  for (let i = at + 1; i < Math.min(tokens.length, at + 3); i++) {
    const token = tokens[i]!;
    if (!token.joined) return false;
    if (token.look !== "none" && !isPlainWord(token.word)) return true;
    if (!CONNECTORS.has(token.word)) return false;
  }
  return false;
}

/** Removes function words, days and months, and words that open sentences from the end of a run. */
function trimRun(run: readonly Token[]): Token[] {
  let end = run.length;
  while (end > 0 && isPlainWord(run[end - 1]!.word)) end--;
  return run.slice(0, end);
}

/** Where the name in a run begins, and whether it is certainly a name. */
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
  // An initial alone ("J. and", "A") is no name, and neither is a title alone.
  if (name.length === 1 && (first!.raw.length === 1 || TITLES.has(first!.word))) return undefined;
  const sure = name.some((token) => token.look === "sure");
  const proven = !first!.opens || confirmed.has(first!.word) || (sure && name.length === 1) || isSubject(name, tokens);
  return { from, strong: proven && ((sure && name.length === 1) || trusted(first!)) };
}

/** Whether the words that open a sentence are a name because of the verb that follows. */
function isSubject(name: readonly Token[], tokens: readonly Token[]): boolean {
  const last = name.at(-1)!;
  const [verb, after] = [1, 2].map((step) => tokens[last.at + step]).map((token) => token?.joined ? token.word : "");
  if (name.length > 1) return NAMES_DO.has(verb!) || doPeople(verb!, after!);
  // "Invoices went to spam": a plural, and the verb does not show that it is one thing.
  if (last.word.endsWith("s") && !verb!.endsWith("s")) return false;
  return doPeople(verb!, after!) && !NO_PEOPLE.has(last.word) && !IS_KIND_OF_THING.test(last.word);
}

function doPeople(verb: string, after: string): boolean {
  return PEOPLE_DO.has(verb) || (PEOPLE_DO_SOMEWHERE.has(verb) && PEOPLE_DO_WHERE.has(after)) ||
    ((verb === "is" || verb === "was") && PEOPLE_ARE.has(after));
}

/**
 * Makes a test: does a capital mean anything at a word? Not in German texts, in headlines and in text written in
 * capitals.
 */
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

/** Whether a quotation is written as a title: every word but the small ones has a capital. */
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

const GENERIC_SPEAKER =
  /^(?:user|assistant|system|tool|bot|agent|human|ai|unknown|anonymous|guest|me|you)(?:[\s_-]?\d+)?$/iu;

/** The name of a speaker or participant; undefined where it names nobody ("user", "assistant"). */
export function readSpeaker(name: string): FoundName | undefined {
  const clean = name.normalize("NFC").replace(/\s+/gu, " ").trim();
  if (clean.length > NAME_CHARACTERS_MAX || !HAS_LETTER.test(clean) || GENERIC_SPEAKER.test(clean)) return undefined;
  return { name: clean, key: nameKey(clean), strong: true };
}

/** The subject or object of a triple as a name; undefined where it is a description. */
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
