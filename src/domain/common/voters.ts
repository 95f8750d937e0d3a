/**
 * Decides whose votes count. An agent is named within its key, so no key can replace the vote of
 * another key's agent. Since a key can name any number of agents, the votes of its agents weigh one
 * vote together.
 */

/** The most agents of a key that are remembered for each resource: those that voted last. */
export const VOTERS_MAX = 100;

/** @param actor `key:<id>`, which has no slash */
export function voterOf(actor: string, agentId: string | undefined): string {
  return agentId === undefined || agentId === actor ? actor : `${actor}/${agentId}`;
}
