/** Snapshots: a worker takes one each period; callers list them as a history of health, and measure drift by them. */
import type { OperationContext } from "../../context.ts";
import { isUuid, uuidv7 } from "../../crypto/ids.ts";
import { allowLongStatements } from "../../db/long_statements.ts";
import * as queries from "../../db/queries/snapshots.ts";
import type { SnapshotRow } from "../../db/queries/snapshots.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { clampTime, isCleared, type Page, type Sensitivity } from "../../schema/common.ts";
import type { DriftQuery, DriftReport, HealthMoment, ListHealthHistoryQuery } from "../../schema/health.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { type Drift, measureDrift } from "./drift.ts";
import { addParts, type Part } from "./composition.ts";
import { type Centroids, COUNT_MS_MAX, readCentroids, readComposition } from "./read_composition.ts";

const DAY_MS = 86_400_000;
const READ_ONLY = { readOnly: true };

/** The content of a snapshot's row: the part; the row of `public` also holds the values of the workspace as a whole. */
export interface SnapshotData {
  readonly part: Omit<Part, "words" | "centroid">;
  /** How far the parts up to this sensitivity have moved; absent in rows of earlier builds and without a baseline. */
  readonly drift?: StoredDrift;
  readonly lastWriteAt: string | null;
  readonly recalls?: number;
  readonly recallHits?: number;
  readonly seq?: number;
}
type Row = SnapshotRow<SnapshotData>;

/** Measured against the newest snapshot that was a day older. */
interface StoredDrift extends Pick<Drift, "verdict" | "index" | "newTermRate" | "reasons"> {
  readonly measures: readonly Pick<Drift["measures"][number], "name" | "value" | "verdict">[];
  readonly baseline: NonNullable<DriftReport["baseline"]>;
}

/** The start of the period of a time; the last one may not have ended yet. */
function periodOf(ctx: OperationContext, time: Date, later = 0): Date {
  const intervalMs = ctx.deps.config.governance.snapshotIntervalSeconds * 1_000;
  return new Date((Math.floor(time.getTime() / intervalMs) + later) * intervalMs);
}

/**
 * When the next snapshot is due; undefined while nothing happens in the workspace. After a change that is the next period.
 * A day after the last one follows one more, from which drift is measured against the memory as it has stayed.
 */
export async function nextSnapshotAt(ctx: OperationContext): Promise<Date | undefined> {
  const { last, usage, isSettled } = await ctx.tx(queries.readSnapshotState, READ_ONLY);
  const next = last && periodOf(ctx, last.takenAt, 1);
  const isNews = last === undefined
    ? usage.seq > 0 || usage.recalls > 0
    : last.seq !== usage.seq || last.recalls !== usage.recalls;
  if (isNews) return next ?? ctx.deps.clock();
  if (last === undefined || isSettled) return undefined;
  return new Date(Math.max(next!.getTime(), periodOf(ctx, new Date(last.takenAt.getTime() + DAY_MS), 1).getTime()));
}

/**
 * Takes a snapshot if one is due in this period; returns whether it did. Deletes the oldest above `snapshotsKept`, but none
 * that is needed to compare with.
 */
export async function takeDueSnapshot(ctx: OperationContext): Promise<boolean> {
  const { snapshotIntervalSeconds, snapshotsKept } = ctx.deps.config.governance;
  const intervalMs = snapshotIntervalSeconds * 1_000;
  const dueAt = await nextSnapshotAt(ctx);
  const now = ctx.deps.clock();
  if (dueAt === undefined || dueAt > now) return false;
  const periodStart = periodOf(ctx, now);
  const parts = await readComposition(ctx);
  const id = uuidv7(now);
  await ctx.tx(async (tx) => {
    await allowLongStatements(tx, COUNT_MS_MAX);
    const last = await queries.listSnapshots<SnapshotData>(tx, { order: "desc", limit: 1, isLight: true });
    const usage = await queries.readUsage(tx);
    const since = last.find((row) => row.data.seq !== undefined)?.data.seq ?? 0;
    const writes = new Map(
      (await queries.readLastWrites(tx, since)).map((row) => [row.sensitivity, row.at.toISOString()]),
    );
    const earlier = new Map(last.map((row) => [row.sensitivity, row.data.lastWriteAt]));
    const baseline = await withParts(ctx, tx, await findDayOlder(tx, now));
    await queries.insertSnapshot<SnapshotData>(
      tx,
      parts.map(({ words, centroid: _centroid, ...part }) => ({
        id,
        periodStart,
        takenAt: now,
        sensitivity: part.sensitivity,
        data: {
          part,
          lastWriteAt: writes.get(part.sensitivity) ?? earlier.get(part.sensitivity) ?? null,
          ...(baseline !== undefined && { drift: driftUpTo(part.sensitivity, baseline, parts) }),
          ...(part.sensitivity === "public" && usage),
        },
        words,
      })),
    );
    const before = new Date(periodStart.getTime() - snapshotsKept * intervalMs);
    await queries.deleteSnapshots(tx, { before, neededAt: new Date(now.getTime() - DAY_MS) });
  }, { deadlineMs: COUNT_MS_MAX });
  return true;
}

/** The newest snapshot that is a day older than a moment. */
function findDayOlder(tx: Tx, than: Date): Promise<Row[]> {
  return queries.listSnapshots<SnapshotData>(tx, {
    order: "desc",
    limit: 1,
    to: new Date(than.getTime() - DAY_MS + 1),
  });
}

/** The drift that a reader with this clearance sees. */
function driftUpTo(
  clearance: Sensitivity,
  { id, takenAt, ...baseline }: Baseline,
  parts: readonly Part[],
): StoredDrift {
  const isSeen = (row: { readonly sensitivity: Sensitivity }) => isCleared(row.sensitivity, clearance);
  const { verdict, index, measures, newTermRate, reasons } = measureDrift(
    addParts(baseline.parts.filter(isSeen)),
    addParts(parts.filter(isSeen)),
  );
  return {
    verdict,
    index,
    measures: measures.map(({ name, value, verdict }) => ({ name, value, verdict })),
    newTermRate,
    reasons,
    baseline: { snapshotId: id, takenAt: takenAt.toISOString() },
  };
}

interface Baseline {
  readonly id: string;
  readonly takenAt: Date;
  readonly parts: readonly Part[];
}

/** A snapshot to compare with, and the centroids of its moment; undefined if there is no row. */
async function withParts(ctx: OperationContext, tx: Tx, rows: readonly Row[]): Promise<Baseline | undefined> {
  const [first] = rows;
  if (first === undefined) return undefined;
  const centroids = await readCentroids(tx, ctx.deps.embeddings.model, first.takenAt);
  return { id: first.id, takenAt: first.takenAt, parts: rows.map((row) => partOf(row, centroids)) };
}

function partOf({ data, words, sensitivity }: Row, centroids?: Centroids): Part {
  return { ...data.part, words, centroid: centroids?.get(sensitivity) ?? null };
}

/** Groups the rows of each snapshot, in their order. */
function bySnapshot(rows: readonly Row[]): Row[][] {
  return [...Map.groupBy(rows, (row) => row.periodStart.getTime()).values()];
}

/** Lists a workspace's snapshots as its health at those times, the newest first unless the caller asks otherwise. */
export async function listHealthHistory(
  ctx: OperationContext,
  { limit, order, cursor, from, to }: ListHealthHistoryQuery,
): Promise<Page<HealthMoment>> {
  const key = decodeCursor("health", order, cursor, isTime);
  const rows = await ctx.tx((tx) =>
    queries.listSnapshots<SnapshotData>(tx, {
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      after: key === undefined ? undefined : new Date(key),
      order,
      limit: limit + 1,
      isLight: true,
    }), READ_ONLY);
  return toPage(
    bySnapshot(rows),
    limit,
    toMoment,
    ([first]) => encodeCursor("health", order, first!.periodStart.getTime()),
  );
}

function isTime(key: unknown): key is number {
  return typeof key === "number" && Number.isSafeInteger(key) && Math.abs(key) < 8.64e15;
}

function toMoment(rows: readonly Row[]): HealthMoment {
  const made = addParts(rows.map((row) => partOf(row)));
  const { recalls = 0, recallHits = 0 } = rows.find((row) => row.data.recalls !== undefined)?.data ?? {};
  const texts = made.embedded + made.notEmbedded;
  const units = made.worth.reduce((sum, n) => sum + n, 0);
  return {
    snapshotId: rows[0]!.id,
    takenAt: rows[0]!.takenAt.toISOString(),
    liveFacts: made.liveFacts,
    units,
    pinned: made.pinned,
    turns: made.turns,
    sessions: made.sessions,
    embeddedRatio: texts === 0 ? 1 : made.embedded / texts,
    embeddingBacklog: made.notEmbedded,
    openReviews: made.openReviews,
    recalls,
    recallHitRate: recalls === 0 ? null : recallHits / recalls,
    lastWriteAt: rows.map((row) => row.data.lastWriteAt).filter((at) => at !== null).sort().at(-1) ?? null,
    drift: toDrift(rows),
  };
}

/** The row of the highest sensitivity has the drift of all that the reader sees. */
function driftOf(rows: readonly Row[]): StoredDrift | undefined {
  return rows.toSorted((a, b) => (isCleared(a.sensitivity, b.sensitivity) ? -1 : 1)).at(-1)?.data.drift;
}

function toDrift(rows: readonly Row[]): HealthMoment["drift"] {
  const { verdict = "unknown", index = null, measures = [], newTermRate = null, baseline = null } = driftOf(rows) ?? {};
  return { verdict, index, measures: [...measures], newTermRate, baseline };
}

/**
 * Measures how far the memory has moved from a snapshot: a named one, the newest from before a time, or the newest that
 * is a day old (failing that, the oldest).
 * @throws ServiceError `not_found` when there is no such snapshot, `validation_failed`
 */
export async function readDrift(ctx: OperationContext, { baseline }: DriftQuery): Promise<DriftReport> {
  const found = await ctx.tx(async (tx) => {
    await allowLongStatements(tx, COUNT_MS_MAX);
    return await withParts(ctx, tx, await findBaseline(tx, baseline));
  }, { ...READ_ONLY, deadlineMs: COUNT_MS_MAX });
  const now = ctx.deps.clock();
  if (found === undefined) {
    if (baseline !== undefined) throw new ServiceError("not_found", "Cannot find the snapshot to compare with");
    const reasons = ["there is no snapshot to compare with yet"];
    return {
      verdict: "unknown",
      index: null,
      measures: [],
      newTermRate: null,
      reasons,
      at: now.toISOString(),
      baseline: null,
    };
  }
  const current = addParts(await readComposition(ctx));
  const drift = measureDrift(addParts(found.parts), current);
  return { ...drift, at: now.toISOString(), baseline: { snapshotId: found.id, takenAt: found.takenAt.toISOString() } };
}

async function findBaseline(tx: Tx, baseline: string | undefined): Promise<Row[]> {
  const one = { order: "desc", limit: 1 } as const;
  if (baseline !== undefined) {
    if (isUuid(baseline)) return await queries.listSnapshots(tx, { ...one, id: baseline });
    return await queries.listSnapshots(tx, { ...one, to: new Date(clampTime(Date.parse(baseline) + 1)) });
  }
  const rows = await findDayOlder(tx, tx.now);
  return rows.length > 0 ? rows : await queries.listSnapshots(tx, { order: "asc", limit: 1 });
}

/**
 * The drift of the latest snapshot, as measured when it was taken: the gate reads it without counting anything.
 * Undefined if it had no baseline.
 */
export async function readSnapshotDrift(ctx: OperationContext): Promise<StoredDrift | undefined> {
  return driftOf(
    await ctx.tx(
      (tx) => queries.listSnapshots<SnapshotData>(tx, { order: "desc", limit: 1, isLight: true }),
      READ_ONLY,
    ),
  );
}
