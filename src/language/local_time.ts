/**
 * Days and clocks of a place. A wall clock is written as the milliseconds that a clock of UTC with the same hands would
 * show, so that its day, month and year are those of the place. Pure.
 */

/** A name such as "Europe/Lisbon", or an offset such as "+09:00". */
export type Zone = string;

export const UTC: Zone = "UTC";

/** What the clocks of a zone show at a time. */
export function toWallClock(ms: number, zone: Zone): number {
  return zone === UTC ? ms : ms + offsetAt(ms, zone);
}

/** The time at which the clocks of a zone show this; where they skip it, the time after. */
export function fromWallClock(wallMs: number, zone: Zone): number {
  if (zone === UTC) return wallMs;
  const { epochMilliseconds } = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO(UTC)
    .toPlainDateTime().toZonedDateTime(zone);
  return epochMilliseconds;
}

function offsetAt(ms: number, zone: Zone): number {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6;
}

/** The offset of a zone's clocks at a time, such as "+09:00"; null where no zone is known. */
export function offsetIn(zone: Zone | null, at: Date): Zone | null {
  if (zone === null || zone === UTC) return null;
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).offset.slice(0, 6);
}

/** A time as RFC 3339 writes it with an offset. */
export function writeInZone(ms: number, zone: Zone): string {
  return zone === UTC
    ? new Date(ms).toISOString()
    : Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: zone, fractionalSecondDigits: 3 });
}

/** Whether this is the name of a time zone, by the database of IANA. */
export function isZoneName(name: string): boolean {
  try {
    return /^\p{L}/u.test(name) && offsetAt(0, name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The offset that a time of RFC 3339 states. "Z" and "-00:00" state none: they say that the time is known, and not where
 * (RFC 9557).
 */
export function statedOffset(text: string): Zone | undefined {
  const offset = /[+-]\d\d:\d\d$/.exec(text)?.[0];
  return offset === "-00:00" ? undefined : offset;
}
