/** The federation loop. One loop serves all workspaces and enters only those that have something to do. */
import type { Deps, OperationContext } from "../context.ts";
import { syncSchedulerOf } from "../domain/federation/exchange/scheduler.ts";

/**
 * Publishes changes, sends hints to peers, takes due turns with peers, and runs sync jobs.
 * @param enter makes the context of a workspace
 */
export async function exchangeWithPeers(
  { deps }: OperationContext,
  enter: (workspaceId: string) => OperationContext,
): Promise<false> {
  await syncSchedulerOf(deps).step(enter);
  return false;
}

/**
 * Waits until there may be something to do: a moment if there are peers, else until one is added or a minute has
 * passed.
 */
export async function restWithPeers(deps: Deps): Promise<void> {
  await syncSchedulerOf(deps).rest(deps.stopping);
}
