/** Clauses of a sentence: who, which verb, what follows, and the words that say that something has changed. */
import { takeMarks } from "./marks.ts";
import { isBounded, isHistory, isPassing } from "./reality.ts";
import { nameSubject } from "./subject.ts";
import { NUMBER_WORDS } from "./values.ts";
import { findVerb, guessVerb, isEvent, type Verb, type VerbForm } from "./verbs.ts";

export interface Clause {
  /** As it is compared: stems in the order of the alphabet. */
  readonly subject: string;
  readonly subjectText: string;
  /** The name of the speaker, whom "I" and "my" mean. */
  readonly speaker: string;
  /** The lemma of the verb; `be` and `have` where nothing follows them that is a verb. */
  readonly lemma: string;
  readonly form: VerbForm;
  readonly isPassive: boolean;
  readonly isPerfect: boolean;
  readonly isPast: boolean;
  readonly isProgressive: boolean;
  readonly modal: string | null;
  readonly isDenied: boolean;
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
  /** What it names as the value before. */
  readonly from: string | null;
  /** A phrase before the subject, such as a purpose or a place. */
  readonly lead: string;
  /** What follows the verb. */
  readonly rest: string;
  /** Whether it says "being", as in "is being renovated". */
  readonly isUnderWay: boolean;
  /** False: it only tells what somebody did ("packed up"), and who it was. */
  readonly isTold: boolean;
  /** It tells of a time before the present one. */
  readonly isHistory: boolean;
}

const SKIPPED = new Set(
  "now still also just since recently currently finally already only never always usually no longer both actually really once all again then here officially not often sometimes mostly simply sadly"
    .split(" "),
);
const BE = new Set(["am", "is", "are", "was", "were", "be", "been", "being"]);
const HAVE = new Set(["has", "have", "had"]);
const DO = new Set(["do", "does", "did"]);
const MODALS = new Set(["will", "can", "may", "must", "shall"]);
const DETERMINERS = new Set(
  "the a an my our his her their your this that its new old current former next second first".split(" "),
);
const PREPOSITIONS = new Set("of for in on at with by to from about into over under".split(" "));
const PLURAL_PRONOUNS = new Set(["i", "we", "you", "they"]);

const STARTS_ANEW = /^(?:so |and |but )?(?:i|we|he|she|they|my|our|his|her|their|the) /iu;

/** The clauses of a sentence that tell what is so now, each with its subject. `speaker` is who says "I". */
export function splitClauses(sentence: string, speaker: string): Clause[] {
  return splitAll(sentence, speaker).filter(({ isTold }) => isTold);
}

/** The same, and those that tell what somebody did. */
export function splitAll(sentence: string, speaker: string): Clause[] {
  const clauses: Clause[] = [];
  let waiting = "";
  let before: Clause | undefined;
  for (const { text, joint } of pieces(sentence)) {
    const whole = waiting === "" ? text : waiting + joint + text;
    const place = findPredicate(whole, before !== undefined && waiting === "");
    if (place === null) {
      waiting = whole;
      continue;
    }
    // What came before is no part of the subject where it is a clause with a verb that nobody knows.
    const next = readClause(whole, place, speaker, before) ??
      (waiting !== "" && STARTS_ANEW.test(text) && findPredicate(text, false) !== null
        ? readClause(text, place, speaker, before)
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

/** What may be clauses: what stands between commas, semicolons, "and" and "but", where a verb follows. */
function* pieces(sentence: string): Iterable<Piece> {
  const parts = sentence.split(
    /(;\s+|:\s+|\s+[\u2013\u2014-]\s+|,\s+(?:and |but |so |then |while )?|\s+(?:and|but)\s+)/iu,
  );
  let text = parts[0]!;
  let joint = "";
  for (let i = 1; i < parts.length; i += 2) {
    const next = parts[i + 1]!;
    if (beginsClause(next) && !/^(?:not|and not)\b/i.test(next)) {
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

function wordOf(token: string): string {
  return token.toLowerCase().replace(/^[^\p{L}\p{N}#]+|[^\p{L}\p{N}]+$/gu, "");
}

interface Place {
  /** The number of words before the verb. */
  readonly at: number;
}

/** What was so for a day, or came to last: "was closed yesterday". */
const PASSING_EVENT =
  /^(?:move|shift|turn|switch|put|go|take|close|open|shut|lock|unlock|suspend|pause|disable|enable|break|lift|drop)$/;

/** Where the predicate begins. A piece without a subject has it at its beginning. */
function findPredicate(text: string, mayLackSubject: boolean): Place | null {
  const words = text.split(" ").map(wordOf);
  for (let i = 0; i < Math.min(words.length, 14); i++) {
    const word = words[i]!;
    if (i === 0 && !mayLackSubject) continue;
    if (SKIPPED.has(word) && i > 0) continue;
    const isAuxiliary = BE.has(word) || HAVE.has(word) || DO.has(word) || MODALS.has(word);
    if (
      isAuxiliary && !(i > 0 && text.split(" ")[i]!.startsWith("May")) &&
      !(word === "may" && /^(?:on|in|of|\d)/.test(words[i - 1] ?? ""))
    ) return { at: i };
    const verb = findVerb(word) ?? unlistedVerb(words, i);
    if (verb === undefined || verb.form === "ing") continue;
    const previous = words[i - 1] ?? "";
    if (DETERMINERS.has(previous) || PREPOSITIONS.has(previous)) continue;
    const next = words[i + 1] ?? "";
    if (i > 0 && (BE.has(next) || HAVE.has(next) || MODALS.has(next))) continue;
    if (verb.form === "base" && i > 0 && !isPlural(words, i)) continue;
    return { at: i };
  }
  return null;
}

const COUNTED_OBJECT = new RegExp(`^(?:both|all|some|most|about|around|\\d+|${Object.keys(NUMBER_WORDS).join("|")})$`, "u");
const OBJECT_BEGINS = /^(?:my|our|his|her|their|the|an?|some|about|around|once|twice|every|daily|weekly|at|in|on|to|with|for|from|through|alone|together|\d\S*)$/u;
/** Words between a subject and an object that are no verbs. */
const NO_VERB = /^(?:and|but|for|from|with|within|without|about|around|after|before|behind|over|under|near|than|like|what|which|who|how|why|when|where|while|because|since|that|not|very|both|all|also|even|just|per|via|plus|whose|till|until|are|was|were|had|has|have|put|let|need|dare|regard\p{L}*|against|among|between|beside|during|except|inside|outside|through|toward|towards|upon)$/u;

/** After a pronoun and before an object even a word that no list has is a verb: "I water my plants". */
function unlistedVerb(words: readonly string[], at: number): Verb | undefined {
  const isPlaced = at > 0 && /^(?:i|we|he|she|they)$/u.test(words[at - 1]!) && OBJECT_BEGINS.test(words[at + 1] ?? "");
  return isPlaced && !NO_VERB.test(words[at]!) ? guessVerb(words[at]!) ?? undefined : undefined;
}

function isPlural(words: readonly string[], at: number): boolean {
  let last = at - 1;
  while (last > 0 && SKIPPED.has(words[last]!)) last--;
  const word = words[last]!;
  const verb = findVerb(words[at]!);
  return PLURAL_PRONOUNS.has(word) || (word.endsWith("s") && !word.endsWith("'s")) ||
    words.slice(0, at).includes("and") || verb?.lemma === "quit" ||
    /^(?:people|children|men|women|staff|police)$/.test(word);
}

const LEAD_PHRASE =
  /^((?:for|in|at|on|during|within|under|with) (?:\S+ ){0,5}?\S+?),? (?=(?:we|i|he|she|they|it|the|my|our|his|her|their|you|all|only)\b)/iu;

function readClause(whole: string, _place: Place, speaker: string, before: Clause | undefined): Clause | null {
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
  const isDenied = predicate.isDenied || isBareDenial ||
    tokens.slice(0, place.at).some((token) => /^(?:not|never)$/i.test(token));
  const isEventful = isEvent(predicate.lemma);
  // What has been done "in 2026" is told in that year.
  const isPastTime = isHistory(
    predicate.isPerfect && !predicate.isPast ? whole.replace(/\bin (?:19|20)\d\d\b/gu, " ") : whole,
  );
  const isTold = !isPastTime && (!predicate.isPast || isEventful || predicate.isPerfect);
  if (!isTold && (isPassing(whole, false) || isBounded(whole))) return null;
  return {
    ...predicate,
    ...named,
    speaker,
    isTold,
    isHistory: isEventful ? isHistory(whole.replace(/\blast year\b/iu, " ")) : isPastTime,
    isDenied,
    hasEnded: marked.hasEnded,
    // "I've been calling her every Sunday lately"
    isNew: marked.isNew || named.isNew ||
      (predicate.isPerfect && predicate.isProgressive && /\b(?:lately|recently)\b/iu.test(whole)),
    isAgain: /\bagain\b/iu.test(whole),
    isStill: /\b(?:still|remains?)\b/iu.test(whole),
    isAddition: marked.isAddition,
    isPassing: isPassing(whole, isEventful && !PASSING_EVENT.test(predicate.lemma)),
    isBounded: isBounded(whole) && !isEventful,
    from: marked.from,
    rest: ofBefore(predicate.rest, before),
    lead: lead === null ? "" : lead[1]!.replace(/^\S+ /u, ""),
  };
}

/** "My passport is still valid, I've put it in the safe": what was the subject before is the object now. */
function ofBefore(rest: string, before: Clause | undefined): string {
  const thing = before === undefined ? null : /^(\p{Ll}+)'s (\p{Ll}.*)$/u.exec(before.subjectText);
  if (thing === null || !/^(?:it|them)\b(?! is| are)/iu.test(rest)) return rest;
  return rest.replace(/^\S+/u, thing[1] === before!.speaker ? `my ${thing[2]}` : before!.subjectText);
}

interface Predicate extends
  Pick<
    Clause,
    | "lemma"
    | "form"
    | "isPassive"
    | "isPerfect"
    | "isPast"
    | "isProgressive"
    | "modal"
    | "isDenied"
    | "isUnderWay"
    | "rest"
  > {}

function readPredicate(tokens: readonly string[]): Predicate | null {
  let at = 0;
  let modal: string | null = null;
  let isDenied = false, isPerfect = false, isPast = false, hasBe = false, hasHave = false, hasDo = false;
  let isUnderWay = false;
  for (; at < tokens.length; at++) {
    const word = wordOf(tokens[at]!);
    if (word === "not" || word === "never") isDenied = true;
    else if (BE.has(word)) {
      hasBe = true;
      if (word === "being") isUnderWay = true;
      if (word === "was" || word === "were") isPast = true;
    } else if (HAVE.has(word) && !hasHave && !hasBe) {
      hasHave = true;
      if (word === "had") isPast = true;
    } else if (DO.has(word) && !hasBe && !hasHave) {
      hasDo = true;
      if (word === "did") isPast = true;
    } else if (MODALS.has(word) && modal === null && !hasBe && !hasHave) modal = word;
    else if (!SKIPPED.has(word) || word === "no") break;
    if (/[,.;!]$/.test(tokens[at]!)) {
      at++;
      break;
    }
  }
  const word = wordOf(tokens[at] ?? "");
  const isBeforeObject = OBJECT_BEGINS.test(wordOf(tokens[at + 1] ?? "")) && !NO_VERB.test(word);
  const isUnlisted = (at === 0 || (hasHave && !hasBe && word.endsWith("ed"))) && isBeforeObject;
  const verb = findVerb(word) ?? (isUnlisted ? guessVerb(word) ?? undefined : undefined);
  const after = tokens.slice(at + 1).join(" ");
  const common = { modal, isDenied, isPast, isUnderWay };
  // "got cancelled"
  const caused = verb?.lemma === "get" && verb.form === "past" && !hasBe
    ? findVerb(wordOf(tokens[at + 1] ?? ""))
    : undefined;
  if (caused !== undefined && caused.form === "past" && /(?:ed|en)$/.test(wordOf(tokens[at + 1]!))) {
    const rest = tokens.slice(at + 2).join(" ");
    return {
      ...common,
      isPast: !hasHave,
      lemma: caused.lemma,
      form: "past",
      isPassive: true,
      isPerfect: hasHave,
      isProgressive: false,
      rest,
    };
  }
  if (hasBe) {
    isPerfect = hasHave;
    // "Dancing Queen" is a name.
    if (verb !== undefined && verb.form === "ing" && !/^\p{Lu}/u.test(tokens[at]!)) {
      return {
        ...common,
        lemma: verb.lemma,
        form: "ing",
        isPassive: false,
        isPerfect,
        isProgressive: true,
        rest: after,
      };
    }
    if (verb !== undefined && verb.form === "past" && !/^(?:left|open|done)$/.test(wordOf(tokens[at]!))) {
      return {
        ...common,
        lemma: verb.lemma,
        form: "past",
        isPassive: true,
        isPerfect,
        isProgressive: false,
        rest: after,
      };
    }
    const rest = tokens.slice(at).join(" ");
    return { ...common, lemma: "be", form: "third", isPassive: false, isPerfect, isProgressive: false, rest };
  }
  if (hasHave) {
    if (verb !== undefined && (verb.form === "past" || /^(?:come|become|run|read|hit|beat|put|bet)$/.test(wordOf(tokens[at]!)))) {
      return {
        ...common,
        isPast: false,
        lemma: verb.lemma,
        form: "past",
        isPassive: false,
        isPerfect: true,
        isProgressive: false,
        rest: after,
      };
    }
    const rest = tokens.slice(at).join(" ");
    return { ...common, lemma: "have", form: "third", isPassive: false, isPerfect: false, isProgressive: false, rest };
  }
  // "does my workouts in the garage"
  const isDoing = hasDo && !isDenied && !hasBe && !hasHave &&
    (DETERMINERS.has(wordOf(tokens[at] ?? "")) ||
      COUNTED_OBJECT.test(wordOf(tokens[at] ?? "")));
  if (isDoing) {
    const form = isPast ? "past" : "base";
    const rest = tokens.slice(at).join(" ");
    return { ...common, lemma: "do", form, isPassive: false, isPerfect: false, isProgressive: false, rest };
  }
  if (
    verb === undefined && (modal !== null || hasDo) && at < tokens.length && /^\p{Ll}+$/u.test(wordOf(tokens[at]!)) &&
    !/ly$/.test(wordOf(tokens[at]!))
  ) {
    const lemma = wordOf(tokens[at]!);
    return {
      ...common,
      lemma,
      form: "base",
      isPassive: false,
      isPerfect: false,
      isProgressive: false,
      rest: after,
    };
  }
  if (verb === undefined || verb.form === "ing") return null;
  if (!hasDo && modal === null && verb.form === "past") isPast = true;
  return {
    ...common,
    isPast,
    lemma: verb.lemma,
    form: verb.form,
    isPassive: false,
    isPerfect,
    isProgressive: false,
    rest: after,
  };
}
