/** Finds what comes before and after a statement in a sentence: greetings, interjections, appended questions. Pure. */
import { QUESTION_START, QUESTION_TAIL } from "./extraction_patterns.ts";

const LEAD_WORDS =
  "yeah|yep|yup|yes|yo|no|nope|nah|oh|ah|aw|aww|wow|woah|whoa|ha|haha|hehe|lol|hey|hi|hiya|heya|hello|well|so|and|but|ok|okay|sure|actually|anyway|anyways|honestly|btw|by the way|fyi|also|plus|right|true|exactly|definitely|absolutely|totally|thanks so much|thanks a lot|thanks|thank you so much|thank you|thx|ty|cool|great|nice|awesome|lovely|perfect|brilliant|good|fine|sounds good|sounds great|no problem|no worries|of course|for sure|guess what|good question|good news|bad news|it's been great|hmm|hm|umm?|ugh|sorry|indeed|likewise|same here|good morning|good evening|good afternoon|good day|morning|evening|wait|wait no|correction|update|small update|quick update|one more thing|one more|last one|last thing|next one|another thing|other thing|different topic|new topic|next topic|quick recap(?: before [a-z]+)?|postmortem notes|note to self|decided|done|finally|dude|man|god|omg|ouch|fair enough|deal|agreed|not yet|not really|not any ?more|i see(?: the cause|(?=[,.!;:]|$))|noted|got it|understood|my bad";
const LEAD = new RegExp(
  `^(?:${LEAD_WORDS})(?:(?:,? [\\p{L}'-]{1,20})?\\s{0,2}[,!.;\\u2013\\u2014-]{1,3}|\\s{0,2}:)\\s{1,2}(?=\\S)`,
  "iu",
);
const DECORATION =
  /^\*\p{L}+\*\s+(?=\S)|^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f\s*_~\u2013\u2014-]{1,40}(?=\S)/u;
const BARE_LEAD =
  /^(?:and|but|so|well|also|plus|oh|ok|actually|honestly|btw|yeah) (?=(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our|he|she|they|it|it's|the|remember|let's|please|then|your|you)\b)/iu;
/** Words that open a sentence and say nothing. */
export const OPENING_MARKERS =
  /^(?:(?:ok|okay|so|and|but|also|yeah|yep|lol|omg|yo|haha|hm+|anyway|anyways|oh|well|update|hey|hi|hiya|heya|hello|guys|folks|btw|though|wait|then|thx|thanks|ugh|sweet|nice|cool|great|damn|actually|honestly|no(?=[,:]| (?:i|i'm|im|i've|i'll|we|we're|he|she|they|it|it's|its|that|thats|that's|this|there|the|a|my|our|his|her|their|your|you|not|no|wait|sorry|actually|but|and|so|then|just|let's|lets|please)\b)|nope|nah|yes|yea)[,:]? )+(?=\S)/iu;
/** Such words before a name; the capital of the name counts. */
const NAME_LEAD = /^(?:[Aa]nd|[Bb]ut|[Ss]o|[Tt]hen|[Aa]lso|[Oo]h|[Oo]k) (?=\p{Lu}\p{Ll})/u;
/** An afterthought that says nothing. */
const TRAIL =
  /(?:,? (?:by the way|btw|actually|then|though|honestly|if that's possible|(?<!\b(?:is|are|am|be|was|it'?s|that'?s|all|not|so|feels?|sounds?|looks?) )(?:right|ok|okay)|you know))+(?=[.!…]*$)/iu;
const REFUSAL =
  /^(?:no(?:pe|h)?\b(?! (?:problem|worries|doubt|kidding))|nah\b|no way|not (?:really|sure|yet)|never|i disagree|rather not|i don't think|please don't|hmm,? no)/iu;
const ASKS_BACK = /\b(?:right|isn't it|don't you think|eh|huh|yeah|ok|okay)\b/iu;
const END_DECORATION =
  /[\s\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f]+$|\s*(?:[:;]-?[)(DPp]|<3|(?<=\s)xx?)\s*$/u;
const CLAUSE_BREAK = /(?:[,;\u2013\u2014]| -| so| and| but) /gu;

/** The length of the interjections and greetings at the beginning, in UTF-16 units. */
export function skipLead(sentence: string): number {
  let at = 0;
  for (let i = 0; i < 4; i++) {
    const rest = sentence.slice(at);
    const lead = DECORATION.exec(rest) ?? LEAD.exec(rest) ?? BARE_LEAD.exec(rest) ??
      NAME_LEAD.exec(rest);
    if (lead === null) break;
    at += lead[0].length;
  }
  return at;
}

/** Where the statement ends: before a question that is appended to it; null when all of it is a question. */
export function endOfStatement(sentence: string, from: number): number | null {
  const closed = sentence.replace(/["')\]\u201d\s\p{Extended_Pictographic}]+$/u, "");
  if (!closed.endsWith("?")) {
    const bare = sentence.replace(END_DECORATION, "");
    const trail = TRAIL.exec(bare);
    return trail !== null && trail.index > from + 8 ? trail.index : Math.max(from, bare.length);
  }
  const tail = QUESTION_TAIL.exec(sentence);
  // "…, right?" asks whether it is so.
  if (tail !== null && tail.index > from) return ASKS_BACK.test(tail[0]) ? null : tail.index;
  const rest = sentence.slice(from, from + 400);
  for (const mark of [...rest.matchAll(CLAUSE_BREAK)].reverse()) {
    const question = rest.slice(mark.index + mark[0].length);
    if (QUESTION_START.test(question) && mark.index > 10 && !QUESTION_START.test(rest)) return from + mark.index;
  }
  return null;
}

/** Whether a turn refuses what was just proposed. */
export function isRefusal(content: string): boolean {
  return REFUSAL.test(content.trim().slice(0, 80).replace(/[\u2019]/g, "'"));
}
