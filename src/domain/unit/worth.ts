/**
 * Computes the worth of a unit, 0 to 1, without I/O: a formula over trust, use, outcome feedback, corroboration,
 * recency and contestedness.
 *
 * worth = (0.30 trust + 0.20 use + 0.25 feedback + 0.10 corroboration + 0.15 recency) × (1 − 0.5 contestedness)
 *
 * Each part is between 0 and 1; worth never falls when trust, use, helpful votes, corroboration or recency rise, and
 * never rises with harmful votes, age or contestedness.
 */

/** The weight of each part; together 1. */
export const WORTH_WEIGHTS = { trust: 0.3, use: 0.2, feedback: 0.25, corroboration: 0.1, recency: 0.15 } as const;
/** The share of its worth that a contested unit loses; a stale one loses half of that. */
export const CONTESTED_PENALTY = 0.5;
/** The numbers of uses, and of further statements, at which their part is one half. */
export const USES_HALF = 5;
export const CORROBORATIONS_HALF = 2;
/** A signal `used` counts as this many uses, because recall returns more than is used. */
export const USED_SIGNAL_USES = 3;

export interface WorthInput {
  /** 0 to 100. */
  readonly trustScore: number;
  /** How often recall returned it or an agent said that it used it. */
  readonly uses: number;
  /** Weights of the votes, one for each key at most, and one for the outcomes of a skill or strategy. */
  readonly helpful: number;
  readonly harmful: number;
  readonly corroborations: number;
  /** Days since it was last written or used. */
  readonly ageDays: number;
  readonly isContested: boolean;
  readonly isStale: boolean;
}

export interface WorthParts {
  readonly trust: number;
  readonly use: number;
  readonly feedback: number;
  readonly corroboration: number;
  readonly recency: number;
  readonly contestedness: number;
}

export interface Worth {
  readonly worth: number;
  readonly parts: WorthParts;
}

function saturate(count: number, half: number): number {
  return count <= 0 ? 0 : count / (count + half);
}

/** @param halfLifeDays the days without a write or a use after which recency is one half */
export function computeWorth(input: WorthInput, halfLifeDays: number): Worth {
  const parts: WorthParts = {
    trust: Math.min(1, Math.max(0, input.trustScore / 100)),
    use: saturate(input.uses, USES_HALF),
    // The mean of a Beta distribution that begins with one vote each way: without feedback it is neutral.
    feedback: (1 + input.helpful) / (2 + input.helpful + input.harmful),
    corroboration: saturate(input.corroborations, CORROBORATIONS_HALF),
    recency: 2 ** (-Math.max(0, input.ageDays) / halfLifeDays),
    contestedness: input.isContested ? 1 : input.isStale ? 0.5 : 0,
  };
  return { worth: worthOfParts(parts), parts };
}

/**
 * Weighs the parts of a unit's worth.
 * @returns 0 to 1, with four decimals
 */
export function worthOfParts(parts: WorthParts): number {
  const sum = Object.entries(WORTH_WEIGHTS).reduce(
    (total, [name, weight]) => total + weight * parts[name as keyof typeof WORTH_WEIGHTS],
    0,
  );
  const worth = sum * (1 - CONTESTED_PENALTY * parts.contestedness);
  return Math.round(Math.min(1, Math.max(0, worth)) * 1e4) / 1e4;
}

/** The worth of a unit that is being written: nobody has used or judged it yet. */
export function freshWorth(trustScore: number, isStale: boolean): Worth {
  const input = { trustScore, uses: 0, helpful: 0, harmful: 0, corroborations: 0, ageDays: 0 };
  return computeWorth({ ...input, isContested: false, isStale }, 1);
}

/** Time may lower a worth by so much before it is computed again. */
const DECAY_STEP = 0.005;
const DAYS_MIN = 1;
const DAYS_MAX = 30;

/** The days after which time alone has changed the worth noticeably; 1 to 30. */
export function daysUntilDecayed(parts: WorthParts, halfLifeDays: number): number {
  const step = DECAY_STEP / (WORTH_WEIGHTS.recency * (1 - CONTESTED_PENALTY * parts.contestedness));
  if (parts.recency <= step) return DAYS_MAX;
  const days = halfLifeDays * Math.log2(parts.recency / (parts.recency - step));
  return Math.min(DAYS_MAX, Math.max(DAYS_MIN, days));
}
