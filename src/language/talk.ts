/** What has been said so far in a conversation that is read for statements. Pure. */
import type { ConversationTurn } from "./conversation.ts";
import { type Anaphor, isAntecedent, listAnaphors } from "./anaphora.ts";
import type { Span } from "./sentences.ts";
import { matterOf } from "./self_contained.ts";

/** A sentence that somebody said. */
export interface Said {
  /** Its place in the talk. */
  readonly order: number;
  readonly turn: ConversationTurn;
  readonly span: Span;
  /** As it stands in the turn, with straight apostrophes. */
  readonly text: string;
  /** For reading: with short forms written out. */
  readonly plain: string;
  readonly isQuestion: boolean;
  /** What it tells, and what it leaves open itself; read when first asked for. */
  readonly grounds: Map<Anaphor, boolean>;
  open?: readonly Anaphor[];
  matter?: ReadonlySet<string>;
}

/** The stems of what a sentence is about. */
export function aboutWhat(said: Said): ReadonlySet<string> {
  return said.matter ??= matterOf(said.plain);
}

/** Whether a sentence tells what a anaphor of a later one means. */
export function tells(said: Said, anaphor: Anaphor): boolean {
  let is = said.grounds.get(anaphor);
  if (is === undefined) {
    said.grounds.set(anaphor, is = !leaves(said).includes(anaphor) && isAntecedent(said.plain, anaphor));
  }
  return is;
}

/** The anaphors of a sentence that only an earlier one can tell. */
export function leaves(said: Said): readonly Anaphor[] {
  return said.open ??= listAnaphors(said.plain).filter((anaphor) => anaphor !== "any");
}

/** The state of reading a conversation. */
export interface TalkReading {
  readonly speakers: readonly string[];
  /** What was said last, the latest sentence last. */
  readonly said: Said[];
  readonly isForeign: boolean;
  /** What the talk is about: how it began; empty if it began with a question of knowledge. */
  topic: Said[] | undefined;
  /** Sentences heard so far. */
  heard: number;
  /** An assistant takes part, so that most talks are about one matter. */
  readonly isServed: boolean;
  /** A text was asked for, which an assistant is about to give. */
  awaitsText: boolean;
  isAfterTool: boolean;
}

/** The sentences that a statement needs besides its own: those of its turn begin it, others are quoted before it. */
export interface Ground {
  /** Where the statement begins in its turn. */
  readonly start: number;
  readonly before: readonly Said[];
}

/** Compares sentences by their places in the talk. */
export function inOrder(a: Said, b: Said): number {
  return a.order - b.order;
}
