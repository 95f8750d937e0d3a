/**
 * Applies a request's filters to documents of the hot tier: the same filters as the database's recall, on the present
 * state.
 */
import type { HotRow } from "../../db/queries/hot.ts";
import type { DocumentTimes, StoredData } from "../../retrieval/mod.ts";
import { isCleared, KINDS, SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import type { KnownUnit } from "./current_first.ts";
import { matchesFilter, toNormalForm } from "./filters.ts";
import type { HotDocument } from "./hot_document.ts";
import { type HotIndex, toFilterDocument } from "./hot_index.ts";
import { isSelective, type RecallRequest } from "./request.ts";

/** Reads the ranker's input for each candidate; undefined for those that the request's filters exclude. */
export function readStored(
  index: HotIndex,
  slots: ArrayLike<number>,
  request: RecallRequest,
): (StoredData | undefined)[] {
  const { columns } = index.index, { clearance, validFrom, ends } = index;
  const { rows, kinds, filters, maxSensitivity } = request;
  const asOf = rows.asOf.getTime();
  const cleared = SENSITIVITIES.indexOf(maxSensitivity);
  let wanted = 0;
  for (const kind of kinds) wanted |= 1 << KINDS[kind];
  // Whether the columns alone can answer; otherwise the whole document is needed.
  const isPlain = !isSelective(request) && rows.to === null && filters === undefined;
  return Array.from(slots, (slot) => {
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

/** Whether validity begins only after the time that the request asks about. */
function isAhead(validFromMs: number, { asOf, until }: RecallRequest["rows"]): boolean {
  return validFromMs > asOf.getTime() && (until === null || validFromMs >= until.getTime());
}

/** Whether a document passes the request's filters, which are those of the database's recall. */
export function isEligible(
  document: HotDocument | undefined,
  { kinds, rows, filters, maxSensitivity }: RecallRequest,
): boolean {
  if (document === undefined || !kinds.includes(document.kind)) return false;
  const { row } = document;
  const asOf = rows.asOf.getTime();
  if (isAhead(document.validFromMs, rows) || document.endsMs <= asOf) return false;
  if (!isCleared(row.sensitivity as Sensitivity, maxSensitivity)) return false;
  if (rows.sessionId !== null && !document.sessionIds.includes(rows.sessionId)) return false;
  if (rows.from !== null && rows.to !== null && !isInWindow(row, rows.from, rows.to)) return false;
  if (rows.minTrust !== null && row.trustScore < rows.minTrust) return false;
  if (rows.tags !== null) {
    // As `hasTags` of the database.
    const has = (tag: string) => row.tags.some((own) => own.normalize("NFC") === tag);
    if (!(rows.tagsAll ? rows.tags.every(has) : rows.tags.some(has))) return false;
  }
  if (filters === undefined) return true;
  const read = toFilterDocument(document);
  return matchesFilter(filters, rows.predicate?.isNormal ? toNormalForm(read) : read);
}

/**
 * Whether a text falls in the caller's window: it happened in it, or holds at some time in it. The database's
 * `isUnitInWindow` decides the same.
 */
function isInWindow({ occurredAt, validFrom, validTo, recordedAt }: HotRow, from: Date, to: Date): boolean {
  const isIn = (time: Date) => time >= from && time < to;
  if (occurredAt !== null && isIn(occurredAt)) return true;
  if (validFrom === null && validTo === null) return occurredAt === null && isIn(recordedAt);
  return (validFrom === null || validFrom < to) &&
    (validTo === null || validTo > from || (validFrom !== null && validFrom >= from));
}

/** The times to compare if the query names a date. */
export function timesOf({ row, times }: HotDocument, byRecording: boolean): DocumentTimes {
  if (!byRecording || row.type === "turn") return times;
  return { occurredAt: row.recordedAt.getTime(), validFrom: undefined, validTo: undefined };
}

/** Whether a unit's claims only deny something. */
function denies(body: HotDocument["row"]["body"]): boolean {
  const claims = (body?.["claims"] ?? []) as readonly { readonly polarity: boolean }[];
  return claims.length > 0 && claims.every(({ polarity }) => !polarity);
}

/** The columns of a unit that its order depends on; undefined for a turn. */
export function unitOf({ row }: HotDocument): KnownUnit | undefined {
  return row.type === "turn"
    ? undefined
    : { status: row.status, trustScore: row.trustScore, denies: denies(row.body), recordedAt: row.recordedAt };
}
