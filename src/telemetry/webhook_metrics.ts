/** The metrics of webhooks. No label holds a URL, an id or a workspace. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { amount, seconds, word } from "./metric_labels.ts";
import type { WebhookCount } from "./metric_sources.ts";

const ATTEMPT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Counts attempts in this process, and shows numbers that it reads from the database. */
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
      help: "Attempts to send a message to a webhook, by result.",
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
      help: "Deliveries that became dead: their last attempt failed, or the receiver refused them.",
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
      help: "Pending deliveries of enabled webhooks.",
      registers,
    });
    this.#oldest = new Gauge({
      name: "svc_webhook_oldest_pending_seconds",
      help: "Age of the oldest pending delivery of an enabled webhook; 0 when there is none.",
      registers,
    });
    for (const result of ["delivered", "failed", "throttled", "refused"]) this.#attempts.inc({ result }, 0);
  }

  /** Records an attempt to send a message: its result, and how long it took in milliseconds. */
  observeAttempt(result: string, durationMs: number): void {
    this.#attempts.inc({ result: word(result) });
    this.#seconds.observe(seconds(durationMs));
  }

  /** Counts deliveries that became dead. */
  countDead(count: number): void {
    this.#dead.inc(amount(count));
  }

  /** Replaces the numbers that the database holds for all workspaces. */
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
