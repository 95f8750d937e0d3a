/** Logistic regression for few inputs: Newton's method on standardised inputs with a ridge. */

export interface Sample {
  readonly inputs: Float64Array;
  readonly label: 0 | 1;
  readonly weight: number;
}

export interface Fitted {
  readonly bias: number;
  readonly weights: Float64Array;
}

export function predict({ bias, weights }: Fitted, inputs: Float64Array): number {
  let z = bias;
  for (let i = 0; i < weights.length; i++) z += weights[i] * inputs[i];
  return 1 / (1 + Math.exp(-z));
}

const STEPS = 30;

/** `ridge`: the penalty on the square of each weight of an input with standard deviation 1. */
export function fitLogistic(samples: readonly Sample[], ridge: number): Fitted {
  const size = samples[0].inputs.length;
  const { mean, deviation } = standardise(samples, size);
  const rows = samples.map(({ inputs }) => inputs.map((x, i) => (x - mean[i]) / deviation[i]));
  const n = size + 1, w = new Float64Array(n);
  for (let step = 0; step < STEPS; step++) {
    const gradient = new Float64Array(n), hessian = Array.from({ length: n }, () => new Float64Array(n));
    for (let i = 1; i < n; i++) {
      gradient[i] = -ridge * w[i];
      hessian[i][i] = ridge;
    }
    hessian[0][0] = 1e-9;
    for (const [k, { label, weight }] of samples.entries()) {
      const row = rows[k];
      let z = w[0];
      for (let i = 0; i < size; i++) z += w[i + 1] * row[i];
      const p = 1 / (1 + Math.exp(-z)), pull = weight * (label - p), curve = weight * Math.max(1e-6, p * (1 - p));
      gradient[0] += pull;
      hessian[0][0] += curve;
      for (let i = 0; i < size; i++) {
        gradient[i + 1] += pull * row[i];
        hessian[i + 1][0] += curve * row[i];
        for (let j = 0; j <= i; j++) hessian[i + 1][j + 1] += curve * row[i] * row[j];
      }
    }
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) hessian[i][j] = hessian[j][i];
    const change = solve(hessian, gradient);
    for (let i = 0; i < n; i++) w[i] += Math.max(-2, Math.min(2, change[i]));
    if (Math.max(...change.map(Math.abs)) < 1e-5) break;
  }
  const weights = w.slice(1).map((x, i) => x / deviation[i]);
  return { bias: w[0] - weights.reduce((sum, x, i) => sum + x * mean[i], 0), weights };
}

function standardise(samples: readonly Sample[], size: number) {
  const mean = new Float64Array(size), square = new Float64Array(size);
  let total = 0;
  for (const { inputs, weight } of samples) {
    total += weight;
    for (let i = 0; i < size; i++) {
      mean[i] += weight * inputs[i];
      square[i] += weight * inputs[i] ** 2;
    }
  }
  for (let i = 0; i < size; i++) mean[i] /= total;
  // What never varies gets the weight 0 by the ridge.
  const deviation = square.map((s, i) => {
    const variance = s / total - mean[i] ** 2;
    return variance > 1e-12 ? Math.sqrt(variance) : 1;
  });
  return { mean, deviation };
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

/** A bin of the reliability curve: what was said, and what was so. */
export interface Bin {
  readonly from: number;
  readonly count: number;
  readonly said: number;
  readonly was: number;
}

/** Ten bins of equal width, and the expected calibration error: the mean distance of the two, weighed by count. */
export function measureCalibration(pairs: readonly { readonly p: number; readonly label: number }[]) {
  const bins = Array.from({ length: 10 }, () => ({ count: 0, said: 0, was: 0 }));
  for (const { p, label } of pairs) {
    const bin = bins[Math.min(9, Math.floor(p * 10))];
    bin.count++;
    bin.said += p;
    bin.was += label;
  }
  const error = bins.reduce((sum, { said, was }) => sum + Math.abs(said - was), 0) / Math.max(1, pairs.length);
  const curve: Bin[] = bins.map(({ count, said, was }, i) => ({
    from: i / 10,
    count,
    said: count === 0 ? 0 : said / count,
    was: count === 0 ? 0 : was / count,
  }));
  return { error, curve };
}
