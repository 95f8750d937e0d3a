/** Statements about when the background loops enter workspaces, for all workspaces of a cluster. */
import type { Sql } from "../tx.ts";

/** A visit of all loops to a workspace. */
export interface LoopRound {
  readonly workspaceId: string;
  /** The place that the change feed has reached. */
  readonly seq: number;
}

/** A loop that has work in a workspace at a time. */
export interface LoopTimer {
  readonly workspaceId: string;
  readonly loop: string;
}

export interface SettledRound extends LoopRound {
  /** Set when all loops are through. */
  readonly build?: string | undefined;
}

export interface SettledTimer extends LoopTimer {
  /** Until when the process has taken it; undefined: it has not. */
  readonly heldUntil: Date | undefined;
  /** Undefined: nothing is due any more. */
  readonly dueAt: Date | undefined;
}

/** What a process takes: what is due at `now`, until `until`, in the workspaces of its region. */
export interface Taking {
  readonly now: Date;
  readonly until: Date;
  readonly region: string | undefined;
  readonly limit: number;
}

/**
 * Gives every workspace a round that has none. With `build`: makes rounds due in the workspaces that another build visited
 * last.
 */
export async function beginLoopRounds(sql: Sql, now: Date, build?: string): Promise<void> {
  await sql`select svc_system.begin_loop_rounds(${build ?? null}, ${now})`;
}

/** Makes rounds due where something has happened of which nobody may have heard, unless somebody has them for so long. */
export async function markLoopRounds(sql: Sql, heldUntil: Date): Promise<void> {
  await sql`select svc_system.mark_loop_rounds(${heldUntil}, null, null)`;
}

/** Makes rounds due in workspaces whose feeds have reached a place to which no loops have come, unless somebody has them. */
export async function markMovedRounds(sql: Sql, heldUntil: Date, moved: readonly LoopRound[]): Promise<void> {
  const ids = moved.map(({ workspaceId }) => workspaceId), seqs = moved.map(({ seq }) => seq);
  await sql`select svc_system.mark_loop_rounds(${heldUntil}, ${ids}::uuid[], ${seqs}::bigint[])`;
}

export async function takeLoopRounds(sql: Sql, { now, until, region, limit }: Taking): Promise<LoopRound[]> {
  return await sql<LoopRound[]>`
    select workspace_id as "workspaceId", seq
      from svc_system.take_loop_rounds(${now}, ${until}, ${region ?? null}, ${limit})`;
}

export async function takeLoopTimers(sql: Sql, loops: readonly string[], taking: Taking): Promise<LoopTimer[]> {
  const { now, until, region, limit } = taking;
  return await sql<LoopTimer[]>`
    select workspace_id as "workspaceId", loop
      from svc_system.take_loop_timers(${loops as string[]}::text[], ${now}, ${until}, ${region ?? null}, ${limit})`;
}

/**
 * Writes how far visits have come. Where not all loops are through, somebody visits the workspace again at `until`. A
 * workspace that is not on this cluster is passed over.
 */
export async function settleLoopRounds(
  sql: Sql,
  rounds: readonly SettledRound[],
  { now, until }: Pick<Taking, "now" | "until">,
): Promise<void> {
  const rows = rounds.map(({ workspaceId: id, seq, build }) => ({ id, seq, build }));
  await sql`select svc_system.settle_loop_rounds(${sql.json(rows)}, ${now}, ${until})`;
}

/** Writes timers; each may be in the list once. */
export async function settleLoopTimers(sql: Sql, timers: readonly SettledTimer[]): Promise<void> {
  const rows = timers.map(({ workspaceId: id, loop, heldUntil, dueAt }) => ({ id, loop, heldUntil, dueAt }));
  await sql`select svc_system.settle_loop_timers(${sql.json(rows)})`;
}
