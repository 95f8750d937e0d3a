/** Finds in memory the sessions and units that the database would find by the dates of a query. */
import { asksOnlyOfTime, type QueryPlan } from "../../retrieval/mod.ts";
import { KINDS } from "../../schema/common.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import { WINDOW_ROWS_MAX } from "../../db/queries/recall.ts";
import type { Whole } from "./hot.ts";
import type { HotDocument } from "./hot_document.ts";
import type { RecallRequest } from "./request.ts";
import { TEMPORAL_GROUPS_MAX, TEMPORAL_UNITS_MAX } from "./lexical.ts";

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the periods that the query names, and the window that the caller gives. */
export function spansOf(plan: QueryPlan, { rows: { from, to } }: RecallRequest): Span[] {
  const named = plan.windows.map((window) => ({ from: window.from, to: window.to }));
  return from === null || to === null ? named : [...named, { from: from.getTime(), to: to.getTime() }];
}

/** Sessions with turns in one of the spans, the fullest first, with the position after their last such turn. */
export function findTemporalGroups({ index }: Whole, spans: readonly Span[]): Map<number, number> {
  const { columns } = index.index;
  const groups = new Map<number, { count: number; turns: number }>();
  for (const { from, to } of spans) {
    let slots: number[] = [];
    for (let slot = 0; slot < columns.end; slot++) {
      const at = columns.occurredAt[slot]!;
      if (at >= from && at < to && columns.kind[slot] === KINDS.turn && columns.isUsed(slot)) slots.push(slot);
    }
    if (slots.length > WINDOW_ROWS_MAX) {
      slots.sort((a, b) => columns.occurredAt[b]! - columns.occurredAt[a]! || columns.doc[b]! - columns.doc[a]!);
      slots = slots.slice(0, WINDOW_ROWS_MAX);
    }
    for (const slot of slots) {
      const group = columns.group[slot]!, turns = columns.position[slot]! + 1;
      const found = groups.get(group);
      if (found === undefined) groups.set(group, { count: 1, turns });
      else {
        found.count++;
        found.turns = Math.max(found.turns, turns);
      }
    }
  }
  const fullest = [...groups].sort(([a, x], [b, y]) => y.count - x.count || a - b).slice(0, TEMPORAL_GROUPS_MAX);
  return new Map(fullest.map(([group, { turns }]) => [group, turns]));
}

const LIVE: ReadonlySet<string> = new Set(LIVE_STATUSES);

/** Units of a date that the query names, if it asks for nothing else. */
export function findDatedUnits({ index, rest }: Whole, plan: QueryPlan, { rows }: RecallRequest): number[] {
  if (!asksOnlyOfTime(plan, ({ person }) => person !== "no")) return [];
  const units = [...index.documents.values(), ...rest.documents.values()]
    .filter(({ row }) => row.type !== "turn" && LIVE.has(row.status));
  const found = new Set<number>();
  for (const { from, to } of plan.windows) {
    const isIn = (ms: number | undefined) => ms !== undefined && ms >= from && ms < to;
    const take = (timeOf: (row: HotDocument["row"]) => number | undefined, isLatest: boolean) => {
      const timed = units.flatMap(({ row, docNo }) => {
        const ms = timeOf(row);
        return ms === undefined ? [] : [{ docNo, ms }];
      });
      timed.sort((a, b) => (isLatest ? b.ms - a.ms : a.ms - b.ms) || b.docNo - a.docNo);
      for (const { docNo } of timed.slice(0, TEMPORAL_UNITS_MAX)) found.add(docNo);
    };
    const ifIn = (ms: number | undefined) => isIn(ms) ? ms : undefined;
    if (rows.byRecording) {
      take(({ recordedAt }) => ifIn(recordedAt.getTime()), true);
      continue;
    }
    take(({ occurredAt }) => ifIn(occurredAt?.getTime()), true);
    take(({ validFrom, recordedAt }) => {
      const ms = validFrom?.getTime();
      return ms === recordedAt.getTime() ? undefined : ifIn(ms);
    }, true);
    take(({ validFrom, validTo }) => {
      const began = validFrom?.getTime(), ended = validTo?.getTime();
      if (ended === undefined || ended < from) return undefined;
      return (began === undefined ? ended < to : began < from && ended > from) ? ended : undefined;
    }, false);
  }
  return [...found];
}
