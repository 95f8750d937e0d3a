/**
 * A circuit breaker: after some failures in a row it refuses calls immediately for a while, then lets one probe through
 * at a time. So a dead endpoint costs its callers only a few first calls.
 */

export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. */
  readonly failuresMax: number;
  /** How long the circuit stays open the first time; doubled with each failed probe. */
  readonly cooldownMs: number;
  readonly cooldownMsMax: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** The outcome of a call that `enter` let through. */
export type CallOutcome = { readonly kind: "ok" | "unknown" } | {
  readonly kind: "failed";
  /** The time that the endpoint asks for, as in `Retry-After`; opens the circuit immediately for at least that long. */
  readonly retryAfterMs?: number | undefined;
};

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #now: () => number;
  #failures = 0;
  #cooldownMs: number;
  /** Calls are refused until then; 0 when the circuit is closed. */
  #openUntil = 0;
  #probing = false;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#cooldownMs = options.cooldownMs;
  }

  /** Whether a call would be refused now. */
  get open(): boolean {
    return this.#openUntil > 0 && (this.#probing || this.#now() < this.#openUntil);
  }

  /** Whether the last calls succeeded, so that any number may run at the same time. */
  get closed(): boolean {
    return this.#openUntil === 0;
  }

  /**
   * Lets a call through and returns the function that must be called with its outcome, or `null` when the circuit is open.
   */
  enter(): ((outcome: CallOutcome) => void) | null {
    if (this.open) return null;
    const probe = this.#openUntil > 0;
    if (probe) this.#probing = true;
    return (outcome) => this.#leave(outcome, probe);
  }

  /** Closes the circuit, because an answer arrived by another way than a call that `enter` let through. */
  close(): void {
    this.#failures = 0;
    this.#openUntil = 0;
    this.#cooldownMs = this.#options.cooldownMs;
  }

  #leave(outcome: CallOutcome, probe: boolean): void {
    if (probe) this.#probing = false;
    if (outcome.kind === "ok") {
      this.close();
    } else if (outcome.kind === "failed") {
      this.#failures += 1;
      if (probe) this.#cooldownMs = Math.min(this.#cooldownMs * 2, this.#options.cooldownMsMax);
      const asked = Math.min(outcome.retryAfterMs ?? 0, this.#options.cooldownMsMax);
      if (probe || asked > 0 || this.#failures >= this.#options.failuresMax) {
        this.#openUntil = this.#now() + Math.max(this.#cooldownMs, asked);
      }
    }
  }
}
