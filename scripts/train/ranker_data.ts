/** Questions with their candidates' features, for `fit_weights.ts`. */

import { completeFeatures, FEATURE_COUNT, type Prescored, type StoredData } from "../../src/retrieval/mod.ts";
import type { Conversation, ConversationSet, LabelledQuestion } from "./conversations.ts";
import { type AskedCandidates, type AskOptions, Corpus } from "./corpus.ts";
import type { TrainingVectors } from "./vectors.ts";

export type Evidence = ReadonlyMap<number, number | string>;

export interface Question {
  readonly text: string;
  /** The set, and the kind of question in it. */
  readonly set: string;
  readonly kind: string;
  /** What the engine gave, and the stored data of its candidates. */
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
  /** What the cross-validation leaves out together. */
  readonly fold: string;
  /** What the question counts in the fit. */
  readonly weight: number;
  /** By document, the evidence turn that it is or holds. */
  readonly evidence: Evidence;
  readonly docs: Uint32Array;
  readonly rows: number;
  readonly features: Float32Array;
  readonly labels: Uint8Array;
}

export function toQuestion(
  known: Pick<Question, "text" | "set" | "kind" | "fold" | "weight" | "evidence">,
  { candidates, stored }: AskedCandidates,
): Question {
  completeFeatures(candidates, stored);
  const rows = stored.flatMap((s, i) => s === undefined ? [] : [i]);
  const features = new Float32Array(rows.length * FEATURE_COUNT);
  rows.forEach((r, i) =>
    features.set(candidates.features.subarray(r * FEATURE_COUNT, (r + 1) * FEATURE_COUNT), i * FEATURE_COUNT)
  );
  const docs = Uint32Array.from(rows, (r) => stored[r]!.doc);
  const labels = Uint8Array.from(docs, (doc) => known.evidence.has(doc) ? 1 : 0);
  return { ...known, candidates, stored, docs, rows: rows.length, features, labels };
}

/** The texts of sets, which need vectors. */
export function listTexts(sets: readonly ConversationSet[]): string[] {
  return sets.flatMap(({ conversations }) =>
    conversations.flatMap(({ sessions, units = [] }) => [
      ...sessions.flatMap(({ turns }) => turns.map(({ text }) => text)),
      ...units.map(({ text }) => text),
    ])
  );
}

/** One corpus over some conversations. */
export function buildCorpus(conversations: readonly Conversation[], vectors: TrainingVectors): Corpus {
  const corpus = new Corpus(vectors);
  for (const { id, sessions, units = [] } of conversations) {
    corpus.addSessions(sessions, `${id} `);
    corpus.addUnits(units, `${id} `);
  }
  return corpus;
}

/** What counts as evidence of a question: its turns, and the units that cite them. */
function readEvidence(
  { id, units = [] }: Conversation,
  { evidence }: LabelledQuestion,
  docOf: ReadonlyMap<string, number>,
): Evidence {
  const found = new Map<number, string>();
  for (const turn of evidence) {
    const own = [turn, ...units.filter(({ turns }) => turns.includes(turn)).map((unit) => unit.id)];
    for (const one of own) {
      const doc = docOf.get(`${id} ${one}`);
      if (doc !== undefined) found.set(doc, turn);
    }
  }
  return found;
}

/** The same conversation in sessions of another length, or beside what is kept of it, is left out together with it. */
export function foldOf(set: ConversationSet, { id }: Conversation): string {
  return `${set.name.split(/[-+]/)[0]} ${id}`;
}

/** Asks the questions of a set's conversations. @param weight what each counts in the fit */
export async function prepareQuestions(
  set: ConversationSet,
  vectors: TrainingVectors,
  options: AskOptions,
  weight = 1,
): Promise<Question[]> {
  const out: Question[] = [];
  const shared = set.isOneCorpus ? buildCorpus(set.conversations, vectors) : undefined;
  for (const conversation of set.conversations) {
    const corpus = shared ?? buildCorpus([conversation], vectors);
    for (const question of conversation.questions) {
      const { text, kind } = question;
      const evidence = readEvidence(conversation, question, corpus.docOf);
      const known = { text, set: set.name, kind, fold: foldOf(set, conversation), weight, evidence };
      out.push(toQuestion(known, await corpus.ask(text, options)));
    }
  }
  return out;
}
