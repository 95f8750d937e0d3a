/** Decides whether a sentence is kept, as which kind, and with which confidence. Pure. */
import type { FactType } from "./fact_types.ts";
import { type ConversationTurn, speakerName } from "./conversation.ts";
import {
  ABOUT_LISTENER,
  EXTRACTION_PATTERNS,
  HEDGE,
  NEUTRAL_STATEMENT,
  POINTING,
  QUESTION_START,
  THIRD_PERSON,
  TIME_EXPRESSION,
  TOUCHES_SPEAKER,
  UNREAL,
} from "./extraction_patterns.ts";
import { CHATS, hasFiniteVerb, IMAGINED, isJudgement, isVague, SAYINGS, weighTelling } from "./noteworthy.ts";
import { isRequest, readRoughly, type Respect, SURE_MIN } from "./claims/mod.ts";
import { tellsOwnWork } from "./own_work.ts";
import { findTriple, type PlainTriple } from "./triples.ts";
import { listContentStems } from "./tokenise.ts";

export interface SentenceJudgement {
  readonly factType: FactType;
  readonly confidence: number;
  readonly isDecision: boolean;
  readonly triple: PlainTriple | null;
}

/** A sentence with the context that its judgement needs. */
export interface JudgedSentence {
  /** As the speaker said it, without its lead-in. */
  readonly raw: string;
  /** With names in place of pronouns. */
  readonly text: string;
  readonly turn: ConversationTurn;
  readonly speakers: readonly string[];
  /** The next speaker refuses it. */
  readonly isRefused: boolean;
  /** A tool has replied since anybody spoke. */
  readonly isAfterTool: boolean;
  /** The speaker asks to remember it. */
  readonly isTold: boolean;
}

const OWN_WORK: SentenceJudgement = {
  factType: "fact",
  confidence: 0.6,
  isDecision: false,
  triple: null,
};
const TOLD: SentenceJudgement = { ...OWN_WORK, factType: "observation", confidence: 0.5 };
const CONFIDENCE_MIN = 0.5;
/** Kinds of statements that, without a name, a number or a date, are kept only if they say something definite. */
const MAY_BE_VAGUE: ReadonlySet<string> = new Set(
  ["state", "plan", "intention", "obligation", "belonging", "feeling", "wish", "decision", "goal", "identity"],
);
const REMEMBER =
  /^(?:also |and )?(?:please |pls |plz )?(?:can you |could you |can u )?(?:remember|(?:save|store) (?:this|the following)(?=:)|save to (?:your )?memory|add to (?:your )?memory|(?:store|save|memori[sz]e)(?= that\b)|note|keep in mind|bear in mind|don't forget|for the record|just so you know|for your information|fyi)\s?[:,]? (?:that )?(?=\S)/iu;
const REMINISCENCE = /^(?:when|how|the (?:time|times|day|days|night|first)|those|us|me|you|what|who|to)\b/iu;
/** Adverbials before the main clause that do not change the statement. */
const ADVERBIAL =
  /^(?:[^,;:!?]{1,60}(?:,| [\u2013\u2014-]) |(?:yesterday|today|tonight|lately|recently|now|currently|sometimes|usually|since (?:the|my|our|last|a) [^,;:!?]{2,40}?|last [\p{L}]+|this [\p{L}]+|next [\p{L}]+|on [\p{L}]+|in [\p{L}\d]+|since [\p{L}\d]+) )(?=(?:i|i'm|i've|i'll|my|we|we're|we've|we'll|our)\b)/iu;
/** The purpose or place to which a statement is limited: "For monitoring we rely on …". No triple is read after it. */
const LIMITED =
  /^(?:for|in|on|at|with|within|under) (?:the |our |my |an? )?[\p{L}\d-]+(?: [\p{L}\d-]+){0,2} (?=(?:i|we|our|my)\b)/iu;
const HEDGED_LEAD = /^(?:i think|i guess|i believe|i suppose|maybe|perhaps|probably) (?:that )?(?=\S)/iu;
const PROPOSES = /^let's\b/iu;
/** An idea for both, which nobody has taken up yet. */
const SUGGESTS =
  /^(?:maybe |perhaps |then |i think )?(?:we|you) (?:really |totally |definitely |all )?(?:should|ought to)\b/iu;
/** A sentence whose subject another sentence names, and which says little else. */
const SAYS_LITTLE =
  /^(?:[\p{L}']+ ){1,4}(?:it|that|this|them|those|these|so|one|too|there|do|does|did|have|has|is|are)[.!…]*$|\b(?:said|say|says|think|thinks|thought) (?:the same|so)\b/iu;
const BEGINS_WITH_PRONOUN = /^(?:it|he|she|they)(?:'s|'re|'ll)?\b/iu;
const AT_TIME =
  /\bat (?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter|noon|midnight)\b)/iu;
const UNSURE = /\b(?:maybe|perhaps|might|not sure|no idea)\b/iu;

/** The length of "remember that", if the speaker asks to remember what follows; else 0. */
export function lengthOfReminder(words: string): number {
  const length = REMEMBER.exec(words)?.[0].length ?? 0;
  return REMINISCENCE.test(words.slice(length)) ? 0 : length;
}

/** Judges a sentence; null: it is not kept. */
export function judgeText(sentence: JudgedSentence): SentenceJudgement | null {
  const { raw, turn } = sentence;
  if (turn.role === "assistant") return tellsOwnWork(raw, sentence.isAfterTool) ? OWN_WORK : null;
  if (
    PREDICATES.test(raw) || PASSING.test(raw) || ASKS.test(raw) ||
    isRequest(raw) && classify(sentence, raw, raw)?.factType !== "instruction"
  ) return null;
  return judgeTelling(sentence) ?? (tellsPlainly(sentence) ? TOLD : null);
}

/** "It's admirable and inspiring." judges, and says nothing else. */
const PREDICATES =
  /^(?:it|that|this|they|these|those|everything|you)(?:'s|'re| is| are| was| were| has been| looks?| sounds?| seems?| feels?) (?:(?:so+|really|very|such|pretty|too|just|all|quite|\p{L}+ly|always|also|still|a bit|a little|not|an?) )*\p{Ll}+(?:,? (?:and|but|or) (?:so |really |very )?\p{Ll}+)*[.!…]*$/iu;

/** A question that has lost its mark: "did Desmond say he's quitting". */
const ASKS =
  /^(?:did|does|do|is|are|was|were|has|have|can|could|will|would|should|am|didn't|doesn't|don't|isn't|aren't|wasn't|weren't|hasn't|haven't|can't|couldn't|won't|wouldn't|shouldn't) (?:\p{Lu}\p{Ll}+|i|you|we|they|he|she|it|the|my|your|our|his|her|their|there|that|this|anyone|anybody|somebody|someone|mum|mom|dad)\b|^(?:what|who|why|how|when|where|which)(?:'s)?(?: \p{L}|[.!]*$)|^(?:is|are|was|were|does|did|has) (?!(?:not|at|in|on|from|for|with|to|by|about|been|always|never|still|also|an?|gone|closed|open|ready|so|very|too|just|now|done|ok|fine|all|really|only|quite|like|off|out|up|down|back|\p{Ll}+(?:ing|ed|en|ly))\b)[\p{Ll}\d-]+ (?!and\b)[^,;.]*$/u;

/** "Can't have nuts" leaves out who. */
const OWN_CAN = /^(?:can't|don't|won't|couldn't|didn't|haven't) (?:have|do)\b/iu;

export function isQuestionLike(text: string): boolean {
  return ASKS.test(text) || QUESTION_START.test(text) && !OWN_CAN.test(text);
}

function judgeTelling(sentence: JudgedSentence): SentenceJudgement | null {
  const { raw, turn } = sentence;
  const { isTold } = sentence;
  const body = raw;
  if (
    SAYINGS.test(body) || QUESTION_START.test(body) && !OWN_CAN.test(body) || UNREAL.test(body) ||
    (IMAGINED.test(body) && !isTold)
  ) {
    return null;
  }
  const head = findHead(body);
  const kept = classify(sentence, body, head.replace(LIMITED, ""));
  const isIdle = SUGGESTS.test(body) || (SAYS_LITTLE.test(body) && kept?.kind !== "decision");
  if (!isTold && isIdle) return null;
  if (kept === null && !isTold) return null;
  const name = speakerName(turn);
  const triple = name !== null && !HEDGE.test(body) ? findTriple(name, head) : null;
  // The name that replaces a pronoun counts, but the speakers' own names say nothing.
  const counted = withoutNames(BEGINS_WITH_PRONOUN.test(body) ? sentence.text : body, sentence.speakers);
  const least = kept?.kind === "decision" || kept?.kind === "claim" ? 1 : 2;
  // "I get up at six": the time says something, too.
  const stems = new Set(listContentStems(counted, "prose")).size + (AT_TIME.test(counted) ? 1 : 0);
  // "I smoke." has one word that says something, and says enough.
  const saysOne = stems === 1 && (kept?.kind === "identity" || claimsSomething(sentence.text, body));
  if (triple === null && stems < least && !saysOne) return null;
  let confidence = isTold ? Math.max(0.9, kept?.confidence ?? 0) : kept!.confidence;
  if (triple !== null) confidence = Math.max(confidence, 0.9);
  if (HEDGE.test(body)) confidence -= 0.15;
  if (!isTold && ABOUT_LISTENER.test(body) && kept?.factType !== "instruction") confidence -= 0.15;
  if (TIME_EXPRESSION.test(body)) confidence += 0.05;
  confidence = Math.round(Math.min(0.95, confidence) * 100) / 100;
  if (confidence < CONFIDENCE_MIN) return null;
  return {
    factType: kept?.factType ?? "fact",
    confidence,
    isDecision: kept?.kind === "decision",
    triple,
  };
}

function withoutNames(text: string, speakers: readonly string[]): string {
  return speakers.reduce((rest, name) => rest.replaceAll(name, " "), text);
}

function findHead(text: string): string {
  let head = text;
  for (const pattern of [HEDGED_LEAD, ADVERBIAL, HEDGED_LEAD]) head = head.slice(pattern.exec(head)?.[0].length ?? 0);
  return head;
}

interface Kept {
  readonly kind: string;
  readonly factType: FactType;
  readonly confidence: number;
}

function classify({ text, turn, speakers, isRefused }: JudgedSentence, raw: string, head: string): Kept | null {
  const isDated = TIME_EXPRESSION.test(raw);
  for (const { kind, factType, confidence, pattern, except, userOnly } of EXTRACTION_PATTERNS) {
    if (userOnly && turn.role !== "user") continue;
    if (!pattern.test(head)) continue;
    if (except?.test(head) && !(kind === "intention" && isDated && !ABOUT_LISTENER.test(raw))) return null;
    if (MAY_BE_VAGUE.has(kind) && isVague({ raw, text, speakers, isDated })) return null;
    if (PROPOSES.test(head) && (isRefused || UNSURE.test(raw))) return null;
    return { kind, factType, confidence };
  }
  if (ABOUT_LISTENER.test(raw)) return null;
  // "They are worn, they last maybe two months": only the afterthought is unsure.
  if (UNSURE.test(raw.split(", ")[0]!)) return null;
  const isSaying = !isVague({ raw, text, speakers, isDated }) && !isJudgement(raw);
  if (THIRD_PERSON.test(head) && isSaying) {
    return { kind: "third", factType: "observation", confidence: isDated ? 0.65 : 0.55 };
  }
  if (isDated && NEUTRAL_STATEMENT.test(head)) return { kind: "neutral", factType: "observation", confidence: 0.55 };
  const weight = weighTelling({ raw, text, speakers, isDated });
  if (weight > 0) return { kind: "telling", factType: "observation", confidence: weight };
  const touches = TOUCHES_SPEAKER.test(raw) && !POINTING.test(head);
  if (touches && isDated && isSaying) return { kind: "touching", factType: "fact", confidence: 0.5 };
  return isSaying && claimsSomething(text, raw) ? { kind: "claim", factType: "fact", confidence: 0.55 } : null;
}

/** A day, a month, a number or a part of a day. */
const DATED =
  /\d|\b(?:mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun)(?:s|days?|nesdays?|urdays?)?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|yesterday|today|tonight|tomorrow)\b/iu;
/** Somebody or something of the speaker's. */
const KIN =
  /\b(?:my|our|mum|mom|dad|grandma|grandpa|gran|nana|sister|brother|wife|husband|daughter|son|boss|landlord|doctor|doc|dr|vet|physio|teacher|coach)(?:'?s)?\b/iu;
const NAMED =
  /(?<=[\p{Ll}\p{N},] )\p{Lu}[\p{Ll}\p{Lu}\p{N}]+|^\p{Lu}\p{Ll}+(?:'s \p{L}| (?:is|has|was|will|can|called|said|says|keeps?|\p{Ll}{2,}s|\p{Ll}{2,}ed)\b)/u;
const IDLE =
  /^(?:please|thanks?|thank|sorry|good|great|nice|cool|lol|haha|sounds?|looks?|same|true|right|exactly|of course|sure|let|let's|come|go|tell|ask|give|show|help|make|take|try|check|wait|see|look|guess|imagine|suppose|what|who|why|how|when|where|which|that|this|these|those|there|if|unless|maybe|congrats|congratulations|happy|you|your|love|hope|wish|enjoy|never|always|don't|can you|could you|did you|do you)\b/iu;
const TELLS_VERB =
  /\p{L}'s (?:on|at|in|an?|the|not|from|with|off|back|out)\b|^(?:[\p{L}\d.'-]+ ){1,3}\p{Ll}{2,}(?:s|ed)\b|^(?:\p{L}+ ){1,2}[~€$£]?\d/iu;
/** Whether an English text is a clause, as a statement is, and no part of one. */
export function isClause(raw: string): boolean {
  return hasFiniteVerb(raw) || TELLS_VERB.test(raw) || /\b(?:i|we)(?:'(?:m|re|ve|ll|d))? \p{L}{2,}/iu.test(raw) ||
    claimsPlainly(raw);
}

/** "Shes on metformin": short, and enough to know of somebody. */
const OF_SOMEBODY =
  /^(?:he|she)(?:'s| is| has| was| can't| doesn't| takes| works| lives| likes| hates| needs| wants| moved| got| plays| speaks) (?!(?:so|very|really|right|fine|ok|okay|great|good|nice|funny|cute|lovely|sweet|here|there|like|the best)\b)\p{L}/iu;
/** What will be done right away, or is of no use tomorrow. */
const PASSING =
  /^i was (?:just )?(?:thinking|going to|gonna|about to|planning)\b|^(?:i )?(?:really )?need (?:your |some |a bit of )?help\b|^i'm (?:just )?(?:going to|gonna) .*\bnow[.!]*$|^i (?:thought|assumed|figured)\b|^i'm (?:just )?going to talk\b|^\D*\bjust now\b|^i'(?:ll|m going to|m gonna) (?:ask|check|see|look|try|think|let you know|send|get back|do it|be right)\b(?!.*(?:\d|day\b))|^sent (?:you|it|them)\b|^(?:please )?don't \p{L}+ (?:anything|it|that|this|them)\b.{0,12}$|^\D*\byet[.!]*$/iu;
/** What a person must not have, or takes. */
const OF_HEALTH =
  /\b(?:allergic to|allerg(?:y|ies)|intolerant|intolerance|coeliac|celiac|epileptic|asthmatic|diabetic|on antibiotics|epipen|inhaler|insulin|blood thinners)\b|\b\d+ ?(?:mg|mcg|µg|puffs?|tablets?|pills|drops|units)\b/iu;
/** "The tests go next to the source, not in a folder": what is so, and what is not. */
const CONTRASTS =
  /^(?:[\p{L}\d'-]+ ){3,}[^,;]*, (?:and )?not (?:in|on|at|under|behind|over|next|into|from|with|the|an?) \S/iu;
const FANCY = /\bif (?:i|we) (?:had|were)\b|\bperfect world\b|\bi'd say\b|\bas (?:my|the) \p{L}+ (?:says|said)\b/iu;
const PLAIN_STEMS_MIN = 3;
const DICTATED_STEMS_MIN = 14;

/**
 * Whether a user's sentence that no rule knows tells something definite: a finite clause about somebody, or with a name, a
 * number or a day. It is kept as it was said, so that its mood stays.
 */
function tellsPlainly({ raw, text, speakers }: JudgedSentence): boolean {
  if (isDictated(raw)) return !raw.endsWith("?");
  if (UNREAL.test(raw) || SUGGESTS.test(raw) || IMAGINED.test(raw.replace(/\bmight\b/giu, "will")) || FANCY.test(raw)) {
    return false;
  }
  if (
    IDLE.test(raw) || CHATS.test(raw) || isJudgement(raw.split(/[,;]/u, 1)[0]!) || SAYINGS.test(raw) ||
    isVague({ raw, text, speakers, isDated: DATED.test(raw) })
  ) {
    return false;
  }
  if (OF_HEALTH.test(raw) || CONTRASTS.test(raw) && isClause(raw)) return true;
  if (OF_SOMEBODY.test(raw) || LABELLED.test(raw) || claimsPlainly(raw)) return true;
  if (!DATED.test(raw) && !KIN.test(raw) && !NAMED.test(raw)) return false;
  if (!isClause(raw)) return false;
  return new Set(listContentStems(raw, "prose")).size + (/\d/.test(raw) ? 1 : 0) >= PLAIN_STEMS_MIN;
}

/** "New opening date: 3 May" */
const LABELLED = /^(?:\p{L}[\p{L}'-]* ){1,5}(?:\p{L}[\p{L}'-]*|#): .*\d/u;
const IS_SENTENCE = /^(?!Or |.*\b(?:any|every|no|some)(?:thing|body|one)\b)\p{Lu}.*[.!]$/u;
/** Subjects that a sentence does not name. */
const UNNAMED: ReadonlySet<string> = new Set("it that this he she they you one".split(" "));

/** Whether a whole sentence claims something of a subject that it names. */
function claimsPlainly(raw: string): boolean {
  return IS_SENTENCE.test(raw) && listContentStems(raw, "prose").length > 1 &&
    !CHATTY.test(raw.replace(/^They(?= \p{L}+(?:ed|t)\b)/u, "Somebody")) &&
    readRoughly(raw).some(({ confidence, subjectKey }) => confidence >= SURE_MIN && !UNNAMED.has(subjectKey));
}

/** Who dictates tells much in one breath, and names in it whom and what it is about. */
export function isDictated(raw: string): boolean {
  return new Set(listContentStems(raw, "prose")).size >= DICTATED_STEMS_MIN && isClause(raw);
}

/** Respects in which a plain claim is worth keeping, whoever or whatever it is about. */
const KEPT_RESPECTS: ReadonlySet<Respect> = new Set([
  "residence",
  "employment",
  "role",
  "tool",
  "relation",
  "membership",
  "measure",
  "time",
  "permission",
  "diet",
  "name",
  "status",
]);

/** Whether the rules for claims find a change, or a state of affairs worth keeping, in a sentence. */
function claimsSomething(text: string, raw: string): boolean {
  if (raw.includes("?") || CHATTY.test(raw)) return false;
  const saysEnough = HAS_NONE.test(raw) || OWNS.test(raw) || SMOKES.test(raw);
  return readRoughly(text).some(({ confidence, change, respect, subjectKey, value }) =>
    confidence >= SURE_MIN && (subjectKey !== "we" || (respect === "tool" && /\p{Lu}/u.test(value))) &&
    (change !== null || KEPT_RESPECTS.has(respect) || saysEnough)
  );
}

/**
 * "I don't have a dishwasher": a thing that the speaker may buy later; not "no idea" or "no time".
 */
const HAS_NONE =
  /^i (?:still )?(?:(?:do not|don't) (?:have|own)|have no|haven't got) (?:an? |any )?(?!(?:idea|clue|choice|chance|problem|issue|preference|plan|doubt|opinion|question|minute|moment|time|reason|say|thing|favou?rite|money|energy|patience|word|lot|good|real|single|strong|particular)s?\b)\p{Ll}{3,}(?: yet)?[.]*$/iu;

/** "I own a boat": a thing that the speaker may sell later. */
const OWNS = /^i (?:now |also |still )?own (?:an?|one|two|three|four|\d+) \p{L}{3,}/iu;
/** One verb that says enough of somebody. */
const SMOKES = /^i (?:do not |don't |still )?(?:smoke|freelance)[.]*$/iu;

/** Beginnings of sentences about the conversation itself, or about nothing in particular. */
const CHATTY =
  /^(?:it|that|this|these|those|there|here|they|everything|nothing|something|someone|life|time|things?|people|now|all|and|but|so|\d+\S*)\b/iu;
