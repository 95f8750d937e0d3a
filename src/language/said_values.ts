/** Finds the values in what people say (days, hours, numbers), and which of them takes the place of which. Pure. */
import { maskValues } from "./claims/mod.ts";
import { matterOf } from "./self_contained.ts";

/** A value with its place in the text. */
export interface Value {
  readonly kind: string;
  readonly key: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** "21:45, not 22:15" */
const DENIES = /^,? (?:and |but )?not (?:(?:on|at|in|the|from) )*$/iu;
const ORDINAL = /^(?:st|nd|rd|th)\b/iu;
const SHORT_DAY = /(?<![\p{L}'])(?:mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)(?![\p{L}'])/giu;
const WEEKDAY = /^(?:mon|tues?|wed(?:nes|s)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?$/iu;
/** A span of time that is no day. */
const PERIOD =
  /^(?!.*\d{1,2}(?:st|nd|rd|th)?\b(?!\d))(?:.*(?:week|month|quarter|year|spring|summer|autumn|winter|q\d)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*(?: \d{4})?$)/iu;

/** The values of a text from an offset on; two that say one another's day ("the 8th, Friday") are one. */
export function readValues(text: string, from: number): Value[] {
  const found: Value[] = [...text.slice(from).matchAll(SHORT_DAY)].map(({ 0: said, index }) => ({
    ...{ kind: "day", key: said, text: said },
    ...{ start: from + index, end: from + index + said.length },
  }));
  let at = from;
  for (const { kind, key, text: masked } of maskValues(text.slice(from)).values) {
    const said = masked.replace(/,+$/u, "");
    const start = text.indexOf(said, at);
    if (start === -1) continue;
    at = start + said.length;
    // "The blue one", "no problem": no numbers.
    if (kind === "number" && /^(?:one|no)$/iu.test(said)) continue;
    const ordinal = kind === "number" ? ORDINAL.exec(text.slice(at))?.[0] ?? "" : "";
    const isPeriod = kind === "day" && PERIOD.test(said);
    const kindOf = ordinal !== "" ? "day" : isPeriod ? "period" : kind;
    found.push({ kind: kindOf, key, text: said + ordinal, start, end: at + ordinal.length });
  }
  const values: Value[] = [];
  for (const value of found.sort((a, b) => a.start - b.start)) {
    const last = values.at(-1);
    const isSame = last?.kind === "day" && value.kind === "day" && /^,? $/u.test(text.slice(last.end, value.start));
    // "Tuesday, Wednesday" are two.
    if (!isSame || WEEKDAY.test(last.text) && WEEKDAY.test(value.text)) values.push(value);
    else values.splice(-1, 1, { ...value, text: text.slice(last.start, value.end), start: last.start });
  }
  return values;
}

/** Whether a text says a value and one of the same kind that does not hold. */
export function deniesValue(text: string): boolean {
  if (!/\bnot\b/iu.test(text)) return false;
  const values = readValues(text, 0);
  return values.some((value, i) => {
    const next = values[i + 1];
    return next?.kind === value.kind && DENIES.test(text.slice(value.end, next.start));
  });
}

/** "not tuesday, wednesday": how a text begins that denies a value and says the one of the same kind that holds. */
const DENIES_FIRST = /^(?:(?:oh|no|nope|nah|wait|sorry|lol|hm+)[,.!]? )*(?:it'?s )?not (?:on |at |in |the )*$/iu;
const TO_RIGHT = /^[,;.!\u2013\u2014-]+ (?:(?:but|it'?s|rather|on|at|in|the) )*$/iu;

/** The values that a text denies at its beginning, and the rest of its values. */
export function readDenied(text: string): { readonly denied: Value; readonly others: readonly Value[] } | undefined {
  if (!/^.{0,24}\bnot\b/iu.test(text)) return undefined;
  const [denied, ...others] = readValues(text, 0);
  return denied !== undefined && DENIES_FIRST.test(text.slice(0, denied.start)) ? { denied, others } : undefined;
}

/** The value that takes the place of one that a text denies at its beginning, if it follows directly. */
export function rightAfter(text: string, denied: Value, others: readonly Value[]): Value | undefined {
  const [next] = others;
  return next?.kind === denied.kind && TO_RIGHT.test(text.slice(denied.end, next.start)) ? next : undefined;
}

/** The older values with those that take their places; none if it is not certain which takes which place. */
export function pairValues(
  older: readonly Value[],
  newer: readonly Value[],
  olderText: string,
  newerText: string,
): (readonly [Value, Value])[] {
  const denied = newer.flatMap((value, i) => {
    const last = newer[i - 1];
    const isDenied = last?.kind === value.kind && DENIES.test(newerText.slice(last.end, value.start));
    const place = isDenied ? older.find((one) => isSame(one, value)) : undefined;
    return place === undefined ? [] : [[place, last!] as const];
  });
  if (denied.length > 0) return denied;
  for (const kind of new Set(newer.map((value) => value.kind))) {
    const was = older.filter((value) => value.kind === kind);
    const is = newer.filter((value) => value.kind === kind && !was.some((one) => isSame(one, value)));
    const changed = was.filter((value) => !newer.some((one) => isSame(one, value)));
    if (is.length === 0 || was.length === 0) continue;
    const places = is.length === was.length ? was : is.length === changed.length ? changed : undefined;
    // Of several numbers only a noun tells which is which: "max 8 attempts, base 2 s".
    if (kind !== "number" || is.length === 1) {
      if (places?.every((place, i) => countsSame(place, is[i]!, olderText, newerText))) {
        return places.map((place, i) => [place, is[i]!] as const);
      }
    }
    const [first] = is;
    const named = was.filter((place) => namesSame(place, first!, olderText, newerText));
    if (named.length === 1) return [[named[0]!, first!]];
  }
  return [];
}

const MONTH = /(?<!\p{L})(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*/iu;
const DAY_OF_MONTH = /(?<!\d)\d{1,2}(?:st|nd|rd|th)?(?![\p{L}\d])/iu;

/** "9 May" that is the 8th is 8th May; if it is a Thursday, only whoever says so knows which. */
export function inPlaceOf(was: Value, is: Value): string {
  if (is.kind === "day" && DAY_OF_MONTH.test(was.text) && !/\d/u.test(is.text)) return `${is.text}, not ${was.text},`;
  const day = is.kind === "day" ? DAY_OF_MONTH.exec(is.text)?.[0] : undefined;
  const isShort = day !== undefined && MONTH.test(was.text) && !MONTH.test(is.text) && DAY_OF_MONTH.test(was.text);
  return isShort ? was.text.replace(DAY_OF_MONTH, day) : is.text;
}

/** Whether two values are equal; a day of the month is the same with and without its month. */
export function isSame(a: Value, b: Value): boolean {
  if (a.kind !== b.kind) return false;
  const day = (value: Value) => /(?<!\d)\d{1,2}(?!\d)/u.exec(value.text)?.[0];
  const weekday = (value: Value) => /^(?:mon|tue|wed|thu|fri|sat|sun)/iu.exec(value.key)?.[0].toLowerCase();
  if (weekday(a) !== undefined && weekday(a) === weekday(b)) return true;
  return a.key === b.key || a.kind === "day" && day(a) !== undefined && day(a) === day(b);
}

/** Of "5 attempts" the noun. */
function nounAfter(text: string, { kind, end }: Value): string | undefined {
  if (kind !== "number") return undefined;
  const [word] = /^ \p{L}{3,}/u.exec(text.slice(end)) ?? [];
  return word === undefined ? undefined : [...matterOf(word)][0];
}

/** Whether two values do not count different things. */
function countsSame(a: Value, b: Value, textOfA: string, textOfB: string): boolean {
  const [one, other] = [nounAfter(textOfA, a), nounAfter(textOfB, b)];
  return one === undefined || other === undefined || one === other;
}

function namesSame(a: Value, b: Value, textOfA: string, textOfB: string): boolean {
  const noun = nounAfter(textOfA, a);
  return noun !== undefined && noun === nounAfter(textOfB, b);
}
