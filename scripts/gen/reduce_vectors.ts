/**
 * Makes word vectors shorter: the mean goes, then the strongest directions, which say how frequent a word is rather than
 * what it means, and of the rest the strongest are kept. Only additions, products, quotients and square roots in a fixed
 * order are used, so that every platform makes the same bytes.
 */

/** Sweeps over all pairs of dimensions after which a matrix of 100 dimensions is diagonal to the last bit that counts. */
const SWEEPS_MAX = 30;

/**
 * The components of each row along the principal directions of all rows, the strongest first.
 *
 * @param dropped directions that are left out at the beginning; @param kept those that are kept after them.
 */
export function projectOnPrincipal(rows: readonly Float64Array[], dropped: number, kept: number): Float64Array[] {
  const centred = centre(rows);
  const { values, vectors } = diagonalise(covarianceOf(centred));
  const order = Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
  const chosen = order.slice(dropped, dropped + kept);
  return centred.map((row) =>
    Float64Array.from(chosen, (direction) => {
      let sum = 0;
      for (let d = 0; d < row.length; d++) sum += row[d] * vectors[d][direction];
      return sum;
    })
  );
}

function centre(rows: readonly Float64Array[]): Float64Array[] {
  const mean = new Float64Array(rows[0].length);
  for (const row of rows) for (let d = 0; d < mean.length; d++) mean[d] += row[d] / rows.length;
  return rows.map((row) => row.map((value, d) => value - mean[d]));
}

function covarianceOf(rows: readonly Float64Array[]): Float64Array[] {
  const n = rows[0].length;
  const out = Array.from({ length: n }, () => new Float64Array(n));
  for (const row of rows) {
    for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) out[i][j] += row[i] * row[j] / rows.length;
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) out[j][i] = out[i][j];
  return out;
}

/** Eigenvalues and, in columns, eigenvectors of a symmetric matrix, by Jacobi's rotations; the matrix is used up. */
function diagonalise(a: Float64Array[]): { values: Float64Array; vectors: Float64Array[] } {
  const n = a.length;
  const v = Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => i === j ? 1 : 0));
  for (let sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    let rotated = false;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(a[p][q]) <= 1e-15 * Math.sqrt(Math.abs(a[p][p] * a[q][q]))) continue;
        rotated = true;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1), s = t * c;
        for (let k = 0; k < n; k++) rotate(a[k], p, q, c, s);
        for (let k = 0; k < n; k++) {
          const up = a[p][k], uq = a[q][k];
          a[p][k] = c * up - s * uq;
          a[q][k] = s * up + c * uq;
        }
        for (let k = 0; k < n; k++) rotate(v[k], p, q, c, s);
      }
    }
    if (!rotated) break;
  }
  // A direction has no sign of its own: the greatest component is positive.
  for (let j = 0; j < n; j++) {
    let greatest = 0;
    for (let i = 0; i < n; i++) if (Math.abs(v[i][j]) > Math.abs(greatest)) greatest = v[i][j];
    if (greatest < 0) { for (let i = 0; i < n; i++) v[i][j] = -v[i][j]; }
  }
  return { values: Float64Array.from(a, (row, i) => row[i]), vectors: v };
}

function rotate(row: Float64Array, p: number, q: number, c: number, s: number): void {
  const up = row[p], uq = row[q];
  row[p] = c * up - s * uq;
  row[q] = s * up + c * uq;
}
