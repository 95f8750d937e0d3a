/** Rewords instructions to the listener as statements: "answer in German", "stop sending me offers". */
import { lemmaOfIng } from "./verbs.ts";

const INSTRUCTION =
  /^(?:(?:from (?:now|today) on|from today|as of today),? )?(?:please )?(?:just )?(?:always )?(?=(?:use|answer|reply|respond|address|write|format|send|sign|speak|talk|keep|put|begin|end)\b(?! (?:of|is|was|has|are)\b))/iu;
const WISH = /^(?:please )?(?:always )?give me (?=\S)/iu;
const CALLS = /^(?:please )?(?:just )?call me /iu;
/** Matches the text after "call me" if it is a name, with nothing after it but words such as "please" or "now". */
const NAME_ALONE =
  /^\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*){0,2}(?:,? (?:instead|now|from now on|any ?more|again))?[.!]*$/u;
/** Matches times at which a person can be called; these are no names. */
const NO_NAME = /^(?:ASAP\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)/u;

/** Rewords an instruction as a statement about the listener, or about what the speaker wants or is called. */
export function addressed(sentence: string): string {
  // "Please give me longer answers from now on"
  if (/\b(?:from (?:now|today) on|always)\b/iu.test(sentence) && WISH.test(sentence)) {
    return sentence.replace(WISH, "I want ");
  }
  const called = CALLS.test(sentence) ? sentence.replace(CALLS, "") : "";
  const named = NAME_ALONE.test(called) && !NO_NAME.test(called) ? `I go by ${called}` : sentence;
  return INSTRUCTION.test(named)
    ? named.replace(INSTRUCTION, (lead) => /^(?:from|as) /iu.test(lead) ? "Now you " : "You ")
    : named;
}

/** "Don't read my emails any more", "never call me at work again" */
const FORBIDDEN =
  /^(?:please )?(?:do not|never) (?!worry|forget|hesitate|mind|know|have|think|like|want|just|only|even|be\b)(\p{Ll}+ .+?),? (?:any ?more|any longer|from now on)[.!]*$/iu;
/** "Stop sending me offers" */
const STOPPED = /^(?:please )?(?:stop|quit) (\p{L}+ing) (.+?)[.!]*$/iu;
/** Matches words that limit a ban to a case or a time, or that show that the sentence bans nothing. */
const IN_A_CASE =
  /[,:;()"\u201c\u201d?\u2026]|\s[-\u2013\u2014]\s|\b(?:and|or|if|unless|when|whenever|while|until|till|because|so|before|after|since|once|twice|during|without|except|yet|today|tonight|tomorrow|this|next|right now|for now|at the moment|now and then|again|together|instead|rather|other|like|alone|only|is|was|are|were|would|who|that|which|too|old|new|i|you|he|she|they|it)\b/iu;
/** "Call me in the afternoon from now on": how the speaker is to be treated. */
const TREATED =
  /^(?:from (?:now|today) on,? )?(?:please )?(?:always )?((?:call|text|email|message|contact|remind|wake|send|give|show|answer|tell) me \S.*)$/iu;
const FROM_NOW = /\b(?:from (?:now|today) on|these days|any ?more)\b/iu;

/** Rewords an instruction as a statement for the guesses: "stop sending me offers" becomes "you no longer send me offers". */
export function asDone(sentence: string): string {
  const forbidden = FORBIDDEN.exec(sentence)?.[1];
  if (forbidden !== undefined) return IN_A_CASE.test(forbidden) ? sentence : `You no longer ${forbidden}.`;
  const stopped = STOPPED.exec(sentence);
  if (stopped !== null) {
    const deed = stopped[2]!.replace(/ (?:any ?more|any longer|from now on)$/iu, "");
    return IN_A_CASE.test(deed) ? sentence : `You no longer ${lemmaOfIng(stopped[1]!)} ${deed}.`;
  }
  const treated = FROM_NOW.test(sentence) ? TREATED.exec(sentence)?.[1] : undefined;
  return treated === undefined || IN_A_CASE.test(treated.replace(FROM_NOW, "").replace(/\bthat\b/giu, ""))
    ? sentence
    : `Now you ${treated}`;
}
