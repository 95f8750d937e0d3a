/**
 * Who votes. An agent is named within its key, so that no key can take the vote of another's agent; and as whoever has a
 * key can name any number of agents, the votes of a key's agents weigh one vote together.
 */

/** Of a key's agents those that voted last about a thing are remembered, so many. */
export const VOTERS_MAX = 100;

/** @param actor `key:<id>`, which has no slash */
export function voterOf(actor: string, agentId: string | undefined): string {
  return agentId === undefined || agentId === actor ? actor : `${actor}/${agentId}`;
}
