/**
 * The metrics of the service, in the Prometheus text format.
 *
 * Labels are few and bounded: an endpoint is its route template (anything unmatched is `unmatched`), a workspace is
 * its UUID, and no label holds a name, a key or an id of a thing. Counters and histograms are fed by typed methods;
 * gauges that describe the store are read by callbacks when the page is rendered, at most once per `sourceTtlMs` and
 * for at most a twentieth of the time.
 */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { amount, seconds, word } from "./metric_labels.ts";
import { type MetricsOptions, type MetricSources, type Source, sourceOf, type StreamSizes } from "./metric_sources.ts";
import { EmbeddingMetrics } from "./embedding_metrics.ts";
import { FederationCounters, type TokenRefusal } from "./federation_counters.ts";
import { type PeerGaugeRow, PeerGauges } from "./peer_gauges.ts";
import { REQUEST_SECONDS, RequestMetrics, type RequestObservation } from "./request_metrics.ts";
import { StoreGauges } from "./store_gauges.ts";
import { WebhookMetrics } from "./webhook_metrics.ts";

export interface MetricsPage {
  readonly contentType: string;
  readonly body: string;
}

const RECALL_TIERS = ["hot", "lexical", "semantic", "graph", "temporal"] as const;
/** Why streams end: the reader left, the service stops, the key lost its right, the reader is too slow, a fault. */
export const STREAM_ENDS = ["closed", "stopping", "access", "too_slow", "fault"] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];
const MODEL = /^[\w][\w.:/@+-]{0,199}$/;

/** The label of a model, which is a caller's word. */
function modelLabel(model: string): string {
  return MODEL.test(model) ? model : "other";
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #options: MetricsOptions;
  #sources: readonly Source[] = [];
  #isHearing: () => boolean = () => true;
  #isVectorIndexReady: () => boolean = () => true;
  #readStreams: () => StreamSizes = () => ({ open: 0 });

  readonly #requests = new RequestMetrics(this.#registry);
  readonly #recallSeconds = new Histogram({
    name: "svc_recall_duration_seconds",
    help: "Time that a recall spent in a tier.",
    labelNames: ["tier"],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });
  readonly #recallHits = new Counter({
    name: "svc_recall_tier_hits_total",
    help: "Results that recalls returned, by the tier that found them; pinned units apart.",
    labelNames: ["tier"],
    registers: [this.#registry],
  });
  readonly #recallSources = new Counter({
    name: "svc_recall_sources_total",
    help: "Full recalls, by what they were ranked from: the memory of the process, or the database.",
    labelNames: ["source"],
    registers: [this.#registry],
  });
  readonly #store = new StoreGauges(this.#registry);
  readonly #tokens = new Counter({
    name: "svc_llm_tokens_used_total",
    help: "Tokens that model endpoints charged, by model and operation.",
    labelNames: ["model", "operation"],
    registers: [this.#registry],
  });
  readonly #tokensSaved = new Counter({
    name: "svc_tokens_saved_total",
    help: "Tokens that callers did not have to send to a model, by mechanism.",
    labelNames: ["mechanism"],
    registers: [this.#registry],
  });
  readonly #recallsDropped = new Counter({
    name: "svc_recall_diary_dropped_total",
    help: "Recalls that the recall diary lost because too many waited to be written.",
    registers: [this.#registry],
  });
  readonly #streams = new Gauge({
    name: "svc_streams_open",
    help: "Streams that this process has open.",
    registers: [this.#registry],
  });
  readonly #streamEnds = new Counter({
    name: "svc_streams_ended_total",
    help: "Streams that ended, by reason.",
    labelNames: ["reason"],
    registers: [this.#registry],
  });
  readonly #cacheOutages = new Counter({
    name: "svc_cache_outages_total",
    help: "Times that Redis was found away, so that this process went on by itself.",
    registers: [this.#registry],
  });
  readonly #notificationsHeard = new Gauge({
    name: "svc_notifications_heard",
    help: "1 while notifications of other processes arrive, 0 while this process is deaf.",
    registers: [this.#registry],
  });
  readonly #vectorIndexReady = new Gauge({
    name: "svc_vector_index_ready",
    help: "0 while the nearest-neighbour index over the embedding model's vectors is missing or being built, else 1.",
    registers: [this.#registry],
  });
  readonly #notificationGaps = new Counter({
    name: "svc_notification_gaps_total",
    help: "Times that notifications may have been missed: listening began (again), or nothing was heard for seconds.",
    registers: [this.#registry],
  });
  readonly #replicaReads = new Counter({
    name: "svc_replica_reads_total",
    help: "Reads that a replica may answer: answered there (replica), or by the primary and why.",
    labelNames: ["outcome"],
    registers: [this.#registry],
  });
  readonly #adminEntries = new Counter({
    name: "svc_admin_opened_workspace_total",
    help: "Keys of workspaces in use that an admin's bearer created, rotated or widened, and tokens that it got",
    labelNames: ["how"],
    registers: [this.#registry],
  });
  readonly #certificatesIgnored = new Counter({
    name: "svc_client_certificates_ignored_total",
    help: "Client certificates in headers that were not believed, by reason.",
    labelNames: ["reason"],
    registers: [this.#registry],
  });

  readonly #outboundRequests = new Counter({
    name: "svc_outbound_requests_total",
    help:
      "Requests to other servers that federation, webhooks and questions to issuers made, by the class of the status or why none came.",
    labelNames: ["use", "result"],
    registers: [this.#registry],
  });
  readonly #peers = new PeerGauges(this.#registry);
  readonly #webhooks = new WebhookMetrics(this.#registry);
  readonly #embeddings = new EmbeddingMetrics(this.#registry);
  readonly #federation = new FederationCounters(this.#registry);

  constructor(options: MetricsOptions = {}) {
    this.#options = options;
    this.attach(options.sources ?? {});
    for (const tier of RECALL_TIERS) this.#recallHits.inc({ tier }, 0);
    for (const source of ["memory", "database"] as const) this.#recallSources.inc({ source }, 0);
    for (const reason of ["untrusted_source", "unreadable"]) this.#certificatesIgnored.inc({ reason }, 0);
    for (const how of ["created", "rotated", "widened"]) this.#adminEntries.inc({ how }, 0);
    for (const reason of STREAM_ENDS) this.#streamEnds.inc({ reason }, 0);
  }

  /** Adds sources, because the store and the hot tier are created after the metrics to which they report. */
  attach({ isHearing, isVectorIndexReady, streams, ...sources }: MetricSources): void {
    const { facts, worth, hotTier, peers, webhooks, embeddings } = sources;
    if (isHearing) this.#isHearing = isHearing;
    if (isVectorIndexReady) this.#isVectorIndexReady = isVectorIndexReady;
    if (streams) this.#readStreams = streams;
    this.#sources = [
      ...this.#sources,
      sourceOf("facts", facts, (rows) => this.#store.setFacts(rows), this.#options),
      sourceOf("worth", worth, (rows) => this.#store.setWorth(rows), this.#options),
      sourceOf("peers", peers, (rows) => this.#showPeers(rows), this.#options),
      sourceOf("webhooks", webhooks, (rows) => this.#webhooks.set(rows), this.#options),
      sourceOf("embeddings", embeddings, (rows) => this.#embeddings.setBacklog(rows), this.#options),
      sourceOf("hotTier", hotTier, (rows) => this.#store.setHotTier(rows), this.#options),
    ].filter((source) => source !== undefined);
  }

  /** Counts a request with its duration and, when it failed, its error. */
  observeRequest(request: RequestObservation): void {
    this.#requests.observe(request);
  }

  /** Counts an error that no reply carries, such as one inside a stream that already began. */
  countError(error: { method: string; endpoint: string | undefined; type: string }): void {
    this.#requests.countError(error);
  }

  /** Records one tier's part in a recall. `hits`: the results of the reply that it found. */
  observeRecallTier(tier: string, durationMs: number, hits: number): void {
    this.#recallSeconds.observe({ tier: word(tier) }, seconds(durationMs));
    this.#recallHits.inc({ tier: word(tier) }, amount(hits));
  }

  /** Counts a full recall by the source of its ranking. */
  countRecallSource(source: "memory" | "database"): void {
    this.#recallSources.inc({ source });
  }

  /** Counts tokens that a model endpoint reported. `operation` is a word such as `embed` or `collapse`. */
  countTokens(model: string, operation: string, tokens: number): void {
    this.#tokens.inc({ model: modelLabel(model), operation: word(operation) }, amount(tokens));
  }

  /** Records the time in which texts were embedded together. `purpose`: `query` or `document`. */
  observeEmbedding(model: string, purpose: string, texts: number, durationMs: number): void {
    this.#embeddings.observe(modelLabel(model), purpose, texts, durationMs);
  }

  /** Counts tokens saved; `mechanism` is a word such as `packing` or `collapse`. */
  countTokensSaved(mechanism: string, tokens: number): void {
    this.#tokensSaved.inc({ mechanism: word(mechanism) }, amount(tokens));
  }

  /** Counts recalls that the diary lost. */
  countRecallsDropped(recalls: number): void {
    this.#recallsDropped.inc(amount(recalls));
  }

  /** Counts a key through which an admin can enter a workspace that is in use. */
  countAdminEntry(how: "created" | "rotated" | "widened" | "token"): void {
    this.#adminEntries.inc({ how });
  }

  /** Counts a client certificate that was ignored. */
  countIgnoredCertificate(reason: "untrusted_source" | "unreadable"): void {
    this.#certificatesIgnored.inc({ reason });
  }

  /** Counts a request to another server. `use`: its purpose; `result`: `2xx` to `5xx`, or why no reply came. */
  countOutboundRequest(use: string, result: string): void {
    this.#outboundRequests.inc({ use: word(use), result: /^[2-5]xx$/.test(result) ? result : word(result) });
  }

  get webhooks(): WebhookMetrics {
    return this.#webhooks;
  }

  /** Counts a federation token that was refused, by reason: the clocks, another check, or a second use. */
  countRefusedToken(reason: TokenRefusal): void {
    this.#federation.countRefusedToken(reason);
  }

  /** Counts items that were exchanged with a peer, and those among them that a person has to settle. */
  countSynced(peer: string, counts: { readonly items: number; readonly conflicts: number }): void {
    this.#federation.countSynced(peer, counts);
  }

  /** Counts items of a peer that were not accepted. `code`: the outcome that the peer got. */
  countRejected(peer: string, code: string, count: number): void {
    this.#federation.countRejected(peer, code, count);
  }

  /** Records how long a turn with a peer took, in seconds. */
  observeTurn(turnSeconds: number): void {
    this.#federation.observeTurn(turnSeconds);
  }

  /** Counts a peer's federation token that was used a second time. */
  countReplay(peer: string): void {
    this.#federation.countReplay(peer);
  }

  /** Counts that Redis stopped answering. */
  countCacheOutage(): void {
    this.#cacheOutages.inc();
  }

  countStreamEnd(reason: StreamEnd): void {
    this.#streamEnds.inc({ reason });
  }

  /** Counts that notifications may have been missed. */
  countNotificationGap(): void {
    this.#notificationGaps.inc();
  }

  /** Counts a read that a replica may answer. */
  countReplicaRead(outcome: string): void {
    this.#replicaReads.inc({ outcome: word(outcome) });
  }

  /** Renders the page of `GET /metrics`. A failed source does not fail it: a dead database must not hide counters. */
  async render(): Promise<MetricsPage> {
    await Promise.all(this.#sources.map((source) => source.refresh()));
    this.#streams.set(this.#readStreams().open);
    this.#notificationsHeard.set(this.#isHearing() ? 1 : 0);
    this.#vectorIndexReady.set(this.#isVectorIndexReady() ? 1 : 0);
    return { contentType: this.#registry.contentType, body: await this.#registry.metrics() };
  }

  #showPeers(rows: readonly PeerGaugeRow[]): void {
    this.#peers.set(rows);
    this.#federation.showPeers(rows.map(({ peer }) => peer));
  }
}
