/** Writes a statement in its speaker's own words, behind what is quoted to make it understood. Pure. */
import type { Context } from "./statement_context.ts";
import { STRETCH_CHARS_MAX } from "./statement_context.ts";
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import type { FactType } from "./fact_types.ts";
import type { SentenceJudgement } from "./judgement.ts";
import type { Span } from "./sentences.ts";
import { takesAsKnown } from "./self_contained.ts";
import type { Ground, Said } from "./talk.ts";
import { dateWords, hasOpenTime, headOf, inThirdPerson } from "./reported_speech.ts";

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

export const PLAIN: SentenceJudgement = {
  factType: "fact",
  confidence: 0.6,
  isDecision: false,
  triple: null,
};

/** Writes the statements of one turn. */
export class StatementWriter {
  readonly #turn: ConversationTurn;
  readonly #plain: string;
  readonly #isForeign: boolean;
  readonly #context: Context;
  /** What each proposal of the turn needs before it. */
  readonly #grounds = new Map<Proposal, readonly Said[]>();

  /** @param plain the turn's content with straight apostrophes */
  constructor(turn: ConversationTurn, plain: string, isForeign: boolean, context: Context) {
    this.#turn = turn;
    this.#plain = plain;
    this.#isForeign = isForeign;
    this.#context = context;
  }

  /** What a statement was given to need, before more was added that makes it understood. */
  groundOf(proposal: Proposal | null): readonly Said[] {
    return proposal === null ? [] : this.#grounds.get(proposal) ?? [];
  }

  /** Writes a statement; those of the same turn that it holds, or goes on from, are taken back. */
  write(own: Span, wanted: Ground, found: SentenceJudgement, proposals: Proposal[]): Proposal {
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

  /** Writes what the writer of a pasted letter says: "I" in it is not who pasted it. */
  writeOfOther({ start, end }: Span, writer: string | undefined): Proposal {
    const { messageId, content } = this.#turn;
    const words = this.#plain.slice(start, end).replace(/\s+/gu, " ");
    return {
      ...{ messageId, quote: content.slice(start, end), start, words, byRule: true },
      statement: `${headOf(this.#turn)}: ${writer === undefined ? "a letter says" : `${writer} wrote`}: "${words}"`,
      ...{ factType: "observation", confidence: PLAIN.confidence },
    };
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
