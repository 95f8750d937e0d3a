/**
 * The meaning of a spoken time, counted from the moment at which it is said: days, weeks, months, seasons and years of
 * UTC.
 */

import { capitalise, COUNT_WORDS, DAY_WORDS, MONTH_WORDS } from "./calendar.ts";

const MONTHS = MONTH_WORDS.map(capitalise);
export const DAYS: readonly string[] = DAY_WORDS.map(capitalise);
const COUNTS = ["zero", ...COUNT_WORDS];
const DAY_MS = 86_400_000;

/** What a rule knows about the sentence around its match. */
export interface MatchedTime {
  readonly said: Date;
  /** Whether the named time is in the past; undefined: not known. */
  readonly past: boolean;
  readonly prep: string;
  /** The last date that was named before in the same text. */
  readonly before: Date | undefined;
}

export interface TimeMeaning {
  readonly text: string;
  readonly from: Date;
}

/** Midnight of the day that is `days` days after a date. */
export function shift(date: Date, days: number): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) + days * DAY_MS);
}

export function monthsFrom(date: Date, months: number): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
}

export function writeDay(date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

export function writeMonth(date: Date): string {
  return `${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

export function countOf(word: string): number {
  return /^\d/.test(word) ? Number(word) : word.startsWith("a") ? 1 : COUNTS.indexOf(word);
}

export function monthOf(name: string): number {
  return MONTHS.findIndex((month) => month.toLowerCase().startsWith(name.slice(0, 3)));
}

/** Puts a preposition before a date: that of the sentence, or `usual` if it has none or none that fits a date. */
export function withPrep({ prep }: MatchedTime, usual: string, text: string): string {
  const kept = /^(?:since|until|till|by|from|before|after|to|for|of|during)$/.test(prep) ? prep : usual;
  return kept === "" ? text : `${kept} ${text}`;
}

export function onDay(date: Date, saying: MatchedTime, part = "", weekday = ""): TimeMeaning {
  const day = weekday === "" ? writeDay(date) : `${weekday}, ${writeDay(date)}`;
  if (part === "") return { text: withPrep(saying, "on", day), from: date };
  return { text: withPrep(saying, part === "night" ? "in" : "on", `the ${part} of ${day}`), from: date };
}

export function mondayOf(date: Date): Date {
  return shift(date, -((date.getUTCDay() + 6) % 7));
}

/** The last or the next day of the week with a number, such as 0 for Sunday; today does not count. */
export function weekdayNear(said: Date, day: number, past: boolean): Date {
  const ahead = (day - said.getUTCDay() + 7) % 7;
  return past ? shift(said, ahead === 0 ? -7 : ahead - 7) : shift(said, ahead === 0 ? 7 : ahead);
}

/** The year of a date that names none: the last such date in the past, or the next one in the future. */
export function yearOf(month: number, day: number, { said, past, prep }: MatchedTime): number {
  const year = said.getUTCFullYear();
  const at = (y: number) => Date.UTC(y, month, day);
  const behind = at(year) <= said.getTime() ? year : year - 1;
  const today = shift(said, 0).getTime();
  const ahead = at(year) >= today ? year : year + 1;
  if (prep === "since" || past) return behind;
  // People more likely mean a date that has just passed than the same date of next year.
  const isJustPast = ahead > year && today - at(year) < 45 * DAY_MS && !/^(?:until|till|by|to)$/.test(prep);
  return isJustPast ? year : ahead;
}

export function monthYear(month: number, saying: MatchedTime): number {
  const { said, past, prep } = saying;
  const year = said.getUTCFullYear();
  const now = said.getUTCMonth();
  if (prep === "since" || past) return month <= now ? year : year - 1;
  return month >= now ? year : year + 1;
}

export function readUnit(which: string, unit: string, saying: MatchedTime): TimeMeaning | undefined {
  const step = which === "this" || which === "upcoming" ? 0 : which === "next" || which === "coming" ? 1 : -1;
  const { said } = saying;
  if (unit === "week" || unit === "weekend") {
    const monday = shift(mondayOf(said), 7 * step);
    const from = unit === "week" ? monday : shift(monday, 5);
    return { text: withPrep(saying, unit === "week" ? "in" : "on", `the ${unit} of ${writeDay(from)}`), from };
  }
  if (unit === "month") {
    const from = monthsFrom(said, step);
    return { text: withPrep(saying, "in", writeMonth(from)), from };
  }
  if (unit === "year") {
    const from = new Date(Date.UTC(said.getUTCFullYear() + step, 0, 1));
    return { text: withPrep(saying, "in", String(from.getUTCFullYear())), from };
  }
  if (unit === "night") return onDay(shift(said, -1), saying, "night");
  const starts = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 }[unit] ?? 2;
  let year = said.getUTCFullYear();
  if (step < 0 && starts + 2 >= said.getUTCMonth()) year--;
  if (step > 0 && starts <= said.getUTCMonth()) year++;
  return {
    text: withPrep(saying, "in", `${saying.prep === "since" ? "" : "the "}${unit} of ${year}`),
    from: new Date(Date.UTC(year, starts, 1)),
  };
}

export function readAgo(count: number, unit: string, saying: MatchedTime): TimeMeaning {
  const { said } = saying;
  if (unit === "year") {
    const from = new Date(Date.UTC(said.getUTCFullYear() - count, 0, 1));
    return { text: withPrep(saying, "in", String(from.getUTCFullYear())), from };
  }
  if (unit === "month") {
    const from = monthsFrom(said, -count);
    return { text: withPrep(saying, "in", writeMonth(from)), from };
  }
  if (unit === "hour" || unit === "minute") return onDay(shift(said, 0), saying);
  const from = shift(said, -count * (unit === "week" ? 7 : 1));
  return unit === "week"
    ? { text: withPrep(saying, "around", writeDay(from)), from }
    : { text: withPrep(saying, "on", writeDay(from)), from };
}

export function readAhead(count: number, unit: string, saying: MatchedTime): TimeMeaning | undefined {
  const { said } = saying;
  if (saying.past) return undefined;
  if (unit === "year") {
    const from = new Date(Date.UTC(said.getUTCFullYear() + count, 0, 1));
    return { text: `in ${from.getUTCFullYear()}`, from };
  }
  if (unit === "month") {
    const from = monthsFrom(said, count);
    return { text: `in ${writeMonth(from)}`, from };
  }
  const from = shift(said, count * (unit === "week" ? 7 : 1));
  return { text: `${unit === "week" ? "around" : "on"} ${writeDay(from)}`, from };
}

export function readDate(day: number, month: number, year: string, saying: MatchedTime): TimeMeaning | undefined {
  if (month < 0 || day < 1 || day > 31) return undefined;
  const isEnd = saying.before !== undefined && /^(?:to|until|till)$/.test(saying.prep);
  const guessed = isEnd
    ? yearOf(month, day, { ...saying, said: saying.before!, past: false })
    : yearOf(month, day, saying);
  const from = new Date(Date.UTC(year === "" ? guessed : Number(year), month, day));
  if (from.getUTCMonth() !== month) return undefined;
  return { text: withPrep(saying, saying.prep, writeDay(from)), from };
}

export function readMonth(name: string, which: string, saying: MatchedTime): TimeMeaning | undefined {
  const month = monthOf(name);
  const { said } = saying;
  let year = monthYear(month, saying);
  if (which === "last") year = month < said.getUTCMonth() ? said.getUTCFullYear() : said.getUTCFullYear() - 1;
  if (which === "next") year = month > said.getUTCMonth() ? said.getUTCFullYear() : said.getUTCFullYear() + 1;
  const from = new Date(Date.UTC(year, month, 1));
  return { text: withPrep(saying, which === "" ? saying.prep : "in", writeMonth(from)), from };
}

/** "In the summer" means this year's summer until it is over. */
export function seasonSaying(season: string, saying: MatchedTime): MatchedTime {
  const ends = { spring: 4, summer: 7, autumn: 10, fall: 10, winter: 13 }[season] ?? 4;
  const { said } = saying;
  if (saying.past || saying.prep === "since") {
    return said.getUTCMonth() > ends - 2 ? { ...saying, said: monthsFrom(said, 12) } : saying;
  }
  return ends >= said.getUTCMonth() ? saying : { ...saying, said: monthsFrom(said, 12) };
}
