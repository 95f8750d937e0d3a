/**
 * Completes sentences that leave out a part that everybody knows: "Just moved to Lisbon", "Allergic to nuts", or an
 * answer that makes sense only with its question. Pure.
 */
import { hasFiniteVerb } from "./worth.ts";
import { listContentStems } from "./words.ts";
import { IRREGULAR_PASTS } from "./verb_forms.ts";

const ADVERBS = "(?:(?:just|finally|already|also|still|recently|actually|only|never|always|usually|currently|now) )?";
const PAST_OPENER = new RegExp(`^(${ADVERBS})([a-z]{2,14}) (?=\\S)`, "iu");
const PLAIN_PASTS =
  /^(?:moved|started|finished|booked|signed|quit|joined|adopted|bought|sold|broke|lost|switched|changed|cancelled|canceled|renewed|ordered|visited|graduated|passed|failed|married|divorced|planted|cooked|baked|painted|stopped|dropped|cut|worked|lived|played|watched|read|applied|registered|enrolled|ran|hiked|tried|called|talked|upgraded|deployed|migrated|merged|fixed|released|replaced|removed|added|updated|sprained|twisted|caught|landed)$/iu;
/** Past forms that open something else: "Been there", "Heard that". */
const NO_OPENERS = /^(?:been|done|seen|heard|said|told|thought|felt|meant|given|known|was|were|had|did)$/iu;
const STATES =
  /^(?:(?:allergic|intolerant|married|divorced|vegan|vegetarian|pregnant|based|born|retired|stuck|away) |(?:working|living|studying|moving|flying|training|planning|learning|saving|travell?ing|thinking (?:of|about)) \S)/iu;
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

/** Matches a word of the thing that an act changed: any word that does not begin another phrase. */
const THING_WORD =
  "(?!(?:at|by|from|because|since|on|in|into|as|due|after|again|last|this|next|yesterday|today|to|until|till|and|but|so)\\b)[\\p{L}\\d'-]+";
const IMPERSONAL = new RegExp(
  "^(?:they|somebody|someone)(?:'ve| have| has)? (?:just |finally |now |already |also )?" +
    "(postponed|rescheduled|moved|cancelled|canceled|delayed|extended|shortened|raised|lowered|increased|reduced|renamed|replaced|closed|reopened|brought forward|pushed back|put off|put up|called off) " +
    `((?:my|our|the)(?: ${THING_WORD}){1,6}?(?: at (?!(?:the|an?|noon|night|midnight|last|once|least)\\b)[\\p{L}'-]+(?= (?:to|until|till)\\b))?)(?=[.!]*$| (?:to|until|till|at|by|from|because|since|on|due|after|again|last|this|next|yesterday|today)\\b)`,
  "iu",
);
/** Matches the replacement, which is no part of the replaced thing: "with Ana" of "my boss with Ana". */
const REPLACEMENT = / (?:with|for) .+$/iu;
const PLURAL = /(?:[^s'i]s|people|children)$/iu;
const ORDINAL =
  "(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|\\d{1,4}(?:st|nd|rd|th))";
const COUNTING = new RegExp(
  `^(?:that|this)(?:'s| is| was| makes) (?:already |now )?((?:the|my) ${ORDINAL} .+?) (?:that )?(i(?:'ve| have)) (?:ever |now |already )?([\\p{L}]+)(?: so far| by now| now| already)?(?=[.!,]|$)`,
  "iu",
);
/** "It takes me 40 minutes to get to work" */
const NEEDED =
  /^it (only |usually |now )?takes me (?=(?:about |around |over |only |just )?(?:\d+|\p{L}+) (?:minutes|hours|days|weeks|months)\b)((?:about |around |over |only |just )?\S+ \S+)(?= to \p{L})/iu;
const SITTING = new RegExp(
  `^(?:that|this)(?:'s| is| was) (?:already |now )?(my ${ORDINAL} (?:[\\p{L}-]+ ){0,2}(?:lesson|session|class|visit|appointment|treatment|shift|rehearsal|game|match|race|viewing))(?=[.!,]|$| (?:so far|by now|now|already)\\b)`,
  "iu",
);

/**
 * Makes the topic of a sentence its subject: "They've postponed my marathon to May" does not say who did, and "That's
 * the eighth recipe I've tried" says what I have tried.
 */
export function nameTopic(text: string): string {
  const done = IMPERSONAL.exec(text);
  if (done !== null) {
    const [all, verb, whole] = done as unknown as [string, string, string];
    const thing = verb.toLowerCase() === "replaced" ? whole.replace(REPLACEMENT, "") : whole;
    const auxiliary = PLURAL.test(thing) ? "have" : "has";
    return `${thing[0]!.toUpperCase()}${thing.slice(1)} ${auxiliary} been ${verb}${
      text.slice(all.length - whole.length + thing.length)
    }`;
  }
  const counted = COUNTING.exec(text);
  if (counted !== null) {
    const [all, thing, who, verb] = counted as unknown as [string, string, string, string];
    return `I${who.slice(1)} ${verb} ${thing} now${text.slice(all.length)}`;
  }
  const needed = NEEDED.exec(text);
  if (needed !== null) return `I ${needed[1] ?? ""}need ${needed[2]}${text.slice(needed[0].length)}`;
  const sat = SITTING.exec(text);
  return sat === null ? text : `I've had ${sat[1]} now${text.slice(sat[0].length)}`;
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
  if (hasFiniteVerb(answer) || JUDGING.test(answer)) return null;
  return /[\p{L}\d]/u.test(answer) && (listContentStems(answer, "prose").length > 0 || /\d/.test(answer))
    ? answer
    : null;
}
