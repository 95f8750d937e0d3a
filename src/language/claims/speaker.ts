/** Rewords statements of collapsed sessions about a speaker without a name as the speaker said them. */
import { findVerb } from "./verbs.ts";

const OWNED = /\bthe user(?: and others')?'s(?= )|\bthe user and others'(?:s)?(?= )/giu;
/** Matches the speaker, and the next word that is no adverb. */
const NAMED =
  /\bthe user( and others)?(?![\p{L}'-])(?=( (?:(?:also|only|just|still|now|already|both|all) )?(\p{L}+)(?:n't)?)?)/giu;
const AUXILIARY =
  /^(?:am|is|are|was|were|has|have|had|does|do|did|will|can|may|must|shall|should|would|could|might)$/iu;
/** Things that are called after users in general: "the user interface". */
const COMPOUND =
  /^ (?:accounts?|acceptance|agents?|base|behaviou?r|community|conference|count|data|database|director(?:y|ies)|documentation|experience|feedback|flows?|forums?|friendly|friendliness|groups?|guides?|handbook|ids?|input|inputs|interfaces?|interviews?|journeys?|lists?|management|manual|manuals|meeting|meetup|mode|model|names?|needs|numbers?|onboarding|pages?|panel|permissions?|portal|preferences|profiles?|records?|registration|research|roles?|schema|service|sessions?|settings|side|space|statistics|stats|stories|story|studies|study|support|surveys?|tables?|testing|tests?|tokens?|traffic|training|types?|union)\b/iu;
/** These are verbs as well, and only the next word shows which: "the user needs a visa". */
const MAY_BE_VERB =
  /^ (?:needs|records|tests|pages|names|lists|counts|flows|studies|types|surveys|guides|interviews|tables|profiles) (?:to|the|an?|my|our|his|her|their|it|for|\p{Lu}|\d)/u;
/** After a preposition or a verb, the speaker is not the subject. */
const GOVERNED =
  /\b(?:of|for|with|to|from|by|at|about|on|in|like|than|between|without|after|before|costs?|gives?|tells?|lets?|makes?|made|(?:who|which|that) \p{L}+(?:s|ed|t)) $/iu;
/** After these verbs, a clause may follow whose subject is the speaker. */
const BEFORE_CLAUSE =
  /^(?:said|thought|knew|found|saw|read|heard|felt|meant|hoped|believed|decided|agreed|confirmed|answered|showed|proved|reported|mentioned|noticed|learned|learnt|forgot|wrote|assumed|replied|insisted|swore|wished|made|let)$/iu;
/** The beginning of the sentence, or of a clause after a comma. */
const HEAD = /(?:^|[,;:] )$/iu;

/** Conjunctions: a clause follows, even if its verb is in no list. */
const AFTER_JOINT = /\b(?:so|and|but|because|since|that|where|as|while) $/iu;

/** "The user and others sold the user's boat, so the user has none now", as the speaker said it. */
export function asSpeaker(sentence: string): string {
  if (!/\bthe user\b/iu.test(sentence)) return sentence;
  const owned = sentence.replace(
    OWNED,
    (found, at: number) => (/others/iu.test(found) ? ["Our", "our"] : ["My", "my"])[at === 0 ? 0 : 1]!,
  );
  return owned.replace(
    NAMED,
    (found, others: string | undefined, _led: string | undefined, next: string | undefined, at: number) => {
      const after = owned.slice(at + found.length);
      if (others === undefined && COMPOUND.test(after) && !MAY_BE_VERB.test(after)) return found;
      const before = owned.slice(0, at);
      const isSubject = (AFTER_JOINT.test(before) && /s$/iu.test(next ?? "")) || HEAD.test(before) ||
        (agrees(next, others) && !GOVERNED.test(before) && !isObject(before));
      if (others === undefined) return isSubject ? "I" : "me";
      return isSubject ? (at === 0 ? "We" : "we") : "us";
    },
  );
}

/** Whether the speaker is the object of the verb that stands before. */
function isObject(before: string): boolean {
  const word = /(\p{Ll}+) $/u.exec(before)?.[1];
  return word !== undefined && findVerb(word)?.form === "past" && !BEFORE_CLAUSE.test(word);
}

/** Whether a word is a verb that goes with the speaker: after one person it has the form of the third. */
function agrees(word: string | undefined, others: string | undefined): boolean {
  if (word === undefined) return false;
  if (AUXILIARY.test(word)) return true;
  const form = findVerb(word.toLowerCase())?.form;
  return form === "past" || form === (others === undefined ? "third" : "base");
}
