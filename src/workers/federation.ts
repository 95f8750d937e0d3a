/** The loop of federation: one for the system. It enters those workspaces alone in which there is something to do. */
import type { Deps, OperationContext } from "../context.ts";
import { turnsOf } from "../domain/federation/turns.ts";

/**
 * Publishes what changed, tells peers, takes turns with them and runs jobs of exchange, as far as these are due.
 * @param enter makes the context of a workspace
 */
export async function exchangeWithPeers(
  { deps }: OperationContext,
  enter: (workspaceId: string) => OperationContext,
): Promise<false> {
  await turnsOf(deps).step(enter);
  return false;
}

/** Waits until there may be something to do: for a moment where there are peers, and until there is one where not. */
export async function restWithPeers(deps: Deps): Promise<void> {
  await turnsOf(deps).rest(deps.stopping);
}
