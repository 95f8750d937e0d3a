/**
 * Completes sentences that leave out a part that everybody knows: "Just moved to Lisbon", "Allergic to nuts", or an
 * answer that makes sense only with its question. Pure.
 */
import { hasFiniteVerb } from "./noteworthy.ts";
import { listContentStems } from "./tokenise.ts";
import { IRREGULAR_PASTS } from "./verb_forms.ts";

const ADVERBS = "(?:(?:just|finally|already|also|still|recently|actually|only|never|always|usually|currently|now) )?";
const PAST_OPENER = new RegExp(`^(${ADVERBS})([a-z]{2,14}) (?=\\S)`, "iu");
const PLAIN_PASTS =
  /^(?:moved|started|finished|booked|signed|quit|joined|adopted|bought|sold|broke|lost|switched|changed|cancelled|canceled|renewed|ordered|visited|graduated|passed|failed|married|divorced|planted|cooked|baked|painted|stopped|dropped|cut|worked|lived|played|watched|read|applied|registered|enrolled|ran|hiked|tried|called|talked|upgraded|deployed|migrated|merged|fixed|released|replaced|removed|added|updated|weighed|walked|cycled|climbed|lifted|saved|borrowed|sprained|twisted|caught|landed)$/iu;
/** Past forms that open something else: "Been there", "Heard that". */
const NO_OPENERS = /^(?:been|done|seen|heard|said|told|thought|felt|meant|given|known|was|were|had|did)$/iu;
const STATES =
  /^(?:(?:allergic|intolerant|married|divorced|vegan|vegetarian|pregnant|based|born|retired|stuck|away) |(?:gonna|going to|planning to|about to) |(?:working|living|studying|moving|flying|training|planning|learning|saving|travell?ing|thinking (?:of|about)) \S)/iu;
const MODALS =
  /^(?:can't|cannot|need to|have to|want to|don't|didn't|won't|used to|would like to|prefer|hate|love) \S/iu;

/** The sentence with its subject, if it left out an "I"; otherwise as it is. */
export function supplySubject(text: string): string {
  const lower = text[0] === undefined ? "" : text[0].toLowerCase() + text.slice(1);
  if (STATES.test(text)) return `I'm ${lower}`;
  if (
    MODALS.test(text) &&
    !/^(?:don't|love) (?:forget|worry|ask|you|it|that|this|is|was|be|get me|let|the|your)\b/iu.test(text)
  ) return `I ${lower}`;
  const [, adverb, verb] = PAST_OPENER.exec(text) ?? [];
  if (verb === undefined || NO_OPENERS.test(verb)) return text;
  const isPast = PLAIN_PASTS.test(verb) || (IRREGULAR_PASTS.has(verb.toLowerCase()) && !/ing$/.test(verb));
  return isPast && (adverb !== "" || !/^(?:left|read|cut|met) (?:to|the right|over)\b/iu.test(text))
    ? `I ${lower}`
    : text;
}

const ASKS =
  /^(?:(?:and|so|but|ok|okay|oh|ah|hm+|wow|nice|cool|great|lovely)[,.!]* )*(who|whom|whose|what|when|where|which|how)\b/iu;
const ASKS_NOTHING =
  /\b(?:what|how) (?:about|are you|have you been|is it going|'s up|do you think|do you mean|happened|now)\b|\b(?:what's (?:up|new|the matter|wrong)|how come|how's|why|would|could|should|if|how can i help|what can i do|what else|any(?:thing)?)\b/iu;
const ANSWER_CHARS_MAX = 160;
const JUDGING =
  /^(?:so |really |very |pretty |super |absolutely |just )*(?:amazing|awesome|great|good|cool|nice|fun|hard|easy|tough|lovely|crazy|beautiful|wonderful|incredible|a blast|the best|like|about)\b/iu;
const PRONOUN_START =
  /^(?:it's|it is|it was|that's|that is|they're|they are|he's|she's|he is|she is|its|i'd say|i think) /iu;

/** Whether a question asks for something that a few words can answer. */
export function asksForPart(question: string): boolean {
  return ASKS.test(question) && !ASKS_NOTHING.test(question) && listContentStems(question, "prose").length >= 1;
}

/** The short answer that a sentence gives; null if the sentence is a statement of its own. */
export function readShortAnswer(sentence: string): string | null {
  const led = PRONOUN_START.exec(sentence)?.[0].length ?? 0;
  const answer = sentence.slice(led).replace(/[\s.!]+$/u, "");
  if (
    answer.length > ANSWER_CHARS_MAX || answer.length < 1 ||
    /^(?:yes|no|sure|maybe|ok|okay|not|why|great|good|fine|nothing|really|brilliant|perfect|lovely|amazing|wow|oh|haha|lol|done|understood|noted|got it|hey|hi|hello|cheers|welcome|same|good luck|thanks?|(?:so )?sorry|congrat\w*|typical|i|we|you|don't|of course)\b/iu
      .test(answer)
  ) {
    return null;
  }
  if (hasFiniteVerb(answer) || JUDGING.test(answer) || /^\p{L}+!+$/u.test(sentence.trim())) return null;
  return /[\p{L}\d]/u.test(answer) && (listContentStems(answer, "prose").length > 0 || /\d/.test(answer))
    ? answer
    : null;
}
