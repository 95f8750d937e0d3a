/** Decides whether a sentence says what is true now: not a possibility, a question, hearsay or the past. */
import { isFramed, takesBack } from "./framing.ts";

const QUESTION = /\?["')\]\s]*$/u;
const QUESTION_START =
  /^(?:what|who|whom|whose|where|when|why|how|which|do|does|did|can|could|would|will|should|shall|is|are|was|were|have|has|had|may|might|am) (?:i|you|we|they|he|she|it|the|my|your|our|there|anyone|somebody|(?!not )[\p{Lu}][\p{L}]+ [\p{Ll}]+)\b/iu;

const UNREAL = new RegExp(
  `\\b(?:${
    [
      "if",
      "unless",
      "whether",
      "suppose",
      "imagine",
      "what if",
      "perhaps",
      "maybe",
      "probably",
      "possibly",
      "presumably",
      "supposedly",
      "allegedly",
      "apparently",
      "reportedly",
      "seemingly",
      "might",
      "could",
      "would(?! rather)",
      "should",
      "ought to",
      "(?:almost|nearly)(?! (?:every|all(?! but\\b)|always|daily|twice|\\d|half|two|three|four|five|six|seven|eight|nine|ten))",
      "wish(?:es|ed)?",
      "hop(?:es?|ed|ing) (?:to|that|for)",
      "wants? (?:to|me|us|him|her|them)",
      "wanted (?:to|me|us|him|her|them)",
      "(?<!\\bfrom (?:the |an? |our |my |his |her )?[\\p{L}-]+ )(?:plans?|planned|planning) (?:to|on)",
      "intend(?:s|ed|ing)?",
      "aim(?:s|ed|ing)? to",
      "(?<!\\b(?:my|his|her|their|our) )dream(?:s|t|ed|ing)?",
      "tr(?:y|ies|ied|ying) to",
      "(?:thinking|thought|thinks?) (?:of|about|that|my|your|his|her|the)",
      "(?<!\\b(?:is|are|been) )consider(?:s|ed|ing)?",
      "contemplat(?:e|es|ed|ing)",
      "evaluat(?:e|es|ed|ing)",
      "(?<!\\b(?:the|an?|our|this) )debat(?:e|es|ed|ing(?! (?:society|club|team)))",
      "discuss(?:es|ed|ing)?",
      "propos(?:e|es|ed|ing)",
      "suggest(?:s|ed|ing)?",
      "recommend(?:s|ed|ing)?",
      "ask(?:s|ed|ing)?",
      "threaten(?:s|ed|ing)?",
      "volunteer(?:s|ed|ing)? to",
      "(?<!\\b(?:the|an?|no|any|our|my|this|job|special) )offer(?:s|ed|ing)?",
      "appl(?:y|ies|ied|ying) (?:for|to)(?! (?:\\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\\b)",
      "(?<!\\b(?:the|my|our|his|her|their|an?|of|for|two|three|four|next|first|last|job|'s) )interview(?:s|ed|ing)?(?! (?:\\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\\b)",
      "tempted",
      "pretend(?:s|ed|ing)?",
      "talk of",
      "looking (?:for|into|at)",
      "meaning to",
      "supposed to",
      "about to",
      "likely",
      "i (?:think|guess|believe|suppose)",
      "not sure",
      "rumou?rs?",
      "target(?! (?:market|audience|group|language|platform|branch|database|environment|table))",
      "(?<!\\b(?:the|an?|my|our|this) (?:insurance )?)claim(?:s|ed|ing)?",
      "den(?:y|ies|ied|ying)",
      "joke(?:s|d)?",
      "assum(?:e|es|ed|ing)",
      "believ(?:e|es|ed|ing)",
      "wrongly",
      "falsely",
      "mistakenly",
      "according to",
      "(?<!\\b(?:seen|read|watched|played|finished|completed)\\b[^,.;]{0,60} )in (?:the|a|my|this) (?:novel|book|story|film|movie|game|dream|play|series|example|template)(?! (?:club|group|circle|shop|store|fair|industry|business|department|team|room|studio))",
      "not true",
      "false that",
      "wonder(?:s|ed|ing)?",
      "expect(?:s|ed|ing)?",
      "may (?:have|be|move|migrate|switch|change|leave|join|quit|become|get|soon|well|not be)",
      "(?<!\\b(?:have not|has not|had|been on|known)\\b[^,.;]{0,60} )for a (?:day|week)",
      "for a (?:test|try)",
      "would-be",
      "for example",
      "e\\.g\\.",
      "told (?:me|us|him|her|them|you) to",
    ].join("|")
  })\\b`,
  "iu",
);
/** Matches a character in a work of fiction. What a sentence says about one is not real. */
const FICTION = /\b(?:character|avatar|protagonist|hero(?:ine)?) (?:in|of)\b/iu;

/** Matches a report of somebody's words. Their words about themselves count; words about others are hearsay. */
const REPORT =
  /^(.{2,60}?) (?:says?|said|told (?:me|us)|(?:writes|wrote)(?= that\b|:)|mentioned|reports? that|announced|confirmed|explained|mentions)\b,?(?: today| yesterday)?:? (?:that )?/iu;
const OF_THEMSELVES = /^(?:he|she|they|his|her|their|it|its)\b/iu;
const EXPERT = /^(?:(?:the|my|his|her|their|our) )?(?:doctor|dr|physician|allergist|vet|gp|lawyer|accountant)\b/iu;

export interface Telling {
  /** The sentence without the frame of the report. */
  readonly text: string;
  /** The person who speaks about themselves; null: the sentence is no report, or it reports an expert's words. */
  readonly reporter: string | null;
}

/** Matches the place at which a sentence with a verb of saying may begin to quote another person. */
const RELAYS = /[:;]|\bbecause\b|[\u2013\u2014]/u;
const ORDERS = /^(?:please )?(?:make|create|generate|help|give|write|draft|improve|check)\b/iu;
/** "so my wife hopes", "which I doubt" */
const NOT_MEANT =
  /,? (?:or )?(?:so|as) (?:[\p{L}']+ ){1,3}?(?:hopes?|wish(?:es)?|thinks?|believes?|says?|claims?)[.!]*$|\bso (?:i|we|the user)(?:'m| am|'re| are| is| was) told\b|\b(?:which|and|but|though|although) (?:i|we|the user|nobody)(?: \p{L}+)? (?:doubts?|believes?)\b/iu;

/** Matches a quoted sentence that is itself talked about: `"I'm a vegetarian now" was the caption`. */
const QUOTED = /^"?(?:i|we|you|he|she|they|my|our|the user)\b[^"]{2,}" (?:is|was|were|says?|said|reads?)\b/iu;

/** The part of a sentence that says what is true; null: no part does. */
export function readTelling(sentence: string): Telling | null {
  if (QUESTION.test(sentence) || QUESTION_START.test(sentence) || FICTION.test(sentence) || QUOTED.test(sentence)) {
    return null;
  }
  const report = REPORT.exec(sentence);
  if (report !== null) {
    const rest = sentence.slice(report[0].length);
    if (UNREAL.test(rest) || UNREAL.test(report[1]!)) return null;
    if (OF_THEMSELVES.test(rest)) return { text: rest, reporter: report[1]! };
    return EXPERT.test(report[1]!) ? { text: rest, reporter: null } : null;
  }
  if ((RELAYS.test(sentence) || ORDERS.test(sentence)) && isFramed(sentence)) return null;
  const text = NOT_MEANT.test(sentence) ? null : withoutUnreal(sentence);
  return text === null ? null : { text, reporter: null };
}

/** Where another clause begins, with a subject of its own that does not point back to what was said. */
const NEXT_CLAUSE =
  /,? (?:so|but|and|because|since|although|though)(?= (?:(?:i|we|he|she|my|our|his|her|their|please)\b|the user\b|(?:would (?:like|love)|wants?) to\b))|, which(?= is (?:more|less|better|worse|higher|lower) than\b)/giu;
/** Words that take back or frame the whole sentence, wherever they stand. */
const OF_ALL =
  /\b(?:not true|false|joke[sd]?|pretend\p{L}*|dream\p{L}*|according to|allegedly|supposedly|apparently|reportedly|presumably|seemingly|rumou?rs?|wrongly|falsely|mistakenly|for example|e\.g\.|(?<!\b(?:seen|read|watched|played|finished|completed)\b[^,.;]{0,60} )in (?:the|a|my|this) (?:novel|book|story|film|movie|game|play|series|example|template))\b/iu;
/** Words of condition: the rest of the sentence holds only if the condition does. */
const CONDITION =
  /\b(?:if|unless|whether|suppose|imagine|would|could|should|might|wish\p{L}*|hop(?:e|es|ed|ing)|may|as if|almost|nearly|i (?:think|guess|believe)|perhaps|maybe|probably)\b/iu;
const REASON =
  /(?:,? (?:so|because)|[,;] (?:since|but now|and now|and so|so now))(?= (?:i|we|he|she|they|my|our|his|her|their|the)\b)/giu;
/** Matches words by which a reason may be somebody else's, or a part of a question. */
const WHOSE = /\b(?:he|she|they|him|her|them|whether|if|what|who|that)\b/iu;
/** Verbs of asking and planning; they do not change what the rest of the sentence says. */
const PLANS =
  /^(?:looking (?:for|into|at)|ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?|consider(?:s|ed|ing)?|contemplat\p{L}+|evaluat\p{L}+|debat\p{L}+|tr(?:y|ies|ied|ying) to|tempted|intend(?:s|ed|ing)?|aim(?:s|ed|ing)? to|plan\p{L}* (?:to|on)|thinking (?:of|about)|appl\p{L}+ (?:for|to)|discuss\p{L}*|suggest\p{L}*|recommend\p{L}*|wants? to|wanted to|hop(?:es?|ed|ing) (?:to|for)|interview\p{L}*|about to|meaning to|supposed to|for a (?:day|week|test|try))$/iu;
const OWN_SUBJECT = /^(?:i|i'm|i've|we|we're|we've|the user|the user's|please|would (?:like|love) to)\b/iu;
const MAY_DOUBT = /^ (?:hear|believe|think|say|tell|claim|know|see|make|check|verify|confirm)\b/iu;
const MODAL = /^(?:should|could|would|might)$/iu;
/** After a modal verb, these words refer to the previous clause. */
const WEIGHS =
  /^ (?:not )?(?:also |really |probably |rather )?(?:have|be|check|verify|confirm|know|say|believe|think|add|note|mention|admit|like to (?:think|believe|hear|say)|love to (?:think|believe|hear|say)|hope|guess|doubt|never)\b/iu;

/** "I'm asking because I work at Siemens now": the reason is true, whatever the speaker asks or plans. */
function readReason(sentence: string, found: RegExpExecArray): string | null {
  if (!PLANS.test(found[0]) || !OWN_SUBJECT.test(sentence) || isFramed(sentence)) return null;
  for (const match of sentence.matchAll(REASON)) {
    const rest = sentence.slice(match.index + match[0].length).trim();
    if (match.index <= found.index || UNREAL.test(rest)) continue;
    return takesBack(rest) || WHOSE.test(sentence.slice(0, match.index)) ? null : rest;
  }
  return null;
}

/**
 * The sentence without a later clause that is unreal: "I can hold a plank for three minutes, so I'm looking for something
 * harder" says that I can. Null: the first clause itself is unreal, or the later one may take it back.
 */
function withoutUnreal(sentence: string): string | null {
  const found = UNREAL.exec(sentence);
  if (found === null) return sentence;
  if (OF_ALL.test(sentence)) return null;
  const last = [...sentence.matchAll(NEXT_CLAUSE)].findLast(({ index }) => index < found.index);
  if (last === undefined || last.index < 8) return CONDITION.test(sentence) ? null : readReason(sentence, found);
  const later = sentence.slice(last.index + last[0].length).trim();
  const after = sentence.slice(found.index + found[0].length);
  const isPlan = (PLANS.test(found[0]) && (OWN_SUBJECT.test(later) || !MAY_DOUBT.test(after))) ||
    (MODAL.test(found[0]) && OWN_SUBJECT.test(later) && !WEIGHS.test(after));
  return isPlan && !takesBack(later) && !isFramed(sentence) ? sentence.slice(0, last.index) : null;
}

/** Words that put a clause into the past, or bound it to a time that passes. */
const HISTORY =
  /\b(?:(?<!\b(?:got|gotten|get|grown|become|became) )used to|previously|formerly|once(?! (?:an?|per|every|each|again|more)\b)|originally|at first|initially|first planned|back in (?=\d|the (?:day|past|time))|back then|in the past|as a (?:child|kid|girl|boy|teenager|teen|student)|in (?:his|her|my|their|our) (?:youth|childhood|twenties|thirties)|(?:years?|decades?|ages) ago|(?<!(?:delayed|postponed|prolonged|extended|pushed|moved|back|shifted|runs?|lasts?|valid|open|closed|booked) )until|before (?:the|that|he|she|they|i|we|\p{Lu})|in (?:1[89]|20)\d\d(?! ?(?:requests|users))|at launch|in the (?:early days|beginning|(?:fif|six|seven|eigh|nine)ties)|last year|when (?:i|he|she|we|they) (?:was|were)|grew up|was born|were born|in college|at school|years? earlier)\b/iu;
const BEFORE_END = /\bbefore[.!]*$/iu;
const PASSING =
  /\b(?:yesterday|today|tonight|this (?:morning|afternoon|evening)|during|for the day|temporarily|for now|for a (?:while|moment)|while|at noon|early yesterday|in week \d+|sprint \d+|(?:in|on|over) the week(?:end)? of \d+)\b/iu;
const BOUNDED =
  /\b(?:in|for) (?:january|february|march|april|may|june|july|august|september|october|november|december)(?: (?:of )?(?:19|20)\d\d)?\b/iu;
const THIS_TIME =
  /(?<!\b(?:from|since|as of|starting|beginning|effective) )\b(?:this|next|last) (?:week|weekend|month|time)\b/iu;

/** Whether a clause is about a time before the present. */
export function isHistory(clause: string): boolean {
  return HISTORY.test(clause) || BEFORE_END.test(clause);
}

/** Matches the day on which something happened whose result may last. */
const DAY_OF_EVENT =
  /\b(?:yesterday|this (?:morning|afternoon|evening)|(?:in|on|over) the week(?:end)? of \d+ \p{L}+ \d{4})\b/giu;

/** Whether a clause is about a time that passes; the day of an event whose result lasts is no such time. */
export function isPassing(clause: string, isLasting: boolean): boolean {
  return PASSING.test(isLasting ? clause.replace(DAY_OF_EVENT, " ") : clause);
}

/** Whether a time bounds the state that a clause describes. */
export function isBounded(clause: string): boolean {
  return BOUNDED.test(clause) || THIS_TIME.test(clause);
}
