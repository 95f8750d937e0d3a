/**
 * Splits a text into sentences, given as spans of the text. It reads the text once and never throws.
 *
 * Fenced code and quoted lines (`> …`) are left out: they are not the speaker's own words.
 */

export interface Span {
  /** UTF-16 offset of the first unit. */
  readonly start: number;
  /** UTF-16 offset after the last unit. */
  readonly end: number;
}

/** Longer sentences are cut at a clause, so that each rule reads a bounded piece. */
export const SENTENCE_CHARS_MAX = 500;

/**
 * Abbreviations that do not end a sentence; those that are also words ("no", "sun", "I") are left out. Case counts: initials
 * are capitals.
 */
const ABBREVIATION =
  /(?:^|[\s(])(?:[MD]rs?|[Mm]s|[Pp]rof|[SJ]r|St|vs|etc|eg|e\.g|ie|i\.e|approx|[Dd]ept|[Ii]nc|Ltd|Corp|vol|Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|[A-HJ-Z])$/u;
/** What German numbers by a point. */
const ORDERED =
  /^(?:jan|feb|m[äa]r|apr|mai|jun|jul|aug|sep|okt|nov|dez|stock|klasse|geburtstag|semester|woche|monat|jahr|mal|platz)/iu;
const HALF_OF_DAY = /[ap]\.m$/i;

/** Finds the sentences of a text; a line break ends a sentence, code in fences and quoted lines are left out. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  let fenced = false;
  let at = 0;
  while (at <= text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline === -1 ? text.length : newline;
    const opening = text.slice(at, Math.min(end, at + 16)).trimStart();
    if (opening.startsWith("```")) fenced = !fenced;
    else if (!fenced && !opening.startsWith(">")) splitLine(text, at, end, spans);
    at = end + 1;
  }
  return spans;
}

function splitLine(text: string, lineStart: number, end: number, spans: Span[]): void {
  // "4. drinks ok" in one line answers: its number is none of a list.
  const isList = text.includes("\n");
  const head = text.slice(lineStart, Math.min(end, lineStart + 40));
  const bullet = (isList ? /^\s*(?:[-*•]|\d{1,3}[.)])\s+/ : /^\s*(?:[-*•]|1[.)])\s+/).exec(head);
  let start = lineStart + (bullet?.[0].length ?? 0);
  for (let i = start; i < end; i++) {
    if (!isTerminator(text.charCodeAt(i))) continue;
    let stop = i + 1;
    while (stop < end && isTerminator(text.charCodeAt(stop))) stop++;
    const terminators = text.slice(i, stop);
    while (stop < end && "\"')]*_\u201d\u2019".includes(text[stop]!)) stop++;
    if (endsSentence(text, start, i, stop, end, terminators)) {
      pushSpan(text, start, stop, spans);
      start = stop;
    }
    i = stop - 1;
  }
  pushSpan(text, start, end, spans);
}

function isTerminator(unit: number): boolean {
  // . ! ? … and the full-width ones
  return unit === 0x2e || unit === 0x21 || unit === 0x3f || unit === 0x2026 || unit === 0x3002 || unit === 0xff01 ||
    unit === 0xff1f;
}

function endsSentence(
  text: string,
  start: number,
  at: number,
  stop: number,
  end: number,
  terminators: string,
): boolean {
  if (/[\u3002\uff01\uff1f]/.test(terminators) || stop >= end) return true;
  const next = text[stop]!;
  if (!/\s/.test(next)) return /\p{Extended_Pictographic}/u.test(text.slice(stop, stop + 2));
  const before = text.slice(Math.max(start, at - 12), at);
  // "am 23. oktober": an ordinal
  if (terminators === "." && /(?<![\p{L}\d.])\d{1,2}$/u.test(before) && ORDERED.test(text.slice(stop + 1, stop + 12))) {
    return false;
  }
  if (terminators === "." && !HALF_OF_DAY.test(before)) return !ABBREVIATION.test(before);
  // Dots in the middle of a thought: "well... maybe".
  return /[!?]/.test(terminators) || !/\p{Ll}/u.test(text.slice(stop + 1, stop + 2));
}

function pushSpan(text: string, from: number, to: number, spans: Span[]): void {
  let start = from;
  let end = to;
  while (start < end && /\s/.test(text[start]!)) start++;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  while (end - start > SENTENCE_CHARS_MAX) {
    const cut = findCut(text, start);
    pushSpan(text, start, cut, spans);
    start = cut;
    while (start < end && /\s/.test(text[start]!)) start++;
  }
  if (end > start) spans.push({ start, end });
}

/** Where an overlong sentence is cut: after a clause, else between words, else between characters. */
function findCut(text: string, start: number): number {
  const piece = text.slice(start, start + SENTENCE_CHARS_MAX);
  for (const mark of ["; ", ", ", " "]) {
    const at = piece.lastIndexOf(mark);
    if (at > SENTENCE_CHARS_MAX / 4) return start + at + mark.trimEnd().length;
  }
  const last = piece.charCodeAt(piece.length - 1);
  return start + piece.length - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
}
