/**
 * Finds statements worth keeping in a conversation by rules; used where no language model is configured.
 *
 * A statement is a sentence in the speaker's own words, with the speaker and the day in front. If one of its words points
 * to what an earlier sentence names ("she", "it", a bare answer), it is kept together with that sentence, or not at all.
 * A rule proposes; `validateProposals` decides, as for a model's proposals. Every proposal quotes a verbatim span of its
 * turn. Pure, linear in the length of the text, and never throws.
 */
import { findCommands } from "./commands.ts";
import { Context, SAID_MAX, turnsTo } from "./statement_context.ts";
import { type ConversationTurn, speakerLabel } from "./conversation.ts";
import { isForeign } from "./foreign_talk.ts";
import { writeOut } from "./informal.ts";
import { isQuestionLike, lengthOfReminder, type SentenceJudgement } from "./judgement.ts";
import { endOfStatement, isRefusal, OPENING_MARKERS, skipLead } from "./discourse_markers.ts";
import { asksForText, isDraft, wroteIt } from "./own_work.ts";
import { findPastedLetter, tellsInLetter, toldInLetter } from "./pasted_letters.ts";
import { doAll, type Pieces } from "./pieces.ts";
import { CorrectedTalk } from "./self_correction.ts";
import { DATES, NAMES, SentenceReader } from "./sentence_reader.ts";
import { type Span, splitSentences } from "./sentences.ts";
import { corrects, isSocial, matterOf, shorten } from "./self_contained.ts";
import { PLAIN, type Proposal, StatementWriter } from "./statement_writer.ts";
import { inOrder, type Said, type TalkReading, tells } from "./talk.ts";
import { listAnaphors } from "./anaphora.ts";
import { tellerOf } from "./reported_speech.ts";
import { FORBIDS, forbidsAll, JOKED, MEANT, TAKEN_BACK, UNDONE } from "./noteworthy.ts";

const FOREIGN_TEXT = /^(?:["\u201c\u201e\u00ab]|\*\*|__|#|\||>|<)|:$/u;
/** The longest message that is kept as a whole for a part of it. */
const MESSAGE_CHARS_MAX = 400;
/** The share of a sentence that is as good as the whole. */
const WHOLE_MIN = 0.8;
/** A question of knowledge, which says nothing of the speaker's matter. */
const ASKS_KNOWLEDGE = /^(?:what|who|where|which|when|how)/iu;
/** The longest beginning of a talk that is quoted. */
const TOPIC_CHARS_MAX = 160;
/** Stems that say what a talk is about, and sentences within which they come. */
const TOPIC_MATTER_MIN = 2;
const TOPIC_NEAR_MAX = 6;
const OF_SELF = /\b(?:i|my|me|we|our|us)\b/iu;
/** Turns of an assistant in which the deed may be that it has undone. */
const UNDONE_TURNS_MAX = 2;
const SAYS_YES_OR_NO = /^(?:yes|yep|yeah|yea|no|nope|nah)\b/iu;
const THANKS = /^(?:thx|thanks?|thank|cheers)\b[^,\d]{0,40}$/iu;
/** How somebody begins who says otherwise what he said last. */
const REVISES =
  /^(?:(?:oh|ok|okay|ah|hm+|ugh|and|so|lol)[,.]? )*(?:actually,? (?:no|nope|nah)|no,? (?:wait|actually|sorry)|wait,? no|on second thoughts?|(?:i )?changed my mind|scrap that)\b(?! (?:problem|worries|need|idea)\b)|^(?:no|nope|nah)\b.{0,60}\bafter all\b/iu;
const REVISION_CHARS_MAX = 200;
/** "It's NOT the meniscus, a cyst" */
const DENIES_THING =
  /^(?:(?:oh|ok|so|lol|no|nope|good news|update|hm+)[,.:]? )*(?:(?:turns|turned) out )?(?:it's|it is|it was)(?: actually)? not (?:the |an? |his |her |my )?(\p{L}{3,})|^(?:(?:oh|ok|so|lol|no|nope|good news|update|hm+)[,.:]? )*(?:(?:turns|turned) out )?it (?:wasn't|isn't) (?:the |an? |his |her |my )?(\p{L}{3,})/iu;
/** Sentences within which that was said. */
const DENIED_WITHIN = 12;
/** What may be meant for whoever reads it; "I always forget" is not. */
const ADDRESSES =
  /<\/?\p{L}|\b(?:ignore|disregard|override)\b|(?<!\b(?:i|we|he|she|they|you) (?:always |never |often |just |keep )?)\bforget\b/iu;
/** Words of an exclamation. */
const EXCLAIMED_WORDS_MAX = 3;
/** Words of a message that says nothing where nobody has asked. */
const SCRAP_WORDS = 2;

/** Proposes statements of the turns that are worth keeping, in order. */
export function proposeByRules(turns: readonly ConversationTurn[]): Proposal[] {
  return doAll(readProposals(turns));
}

/** The same in pieces of a sentence each. */
export function* readProposals(turns: readonly ConversationTurn[]): Pieces<Proposal[]> {
  const corrected = yield* CorrectedTalk.read(turns);
  const proposals = yield* readCorrected(corrected.turns);
  const byId = new Map(turns.map((turn) => [turn.messageId, turn]));
  return proposals.map((proposal) => corrected.restore(proposal, byId));
}

/** Reads turns of which nothing is corrected later. */
function* readCorrected(turns: readonly ConversationTurn[]): Pieces<Proposal[]> {
  const heard = turns.filter(({ role }) => role !== "system" && role !== "tool");
  const names = new Set<string>();
  let foreign = 0;
  for (const turn of heard) {
    yield void names.add(tellerOf(turn));
    const is = isForeign(turn.content.slice(0, 500));
    if (is !== undefined) foreign += is ? 1 : -1;
  }
  const reading: TalkReading = {
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
  readonly #reading: TalkReading;
  /**
   * The content with straight apostrophes. Each replaces one UTF-16 unit, so that offsets stay those of the content.
   */
  readonly #plain: string;
  readonly #isForeign: boolean;
  readonly #context: Context;
  /** What another speaker has just asked. */
  readonly #asked: Said | undefined;
  readonly #writer: StatementWriter;
  readonly #sentences: SentenceReader;

  constructor(turn: ConversationTurn, reading: TalkReading, isRefused: boolean) {
    this.#turn = turn;
    this.#reading = reading;
    this.#plain = turn.content.replace(/[\u2018\u2019]/g, "'");
    this.#isForeign = isForeign(turn.content.slice(0, 2_000)) ?? reading.isForeign;
    this.#context = new Context(turn, reading, this.#plain, this.#isForeign);
    this.#asked = this.#context.question();
    this.#writer = new StatementWriter(turn, this.#plain, this.#isForeign, this.#context);
    this.#sentences = new SentenceReader(turn, reading, isRefused, this.#plain, this.#context, this.#writer);
  }

  *read(proposals: Proposal[]): Pieces<void> {
    const { role, content } = this.#turn;
    // The words of a draft are those of whoever will send it.
    const isText = role === "assistant" && (this.#reading.awaitsText && !wroteIt(content) || isDraft(content));
    let isFirst = true;
    const before = proposals.length;
    const asked = this.#asked;
    let isTakenBack = false;
    if (isSocial(content) || role === "user" && forbidsAll(this.#plain)) return;
    let lastOfLetter: Span | undefined;
    const letter = role === "user" ? findPastedLetter(this.#plain) : undefined;
    for (const span of splitSentences(this.#plain)) {
      yield;
      const sentence = this.#plain.slice(span.start, span.end);
      if (letter !== undefined && span.start < letter.end && span.end > letter.start) {
        const told = span.start >= letter.start && tellsInLetter(sentence)
          ? toldInLetter(span, sentence, lastOfLetter, this.#plain)
          : undefined;
        // Nothing is stated twice.
        if (told !== undefined && proposals.at(-1)?.start === told.start && told.start < span.start) proposals.pop();
        if (told !== undefined) proposals.push(this.#writer.writeOfOther(told, letter.writer));
        lastOfLetter = span;
        continue;
      }
      // Of a long turn only the sentence is meant.
      if (role === "user" && FORBIDS.test(sentence)) continue;
      if (role === "assistant" && UNDONE.test(sentence)) this.#undo(proposals);
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
    if (!isTakenBack && letter === undefined && proposals.length > before) this.#keepMessage(proposals, asked);
    if (!isTakenBack && role === "user") this.#revise(proposals);
  }

  /** "Actually no. West wall": what its speaker said last holds no more, and stands only before what holds instead. */
  #revise(proposals: Proposal[]): void {
    const { content, messageId } = this.#turn;
    const plain = writeOut(this.#plain);
    const [, denied, other] = DENIES_THING.exec(plain) ?? [];
    const thing = denied ?? other;
    if (thing === undefined && !REVISES.test(plain)) return;
    const label = speakerLabel(this.#turn);
    const text = content.trimEnd();
    const last = thing === undefined
      ? this.#context.turnsBefore().find(({ role }) => role === "user")
      : this.#reading.said.slice(-DENIED_WITHIN).findLast((one) =>
        one.turn !== this.#turn && one.turn.role === "user" && !one.isQuestion &&
        !matterOf(one.plain).isDisjointFrom(matterOf(thing))
      )?.turn;
    const isTold = proposals.filter((one) => one.messageId === last?.messageId).length === 1;
    if (
      last === undefined || speakerLabel(last) !== label || !isTold || this.#asked !== undefined ||
      text.length > REVISION_CHARS_MAX || /\?\s*$/u.test(text) || findCommands(content, "user").length > 0
    ) return;
    const gist = this.#context.gist(last);
    const older = proposals.findIndex((one) => one.messageId === last.messageId);
    // The two are one matter if nothing else was said between them.
    proposals.splice(older, 1);
    for (const own of proposals.filter((one) => one.messageId === messageId)) {
      proposals.splice(proposals.indexOf(own), 1);
    }
    proposals.push(this.#writer.write({ start: 0, end: text.length }, { start: 0, before: gist }, PLAIN, []));
    // What holds no more explains nothing that comes later.
    const kept = this.#reading.said.filter(({ turn }) => turn !== last);
    this.#reading.said.splice(0, Infinity, ...kept);
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
    if (sentences.some((sentence) => ADDRESSES.test(sentence))) return;
    const isNeat = sentences.every((sentence) =>
      /^(?:[^\p{L}]*\p{Lu}|\d)/u.test(sentence) && /[.!?…)"\p{Extended_Pictographic}]$/u.test(sentence)
    );
    const kept = own.reduce((sum, { quote }) => sum + quote.length, 0);
    if (isNeat || sentences.length === 1 && kept >= text.length * WHOLE_MIN || lengthOfReminder(text) > 0) return;
    const needed = new Set(own.flatMap((one) => this.#writer.groundOf(one)));
    if (asked !== undefined) needed.add(asked);
    // "Unfair. I have a drum kit": what the first word answers is quoted, or it is left out.
    const isReply = [...needed].some(({ turn }) => turn === this.#context.turnsBefore()[0]);
    const lead = sentences.findIndex((sentence) =>
      sentence.includes("?")
        ? matterOf(sentence).size > 0
        : !THANKS.test(sentence) && (isReply || !isExclamation(sentence, this.#reading.isServed))
    );
    const isKept = spans.map((span, i) => i >= lead && this.#isNamed(span, sentences[i]!, own, needed));
    const ground = [...needed].filter(({ turn }) => turn !== this.#turn).sort(inOrder);
    for (const one of own) proposals.splice(proposals.indexOf(one), 1);
    // A question at the end is no part of what is told.
    const last = sentences.findLastIndex((sentence, i) =>
      isKept[i] && !/\?\W*$/u.test(sentence) && !isQuestionLike(writeOut(sentence).replace(OPENING_MARKERS, ""))
    );
    const first = isKept.findIndex((is, i) => is || i >= last);
    const start = spans[Math.max(0, first)]!.start;
    const whole = { start, end: spans[Math.max(0, last)]!.end };
    proposals.push(
      this.#writer.write(
        whole,
        { start, before: ground },
        { ...PLAIN, ...whatKind(own) },
        [],
      ),
    );
  }

  /**
   * Whether a reader can tell who is meant by "he" or "she" in a sentence of a message. Adds the sentences that name them to
   * `needed`.
   */
  #isNamed(span: Span, sentence: string, own: readonly Proposal[], needed: Set<Said>): boolean {
    if (own.some(({ start, quote }) => start! < span.end && start! + quote.length > span.start)) return true;
    const persons = listAnaphors(writeOut(sentence)).filter((anaphor) => anaphor === "he" || anaphor === "she");
    const said = this.#reading.said.filter((one) => one.turn === this.#turn && one.span.end <= span.start);
    // "The piano goes to Ruben. He fetches it": the sentence that names somebody stands in the same message.
    const open = persons.filter((anaphor) =>
      !said.some(({ text }) => NAMES.test(text)) && ![...needed, ...said].some((one) => tells(one, anaphor))
    );
    // Farther back there may be others whom it may mean.
    const near = this.#context.turnsBefore()[0];
    for (const anaphor of open) {
      const one = this.#reading.said.findLast((one) => one.turn === near && tells(one, anaphor));
      if (one === undefined) return false;
      needed.add(one);
    }
    return true;
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
    const needed = [...(isTold ? this.#writer.groundOf(told) : []), ...this.#writer.groundOf(proposal)];
    if (isTold) proposals.pop();
    const before = [...new Set(needed)].filter(({ turn }) => turn !== this.#turn).sort(inOrder);
    const latest = this.#context.turnsBefore()[0];
    if (before.length === 0 && latest !== undefined) before.push(...this.#context.gist(latest).slice(-1));
    proposals.push(this.#writer.write({ start, end: span.end }, { start, before }, PLAIN, []));
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

  /** The last deed of the assistant is undone. */
  #undo(proposals: Proposal[]): void {
    const own = new Set(this.#reading.said.filter(({ turn }) => turn.role === "assistant").map(({ turn }) => turn));
    const ids = new Set([...own].slice(-UNDONE_TURNS_MAX).map(({ messageId }) => messageId));
    const at = proposals.findLastIndex(({ messageId }) => ids.has(messageId));
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
    if (topic === undefined && matterOf(one.plain).size === 0 && !this.#isForeign) return;
    if (topic === undefined || turnsTo(one.text)) {
      const isKnowledge = this.#reading.isServed && one.isQuestion && ASKS_KNOWLEDGE.test(one.text) &&
        !OF_SELF.test(one.text);
      const isNone = isKnowledge || lengthOfReminder(one.text) > 0;
      this.#reading.topic = isNone ? [] : [shorten(one, TOPIC_CHARS_MAX)];
    } else if (topic.at(-1)?.turn === this.#turn || !one.isQuestion && this.#goesOn(topic)) {
      const chars = topic.reduce((sum, { text }) => sum + text.length, 0);
      if (chars + one.text.length <= TOPIC_CHARS_MAX) topic.push(one);
      else if (chars < TOPIC_CHARS_MAX / 3) topic.push(shorten(one, TOPIC_CHARS_MAX - chars));
    }
  }

  /** "Planning next year." says little: what its speaker says next belongs to the beginning, too. */
  #goesOn(topic: readonly Said[]): boolean {
    const first = topic[0];
    const last = topic.at(-1);
    return first !== undefined && last !== undefined && speakerLabel(first.turn) === speakerLabel(this.#turn) &&
      !this.#isForeign && matterOf(topic.map(({ plain }) => plain).join(" ")).size < TOPIC_MATTER_MIN &&
      this.#reading.heard - last.order <= TOPIC_NEAR_MAX;
  }

  #readSentence(span: Span, isFirst: boolean, proposals: Proposal[]): Proposal | null {
    const sentence = this.#plain.slice(span.start, span.end);
    // "No" answers what is quoted before it.
    const from = isFirst && this.#asked !== undefined && SAYS_YES_OR_NO.test(sentence) ? 0 : skipLead(sentence);
    const to = endOfStatement(sentence, from);
    const said = { start: span.start + from, end: span.start + (to ?? sentence.length) };
    // A quotation, a line of a formatted text that was pasted, and what announces one with a colon.
    const isNone = to === null || to <= from || FOREIGN_TEXT.test(sentence);
    const proposal = isNone
      ? null
      : this.#isForeign
      ? this.#sentences.tellAbroad(said, isFirst, proposals)
      : this.#sentences.tell(said, sentence, isFirst, proposals);
    const asks = isQuestionLike(writeOut(sentence).replace(OPENING_MARKERS, ""));
    this.#hear(span, to === null || asks || sentence.slice(to).includes("?"));
    return proposal;
  }
}

/**
 * A few words without a name or a number, by which somebody reacts: "No.", "unfair."; who talks to an assistant may as well
 * say what a note is about: "mortgage."
 */
function isExclamation(sentence: string, isServed: boolean): boolean {
  const words = sentence.split(/\s+/u, EXCLAIMED_WORDS_MAX + 1).length;
  return words <= EXCLAIMED_WORDS_MAX && !/\d|\s\p{Lu}\p{Ll}|:/u.test(sentence) &&
    (matterOf(sentence).size === 0 || isSocial(sentence) || !isServed && words < EXCLAIMED_WORDS_MAX);
}

/** The kind of a message of which several statements were read. */
function whatKind(own: readonly Proposal[]): Pick<SentenceJudgement, "factType" | "confidence" | "isDecision"> {
  const best = own.reduce((a, b) => b.confidence > a.confidence ? b : a);
  return {
    factType: best.factType,
    confidence: best.confidence,
    isDecision: own.some(({ isDecision }) => isDecision === true),
  };
}
