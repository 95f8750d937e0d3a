/**
 * Spans of the calendar in a time zone: the beginnings of hours, days, weeks and months, also where clocks are changed.
 *
 * They are computed here and not in the database, so that both databases and all versions of their zone tables agree.
 */
export const BUCKETS = ["hour", "day", "week", "month"] as const;
export type Bucket = (typeof BUCKETS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const OFFSET = /^([+-])(\d\d):(\d\d)$/;

/** A time zone: how far its clocks are ahead of UTC at a time, in milliseconds. */
export type ClockOffset = (ms: number) => number;

/** The zone with an IANA name or an offset such as `+02:00`; undefined if there is none. */
export function zoneOf(name: string): ClockOffset | undefined {
  const [, sign, hours, minutes] = OFFSET.exec(name) ?? [];
  if (hours !== undefined) {
    const offset = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
    if (Number(minutes) > 59 || offset > 14 * HOUR_MS) return undefined;
    return () => sign === "-" ? -offset : offset;
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
      era: "short",
    });
    return (ms) => {
      const whole = Math.floor(ms / 1_000) * 1_000;
      const part = Object.fromEntries(format.formatToParts(whole).map(({ type, value }) => [type, value]));
      const year = part["era"] === "BC" ? 1 - Number(part["year"]) : Number(part["year"]);
      const local = utcOf(year, Number(part["month"]) - 1, Number(part["day"])) + Number(part["hour"]) * HOUR_MS +
        Number(part["minute"]) * MINUTE_MS + Number(part["second"]) * 1_000;
      return local - whole;
    };
  } catch {
    return undefined;
  }
}

/** `Date.UTC` takes the years 0 to 99 for those of the last century. */
function utcOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

/** The beginning of the span that contains a time. Weeks begin on Monday. */
export function startOf(bucket: Bucket, ms: number, zone: ClockOffset): number {
  const local = ms + zone(ms);
  if (bucket === "hour") return ms - (((local % HOUR_MS) + HOUR_MS) % HOUR_MS);
  const date = new Date(local);
  const day = date.getUTCDate();
  const back = bucket === "day" ? 0 : bucket === "week" ? (date.getUTCDay() + 6) % 7 : day - 1;
  return midnightOf(utcOf(date.getUTCFullYear(), date.getUTCMonth(), day - back), zone);
}

/** The beginning of the next span after the one that begins at `start`. */
export function nextOf(bucket: Bucket, start: number, zone: ClockOffset): number {
  if (bucket === "hour") {
    // Clocks that are set back by half an hour make one hour longer.
    const next = start + HOUR_MS;
    const past = (((next + zone(next)) % HOUR_MS) + HOUR_MS) % HOUR_MS;
    return past === 0 ? next : next + HOUR_MS - past;
  }
  // Some hours into the first day, whatever the clocks do at midnight.
  const date = new Date(start + zone(start));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return midnightOf(
    bucket === "month" ? utcOf(year, month + 1, 1) : utcOf(year, month, day + (bucket === "week" ? 7 : 1)),
    zone,
  );
}

/** When a date begins; `utc` is its midnight in UTC. If clocks skip midnight, it begins later. */
function midnightOf(utc: number, zone: ClockOffset): number {
  const dateAt = (ms: number) => Math.floor((ms + zone(ms)) / DAY_MS);
  const day = Math.floor(utc / DAY_MS);
  const candidates = [utc - zone(utc - DAY_MS), utc - zone(utc + DAY_MS)].sort((a, b) => a - b);
  return candidates.find((ms) => dateAt(ms) === day && dateAt(ms - 1) < day) ??
    // A date that a place skips altogether begins with the next.
    candidates.at(-1)!;
}

/** The beginnings of the spans between two times, the first at or before `from`; undefined if they are too many. */
export function startsBetween(
  bucket: Bucket,
  from: number,
  to: number,
  zone: ClockOffset,
  max: number,
): number[] | undefined {
  const starts: number[] = [];
  for (let start = startOf(bucket, from, zone); start < to; start = nextOf(bucket, start, zone)) {
    if (starts.length === max) return undefined;
    starts.push(start);
  }
  return starts;
}
