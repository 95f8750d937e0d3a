/** The metrics of webhooks. No URL, id or workspace is a label. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { amount, seconds, word } from "./metric_labels.ts";
import type { WebhookCount } from "./metric_sources.ts";

const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

export class WebhookMetrics {
  readonly #attempts: Counter<"result">;
  readonly #seconds: Histogram;
  readonly #dead: Counter;
  readonly #endpoints: Gauge<"status">;
  readonly #pending: Gauge;
  readonly #oldest: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: "svc_webhook_attempts_total",
      help: "Messages that were sent to webhooks, or tried to be, by result.",
      labelNames: ["result"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "svc_webhook_attempt_seconds",
      help: "Time that an attempt to send a message took.",
      buckets: ATTEMPT_SECONDS,
      registers,
    });
    this.#dead = new Counter({
      name: "svc_webhook_dead_total",
      help: "Deliveries that were given up after their last attempt.",
      registers,
    });
    this.#endpoints = new Gauge({
      name: "svc_webhook_endpoints",
      help: "Endpoints of webhooks, by status.",
      labelNames: ["status"],
      registers,
    });
    this.#pending = new Gauge({
      name: "svc_webhook_pending",
      help: "Deliveries that are not done yet.",
      registers,
    });
    this.#oldest = new Gauge({
      name: "svc_webhook_oldest_pending_seconds",
      help: "Age of the oldest delivery that is not done yet; 0 when none is.",
      registers,
    });
    for (const result of ["delivered", "failed", "throttled", "refused"]) this.#attempts.inc({ result }, 0);
  }

  /** Records an attempt to send a message. */
  observeAttempt(result: string, durationMs: number): void {
    this.#attempts.inc({ result: word(result) });
    this.#seconds.observe(seconds(durationMs));
  }

  /** Counts deliveries that were given up. */
  countDead(count: number): void {
    this.#dead.inc(amount(count));
  }

  /** Replaces what the store says of all workspaces. */
  set(rows: readonly WebhookCount[]): void {
    this.#endpoints.reset();
    for (const { unverified, enabled, disabled, pending, oldestPendingSeconds } of rows) {
      for (const [status, count] of Object.entries({ unverified, enabled, disabled })) {
        this.#endpoints.set({ status }, amount(count));
      }
      this.#pending.set(amount(pending));
      this.#oldest.set(amount(oldestPendingSeconds));
    }
  }
}
