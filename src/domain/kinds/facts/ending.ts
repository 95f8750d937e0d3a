/**
 * Facts in force that end on a later day because another fact then takes their place: when the day comes, and when that
 * fact leaves force earlier.
 */
import type { Tx } from "../../../db/tx.ts";
import { findEndedBy, lockEnding } from "../../../db/queries/units.ts";
import { reviseUnits, type Revision } from "../../unit/store.ts";
import { judge, worldTime } from "./conflicts.ts";
import { type FactBody, type FactRow, LIVE_STATUSES } from "./fields.ts";
import { endedBy, isEnding, withoutEnd } from "./judgement.ts";
import { lockLiveRivals } from "./lock_rivals.ts";

/** Marks facts whose day has come as superseded, at most `most`. Returns how many it marked. */
export async function endDue(tx: Tx, most: number): Promise<number> {
  const due = await lockEnding<FactBody>(tx, LIVE_STATUSES, most);
  await reviseUnits(
    tx,
    due.map((unit) => ({
      unit,
      // The end may come from a peer, which does not say that it was planned.
      changes: {
        status: "superseded",
        body: { ...unit.body, before: { validTo: unit.body.before?.validTo ?? null, planned: true as const } },
      },
      note: {
        event: "superseded",
        reason: `${unit.body.supersededBy} took its place on ${unit.validTo!.toISOString()}`,
      },
    })),
  );
  return due.length;
}

/**
 * Facts that were to end when one of the given facts begins get their earlier end back, because that fact left force
 * before. Returns the current rows of the changed facts.
 */
export async function reopenEnding(tx: Tx, left: readonly FactRow[]): Promise<FactRow[]> {
  const ending = await listEndedBy(tx, left);
  if (ending.length === 0) return [];
  const gone = new Set(left.map(({ id }) => id));
  const live = await lockLiveRivals(tx, ending);
  return await reviseUnits(
    tx,
    live.filter((row) => isEnding(row) && gone.has(row.body.supersededBy!)).map((row) => {
      const others = live.filter(({ id }) => id !== row.id);
      const reason = `${row.body.supersededBy}, which was to take its place, is not in force any more`;
      return reopening(row, others, tx.now, reason);
    }),
  );
}

/**
 * Finds the facts in force that end on a later day because one of the given facts takes their place, whatever the
 * subject of either. It does not lock them.
 */
export async function listEndedBy(tx: Tx, facts: readonly FactRow[]): Promise<FactRow[]> {
  const mayEnd = facts.filter((fact) => fact.body.supersedes !== null || (worldTime(fact) ?? fact.recordedAt) > tx.now);
  return await findEndedBy<FactBody>(tx, mayEnd.map(({ id }) => id));
}

/** The revision that cancels such an end: the fact ends where the next of some other facts begins, if one does. */
export function reopening(fact: FactRow, others: readonly FactRow[], now: Date, reason: string): Revision<FactBody> {
  const open = withoutEnd(fact);
  const { next } = judge(open, others, open.recordedAt);
  const { validTo, body } = next === undefined ? open : { ...open, ...endedBy(open, next, now) };
  return { unit: fact, changes: { validTo, body }, note: { event: "reopened", reason } };
}
