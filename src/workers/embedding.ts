/** The loop that embeds what waits, and re-embeds when the model has changed. */
import type { Deps, OperationContext } from "../context.ts";
import { embedPendingGoals } from "../domain/reasoning/vectors.ts";
import { embedPending } from "../domain/recall/maintenance.ts";
import { embeddingEndpointDown, embeddingEndpointRecovered } from "../telemetry/events.ts";

/** A provider that is down is left alone for a while, and longer each time. */
interface BackOff {
  readonly since: number;
  readonly delayMs: number;
  readonly until: number;
}

const backOffs = new WeakMap<Deps, BackOff>();
const DELAY_MS_MIN = 1_000;
const DELAY_MS_MAX = 60_000;

/** Embeds a batch of the workspace's texts; answers whether there is more. */
export async function embedWorkspace(ctx: OperationContext): Promise<boolean> {
  const { deps, signal } = ctx;
  const { log } = deps.telemetry;
  const { model } = deps.embeddings;
  const down = backOffs.get(deps);
  if (down !== undefined && performance.now() < down.until) return false;
  try {
    const more = [await embedPending(ctx), await embedPendingGoals(ctx)].includes(true);
    if (down !== undefined) {
      backOffs.delete(deps);
      embeddingEndpointRecovered(log, { model, downMs: Math.round(performance.now() - down.since) });
    }
    return more;
  } catch (error) {
    if (signal.aborted) return false;
    // What the database refuses is not the provider's fault.
    if (!(error instanceof Error && error.name === "EmbeddingError")) throw error;
    if (down === undefined) embeddingEndpointDown(log, { model, error });
    const now = performance.now();
    const delayMs = Math.min(DELAY_MS_MAX, down === undefined ? DELAY_MS_MIN : 2 * down.delayMs);
    backOffs.set(deps, { since: down?.since ?? now, delayMs, until: now + delayMs });
    return false;
  }
}
