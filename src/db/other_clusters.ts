/** The clusters beside the home cluster: each is looked at before it is used, and one that is away keeps nobody waiting. */
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import type { Clusters } from "./clusters.ts";
import { isConnectionError } from "./pool.ts";

export interface OtherClustersOptions {
  readonly db: Clusters;
  /** Makes sure that a cluster is fit to be used. @throws what speaks against it */
  readonly prepare: (name: string) => Promise<void>;
  /** Called once a cluster that may be used is used. */
  readonly onAdmitted: (name: string) => Promise<void>;
  /** Called when a cluster is away or unfit at first; and again when that has ended. */
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
   * Looks at all of them. Those that cannot be reached are looked at again and again.
   * @throws ServiceError `conflict` when one must not be used
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

  /** @returns why it was not admitted */
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
      // What is unfit is told once more: somebody has to do something about it.
      if (!isAway(error) && !isUnfit) onAway(name, error);
      isUnfit ||= !isAway(error);
    }
  }
}

function isAway(error: unknown): boolean {
  if (error instanceof ServiceError) return error.code === "unavailable" || error.code === "deadline_exceeded";
  return isConnectionError(error);
}
