/**
 * The clusters other than the home cluster. Each is checked before it is used, and one that cannot be reached delays
 * nobody.
 */
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import type { Clusters } from "./clusters.ts";
import { isConnectionError } from "./pool.ts";

export interface OtherClustersOptions {
  readonly db: Clusters;
  /** Checks whether a cluster may be used. @throws the reason why it may not */
  readonly prepare: (name: string) => Promise<void>;
  /** Called after a cluster was admitted. */
  readonly onAdmitted: (name: string) => Promise<void>;
  /** Called when a cluster cannot be reached at first, and once more if it then fails its checks. */
  readonly onAway: (name: string, error: unknown) => void;
  readonly onBack: (name: string, awayMs: number) => void;
  readonly stopping: AbortSignal;
}

const RETRY_MS = 1_000;

export class OtherClusters implements AsyncDisposable {
  readonly #options: OtherClustersOptions;
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(options: OtherClustersOptions) {
    this.#options = options;
  }

  /**
   * Admits every cluster that passes its checks. Those that cannot be reached are tried again every second, in the
   * background.
   * @throws ServiceError `conflict` when a cluster must not be used
   */
  async admit(): Promise<void> {
    const [, ...names] = this.#options.db.clusters.keys();
    await Promise.all(
      names.filter((name) => !this.#waiting.has(name)).map(async (name) => {
        const error = await this.#try(name);
        if (error === undefined) return;
        if (!isAway(error)) throw error;
        this.#options.onAway(name, error);
        this.#waiting.set(name, this.#tryLater(name));
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#waiting.values());
  }

  /** @returns why the cluster was not admitted; undefined when it was */
  async #try(name: string): Promise<unknown> {
    try {
      await this.#options.prepare(name);
    } catch (error) {
      return error;
    }
    this.#options.db.admit(name);
    await this.#options.onAdmitted(name);
  }

  async #tryLater(name: string): Promise<void> {
    const { stopping, onAway, onBack } = this.#options;
    const since = performance.now();
    for (let isUnfit = false;;) {
      await pause(RETRY_MS, stopping);
      if (stopping.aborted) return;
      const error = await this.#try(name);
      if (error === undefined) return onBack(name, performance.now() - since);
      // Report it once more when the cluster can be reached but fails its checks: somebody has to act.
      if (!isAway(error) && !isUnfit) onAway(name, error);
      isUnfit ||= !isAway(error);
    }
  }
}

function isAway(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === "unavailable" || error.code === "deadline_exceeded";
  return isConnectionError(error);
}
