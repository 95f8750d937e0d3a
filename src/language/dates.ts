/**
 * Dates in text: strong time expressions of documents, and the windows that a query's dates mean.
 *
 * All windows are half-open [from, to) in milliseconds since the epoch. Days, weeks and months are those of the asker's
 * zone: the rules reckon with its wall clock, and the windows are the times at which that clock shows them.
 */
import { COUNT_WORDS, DAY_WORDS as DAYS, MONTH_WORDS as MONTHS } from "./calendar.ts";
import { fromWallClock, toWallClock, UTC, type Zone } from "./local_time.ts";

const MONTH_SHORT = MONTHS.map((m) => m.slice(0, 3));
const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  ...Object.fromEntries(COUNT_WORDS.map((word, i) => [word, i + 1])),
  couple: 2,
  few: 3,
};
const DAY_MS = 86_400_000;

const MONTH_NAME =
  "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
const COUNT = `\\d{1,3}|an?|${COUNT_WORDS.join("|")}|(?:a )?couple(?: of)?|(?:a )?few|several|some|many`;
const UNIT = "second|minute|hour|day|night|weekend|week|fortnight|month|year|decade";
const STRONG = new RegExp(
  [
    "\\b(?:yesterday|today|tonight|tomorrow|nowadays|recently)\\b",
    `\\b(?:last|next|this|past|previous|coming)\\s+(?:${UNIT}|morning|evening|afternoon|summer|winter|spring|autumn|fall|${
      DAYS.join("|")
    }|${MONTHS.join("|")})\\b`,
    `\\b(?:${COUNT})\\s+(?:${UNIT})s?\\s+(?:ago|before|later|back|now|earlier|old)\\b`,
    `\\b(?:for|since|in|over|about|around|almost|nearly)\\s+(?:the\\s+(?:last|past)\\s+)?(?:${COUNT})\\s+(?:${UNIT})s?\\b`,
    `\\b(?:${COUNT})\\s+(?:${UNIT})s\\b`,
    "\\b(?:19|20)\\d\\d\\b",
    `\\bon\\s+(?:${DAYS.join("|")})\\b`,
    "\\b(?:the\\s+)?other\\s+day\\b",
    "\\b(?:since|when)\\s+(?:i|we)\\s+was\\b",
    "\\b\\d{1,2}(?::\\d\\d)?\\s?(?:am|pm)\\b",
  ].join("|"),
  "i",
);
const STRONG_MONTH = new RegExp(`\\b(?:${MONTH_NAME})\\b(?!\\s+(?:I|we|you|be)\\b)`);
/** A cheap test, so that the long expression runs on few texts. */
const MAYBE_STRONG =
  /\d|ago|day|night|week|month|year|last|next|this|past|since|recent|January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec|tomorrow|hour|decade/;

/** Whether a text says when something was or will be: "yesterday", "two weeks ago", "in May 2023", "last Friday". */
export function hasStrongTime(text: string): boolean {
  return MAYBE_STRONG.test(text) && (STRONG.test(text) || STRONG_MONTH.test(text));
}

/**
 * The time that a query's date covers. `yearless`: the query names only a month, or a day and
 * month, and `from`/`to` is one of several possible years.
 */
export interface DateWindow {
  readonly from: number;
  readonly to: number;
  readonly grain: "day" | "week" | "month" | "season" | "year";
  readonly yearless: boolean;
}

/** The dates of a query: their windows, and the ranges of the text that say them. */
export interface QueryDates {
  readonly windows: DateWindow[];
  readonly spans: { readonly start: number; readonly end: number }[];
}

function monthIndex(name: string): number {
  return MONTH_SHORT.indexOf(name.slice(0, 3).toLowerCase());
}

function dayWindow(year: number, month: number, day: number, yearless: boolean): DateWindow | undefined {
  const from = Date.UTC(year, month, day);
  if (day < 1 || new Date(from).getUTCMonth() !== month) return undefined;
  return { from, to: from + DAY_MS, grain: "day", yearless };
}

function monthWindow(year: number, month: number, yearless: boolean): DateWindow {
  return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1), grain: "month", yearless };
}

/** A month without a year may lie this many years back. */
const YEARS_BACK = 8;

function eachYear(reference: Date, make: (year: number) => DateWindow | undefined): DateWindow[] {
  const out: DateWindow[] = [];
  for (let i = 0; i < YEARS_BACK; i++) {
    const window = make(reference.getUTCFullYear() - i);
    if (window !== undefined && window.from <= reference.getTime() + DAY_MS * 366) out.push(window);
  }
  return out;
}

interface DateRule {
  readonly pattern: RegExp;
  make(match: RegExpMatchArray, reference: Date): (DateWindow | undefined)[];
}

const ORDINAL = "(?:st|nd|rd|th)?";
const RULES: DateRule[] = [
  {
    pattern: new RegExp(
      `\\b(?:between|from) (${MONTH_NAME}) (\\d{1,2})${ORDINAL}(?:,? \\d{4})?,? (?:and|to|until) (?:(${MONTH_NAME}) )?(\\d{1,2})${ORDINAL}(?:,? (?:of )?(\\d{4}))?\\b`,
      "gi",
    ),
    make: (m, ref) => rangeWindow(+m[2], monthIndex(m[1]), +m[4], monthIndex(m[3] ?? m[1]), m[5], ref),
  },
  {
    pattern: new RegExp(
      `\\b(?:in |during )?(?:the )?(first|second|third|fourth|last) week of (${MONTH_NAME})(?:,? (?:of )?(\\d{4}))?\\b`,
      "gi",
    ),
    make: (m, ref) =>
      weekOfMonth(
        ["first", "second", "third", "fourth", "last"].indexOf(m[1].toLowerCase()),
        monthIndex(m[2]),
        m[3],
        ref,
      ),
  },
  {
    pattern: /\b(\d{4})-(\d{2})-(\d{2})\b/g,
    make: (m) => [dayWindow(+m[1], +m[2] - 1, +m[3], false)],
  },
  {
    pattern: new RegExp(
      `\\b(?:on |the ){0,2}(\\d{1,2})${ORDINAL}(?: of)? (${MONTH_NAME})\\b\\.?(?:,? (?:of )?(\\d{4})\\b)?`,
      "gi",
    ),
    make: (m, ref) => dayOfMonth(+m[1], monthIndex(m[2]), m[3], ref),
  },
  {
    pattern: new RegExp(`\\b(?:on )?(${MONTH_NAME})\\.? (\\d{1,2})${ORDINAL}\\b(?:,? (?:of )?(\\d{4})\\b)?`, "gi"),
    make: (m, ref) => dayOfMonth(+m[2], monthIndex(m[1]), m[3], ref),
  },
  {
    pattern: new RegExp(
      `\\b(?:in |during |of |since )?(?:early |late |mid-?)?(${MONTH_NAME})\\.?,? (?:of )?(\\d{4})\\b`,
      "gi",
    ),
    make: (m) => [monthWindow(+m[2], monthIndex(m[1]), false)],
  },
  {
    // A month alone needs its preposition or a capital: "may" and "march" are also verbs.
    pattern: new RegExp(
      `\\b(?:in|during|since|by|until|last|this|early|late|mid-?)\\s+(?:early |late )?(${MONTH_NAME})\\b`,
      "g",
    ),
    make: (m, ref) => eachYear(ref, (year) => monthWindow(year, monthIndex(m[1]), true)),
  },
  {
    pattern: /\b(?:in |during |the ){0,3}(spring|summer|autumn|fall|winter)(?: of)? (\d{4})\b/gi,
    make: (m) => [seasonWindow(m[1].toLowerCase(), +m[2])],
  },
  {
    pattern: /\b(?:in|during|since|of|year)\s+((?:19|20)\d\d)\b/gi,
    make: (m) => [{ from: Date.UTC(+m[1], 0, 1), to: Date.UTC(+m[1] + 1, 0, 1), grain: "year", yearless: false }],
  },
  {
    pattern: /\b(today|tonight|yesterday|the day before yesterday|the day after tomorrow|tomorrow)\b/gi,
    make: (m, ref) => [relativeDay(m[1], ref)],
  },
  {
    pattern: new RegExp(`\\b(${COUNT}) (day|week|month|year)s? ago\\b`, "gi"),
    make: (m, ref) => [agoWindow(countOf(m[1]), m[2].toLowerCase(), ref)],
  },
  {
    pattern: /\b(last|this|past|previous) (week|weekend|month|year|night)\b/gi,
    make: (m, ref) => [unitWindow(m[1].toLowerCase() === "this" ? 0 : 1, m[2].toLowerCase(), ref)],
  },
  {
    pattern: /\bnext (week|weekend|month|year)\b/gi,
    make: (m, ref) => [unitWindow(-1, m[1].toLowerCase(), ref)],
  },
  {
    pattern: new RegExp(`\\b(last|next) (${DAYS.join("|")})\\b`, "gi"),
    make: (m, ref) => {
      const day = DAYS.indexOf(m[2].toLowerCase());
      return [m[1].toLowerCase() === "last" ? lastWeekday(day, ref) : nextWeekday(day, ref)];
    },
  },
];

function dayOfMonth(day: number, month: number, year: string | undefined, reference: Date): (DateWindow | undefined)[] {
  if (month < 0) return [];
  if (year !== undefined) return [dayWindow(+year, month, day, false)];
  return eachYear(reference, (y) => dayWindow(y, month, day, true));
}

function rangeWindow(
  day1: number,
  month1: number,
  day2: number,
  month2: number,
  year: string | undefined,
  reference: Date,
): (DateWindow | undefined)[] {
  const make = (y: number): DateWindow | undefined => {
    const from = dayWindow(y, month1, day1, false), to = dayWindow(month2 < month1 ? y + 1 : y, month2, day2, false);
    return from && to && { from: from.from, to: to.to, grain: "week", yearless: year === undefined };
  };
  return year !== undefined ? [make(+year)] : eachYear(reference, make);
}

function weekOfMonth(
  week: number,
  month: number,
  year: string | undefined,
  reference: Date,
): (DateWindow | undefined)[] {
  const make = (y: number): DateWindow => {
    const from = week === 4 ? Date.UTC(y, month + 1, -6) : Date.UTC(y, month, 1 + 7 * week);
    return { from, to: from + 7 * DAY_MS, grain: "week", yearless: year === undefined };
  };
  return year !== undefined ? [make(+year)] : eachYear(reference, make);
}

function seasonWindow(season: string, year: number): DateWindow {
  const start = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 }[season] ?? 2;
  return { from: Date.UTC(year, start, 1), to: Date.UTC(year, start + 3, 1), grain: "season", yearless: false };
}

function countOf(text: string): number {
  const word = text.toLowerCase().replace(/^a /, "").replace(/ of$/, "");
  return /^\d/.test(word) ? +word : NUMBERS[word] ?? 3;
}

function midnight(reference: Date): number {
  return Date.UTC(reference.getUTCFullYear(), reference.getUTCMonth(), reference.getUTCDate());
}

const RELATIVE_DAYS: Readonly<Record<string, number>> = {
  today: 0,
  tonight: 0,
  yesterday: -1,
  "the day before yesterday": -2,
  tomorrow: 1,
  "the day after tomorrow": 2,
};

function relativeDay(word: string, reference: Date): DateWindow {
  const shift = RELATIVE_DAYS[word.toLowerCase()]!;
  const from = midnight(reference) + shift * DAY_MS;
  return { from, to: from + DAY_MS, grain: "day", yearless: false };
}

function agoWindow(count: number, unit: string, reference: Date): DateWindow {
  const day = midnight(reference);
  if (unit === "day") {
    return { from: day - count * DAY_MS, to: day - (count - 1) * DAY_MS, grain: "day", yearless: false };
  }
  if (unit === "week") {
    const middle = day - count * 7 * DAY_MS;
    return { from: middle - 3 * DAY_MS, to: middle + 4 * DAY_MS, grain: "week", yearless: false };
  }
  const months = unit === "month" ? count : count * 12;
  const at = new Date(Date.UTC(reference.getUTCFullYear(), reference.getUTCMonth() - months, 1));
  if (unit === "month") return monthWindow(at.getUTCFullYear(), at.getUTCMonth(), false);
  return {
    from: Date.UTC(at.getUTCFullYear(), 0, 1),
    to: Date.UTC(at.getUTCFullYear() + 1, 0, 1),
    grain: "year",
    yearless: false,
  };
}

function unitWindow(back: number, unit: string, reference: Date): DateWindow {
  const day = midnight(reference);
  if (unit === "night") {
    return { from: day - back * DAY_MS, to: day - (back - 1) * DAY_MS, grain: "day", yearless: false };
  }
  const monday = day - ((reference.getUTCDay() + 6) % 7) * DAY_MS - back * 7 * DAY_MS;
  if (unit === "week") return { from: monday, to: monday + 7 * DAY_MS, grain: "week", yearless: false };
  if (unit === "weekend") return { from: monday + 4 * DAY_MS, to: monday + 8 * DAY_MS, grain: "week", yearless: false };
  if (unit === "month") {
    const at = new Date(Date.UTC(reference.getUTCFullYear(), reference.getUTCMonth() - back, 1));
    return monthWindow(at.getUTCFullYear(), at.getUTCMonth(), false);
  }
  const year = reference.getUTCFullYear() - back;
  return { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1), grain: "year", yearless: false };
}

function lastWeekday(weekday: number, reference: Date): DateWindow {
  const back = (reference.getUTCDay() - weekday + 7) % 7 || 7;
  const from = midnight(reference) - back * DAY_MS;
  return { from, to: from + DAY_MS, grain: "day", yearless: false };
}

function nextWeekday(weekday: number, reference: Date): DateWindow {
  const ahead = (weekday - reference.getUTCDay() + 7) % 7 || 7;
  const from = midnight(reference) + ahead * DAY_MS;
  return { from, to: from + DAY_MS, grain: "day", yearless: false };
}

/**
 * Finds the dates of a query. Longer forms win: "7 May 2023" is one day, not also a month and a
 * year.
 *
 * @param referenceMs the time from which "yesterday" and "in May" are counted
 * @param zone the zone in which they are
 */
export function parseDates(text: string, referenceMs: number, zone: Zone = UTC): QueryDates {
  const reference = new Date(toWallClock(referenceMs, zone));
  const place = (window: DateWindow): DateWindow =>
    zone === UTC ? window : { ...window, from: fromWallClock(window.from, zone), to: fromWallClock(window.to, zone) };
  const spans: { start: number; end: number }[] = [];
  const windows: DateWindow[] = [];
  for (const rule of RULES) {
    for (const match of text.matchAll(rule.pattern)) {
      const start = match.index, end = start + match[0].length;
      if (spans.some((s) => start < s.end && end > s.start)) continue;
      const made = rule.make(match, reference).filter((w) => w !== undefined);
      if (made.length === 0) continue;
      spans.push({ start, end });
      windows.push(...made.map(place));
    }
  }
  return { windows, spans };
}
