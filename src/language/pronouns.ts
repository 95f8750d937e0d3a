/** Words that refer to something outside a sentence, and beside which words they mean nothing. */

/**
 * Matches the words after an "it" that means nothing: "it's raining", "it's great that …", "it takes two hours to …".
 */
export const EMPTY_IT =
  /^(?:'s| is| was| has been|'s been| isn't| wasn't| would be|'d be) (?:not |so |really |very |just |too |such |all |only |about |a bit |a little |pretty |kind of |quite )*(?:raining|snowing|rained|cold|hot|warm|late|early|clear|hard|easy|great|nice|good|fun|true|possible|impossible|important|a lot|amazing|awesome|cool|crazy|funny|sad|bad|fine|ok|okay|weird|strange|time|a pleasure|a shame|a pity|ages|like|because|why|what|how|when|that|who|your|official|worth|\d)|^ (?:depends|seems|looks|feels|sounds|turns|means|makes sense|happens|rains|snows|rained|snowed|hurts|still hurts|took (?:me|us|ages)|takes (?:time|a while))\b/iu;
export const AFTER_POINTING =
  /^(?:'s|'ll|'d)?(?:[.,!?;…]|$| (?:is|are|was|were|will|would|has|had|can|could|should|might|may|means|meant|sounds|looks|makes|made|works|worked|one|and|but|or|because|though|too|again|already|now|first|happened|happens|takes|took|cost|costs|changes|changed|in|on|at|for|with|from|to|by|so|all|way|really|please)\b)/iu;
/** Whom or what a pronoun means; `form` is its part in the sentence. */
export interface Pronoun {
  readonly person: "speaker" | "group" | "listener" | "she" | "he" | "they" | "it";
  readonly form: "subject" | "object" | "possessive" | "own" | "self";
}

const FORMS = ["self", "own", "object", "possessive", "subject"] as const;
const ROWS = [
  // Subject, object, possessive, own, self.
  ["speaker", "i me my mine myself"],
  ["group", "we us our ours ourselves"],
  ["listener", "you you your yours yourself"],
  ["she", "she her her hers herself"],
  ["he", "he him his his himself"],
  ["they", "they them their theirs themselves"],
  ["it", "it it its its itself"],
] as const;

/** Pronouns by word. If two forms are the same word, the later one of `FORMS` wins; the next words correct it. */
export const PRONOUNS: Readonly<Record<string, Pronoun>> = Object.fromEntries(
  ROWS.flatMap(([person, words]) => {
    const [subject, object, possessive, own, self] = words.split(" ") as [string, string, string, string, string];
    const byForm = { subject, object, possessive, own, self };
    return FORMS.map((form): [string, Pronoun] => [byForm[form], { person, form }]);
  }),
);
