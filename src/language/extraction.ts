/**
 * Finds statements worth keeping in a conversation by rules for English; used where no language model is configured.
 *
 * Every statement stands by itself: pronouns are replaced by names and relative times by dates, and what cannot be resolved
 * is left out. A rule proposes; `validateProposals` decides, as for a model's proposals. Every proposal quotes a verbatim
 * span of its turn. Pure, linear in the length of the text, and never throws.
 */
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { asksForPart, readShortAnswer, supplySubject } from "./ellipsis.ts";
import type { FactType } from "./extraction_patterns.ts";
import { isListened, type Judgement, judgeText } from "./judgement.ts";
import { endOfStatement, isRefusal, skipLead } from "./leads.ts";
import { type ResolvedText, resolveReferences, type Talk } from "./references.ts";
import { Scene } from "./scene.ts";
import { type Span, splitSentences } from "./sentences.ts";
import { resolveTimes } from "./spoken_times.ts";
import { TAKEN_BACK } from "./worth.ts";

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
  /** Whether it states what was decided. */
  readonly isDecision?: boolean;
  /** A rule worded it. */
  readonly byRule?: true;
  /** Other turns of which it uses words. */
  readonly context?: readonly string[];
}

const ANSWER: Judgement = {
  factType: "fact",
  confidence: 0.6,
  isDecision: false,
  from: 0,
  isTold: false,
  triple: null,
};
const LETS = /^let's /iu;
const IT_IS = /,? it is(?: then)?[.!]*$/iu;
const NAME = /^\p{L}[\p{L}\p{M}' .-]{0,60}$/u;

/** What is known of a conversation while it is read. */
interface Reading {
  readonly scene: Scene;
  readonly speakers: readonly string[];
  /** The question that waits for an answer. */
  asked: { readonly text: ResolvedText; readonly messageId: string; readonly by: string } | undefined;
}

/**
 * Proposes what is worth keeping of the turns, in order.
 * @param before turns that came before; they are read for whom and what the turns mean
 */
export function proposeByRules(
  turns: readonly ConversationTurn[],
  before: readonly ConversationTurn[] = [],
): Proposal[] {
  if (before.length > 0) {
    const own = new Set(turns.map(({ messageId }) => messageId));
    return proposeByRules([...before, ...turns]).filter(({ messageId }) => own.has(messageId));
  }
  const heard = turns.filter(({ role }) => role !== "system" && role !== "tool");
  const speakers = [...new Set(heard.map(nameSpeaker))];
  const reading: Reading = { scene: new Scene(speakers), speakers, asked: undefined };
  const proposals: Proposal[] = [];
  for (const [i, turn] of heard.entries()) {
    const next = heard[i + 1];
    const isRefused = next !== undefined && speakerLabel(next) !== speakerLabel(turn) && isRefusal(next.content);
    readTurn(turn, reading, isRefused, proposals);
  }
  return proposals;
}

/** How a speaker is written in a statement. */
function nameSpeaker(turn: ConversationTurn): string {
  return speakerName(turn) ?? `the ${turn.role}`;
}

function talkOf(turn: ConversationTurn, { scene, speakers }: Reading): Talk {
  const speaker = nameSpeaker(turn);
  const others = speakers.filter((name) => name !== speaker);
  return { speaker, listener: others.length === 1 ? others[0]! : null, scene };
}

function readTurn(turn: ConversationTurn, reading: Reading, isRefused: boolean, proposals: Proposal[]): void {
  // Each UTF-16 unit is replaced by one, so that offsets stay those of the content.
  const plain = turn.content.replace(/[\u2018\u2019]/g, "'");
  const talk = talkOf(turn, reading);
  const asked = reading.asked?.by === talk.speaker ? undefined : reading.asked;
  let open = asked;
  for (const span of splitSentences(plain)) {
    const sentence = plain.slice(span.start, span.end);
    if (TAKEN_BACK.test(sentence)) {
      takeBack(turn, proposals);
      continue;
    }
    const proposal = readSentence(sentence, span, turn, talk, reading, open, isRefused);
    if (proposal !== null) proposals.push(proposal);
    if (sentence.length > 12 || proposal !== null) open = undefined;
  }
  // Who was asked has spoken: what comes later is no answer.
  if (asked !== undefined && reading.asked === asked) reading.asked = undefined;
}

/** What the turn said last is not meant. */
function takeBack(turn: ConversationTurn, proposals: Proposal[]): void {
  if (proposals.at(-1)?.messageId === turn.messageId) proposals.pop();
}

function readSentence(
  sentence: string,
  span: Span,
  turn: ConversationTurn,
  talk: Talk,
  reading: Reading,
  asked: Reading["asked"],
  isRefused: boolean,
): Proposal | null {
  const from = skipLead(sentence);
  const to = endOfStatement(sentence, from);
  if (to === null || to < sentence.length) noteQuestion(sentence.slice(to ?? from), turn, talk, reading);
  if (to === null) return null;
  const said = sentence.slice(from, to);
  const proposalOf = (text: string, found: Judgement, context: readonly string[], begin: number): Proposal => {
    const start = span.start + begin;
    const quote = turn.content.slice(start, span.start + to);
    const more = { ...(found.isDecision && { isDecision: true }), ...(context.length > 0 && { context }) };
    const { factType, confidence, triple } = found;
    const statement = factType === "instruction" && !text.startsWith(startUpper(talk.speaker))
      ? `${startUpper(talk.speaker)}: ${text}`
      : text;
    return {
      messageId: turn.messageId,
      statement,
      quote,
      start,
      factType,
      confidence,
      byRule: true,
      ...triple,
      ...more,
    };
  };
  const answer = asked === undefined || !isListened(turn) ? null : readShortAnswer(said);
  const isName = answer !== null && reading.speakers.some((name) => name.split(" ").includes(answer));
  if (answer !== null && !isName && asked!.text.isWhole) {
    const said = resolveReferences(answer, talk);
    const text = `${asked!.text.text} ${startUpper(talk.speaker)}: ${resolveAt(lowerFirst(said.text, answer), turn)}.`;
    reading.scene.add(text, turn.messageId);
    if (!said.isWhole) return null;
    return proposalOf(text, ANSWER, [asked!.messageId], from);
  }
  const full = supplySubject(said);
  const resolved = resolveReferences(full, talk);
  const text = resolveAt(resolved.text, turn);
  const found = judgeText({ raw: full, text: resolved.text, turn, speakers: reading.speakers, isRefused });
  reading.scene.add(text, turn.messageId);
  if (found === null) return null;
  const begin = full === said ? from + found.from : from;
  if (!NAME.test(talk.speaker)) return proposalOf(`${talk.speaker}: ${sentence.slice(begin, to)}`, found, [], begin);
  const told = found.from === 0 ? resolved : resolveReferences(full.slice(found.from), talk);
  if (!told.isWhole) {
    const end = endOfClause(full.slice(found.from), sentence.slice(begin, to));
    if (end !== null && !found.isTold) {
      const shorter = readSentence(sentence.slice(0, begin + end), span, turn, talk, reading, undefined, isRefused);
      if (shorter !== null) return shorter;
    }
    return found.isTold
      ? proposalOf(`${startUpper(talk.speaker)}: ${sentence.slice(begin, to)}`, found, [], begin)
      : null;
  }
  const statement = resolveAt(told.text, turn);
  const context = told.borrowed.filter((id) => id !== turn.messageId);
  return proposalOf(found.isDecision ? tellDecision(statement, talk.speaker) : statement, found, context, begin);
}

/** "Let's take the DJ" decides, and so does "serial per clinic it is"; the statement says who. */
function tellDecision(text: string, speaker: string): string {
  const shared = LETS.exec(text);
  if (shared !== null) return `${startUpper(speaker)} decided to ${text.slice(shared[0].length)}`;
  const chosen = IT_IS.exec(text);
  return chosen === null ? text : `${startUpper(speaker)} decided on ${text.slice(0, chosen.index)}.`;
}

/** Where the main clause ends before an afterthought ("…, so that's fine"); null: there is none. */
function endOfClause(full: string, said: string): number | null {
  const mark = /,? (?:so|but|and|because|which|as|although|though) (?=\S)|[;\u2013\u2014] | - /u.exec(full.slice(10));
  if (mark === null) return null;
  // The subject that was supplied does not stand in what was said.
  const end = mark.index + 10 - (full.length - said.length);
  return end > 10 && end < said.length ? end : null;
}

function resolveAt(text: string, turn: ConversationTurn): string {
  return turn.occurredAt == null ? text : resolveTimes(text, new Date(turn.occurredAt));
}

function noteQuestion(sentence: string, turn: ConversationTurn, talk: Talk, reading: Reading): void {
  const question = sentence.replace(/^[\s,;.-]+/u, "");
  const text = resolveReferences(question, talk);
  reading.scene.add(text.text, turn.messageId);
  reading.asked = asksForPart(question) ? { text, messageId: turn.messageId, by: talk.speaker } : undefined;
}

function startUpper(text: string): string {
  return text[0] === undefined ? "" : text[0].toUpperCase() + text.slice(1);
}

/** The writer capitalises; an answer within a sentence is as it was said. */
function lowerFirst(text: string, said: string): string {
  return /^\p{Ll}/u.test(said) ? text[0]!.toLowerCase() + text.slice(1) : text;
}
