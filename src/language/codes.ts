/**
 * Identifiers in a text, each in one spelling, whichever way it is grouped: "ABC-1234" and "ABC1234", "v1.10.2" and
 * "1.10.2", a bank account or a phone number with and without its spaces. Pure.
 */
import { isStopWord, TERM_UNITS_MAX, type Word } from "./tokenise.ts";

/** What may stand between the parts of an identifier. */
const JOINT = /^(?:[ \-_.\/#\u2010-\u2015]| ?[-\u2010-\u2015\/] |\) ?|\)[-\/]| ?\()$/;
/** Letters that are part of an identifier, between its numbers or at its ends: "GB29 NWBK 6016". */
const CAPITALS = /^[A-Z]{1,5}$/;
/** A word before a number that may be written as one with it: "iphone 15". */
const LEAD = /^[a-z]{2,12}$/;
const PARTS_MAX = 12;
/** Dots only group the digits of a longer number; in a shorter one they tell 1.10 from 110. */
const DOTTED_DIGITS_MAX = 6;

/** An identifier: its one spelling, and the words that it is made of, from `from` up to, but not including, `to`. */
export interface Code {
  readonly code: string;
  readonly from: number;
  readonly to: number;
}

function hasDigit({ folded }: Word): boolean {
  return /\d/.test(folded);
}

/** The one spelling of an identifier's parts. */
function spell(parts: readonly Word[]): string {
  const joined = parts.map(({ folded }) => folded).join("").replace(/^v(?=\d)/, "");
  const digits = joined.replace(/\D/g, "").length;
  const bare = digits > DOTTED_DIGITS_MAX ? joined.replaceAll(".", "") : joined;
  // "00" before a country's number is "+".
  return /^00\d{9,}$/.test(bare) ? bare.slice(2) : bare;
}

/** The identifiers of a normalised text: each run of parts that hold a digit, also with the capitals or word beside it. */
export function listCodes(text: string, words: readonly Word[]): Code[] {
  if (!/\d/.test(text)) return [];
  const out = new Map<string, Code>();
  const isJoined = (i: number) =>
    i > 0 && i < words.length &&
    JOINT.test(text.slice(words[i - 1]!.index + words[i - 1]!.raw.length, words[i]!.index));
  const isPart = (word: Word) => hasDigit(word) || CAPITALS.test(word.raw);
  const add = (from: number, to: number) => {
    const code = spell(words.slice(from, to));
    if (code.length <= TERM_UNITS_MAX) out.set(`${code} ${from}`, { code, from, to });
  };
  for (let from = 0, to; from < words.length; from = to) {
    to = from + 1;
    if (!isPart(words[from]!)) continue;
    while (to - from < PARTS_MAX && isJoined(to) && isPart(words[to]!)) to++;
    let first = from, last = to;
    while (first < last && !hasDigit(words[first]!)) first++;
    if (first === last) continue;
    while (!hasDigit(words[last - 1]!)) last--;
    add(first, last);
    add(from, to);
    const lead = words[first - 1];
    if (lead !== undefined && isJoined(first) && LEAD.test(lead.folded) && !isStopWord(lead.folded, "search")) {
      add(first - 1, last);
    }
  }
  return [...out.values()];
}
