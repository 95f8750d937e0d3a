/**
 * Fits the estimate of relevance (src/retrieval/relevance.ts) on ranked questions, and chooses where to cut.
 */

import {
  applyModel,
  cutResults,
  evidenceConfidence,
  RELEVANCE_INPUTS,
  relevanceInputs,
  type RelevanceModel,
} from "../../src/retrieval/mod.ts";
import type { Question } from "./ranker_data.ts";

/** Results of a question that the fit looks at. */
const DEPTH = 20;
/** Most recall@20 that the cut may cost, in points. */
const LOSS_MAX = 0.28;

/**
 * The knee for documents without a session; the conversations say nothing about it, so it is chosen: see baseline_test.ts.
 */
const DOCUMENT_KNEE = 0.02;
/** All results of the conversations are turns. */
const TURNS = { groups: new Uint32Array(1000).fill(1), plan: { lexicon: "none" as const } };

interface Sample {
  question: Question;
  ranked: { row: number }[];
  inputs: number[][];
  labels: number[];
}

/** What the cut does: recall@20 with and without, results returned, and confidence, by kind of question. */
export interface RelevanceReport {
  recall20: number;
  recall20Cut: number;
  returned: { answered: number; adversarial: number; stranger: number };
  confidence: { answered: number; adversarial: number; stranger: number };
  nothingReturnedToStrangers: number;
}

function sampleOf(question: Question, scores: Float64Array, answered: boolean): Sample {
  const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || question.docs[a] - question.docs[b]);
  const ranked = order.slice(0, DEPTH).map((row) => ({ row, score: scores[row] }));
  return {
    question,
    ranked,
    inputs: relevanceInputs(question.features, ranked, question.named),
    labels: ranked.map(({ row }) => answered && question.labels[row] ? 1 : 0),
  };
}

/** Newton's method with a small ridge; the problem has seven unknowns. */
function fitLogistic(samples: Sample[]): { bias: number; weights: number[] } {
  const n = RELEVANCE_INPUTS.length + 1;
  const w = new Float64Array(n);
  for (let step = 0; step < 25; step++) {
    const gradient = new Float64Array(n), hessian = Array.from({ length: n }, () => new Float64Array(n));
    for (let i = 0; i < n; i++) {
      gradient[i] = -0.5 * w[i];
      hessian[i][i] = 0.5;
    }
    for (const { inputs, labels } of samples) {
      inputs.forEach((input, k) => {
        const x = [1, ...input];
        const p = applyModel({ bias: w[0], weights: Array.from(w.slice(1)) }, input);
        for (let i = 0; i < n; i++) {
          gradient[i] += (labels[k] - p) * x[i];
          for (let j = 0; j < n; j++) hessian[i][j] += p * (1 - p) * x[i] * x[j];
        }
      });
    }
    solve(hessian, gradient).forEach((d, i) => w[i] += d);
  }
  const rounded = Array.from(w, (x) => Math.round(x * 100) / 100);
  return { bias: rounded[0], weights: rounded.slice(1) };
}

/** Gauss elimination; the matrix is positive definite. */
function solve(matrix: Float64Array[], vector: Float64Array): Float64Array {
  const a = matrix.map((row, i) => [...row, vector[i]]), n = vector.length;
  for (let i = 0; i < n; i++) {
    for (let r = i + 1; r < n; r++) {
      const factor = a[r][i] / a[i][i];
      for (let c = i; c <= n; c++) a[r][c] -= factor * a[i][c];
    }
  }
  const out = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    let sum = a[i][n];
    for (let c = i + 1; c < n; c++) sum -= a[i][c] * out[c];
    out[i] = sum / a[i][i];
  }
  return out;
}

/**
 * Fits the model on answered, adversarial (category 5) and stranger questions; chooses the cut that returns least within
 * LOSS_MAX.
 */
export function fitRelevance(
  questions: Question[],
  strangers: Question[],
  score: (q: Question) => Float64Array,
): { model: RelevanceModel; report: RelevanceReport } {
  const answered = questions.filter((q) => q.category <= 4 && q.evidence.size > 0).map((q) =>
    sampleOf(q, score(q), true)
  );
  const adversarial = questions.filter((q) => q.category === 5).map((q) => sampleOf(q, score(q), false));
  const away = strangers.map((q) => sampleOf(q, score(q), false));
  const logistic = fitLogistic([...answered, ...adversarial, ...away]);
  const values = (samples: Sample[]) => samples.map((s) => ({ ...s, p: s.inputs.map((x) => applyModel(logistic, x)) }));
  const sets = { answered: values(answered), adversarial: values(adversarial), stranger: values(away) };
  const measure = (silence: number, turnKnee: number): RelevanceReport => {
    const model = { ...logistic, silence, turnKnee, documentKnee: DOCUMENT_KNEE };
    const mean = (list: number[]) =>
      Math.round(list.reduce((a, b) => a + b, 0) / Math.max(1, list.length) * 1000) / 1000;
    const hits = (s: Sample, k: number) => s.labels.slice(0, k).reduce((a, b) => a + b, 0) / s.question.evidence.size;
    const kept = (set: (Sample & { p: number[] })[]) =>
      set.map((s) => cutResults({ ...TURNS, features: s.question.features }, s.ranked, s.p, DEPTH, model).length);
    const cut = kept(sets.answered);
    return {
      recall20: mean(sets.answered.map((s) => 100 * hits(s, DEPTH))),
      recall20Cut: mean(sets.answered.map((s, i) => 100 * hits(s, cut[i]))),
      returned: { answered: mean(cut), adversarial: mean(kept(sets.adversarial)), stranger: mean(kept(sets.stranger)) },
      confidence: {
        answered: mean(sets.answered.map((s) => evidenceConfidence(s.p))),
        adversarial: mean(sets.adversarial.map((s) => evidenceConfidence(s.p))),
        stranger: mean(sets.stranger.map((s) => evidenceConfidence(s.p))),
      },
      nothingReturnedToStrangers: mean(kept(sets.stranger).map((n) => n === 0 ? 1 : 0)),
    };
  };
  let best = { silence: 0, turnKnee: 0, report: measure(0, 0) };
  let cost = Infinity;
  for (const silence of [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]) {
    for (const turnKnee of [0, 0.001, 0.002, 0.003, 0.004, 0.005]) {
      const report = measure(silence, turnKnee);

      const value = report.returned.stranger;
      if (report.recall20 - report.recall20Cut <= LOSS_MAX && value < cost) {
        cost = value;
        best = { silence, turnKnee, report };
      }
    }
  }
  return {
    model: { ...logistic, silence: best.silence, turnKnee: best.turnKnee, documentKnee: DOCUMENT_KNEE },
    report: best.report,
  };
}

/** Prints the report. */
export function reportRelevance(report: RelevanceReport): void {
  console.table(report.returned);
  console.table(report.confidence);
  console.log(
    `recall@20 ${report.recall20} uncut, ${report.recall20Cut} cut; nothing returned to ${report.nothingReturnedToStrangers} of the strangers`,
  );
}
