/** Statements of collapsed sessions about a speaker without a name, as the speaker said them. */
import { findVerb } from "./verbs.ts";

const OWNED = /\bthe user(?: and others')?'s(?= )|\bthe user and others'(?:s)?(?= )/giu;
/** The speaker, and the word that follows, besides an adverb. */
const NAMED =
  /\bthe user( and others)?(?=(?: (?:also|always|usually|only|just|still|now|never|finally|really|often|mostly|normally|currently|recently|already|both|all|hardly|actually|\p{L}{3,}ly))?(?: (\p{L}+)(?:n't)?)?)/giu;
const AUXILIARY =
  /^(?:am|is|are|was|were|has|have|had|does|do|did|will|wo|can|ca|may|must|shall|should|would|could|might)$/iu;
/** After a preposition the speaker is no subject. */
const GOVERNED =
  /\b(?:of|for|with|to|from|by|at|about|on|in|like|than|between|without|after|before|costs?|gives?|gave|tells?|told|lets?|makes?|made) $/iu;
/** The beginning of the sentence, or of a clause after a comma. */
const HEAD = /(?:^|[,;:] |[,;] (?:and|but|so) )$/iu;

/** After these a clause follows, though its verb may be in no list. */
const AFTER_JOINT = /\b(?:so|and|but|because|since|that|where|as|while) $/iu;

/** "The user and others sold the user's boat, so the user has none now", as the speaker said it. */
export function asSpeaker(sentence: string): string {
  if (!/\bthe user\b/iu.test(sentence)) return sentence;
  const owned = sentence.replace(
    OWNED,
    (found, at: number) => (/others/iu.test(found) ? ["Our", "our"] : ["My", "my"])[at === 0 ? 0 : 1]!,
  );
  return owned.replace(NAMED, (_, others: string | undefined, next: string | undefined, at: number) => {
    const isSubject = (AFTER_JOINT.test(owned.slice(0, at)) && /s$/iu.test(next ?? "")) ||
      HEAD.test(owned.slice(0, at)) || (isFinite(next, others) && !GOVERNED.test(owned.slice(0, at)));
    if (others === undefined) return isSubject ? "I" : "me";
    return isSubject ? (at === 0 ? "We" : "we") : "us";
  });
}

/** Whether a word is a verb that goes with the speaker: after one person it has the form of the third. */
function isFinite(word: string | undefined, others: string | undefined): boolean {
  if (word === undefined) return false;
  if (AUXILIARY.test(word)) return true;
  const form = findVerb(word.toLowerCase())?.form;
  return form === "past" || form === (others === undefined ? "third" : "base");
}
