/** Splits a sentence into clauses: subject, verb, the rest, and the words that mark a change. */
import { takeMarks } from "./marks.ts";
import { isBounded, isHistory, isPassing } from "./reality.ts";
import { BE, findPredicate, HAVE, MODALS, type Predicate, readPredicate, SKIPPED, wordOf } from "./predicate.ts";
import { nameSubject } from "./subject.ts";
import { NUMBER_WORDS } from "./values.ts";
import { findVerb, isEvent } from "./verbs.ts";

export interface Clause extends Predicate {
  /** Stems in alphabetical order, for comparisons. */
  readonly subject: string;
  readonly subjectText: string;
  /** The name of the speaker, whom "I" and "my" mean. */
  readonly speaker: string;
  /** "no longer", "not … any more". */
  readonly hasEnded: boolean;
  /** "now", "from now on", "again", "instead", a "new" subject. */
  readonly isNew: boolean;
  /** "again" */
  readonly isAgain: boolean;
  readonly isStill: boolean;
  readonly isAddition: boolean;
  readonly isPassing: boolean;
  readonly isBounded: boolean;
  /** The former value that the clause names. */
  readonly from: string | null;
  /** A phrase before the subject, such as a purpose or a place. */
  readonly lead: string;
  /** False: the clause only reports an act ("packed up") and its subject; it does not say what is true now. */
  readonly isTold: boolean;
  /** The clause is about a time before the present. */
  readonly isHistory: boolean;
  /** The clause names no subject of its own: "names and dates on the jars" may be no clause at all. */
  readonly isBare?: boolean;
  /** The clause says that somebody stopped what its verb names. */
  readonly hasStopped?: boolean;
}

const STARTS_ANEW = /^(?:so |and |but )?(?:i|we|he|she|they|my|our|his|her|their|the) /iu;

/**
 * Splits a sentence into its clauses, each with its subject, including those that only report an act.
 * @param speaker the person who says "I"
 */
export function splitAll(sentence: string, speaker: string): Clause[] {
  const clauses: Clause[] = [];
  let waiting = "";
  let before: Clause | undefined;
  for (const { text, joint } of pieces(sentence)) {
    const whole = waiting === "" ? text : waiting + joint + text;
    if (findPredicate(whole, before !== undefined && waiting === "") === null) {
      waiting = whole;
      continue;
    }
    // If the words before are a clause with an unknown verb, they are no part of the subject.
    const next = readClause(whole, speaker, before) ??
      (waiting !== "" && STARTS_ANEW.test(text) && findPredicate(text, false) !== null
        ? readClause(text, speaker, before)
        : null);
    waiting = "";
    if (next === null) continue;
    clauses.push(next);
    before = next;
  }
  if (waiting !== "" && before !== undefined && clauses.at(-1) === before) {
    clauses[clauses.length - 1] = { ...before, rest: `${before.rest}, ${waiting}` };
  }
  return clauses;
}

interface Piece {
  readonly text: string;
  readonly joint: string;
}

/** Splits a sentence into possible clauses: at punctuation and conjunctions before the beginning of a clause. */
function* pieces(sentence: string): Iterable<Piece> {
  const parts = sentence.split(
    /(;\s+|:\s+|\s+[\u2013\u2014-]\s+|,?\s+because\s+(?=(?:i|we|he|she|they|my|our|his|her|their|the)\b)|,\s+(?:and |but |so |then |while |since )?|\s+(?:and|but)\s+)/iu,
  );
  let text = parts[0]!;
  let joint = "";
  for (let i = 1; i < parts.length; i += 2) {
    const next = parts[i + 1]!;
    if (beginsClause(next) && !/^not\b/i.test(next)) {
      yield { text, joint };
      text = next;
      joint = parts[i]!;
    } else text += parts[i]! + next;
  }
  yield { text, joint };
}

function beginsClause(piece: string): boolean {
  const first = wordOf(piece.split(" ")[0] ?? "");
  const verb = findVerb(first);
  if (BE.has(first) || HAVE.has(first) || MODALS.has(first)) {
    return first !== "been" && first !== "be" && first !== "being";
  }
  if (verb !== undefined && verb.form !== "ing") return true;
  return findPredicate(piece, false) !== null;
}

/** Verbs of events whose result may last for a day only: "was closed yesterday". */
const PASSING_EVENT =
  /^(?:move|shift|turn|switch|put|go|take|close|open|shut|lock|unlock|suspend|pause|disable|enable|break|lift|drop)$/;

/**
 * Matches moves that last: "moved to Porto yesterday", "moved to 3 pm this morning", not "moved to the sofa yesterday".
 */
const LASTING_MOVE =
  /^(?:back |over )?to (?:\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*(?:,? (?:yesterday|this (?:morning|afternoon|evening))\b|[.!]?$)|\d{1,2}(?::\d\d)? ?[ap]m\b)/u;

function isMove({ lemma, rest, isPassive }: Predicate): boolean {
  return /^(?:move|switch|shift)$/.test(lemma) && !isPassive && LASTING_MOVE.test(rest);
}

const LEAD_PHRASE =
  /^((?:for|in|at|on|during|within|under|with) (?:\S+ ){0,5}?\S+?),? (?=(?:we|i|he|she|they|it|the|my|our|his|her|their|you|all|only)\b)/iu;

function readClause(whole: string, speaker: string, before: Clause | undefined): Clause | null {
  const marked = takeMarks(whole);
  const lead = LEAD_PHRASE.exec(marked.text);
  const bare = lead === null ? marked.text : marked.text.slice(lead[0].length);
  // "… and no longer uses Meet"
  const isBareDenial = before !== undefined && marked.hasEnded && /^not \p{Ll}/u.test(bare);
  const text = isBareDenial ? bare.slice(4) : bare;
  const place = findPredicate(text, before !== undefined);
  if (place === null) return null;
  const tokens = text.split(" ");
  const said = tokens.slice(0, place.at).filter((token, i) => i === 0 || !SKIPPED.has(wordOf(token)));
  const subjectText = said.join(" ");
  const named = nameSubject(subjectText, speaker, before);
  if (named === null) return null;
  const predicate = readPredicate(tokens.slice(place.at));
  if (predicate === null) return null;
  const isBare = subjectText === "" && before !== undefined && predicate.form === "base" && predicate.modal === null;
  // "I like tools like Vim", "excited to meet you and learn more": no clauses of their own.
  if (isBare && (predicate.lemma === "like" || INFINITIVE.test(before.rest))) return null;
  // "Moments like that": the verb would end in "s" after a name.
  if (isDisagreeing(subjectText, predicate)) return null;
  const isDenied = predicate.isDenied || isBareDenial ||
    tokens.slice(0, place.at).some((token) => /^(?:not|never)$/i.test(token));
  const isEventful = isEvent(predicate.lemma);
  // A speaker who says what they have read or visited so far "in 2026" says so in that year.
  const isCount = predicate.isPerfect && !predicate.isPast && isCounted(predicate.rest);
  const isPastTime = isHistory(
    isCount ? whole.replace(/\bin (?:19|20)\d\d\b/gu, " ") : whole,
  );
  const isTold = !isPastTime && (!predicate.isPast || isEventful || predicate.isPerfect);
  if (!isTold && (isPassing(whole, false) || isBounded(whole))) return null;
  return {
    ...predicate,
    // "I'll go there and use the lift"
    modal: isBare ? before.modal : predicate.modal,
    ...named,
    isBare: subjectText === "",
    speaker,
    isTold,
    isHistory: isEventful ? isHistory(whole.replace(/\blast year\b/iu, " ")) : isPastTime,
    isDenied,
    hasEnded: marked.hasEnded,
    // "I've been calling her every Sunday lately"
    isNew: marked.isNew || named.isNew ||
      (predicate.isPerfect && predicate.isProgressive && /\blately\b/iu.test(whole)),
    isAgain: /\bagain\b/iu.test(whole),
    isStill: /\b(?:still|remains?)\b/iu.test(whole),
    isAddition: marked.isAddition,
    isPassing: isPassing(whole, isEventful && (!PASSING_EVENT.test(predicate.lemma) || isMove(predicate))),
    isBounded: isBounded(whole) && !isEventful,
    from: marked.from,
    rest: ofBefore(predicate.rest, before),
    lead: lead === null ? "" : lead[1]!.replace(/^\S+ /u, ""),
  };
}

const INFINITIVE = /\bto \p{Ll}{2,}\b/u;
const ONE_NAME = /^\p{Lu}[\p{Ll}\p{M}]+(?: \p{Lu}[\p{Ll}\p{M}]+)?$/u;

/** Whether a verb lacks the "s" that it has after one name. */
function isDisagreeing(subject: string, { lemma, form, modal, isDenied, isPerfect, isPassive }: Predicate): boolean {
  return lemma === "like" && form === "base" && modal === null && !isDenied && !isPerfect && !isPassive &&
    (ONE_NAME.test(subject) || /\S \S/u.test(subject)) &&
    !/^(?:i|we|you|they|people|my|our|his|her|their|the|both)\b|\b(?:and|we|i|you|they)\b/iu.test(subject);
}

const BEFORE_COUNT = /^(?:(?:to|in|on|at|over|about|around|only|already|exactly) )*/iu;
const ORDINAL = /^(?:my|the) (?:\p{L}+(?:st|nd|rd|th)|first|second|third|\d+(?:st|nd|rd|th))\b/iu;

/** Whether the text after a verb begins with a number or with an ordinal: "to six museums", "my third race". */
function isCounted(rest: string): boolean {
  return ORDINAL.test(rest) || isNumber(rest.replace(BEFORE_COUNT, ""));
}

function isNumber(text: string): boolean {
  const word = wordOf(text.split(" ", 1)[0] ?? "");
  return /^\d/u.test(word) || Object.hasOwn(NUMBER_WORDS, word);
}

const SOME = /^(?:some|many|several|few|a few)\b/iu;

/**
 * "My passport is still valid, I've put it in the safe": the subject of the first clause is the object of the second.
 */
function ofBefore(rest: string, before: Clause | undefined): string {
  // "I collect pens and I've got 18 of them"
  const counted = before === undefined ? null : /^(got )?(\S+) of them\b/iu.exec(rest);
  if (
    counted !== null && /^(?:\p{Ll}+ ){0,3}\p{Ll}{2,}s[.!]?$/u.test(before!.rest) &&
    !isNumber(before!.rest) && !SOME.test(before!.rest)
  ) {
    return `${counted[1] ?? ""}${counted[2]} ${before!.rest}${rest.slice(counted[0].length)}`;
  }
  const thing = before === undefined ? null : /^(\p{Ll}+)'s (\p{Ll}.*)$/u.exec(before.subjectText);
  if (thing === null || !/^(?:it|them)\b/iu.test(rest)) return rest;
  return rest.replace(/^\S+/u, thing[1] === before!.speaker ? `my ${thing[2]}` : before!.subjectText);
}
