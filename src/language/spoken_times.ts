/**
 * Times that people name relative to the moment of speaking, or without the year: "yesterday", "last Friday", "in two
 * weeks", "on 5 June". Each is replaced by the date that it means, counted from that moment. Pure; days are those of
 * UTC, because a turn's time has no other zone.
 */
import { COUNT_WORDS, DAY_WORDS, MONTH_WORDS } from "./calendar.ts";
import {
  countOf,
  DAYS,
  type MatchedTime,
  mondayOf,
  monthOf,
  monthYear,
  onDay,
  readAgo,
  readAhead,
  readDate,
  readMonth,
  readUnit,
  seasonSaying,
  shift,
  type TimeMeaning,
  weekdayNear,
  withPrep,
  writeDay,
  writeMonth,
} from "./spoken_dates.ts";
import { leansPast } from "./verb_forms.ts";

const MONTH = `(${MONTH_WORDS.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?:\\.(?= \\d))?`;
const DAY = `(${DAY_WORDS.join("|")})`;
const COUNT = `(\\d{1,2}|an?|${COUNT_WORDS.join("|")})`;
const PART = "(morning|afternoon|evening|night)";
const SEASON = "(spring|summer|autumn|fall|winter)";
/** A preposition that stands before a time, with the space after it. */
const PREP = "(?:(on|in|at|since|until|till|by|from|before|after|to|for|of|during) (?:the )?)?";

interface TimeRule {
  readonly pattern: RegExp;
  /** Groups begin with the second; the first is the preposition. Undefined: it means no time here. */
  readonly read: (groups: readonly string[], saying: MatchedTime) => TimeMeaning | undefined;
}

const rule = (source: string, read: TimeRule["read"]): TimeRule => {
  return { pattern: new RegExp(`\\b${PREP}${source}(?![\\p{L}\\d])`, "giu"), read };
};

/** In order: a stretch that one rule has read is not read by another. */
const RULES: readonly TimeRule[] = [
  // A date that is complete, or that names a month and a year, stays as it is: its rule keeps the later rules from reading it.
  rule(`\\d{4}-\\d\\d-\\d\\d`, () => undefined),
  rule(
    `(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? ((?:19|20)\\d\\d)`,
    ([day, month, year], saying) => readDate(Number(day), monthOf(month!), year!, saying),
  ),
  rule(
    `${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? ((?:19|20)\\d\\d)`,
    ([month, day, year], saying) => readDate(Number(day), monthOf(month!), year!, saying),
  ),
  rule(`(?:early |late |mid-?)?${MONTH},? (?:of )?(?:19|20)\\d\\d`, () => undefined),
  rule(
    `(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}`,
    ([day, month], saying) => readDate(Number(day), monthOf(month!), "", saying),
  ),
  rule(
    `${MONTH} (\\d{1,2})(?:st|nd|rd|th)?(?!\\d*[:%.,]\\d)`,
    ([month, day], saying) => readDate(Number(day), monthOf(month!), "", saying),
  ),
  rule(`day before yesterday`, (_, saying) => onDay(shift(saying.said, -2), saying)),
  rule(`day after tomorrow`, (_, saying) => onDay(shift(saying.said, 2), saying)),
  rule(
    `(yesterday|tomorrow)(?: ${PART})?`,
    ([word, part], saying) => onDay(shift(saying.said, word === "yesterday" ? -1 : 1), saying, part),
  ),
  rule(`tonight`, (_, saying) => onDay(shift(saying.said, 0), saying, "evening")),
  rule(`this (morning|afternoon|evening)`, ([part], saying) => onDay(shift(saying.said, 0), saying, part)),
  rule(`today`, (_, saying) => onDay(shift(saying.said, 0), saying)),
  rule(`${DAY} in ${COUNT} weeks?`, ([day, count], saying) => {
    const index = DAYS.findIndex((name) => name.toLowerCase() === day);
    const date = shift(mondayOf(saying.said), 7 * countOf(count!) + (index + 6) % 7);
    return onDay(date, saying, "", DAYS[index]);
  }),
  // "Tuesday afternoons" are a habit.
  rule(
    `(?<!\\b(?:every|each|alternate|other) )(?:(last|this|next|coming|past) )?${DAY}(?: ${PART})?(?!s|'s| (?:morning|afternoon|evening|night)s\\b)`,
    ([which, day, part], saying) => {
      const index = DAYS.findIndex((name) => name.toLowerCase() === day);
      const { said, past } = saying;
      const inWeek = shift(mondayOf(said), (index + 6) % 7);
      // "Next Friday", said on a Monday, is the Friday of next week; said on a weekend, it is simply the next one.
      const date = which === "last" || which === "past"
        ? weekdayNear(said, index, true)
        : which === "next" && said.getUTCDay() !== 0 && said.getUTCDay() !== 6
        ? shift(inWeek, 7)
        : weekdayNear(said, index, which === "" && past);
      return onDay(date, saying, part, DAYS[index]);
    },
  ),
  rule(
    `(last|this|next|coming|past) (week|weekend|month|year|night|${SEASON.slice(1, -1)})(?! of )`,
    ([which, unit], saying) => readUnit(which!, unit!, saying),
  ),
  rule(
    `weekend`,
    (_, saying) =>
      /^(?:over|since|on|at|until|by)$/.test(saying.prep)
        ? readUnit(
          saying.past && saying.said.getUTCDay() !== 0 ? "last" : saying.prep === "since" ? "last" : "this",
          "weekend",
          saying,
        )
        : undefined,
  ),
  rule(`(last|next|this) ${MONTH}`, ([which, month], saying) => readMonth(month!, which!, saying)),
  rule(`(beginning|start|middle|end) of (?:the|this|next) (week|month|year)`, ([part, unit], saying) => {
    const { said } = saying;
    const whole = unit === "week"
      ? `the week of ${writeDay(mondayOf(said))}`
      : unit === "month"
      ? writeMonth(said)
      : String(said.getUTCFullYear());
    return { text: withPrep(saying, "at", `the ${part} of ${whole}`), from: shift(said, 0) };
  }),
  rule(
    `${COUNT} (minute|hour|day|week|month|year)s? ago`,
    ([count, unit], saying) => readAgo(countOf(count!), unit!, saying),
  ),
  rule(`couple of (minute|hour|day|week|month|year)s ago`, ([unit], saying) => readAgo(2, unit!, saying)),
  rule(`(?:few|couple of) (day|week|month|year)s ago`, ([unit], saying) => {
    return { text: `a few ${unit}s before ${writeDay(saying.said)}`, from: shift(saying.said, 0) };
  }),
  rule(
    `${COUNT} (day|week|month|year)s?(?! (?:old|ago|a|each|per|later|of)\\b)`,
    ([count, unit], saying) => saying.prep === "in" ? readAhead(countOf(count!), unit!, saying) : undefined,
  ),
  rule(`(first|second|third|fourth) quarter(?! of)`, ([which], saying) => {
    const index = ["first", "second", "third", "fourth"].indexOf(which!);
    const year = monthYear(index * 3 + 2, saying);
    return {
      text: withPrep(saying, "in", `the ${which} quarter of ${year}`),
      from: new Date(Date.UTC(year, index * 3, 1)),
    };
  }),
  rule(
    `${SEASON}(?! of)`,
    ([season], saying) =>
      /^(?:in|since|until|by|during)$/.test(saying.prep)
        ? readUnit(saying.past || saying.prep === "since" ? "past" : "upcoming", season!, seasonSaying(season!, saying))
        : undefined,
  ),
  rule(`(\\d{1,2})(?:st|nd|rd|th)(?! (?:floor|time|birthday|anniversary|place|day|grade|semester|row|century|of)\\b)`, (
    [day],
    saying,
  ) => {
    if (!/^(?:on|by|until|till|since|to|from)$/.test(saying.prep)) return undefined;
    const base = saying.before ?? saying.said;
    const inMonth = new Date(Date.UTC(base.getUTCFullYear(), base.getUTCMonth(), Number(day)));
    const isBehind = inMonth.getTime() < shift(base, 0).getTime();
    const step = saying.past ? (isBehind ? 0 : -1) : (isBehind ? 1 : 0);
    const from = new Date(Date.UTC(base.getUTCFullYear(), base.getUTCMonth() + step, Number(day)));
    return { text: withPrep(saying, "on", writeDay(from)), from };
  }),
  rule(
    `${MONTH}`,
    ([month], saying) => saying.prep !== "" && saying.prep !== "for" ? readMonth(month!, "", saying) : undefined,
  ),
];

/** A time in a text, and what it means. */
export interface SpokenTime {
  readonly start: number;
  readonly end: number;
  /** The text that replaces it. */
  readonly text: string;
  /** The first day that it means. */
  readonly from: Date;
}

/** A cheap first test: most sentences name no time. */
const MAYBE_TIME =
  /day|night|week|month|year|ago|today|morrow|morning|evening|afternoon|spring|summer|autumn|fall|winter|quarter|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d(?:st|nd|rd|th)|\b(?:in|an hour)\b/iu;

/** A sentence about what comes back each year, or about when somebody was born. */
const YEARLY =
  /\b(?:birth(?:days?|date)|born|anniversar(?:y|ies)|name day|(?:every|each) year|yearly|annual(?:ly)?)\b/iu;
const HAS_YEAR = /\d{4}|\b(?:last|next|this)\b/iu;
/** What stands beside a date that is of one year all the same: "she turns 60 on 2 April", "this year, 15 August". */
const ONE_BEFORE = /\b(?:turn(?:s|ed|ing)? \d{1,3}|this year),? $/iu;
const ONE_AFTER = /^,? this year\b/iu;
const NAMES_MONTH = new RegExp(`\\b${MONTH}`, "iu");

/** The times of one sentence that need the moment at which it was said, in order. */
export function findSpokenTimes(sentence: string, saidAt: Date): SpokenTime[] {
  if (!MAYBE_TIME.test(sentence) || Number.isNaN(saidAt.getTime())) return [];
  const taken: { readonly start: number; readonly end: number }[] = [];
  const found: SpokenTime[] = [];
  const isYearly = YEARLY.test(sentence);
  for (const { pattern, read } of RULES) {
    for (const match of sentence.matchAll(pattern)) {
      const start = match.index;
      const end = start + match[0].length;
      if (taken.some((other) => start < other.end && end > other.start)) continue;
      // A birthday is of every year, and the year of birth is not the one in which it is told.
      if (
        isYearly && NAMES_MONTH.test(match[0]) && !HAS_YEAR.test(match[0]) &&
        !ONE_BEFORE.test(sentence.slice(0, start)) && !ONE_AFTER.test(sentence.slice(end))
      ) {
        taken.push({ start, end });
        continue;
      }
      const [prep = "", ...groups] = match.slice(1).map((group) => (group ?? "").toLowerCase());
      const before = found.filter((time) => time.end <= start).sort((a, b) => b.end - a.end)[0]?.from;
      const past = isPastAt(sentence, start, prep);
      const meaning = read(groups, { said: saidAt, past, prep, before });
      if (meaning === undefined) {
        if (/\d{4}/.test(match[0])) taken.push({ start, end });
        continue;
      }
      taken.push({ start, end });
      const text = /^\p{Lu}/u.test(match[0]) && prep !== "" || start === 0 ? capitalise(meaning.text) : meaning.text;
      found.push({ start, end, text, from: meaning.from });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Whether a time is past, judged by its clause; a goal ("moved to Friday", "due by Friday") is in the future. */
function isPastAt(sentence: string, start: number, prep: string): boolean {
  if (prep === "since") return true;
  if (prep === "to" || prep === "by" || prep === "for" || prep === "of" && /\bas $/iu.test(sentence.slice(0, start))) {
    return false;
  }
  const clauseStart = Math.max(...[", ", "; ", " but ", " and "].map((mark) => {
    const at = sentence.lastIndexOf(mark, start - 2);
    return at === -1 ? 0 : at + mark.length;
  }));
  const clause = sentence.slice(clauseStart, start);
  if (/\b(?:agreed|decided|promised|plan(?:s|ned)?|hopes?|wants?|needs?|going|have|has) to \p{L}+/iu.test(clause)) {
    return false;
  }
  if (/\b(?:due|planned|scheduled|booked|set|supposed|expected|appointment)\b/iu.test(clause)) return false;
  if (
    /\b(?:moved|postponed|rescheduled|extended|delayed|changed|pushed|runs?|stays?)\b.{0,30}$/iu.test(clause) &&
    prep === "until"
  ) {
    return false;
  }
  if (leansPast(clause)) return true;
  if (/\p{L}{2}/u.test(clause.replace(/\b(?:on|in|at|the|since|and|but)\b/giu, ""))) return false;
  return leansPast(sentence.slice(start));
}

function capitalise(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

/** Replaces the times of a sentence by the dates that they mean. */
export function resolveTimes(sentence: string, saidAt: Date): string {
  let text = sentence;
  for (const time of findSpokenTimes(sentence, saidAt).reverse()) {
    text = text.slice(0, time.start) + time.text + text.slice(time.end);
  }
  return text;
}
