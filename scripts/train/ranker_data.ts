/**
 * Labelled conversations for `train_ranker.ts`: reads them, puts their turns into the product's index, and runs the product's
 * engine over their questions.
 */

import {
  analyseText,
  completeFeatures,
  FEATURE_COUNT,
  type Lexicon,
  MemoryIndex,
  planQuery,
  prescore,
  type Prescored,
  type StoredData,
  withPrevious,
} from "../../src/retrieval/mod.ts";

interface Turn {
  speaker: string;
  dia_id: string;
  text: string;
  blip_caption?: string;
}

export interface Conversation {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; evidence?: string[]; category: number }[];
}

/** A question with its candidates' features. */
export interface Question {
  text: string;
  category: number;
  /** What the engine gave, and the stored data of its candidates. */
  candidates: Prescored;
  stored: (StoredData | undefined)[];
  conversation: number;
  /** Evidence turns that exist. */
  evidence: Set<number>;
  docs: Uint32Array;
  rows: number;
  features: Float32Array;
  labels: Uint8Array;
}

const TURN = 0;

function parseSessionTime(text: string): number {
  const m = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text);
  if (m === null) throw new Error(`Cannot read session time: ${text}`);
  const hour = +m[1] % 12 + (m[3] === "pm" ? 12 : 0);
  return Date.parse(`${m[4]} ${m[5]} ${m[6]} UTC`) + (hour * 60 + +m[2]) * 60_000;
}

/**
 * Puts all turns (of all conversations but `without`) into one index; returns it with the document number of each
 * (conversation, turn id).
 */
export function buildIndex(
  conversations: Conversation[],
  without = -1,
): { index: MemoryIndex; docOf: Map<string, number>; turns: number; analysisMs: number } {
  const index = new MemoryIndex();
  const docOf = new Map<string, number>();
  let doc = 0, group = 0, analysisMs = 0;
  conversations.forEach(({ conversation }, c) => {
    if (c === without) return;
    for (let n = 1; Array.isArray(conversation[`session_${n}`]); n++) {
      const turns = conversation[`session_${n}`] as Turn[];
      const occurredAt = parseSessionTime(String(conversation[`session_${n}_date_time`]));
      const seen = new Set<string>();
      let previous: { bits: number; speaker: string } | undefined;
      group++;
      turns.forEach((turn, position) => {
        const content = turn.text + (turn.blip_caption ? ` [photo: ${turn.blip_caption}]` : "");
        const started = performance.now();
        const text = analyseText(content, seen);
        analysisMs += performance.now() - started;
        const bits = withPrevious(
          text.bits,
          previous && { bits: previous.bits, sameSpeaker: previous.speaker === turn.speaker },
        );
        index.add({ doc: ++doc, kind: TURN, group, position, text, bits, speaker: turn.speaker, occurredAt });
        docOf.set(`${c} ${turn.dia_id}`, doc);
        previous = { bits, speaker: turn.speaker };
      });
    }
  });
  return { index, docOf, turns: doc, analysisMs };
}

/** Runs the product's own engine up to the features. */
export function prepareQuestions(
  conversations: Conversation[],
  { index, docOf }: { index: MemoryIndex; docOf: Map<string, number> },
  lexicon?: Lexicon,
): { questions: Question[]; queryMs: number[] } {
  const questions: Question[] = [];
  const queryMs: number[] = [];
  conversations.forEach(({ qa }, c) => {
    for (const { question, evidence, category } of qa) {
      const ids = (evidence ?? []).flatMap((e) => e.split(/[;,\s]+/));
      const found = new Set(ids.map((id) => docOf.get(`${c} ${id}`)).filter((d) => d !== undefined));
      const started = performance.now();
      const plan = planQuery(question, { referenceMs: Date.UTC(2026, 0, 1), lexicon });
      const candidates = prescore(plan, index.input(plan));
      const stored = index.stored(candidates);
      completeFeatures(candidates, stored);
      queryMs.push(performance.now() - started);
      const rows = stored.flatMap((s, i) => s === undefined ? [] : [i]);
      const features = new Float32Array(rows.length * FEATURE_COUNT);
      rows.forEach((r, i) =>
        features.set(candidates.features.subarray(r * FEATURE_COUNT, (r + 1) * FEATURE_COUNT), i * FEATURE_COUNT)
      );
      const docs = Uint32Array.from(rows, (r) => stored[r]!.doc);
      questions.push({
        text: question,
        category,
        candidates,
        stored,
        conversation: c,
        evidence: found,
        docs,
        rows: rows.length,
        features,
        labels: Uint8Array.from(docs, (d) => found.has(d) ? 1 : 0),
      });
    }
  });
  return { questions, queryMs };
}
