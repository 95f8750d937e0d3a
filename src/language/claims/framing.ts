/** Detects how a sentence is framed: quoted from somebody, drafted or in jest, or taken back afterwards. Pure. */

/** Matches verbs and nouns of saying, believing and inventing. A sentence with one of them may report something untrue. */
const SAYING =
  /\b(?:says|said|saying|tells?|told|telling|writes|wrote|claim(?:s|ed|ing)?|assum(?:e|es|ed|ing)|assumption|believ(?:e|es|ed|ing)|suppos(?:e|es|ing)|expect(?:s|ed)|insist(?:s|ed|ing)?|impl(?:y|ies|ied|ying)|pretend(?:s|ed|ing)?|suspect(?:s|ed|ing)?|den(?:y|ies|ied|ying)|jok(?:e|es|ed|ing)|kidding|lie[sd]?|lying|admits?|admitted|reply|replies|replied|script|excuse|caption|slogan|sentence|speech|character sheet|headline|motto|lyrics|monologue|tweet|bio|quote[sd]?|false(?:ly|hood)?|untrue|not true|scammer|offer(?:s|ed|ing)? (?:me|us|him|her|them|an? (?:script|line|story|reason))|wants? (?:me|us|him|her|them) to|the (?:story|rumou?r|plot) (?:is|was|goes|went)|a (?:story|poem|novel|letter|dialogue|song|play|scene|sketch|script|caption|bio) (?:about|of|where|in which|for|from)|in (?:the|a|my|this) (?:novel|book|story|film|movie|game|dream|play|series|sketch))\b/iu;
const OTHERS_SAY =
  /\b(?:they|people|some|others|you|parents|friends|experts) (?:\p{L}+ )?(?:say|think|write)\b|[,;] say\b/iu;
/** Matches words before an order; several can follow one another. */
const BEFORE_ORDER =
  /^(?:please|just|now|then|ok|okay|so|can you|could you|would you|will you|you (?:should|could|can|must|may|might)|let's|let us|i(?:'d like| want| need|'d love) you to|help me(?: to)?)[, ]+/iu;
const BEFORE_ORDER_MAX = 4;
/** Matches requests to write, say or act a text. */
const DICTATES =
  /^(?:write|rewrite|act|translate|imagine|draft|say|compose|respond|make up|invent|role-?play|proofread|paraphrase|rephrase|summari[sz]e|text|e-?mail|type|repeat|complete|continue|correct|fix|polish|answer|finish|read|play|message|post|improve|check|review|edit|shorten|format|rehearse)\b(?!-)/iu;

/** Whether a sentence is, or may be, a quotation, a draft or a joke. */
export function isFramed(sentence: string): boolean {
  return SAYING.test(sentence) || OTHERS_SAY.test(sentence) || isRequest(sentence);
}

/** Whether a sentence asks the reader to write, say or act a text. */
export function isRequest(sentence: string): boolean {
  return DICTATES.test(withoutLeads(sentence, BEFORE_ORDER, BEFORE_ORDER_MAX));
}

function withoutLeads(sentence: string, lead: RegExp, times: number): string {
  let rest = sentence;
  for (let i = 0; i < times; i++) rest = rest.replace(lead, "");
  return rest;
}

const JOINT = /^,? ?(?:and|but|so|or|although|though|as|which|because|since|yet)\b ?/iu;
const JOINTS_MAX = 2;
/** A subject that points back to what was said, or the listener. */
const POINTS_BACK = /^(?:that|this|it|which|you|they|there|these|those|or)\b/iu;
const DOUBTFUL =
  /\b(?:(?:would|could|should|might)(?:n't| not)?|may|hopes?|hoped|plan|plans|planned|phase|expected|supposed|likely|isn't|wasn't|was|were|not (?:true|so|yet|real|really|certain|sure|final|decided|official|serious|what|the case))\b/iu;
/** Words by which a speaker doubts or confirms the previous clause. */
const WEIGHS =
  /^(?:(?:i'm|i am|we're|the user is|the user was) told|i (?:should (?:check|know|verify|confirm|ask)|guess|suppose|may|might)|the user (?:should (?:check|know|verify|confirm|ask)|guesses|supposes|may|might)|only|not|in (?:the|a|my)|just)\b/iu;
const DOUBTS_ALL =
  /\b(?:kidding|joke|jokes|joked|joking|lie|lying|false|falsely|untrue|not true|wish|wishes|wished|maybe|perhaps|probably|possibly|presumably|supposedly|allegedly|apparently|pretend|pretended|pretending|dream|dreamt|dreamed|hypothetically|in (?:the|a|my|this) (?:novel|book|story|film|movie|game|play|series|sketch|perfect world))\b/iu;

/** "so my doctor would like to hear" */
const HEARSAY =
  /^(?:[\p{L}']+ ){1,3}(?:hopes?|wish|wishes|thinks?|believes?|says?|claims?|doubts?|(?:wants|would (?:like|love)) to (?:hear|believe|think))\b/iu;

/** Whether the text after a clause may take the clause back: by a doubt, a plan, a wish or a denial. */
export function takesBack(afterthought: string): boolean {
  const rest = afterthought.replace(/^[\s,;:.\u2013\u2014-]+/u, "");
  if (/^,? ?(?:and |but )?which\b/iu.test(rest) && DOUBTFUL.test(rest)) return true;
  const clause = withoutLeads(rest, JOINT, JOINTS_MAX);
  return (POINTS_BACK.test(clause) && DOUBTFUL.test(clause)) || WEIGHS.test(clause) || HEARSAY.test(clause) ||
    DOUBTS_ALL.test(rest);
}
