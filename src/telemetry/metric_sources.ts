/**
 * The sources of gauges: callbacks that the registry calls when it renders the metrics page. It calls them seldom, and
 * waits for a limited time.
 */

import type { PeerGaugeRow } from "./peer_gauges.ts";

/** Number of facts of a workspace with one type and status. */
export interface FactCount {
  readonly workspaceId: string;
  readonly type: string;
  readonly status: string;
  readonly count: number;
}

/** Number of knowledge units whose worth lies in a bucket; use `worthBucket` to find it. */
export interface WorthCount {
  readonly bucket: string;
  readonly count: number;
}

/** Number of units that the hot tier holds for a workspace. */
export interface HotTierSize {
  readonly workspaceId: string;
  readonly units: number;
}

/** Texts of all workspaces that have no vector of the present model. */
export interface EmbeddingBacklog {
  readonly texts: number;
  /** Workspaces whose earlier texts wait for links to newer ones. */
  readonly unlinkedWorkspaces: number;
}

/** Endpoints of webhooks by status, and their unfinished deliveries, in all workspaces. */
export interface WebhookCount {
  readonly unverified: number;
  readonly enabled: number;
  readonly disabled: number;
  readonly pending: number;
  readonly oldestPendingSeconds: number;
}

/** The streams of this process. */
export interface StreamSizes {
  readonly open: number;
}

/** The sources of the gauges. One that fails or is absent leaves its gauge without series. */
export interface MetricSources {
  readonly facts?: () => Promise<readonly FactCount[]> | readonly FactCount[];
  readonly worth?: () => Promise<readonly WorthCount[]> | readonly WorthCount[];
  readonly hotTier?: () => Promise<readonly HotTierSize[]> | readonly HotTierSize[];
  readonly embeddings?: () => Promise<readonly EmbeddingBacklog[]>;
  readonly peers?: () => Promise<readonly PeerGaugeRow[]>;
  readonly webhooks?: () => Promise<readonly WebhookCount[]>;
  readonly streams?: () => StreamSizes;
  /** Whether notifications from other processes arrive. */
  readonly isHearing?: () => boolean;
  /** Whether the index that finds the nearest vectors is ready, or none is needed. */
  readonly isVectorIndexReady?: () => boolean;
}

export interface MetricsOptions {
  readonly sources?: MetricSources;
  /** How long a source's answer is reused, in milliseconds. Default 15,000. */
  readonly sourceTtlMs?: number;
  /** How long a page waits for a source before it shows the last answer, in milliseconds. Default 1,000. */
  readonly sourceTimeoutMs?: number;
  /** Called when a source fails, to log it. */
  readonly onSourceError?: (source: string, error: unknown) => void;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/**
 * A source is not called again for this many times as long as its last call took, however often the page is requested.
 */
const REST_FACTOR = 20;

/** A cached callback: one call at a time, at most one per TTL, and a page waits for it only so long. */
export class Source {
  readonly #read: () => Promise<void>;
  readonly #ttlMs: number;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #freshUntil = -Infinity;
  #running: Promise<void> | undefined;

  constructor(read: () => Promise<void>, options: MetricsOptions) {
    this.#read = read;
    this.#ttlMs = options.sourceTtlMs ?? 15_000;
    this.#timeoutMs = options.sourceTimeoutMs ?? 1_000;
    this.#now = options.now ?? (() => performance.now());
  }

  async refresh(): Promise<void> {
    const started = this.#now();
    if (started < this.#freshUntil) return;
    this.#running ??= this.#read().finally(() => {
      const ended = this.#now();
      this.#freshUntil = ended + Math.max(this.#ttlMs, REST_FACTOR * (ended - started));
      this.#running = undefined;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = new Promise<void>((resolve) => timer = setTimeout(resolve, this.#timeoutMs));
    await Promise.race([this.#running, waited]);
    clearTimeout(timer);
  }
}

/** A source of rows; when it fails, its gauge has none. */
export function sourceOf<Row>(
  name: string,
  read: (() => Promise<readonly Row[]> | readonly Row[]) | undefined,
  apply: (rows: readonly Row[]) => void,
  options: MetricsOptions,
): Source | undefined {
  if (read === undefined) return undefined;
  return new Source(async () => {
    try {
      apply(await read());
    } catch (error) {
      // No numbers are better than possibly wrong ones.
      apply([]);
      options.onSourceError?.(name, error);
    }
  }, options);
}
