/** Rewords instructions to the listener as statements: "answer in German", "stop sending me offers". */
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
