/** Values of claims: numbers, sums, times and names in a form in which they can be compared. */
import { DAY_WORDS, MONTH_WORDS, NUMBER_VALUES } from "../calendar.ts";
import { isStopWord, listWords, stemWord } from "../tokenise.ts";

/** The kind of a value's unit; only values of one kind can contradict each other. */
export type ValueKind = "money" | "percent" | "clock" | "day" | "rhythm" | "number";

interface TypedValue {
  readonly kind: ValueKind;
  readonly text: string;
  /** The same for equal values. */
  readonly key: string;
}

/** Numbers by their words. */
export const NUMBER_WORDS: Readonly<Record<string, number>> = { no: 0, ...NUMBER_VALUES };
const NUMBER_WORD = Object.keys(NUMBER_VALUES).join("|");
const MONTH = `${MONTH_WORDS.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec`;
const WEEKDAY = DAY_WORDS.join("|");
const UNIT = "minute|hour|day|night|week|month|quarter|year|second";
const DIGITS = "\\d[\\d,]*(?:\\.\\d+)*";

/** In order: a longer form comes before the shorter ones that it contains. */
const FORMS: readonly { readonly kind: ValueKind; readonly pattern: string }[] = [
  {
    kind: "money",
    pattern:
      `[$€£¥] ?${DIGITS}(?: ?(?:k|m|million|billion)\\b)?|${DIGITS}(?: ?(?:k|m|million|billion))? ?(?:dollars?|euros?|pounds?|francs?|yen|usd|eur|gbp|chf|cents?)\\b`,
  },
  { kind: "percent", pattern: `${DIGITS} ?(?:%|percent\\b|per cent\\b)` },
  {
    kind: "clock",
    pattern:
      `\\b(?:half|quarter|five|ten|twenty) (?:past|to) (?:${NUMBER_WORD}|\\d{1,2})\\b|\\b(?:${NUMBER_WORD}) o'clock|` +
      "\\d{1,2}[:.]\\d\\d ?(?:am|pm|a\\.m\\.|p\\.m\\.)?\\b(?![.\\d])(?= ?(?:am|pm|o'clock|,|$|[.!]|on|in|every|now|instead|and))|\\d{1,2}:\\d\\d\\b|\\d{1,2} ?(?:am|pm|a\\.m\\.|p\\.m\\.)(?=\\W|$)|\\d{1,2} o'clock|\\b(?:noon|midnight)\\b",
  },
  {
    kind: "rhythm",
    pattern:
      `\\b(?:almost )?(?:every|each) (?:other |second |(?:${NUMBER_WORD}|\\d+) )?(?:${UNIT})s?\\b|\\b(?:hourly|daily|nightly|weekly|biweekly|fortnightly|monthly|quarterly|yearly|annually)\\b|\\b(?:once|twice|${NUMBER_WORD}|\\d+)(?: times| (?:day|morning|evening|night)s)? (?:a|per|each|every) (?:${UNIT})\\b`,
  },
  {
    kind: "day",
    pattern:
      `\\b\\d{4}-\\d\\d-\\d\\d\\b|\\b(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${MONTH})\\b(?:,? \\d{4}\\b)?|\\b(?:${MONTH}) \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4}\\b)?|\\b(?:${MONTH})(?: \\d{4})?\\b|\\bthe \\d{1,2}(?:st|nd|rd|th)\\b|\\b(?:next |this |last )?(?:${WEEKDAY})s?\\b|\\b(?:next |this )?(?:spring|summer|autumn|winter)\\b|\\b(?:tomorrow|next (?:week|month|quarter|year))\\b|\\bq[1-4](?: \\d{4})?\\b`,
  },
  {
    kind: "number",
    pattern:
      `\\b(?:version |v)?${DIGITS}(?:k\\b)?|\\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)-(?:${NUMBER_WORD})\\b|\\b(?:${NUMBER_WORD})\\b`,
  },
];
const ANY_VALUE = new RegExp(FORMS.map(({ pattern }) => `(${pattern})`).join("|"), "giu");

export interface Masked {
  /** The stems of the rest, with a mark for each value. */
  readonly frame: string;
  readonly values: readonly TypedValue[];
}

/** Splits a text into its values and the frame around them. */
export function maskValues(text: string): Masked {
  return remember(maskCache, text, () => mask(text));
}

/** Caches: a statement that is compared with many others is read only once. */
const CACHE_MAX = 8_192;
const maskCache = new Map<string, Masked>();
const stemCache = new Map<string, readonly string[]>();

function remember<T>(cache: Map<string, T>, text: string, make: () => T): T {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_MAX) cache.clear();
  const made = make();
  cache.set(text, made);
  return made;
}

function mask(text: string): Masked {
  const values: TypedValue[] = [];
  const masked = text.replace(ANY_VALUE, (match, ...groups) => {
    const kind = FORMS[groups.findIndex((group, i) => i < FORMS.length && group !== undefined)]!.kind;
    values.push({ kind, text: match.trim(), key: keyOfTyped(kind, match) });
    return ` ${maskOf(kind)} `;
  });
  return { frame: stemsOf(masked).join(" "), values };
}

/**
 * Values whose times of the form 1.10 are read as numbers: "version 1.10". Only the words around say which it is, and a
 * reader that knows them calls this.
 */
export function withoutDottedTimes({ frame, values }: Masked): Masked {
  if (!values.some(isDottedTime)) return { frame, values };
  let at = -1;
  return {
    frame: frame.split(" ").map((stem) => {
      if (!/^0\p{L}+$/u.test(stem)) return stem;
      at++;
      return values[at] !== undefined && isDottedTime(values[at]) ? maskOf("number") : stem;
    }).join(" "),
    values: values.map((value) => isDottedTime(value) ? { ...value, kind: "number", key: value.text } : value),
  };
}

function isDottedTime({ kind, text }: TypedValue): boolean {
  return kind === "clock" && /^\d+\.\d\d$/.test(text);
}

/** The placeholder for a value in a frame; its digit keeps it from being stemmed. */
export function maskOf(kind: ValueKind): string {
  return `0${kind}`;
}

/** The first value of a text; undefined if there is none. */
export function firstValue(text: string): TypedValue | undefined {
  return maskValues(text).values[0];
}

function keyOfTyped(kind: ValueKind, text: string): string {
  const folded = text.toLowerCase().replace(/,/g, "").replace(/\s+/g, " ").trim();
  if (kind === "clock") return clockKey(folded);
  if (kind === "day") {
    return folded.replace(/\b(?:the|of|on|next|this)\b|(?<=\d)(?:st|nd|rd|th)\b/g, " ")
      .replace(new RegExp(`\\b(${WEEKDAY})s\\b`, "g"), "$1")
      .replace(new RegExp(`\\b(${MONTH})\\b`, "g"), (name) => name.slice(0, 3))
      .split(" ").filter(Boolean).sort().join(" ");
  }
  return folded.replace(/[a-z]+/g, (word) => NUMBER_WORDS[word] === undefined ? word : String(NUMBER_WORDS[word]))
    .replace(/[^\p{L}\p{N}.]/gu, " ").replace(
      /\b(?:dollars?|euros?|pounds?|version|percent|per cent)\b|\bv(?=\d)/g,
      " ",
    )
    .replace(/\.$/, "").replace(/\s+/g, " ").trim();
}

const MINUTES: Readonly<Record<string, number>> = { half: 30, quarter: 15, five: 5, ten: 10, twenty: 20 };

/** Minutes since midnight. */
function clockKey(text: string): string {
  if (text === "noon") return "720";
  if (text === "midnight") return "0";
  const told = /^(half|quarter|five|ten|twenty) (past|to) (.+)$/.exec(text);
  if (told !== null) {
    const minutes = MINUTES[told[1]!]!;
    const hours = NUMBER_WORDS[told[3]!] ?? Number(told[3]);
    return String(hours * 60 + (told[2] === "past" ? minutes : -minutes));
  }
  const worded = /^(\p{L}+) o'clock$/u.exec(text)?.[1];
  if (worded !== undefined) return String((NUMBER_WORDS[worded] ?? 0) * 60);
  const [, hour, minute = "0"] = /(\d{1,2})(?:[:.](\d\d))?/.exec(text)!;
  const isAfternoon = /p\.?m/.test(text) && Number(hour) < 12;
  return String((Number(hour) + (isAfternoon ? 12 : 0)) * 60 + Number(minute));
}

const GLUE: ReadonlySet<string> = new Set([
  "of",
  "for",
  "in",
  "on",
  "at",
  "with",
  "about",
  "a",
  "an",
  "the",
  "my",
  "our",
  "his",
  "her",
  "their",
  "its",
  "your",
  "this",
  "that",
  "s",
  "only",
  "as",
  "and",
  "is",
  "are",
  "be",
]);

/** The stems of a text in order, without articles and the like; numbers as digits. */
export function stemsOf(text: string): readonly string[] {
  return remember(stemCache, text, () => listStems(text));
}

function listStems(text: string): string[] {
  // The letter of "room A" is a name.
  const lettered = text.replace(/(?<=\p{L} )A(?=$|[\s.,])/gu, "letter1a");
  return listWords(lettered, "search").filter((word) => word !== "" && !GLUE.has(word))
    .map((word) => NUMBER_WORDS[word] === undefined ? stemWord(word, "search") : String(NUMBER_WORDS[word]));
}

/** The stems that carry content. */
export function contentStems(text: string): string[] {
  return stemsOf(text).filter((stem) => !isStopWord(stem, "search"));
}

/** A value for display: without the punctuation around it and without an article or small word before it. */
export function cleanValue(text: string): string {
  return text.replace(/^[\s,.:;"'“”(]+|[\s,.:;!"'“”)]+$/gu, "").replace(/^(?:a|an|the|to|as|be) (?=\S)/iu, "")
    .replace(/\s+/g, " ").trim();
}

/**
 * Whether two values can be the same: equal, or one says the other more exactly ("Faro" and "Faro, Portugal").
 */
export function isSameValue(a: string, b: string): boolean {
  const [typedA, typedB] = [maskValues(a), maskValues(b)];
  if (typedA.values.length > 0 && typedA.frame === typedB.frame && typedA.values.length === typedB.values.length) {
    return typedA.values.every((value, i) => value.key === typedB.values[i]!.key);
  }
  if (/^\S+@\S+$/.test(a) && /^\S+@\S+$/.test(b)) return a.toLowerCase() === b.toLowerCase();
  const [stemsA, stemsB] = [new Set(stemsOf(a)), new Set(stemsOf(b))];
  if (stemsA.size === 0 || stemsB.size === 0) return stemsA.size === stemsB.size;
  if (!stemsA.isSubsetOf(stemsB) && !stemsB.isSubsetOf(stemsA)) return false;
  return [...stemsA.symmetricDifference(stemsB)].every((stem) => !RANKS.has(stem));
}

/** Words that turn a role into another one, such as "deputy". */
const RANKS: ReadonlySet<string> = new Set(
  "vice deputy assistant associate senior junior lead chief former acting interim co head principal staff intern".split(
    " ",
  )
    .map((word) => stemWord(word, "search")),
);
