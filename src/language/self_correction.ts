/**
 * Reads a conversation as its speakers leave it: a value that somebody corrects later ("wait, the 8th") stands corrected in
 * the sentence that said it first, and what somebody asks to forget, or was no more than a joke, is left out. So nothing
 * outdated is stated or quoted, and a corrected value has its subject. Pure.
 */
import { type ConversationTurn, speakerLabel } from "./conversation.ts";
import type { Pieces } from "./pieces.ts";
import {
  deniesValue,
  inPlaceOf,
  isSame,
  pairValues,
  readDenied,
  readValues,
  rightAfter,
  type Value,
} from "./said_values.ts";
import { splitSentences } from "./sentences.ts";
import { matterOf, pointsBack } from "./self_contained.ts";
import type { Proposal } from "./statement_writer.ts";

/** How somebody begins who corrects a value that he told before. */
const CORRECTS =
  /^(?:(?:oh|ah|oops|ugh|and|ok|hm+|er+|argh|yeah|lol)[,. ]+)*(?:(?:(?:i am |i'm |so )?sorry|wait|hold on|actually|correction|oops|scratch that|my mistake|my bad|(?:no|nope|nah)[,.]? (?:sorry|wait|actually)|(?:on second|second) thoughts?|change of plans?|i (?:meant?|misread)|you'?re right|i mixed (?:it|that|them) up|(?:no,? )?make (?:it|that)|\*(?=\S))[,.:!]* ?)+(?:no[,.]? )?/iu;
/** Says so in the middle of a sentence. */
const OWNS_UP =
  /\b(?:mixed (?:it|that|them|this|those|up)|got (?:it|that|them) (?:wrong|mixed)|(?<=^it was .{1,40})actually|misread|misremembered|i meant|was wrong about)\b/iu;
/** "8th sorry" */
const SORRY = /^.{1,24}[ ,]sorry[.!]*$/iu;
/** "They changed it, it's 9083 now" */
const CHANGES =
  /\b(?:changed|moved|pushed|shifted|switched|bumped|rescheduled|postponed) (?:it|that|this|us|me|them|him|her)\b/iu;
/** "It's mine", "it's ME that's allergic": what was told of another one is wrong. */
const OF_ME = /^(?:no,? |wait,? |sorry,? )*(?:its|it's|it is) (?:me|mine)\b(?! (?:again|too|now)\b)/iu;
const IT_IS_ME = /^(?:no,? |wait,? |sorry,? )*(?:its|it's|it is) me (?:that'?s|who'?s|(?:that|who) (?:is|am)) /iu;
const NOT_THE_OTHER = /,? (?:and )?not (?:him|her|them|\p{Lu}\p{L}+)[.!]*$/u;
const OF_OTHERS = /\b(?:he|she|his|her|him)\b|\p{L}'s\b|^\p{Lu}\p{Ll}+ \p{Ll}/iu;
/** For once: what holds else is not corrected. */
const FOR_ONCE = /\b(?:this (?:week|time|month|year|once)|for now|just once|only today|temporarily)\b/iu;
/** The clause that says what is so instead. */
const INSTEAD = /(?<=^|[,;] |\b(?:so|and|but) )(?:(?!\b(?:so|and|but)\b)[^,;])+\binstead\b(?! of)/iu;
/** What may stand between such a beginning and the value. */
const TO_VALUE =
  /^(?:(?:no|it'?s|it is|it was|they'?re|that'?s|that is|make (?:it|that)|i meant?|should be|rather|only|we need|on|at|for|in|by|to|from|till|until|around|about)[, ]+)*$/iu;
/** "forget what I said about the sauna" */
const FORGETS =
  /\b(?:forget|ignore|scratch) (?:what i (?:said|told you)|the (?:thing|part|bit|stuff)) (?:about|with|on) ([^,;.!?]+)(?:[,;.!?-]+\s*|$)/iu;
/** "forget the list, they sent a new one: 20 euros" */
const FORGETS_THING =
  /^(?:ok |oh |and |so |actually )*(?:forget|ignore|scratch) (?:about )?(?:the|my|that) (?!(?:old|previous|other|earlier|last|first|thing|part|bit|stuff)\b)(\p{L}{3,})[,.;:!-]+\s+/iu;
/** "forget the old one": the new one has been told. */
const FORGETS_OLD =
  /^(?:and |so |please |pls )*(?:forget|ignore|delete|drop) (?:about )?(?:the|my|that) (?:old|previous|other|earlier|last|first)(?: \p{L}+)?[.!]*$/iu;
/** How somebody goes on who has been joking. */
const IN_EARNEST = /\b(?:seriously though|but seriously|jok(?:e|es|ing) aside|kidding aside|in all seriousness)\b/iu;

/** Places of a turn that are read otherwise. */
const EDITS_MAX = 100;
/** Sentences that a value may be looked back for: where the correction is no more than the value, and else. */
const NEAR_MAX = 8;
const NEAR_DAYS_MAX = 24;
const FAR_MAX = 60;
/** Stems of what is said behind a correction that says no more: "measured it". */
const REST_MATTER_MAX = 1;

/** A sentence of a turn. */
interface Line {
  readonly turn: ConversationTurn;
  readonly start: number;
  readonly end: number;
  /** With straight apostrophes. */
  readonly text: string;
  isCut: boolean;
  matter?: ReadonlySet<string>;
}

/** What is read in place of a part of a turn. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The turn that says so. */
  readonly by: ConversationTurn;
}

/** A conversation as it stands at its end. */
export class CorrectedTalk {
  /** The turns, of which some have other contents. */
  readonly turns: readonly ConversationTurn[];
  readonly #edits: ReadonlyMap<string, readonly Edit[]>;

  private constructor(turns: readonly ConversationTurn[], edits: ReadonlyMap<string, readonly Edit[]>) {
    this.#edits = edits;
    this.turns = turns.map((turn) => {
      const own = edits.get(turn.messageId);
      return own === undefined ? turn : { ...turn, content: applyEdits(turn.content, own) };
    });
  }

  /** Reads the turns in pieces of a sentence each. */
  static *read(turns: readonly ConversationTurn[]): Pieces<CorrectedTalk> {
    const reader = new Reader();
    for (const turn of turns) {
      if (turn.role !== "user" && turn.role !== "assistant") continue;
      for (const { start, end } of splitSentences(turn.content)) {
        yield;
        reader.hear(turn, start, end);
      }
    }
    return new CorrectedTalk(turns, reader.edits);
  }

  /** Gives a proposal that was made of these turns the places that it has in the conversation itself. */
  restore(proposal: Proposal, turns: ReadonlyMap<string, ConversationTurn>): Proposal {
    const others = [proposal.messageId, ...proposal.context ?? []]
      .flatMap((id) => this.#edits.get(id) ?? []).filter(({ text }) => text !== "").map(({ by }) => by.messageId);
    const context = [...new Set([...proposal.context ?? [], ...others])].filter((id) => id !== proposal.messageId);
    const cited = context.length === 0 ? proposal : { ...proposal, context };
    const own = this.#edits.get(proposal.messageId);
    if (own === undefined || proposal.start == null) return cited;
    const start = placeOf(own, proposal.start, false);
    const end = placeOf(own, proposal.start + proposal.quote.length, true);
    return { ...cited, start, quote: turns.get(proposal.messageId)!.content.slice(start, end) };
  }
}

function applyEdits(content: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const { start, end, text: other } of edits) {
    text += content.slice(at, start) + other;
    at = end;
  }
  return text + content.slice(at);
}

/** The place in a content of one in what its edits make of it; of an end, it is behind what it replaces. */
function placeOf(edits: readonly Edit[], place: number, isEnd: boolean): number {
  let shift = 0;
  for (const { start, end, text } of edits) {
    const at = start + shift;
    if (isEnd ? place <= at : place < at) break;
    if (place < at + text.length || isEnd && place === at + text.length) return isEnd ? end : start;
    shift += text.length - (end - start);
  }
  return place - shift;
}

class Reader {
  readonly edits = new Map<string, Edit[]>();
  readonly #lines: Line[] = [];
  /** The line that said last what does not hold, and not what does: "not tues!" */
  #denial: { readonly line: Line; readonly denied: Value } | undefined;

  hear(turn: ConversationTurn, start: number, end: number): void {
    const line: Line = {
      ...{ turn, start, end, isCut: false },
      text: turn.content.slice(start, end).replace(/[\u2018\u2019]/gu, "'"),
    };
    if (turn.role === "user") this.#read(line);
    this.#lines.push(line);
    if (this.#lines.length > 2 * FAR_MAX) this.#lines.splice(0, this.#lines.length - FAR_MAX);
  }

  #read(line: Line): void {
    if (line.text.endsWith("?")) return;
    if (this.#deny(line)) return;
    const forgets = FORGETS.exec(line.text);
    const thing = FORGETS_THING.exec(line.text);
    if (forgets !== null) this.#forget(line, forgets);
    else if (thing !== null) this.#correct(line, thing[0].length, false, matterOf(thing[1]!));
    else if (FORGETS_OLD.test(line.text)) this.#cut(line, line.turn);
    else if (IN_EARNEST.test(line.text)) this.#takeAsJoke(line);
    else if (OF_ME.test(line.text)) this.#takeFromOther(line);
    else if (CHANGES.test(line.text) && !deniesValue(line.text)) this.#correct(line, 0, true);
    else if (INSTEAD.test(line.text)) this.#correct(line, INSTEAD.exec(line.text)!.index, false);
    else if (!FOR_ONCE.test(line.text)) {
      const lead = CORRECTS.exec(line.text)?.[0].length ?? 0;
      if (lead > 0 || SORRY.test(line.text) || OWNS_UP.test(line.text) || deniesValue(line.text)) {
        this.#correct(line, lead, false);
      }
    }
  }

  /** "Not tuesday, wednesday." or "Not tues! Mon and fri": puts what holds in the place of what is denied. */
  #deny(line: Line): boolean {
    const found = readDenied(line.text);
    if (found !== undefined) {
      const right = rightAfter(line.text, found.denied, found.others);
      if (right === undefined) this.#denial = found.others.length === 0 ? { line, denied: found.denied } : undefined;
      return right !== undefined && this.#replaceDenied(line, found.denied, [right]);
    }
    const open = this.#denial;
    if (open === undefined || open.line.turn !== line.turn) return false;
    const values = readValues(line.text, 0);
    const first = values[0];
    const isRight = first?.kind === open.denied.kind && !values.some((value) => isSame(value, open.denied)) &&
      TO_VALUE.test(line.text.slice(0, first.start));
    if (!isRight || !this.#replaceDenied(line, open.denied, values)) return false;
    this.#cut(open.line, line.turn);
    this.#denial = undefined;
    return true;
  }

  #replaceDenied(line: Line, denied: Value, right: readonly Value[]): boolean {
    const label = speakerLabel(line.turn);
    const holds = ({ text }: Line) => readValues(text, 0).some((value) => isSame(value, denied));
    const older = this.#lines.slice(-NEAR_DAYS_MAX).findLast((one) =>
      !one.isCut && one.turn !== line.turn && speakerLabel(one.turn) === label && !one.text.endsWith("?") && holds(one)
    );
    if (older === undefined) return false;
    const told = readValues(older.text, 0);
    const place = told.find((value) => isSame(value, denied))!;
    const pairs = right.length === 1 ? [[place, right[0]!] as const] : pairValues(told, right, older.text, line.text);
    for (const [was, is] of pairs) {
      this.#edit(older.turn, older.start + was.start, older.start + was.end, inPlaceOf(was, is), line.turn);
      this.#cutRepeats(older, was, line.turn);
    }
    const rest = line.text.slice(right.at(-1)!.end);
    if (pairs.length > 0 && matterOf(rest).size <= REST_MATTER_MAX) this.#cut(line, line.turn);
    return pairs.length > 0;
  }

  /** Puts the values of a sentence in the place of those that an earlier one gave to the same. */
  #correct(line: Line, lead: number, isOfIt: boolean, named?: ReadonlySet<string>): void {
    const values = readValues(line.text, lead);
    const first = values[0];
    if (first === undefined) return;
    // "The meeting was on Monday, they moved it": the sentence says itself what is moved.
    if (isOfIt && first.start < CHANGES.exec(line.text)!.index) return;
    const isBare = isOfIt || named === undefined && TO_VALUE.test(line.text.slice(lead, first.start));
    const label = speakerLabel(line.turn);
    const matter = named ?? matterOf(line.text.slice(lead));
    const reach = !isBare ? FAR_MAX : isOfIt || first.kind !== "number" ? NEAR_DAYS_MAX : NEAR_MAX;
    const earlier = this.#lines.slice(-reach).reverse();
    for (const older of earlier) {
      if (older.isCut || speakerLabel(older.turn) !== label || older.text.endsWith("?")) continue;
      if (!isBare && aboutWhat(older).isDisjointFrom(matter)) continue;
      const told = readValues(older.text, 0);
      const pairs = pairValues(told, values, older.text, line.text);
      if (pairs.length === 0) continue;
      // "10:30. No sorry, 11:15": one statement, which is kept as it was said.
      if (older.turn === line.turn && older === this.#lines.at(-1)) return;
      for (const [was, is] of pairs) {
        this.#edit(older.turn, older.start + was.start, older.start + was.end, inPlaceOf(was, is), line.turn);
        this.#cutRepeats(older, was, line.turn);
      }
      const rest = isBare ? line.text.slice(first.end) : line.text.slice(lead);
      const more = told.reduce((left, { text }) => left.replace(text, ""), rest);
      const isNew = (value: Value) => !told.some((one) => isSame(one, value)) && !pairs.some(([, is]) => is === value);
      const saysMore =
        !(isBare && matterOf(rest).difference(aboutWhat(older)).size <= REST_MATTER_MAX && !/\d|\p{Lu}/u.test(more)) &&
          !matterOf(rest).isSubsetOf(aboutWhat(older)) || values.some(isNew);
      if (!saysMore) this.#cut(line, line.turn);
      else if (lead > 0 && CORRECTS.test(line.text)) {
        this.#edit(line.turn, line.start, line.start + lead, "", line.turn);
      }
      return;
    }
  }

  /** What an assistant has repeated of a value holds no more, either. */
  #cutRepeats(older: Line, was: Value, by: ConversationTurn): void {
    const from = this.#lines.indexOf(older) + 1;
    for (const line of this.#lines.slice(from)) {
      if (line.turn.role !== "assistant" || line.isCut) continue;
      if (readValues(line.text, 0).some((value) => isSame(value, was))) this.#cut(line, by);
    }
  }

  #forget(line: Line, forgets: RegExpExecArray): void {
    const matter = matterOf(forgets[1]!.replace(/\b(?:thing|stuff|part|bit)\b/giu, ""));
    const end = forgets.index + forgets[0].length;
    const rest = line.text.slice(end);
    const saysMore = matterOf(rest).size > 0 && !pointsBack(rest);
    if (saysMore) this.#edit(line.turn, line.start + forgets.index, line.start + end, "", line.turn);
    else this.#cut(line, line.turn);
    if (matter.size === 0) return;
    const label = speakerLabel(line.turn);
    const older = this.#lines.findLast((one) =>
      !one.isCut && speakerLabel(one.turn) === label && matter.isSubsetOf(aboutWhat(one))
    );
    if (older === undefined) return;
    let at = 0;
    for (const clause of older.text.split(/(?<=[,;]) /u)) {
      const end = at + clause.length;
      if (matter.isSubsetOf(matterOf(clause))) {
        const from = at === 0 ? 0 : older.text.slice(0, at).trimEnd().replace(/[,;]$/u, "").length;
        this.#edit(older.turn, older.start + from, older.start + end, "", line.turn);
        return;
      }
      at = end + 1;
    }
    this.#cut(older, line.turn);
  }

  /** "I'm becoming a goat farmer." … "Seriously though, I'm on leave" */
  #takeAsJoke(line: Line): void {
    const label = speakerLabel(line.turn);
    const before = this.#lines.slice(-NEAR_MAX).filter((one) => speakerLabel(one.turn) === label);
    const last = before.findLast(({ turn }) => turn !== line.turn)?.turn;
    for (const one of before) if (one.turn === line.turn || one.turn === last) this.#cut(one, line.turn);
  }

  /** What the speaker has told of somebody is true of the speaker. */
  #takeFromOther(line: Line): void {
    const label = speakerLabel(line.turn);
    const matter = matterOf(line.text);
    const older = this.#lines.slice(-NEAR_MAX).findLast((one) =>
      !one.isCut && one.turn !== line.turn && speakerLabel(one.turn) === label && !one.text.endsWith("?") &&
      OF_OTHERS.test(one.text) && (matter.size === 0 || !aboutWhat(one).isDisjointFrom(matter))
    );
    if (older !== undefined) this.#cut(older, line.turn);
    const own = IT_IS_ME.exec(line.text);
    if (own === null) return;
    this.#edit(line.turn, line.start, line.start + own[0].length, "I'm ", line.turn);
    const other = NOT_THE_OTHER.exec(line.text);
    if (other !== null) this.#edit(line.turn, line.start + other.index, line.end, "", line.turn);
  }

  #cut(line: Line, by: ConversationTurn): void {
    line.isCut = true;
    this.#edit(line.turn, line.start, line.end, "", by);
  }

  #edit(turn: ConversationTurn, start: number, end: number, text: string, by: ConversationTurn): void {
    const edits = this.edits.get(turn.messageId) ?? [];
    if (edits.length >= EDITS_MAX) return;
    const others = edits.filter((one) => one.end <= start || one.start >= end);
    others.push({ start, end, text, by });
    this.edits.set(turn.messageId, others.sort((a, b) => a.start - b.start));
  }
}

function aboutWhat(line: Line): ReadonlySet<string> {
  return line.matter ??= matterOf(line.text);
}
