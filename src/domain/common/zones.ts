/** The time zone of each workspace, as its setting says. It is remembered for a moment, so that a recall need not read it. */
import type { Deps, OperationContext } from "../../context.ts";
import { readTimezone } from "../../db/queries/workspaces.ts";
import { UTC, type Zone } from "../../language/local_time.ts";
import { perService } from "./per_service.ts";

/** How long a process remembers a zone, in milliseconds, and of how many workspaces. */
const KNOWN_MS = 5_000;
const KNOWN_MAX = 10_000;

interface Known {
  readonly zone: Zone;
  readonly untilMs: number;
}

const zonesOf = perService((_: Deps) => new Map<string, Known>());

/** The zone of the workspace's days: its setting, or UTC. */
export async function workspaceZone(ctx: OperationContext): Promise<Zone> {
  const zones = zonesOf(ctx.deps);
  const known = zones.get(ctx.workspaceId);
  if (known !== undefined && known.untilMs > performance.now()) return known.zone;
  const zone = await ctx.tx(readTimezone, { readOnly: true }) ?? UTC;
  if (zones.size >= KNOWN_MAX) zones.clear();
  zones.set(ctx.workspaceId, { zone, untilMs: performance.now() + KNOWN_MS });
  return zone;
}

/** Reads the zone of a workspace again at the next use, because its setting has changed. */
export function forgetZone(deps: Deps, workspaceId: string): void {
  zonesOf(deps).delete(workspaceId);
}
