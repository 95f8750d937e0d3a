/** The metrics of what makes vectors, and of what compares texts by them. */
import { Gauge, Histogram, type Registry } from "prom-client";
import { amount, seconds, word } from "./metric_labels.ts";
import type { EmbeddingBacklog } from "./metric_sources.ts";

/** From a look into the table to a slow endpoint. */
const TEXT_SECONDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export class EmbeddingMetrics {
  readonly #seconds: Histogram<"model" | "purpose">;
  readonly #backlog: Gauge;
  readonly #unlinked: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#seconds = new Histogram({
      name: "svc_embedding_text_seconds",
      help:
        "Time that a text's vector took, with its wait, by model and purpose; of texts embedded together, their mean.",
      labelNames: ["model", "purpose"],
      buckets: TEXT_SECONDS,
      registers,
    });
    this.#backlog = new Gauge({
      name: "svc_embedding_backlog",
      help: "Texts of all workspaces that have no vector of the present model yet.",
      registers,
    });
    this.#unlinked = new Gauge({
      name: "svc_newer_links_behind",
      help: "Workspaces whose texts of an earlier build have no links to newer ones yet.",
      registers,
    });
  }

  /** Records that some texts were embedded together, in milliseconds. `model`: as `modelLabel` says it. */
  observe(model: string, purpose: string, texts: number, durationMs: number): void {
    if (texts > 0) this.#seconds.observe({ model, purpose: word(purpose) }, seconds(durationMs / texts));
  }

  /** Shows how many texts wait. */
  setBacklog([backlog]: readonly EmbeddingBacklog[]): void {
    this.#backlog.reset();
    this.#unlinked.reset();
    if (backlog === undefined) return;
    this.#backlog.set(amount(backlog.texts));
    this.#unlinked.set(amount(backlog.unlinkedWorkspaces));
  }
}
