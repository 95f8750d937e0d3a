/**
 * Finds statements worth keeping in a conversation by rules for English; used where no language model is configured.
 *
 * Every statement stands by itself: pronouns are replaced by names and relative times by dates, and what cannot be resolved
 * is left out. A rule proposes; `validateProposals` decides, as for a model's proposals. Every proposal quotes a verbatim
 * span of its turn. Pure, linear in the length of the text, and never throws.
 */
import { clockOf, type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { isFramed, readClaims, SURE_MIN, takesBack } from "./claims/mod.ts";
import { ownClauses } from "./own_clauses.ts";
import { asksForPart, nameTopic, readShortAnswer, supplySubject } from "./ellipsis.ts";
import type { FactType } from "./extraction_patterns.ts";
import { isListened, type Judgement, judgeText } from "./judgement.ts";
import { endOfStatement, isRefusal, skipLead } from "./leads.ts";
import { doAll, type Pieces } from "./pieces.ts";
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
  /** Other turns whose words it uses. */
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
const REQUEST = /^(?:can|could|would|will|do|does|did|should) the assistant (?:please |also |just |maybe )?\p{Ll}+ /iu;
const COMPARES = /^(?:that|this)(?:'s| is| was) an? /iu;
const LETS = /^let's /iu;
const IT_IS = /,? it is(?: then)?[.!]*$/iu;
const NAME = /^\p{L}[\p{L}\p{M}' .-]{0,60}$/u;

/** The state of reading a conversation. */
interface Reading {
  readonly scene: Scene;
  readonly speakers: readonly string[];
  /** The last question, until somebody answers it. */
  asked: { readonly text: ResolvedText; readonly messageId: string; readonly by: string } | undefined;
}

/** Proposes statements of the turns that are worth keeping, in order. */
export function proposeByRules(turns: readonly ConversationTurn[]): Proposal[] {
  return doAll(readProposals(turns));
}

/** The same in pieces of a sentence each. */
export function* readProposals(turns: readonly ConversationTurn[]): Pieces<Proposal[]> {
  const heard = turns.filter(({ role }) => role !== "system" && role !== "tool");
  const names = new Set<string>();
  for (const turn of heard) yield void names.add(nameSpeaker(turn));
  const speakers = [...names];
  const reading: Reading = { scene: new Scene(speakers), speakers, asked: undefined };
  const proposals: Proposal[] = [];
  for (const [i, turn] of heard.entries()) {
    const next = heard[i + 1];
    const isRefused = next !== undefined && speakerLabel(next) !== speakerLabel(turn) && isRefusal(next.content);
    yield* new TurnReader(turn, reading, isRefused).read(proposals);
  }
  return proposals;
}

/** The name of a speaker in statements. */
function nameSpeaker(turn: ConversationTurn): string {
  return speakerName(turn) ?? `the ${turn.role}`;
}

function talkOf(turn: ConversationTurn, { scene, speakers }: Reading): Talk {
  const speaker = nameSpeaker(turn);
  const others = speakers.filter((name) => name !== speaker);
  // A user without a name who speaks alone speaks to an assistant.
  const alone = others.length === 0 && turn.role === "user" && speakerName(turn) === null ? "the assistant" : null;
  return { speaker, listener: others.length === 1 ? others[0]! : alone, scene };
}

/** Reads the sentences of one turn. */
class TurnReader {
  readonly #turn: ConversationTurn;
  readonly #talk: Talk;
  readonly #reading: Reading;
  readonly #isRefused: boolean;
  /**
   * The content with straight apostrophes. Each replaces one UTF-16 unit, so that offsets stay those of the content.
   */
  readonly #plain: string;
  /** The speaker at the beginning of a statement. */
  readonly #label: string;

  constructor(turn: ConversationTurn, reading: Reading, isRefused: boolean) {
    this.#turn = turn;
    this.#talk = talkOf(turn, reading);
    this.#reading = reading;
    this.#isRefused = isRefused;
    this.#plain = turn.content.replace(/[\u2018\u2019]/g, "'");
    this.#label = startUpper(this.#talk.speaker);
  }

  *read(proposals: Proposal[]): Pieces<void> {
    const asked = this.#reading.asked?.by === this.#talk.speaker ? undefined : this.#reading.asked;
    let open = asked;
    for (const span of splitSentences(this.#plain)) {
      yield;
      const sentence = this.#plain.slice(span.start, span.end);
      if (TAKEN_BACK.test(sentence)) {
        // The turn takes back what it said last.
        if (proposals.at(-1)?.messageId === this.#turn.messageId) proposals.pop();
        continue;
      }
      const proposal = this.#readSentence(span, open);
      if (proposal !== null) proposals.push(proposal);
      if (sentence.length > 12 || proposal !== null) open = undefined;
    }
    // The person who was asked has spoken, so later turns are no answers.
    if (asked !== undefined && this.#reading.asked === asked) this.#reading.asked = undefined;
  }

  #readSentence(span: Span, asked: Reading["asked"]): Proposal | null {
    const sentence = this.#plain.slice(span.start, span.end);
    const from = skipLead(sentence);
    const to = endOfStatement(sentence, from);
    const question = sentence.slice(to ?? from);
    if (question.includes("?")) this.#noteQuestion(question);
    if (to === null) return null;
    const said = { start: span.start + from, end: span.start + to };
    if (asked?.text.isWhole === true && isListened(this.#turn)) {
      const answer = readShortAnswer(this.#plain.slice(said.start, said.end));
      const isName = this.#reading.speakers.some((name) => answer !== null && name.split(" ").includes(answer));
      if (answer !== null && !isName) return this.#answer(said, answer, asked);
    }
    return this.#tell(said) ?? this.#tellClause(said);
  }

  /** Proposes a short answer together with the question that gives it its meaning. */
  #answer(said: Span, answer: string, asked: NonNullable<Reading["asked"]>): Proposal | null {
    const { text, isWhole } = resolveReferences(answer, this.#talk);
    const statement = `${asked.text.text} ${this.#label}: ${this.#date(keepCase(text, answer))}.`;
    this.#reading.scene.add(statement, this.#turn.messageId);
    return isWhole ? this.#propose(said, statement, ANSWER, [asked.messageId]) : null;
  }

  /** Proposes a sentence that is a statement of its own. */
  #tell(said: Span): Proposal | null {
    const raw = this.#plain.slice(said.start, said.end);
    const full = isListened(this.#turn) ? supplySubject(nameTopic(raw)) : raw;
    const resolved = resolveReferences(full, this.#talk);
    const { speakers, scene } = this.#reading;
    const found = judgeText({ raw: full, text: resolved.text, turn: this.#turn, speakers, isRefused: this.#isRefused });
    const body = full.slice(found?.from ?? 0);
    const chosen = found?.isDecision === true ? IT_IS.exec(body) : null;
    const told = resolveReferences(chosen === null ? body : body.slice(0, chosen.index), this.#talk);
    const own = { start: said.start + (full === raw ? found?.from ?? 0 : 0), end: said.end };
    const isNamed = NAME.test(this.#talk.speaker);
    // A part is read before anything is known of the rest of its sentence: "lives there no longer and has moved to Rome".
    const part = found !== null && isNamed && !told.isWhole ? this.#tellPart(own, body, found) : null;
    // From here on, pronouns may mean what the sentence mentions. "That's a car" compares; it mentions no car.
    if (!COMPARES.test(raw)) scene.add(this.#date(resolved.text), this.#turn.messageId);
    if (found === null) return null;
    if (!isNamed) {
      const words = this.#plain.slice(own.start, own.end);
      return this.#propose(own, `${this.#talk.speaker}: ${words}`, found, []);
    }
    if (!told.isWhole) return part;
    const text = this.#date(told.text);
    const statement = chosen !== null
      ? `${this.#label} decided on ${keepCase(text, body)}.`
      : found.isDecision
      ? text.replace(LETS, `${this.#label} decided to `)
      : text;
    return this.#propose(own, statement, found, told.borrowed);
  }

  /**
   * Proposes the part of a sentence that can be understood without the conversation; the whole
   * sentence if the speaker asks to remember it.
   */
  #tellPart(own: Span, body: string, found: Judgement): Proposal | null {
    const words = this.#plain.slice(own.start, own.end);
    if (found.isTold) return this.#propose(own, `${this.#label}: ${words}`, found, []);
    const end = endOfClause(body, words);
    if (end === null) return null;
    // A pronoun may mean what the part itself mentions, but nothing after it.
    const { text } = resolveReferences(words.slice(0, end), this.#talk);
    this.#reading.scene.add(this.#date(text), this.#turn.messageId);
    return this.#tell({ start: own.start, end: own.start + end });
  }

  /** If a sentence is not kept as a whole, proposes the first of the speaker's own clauses that claims something. */
  #tellClause(said: Span): Proposal | null {
    if (!isListened(this.#turn)) return null;
    for (const { start, end } of ownClauses(this.#plain.slice(said.start, said.end))) {
      const own = { start: said.start + start, end: said.start + end };
      const proposal = this.#tell(own);
      if (proposal !== null && readClaims(proposal.statement).some(({ confidence }) => confidence >= SURE_MIN)) {
        return proposal;
      }
    }
    return null;
  }

  #propose(quoted: Span, text: string, found: Judgement, borrowed: readonly string[]): Proposal {
    const { factType, confidence, triple, isDecision } = found;
    const { messageId, content } = this.#turn;
    const context = borrowed.filter((id) => id !== messageId);
    const isOrder = factType === "instruction" && !text.startsWith(this.#label);
    return {
      messageId,
      statement: isOrder ? `${this.#label}: ${text}` : text,
      quote: content.slice(quoted.start, quoted.end),
      start: quoted.start,
      factType,
      confidence,
      byRule: true,
      ...triple,
      ...(isDecision && { isDecision }),
      ...(context.length > 0 && { context }),
    };
  }

  #noteQuestion(sentence: string): void {
    const question = sentence.replace(/^[\s,;.-]+/u, "");
    const text = resolveReferences(question, this.#talk);
    const { messageId } = this.#turn;
    // "Can you explain window functions" mentions window functions.
    this.#reading.scene.add(text.text.replace(REQUEST, ""), messageId);
    this.#reading.asked = asksForPart(question) ? { text, messageId, by: this.#talk.speaker } : undefined;
  }

  #date(text: string): string {
    const at = clockOf(this.#turn);
    return at === null ? text : resolveTimes(text, at);
  }
}

/**
 * Matches a preposition and pronoun at the end of a sentence ("with it"); the extraction cuts it off. "three of them" stays, because "three" alone does not say what it counts.
 */
const LOOSE_END =
  / (?:with|for|in|on|(?<!\d |\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|some|most|many|all|both|few) )of|about|from|by) (?:it|that|this|them)[.!…]*$/iu;

/** The place where the main clause ends before an afterthought ("…, so that's fine"); null if there is none. */
function endOfClause(full: string, said: string): number | null {
  const mark = /,? (?:so|but|and|because|which|as|although|though) (?=\S)|[;\u2013\u2014] | - /u.exec(full.slice(10));
  const loose = LOOSE_END.exec(said);
  if (loose !== null && loose.index > 10) return loose.index;
  if (mark === null) return null;
  // The speaker did not say the supplied subject, so its length is subtracted.
  const end = mark.index + 10 - (full.length - said.length);
  // Without "but that was in the game" the rest would look true.
  if (isFramed(full) || takesBack(full.slice(mark.index + 10))) return null;
  return end > 10 && end < said.length ? end : null;
}

function startUpper(text: string): string {
  return text[0] === undefined ? "" : text[0].toUpperCase() + text.slice(1);
}

/**
 * Resolved text begins with a capital; inside a sentence, its first letter is as it was said unless a name replaced it.
 */
function keepCase(text: string, said: string): string {
  return /^\p{Ll}/u.test(said) && text[0]?.toLowerCase() === said[0] ? said[0] + text.slice(1) : text;
}
