/** Numbers of things, and lengths of time, as claims have them. Pure. */
import type { Claim, Relation } from "./claim.ts";
import { NUMBER_WORDS, stemsOf } from "./values.ts";

const ORDINALS = (
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth " +
  "sixteenth seventeenth eighteenth nineteenth twentieth"
).split(" ");
/** Words before a number that leave open whether it is exact. */
export const ABOUT =
  /^(?:(?:about|around|roughly|nearly|almost|over|more than|at least|some|all|all of|the|my|his|her|their|our|a total of|only|just|another|exactly|now|already|up to) )+/iu;
const UNIT = "second|minute|hour|day|night|week|month|quarter|year|decade";
const SPAN_UNIT = new RegExp(`^(?:${UNIT})s?$`, "iu");

export interface Count {
  readonly number: number;
  /** Stems of what is counted, in order, without words that only tell one from another. */
  readonly things: readonly string[];
  readonly isOrdinal: boolean;
  /** Of how many: "4 out of 12". */
  readonly total: string | null;
}

/** Words that tell nothing of which things are counted. */
const LIGHT: ReadonlySet<string> = new Set(
  stemsOf(
    "new different other various so far yet already total altogether now out them already whole great good nice which that least",
  ),
);

/** How many of what a phrase says; null: it begins with no number, or counts time. `isAnywhere`: the number may stand later. */
export function readCount(phrase: string, isAnywhere = false): Count | null {
  const text = phrase.replace(ABOUT, "").replace(
    /^(once|twice|thrice)\b/iu,
    (word) => `${{ once: 1, twice: 2, thrice: 3 }[word.toLowerCase()]} times`,
  );
  const words = text.replace(/[,.](?!\d)/gu, " ").split(/\s+/u).filter(Boolean);
  const at = isAnywhere ? words.findIndex((word) => numberOf(word) !== null) : 0;
  const number = words[at] === undefined ? null : numberOf(words[at]!);
  if (number === null) return null;
  const rest = words.toSpliced(at, 1).join(" ").replace(/^(?:out )?of (?:the |my |our |his |her |their )?/iu, "")
    .replace(/^\d+ (?=\p{L})/u, "");
  const total = /^\S+ (?:out )?of (?:the )?(\d+) /iu.exec(words.slice(at).join(" "))?.[1] ?? null;
  const money = /^[$€£¥]/u.exec(words[at]!)?.[0];
  const things = stemsOf(rest).filter((stem) => !LIGHT.has(stem));
  if (money === undefined && (things.length === 0 || SPAN_UNIT.test(rest.split(" ")[0]!))) return null;
  return {
    number: number.value,
    things: money === undefined ? things : [money, ...things],
    isOrdinal: number.isOrdinal,
    total,
  };
}

function numberOf(word: string): { readonly value: number; readonly isOrdinal: boolean } | null {
  const lower = word.toLowerCase().replace(/^[$€£¥]|[.,;!]+$/gu, "");
  const ordinal = ORDINALS.indexOf(lower);
  if (ordinal !== -1) return { value: ordinal + 1, isOrdinal: true };
  const nth = /^(\d+)(?:st|nd|rd|th)$/u.exec(lower)?.[1];
  if (nth !== undefined) return { value: Number(nth), isOrdinal: true };
  const digits = /^\d[\d,]*(?:\.\d+)?$/u.test(lower) ? Number(lower.replaceAll(",", "")) : NaN;
  if (!Number.isNaN(digits)) return { value: digits, isOrdinal: false };
  const parts = lower.split("-").map((part) => NUMBER_WORDS[part]);
  return parts.some((part) => part === undefined) || lower === "no"
    ? null
    : { value: parts.reduce<number>((sum, part) => sum + part!, 0), isOrdinal: false };
}

const SPAN = new RegExp(
  `^(half an? |an? |the (?:last|past) )?(?:(\\S+?)[ -])?(?:and a half )?(${UNIT})s?(?: (and a half))?(?= now| already|[.!,]|$)`,
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

/** The length of time that a phrase says, in days; null: it says none. */
export function readSpan(phrase: string): number | null {
  const match = SPAN.exec(phrase.replace(ABOUT, ""));
  if (match === null) return null;
  const [, article = "", word, unit, half] = match;
  const number = word === undefined
    ? (/^half/iu.test(article) ? 0.5 : article === "" ? null : 1)
    : numberOf(word)?.value;
  if (number === null || number === undefined) return null;
  return (number + (half === undefined ? 0 : 0.5)) * DAYS[unit!.toLowerCase()]!;
}

/** What a newer count means for an older one of the same subject and verb: more of the same things take its place. */
export function relateCounts(newer: Claim, older: Claim): Relation {
  if (!newer.polarity || !older.polarity || newer.isAddition) return "none";
  const [now, before] = [readCount(newer.value), readCount(older.value)];
  if (now === null || before === null || now.number <= before.number) return "none";
  const [a, b] = [thingsOf(newer, now), thingsOf(older, before)];
  if (a.symmetricDifference(b).size === 0) return newer.change === null ? "outdates" : "ends";
  // Of one of them the statement says more exactly which they are.
  const isNearer = now.things[0] === before.things[0] && (a.isSubsetOf(b) || b.isSubsetOf(a));
  const isSameTotal = now.total !== null && now.total === before.total;
  return isNearer && (isSameTotal || newer.change !== null || now.isOrdinal || older.change !== null)
    ? "outdates"
    : "none";
}

function thingsOf({ scope }: Claim, { things }: Count): Set<string> {
  return new Set([...things, ...scope.split(" ").filter(Boolean)]);
}

/** What a newer step means for an older one: another number of the same thing. */
export function relateSteps(newer: Claim, older: Claim): Relation {
  const [now, before] = [readCount(newer.value, true), readCount(older.value, true)];
  if (now === null || before === null || now.number === before.number || newer.scope !== older.scope) return "none";
  const [a, b] = [new Set(now.things), new Set(before.things)];
  if (a.symmetricDifference(b).size > 0) return "none";
  return newer.change !== null || (newer.predicate !== "is ranked" && now.number > before.number) ? "ends" : "outdates";
}

/** What a newer status means for an older one with the same giver. */
export function relateStatus(newer: Claim, older: Claim): Relation {
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

const IN_VALUE = new RegExp(`\\b(?:half an? |an? |\\S+[ -])(?:${UNIT})s?(?: and a half)?\\b|^(?:${UNIT})\\b`, "iu");

function spanOf(value: string): { readonly days: number; readonly rest: string } | null {
  const match = IN_VALUE.exec(value);
  const days = match === null ? null : readSpan(/ |-/u.test(match[0]) ? match[0] : `a ${match[0]}`);
  if (match === null || days === null) return null;
  const rest = value.slice(0, match.index).replace(/\b(?:about|around|nearly|over|almost) $/iu, "") +
    value.slice(match.index + match[0].length);
  return { days, rest: stemsOf(rest).join(" ") };
}
