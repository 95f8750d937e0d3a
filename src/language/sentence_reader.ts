/** Decides what of one sentence is stated, and which sentences it needs before it. Pure. */
import { type Context, GIST_CHARS_MAX, SHIFTS, turnsTo } from "./statement_context.ts";
import { type ConversationTurn, speakerLabel } from "./conversation.ts";
import { asksForPart, readShortAnswer, supplySubject } from "./ellipsis.ts";
import { ENDS } from "./end_phrases.ts";
import { pointsAbroad, tellsAbroad } from "./foreign_talk.ts";
import { writeOut } from "./informal.ts";
import {
  isClause,
  isDictated,
  isQuestionLike,
  judgeText,
  lengthOfReminder,
  type SentenceJudgement,
} from "./judgement.ts";
import { OPENING_MARKERS } from "./discourse_markers.ts";
import { didAbroad } from "./own_work.ts";
import { type Anaphor, isEmptyIt, listAnaphors } from "./anaphora.ts";
import type { Span } from "./sentences.ts";
import { matterOf } from "./self_contained.ts";
import { PLAIN, type Proposal, type StatementWriter } from "./statement_writer.ts";
import type { Said, TalkReading } from "./talk.ts";
import { inThirdPerson, tellerOf } from "./reported_speech.ts";
import { listContentStems } from "./tokenise.ts";

/** A few words that agree to what has just been said. */
const AGREES =
  /^(?:agreed|deal|settled|approved|confirmed|it's a deal|let's do (?:that|it|so)|let's go with (?:that|it)|go ahead|go for it|(?:booking|booked|taking|ordering|ordered) (?:it|that|that one)\b|yes,? (?:please|do (?:that|it|so)|let's|go ahead)|we have a deal|abgemacht|einverstanden|de acuerdo|d'accord|combinado|договорились)\b/iu;
/** Words that make a clause depend on another one, so that it does not hold by itself. */
const DEPENDS =
  /\b(?:if|unless|whether|suppose|imagine|wish|would have|could have|should have|as though|in case)\b|^(?:i think|maybe|perhaps|which|who|where|when)\b/iu;
const JOINT =
  /(?:[,;\u2013\u2014-]|\.\.\.)? (?:so|and|but|because|since|as|now that|by the way,?) (?=\S)|[,;\u2013\u2014] (?=\S)/iu;
/** "That makes 16 countries" */
const THAT_COUNTS =
  /^(?:that|this)(?='s (?:the|my|our) \p{L}+th\b| (?:makes?|brings?|means?|costs?) .*\d|'s \d| (?:is|was) .*\d)/iu;
const OWN_CLAUSE = /^(?:i|i'm|i've|we|we're|we've|my|our|the \p{L}+est)\b/iu;
const CLAUSES_MAX = 6;
const CLAUSE_CHARS_MIN = 12;
/** Words of an answer in another language that needs its question. */
const SHORT_ANSWER = 12;
/** How an answer begins that is half a sentence: "at a gym in Leeds, her name's Ottilie", "yes, in the hallway". */
const ANSWERS =
  /^(?:at|in|on|since|because|with|from|for|by|to|about|around|until|till|after|before|near|every|\d\S*|yes|yep|yeah|yea|no|nope|nah|not|only|both|just|mostly|mainly)\b/iu;
const POLITE =
  /\?|\b(?:please|thanks?|thank|lol|haha|great|good|better|fine|perfect|crap|nice|ok|okay|sure|sorry|same)\b/iu;
const NOTE_MATTER_MIN = 2;
export const NAMES = /(?<=[\p{Ll},] )\p{Lu}\p{Ll}/u;
export const DATES =
  /\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter|easter|christmas|tomorrow|tonight|today|noon)\b/iu;
/** An answer that says more than yes or no. */
const YES_OR_NO = /^(?:yes|yep|yeah|no|nope|not yet|not anymore)\b/iu;

/** Reads the sentences of one turn. */
export class SentenceReader {
  readonly #turn: ConversationTurn;
  readonly #reading: TalkReading;
  readonly #isRefused: boolean;
  readonly #plain: string;
  readonly #context: Context;
  readonly #writer: StatementWriter;
  /** What another speaker has just asked. */
  readonly #asked: Said | undefined;

  /**
   * @param isRefused whether the next speaker refuses what the turn says
   * @param plain the turn's content with straight apostrophes
   */
  constructor(
    turn: ConversationTurn,
    reading: TalkReading,
    isRefused: boolean,
    plain: string,
    context: Context,
    writer: StatementWriter,
  ) {
    this.#turn = turn;
    this.#reading = reading;
    this.#isRefused = isRefused;
    this.#plain = plain;
    this.#context = context;
    this.#writer = writer;
    this.#asked = context.question();
  }

  /** The statement that a sentence makes; null: none. */
  tell(said: Span, sentence: string, isFirst: boolean, proposals: Proposal[]): Proposal | null {
    const isUser = this.#turn.role === "user";
    const all = this.#plain.slice(said.start, said.end);
    const reminder = isUser ? lengthOfReminder(all) : 0;
    const own = { start: said.start + reminder, end: said.end };
    const plain = writeOut(all.slice(reminder)).replace(OPENING_MARKERS, "");
    const agreed = isFirst && isUser && (AGREES.test(all) || AGREES.test(sentence))
      ? this.#context.turnsBefore()[0]
      : undefined;
    if (agreed !== undefined && speakerLabel(agreed) !== speakerLabel(this.#turn)) {
      const gist = this.#context.gist(agreed);
      if (matterOf(gist.map(({ plain }) => plain).join(" ")).size > 1) {
        return this.#writer.write(own, { start: own.start, before: gist }, PLAIN, proposals);
      }
    }
    const question = isFirst && isUser && !isQuestionLike(plain) ? this.#findQuestion(plain) : undefined;
    if (question !== undefined) {
      const open = listAnaphors(question.plain);
      if (open.length === 0 && listContentStems(question.plain, "prose").length < 2) open.push("any");
      // "When do you start?" "1 April": whoever asks knows of what.
      const saysEnough = DATES.test(plain) || NAMES.test(all);
      const ground = this.#context.ground(own, open, [question]) ??
        (saysEnough ? { start: own.start, before: [question] } : undefined);
      return ground === undefined ? null : this.#writer.write(own, ground, PLAIN, proposals);
    }
    if (isUser && isQuestionLike(plain)) return null;
    const raw = isUser ? supplySubject(plain) : plain;
    if (!isUser && !this.#context.isNews(raw)) return null;
    const found = this.#judge(raw, reminder > 0) ?? (isUser ? this.#judgeClauses(raw) : null);
    const anaphors = found?.isDecision === true || isDictated(raw) ? [] : listAnaphors(raw);
    const isPart = !isClause(raw) && isUser;
    const asked = isFirst && isUser ? this.#context.question() : undefined;
    if (found === null) {
      const isOpen = this.#asked !== undefined && proposals.at(-1)?.messageId !== this.#turn.messageId;
      const isReply = asked !== undefined && matterOf(raw).size > 0 && matterOf(asked.plain).size > 0 &&
        !POLITE.test(raw) && (YES_OR_NO.test(sentence) || asked.turn.role === "assistant" && isClause(raw));
      if (isOpen && isUser && (DATES.test(raw) || isReply) && raw.length < GIST_CHARS_MAX && !raw.includes("?")) {
        return this.#writer.write(own, { start: own.start, before: [this.#asked!] }, PLAIN, proposals);
      }
      const saysEnough = NAMES.test(this.#reading.speakers.reduce((text, name) => text.replaceAll(name, ""), raw)) ||
        DATES.test(raw) ||
        (asked !== undefined &&
          listContentStems(raw, "prose").length >
            (/\bany\b/iu.test(asked.plain) || asksForPart(asked.plain.replace(OPENING_MARKERS, "")) ? 0 : 1));
      const host = isPart && saysEnough && /\p{L}{3}/u.test(raw) && !POLITE.test(raw)
        ? asked ?? this.#findHost(own, proposals)
        : undefined;
      // "yes. review in 6 weeks, 27 april 9:20": a note.
      const isNote = isPart && host == null && saysEnough && this.#turn.role === "user" && !POLITE.test(raw) &&
        !turnsTo(sentence) && matterOf(raw).size >= NOTE_MATTER_MIN && this.#reading.isServed &&
        this.#context.turnsBefore().length > 0;
      const part = host == null
        ? (isNote ? this.#context.ground(own, anaphors) : undefined)
        : this.#context.ground(own, anaphors, [host]) ??
          (anaphors.every((anaphor) => anaphor === "it" || anaphor === "they") && host.isQuestion
            ? { start: own.start, before: [host] }
            : undefined);
      return part === undefined
        ? this.#tellEnd(own, raw, anaphors, proposals)
        : this.#writer.write(own, part, PLAIN, proposals);
    }
    const isAnswer = asked !== undefined &&
      (ANSWERS.test(sentence) || listContentStems(asked.plain, "prose").length > 0);
    const last = isAnswer ? asked : this.#isFragment(raw, found) ? this.#findHost(own, proposals) : undefined;
    // "Note: gate code 9028" is a part of nothing.
    if (last === null && reminder === 0 && this.#context.turnsBefore().length === 0) return null;
    const ground = this.#context.ground(own, anaphors, last == null ? [] : [last]) ??
      (isAnswer ? { start: own.start, before: [asked] } : undefined);
    return ground === undefined ? null : this.#writer.write(own, ground, found, proposals);
  }

  #judge(raw: string, isTold: boolean): SentenceJudgement | null {
    return judgeText({
      raw,
      text: this.#name(raw),
      turn: this.#turn,
      speakers: this.#reading.speakers,
      isRefused: this.#isRefused,
      isAfterTool: this.#reading.isAfterTool,
      isTold,
    });
  }

  /** A sentence is kept as a whole for one of its clauses that tells something of the speaker's. */
  #judgeClauses(raw: string): SentenceJudgement | null {
    if (DEPENDS.test(raw)) return null;
    const clauses = raw.split(JOINT, CLAUSES_MAX);
    if (clauses.length < 2) return null;
    for (const clause of clauses) {
      const found = clause.length >= CLAUSE_CHARS_MIN && OWN_CLAUSE.test(clause) ? this.#judge(clause, false) : null;
      if (found !== null && found.factType !== "instruction" && !found.isDecision) return found;
    }
    return null;
  }

  /** "He cancelled." says little, and yet that what was told before holds no more: both are kept as one statement. */
  #tellEnd(own: Span, raw: string, anaphors: readonly Anaphor[], proposals: Proposal[]): Proposal | null {
    if (this.#turn.role !== "user" || anaphors.length === 0 || !ENDS.test(raw) || /["?]|\bif\b/iu.test(raw)) {
      return null;
    }
    const ground = this.#context.ground(own, anaphors);
    const before = ground?.before.at(-1);
    const ended = before === undefined
      ? -1
      : proposals.findLastIndex(({ messageId, start, quote }) =>
        messageId === before.turn.messageId && start! < before.span.end && start! + quote.length > before.span.start
      );
    if (ground === undefined || ended === -1) return null;
    proposals.splice(ended, 1);
    return this.#writer.write(own, ground, PLAIN, proposals);
  }

  tellAbroad(own: Span, isFirst: boolean, proposals: Proposal[]): Proposal | null {
    const words = this.#plain.slice(own.start, own.end);
    const asked = isFirst ? this.#context.question() : undefined;
    if (this.#turn.role === "assistant") {
      return didAbroad(words) ? this.#writer.write(own, { start: own.start, before: [] }, PLAIN, proposals) : null;
    }
    if (!tellsAbroad(words, asked !== undefined)) return null;
    const isShort = asked !== undefined && words.split(/\s+/u).length < SHORT_ANSWER;
    if (isShort) return this.#writer.write(own, { start: own.start, before: [asked] }, PLAIN, proposals);
    const before = pointsAbroad(words)
      ? this.#reading.said.findLast(({ turn, text, isQuestion }) =>
        turn.role === "user" && !isQuestion && text.length > 12
      )
      : undefined;
    if (before === undefined && pointsAbroad(words)) return null;
    const ground = before === undefined ? { start: own.start, before: [] } : this.#context.join(own.start, [before]);
    return this.#writer.write(own, ground, PLAIN, proposals);
  }

  /** The question of another speaker that a few words answer. */
  #findQuestion(plain: string): Said | undefined {
    const last = this.#reading.said.at(-1);
    if (last === undefined || !last.isQuestion || speakerLabel(last.turn) === speakerLabel(this.#turn)) {
      return undefined;
    }
    const question = (/[^.!?]*\?\s*$/u.exec(last.plain)?.[0].trim() ?? last.plain).replace(OPENING_MARKERS, "");
    if (!asksForPart(question) || SHIFTS.test(this.#plain)) return undefined;
    const answer = readShortAnswer(plain);
    const isName = answer !== null && this.#reading.speakers.some((name) => name.split(" ").includes(answer));
    return answer === null || isName ? undefined : last;
  }

  /** The sentence as its judge reads it: with somebody in place of the pronoun that it begins with. */
  #name(raw: string): string {
    const teller = tellerOf(this.#turn);
    const text = inThirdPerson(raw, this.#turn) ??
      raw.replace(/^i'm\b/iu, `${teller} is`).replace(/^i\b/iu, teller).replace(/^my\b/iu, `${teller}'s`)
        .replace(/^(?:he|she)(?='s\b| )/iu, "Alex").replace(/^it(?='s\b| )/iu, isEmptyIt(raw) ? "It" : "The thing")
        .replace(THAT_COUNTS, "The thing").replace(/^they(?= |')/iu, "The people").replace(
          /^(?:his|her|their|its)(?= )/iu,
          "The",
        );
    return text === "" ? "" : text[0]!.toUpperCase() + text.slice(1);
  }

  /** Whether a sentence is a part of another one: it has no verb, and its speaker is not its subject. */
  #isFragment(raw: string, { factType, isDecision }: SentenceJudgement): boolean {
    return factType !== "instruction" && !isDecision && !isClause(raw) && this.#turn.role === "user";
  }

  /** The sentence that a part of a sentence belongs to: the question before it, or what its turn tells before it. */
  #findHost(own: Span, proposals: readonly Proposal[]): Said | null {
    const last = this.#reading.said.at(-1);
    if (last === undefined) return null;
    if (last.turn !== this.#turn) return this.#context.question() ?? null;
    const isTold = proposals.at(-1)?.messageId === this.#turn.messageId && !last.isQuestion;
    return isTold && last.span.end <= own.start ? last : null;
  }
}
