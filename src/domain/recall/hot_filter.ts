/** What of the hot tier a request lets through: the filters of the database's recall, on the present state. */
import type { DocumentTimes, StoredData } from "../../retrieval/mod.ts";
import { isCleared, KINDS, SENSITIVITIES } from "../../schema/common.ts";
import { matchesFilter } from "./filters.ts";
import { type HotDocument, type HotIndex, toFilterDocument } from "./hot_index.ts";
import { isSelective, type RecallRequest } from "./request.ts";

/** What the ranker reads of the candidates that the request lets through, and undefined for the others. */
export function readStored(
  index: HotIndex,
  slots: readonly number[],
  request: RecallRequest,
): (StoredData | undefined)[] {
  const { columns } = index.index, { clearance, validFrom, ends } = index;
  const { rows, kinds, filters, maxSensitivity } = request;
  const asOf = rows.asOf.getTime();
  const cleared = SENSITIVITIES.indexOf(maxSensitivity);
  let wanted = 0;
  for (const kind of kinds) wanted |= 1 << KINDS[kind];
  // What only documents as a whole can answer.
  const isPlain = !isSelective(request) && rows.to === null && filters === undefined;
  return slots.map((slot) => {
    if (slot < 0 || clearance[slot]! > cleared || (wanted >>> columns.kind[slot]! & 1) === 0) return undefined;
    const from = validFrom[slot]!;
    if (ends[slot]! <= asOf || from > asOf && isAhead(from, rows)) return undefined;
    if (isPlain && !rows.byRecording) return columns.dataAt(slot);
    const document = index.documents.get(columns.doc[slot]!)!;
    if (!isPlain && !isEligible(document, request)) return undefined;
    const data = columns.dataAt(slot);
    return rows.byRecording ? { ...data, ...timesOf(document, true) } : data;
  });
}

/** Whether something begins only after the time that is asked about. */
function isAhead(validFromMs: number, { asOf, until }: RecallRequest["rows"]): boolean {
  return validFromMs > asOf.getTime() && (until === null || validFromMs >= until.getTime());
}

/** The filters of the database's recall, on the present state. */
export function isEligible(
  document: HotDocument | undefined,
  { kinds, rows, filters, maxSensitivity }: RecallRequest,
): boolean {
  if (document === undefined || !kinds.includes(document.kind)) return false;
  const { result, happenedMs } = document;
  const asOf = rows.asOf.getTime();
  if (isAhead(document.validFromMs, rows) || document.endsMs <= asOf) return false;
  if (!isCleared(result.sensitivity, maxSensitivity)) return false;
  if (rows.sessionId !== null && !document.sessionIds.includes(rows.sessionId)) return false;
  if (rows.from !== null && happenedMs < rows.from.getTime()) return false;
  if (rows.to !== null && happenedMs >= rows.to.getTime()) return false;
  if (rows.minTrust !== null && result.trustScore < rows.minTrust) return false;
  if (rows.tags !== null) {
    const has = (tag: string) => result.tags.includes(tag);
    if (!(rows.tagsAll ? rows.tags.every(has) : rows.tags.some(has))) return false;
  }
  return filters === undefined || matchesFilter(filters, toFilterDocument(document));
}

/** The times by which a document is of a date that the query names. */
export function timesOf({ row, times }: HotDocument, byRecording: boolean): DocumentTimes {
  if (!byRecording || row.type === "turn") return times;
  return { occurredAt: row.recordedAt.getTime(), validFrom: undefined, validTo: undefined };
}
