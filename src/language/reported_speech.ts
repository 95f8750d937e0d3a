/**
 * Writes what somebody told as a statement that stands by itself, in the speaker's own words.
 *
 * Usually the speaker and the day are put in front of the words. A sentence is put into the third person only where
 * each change to it is certain: it begins with "I" or "my", a verb follows whose form is known, and it has no other word
 * that refers to somebody or something outside it. Pure.
 */
import { clockOf, type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { writeOut } from "./informal.ts";
import { listAnaphors } from "./anaphora.ts";
import { splitSentences } from "./sentences.ts";
import { matterOf } from "./self_contained.ts";
import { writeDay } from "./spoken_dates.ts";
import { findSpokenTimes } from "./spoken_times.ts";
import { isCommonBase, isPastForm, MIDDLE_ADVERBS, toThirdPerson } from "./verb_forms.ts";

const NAME = /^\p{L}[\p{L}\p{M}' .-]{0,60}$/u;
const HEAD = /^\p{L}[\p{L}\p{M}' .-]{0,60}, \d{1,2} \p{Lu}\p{Ll}+ \d{4}: /u;
/** `Ann: "When does it end?" Ben, 8 May 2023: "In August"`: the speaker with the day, and the words. */
const OWN = /^[^:"]{1,80}: "(?=[^]*"$)[^]*" ([^":]{1,80}): "([^]*)"$/u;
const MATTER_MIN = 2;
const OPENING = /^(i'm|i am|i've|i have|i'll|i|my)(?= )/iu;
/** Any of these in the rest of a sentence makes its meaning depend on who says it, or on what was said before. */
const REFERS =
  /["“”«»]|(?<![\p{L}'])(?:i|i'm|i've|i'd|i'll|me|mine|myself|we|us|our|ours|ourselves|you|your|yours|y'all|u|ur|he|she|it|they|him|her|hers|his|its|them|their|theirs|this|that|these|those|there|here|ones?|another|same|else|too|either|others?|so)(?![\p{L}])/iu;
const MODAL =
  /^(?:can|can't|cannot|could|couldn't|must|mustn't|should|shouldn't|will|won't|would|wouldn't|may|might|didn't|had|hadn't)$/iu;
const FORMS: Readonly<Record<string, string>> = {
  "i'm": "is",
  "i am": "is",
  "i've": "has",
  "i have": "has",
  "i'll": "will",
};
/** Verbs besides the common ones whose third person is certain after "I". */
const VERBS =
  /^(?:am|was|have|do|don't|can|smoke|freelance|commute|cycle|weigh|wear|rent|sell|paint|draw|practice|practise|study|attend|manage|edit|record|rely|prefer|dislike|adore|detest|avoid|expect|switch|move|quit|put|set|cut|bike|walk|jog|row|garden|knit|owe|sit|grow|brew|bake|vote|fly|lift|log|track|park|store|host|deploy|ship|train|coach|take|feel|remember|forget|miss|suffer|struggle|hear)$/iu;
/** A sentence whose days come back each year and need no year. */
const YEARLY =
  /birth|bday|b-day|anniversar|geburtstag|cumplea|anniversaire|compleanno|anivers[aá]rio|every year|each year|yearly|annual/iu;
/** "I'm home till 10": of the day on which it is said, or of one that is spoken of. */
const OF_THAT_DAY = /^i(?:'m| am) .*\b(?:till|until|by|from) (?:\d|noon|midnight)/iu;
/** Times that mean one day whoever hears them, if the day on which they are said is known. */
const SURE =
  /\b(?:yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening)|last night|(?:\d+|two|three|four|five|six) days? ago|(?:19|20)\d\d)\b/iu;

/** The speaker of a turn as statements name who has no name. */
export function tellerOf(turn: ConversationTurn): string {
  return speakerName(turn) ?? `The ${turn.role}`;
}

const QUOTE_CHARS_MAX = 500;

/** The words of a turn with their speaker: "Caroline's favourite colour is green.", "search: 3 results". */
export function attribute(quote: string, turn: ConversationTurn): string {
  const isShort = turn.role === "user" && quote.length <= QUOTE_CHARS_MAX;
  return (isShort ? inThirdPerson(quote, turn) : null) ?? `${speakerLabel(turn)}: ${quote}`;
}

/** "Caroline, 8 May 2023"; without a day if nobody knows when the turn was said. */
export function headOf(turn: ConversationTurn): string {
  const at = clockOf(turn);
  return at === null ? speakerLabel(turn) : `${speakerLabel(turn)}, ${writeDay(at)}`;
}

/** A statement without the sentences quoted before it, and without the speaker and the day in front of it. */
export function withoutHead(statement: string): string {
  return OWN.exec(statement)?.[2] ?? statement.replace(HEAD, "");
}

/**
 * A statement in the form of which claims are read: without the sentences quoted before it, unless one of them tells what
 * a word of it means.
 */
export function withoutContext(statement: string): string {
  const [, head, words] = OWN.exec(statement) ?? [];
  if (words === undefined || listAnaphors(writeOut(words)).length > 0 || matterOf(words).size < MATTER_MIN) {
    return statement;
  }
  return `${head}: ${words}`;
}

/**
 * What a speaker said, as texts are compared by it: in the form of `withoutContext`, and without the day in front, which
 * is no number or name that anybody spoke of.
 */
export function ownWords(statement: string): string {
  return withoutContext(statement).replace(HEAD, (head) => `${head.slice(0, head.lastIndexOf(","))}: `);
}

/** The words with the dates that their times certainly mean. */
export function dateWords(words: string, turn: ConversationTurn): string {
  const at = clockOf(turn);
  if (at === null) return words;
  let text = words;
  // Each sentence has its own tense.
  for (const { start, end } of splitSentences(words).reverse()) {
    text = text.slice(0, start) + dateSentence(words.slice(start, end), at) + text.slice(end);
  }
  return text;
}

/** Whether words name a time that counts from the day on which they were said. */
export function hasOpenTime(words: string, turn: ConversationTurn): boolean {
  const at = clockOf(turn);
  if (at !== null && OF_THAT_DAY.test(words)) return true;
  return at !== null && !YEARLY.test(words) &&
    findSpokenTimes(words, at).some((time) => !isCertainTime(words.slice(time.start, time.end)));
}

function dateSentence(sentence: string, at: Date): string {
  const times = findSpokenTimes(sentence, at);
  let text = sentence;
  for (let i = times.length - 1; i >= 0; i--) {
    const time = times[i]!;
    const next = times[i + 1];
    // "Thursday, 26 March" is one day.
    const isSame = next !== undefined && next.start - time.end <= 2 && /^(?:the )?\d/u.test(sentence.slice(next.start));
    if (isSame || /^till /iu.test(sentence.slice(time.start)) || !isCertainTime(sentence.slice(time.start, time.end))) {
      continue;
    }
    text = text.slice(0, time.start) + time.text + text.slice(time.end);
  }
  return text;
}

/** Whether a time is certain: it counts from the day on which it is said, or names its year. */
export function isCertainTime(said: string): boolean {
  return SURE.test(said);
}

/** A sentence in the third person; null: a change to it is not certain. */
export function inThirdPerson(words: string, turn: ConversationTurn): string | null {
  const teller = tellerOf(turn);
  if (!NAME.test(teller)) return null;
  const plain = words.replace(/[\u2018\u2019]/g, "'");
  const opening = OPENING.exec(plain)?.[1]!;
  if (opening === undefined) return null;
  const rest = plain.slice(opening.length + 1);
  if (writeOut(plain) !== plain || REFERS.test(rest) || /[\n:;]|\.\.\.|…|[.!?] \S/u.test(plain)) return null;
  const owned = rest.replace(/(?<![\p{L}'])my(?![\p{L}'])/giu, `${lowerThe(teller)}'s`);
  const key = opening.toLowerCase();
  if (key === "my") return /^[\p{L}\d'-]+ /u.test(rest) ? `${teller}'s ${owned}` : null;
  if (FORMS[key] !== undefined) return thirdAfter(`${teller} ${FORMS[key]}`, key, owned);
  const told = [...owned.matchAll(/\S+/gu)];
  let at = 0;
  while (at < told.length - 1 && at < 3 && isAdverb(told[at]![0])) at++;
  const verb = told[at]?.[0].replace(/[.!,]+$/u, "") ?? "";
  if (!isCertainVerb(verb.toLowerCase())) return null;
  const place = told[at]!.index;
  const after = owned.slice(place + verb.length);
  if (hasSecondVerb(after)) return null;
  return `${teller} ${owned.slice(0, place)}${toThirdPerson(verb)}${after}`;
}

/** "I have two cats" has no other verb; "I have moved" has a participle. */
function thirdAfter(head: string, key: string, rest: string): string | null {
  if (hasSecondVerb(rest)) return null;
  return key === "i'll" || !/^(?:to|got to) /iu.test(rest) || key === "i have" ? `${head} ${rest}` : null;
}

function isAdverb(word: string): boolean {
  return MIDDLE_ADVERBS.has(word.toLowerCase()) || /^\p{L}{3,}ly$/iu.test(word);
}

function isCertainVerb(word: string): boolean {
  return MODAL.test(word) || VERBS.test(word) || isCommonBase(word) || (isPastForm(word) && word !== "being");
}

/** Whether another verb without a subject of its own may follow, whose form would have to change, too. */
function hasSecondVerb(rest: string): boolean {
  for (
    const [, word] of rest.matchAll(
      /(?:,|\band|\bbut|\bor|\bthen) (?:\p{L}+ly |also |then |now |still )?(\p{L}+(?:'t)?)/giu,
    )
  ) {
    const lower = word!.toLowerCase();
    if (isCommonBase(lower) || VERBS.test(lower) || /^(?:don't|am|is)$/.test(lower)) return true;
  }
  return false;
}

function lowerThe(name: string): string {
  return name.replace(/^The /u, "the ");
}
