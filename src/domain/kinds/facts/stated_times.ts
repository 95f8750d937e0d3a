/**
 * The time for which a plain statement says that something will hold: "The office moves to Porto on 1 January 2027"
 * says nothing about earlier days, and "Wim is the contact in July 2027" nothing about later ones.
 */
import type { Claim } from "../../../language/claims/mod.ts";
import { withoutHead } from "../../../language/reported_speech.ts";
import { parseDates } from "../../../language/dates.ts";

export interface StatedTimes {
  readonly validFrom: Date | null;
  readonly validTo: Date | null;
  readonly occurredAt: Date | null;
}

const NONE: StatedTimes = { validFrom: null, validTo: null, occurredAt: null };
/** Respects in which a date is the value itself, or does not tell when the value holds. */
const DATED: readonly Claim["respect"][] = ["time", "measure"];
const BEGINS = /\b(?:on|from|as of|starting|effective|beginning|in)\s*$/iu;
const LASTS = /\b(?:in|during|for|throughout)\s*$/iu;
/** The same, for a date that is read together with the word before it. */
const BEGINS_WITHIN = /^(?:on|from|in|next|tomorrow)\b/iu;
const LASTS_WITHIN = /^(?:in|during|for|throughout)\b/iu;

/**
 * Reads when a statement's claims begin to hold, and when they end if the end lies ahead. What is done or happens then
 * ("We launch in March 2027") is a plan, which is true today: it gets the day on which it occurs, and no validity. A
 * date without its year says nothing, and neither do two dates.
 * @param told when it was said
 */
export function readStatedTimes(statement: string, claims: readonly Claim[], told: Date): StatedTimes {
  const positive = claims.filter(({ polarity }) => polarity);
  if (positive.length === 0 || claims.some(({ respect }) => DATED.includes(respect))) return NONE;
  const said = withoutHead(statement);
  const { windows, spans } = parseDates(said, told.getTime());
  const [window] = windows, [span] = spans;
  if (windows.length !== 1 || spans.length !== 1 || window!.yearless || window!.from <= told.getTime()) return NONE;
  const [from, to] = [new Date(window!.from), new Date(window!.to)];
  const before = said.slice(0, span!.start), date = said.slice(span!.start, span!.end);
  if (positive.some(({ change }) => change !== null)) {
    return BEGINS.test(before) || BEGINS_WITHIN.test(date) ? { ...NONE, validFrom: from } : NONE;
  }
  const lasts = window!.grain !== "day" && (LASTS.test(before) || LASTS_WITHIN.test(date));
  if (positive.every(({ respect }) => respect === "activity")) return { ...NONE, occurredAt: from };
  return lasts ? { ...NONE, validFrom: from, validTo: to } : NONE;
}

/** Removes the date from the end of each claim's value: "Porto on 1 January 2027" becomes "Porto". */
export function withoutDates(claims: readonly Claim[]): Claim[] {
  // Many guesses about a statement have the same value.
  const known = new Map<string, string>();
  return claims.map((claim) => {
    if (DATED.includes(claim.respect)) return claim;
    let value = known.get(claim.value);
    if (value === undefined) known.set(claim.value, value = withoutDate(claim.value));
    return value === claim.value ? claim : { ...claim, value };
  });
}

function withoutDate(value: string): string {
  const last = parseDates(value, 0).spans.find(({ end }) => end === value.length);
  if (last === undefined || last.start === 0) return value;
  return value.slice(0, last.start).trimEnd().replace(BEGINS, "").trimEnd() || value;
}
