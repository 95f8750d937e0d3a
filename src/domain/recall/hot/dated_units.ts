/** The units in memory that happened, began, ended or lasted in some periods, as `readTemporalUnits` finds them in the database. */
import { KINDS } from "../../../schema/common.ts";
import { LIVE_STATUSES } from "../../../schema/unit_state.ts";
import { DATED_UNITS_MAX } from "../database/store.ts";
import type { RecallRequest } from "../search/request.ts";
import type { Period } from "../search/store.ts";
import type { HotIndex } from "./index.ts";

const LIVE: ReadonlySet<string> = new Set(LIVE_STATUSES);

/** Finds the units of each span; with `byRecording` those that were recorded in it. */
export function findDatedUnits(
  { index: { columns }, units, rest, validFrom }: HotIndex,
  spans: readonly Period[],
  { byRecording }: RecallRequest["rows"],
): number[] {
  const bare = [...rest.values()].filter(({ row }) => LIVE.has(row.status));
  const found = new Set<number>();
  for (const span of spans) {
    const dated = new DatedUnits(span);
    if (byRecording) {
      for (const { docNo, row } of [...units.values(), ...bare]) dated.offer(docNo, row.recordedAt.getTime());
    } else {
      for (let slot = 0; slot < columns.end; slot++) {
        if (columns.kind[slot] === KINDS.turn) continue;
        const began = columns.validFrom[slot]!, ended = columns.validTo[slot]!;
        dated.offer(columns.doc[slot]!, columns.occurredAt[slot]!, began, validFrom[slot]!, ended);
      }
      for (const { docNo, times, validFromMs } of bare) {
        dated.offer(docNo, times.occurredAt, times.validFrom, validFromMs, times.validTo);
      }
    }
    for (const docNo of dated.best()) found.add(docNo);
  }
  return [...found];
}

/** The units of a span by each sign of their times. */
class DatedUnits {
  readonly #happened: [docNo: number, ms: number][] = [];
  readonly #began: [docNo: number, ms: number][] = [];
  readonly #ended: [docNo: number, ms: number][] = [];

  constructor(readonly span: Period) {}

  /** @param began as told; `validFrom`: -Infinity if there is none. NaN or undefined: no such time */
  offer(docNo: number, occurred = NaN, began = NaN, validFrom = -Infinity, ended = NaN): void {
    const { from, to } = this.span;
    if (occurred >= from && occurred < to) this.#happened.push([docNo, occurred]);
    if (began >= from && began < to) this.#began.push([docNo, began]);
    if (ended >= from && (validFrom === -Infinity ? ended < to : validFrom < from && ended > from)) {
      this.#ended.push([docNo, ended]);
    }
  }

  /** Those that happened or began last, and those that end first. */
  *best(): Generator<number> {
    for (const [dated, order] of [[this.#happened, -1], [this.#began, -1], [this.#ended, 1]] as const) {
      dated.sort(([a, x], [b, y]) => order * (x - y) || b - a);
      for (const [docNo] of dated.slice(0, DATED_UNITS_MAX)) yield docNo;
    }
  }
}
