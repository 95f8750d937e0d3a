/** The predicate of a clause: where it begins, its verb, and what its auxiliaries say. */
import { NUMBER_WORDS } from "./values.ts";
import { findVerb, guessVerb, type Verb, type VerbForm } from "./verbs.ts";

export interface Predicate {
  /** The lemma of the verb; `be` or `have` only if no other verb follows. */
  readonly lemma: string;
  readonly form: VerbForm;
  readonly isPassive: boolean;
  readonly isPerfect: boolean;
  readonly isPast: boolean;
  readonly isProgressive: boolean;
  readonly modal: string | null;
  readonly isDenied: boolean;
  /** The text after the verb. */
  readonly rest: string;
  /** Whether it says "being", as in "is being renovated". */
  readonly isUnderWay: boolean;
}

export const SKIPPED = new Set(
  "now still also just since recently currently finally already only never always usually no longer both actually really once all again then here officially not often sometimes mostly simply sadly"
    .split(" "),
);
export const BE = new Set(["am", "is", "are", "was", "were", "be", "been", "being"]);
export const HAVE = new Set(["has", "have", "had"]);
const DO = new Set(["do", "does", "did"]);
export const MODALS = new Set(["will", "can", "may", "must", "shall"]);
const DETERMINERS = new Set(
  "the a an my our his her their your this that its new old current former next second first".split(" "),
);
const PREPOSITIONS = new Set("of for in on at with by to from about into over under".split(" "));
const PLURAL_PRONOUNS = new Set(["i", "we", "you", "they"]);

/** The form in which the lists contain a word: lower case, without punctuation. */
export function wordOf(token: string): string {
  return token.toLowerCase().replace(/^[^\p{L}\p{N}#]+|[^\p{L}\p{N}]+$/gu, "");
}

export interface Place {
  /** The number of words before the verb. */
  readonly at: number;
}

/** Finds where the predicate begins. It may begin with the first word only if `mayLackSubject`. */
export function findPredicate(text: string, mayLackSubject: boolean): Place | null {
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

const COUNTED_OBJECT = new RegExp(
  `^(?:both|all|some|most|about|around|\\d+|${Object.keys(NUMBER_WORDS).join("|")})$`,
  "u",
);
const OBJECT_BEGINS =
  /^(?:my|our|his|her|their|the|an?|some|about|around|once|twice|every|daily|weekly|at|in|on|to|with|for|from|through|alone|together|\d\S*)$/u;
/** Words between a subject and an object that are no verbs. */
const NO_VERB =
  /^(?:and|but|for|from|with|within|about|around|after|before|behind|over|under|near|than|like|what|which|who|how|when|where|while|because|since|that|both|all|also|even|just|via|till|until|are|was|were|had|has|have|put|let|need|between|inside|outside|through)$/u;

/** A word that no list contains is a verb, too, if it is between a pronoun and an object: "I water my plants". */
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
    /^(?:people|children|staff)$/.test(word);
}

/** "does yoga on Thursdays": a word that no list contains as a verb, without an object after it. */
function isSport(tokens: readonly string[], at: number): boolean {
  const word = wordOf(tokens[at] ?? "");
  return /^\p{Ll}+$/u.test(word) && !/ly$/u.test(word) && findVerb(word) === undefined &&
    /^(?:on|in|at|every|with|twice|for|now)?$/u.test(wordOf(tokens[at + 1] ?? ""));
}

/** Reads the auxiliaries and the verb with which a predicate begins; null: it has no finite verb. */
export function readPredicate(tokens: readonly string[]): Predicate | null {
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
    if (verb !== undefined && verb.form === "past" && !/^(?:left|done)$/.test(wordOf(tokens[at]!))) {
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
    if (
      verb !== undefined &&
      (verb.form === "past" || /^(?:come|become|run|read)$/.test(wordOf(tokens[at]!)))
    ) {
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
    (DETERMINERS.has(wordOf(tokens[at] ?? "")) || isSport(tokens, at) ||
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
