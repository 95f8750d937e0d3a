/**
 * Finds statements worth keeping in a conversation by rules; used where no language model is configured.
 *
 * A statement is a sentence in the speaker's own words, with the speaker and the day in front. If one of its words points
 * to what an earlier sentence names ("she", "it", a bare answer), it is kept together with that sentence, or not at all.
 * A rule proposes; `validateProposals` decides, as for a model's proposals. Every proposal quotes a verbatim span of its
 * turn. Pure, linear in the length of the text, and never throws.
 */
import { findCommands } from "./commands.ts";
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { Context, GIST_CHARS_MAX, SAID_MAX, SHIFTS, STRETCH_CHARS_MAX, turnsTo } from "./context.ts";
import { asksForPart, readShortAnswer, supplySubject } from "./ellipsis.ts";
import type { FactType } from "./extraction_patterns.ts";
import { isForeign, pointsAbroad, tellsAbroad } from "./foreign_talk.ts";
import { writeOut } from "./informal.ts";
import { isClause, isDictated, isQuestionLike, type Judgement, judgeText, lengthOfReminder } from "./judgement.ts";
import { ENDS } from "./endings.ts";
import { endOfStatement, isRefusal, OPENERS, skipLead } from "./leads.ts";
import { asksForText, didAbroad, isDraft, wroteIt } from "./own_work.ts";
import { doAll, type Pieces } from "./pieces.ts";
import { isEmptyIt, listPointers, type Pointer } from "./pointers.ts";
import { type Span, splitSentences } from "./sentences.ts";
import { corrects, isSocial, matterOf, shorten, takesAsKnown } from "./standing.ts";
import { type Ground, inOrder, type Reading, type Said } from "./talk.ts";
import { dateWords, hasOpenTime, headOf, inThirdPerson, tellerOf } from "./told.ts";
import { listContentStems } from "./words.ts";
import { FORGET, JOKED, MEANT, TAKEN_BACK } from "./worth.ts";

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
  /** What is said, without the speaker, the day and the sentences before. */
  readonly words?: string;
  /** Other turns whose words it quotes. */
  readonly context?: readonly string[];
}

const PLAIN: Judgement = {
  factType: "fact",
  confidence: 0.6,
  isDecision: false,
  triple: null,
};
/** A few words that agree to what has just been said. */
const AGREES =
  /^(?:agreed|deal|settled|approved|confirmed|it's a deal|let's do (?:that|it|so)|let's go with (?:that|it)|go ahead|go for it|yes,? (?:please|do (?:that|it|so)|let's|go ahead)|we have a deal|abgemacht|einverstanden|de acuerdo|d'accord|combinado|договорились)\b/iu;
const FOREIGN_TEXT = /^(?:["\u201c\u201e\u00ab]|\*\*|__|#|\||>|<)|:$/u;
/** Words that make a clause depend on another one, so that it does not hold by itself. */
const DEPENDS =
  /\b(?:if|unless|whether|suppose|imagine|wish|would have|could have|should have|as though|in case)\b|^(?:i think|maybe|perhaps|which|who|where|when)\b/iu;
const JOINT =
  /(?:[,;\u2013\u2014-]|\.\.\.)? (?:so|and|but|because|since|as|now that|by the way,?) (?=\S)|[,;\u2013\u2014] (?=\S)/iu;
/** "That makes 16 countries" */
const THAT_COUNTS =
  /^(?:that|this)(?='s (?:the|my|our) \p{L}+th\b| (?:makes?|brings?|means?|costs?) .*\d|'s \d| (?:is|was) .*\d)/iu;
const OWN_CLAUSE = /^(?:i|i'm|i've|we|we're|we've|my|our|the \p{L}+est)\b/iu;
/** The longest message that is kept as a whole for a part of it. */
const MESSAGE_CHARS_MAX = 400;
/** The share of a sentence that is as good as the whole. */
const WHOLE_MIN = 0.8;
const CLAUSES_MAX = 6;
/** Words of an answer in another language that needs its question. */
const SHORT_ANSWER = 12;
const CLAUSE_CHARS_MIN = 12;
/** How an answer begins that is half a sentence: "at a gym in Leeds, her name's Ottilie", "yes, in the hallway". */
const ANSWERS =
  /^(?:at|in|on|since|because|with|from|for|by|to|about|around|until|till|after|before|near|every|\d\S*|yes|yep|yeah|yea|no|nope|nah|not|only|both|just|mostly|mainly)\b/iu;
const POLITE =
  /\?|\b(?:please|thanks?|thank|lol|haha|great|good|better|fine|perfect|crap|nice|ok|okay|sure|sorry|same)\b/iu;
const NAMES = /(?<=[\p{Ll},] )\p{Lu}\p{Ll}/u;
const DATES =
  /\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|winter|easter|christmas|tomorrow|tonight|today|noon)\b/iu;
/** A question of knowledge, which says nothing of the speaker's matter. */
const ASKS_KNOWLEDGE = /^(?:what|who|where|which|when|how)/iu;
/** The longest beginning of a talk that is quoted. */
const TOPIC_CHARS_MAX = 160;
const OF_SELF = /\b(?:i|my|me|we|our|us)\b/iu;
/** Words of a message that says nothing where nobody has asked. */
const SCRAP_WORDS = 2;
/** An answer that says more than yes or no. */
const YES_OR_NO = /^(?:yes|yep|yeah|no|nope|not yet|not anymore)\b/iu;

/** Proposes statements of the turns that are worth keeping, in order. */
export function proposeByRules(turns: readonly ConversationTurn[]): Proposal[] {
  return doAll(readProposals(turns));
}

/** The same in pieces of a sentence each. */
export function* readProposals(turns: readonly ConversationTurn[]): Pieces<Proposal[]> {
  const heard = turns.filter(({ role }) => role !== "system" && role !== "tool");
  const names = new Set<string>();
  let foreign = 0;
  for (const turn of heard) {
    yield void names.add(tellerOf(turn));
    const is = isForeign(turn.content.slice(0, 500));
    if (is !== undefined) foreign += is ? 1 : -1;
  }
  const reading: Reading = {
    speakers: [...names],
    said: [],
    isForeign: foreign > 0,
    topic: undefined,
    heard: 0,
    isServed: heard.some(({ role }) => role === "assistant"),
    awaitsText: false,
    isAfterTool: false,
  };
  const proposals: Proposal[] = [];
  for (const [i, turn] of turns.entries()) {
    if (turn.role === "tool") reading.isAfterTool = true;
    if (turn.role === "system" || turn.role === "tool") continue;
    const next = turns.slice(i + 1, i + 4).find(({ role }) => role === "user" || role === "assistant");
    const isRefused = next !== undefined && speakerLabel(next) !== speakerLabel(turn) && isRefusal(next.content);
    yield* new TurnReader(turn, reading, isRefused).read(proposals);
    reading.awaitsText = turn.role === "user" && asksForText(turn.content);
    reading.isAfterTool = false;
  }
  return proposals;
}

/** Reads the sentences of one turn. */
class TurnReader {
  readonly #turn: ConversationTurn;
  readonly #reading: Reading;
  readonly #isRefused: boolean;
  /**
   * The content with straight apostrophes. Each replaces one UTF-16 unit, so that offsets stay those of the content.
   */
  readonly #plain: string;
  readonly #isForeign: boolean;
  readonly #context: Context;
  /** What another speaker has just asked. */
  #asked: Said | undefined;
  /** What each proposal of the turn needs before it. */
  readonly #grounds = new Map<Proposal, readonly Said[]>();

  constructor(turn: ConversationTurn, reading: Reading, isRefused: boolean) {
    this.#turn = turn;
    this.#reading = reading;
    this.#isRefused = isRefused;
    this.#plain = turn.content.replace(/[\u2018\u2019]/g, "'");
    this.#isForeign = isForeign(turn.content.slice(0, 2_000)) ?? reading.isForeign;
    this.#context = new Context(turn, reading, this.#plain, this.#isForeign);
  }

  *read(proposals: Proposal[]): Pieces<void> {
    const { role, content } = this.#turn;
    // The words of a draft are those of whoever will send it.
    const isText = role === "assistant" && (this.#reading.awaitsText && !wroteIt(content) || isDraft(content));
    let isFirst = true;
    const before = proposals.length;
    const asked = this.#asked = this.#context.question();
    let isTakenBack = false;
    if (isSocial(content)) return;
    for (const span of splitSentences(this.#plain)) {
      yield;
      const sentence = this.#plain.slice(span.start, span.end);
      if (FORGET.test(sentence)) this.#forget(proposals, sentence);
      if (TAKEN_BACK.test(writeOut(sentence)) && !MEANT.test(sentence)) {
        this.#takeBack(proposals, JOKED.test(sentence));
        isTakenBack = true;
        this.#hear(span, true);
        continue;
      }
      const last = this.#reading.said.at(-1);
      const isCorrection = !isText && role === "user" && corrects(sentence) && last?.turn === this.#turn &&
        !last.isQuestion && /\p{L}{3}|\d/u.test(sentence);
      const proposal = isText ? null : this.#readSentence(span, isFirst, proposals);
      if (isCorrection) this.#correct(span, last, proposal, proposals);
      else if (proposal !== null && !this.#isScrap(proposal)) proposals.push(proposal);
      if (sentence.length > 12 || proposal !== null) isFirst = false;
    }
    if (!isTakenBack && proposals.length > before) this.#keepMessage(proposals, asked);
  }

  /** A short message that was typed in one go is kept as a whole: its parts explain each other. */
  #keepMessage(proposals: Proposal[], asked: Said | undefined): void {
    const { content, role, messageId } = this.#turn;
    const text = content.trim();
    if (role !== "user" || text.length > MESSAGE_CHARS_MAX || findCommands(content, role).length > 0) return;
    const own = proposals.filter((proposal) => proposal.messageId === messageId);
    if (own.length === 0) return;
    const spans = splitSentences(this.#plain);
    const sentences = spans.map(({ start, end }) => this.#plain.slice(start, end));
    // What may address the reader is left out.
    if (sentences.some((sentence) => /<\/?\p{L}|\b(?:ignore|disregard|forget|override)\b/iu.test(sentence))) return;
    const isNeat = sentences.every((sentence) =>
      /^(?:[^\p{L}]*\p{Lu}|\d)/u.test(sentence) && /[.!?…)"\p{Extended_Pictographic}]$/u.test(sentence)
    );
    const kept = own.reduce((sum, { quote }) => sum + quote.length, 0);
    if (isNeat || sentences.length === 1 && kept >= text.length * WHOLE_MIN || lengthOfReminder(text) > 0) return;
    const needed = new Set(own.flatMap((one) => this.#grounds.get(one) ?? []));
    if (asked !== undefined) needed.add(asked);
    const ground = [...needed].filter(({ turn }) => turn !== this.#turn).sort(inOrder);
    for (const one of own) proposals.splice(proposals.indexOf(one), 1);
    // A question at the end is no part of what is told.
    const last = sentences.findLastIndex((sentence) =>
      !/\?\W*$/u.test(sentence) && !isQuestionLike(writeOut(sentence).replace(OPENERS, ""))
    );
    const start = spans[0]!.start;
    const whole = { start, end: spans[Math.max(0, last)]!.end };
    proposals.push(
      this.#write(
        whole,
        { start, before: ground },
        { ...PLAIN, ...whatKind(own) },
        [],
      ),
    );
  }

  /** "Around 4." is nothing where nobody has asked. */
  #isScrap({ words, quote, factType, isDecision }: Proposal): boolean {
    return isDecision !== true && factType !== "instruction" && this.#turn.role === "user" && !this.#isForeign &&
      this.#asked === undefined && words === quote &&
      matterOf(quote).size === 0 &&
      quote.trim().split(/\s+/u, SCRAP_WORDS + 1).length <= SCRAP_WORDS;
  }

  /** A value is kept with its correction, or neither is. */
  #correct(span: Span, last: Said, proposal: Proposal | null, proposals: Proposal[]): void {
    const told = proposals.at(-1);
    const isTold = told?.messageId === this.#turn.messageId && told.start! + told.quote.length >= last.span.start;
    if (proposal === null && !isTold && !DATES.test(last.text)) return;
    const start = isTold ? Math.min(told.start!, last.span.start) : last.span.start;
    const needed = [...(isTold ? this.#grounds.get(told) ?? [] : []), ...(this.#grounds.get(proposal!) ?? [])];
    if (isTold) proposals.pop();
    const before = [...new Set(needed)].filter(({ turn }) => turn !== this.#turn).sort(inOrder);
    const latest = this.#context.turnsBefore()[0];
    if (before.length === 0 && latest !== undefined) before.push(...this.#context.gist(latest).slice(-1));
    proposals.push(this.#write({ start, end: span.end }, { start, before }, PLAIN, []));
  }

  /** The turn takes back what it said last, or what its speaker said last before it. */
  #takeBack(proposals: Proposal[], isJoke: boolean): void {
    const label = speakerLabel(this.#turn);
    const own = this.#reading.said.findLast(({ turn }) => turn !== this.#turn && speakerLabel(turn) === label)?.turn;
    const isLast = (turn: ConversationTurn | undefined) =>
      proposals.length > 0 && proposals.at(-1)!.messageId === turn?.messageId;
    if (isLast(this.#turn)) proposals.pop();
    // "I sold the car. Kidding!" takes back nothing of the turn before.
    else if (isJoke && this.#reading.said.at(-1)?.turn !== this.#turn && isLast(own)) proposals.pop();
  }

  /** Takes back what the speaker told of the same matter. */
  #forget(proposals: Proposal[], sentence: string): void {
    const matter = matterOf(sentence.slice(FORGET.exec(sentence)!.index).split(/[,;]/u, 1)[0]!.replace(FORGET, ""));
    if (matter.size === 0) return;
    const isOwn = ({ messageId }: Proposal) =>
      this.#reading.said.some(({ turn }) =>
        turn.messageId === messageId && speakerLabel(turn) === speakerLabel(this.#turn)
      );
    const at = proposals.findLastIndex((one) => isOwn(one) && matter.isSubsetOf(matterOf(one.words ?? one.quote)));
    if (at !== -1) proposals.splice(at, 1);
  }

  #hear(span: Span, isQuestion: boolean): void {
    const text = this.#plain.slice(span.start, span.end);
    const { said } = this.#reading;
    // "Yep." grounds nothing; "For Will." may end what a talk begins with.
    if (
      !isQuestion && (this.#reading.topic?.at(-1)?.turn ?? this.#turn) !== this.#turn &&
      text.split(" ", 3).length < 3 &&
      !/\d/.test(text) &&
      !/\p{L}{2} .*\p{Lu}|(?!\p{Script=Latin})\p{L}/u.test(text)
    ) {
      // "Mushrooms." answers.
      if (matterOf(text).size === 0 || this.#context.question() === undefined) return;
    }
    const order = this.#reading.heard++;
    said.push({ order, turn: this.#turn, span, text, plain: writeOut(text), isQuestion, grounds: new Map() });
    this.#noteTopic(said.at(-1)!);
    if (said.length > 2 * SAID_MAX) said.splice(0, said.length - SAID_MAX);
  }

  /** A talk is about what it began with, until somebody turns to another matter. */
  #noteTopic(one: Said): void {
    const { role } = this.#turn;
    const { topic } = this.#reading;
    if (role !== "user" || isSocial(one.text)) return;
    if (topic === undefined || turnsTo(one.text)) {
      const isKnowledge = this.#reading.isServed && one.isQuestion && ASKS_KNOWLEDGE.test(one.text) &&
        !OF_SELF.test(one.text);
      const isNone = isKnowledge || lengthOfReminder(one.text) > 0;
      this.#reading.topic = isNone ? [] : [shorten(one, TOPIC_CHARS_MAX)];
    } else if (topic.at(-1)?.turn === this.#turn) {
      const chars = topic.reduce((sum, { text }) => sum + text.length, 0);
      if (chars + one.text.length <= TOPIC_CHARS_MAX) topic.push(one);
      else if (chars < TOPIC_CHARS_MAX / 3) topic.push(shorten(one, TOPIC_CHARS_MAX - chars));
    }
  }

  #readSentence(span: Span, isFirst: boolean, proposals: Proposal[]): Proposal | null {
    const sentence = this.#plain.slice(span.start, span.end);
    const from = skipLead(sentence);
    const to = endOfStatement(sentence, from);
    const said = { start: span.start + from, end: span.start + (to ?? sentence.length) };
    // A quotation, a line of a formatted text that was pasted, and what announces one with a colon.
    const isNone = to === null || to <= from || FOREIGN_TEXT.test(sentence);
    const proposal = isNone
      ? null
      : this.#isForeign
      ? this.#tellAbroad(said, isFirst, proposals)
      : this.#tell(said, sentence, isFirst, proposals);
    const asks = isQuestionLike(writeOut(sentence).replace(OPENERS, ""));
    this.#hear(span, to === null || asks || sentence.slice(to).includes("?"));
    return proposal;
  }

  #tell(said: Span, sentence: string, isFirst: boolean, proposals: Proposal[]): Proposal | null {
    const isUser = this.#turn.role === "user";
    const all = this.#plain.slice(said.start, said.end);
    const reminder = isUser ? lengthOfReminder(all) : 0;
    const own = { start: said.start + reminder, end: said.end };
    const plain = writeOut(all.slice(reminder)).replace(OPENERS, "");
    const agreed = isFirst && isUser && AGREES.test(all) ? this.#context.turnsBefore()[0] : undefined;
    if (agreed !== undefined && speakerLabel(agreed) !== speakerLabel(this.#turn)) {
      const gist = this.#context.gist(agreed);
      if (matterOf(gist.map(({ plain }) => plain).join(" ")).size > 1) {
        return this.#write(own, { start: own.start, before: gist }, PLAIN, proposals);
      }
    }
    const question = isFirst && isUser && !isQuestionLike(plain) ? this.#findQuestion(plain) : undefined;
    if (question !== undefined) {
      const open = listPointers(question.plain);
      if (open.length === 0 && listContentStems(question.plain, "prose").length < 2) open.push("any");
      const ground = this.#context.ground(own, open, [question]);
      return ground === undefined ? null : this.#write(own, ground, PLAIN, proposals);
    }
    if (isUser && isQuestionLike(plain)) return null;
    const raw = isUser ? supplySubject(plain) : plain;
    const found = this.#judge(raw, reminder > 0) ?? (isUser ? this.#judgeClauses(raw) : null);
    const pointers = found?.isDecision === true || isDictated(raw) ? [] : listPointers(raw);
    const isPart = !isClause(raw) && isUser;
    const asked = isFirst && isUser ? this.#context.question() : undefined;
    if (found === null) {
      const isOpen = this.#asked !== undefined && proposals.at(-1)?.messageId !== this.#turn.messageId;
      const isReply = asked !== undefined && matterOf(raw).size > 0 && matterOf(asked.plain).size > 0 &&
        !POLITE.test(raw) && (YES_OR_NO.test(sentence) || asked.turn.role === "assistant" && isClause(raw));
      if (isOpen && isUser && (DATES.test(raw) || isReply) && raw.length < GIST_CHARS_MAX && !raw.includes("?")) {
        return this.#write(own, { start: own.start, before: [this.#asked!] }, PLAIN, proposals);
      }
      const saysEnough = NAMES.test(this.#reading.speakers.reduce((text, name) => text.replaceAll(name, ""), raw)) ||
        DATES.test(raw) ||
        (asked !== undefined &&
          listContentStems(raw, "prose").length >
            (/\bany\b/iu.test(asked.plain) || asksForPart(asked.plain.replace(OPENERS, "")) ? 0 : 1));
      const host = isPart && saysEnough && /\p{L}{3}/u.test(raw) && !POLITE.test(raw)
        ? asked ?? this.#findHost(own, proposals)
        : undefined;
      const part = host == null ? undefined : this.#context.ground(own, pointers, [host]);
      return part === undefined
        ? this.#tellEnd(own, raw, pointers, proposals)
        : this.#write(own, part, PLAIN, proposals);
    }
    const isAnswer = asked !== undefined &&
      (ANSWERS.test(sentence) || listContentStems(asked.plain, "prose").length > 0);
    const last = isAnswer ? asked : this.#isFragment(raw, found) ? this.#findHost(own, proposals) : undefined;
    // "Note: gate code 9028" is a part of nothing.
    if (last === null && reminder === 0 && this.#context.turnsBefore().length === 0) return null;
    const ground = this.#context.ground(own, pointers, last == null ? [] : [last]) ??
      (isAnswer ? { start: own.start, before: [asked] } : undefined);
    return ground === undefined ? null : this.#write(own, ground, found, proposals);
  }

  #judge(raw: string, isTold: boolean): Judgement | null {
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
  #judgeClauses(raw: string): Judgement | null {
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
  #tellEnd(own: Span, raw: string, pointers: readonly Pointer[], proposals: Proposal[]): Proposal | null {
    if (this.#turn.role !== "user" || pointers.length === 0 || !ENDS.test(raw) || /["?]|\bif\b/iu.test(raw)) {
      return null;
    }
    const ground = this.#context.ground(own, pointers);
    const before = ground?.before.at(-1);
    const ended = before === undefined
      ? -1
      : proposals.findLastIndex(({ messageId, start, quote }) =>
        messageId === before.turn.messageId && start! < before.span.end && start! + quote.length > before.span.start
      );
    if (ground === undefined || ended === -1) return null;
    proposals.splice(ended, 1);
    return this.#write(own, ground, PLAIN, proposals);
  }

  #tellAbroad(own: Span, isFirst: boolean, proposals: Proposal[]): Proposal | null {
    const words = this.#plain.slice(own.start, own.end);
    const asked = isFirst ? this.#context.question() : undefined;
    if (this.#turn.role === "assistant") {
      return didAbroad(words) ? this.#write(own, { start: own.start, before: [] }, PLAIN, proposals) : null;
    }
    if (!tellsAbroad(words, asked !== undefined)) return null;
    const isShort = asked !== undefined && words.split(/\s+/u).length < SHORT_ANSWER;
    if (isShort) return this.#write(own, { start: own.start, before: [asked] }, PLAIN, proposals);
    const before = pointsAbroad(words)
      ? this.#reading.said.findLast(({ turn, text, isQuestion }) =>
        turn.role === "user" && !isQuestion && text.length > 12
      )
      : undefined;
    if (before === undefined && pointsAbroad(words)) return null;
    const ground = before === undefined ? { start: own.start, before: [] } : this.#context.join(own.start, [before]);
    return this.#write(own, ground, PLAIN, proposals);
  }

  /** The question of another speaker that a few words answer. */
  #findQuestion(plain: string): Said | undefined {
    const last = this.#reading.said.at(-1);
    if (last === undefined || !last.isQuestion || speakerLabel(last.turn) === speakerLabel(this.#turn)) {
      return undefined;
    }
    const question = (/[^.!?]*\?\s*$/u.exec(last.plain)?.[0].trim() ?? last.plain).replace(OPENERS, "");
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
  #isFragment(raw: string, { factType, isDecision }: Judgement): boolean {
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

  /**
   * Takes back the statements of the turn that a stretch holds, or goes on from, and gives where the stretch begins then:
   * nothing is stated twice.
   */
  #mergeWith(own: Span, { start, before }: Ground, proposals: Proposal[]): number {
    let from = start;
    for (let last = proposals.at(-1); last !== undefined && from < own.start; last = proposals.at(-1)) {
      const end = (last.start ?? 0) + last.quote.length;
      if (last.messageId !== this.#turn.messageId || end <= from || last.isDecision === true) break;
      const isSame = (last.context ?? []).join() === [...new Set(before.map(({ turn }) => turn.messageId))].join();
      if (last.start! < from && (!isSame || own.end - last.start! > STRETCH_CHARS_MAX)) break;
      proposals.pop();
      from = Math.min(from, last.start!);
    }
    return from;
  }

  #write(own: Span, wanted: Ground, found: Judgement, proposals: Proposal[]): Proposal {
    const { messageId, content } = this.#turn;
    const isOrder = found.factType === "instruction" && !takesAsKnown(this.#plain.slice(wanted.start, own.end));
    const needed = isOrder ? wanted : this.#context.stand(own, wanted);
    const ground = { ...needed, start: this.#mergeWith(own, needed, proposals) };
    const quote = content.slice(ground.start, own.end);
    const text = this.#plain.slice(ground.start, own.end).replace(/\s+/gu, " ");
    const words = this.#isForeign ? text : dateWords(text, this.#turn);
    const isPlain = ground.before.length === 0 && found.factType !== "instruction" && !found.isDecision &&
      ground.start === own.start && !this.#isForeign && this.#turn.role === "user";
    const third = isPlain && !hasOpenTime(text, this.#turn) ? inThirdPerson(words, this.#turn) : null;
    const context = [...new Set(ground.before.map(({ turn }) => turn.messageId))];
    const proposal: Proposal = {
      messageId,
      statement: third ?? tellWith(ground.before, `${headOf(this.#turn)}: `, words),
      quote,
      start: ground.start,
      factType: found.factType,
      confidence: found.confidence,
      byRule: true,
      words: third ?? words,
      ...(speakerName(this.#turn) !== null && found.triple),
      ...(found.isDecision && { isDecision: true }),
      ...(context.length > 0 && { context }),
    };
    this.#grounds.set(proposal, wanted.before);
    return proposal;
  }
}

/** `Nora: "When does the lease end?" Ben, 2 March 2026: "in August"`. */
function tellWith(before: readonly Said[], head: string, words: string): string {
  if (before.length === 0) return head + words;
  let text = "";
  for (const [i, { turn, text: said, order }] of before.entries()) {
    const last = before[i - 1];
    const words = said.replace(/\s+/gu, " ");
    if (last?.turn === turn) text = `${text.slice(0, -1)} ${order === last.order + 1 ? "" : "… "}${words}"`;
    else text += `${text === "" ? "" : last!.order + 1 < order ? " … " : " "}${speakerLabel(turn)}: "${words}"`;
  }
  return `${text} ${head}"${words}"`;
}

/** The kind of a message of which several statements were read. */
function whatKind(own: readonly Proposal[]): Pick<Judgement, "factType" | "confidence" | "isDecision"> {
  const best = own.reduce((a, b) => b.confidence > a.confidence ? b : a);
  return {
    factType: best.factType,
    confidence: best.confidence,
    isDecision: own.some(({ isDecision }) => isDecision === true),
  };
}
