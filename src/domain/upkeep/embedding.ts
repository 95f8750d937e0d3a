/**
 * Embeds texts that have no embedding, or one of another model. After a failure it does not call the provider for a
 * while.
 */
import type { OperationContext } from "../../context.ts";
import { EmbeddingError, type ProviderFailure } from "../../providers/provider_error.ts";
import { embeddingEndpointDown, embeddingEndpointRecovered, embeddingRefused } from "../../telemetry/events.ts";
import { activityOf } from "../common/activity.ts";
import { perService } from "../common/per_service.ts";
import { embedPendingGoals } from "../reasoning/vectors.ts";
import { embedPending } from "../recall/maintenance.ts";

/**
 * How long a failed provider is not called; the delay grows with each failure. Times are those of `performance.now()`.
 */
interface BackOff {
  readonly since: number;
  readonly delayMs: number;
  readonly until: number;
}

interface ProviderState {
  down: BackOff | undefined;
  /** The workspace in which it failed last, until it succeeds there: trying one workspace shows whether it is back. */
  failedIn: string | undefined;
}

const providerOf = perService((): ProviderState => ({ down: undefined, failedIn: undefined }));
/** Failures that one text can cause. */
const OF_A_TEXT: ReadonlySet<ProviderFailure> = new Set(["rejected", "not_finite", "zero_vector"]);
const DELAY_MS_MIN = 1_000;
const DELAY_MS_MAX = 60_000;

/** Embeds a batch of the workspace's texts; returns whether there is more: not while the provider is down. */
export async function embedWorkspace(ctx: OperationContext): Promise<boolean> {
  const { deps, signal } = ctx;
  const { log } = deps.telemetry;
  const { model } = deps.embeddings;
  const provider = providerOf(deps);
  const { down } = provider;
  if (down !== undefined && performance.now() < down.until) {
    if (provider.failedIn === ctx.workspaceId) activityOf(deps).noteWaiting(ctx.workspaceId);
    return false;
  }
  try {
    const more = [await embedPending(ctx), await embedPendingGoals(ctx)].includes(true);
    if (down !== undefined) {
      provider.down = undefined;
      embeddingEndpointRecovered(log, { model, downMs: Math.round(performance.now() - down.since) });
    }
    if (provider.failedIn === ctx.workspaceId) {
      provider.failedIn = undefined;
      activityOf(deps).noteGap();
    }
    return more;
  } catch (error) {
    if (signal.aborted) return false;
    // A refusal by the database is not the provider's fault.
    if (!(error instanceof EmbeddingError)) throw error;
    if (OF_A_TEXT.has(error.reason)) {
      // The endpoint works, so the loop embeds the texts of other workspaces and tries this workspace again later.
      embeddingRefused(log, { model, workspaceId: ctx.workspaceId, error });
      return false;
    }
    if (down === undefined) embeddingEndpointDown(log, { model, error });
    const now = performance.now();
    const delayMs = Math.min(DELAY_MS_MAX, down === undefined ? DELAY_MS_MIN : 2 * down.delayMs);
    provider.down = { since: down?.since ?? now, delayMs, until: now + delayMs };
    provider.failedIn = ctx.workspaceId;
    activityOf(deps).noteWaiting(ctx.workspaceId);
    return false;
  }
}
