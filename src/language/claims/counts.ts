/** Numbers of things and lengths of time in claims. Pure. */
import type { Claim, ClaimRelation } from "./claim.ts";
import { NUMBER_WORDS, stemsOf } from "./values.ts";

const ORDINAL_WORDS = (
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth " +
  "sixteenth seventeenth eighteenth nineteenth twentieth"
).split(" ");
/** The pattern of an ordinal: "third", "42nd". */
export const ORDINAL = `${ORDINAL_WORDS.join("|")}|\\d+(?:st|nd|rd|th)`;
/** Words before a number that leave open whether it is exact. */
export const ABOUT =
  /^(?:(?:about|around|roughly|nearly|almost|over|more than|at least|some|all|all of|the|my|his|her|their|our|a total of|only|just|another|exactly|now|already|up to) )+/iu;
const UNIT = "second|minute|hour|day|night|week|month|quarter|year|decade";
const SPAN_UNIT = new RegExp(`^(?:${UNIT})s?$`, "iu");

export interface Count {
  readonly number: number;
  /** Stems of what is counted, in order, without words that only distinguish some of them from others. */
  readonly things: readonly string[];
  readonly isOrdinal: boolean;
  /** The whole of which it is a part: 12 in "4 out of 12". */
  readonly total: string | null;
}

/** Words that do not say which things are counted. */
const LIGHT: ReadonlySet<string> = new Set(
  stemsOf(
    "new different other various so far yet already total altogether now out them already whole great good nice which that least yesterday",
  ),
);

/** Reads a count; null: the phrase begins with no number, or counts time. `isAnywhere`: the number may come later. */
export function readCount(phrase: string, isAnywhere = false): Count | null {
  const text = phrase.replace(ABOUT, "").replace(
    /^(once|twice|thrice)\b/iu,
    (word) => `${{ once: 1, twice: 2, thrice: 3 }[word.toLowerCase()]} times`,
  );
  const words = text.replace(/[,.](?!\d)/gu, " ").split(/\s+/u).filter(Boolean);
  const at = isAnywhere ? words.findIndex((word) => numberOf(word) !== null) : 0;
  const number = numberAt(words, at);
  if (number === null) return null;
  const rest = words.toSpliced(at, number.length).join(" ").replace(
    /^(?:out )?of (?:the |my |our |his |her |their )?/iu,
    "",
  )
    .replace(/^\d+ (?=\p{L})/u, "");
  const total = /^\S+ (?:out )?of (?:the )?(\d+) /iu.exec(words.slice(at + number.length - 1).join(" "))?.[1] ?? null;
  const money = /^[$€£¥]/u.exec(words[at]!)?.[0];
  const things = stemsOf(rest).filter((stem) => !LIGHT.has(stem));
  // "three weeks" is a length of time, "week 3 of the course" is not.
  const isSpan = !isAnywhere && SPAN_UNIT.test(rest.split(" ")[0]!);
  if (money === undefined && (things.length === 0 || isSpan)) return null;
  return {
    number: number.value,
    things: money === undefined ? things : [money, ...things],
    isOrdinal: number.isOrdinal,
    total,
  };
}

const FACTORS: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1_000,
  million: 1_000_000,
  billion: 1_000_000_000,
};

/** Reads the number that begins at a word, and how many words it has: "two hundred and five", "5 million". */
function numberAt(
  words: readonly string[],
  at: number,
): { readonly value: number; readonly isOrdinal: boolean; readonly length: number } | null {
  const isFactorOfOne = /^an?$/iu.test(words[at] ?? "") && FACTORS[words[at + 1]?.toLowerCase() ?? ""] !== undefined;
  const first = words[at] === undefined ? null : isFactorOfOne ? { value: 1, isOrdinal: false } : numberOf(words[at]!);
  if (first === null || first.isOrdinal) return first === null ? null : { ...first, length: 1 };
  let [whole, part, next] = [0, first.value, at + 1];
  for (; next < words.length; next++) {
    const factor = FACTORS[words[next]!.toLowerCase()];
    const isJoint = words[next]!.toLowerCase() === "and" && /(?:hundred|thousand|million)$/iu.test(words[next - 1]!);
    const added = numberOf(words[isJoint ? next + 1 : next] ?? "");
    if (factor !== undefined && factor < 1_000) {
      part *= factor;
    } else if (factor !== undefined) {
      whole += part * factor;
      part = 0;
    } else if (
      FACTORS[words[next - 1]!.toLowerCase()] !== undefined && added !== null && !added.isOrdinal &&
      added.value < FACTORS[words[next - 1]!.toLowerCase()]!
    ) {
      part += added.value;
      if (isJoint) next++;
    } else break;
  }
  const isHalf = /^and a half\b/iu.test(words.slice(next, next + 3).join(" "));
  return { value: whole + part + (isHalf ? 0.5 : 0), isOrdinal: false, length: next - at + (isHalf ? 3 : 0) };
}

function numberOf(word: string): { readonly value: number; readonly isOrdinal: boolean } | null {
  const lower = word.toLowerCase().replace(/^[$€£¥]|[.,;!]+$/gu, "");
  const ordinal = ORDINAL_WORDS.indexOf(lower);
  if (ordinal !== -1) return { value: ordinal + 1, isOrdinal: true };
  const nth = /^(\d+)(?:st|nd|rd|th)$/u.exec(lower)?.[1];
  if (nth !== undefined) return { value: Number(nth), isOrdinal: true };
  // "1.000" books are a thousand.
  const plain = /^[1-9]\d{0,2}(?:\.\d{3})+$/u.test(lower) ? lower.replaceAll(".", "") : lower.replaceAll(",", "");
  const digits = /^\d[\d,]*(?:\.\d+)*$/u.test(lower) ? Number(plain) : NaN;
  if (!Number.isNaN(digits)) return { value: digits, isOrdinal: false };
  const parts = lower.split("-").map((part) => NUMBER_WORDS[part]);
  return parts.some((part) => part === undefined) || lower === "no"
    ? null
    : { value: parts.reduce<number>((sum, part) => sum + part!, 0), isOrdinal: false };
}

const SPAN = new RegExp(
  `^(half an? |an? |the (?:last|past) )?(?:(\\S{1,30}?)[ -](?:(hundred|thousand) )?)?(and a half )?(${UNIT})s?(?: (and a half))?(?= now| already|[.!,]|$)`,
  "iu",
);
const DAYS: Readonly<Record<string, number>> = {
  second: 1 / 86_400,
  minute: 1 / 1_440,
  hour: 1 / 24,
  day: 1,
  night: 1,
  week: 7,
  month: 30.4,
  quarter: 91,
  year: 365,
  decade: 3_650,
};

/** Reads the length of time that a phrase names, in days; null: it names none. */
export function readSpan(phrase: string): number | null {
  const match = SPAN.exec(phrase.replace(ABOUT, ""));
  if (match === null) return null;
  const [, article = "", word, factor = "", half, unit, halfAfter] = match;
  const number = word === undefined
    ? (/^half/iu.test(article) ? 0.5 : article === "" ? null : 1)
    : FACTORS[word.toLowerCase()] ?? numberOf(word)?.value;
  if (number === null || number === undefined) return null;
  const whole = number * (FACTORS[factor.toLowerCase()] ?? 1);
  return (whole + (half === undefined && halfAfter === undefined ? 0 : 0.5)) * DAYS[unit!.toLowerCase()]!;
}

/**
 * Relates a newer count to an older one of the same subject and verb: a greater number of the same
 * things replaces it.
 */
export function relateCounts(newer: Claim, older: Claim): ClaimRelation {
  if (!newer.polarity || !older.polarity || newer.isAddition) return "none";
  const [now, before] = [readCount(newer.value), readCount(older.value)];
  if (now === null || before === null || now.number <= before.number) return "none";
  const [a, b] = [thingsOf(newer, now), thingsOf(older, before)];
  if (a.symmetricDifference(b).size === 0) {
    // A statement about the first thing still holds beside one about the second.
    return newer.change === null || now.isOrdinal || before.isOrdinal ? "outdates" : "ends";
  }
  const isSameTotal = now.total !== null && now.total === before.total;
  // The newer count is of more things, or is a part of the same total; so it contains the older one.
  const isNearer = now.things[0] === before.things[0] && (a.isSubsetOf(b) || (isSameTotal && b.isSubsetOf(a)));
  return isNearer && (isSameTotal || newer.change !== null || now.isOrdinal || older.change !== null)
    ? "outdates"
    : "none";
}

function thingsOf({ scope }: Claim, { things }: Count): Set<string> {
  return new Set([...things, ...scope.split(" ").filter(Boolean)]);
}

/**
 * Relates a newer step or rank to an older one of the same thing: another number outdates it. It
 * ends the older one only if a word marks a change and the step goes forward or it is a rank.
 */
export function relateSteps(newer: Claim, older: Claim): ClaimRelation {
  if (!newer.polarity || !older.polarity || newer.isAddition || /\bother\b/iu.test(newer.value)) return "none";
  const [now, before] = [readCount(newer.value, true), readCount(older.value, true)];
  if (now === null || before === null || now.number === before.number || newer.scope !== older.scope) return "none";
  const [a, b] = [new Set(now.things), new Set(before.things)];
  if (a.symmetricDifference(b).size > 0) return "none";
  if (newer.change === null) return "outdates";
  const isForward = now.number > before.number && !now.isOrdinal && !before.isOrdinal;
  return newer.predicate === "is ranked" || isForward ? "ends" : "outdates";
}

/** Decides whether a newer status ("gold with Lufthansa") replaces an older one from the same company or club. */
export function relateStatus(newer: Claim, older: Claim): ClaimRelation {
  const split = (value: string) => /^(.+? (?:status|tier|rank|belt|level))\b(.*)$/iu.exec(value);
  const [now, before] = [split(newer.value), split(older.value)];
  if (now === null || before === null || newer.isAddition || !newer.polarity || !older.polarity) return "none";
  const [which, whose] = [now, before].map((one) => stemsOf(one[2]!).join(" "));
  const [a, b] = [now, before].map((one) => stemsOf(one[1]!));
  if (which !== whose || a!.at(-1) !== b!.at(-1) || a!.join(" ") === b!.join(" ")) return "none";
  return newer.change === null ? "outdates" : "ends";
}

/** Whether two values are lengths of time that differ, said of the same: "six days old", "eight weeks old". */
export function isOtherSpan(a: string, b: string): boolean {
  const [one, other] = [spanOf(a), spanOf(b)];
  return one !== null && other !== null && one.days !== other.days && one.rest === other.rest;
}

/** The number before the unit is bounded, so that a long text without blanks is read once. */
const IN_VALUE = new RegExp(
  `\\b(?:half an? |an? |(?:[^\\s-]{1,20}-)?[^\\s-]{1,20}[ -](?:(?:hundred|thousand|and a half) )?)(?:${UNIT})s?(?: and a half)?\\b|^(?:${UNIT})\\b`,
  "iu",
);

function spanOf(value: string): { readonly days: number; readonly rest: string } | null {
  const match = IN_VALUE.exec(value);
  const days = match === null ? null : readSpan(/ |-/u.test(match[0]) ? match[0] : `a ${match[0]}`);
  if (match === null || days === null) return null;
  const rest = value.slice(0, match.index).replace(/\b(?:about|around|nearly|over|almost) $/iu, "") +
    value.slice(match.index + match[0].length);
  return { days, rest: stemsOf(rest).join(" ") };
}
