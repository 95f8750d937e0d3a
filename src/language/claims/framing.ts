/** What frames a sentence: whether it is told as somebody's words, as a draft or in jest, or taken back afterwards. Pure. */

/** Verbs and nouns of saying, believing and making up: what stands beside them need not be so. */
const SAYING =
  /\b(?:says|said|saying|tells?|told|telling|writes|wrote|claim(?:s|ed|ing)?|assum(?:e|es|ed|ing)|assumption|believ(?:e|es|ed|ing)|suppos(?:e|es|ing)|expect(?:s|ed)|insist(?:s|ed|ing)?|impl(?:y|ies|ied|ying)|pretend(?:s|ed|ing)?|suspect(?:s|ed|ing)?|den(?:y|ies|ied|ying)|jok(?:e|es|ed|ing)|kidding|lie[sd]?|lying|script|excuse|bio|quote[sd]?|false(?:ly|hood)?|untrue|not true|scammer|offer(?:s|ed|ing)? (?:me|us|him|her|them|an? (?:excuse|script|line|story|reason))|wants? (?:me|us|him|her|them) to|the (?:story|rumou?r|joke|claim|lie|plot) (?:is|was|goes|went)|a (?:story|poem|novel|letter|dialogue|joke|song|play|scene|sketch|script|caption|bio) (?:about|of|where|in which|for|from)|in (?:the|a|my|this) (?:novel|book|story|film|movie|game|dream|play|series|sketch))\b/iu;
/** What the listener is to put into words, or to make believe. */
const DICTATES =
  /^(?:(?:please|just|now|then|ok(?:ay)?|so|can you|could you|would you|will you|you (?:should|could|can|must|may|might)|let's|let us|i(?:'d like| want| need|'d love) you to|help me(?: to)?)[, ]+)*(?:write|rewrite|pretend|act|translate|tell|imagine|draft|say|compose|reply|respond|make (?:up|believe)|invent|role-?play|assume|suppose|proofread|paraphrase|rephrase|summari[sz]e|text|e-?mail|type|quote|repeat|complete|continue|correct|fix|polish|answer|finish|read|play|message|post)\b(?!\p{L})(?!-)/iu;

/** Whether a sentence is, or may be, told in the words of somebody else, as a draft or in jest. */
export function isFramed(sentence: string): boolean {
  return SAYING.test(sentence) || DICTATES.test(sentence);
}

/** What is said afterwards of what was said before: a doubt, a plan, a wish, or that it is not so. */
const TAKES_BACK =
  /^(?:,? ?(?:and|but|so|or|although|though|as|which|because|since|yet)\b ?)*(?:(?:that|this|it|which|you|they|there|these|those|it's|that's|or)\b.*\b(?:would|could|should|might|may|wish\p{L}*|hop(?:e|es|ed|ing)|plan(?:s|ned)?|phase|expect\p{L}*|suppos\p{L}*|likely|not|n't|isn't|wasn't|was|were)\b|(?:so |but )?i (?:should (?:check|know|verify|confirm|ask)|wish|hope|think|guess|believe|suppose|doubt|may|might)\b|(?:maybe|perhaps|probably|possibly|presumably|only|not|in (?:the|a|my)|just)\b)/iu;
const DOUBTS_ALL =
  /\b(?:kidding|jok(?:e|es|ed|ing)|lie|lying|false(?:ly)?|untrue|not true|wish(?:es|ed)?|maybe|perhaps|probably|possibly|presumably|supposedly|allegedly|apparently|pretend\p{L}*|dream\p{L}*|hypothetical\p{L}*|in (?:the|a|my|this) (?:novel|book|story|film|movie|game|play|series|sketch|perfect world))\b/iu;

/** Whether what follows a clause in the same sentence may take it back. */
export function takesBack(afterthought: string): boolean {
  const rest = afterthought.replace(/^[\s,;:.\u2013\u2014-]+/u, "");
  return TAKES_BACK.test(rest) || DOUBTS_ALL.test(rest);
}
