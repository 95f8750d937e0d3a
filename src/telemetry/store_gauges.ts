/** Gauges of stored data: facts, the worth of units, and the part that this process holds in its hot tier. */
import { Gauge, type Registry } from "prom-client";
import { looksLikeUuid } from "../schema/uuid.ts";
import { amount, word, WORTH_BUCKETS } from "./metric_labels.ts";
import type { FactCount, HotTierSize, WorthCount } from "./metric_sources.ts";

/** The most series of one gauge; a larger page could not be scraped. */
const SERIES_MAX = 10_000;

export class StoreGauges {
  readonly #facts: Gauge<"workspace" | "type" | "status">;
  readonly #worth: Gauge<"bucket">;
  readonly #hotTier: Gauge<"workspace">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#facts = new Gauge({
      name: "svc_facts_total",
      help: "Facts stored, by workspace, type and status.",
      labelNames: ["workspace", "type", "status"],
      registers,
    });
    this.#worth = new Gauge({
      name: "svc_worth_distribution",
      help: "Knowledge units by worth, in tenths from 0 to 1.",
      labelNames: ["bucket"],
      registers,
    });
    this.#hotTier = new Gauge({
      name: "svc_hot_tier_size",
      help: "Units that this process holds in its hot tier, by workspace.",
      labelNames: ["workspace"],
      registers,
    });
  }

  /** Replaces all fact counts. */
  setFacts(rows: readonly FactCount[]): void {
    this.#facts.reset();
    for (const { workspaceId, type, status, count } of rows.slice(0, SERIES_MAX)) {
      if (looksLikeUuid(workspaceId)) {
        this.#facts.inc({ workspace: workspaceId, type: word(type), status: word(status) }, amount(count));
      }
    }
  }

  /** Replaces the worth distribution. Buckets without a row are shown as 0, so that all ten always exist. */
  setWorth(rows: readonly WorthCount[]): void {
    this.#worth.reset();
    if (rows.length === 0) return;
    for (const bucket of WORTH_BUCKETS) this.#worth.set({ bucket }, 0);
    for (const { bucket, count } of rows) {
      if (WORTH_BUCKETS.includes(bucket)) this.#worth.inc({ bucket }, amount(count));
    }
  }

  /** Replaces the sizes of the hot tier. */
  setHotTier(rows: readonly HotTierSize[]): void {
    this.#hotTier.reset();
    for (const { workspaceId, units } of rows.slice(0, SERIES_MAX)) {
      if (looksLikeUuid(workspaceId)) this.#hotTier.inc({ workspace: workspaceId }, amount(units));
    }
  }
}
