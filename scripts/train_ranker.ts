/**
 * Trains the weights of the recall ranker from labelled conversations, and says how good they are.
 *
 * Usage: deno run -A scripts/train_ranker.ts --data <folder with conversations.json> [--write] [--json <file>]
 *
 * The data has the LoCoMo form: conversations with sessions of turns, and questions with the turns that answer them.
 * All conversations stand in one corpus; the cross-validation trains on all conversations but one and measures on that one.
 * The same input gives the same weights, bit for bit. With --write, src/retrieval/weights.json is replaced.
 */

import { parseArgs } from "node:util";
import {
  analyseText,
  completeFeatures,
  FEATURE_COUNT,
  FEATURE_NAMES,
  MemoryIndex,
  planQuery,
  prescore,
  toVector,
  WEIGHTS,
  withPrevious,
} from "../src/retrieval/mod.ts";

interface Turn {
  speaker: string;
  dia_id: string;
  text: string;
  blip_caption?: string;
}

interface Conversation {
  sample_id: string;
  conversation: Record<string, unknown>;
  qa: { question: string; evidence?: string[]; category: number }[];
}

/** A question with its candidates' features. */
interface Question {
  text: string;
  category: number;
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

/** Puts all turns into one index; returns it with the document number of each (conversation, turn id). */
function buildIndex(
  conversations: Conversation[],
): { index: MemoryIndex; docOf: Map<string, number>; turns: number; analysisMs: number } {
  const index = new MemoryIndex();
  const docOf = new Map<string, number>();
  let doc = 0, group = 0, analysisMs = 0;
  conversations.forEach(({ conversation }, c) => {
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
function prepareQuestions(
  conversations: Conversation[],
  index: MemoryIndex,
  docOf: Map<string, number>,
): { questions: Question[]; queryMs: number[] } {
  const questions: Question[] = [];
  const queryMs: number[] = [];
  conversations.forEach(({ qa }, c) => {
    for (const { question, evidence, category } of qa) {
      const ids = (evidence ?? []).flatMap((e) => e.split(/[;,\s]+/));
      const found = new Set(ids.map((id) => docOf.get(`${c} ${id}`)).filter((d) => d !== undefined));
      const started = performance.now();
      const plan = planQuery(question, { referenceMs: Date.UTC(2026, 0, 1) });
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

function scoreRows(question: Question, weights: Float64Array): Float64Array {
  const out = new Float64Array(question.rows);
  for (let i = 0, at = 0; i < question.rows; i++, at += FEATURE_COUNT) {
    let sum = 0;
    for (let f = 0; f < FEATURE_COUNT; f++) sum += weights[f] * question.features[at + f];
    out[i] = sum;
  }
  return out;
}

/**
 * Fits the weights: for each piece of evidence the logarithm of its share of e^score against all candidates that are no
 * evidence, summed, with a penalty on the squares; full-batch Adam with a fixed number of steps.
 */
export function fitWeights(questions: Question[], active: Uint8Array, steps = 300, penalty = 0.15): Float64Array {
  const train = questions.filter((q) => q.category <= 4 && q.labels.includes(1));
  const scale = featureScale(train);
  const w = new Float64Array(FEATURE_COUNT), m = new Float64Array(FEATURE_COUNT), v = new Float64Array(FEATURE_COUNT);
  const gradient = new Float64Array(FEATURE_COUNT), real = new Float64Array(FEATURE_COUNT);
  for (let step = 1; step <= steps; step++) {
    gradient.fill(0);
    for (let f = 0; f < FEATURE_COUNT; f++) real[f] = w[f] / scale[f];
    for (const q of train) addGradient(q, real, gradient);
    const rate = 0.1 * (step < steps * 0.7 ? 1 : 0.2);
    for (let f = 0; f < FEATURE_COUNT; f++) {
      if (!active[f]) continue;
      const g = gradient[f] / scale[f] / train.length + penalty * 0.01 * w[f];
      m[f] = 0.9 * m[f] + 0.1 * g;
      v[f] = 0.99 * v[f] + 0.01 * g * g;
      w[f] -= rate * (m[f] / (1 - 0.9 ** step)) / (Math.sqrt(v[f] / (1 - 0.99 ** step)) + 1e-8);
    }
  }
  return w.map((x, f) => x / scale[f]);
}

function featureScale(train: Question[]): Float64Array {
  const sum = new Float64Array(FEATURE_COUNT), squares = new Float64Array(FEATURE_COUNT);
  let n = 0;
  for (const q of train) {
    n += q.rows;
    for (let i = 0; i < q.features.length; i++) {
      sum[i % FEATURE_COUNT] += q.features[i];
      squares[i % FEATURE_COUNT] += q.features[i] ** 2;
    }
  }
  return sum.map((s, f) => Math.sqrt(Math.max(0, squares[f] / n - (s / n) ** 2)) || 1);
}

function addGradient(q: Question, weights: Float64Array, gradient: Float64Array): void {
  const scores = scoreRows(q, weights);
  const top = Math.max(...scores);
  let negatives = 0, positives = 0;
  const e = scores.map((s) => Math.exp(s - top));
  for (let i = 0; i < q.rows; i++) {
    if (q.labels[i]) positives++;
    else negatives += e[i];
  }
  const factor = new Float64Array(q.rows);
  let pull = 0;
  for (let i = 0; i < q.rows; i++) {
    if (!q.labels[i]) continue;
    const share = e[i] / (e[i] + negatives);
    factor[i] = (share - 1) / positives;
    pull += 1 / (e[i] + negatives) / positives;
  }
  for (let i = 0; i < q.rows; i++) if (!q.labels[i]) factor[i] = e[i] * pull;
  for (let i = 0, at = 0; i < q.rows; i++, at += FEATURE_COUNT) {
    if (Math.abs(factor[i]) < 1e-7) continue;
    for (let f = 0; f < FEATURE_COUNT; f++) gradient[f] += factor[i] * q.features[at + f];
  }
}

/** Recall at 5, 10 and 20 and nDCG at 10 of evidence turns, in percent, means over questions. */
export interface Report {
  questions: number;
  r5: number;
  r10: number;
  r20: number;
  ndcg10: number;
  candidates: number;
}

export function measure(questions: Question[], weightsOf: (q: Question) => Float64Array): Record<string, Report> {
  const out: Record<string, Report> = {};
  for (const q of questions) {
    if (q.category > 4 || q.evidence.size === 0) continue;
    const scores = scoreRows(q, weightsOf(q));
    const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || q.docs[a] - q.docs[b]);
    const hits = order.map((i) => q.labels[i]);
    const recall = (k: number) => hits.slice(0, k).reduce((a, b) => a + b, 0) / q.evidence.size;
    let dcg = 0, ideal = 0;
    for (let i = 0; i < 10; i++) {
      if (hits[i]) dcg += 1 / Math.log2(i + 2);
      if (i < q.evidence.size) ideal += 1 / Math.log2(i + 2);
    }
    for (const key of ["all", CATEGORIES[q.category]]) {
      const r = out[key] ??= { questions: 0, r5: 0, r10: 0, r20: 0, ndcg10: 0, candidates: 0 };
      r.questions++;
      r.r5 += recall(5);
      r.r10 += recall(10);
      r.r20 += recall(20);
      r.ndcg10 += dcg / ideal;
      r.candidates += recall(q.rows);
    }
  }
  for (const r of Object.values(out)) {
    for (const k of ["r5", "r10", "r20", "ndcg10", "candidates"] as const) {
      r[k] = Math.round(r[k] / r.questions * 1000) / 10;
    }
  }
  return out;
}

const CATEGORIES = ["", "multi-hop", "temporal", "open-domain", "single-hop"];

function crossValidate(questions: Question[], active: Uint8Array): Record<string, Report> {
  const folds = [...new Set(questions.map((q) => q.conversation))];
  const weights = new Map(
    folds.map((c) => [c, round(fitWeights(questions.filter((q) => q.conversation !== c), active))]),
  );
  return measure(questions, (q) => weights.get(q.conversation)!);
}

function round(weights: Float64Array): Float64Array {
  return weights.map((w) => Math.round(w * 100) / 100);
}

function printReport(title: string, report: Record<string, Report>): void {
  console.log(`\n${title}`);
  console.table(report);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      write: { type: "boolean" },
      json: { type: "string" },
      drop: { type: "string" },
      ablate: { type: "boolean" },
    },
  });
  if (values.data === undefined) throw new Error("Cannot train: --data <folder> is missing");
  const conversations: Conversation[] = JSON.parse(Deno.readTextFileSync(`${values.data}/conversations.json`));
  const { index, docOf, turns, analysisMs } = buildIndex(conversations);
  console.log(
    `${turns} turns analysed, ${Math.round(turns / analysisMs * 1000)} a second; index ${
      (index.bytes / 1e6).toFixed(1)
    } MB`,
  );
  prepareQuestions(conversations, index, docOf);
  const { questions, queryMs } = prepareQuestions(conversations, index, docOf);
  queryMs.sort((a, b) => a - b);
  console.log(
    `${questions.length} questions, ranking p50 ${queryMs[queryMs.length >> 1].toFixed(2)} ms, p95 ${
      queryMs[Math.floor(queryMs.length * 0.95)].toFixed(2)
    } ms`,
  );
  const active = Uint8Array.from(FEATURE_NAMES, (n) => values.drop?.split(",").includes(n) ? 0 : 1);
  printReport("shipped weights", measure(questions, () => toVector(WEIGHTS)));
  printReport("leave one conversation out", crossValidate(questions, active));
  const weights = round(fitWeights(questions, active));
  printReport("in sample", measure(questions, () => weights));
  console.log(FEATURE_NAMES.map((n, f) => `${n} ${weights[f]}`).join("  "));
  if (values.ablate) {
    for (let f = 0; f < FEATURE_COUNT; f++) {
      const without = Uint8Array.from(active, (a, i) => i === f ? 0 : a);
      const { all } = crossValidate(questions, without);
      console.log(FEATURE_NAMES[f].padEnd(12), weights[f], all.r5, all.r10, all.r20, all.ndcg10);
    }
  }
}
