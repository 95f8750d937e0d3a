/** When the background loops enter workspaces again, as all processes of a deployment agree on it. */
import type { Deps } from "../../context.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { allowLongStatements } from "../../db/long_statements.ts";
import * as queries from "../../db/queries/loops.ts";
import type { LoopRound, LoopTimer } from "../../db/queries/loops.ts";
import { NAME_RULE } from "../../language/names.ts";
import { STEM_RULE } from "../../language/foreign_stems.ts";
import { perService } from "../common/per_service.ts";
import packageInfo from "../../../deno.json" with { type: "json" };

const MINUTE_MS = 60_000;
/** A process that has not ended a visit for this time has lost it. */
export const HELD_MS = MINUTE_MS;
/** The loops that hurry are through; the others have this time before anybody visits the workspace for them, in ms. */
const SLOW_MS = 2.5 * MINUTE_MS;

/** What looks at the rows of all workspaces may take so long, in milliseconds: there may be millions. */
const EVERYWHERE_MS = 5 * MINUTE_MS;

/** A visit that came to its end, or that the loops which hurry have ended. */
export interface EndedRound extends LoopRound {
  readonly isWhole: boolean;
}

/** What a loop says at the end of a step in a workspace. */
export interface EndedTimer extends LoopTimer {
  /** Until when this process had taken the timer; undefined: a change woke the loop. */
  readonly heldUntil: Date | undefined;
  /** Undefined: nothing will be due. */
  readonly dueAt: Date | undefined;
}

/** Names what decides what loops do: a process with another name visits all workspaces once. */
const buildOf = perService(({ config, embeddings }) => {
  const { governance, kept } = config;
  const rules = [packageInfo.version, NAME_RULE, STEM_RULE, embeddings.current, governance, kept];
  return { name: sha256Hex(JSON.stringify(rules)).slice(0, 16) };
});

/** Gives new workspaces a round. `all`: makes rounds due in those that another build visited last. */
export async function beginRounds(deps: Deps, { all }: { readonly all: boolean }): Promise<void> {
  const build = all ? buildOf(deps).name : undefined;
  await onEach(deps, async (sql) => {
    await allowLongStatements({ sql }, EVERYWHERE_MS);
    await queries.beginLoopRounds(sql, deps.clock(), build);
  }, EVERYWHERE_MS);
}

/** Makes rounds due where something has happened that nobody has followed: with `moved` only there. */
export async function markBehind(deps: Deps, moved?: readonly LoopRound[]): Promise<void> {
  const heldUntil = after(deps, HELD_MS);
  if (moved === undefined) {
    await onEach(deps, async (sql) => {
      await allowLongStatements({ sql }, EVERYWHERE_MS);
      await queries.markLoopRounds(sql, heldUntil);
    }, EVERYWHERE_MS);
  } else if (moved.length > 0) await onEach(deps, (sql) => queries.markMovedRounds(sql, heldUntil, moved));
}

/** What a process has taken to do. */
export interface Taken {
  readonly rounds: readonly LoopRound[];
  readonly timers: readonly LoopTimer[];
  /** Afterwards others take it. */
  readonly heldUntil: Date;
}

/** Takes due visits, at most so many on each cluster; those of a cluster that cannot be reached wait. */
export async function takeDue(
  deps: Deps,
  loops: readonly string[],
  limits: { readonly rounds: number; readonly timers: number },
): Promise<Taken> {
  const now = deps.clock(), heldUntil = after(deps, HELD_MS), { region } = deps.config;
  const found = await deps.db.each(async (sql) => {
    const take = { now, until: heldUntil, region };
    const [rounds, timers] = await Promise.all([
      limits.rounds <= 0 ? [] : queries.takeLoopRounds(sql, { ...take, limit: limits.rounds }),
      limits.timers <= 0 ? [] : queries.takeLoopTimers(sql, loops, { ...take, limit: limits.timers }),
    ]);
    return [...rounds, ...timers];
  }, { partial: true });
  const isRound = (one: LoopRound | LoopTimer): one is LoopRound => "seq" in one;
  const isTimer = (one: LoopRound | LoopTimer): one is LoopTimer => "loop" in one;
  return { rounds: found.filter(isRound), timers: found.filter(isTimer), heldUntil };
}

/** What the loops of a process have ended. */
export interface Ended {
  readonly rounds: readonly EndedRound[];
  readonly timers: readonly EndedTimer[];
}

/**
 * Writes how visits ended, and what is due next. A workspace that was erased meanwhile is passed over.
 * @param keep called with what could not be written, cluster by cluster
 * @throws one of the errors that kept it, after it has tried all clusters
 */
export async function settleDue(deps: Deps, ended: Ended, keep: (left: Ended) => void = () => {}): Promise<void> {
  const { db } = deps, places = new Map<string, string>();
  try {
    const ids = new Set([...ended.rounds, ...ended.timers].map(({ workspaceId }) => workspaceId));
    await Promise.all([...ids].map(async (id) => places.set(id, await db.clusterOf(id))));
  } catch (error) {
    keep(ended);
    throw error;
  }
  const failures: unknown[] = [];
  await Promise.all([...new Set(places.values())].map(async (cluster) => {
    const isThere = ({ workspaceId }: { readonly workspaceId: string }) => places.get(workspaceId) === cluster;
    const part = { rounds: ended.rounds.filter(isThere), timers: ended.timers.filter(isThere) };
    try {
      await settleOn(deps, part);
    } catch (error) {
      keep(part);
      failures.push(error);
    }
  }));
  if (failures.length > 0) throw failures[0];
}

/** The same on the one cluster of all these workspaces. */
async function settleOn(deps: Deps, { rounds, timers }: Ended): Promise<void> {
  const build = buildOf(deps).name;
  const settled = rounds.map(({ isWhole, ...round }) => ({ ...round, build: isWhole ? build : undefined }));
  const times = { now: deps.clock(), until: after(deps, SLOW_MS) };
  await deps.db.system(async (sql) => {
    if (rounds.length > 0) await queries.settleLoopRounds(sql, settled, times);
    if (timers.length > 0) await queries.settleLoopTimers(sql, timers);
  }, { at: [...rounds, ...timers][0]!.workspaceId });
}

function after({ clock }: Deps, ms: number): Date {
  return new Date(clock().getTime() + ms);
}

async function onEach(
  { db }: Deps,
  work: (sql: Parameters<typeof queries.markLoopRounds>[0]) => Promise<void>,
  deadlineMs?: number,
): Promise<void> {
  await db.each(async (sql) => {
    await work(sql);
    return [] as string[];
  }, { partial: true, ...(deadlineMs !== undefined && { deadlineMs }) });
}
