/**
 * Finds statements worth keeping in a conversation by rules for English; used where no language model is configured.
 *
 * A rule proposes; `validateProposals` decides, as for a model's proposals. Every proposal quotes a verbatim span of
 * its turn. Pure, linear in the length of the text, and never throws.
 */
import { attributeQuote } from "./attribution.ts";
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import {
  ABOUT_LISTENER,
  EXTRACTION_PATTERNS,
  type FactType,
  HEDGE,
  NEUTRAL_STATEMENT,
  POINTING,
  QUESTION_START,
  QUESTION_TAIL,
  THIRD_PERSON,
  TIME_EXPRESSION,
  TOUCHES_SPEAKER,
  UNNAMED_OBJECT,
  UNREAL,
} from "./extraction_patterns.ts";
import { splitSentences } from "./sentences.ts";
import { findTriple, type Triple } from "./triples.ts";
import { listContentStems } from "./words.ts";

/** A statement that a rule or a model proposes; nothing in it is trusted yet. */
export interface Proposal {
  readonly messageId: string;
  readonly statement: string;
  /** A verbatim piece of the turn's content. */
  readonly quote: string;
  /** Where the quote begins, in UTF-16 units, if known. */
  readonly start?: number | undefined;
  readonly factType: FactType;
  readonly subject?: string | null | undefined;
  readonly predicate?: string | null | undefined;
  readonly object?: string | null | undefined;
  /** 0 to 1. */
  readonly confidence: number;
}

const CONFIDENCE_MIN = 0.5;
/**
 * What is kept of an assistant without a name: what it did or agreed. It is a program, so its plans and feelings are talk.
 */
const KEPT_OF_ASSISTANTS: ReadonlySet<string> = new Set(["decision", "event", "deadline"]);

const LEAD_WORDS =
  "yeah|yep|yup|yes|no|nope|nah|oh|ah|aw|aww|wow|woah|whoa|ha|haha|hehe|lol|hey|hi|hello|well|so|and|but|ok|okay|sure|actually|anyway|anyways|honestly|btw|by the way|fyi|also|plus|right|true|exactly|definitely|absolutely|totally|thanks so much|thanks a lot|thanks|thank you so much|thank you|thx|cool|great|nice|awesome|sounds good|sounds great|no problem|no worries|of course|for sure|guess what|good question|it's been great|hmm|umm?|ugh|sorry|indeed|likewise|same here|good morning|good evening|good afternoon|morning|evening";
const LEAD = new RegExp(
  `^(?:${LEAD_WORDS})(?:,? [\\p{L}'-]{1,20})?\\s{0,2}[,!.:;\\u2013\\u2014-]{1,3}\\s{1,2}(?=\\S)`,
  "iu",
);
const DECORATION =
  /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\u200d\ufe0f\s"'*_~\u2013\u2014\u201c\u201d-]{1,40}(?=\S)/u;
const BARE_LEAD =
  /^(?:and|but|so|well|also|plus|oh|actually|honestly|btw|yeah|yes|no) (?=(?:i|i'm|i've|i'll|my|we|we're|we've|our|remember)\b)/iu;
const REMEMBER =
  /^(?:please )?(?:can you |could you )?(?:remember|note|keep in mind|bear in mind|don't forget|for the record|just so you know|for your information|fyi)\s?[:,]? (?:that )?(?=\S)/iu;
const REMINISCENCE = /^(?:when|how|the (?:time|times|day|days|night|first)|those|us|me|you|what|who|to)\b/iu;
/** What may stand before the main clause without changing what is said. */
const ADVERBIAL =
  /^(?:[^,;:!?]{1,60}(?:,| [\u2013\u2014-]) |(?:yesterday|today|tonight|lately|recently|now|currently|sometimes|usually|last [\p{L}]+|this [\p{L}]+|next [\p{L}]+|on [\p{L}]+|in [\p{L}\d]+|since [\p{L}\d]+) )(?=(?:i|i'm|i've|i'll|my|we|we're|we've|we'll|our)\b)/iu;
const HEDGED_LEAD = /^(?:i think|i guess|i believe|i suppose|maybe|perhaps|probably) (?:that )?(?=\S)/iu;

/** Proposes what is worth keeping of the turns, in order. */
export function proposeByRules(turns: readonly ConversationTurn[]): Proposal[] {
  return turns.flatMap(proposeOfTurn);
}

function proposeOfTurn(turn: ConversationTurn): Proposal[] {
  if (turn.role === "system" || turn.role === "tool") return [];
  // Each UTF-16 unit is replaced by one, so that offsets stay those of the content.
  const plain = turn.content.replace(/[\u2018\u2019]/g, "'");
  const proposals: Proposal[] = [];
  for (const { start, end } of splitSentences(plain)) {
    const found = judgeSentence(plain.slice(start, end), turn);
    if (found === null) continue;
    const quote = turn.content.slice(start + found.from, start + found.to);
    const statement = attributeQuote(quote, speakerName(turn), speakerLabel(turn));
    const { factType, confidence, triple } = found;
    proposals.push({
      messageId: turn.messageId,
      statement,
      quote,
      start: start + found.from,
      factType,
      confidence,
      ...triple,
    });
  }
  return proposals;
}

interface Judgement {
  /** Offsets in the sentence. */
  readonly from: number;
  readonly to: number;
  readonly factType: FactType;
  readonly confidence: number;
  readonly triple: Triple | null;
}

function judgeSentence(sentence: string, turn: ConversationTurn): Judgement | null {
  let from = skipLead(sentence);
  const to = endOfStatement(sentence, from);
  if (to === null) return null;
  const explicit = REMEMBER.exec(sentence.slice(from, to));
  if (explicit && !REMINISCENCE.test(sentence.slice(from + explicit[0].length, to))) from += explicit[0].length;
  const text = sentence.slice(from, to);
  if (QUESTION_START.test(text) || UNREAL.test(text)) return null;
  const head = findHead(text);
  const kept = classify(text, head, turn);
  const told = explicit !== null && from >= explicit[0].length && sentence.slice(0, from).endsWith(explicit[0]);
  if (kept === null && !told) return null;
  const name = speakerName(turn);
  const sure = !HEDGE.test(text);
  const triple = name !== null && sure ? findTriple(name, head) : null;
  if (triple === null && listContentStems(text, "prose").length < 2) return null;
  let confidence = told ? Math.max(0.9, kept?.confidence ?? 0) : kept!.confidence;
  if (triple !== null) confidence = Math.max(confidence, 0.9);
  if (!sure) confidence -= 0.2;
  if (!told && ABOUT_LISTENER.test(text)) confidence -= 0.2;
  if (!told && UNNAMED_OBJECT.test(text)) confidence -= 0.15;
  if (TIME_EXPRESSION.test(text)) confidence += 0.05;
  confidence = Math.round(Math.min(0.95, confidence) * 100) / 100;
  return confidence < CONFIDENCE_MIN ? null : { from, to, factType: kept?.factType ?? "fact", confidence, triple };
}

/** How long the interjections and greetings at the beginning are. */
function skipLead(sentence: string): number {
  let at = 0;
  for (let i = 0; i < 4; i++) {
    const rest = sentence.slice(at);
    const lead = DECORATION.exec(rest) ?? LEAD.exec(rest) ?? BARE_LEAD.exec(rest);
    if (lead === null) break;
    at += lead[0].length;
  }
  return at;
}

/** Where the statement ends: before a question that is appended to it; null when all of it is a question. */
function endOfStatement(sentence: string, from: number): number | null {
  const closed = sentence.replace(/["')\]\u201d\s]+$/u, "");
  if (!closed.endsWith("?")) return sentence.length;
  const tail = QUESTION_TAIL.exec(sentence);
  return tail !== null && tail.index > from ? tail.index : null;
}

function findHead(text: string): string {
  let head = text;
  for (const pattern of [HEDGED_LEAD, ADVERBIAL, HEDGED_LEAD]) head = head.slice(pattern.exec(head)?.[0].length ?? 0);
  return head;
}

function classify(
  text: string,
  head: string,
  turn: ConversationTurn,
): { readonly factType: FactType; readonly confidence: number } | null {
  const nameless = turn.role === "assistant" && speakerName(turn) === null;
  for (const { kind, factType, confidence, pattern, except, userOnly } of EXTRACTION_PATTERNS) {
    if (userOnly && turn.role !== "user") continue;
    if (!pattern.test(head)) continue;
    if (except?.test(head)) return null;
    return nameless && !KEPT_OF_ASSISTANTS.has(kind) ? null : { factType, confidence };
  }
  if (nameless || ABOUT_LISTENER.test(text)) return null;
  const dated = TIME_EXPRESSION.test(text);
  if (THIRD_PERSON.test(head)) return { factType: "observation", confidence: dated ? 0.65 : 0.55 };
  if (dated && NEUTRAL_STATEMENT.test(head)) return { factType: "observation", confidence: 0.5 };
  const touches = TOUCHES_SPEAKER.test(text) && !POINTING.test(head);
  return touches && (dated || listContentStems(text, "prose").length >= 6)
    ? { factType: "fact", confidence: 0.5 }
    : null;
}
