/**
 * Fits the ranker's weights: for each piece of evidence the logarithm of its share of e^score against all candidates that
 * are no evidence, summed, with a penalty on the squares; by L-BFGS with a line search. The same input gives the same
 * weights, bit for bit.
 */

import { FEATURE_COUNT } from "../../src/retrieval/mod.ts";
import type { Question } from "./ranker_data.ts";

const STEPS_MAX = 60;
/** A step that gains less than this is the last. */
const GAIN_MIN = 1e-7;
/** Steps that the curvature is estimated from. */
const MEMORY = 8;
const PENALTY = 0.01;

/** A weight per feature, on the features' own scale; inactive ones are 0. */
export function fitWeights(questions: readonly Question[], active: Uint8Array): Float64Array {
  const train = questions.filter((q) => q.labels.includes(1));
  const scale = featureScale(train);
  const step = (w: Float64Array) => lossOf(train, w, scale, active);
  let w = new Float64Array(FEATURE_COUNT), { loss, gradient } = step(w);
  const moves: Float64Array[] = [], turns: Float64Array[] = [];
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const direction = directionOf(gradient, moves, turns);
    const slope = inner(gradient, direction);
    let size = 1, next = step(w.map((x, f) => x + size * direction[f]));
    // Half as far until the loss falls as the slope promises, at least a little.
    for (let tries = 0; tries < 20 && next.loss > loss + 1e-4 * size * slope; tries++) {
      size /= 2;
      next = step(w.map((x, f) => x + size * direction[f]));
    }
    const gain = loss - next.loss;
    if (gain <= 0) break;
    const move = direction.map((x) => size * x), turn = next.gradient.map((x, f) => x - gradient[f]);
    if (inner(move, turn) > 1e-12) {
      moves.push(move);
      turns.push(turn);
      if (moves.length > MEMORY) moves.shift(), turns.shift();
    }
    w = w.map((x, f) => x + move[f]);
    ({ loss, gradient } = next);
    if (gain < GAIN_MIN) break;
  }
  return w.map((x, f) => x / scale[f]);
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Where the loss falls, by the gradient and what the last steps tell of its curvature. */
function directionOf(gradient: Float64Array, moves: readonly Float64Array[], turns: readonly Float64Array[]) {
  const d = gradient.map((x) => -x);
  const shares: number[] = [];
  for (let i = moves.length - 1; i >= 0; i--) {
    shares[i] = inner(moves[i], d) / inner(moves[i], turns[i]);
    for (let f = 0; f < d.length; f++) d[f] -= shares[i] * turns[i][f];
  }
  const last = moves.length - 1;
  const first = last < 0
    ? 1 / Math.sqrt(inner(gradient, gradient))
    : inner(moves[last], turns[last]) / inner(turns[last], turns[last]);
  for (let f = 0; f < d.length; f++) d[f] *= first;
  for (let i = 0; i < moves.length; i++) {
    const share = shares[i] - inner(turns[i], d) / inner(moves[i], turns[i]);
    for (let f = 0; f < d.length; f++) d[f] += share * moves[i][f];
  }
  return d;
}

/** The standard deviation of each feature; 1 for one that never changes. */
function featureScale(train: readonly Question[]): Float64Array {
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

/** The mean loss with its gradient, by weights for features of deviation 1. */
function lossOf(train: readonly Question[], w: Float64Array, scale: Float64Array, active: Uint8Array) {
  const real = w.map((x, f) => x / scale[f]), gradient = new Float64Array(FEATURE_COUNT);
  const all = train.reduce((sum, q) => sum + q.weight, 0);
  let loss = 0;
  for (const q of train) loss += q.weight * addQuestion(q, real, gradient) / all;
  for (let f = 0; f < FEATURE_COUNT; f++) {
    loss += PENALTY / 2 * w[f] ** 2;
    gradient[f] = active[f] ? gradient[f] / scale[f] / all + PENALTY * w[f] : 0;
  }
  return { loss, gradient };
}

function addQuestion(q: Question, weights: Float64Array, gradient: Float64Array): number {
  const scores = scoreRows(q, weights);
  const top = Math.max(...scores);
  const e = scores.map((s) => Math.exp(s - top));
  let negatives = 0, positives = 0;
  for (let i = 0; i < q.rows; i++) q.labels[i] ? positives++ : negatives += e[i];
  let pull = 0, loss = 0;
  for (let i = 0; i < q.rows; i++) {
    if (!q.labels[i]) continue;
    pull += 1 / (e[i] + negatives) / positives;
    loss += (Math.log(e[i] + negatives) - (scores[i] - top)) / positives;
  }
  for (let i = 0, at = 0; i < q.rows; i++, at += FEATURE_COUNT) {
    const factor = q.weight * (q.labels[i] ? (e[i] / (e[i] + negatives) - 1) / positives : e[i] * pull);
    if (Math.abs(factor) < 1e-7) continue;
    for (let f = 0; f < FEATURE_COUNT; f++) gradient[f] += factor * q.features[at + f];
  }
  return loss;
}

/** The linear score of each of a question's candidates. */
export function scoreRows(question: Question, weights: Float64Array): Float64Array {
  const out = new Float64Array(question.rows);
  for (let i = 0, at = 0; i < question.rows; i++, at += FEATURE_COUNT) {
    let sum = 0;
    for (let f = 0; f < FEATURE_COUNT; f++) sum += weights[f] * question.features[at + f];
    out[i] = sum;
  }
  return out;
}
