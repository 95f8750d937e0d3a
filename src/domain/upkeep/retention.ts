/**
 * Enforces the retention time of restricted data. In workspaces that have one, the service erases restricted rows that
 * nobody has changed for this number of days as if their owner had asked for it: with receipts in the deletion log,
 * tombstones in the change feed and rows in the audit log.
 *
 * Only a row's own age and sensitivity count. Units that were derived from it become stale and stay, unless they are due
 * themselves. The age of an imported row counts from its import, not from its time in the source workspace.
 */
import type { OperationContext } from "../../context.ts";
import { findMembers } from "../../db/queries/entity_merges.ts";
import { findEvent } from "../../db/queries/events.ts";
import { findEntries } from "../../db/queries/reasoning.ts";
import * as queries from "../../db/queries/retention.ts";
import { lockSession } from "../../db/queries/sessions.ts";
import { findTask } from "../../db/queries/tasks.ts";
import { findUnits, lockNames } from "../../db/queries/units.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { retentionFailed } from "../../telemetry/events.ts";
import { eraseUnit } from "../unit/erase.ts";
import { isNamed } from "../unit/names/names.ts";
import { eraseOneEvent, eraseTask } from "../tasks/erase.ts";
import { isLockTimeout } from "../common/worker_lock_timeout.ts";
import { PURGE_DEADLINE_MS } from "../unit/purge.ts";
import { eraseEntry } from "../reasoning/chains.ts";
import { purgeLocked } from "../sessions/session.ts";

const DAY_MS = 86_400_000;
/** Rows that one call erases, each in its own transaction. */
const ROWS_MAX = 50;

/**
 * Erases a bounded number of due rows in one workspace; returns whether there may be more. If a row cannot be erased, the
 * service logs it, goes on with the others, and tries it again at the next call.
 */
export async function eraseOldRestricted(ctx: OperationContext): Promise<boolean> {
  let done = 0;
  let after: queries.OldRow | undefined;
  while (done < ROWS_MAX) {
    const due = await findDue(ctx, after);
    for (const row of due) done += await eraseOne(ctx, row) ? 1 : 0;
    if (due.length < ROWS_MAX) return false;
    after = due.at(-1);
  }
  return true;
}

async function findDue(ctx: OperationContext, after: queries.OldRow | undefined): Promise<queries.OldRow[]> {
  return await ctx.tx(async (tx) => {
    const limit = await readLimit(tx);
    if (limit === undefined) return [];
    return await queries.findOldRestricted(tx, { before: limit.before, limit: ROWS_MAX, after });
  }, { readOnly: true });
}

/** When the next restricted row has gone unchanged for long enough; undefined without a retention time. */
export async function nextErasureAt(tx: Tx): Promise<Date | undefined> {
  const { restrictedRetentionDays: days, restrictedRetentionFrom: from } = await findWorkspace(tx) ?? {};
  if (days == null || from == null) return undefined;
  const oldest = await queries.readOldestRestricted(tx);
  return oldest && new Date(Math.max(from.getTime(), oldest.getTime() + days * DAY_MS));
}

interface Limit {
  readonly days: number;
  /** Rows that were last changed at or before this time are due. */
  readonly before: Date;
}

/** Returns undefined if the workspace has no retention time, or if it does not apply yet. */
async function readLimit(tx: Tx): Promise<Limit | undefined> {
  const { restrictedRetentionDays: days, restrictedRetentionFrom: from } = await findWorkspace(tx) ?? {};
  if (days == null || from == null || from > tx.now) return undefined;
  return { days, before: new Date(tx.now.getTime() - days * DAY_MS) };
}

/**
 * Returns true if the row was erased or is not due any more, and false if it could not be erased.
 * @throws errors that concern every row: the database is unavailable or full, or the service is stopping
 */
async function eraseOne(ctx: OperationContext, row: queries.OldRow): Promise<boolean> {
  ctx.signal.throwIfAborted();
  try {
    await erase(ctx, row);
    return true;
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === "unavailable" && !isLockTimeout(error)) throw error;
    // If the database answers this query, the timeout concerned only the row; if not, this throws.
    await ctx.tx(readLimit, { readOnly: true });
    const { id: resourceId, type: resourceType } = row;
    retentionFailed(ctx.deps.telemetry.log, { workspaceId: ctx.workspaceId, resourceId, resourceType, error });
    return false;
  }
}

/**
 * Erases a row, unless it is no longer due because the row, the setting, or what refers to the row has changed
 * meanwhile.
 */
async function erase(ctx: OperationContext, { id, type }: queries.OldRow): Promise<void> {
  await ctx.tx(async (tx) => {
    const limit = await readLimit(tx);
    if (limit === undefined) return;
    const { before, days } = limit;
    const isDue = async () => {
      return (await queries.findOldRestricted(tx, { before, limit: 1, only: { id, type } })).length > 0;
    };
    const erased = await ERASE[type](ctx, tx, { id, isDue, reason: `restricted, unchanged for ${days} days` });
    if (erased === undefined) return;
    const detail = { days, resourceType: type };
    tx.audit({ eventType: "retention.erased", targets: [id, ...erased], targetCount: 1 + erased.length, detail });
  }, { deadlineMs: PURGE_DEADLINE_MS });
}

interface Erasure {
  readonly id: string;
  /** Called after the row is locked. */
  readonly isDue: () => Promise<boolean>;
  readonly reason: string;
}

/** Erases a row. Returns the ids that were erased with it; undefined if the row is not due any more. */
type Erase = (ctx: OperationContext, tx: Tx, erasure: Erasure) => Promise<readonly string[] | undefined>;

const ERASE: Readonly<Record<queries.RetainedType, Erase>> = {
  async unit(ctx, tx, { id, isDue, reason }) {
    const [unit] = await findUnits(tx, [id], { lock: "update" });
    if (unit === undefined || !await isDue()) return undefined;
    const merged = isNamed(unit) ? await findMembers(tx, "root", [id]) : [];
    await eraseUnit(ctx, tx, unit, reason);
    return merged.map(({ sourceId }) => sourceId);
  },
  async session(ctx, tx, { id, isDue }) {
    const session = await lockSession(tx, id);
    if (session === undefined || !await isDue()) return undefined;
    await purgeLocked(ctx, tx, session, false);
    await queries.blankSession(tx, id);
    return [];
  },
  async reasoning(_ctx, tx, { id, isDue }) {
    const [entry] = await findEntries(tx, [id], { lock: true });
    if (entry === undefined || !await isDue()) return undefined;
    await eraseEntry(tx, entry);
    return [];
  },
  async task(ctx, tx, { id, isDue, reason }) {
    const task = await findTask(tx, id, { lock: true });
    if (task === undefined || !await isDue()) return undefined;
    await eraseTask(ctx, tx, task, reason);
    return [];
  },
  async event(ctx, tx, { id, isDue, reason }) {
    await lockNames(tx, [`id:${id}`]);
    const event = await findEvent(tx, id);
    if (event === undefined || !await isDue()) return undefined;
    await eraseOneEvent(ctx, tx, event, reason);
    return [];
  },
};
