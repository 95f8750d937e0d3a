/**
 * Restricted data of workspaces that keep it for a time only: what nobody has changed for so many days is erased as if
 * its owner had asked, with receipts in the deletion log, tombstones in the change feed and rows in the audit log.
 */
import type { OperationContext } from "../context.ts";
import { findEvent } from "../db/queries/events.ts";
import { findEntries } from "../db/queries/reasoning.ts";
import * as queries from "../db/queries/retention.ts";
import { lockSession } from "../db/queries/sessions.ts";
import { findTask } from "../db/queries/tasks.ts";
import { findUnits, lockNames } from "../db/queries/units.ts";
import { findWorkspace } from "../db/queries/workspaces.ts";
import type { Tx } from "../db/scope.ts";
import { ServiceError } from "../errors.ts";
import type { Sensitivity } from "../schema/common.ts";
import { eraseUnit } from "./erase.ts";
import { eraseOneEvent, eraseTask } from "./erase_records.ts";
import { PURGE_DEADLINE_MS, purgeUnit } from "./purge.ts";
import { eraseEntry } from "./reasoning.ts";
import { purgeLocked } from "./sessions/session.ts";

const DAY_MS = 86_400_000;
/** Rows that are erased at once, each in a transaction of its own. */
const ROWS_MAX = 50;

/** Erases what is due in one workspace, a bounded amount; true while there may be more. */
export async function eraseOldRestricted(ctx: OperationContext): Promise<boolean> {
  const due = await ctx.tx(async (tx) => {
    const limit = await readLimit(tx);
    return limit === undefined ? [] : await queries.findOldRestricted(tx, limit.before, ROWS_MAX);
  }, { readOnly: true });
  for (const row of due) await eraseOne(ctx, row);
  return due.length === ROWS_MAX;
}

interface Limit {
  readonly days: number;
  /** What was last changed by then is due. */
  readonly before: Date;
}

/** Undefined where restricted data is kept, or not erased yet. */
async function readLimit(tx: Tx): Promise<Limit | undefined> {
  const { restrictedRetentionDays: days, restrictedRetentionFrom: from } = await findWorkspace(tx) ?? {};
  if (days == null || from == null || from > tx.now) return undefined;
  return { days, before: new Date(tx.now.getTime() - days * DAY_MS) };
}

async function eraseOne(ctx: OperationContext, row: queries.OldRow): Promise<void> {
  ctx.signal.throwIfAborted();
  try {
    await erase(ctx, row, true);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "conflict") throw error;
    // Too much was derived from it for one transaction: that becomes stale, and is erased in its own time.
    await erase(ctx, row, false);
  }
}

/** Erases a row unless somebody has changed it, its sensitivity or the setting since it was found. */
async function erase(ctx: OperationContext, { id, type }: queries.OldRow, cascade: boolean): Promise<void> {
  await ctx.tx(async (tx) => {
    const limit = await readLimit(tx);
    if (limit === undefined) return;
    const isDue = (row: { readonly sensitivity: Sensitivity; readonly updatedAt: Date }) =>
      row.sensitivity === "restricted" && row.updatedAt <= limit.before;
    const erased = await ERASE[type](ctx, tx, {
      id,
      isDue,
      cascade,
      reason: `restricted, unchanged for ${limit.days} days`,
    });
    if (erased === undefined) return;
    const detail = { days: limit.days, resourceType: type };
    tx.audit({ eventType: "retention.erased", targets: [id, ...erased], targetCount: 1 + erased.length, detail });
  }, { deadlineMs: PURGE_DEADLINE_MS });
}

interface Erasure {
  readonly id: string;
  readonly isDue: (row: { readonly sensitivity: Sensitivity; readonly updatedAt: Date }) => boolean;
  readonly cascade: boolean;
  readonly reason: string;
}

/** What was erased with it; undefined where it is not due any more. */
type Erase = (ctx: OperationContext, tx: Tx, erasure: Erasure) => Promise<readonly string[] | undefined>;

const ERASE: Readonly<Record<queries.RetainedType, Erase>> = {
  async unit(ctx, tx, { id, isDue, cascade, reason }) {
    const [unit] = await findUnits(tx, [id], { lock: "update" });
    if (unit === undefined || !isDue(unit)) return undefined;
    const receipt = await (cascade ? purgeUnit : eraseUnit)(ctx, tx, unit, reason);
    return receipt.derived ?? [];
  },
  async session(ctx, tx, { id, isDue, cascade }) {
    const session = await lockSession(tx, id);
    if (session === undefined || !isDue(session)) return undefined;
    const { erased } = await purgeLocked(ctx, tx, session, cascade);
    await queries.blankSession(tx, id);
    return erased.map((unit) => unit.id);
  },
  async reasoning(_ctx, tx, { id, isDue }) {
    const [entry] = await findEntries(tx, [id], { lock: true });
    if (entry === undefined || !isDue(entry)) return undefined;
    await eraseEntry(tx, entry);
    return [];
  },
  async task(ctx, tx, { id, isDue, reason }) {
    const task = await findTask(tx, id, { lock: true });
    if (task === undefined || !isDue(task)) return undefined;
    await eraseTask(ctx, tx, task, reason);
    return [];
  },
  async event(ctx, tx, { id, isDue, reason }) {
    await lockNames(tx, [`id:${id}`]);
    const event = await findEvent(tx, id);
    // An event is never changed.
    if (event === undefined || !isDue({ ...event, updatedAt: event.recordedAt })) return undefined;
    await eraseOneEvent(ctx, tx, event, reason);
    return [];
  },
};
