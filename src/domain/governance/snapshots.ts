/** Snapshots: taken by a worker, one a period; listed as the history of a workspace's health, and drifted from. */
import type { OperationContext } from "../../context.ts";
import { isUuid, uuidv7 } from "../../crypto/ids.ts";
import * as queries from "../../db/queries/snapshots.ts";
import type { SnapshotRow } from "../../db/queries/snapshots.ts";
import type { Tx } from "../../db/scope.ts";
import { ServiceError } from "../../errors.ts";
import { analyseText, PSEUDO_PREFIX } from "../../retrieval/text.ts";
import { clampTime, isCleared, type Page, SENSITIVITIES, type Sensitivity } from "../../schema/common.ts";
import type { DriftQuery, DriftReport, HealthMoment, ListHealthHistoryQuery } from "../../schema/health.ts";
import { decodeCursor, encodeCursor, toPage } from "../cursor.ts";
import { type Drift, measureDrift } from "./drift.ts";
import { addParts, CENTROID_TEXTS_MIN, countWords, type Part } from "./make_up.ts";

/** Vocabulary and centroid are those of so many units. */
const SAMPLE_MAX = 1_000;
/** Counting a large workspace may take so long. */
const COUNT_MS_MAX = 120_000;
const DAY_MS = 86_400_000;
const READ_ONLY = { readOnly: true };

/** What a row of a snapshot holds: the part, and what belongs to the workspace as a whole in that of `public`. */
export interface SnapshotData {
  readonly part: Omit<Part, "words">;
  /** How far the parts up to this sensitivity have moved; absent in rows of earlier builds and without a baseline. */
  readonly drift?: StoredDrift;
  readonly lastWriteAt: string | null;
  readonly recalls?: number;
  readonly recallHits?: number;
  readonly seq?: number;
}
type Row = SnapshotRow<SnapshotData>;

/** Against the newest snapshot that was a day older. */
interface StoredDrift extends Pick<Drift, "verdict" | "index" | "newTermRate" | "reasons"> {
  readonly measures: readonly Pick<Drift["measures"][number], "name" | "value" | "verdict">[];
  readonly baseline: NonNullable<DriftReport["baseline"]>;
}

/** Takes the period's snapshot where none is there; true when it did. Older ones than are kept are deleted. */
export async function takeDueSnapshot(ctx: OperationContext): Promise<boolean> {
  const { snapshotIntervalSeconds, snapshotsKept } = ctx.deps.config.governance;
  const intervalMs = snapshotIntervalSeconds * 1_000;
  const now = ctx.deps.clock();
  const periodStart = new Date(Math.floor(now.getTime() / intervalMs) * intervalMs);
  if (await ctx.tx((tx) => queries.hasSnapshot(tx, periodStart), READ_ONLY)) return false;
  const parts = await readMakeUp(ctx);
  const id = uuidv7(now);
  await ctx.tx(async (tx) => {
    await queries.allowLongStatements(tx, COUNT_MS_MAX);
    const last = await queries.listSnapshots<SnapshotData>(tx, { order: "desc", limit: 1, isLight: true });
    const usage = await queries.readUsage(tx);
    const since = last.find((row) => row.data.seq !== undefined)?.data.seq ?? 0;
    const writes = new Map(
      (await queries.readLastWrites(tx, since)).map((row) => [row.sensitivity, row.at.toISOString()]),
    );
    const earlier = new Map(last.map((row) => [row.sensitivity, row.data.lastWriteAt]));
    const baseline = await findDayOlder(tx, now);
    await queries.insertSnapshot<SnapshotData>(
      tx,
      parts.map(({ words, ...part }) => ({
        id,
        periodStart,
        takenAt: now,
        sensitivity: part.sensitivity,
        data: {
          part,
          lastWriteAt: writes.get(part.sensitivity) ?? earlier.get(part.sensitivity) ?? null,
          ...(baseline.length > 0 && { drift: driftUpTo(part.sensitivity, baseline, parts) }),
          ...(part.sensitivity === "public" && usage),
        },
        words,
      })),
    );
    await queries.deleteSnapshots(tx, new Date(periodStart.getTime() - snapshotsKept * intervalMs));
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
function driftUpTo(clearance: Sensitivity, baseline: readonly Row[], parts: readonly Part[]): StoredDrift {
  const [{ id, takenAt }] = baseline as [Row];
  const isSeen = (row: { readonly sensitivity: Sensitivity }) => isCleared(row.sensitivity, clearance);
  const { verdict, index, measures, newTermRate, reasons } = measureDrift(
    addParts(baseline.filter(isSeen).map(partOf)),
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

function partOf({ data, words }: Row): Part {
  return { ...data.part, words };
}

/** What the workspace is made of now, as far as the context's clearance sees; one part for each sensitivity. */
export async function readMakeUp(ctx: OperationContext): Promise<Part[]> {
  const { model } = ctx.deps.embeddings;
  const seen = await ctx.tx(async (tx) => {
    await queries.allowLongStatements(tx, COUNT_MS_MAX);
    const units = await queries.countUnits(tx);
    const others = await queries.countOthers(tx, model);
    const sample = await queries.sampleUnits(tx, SAMPLE_MAX);
    const vectors = await queries.sumVectors(tx, model, sample.map((unit) => unit.docNo));
    return { units, others, sample, vectors };
  }, { ...READ_ONLY, deadlineMs: COUNT_MS_MAX });
  const parts = SENSITIVITIES.filter((sensitivity) => isCleared(sensitivity, ctx.maxSensitivity))
    .map((sensitivity) => toPart(ctx, sensitivity, seen));
  const counts = new Map(parts.map(({ sensitivity }) => [
    sensitivity,
    countWords(seen.sample.filter((unit) => unit.sensitivity === sensitivity).map((unit) => wordsOf(unit.text))),
  ]));
  const wanted = new Set([...counts.values()].flatMap((list) => list.map(([word]) => word)));
  const rows = await ctx.tx((tx) => queries.readTokens(tx, [...wanted]), READ_ONLY);
  const tokens = new Map(rows.map(({ sensitivity, word, token }) => [`${sensitivity} ${word}`, token]));
  return parts.map((part) => ({
    ...part,
    // A word that was erased since the texts were read has no token any more, and is left out.
    words: Object.fromEntries(
      counts.get(part.sensitivity)!.flatMap(([word, texts]) => {
        const token = tokens.get(`${part.sensitivity} ${word}`);
        return token === undefined ? [] : [[token, texts]];
      }),
    ),
  }));
}

interface Seen {
  readonly units: readonly queries.UnitCountRow[];
  readonly others: readonly queries.OtherCountRow[];
  readonly sample: readonly { readonly sensitivity: Sensitivity; readonly text: string }[];
  readonly vectors: readonly { readonly sensitivity: Sensitivity; readonly n: number; readonly sum: string }[];
}

function toPart(ctx: OperationContext, sensitivity: Sensitivity, seen: Seen): Omit<Part, "words"> {
  const rows = seen.units.filter((row) => row.sensitivity === sensitivity);
  const inForce = rows.filter((row) => row.inForce);
  const other = (name: queries.OtherCountRow["name"]) =>
    seen.others.filter((row) => row.sensitivity === sensitivity && row.name === name).reduce(
      (sum, row) => sum + row.n,
      0,
    );
  const texts = seen.sample.filter((unit) => unit.sensitivity === sensitivity);
  const vector = seen.vectors.find((row) => row.sensitivity === sensitivity && row.n >= CENTROID_TEXTS_MIN);
  return {
    sensitivity,
    types: tally(inForce, (row) => row.type),
    attributions: tally(inForce, (row) => row.attribution),
    worth: Array.from({ length: 10 }, (_, tenth) => sumOf(inForce.filter((row) => row.tenth === tenth))),
    statuses: tally(rows, (row) => row.status),
    liveFacts: sumOf(inForce.filter((row) => row.type === "fact")),
    pinned: sumOf(inForce.filter((row) => row.pinned)) + other("pinnedTurns"),
    turns: other("turns"),
    sessions: other("sessions"),
    embedded: other("embedded"),
    notEmbedded: other("notEmbedded"),
    openReviews: other("openReviews"),
    sampled: texts.length,
    centroid: vector === undefined ? null : {
      model: ctx.deps.embeddings.model,
      texts: vector.n,
      sum: (JSON.parse(vector.sum) as number[]).map((value) => Math.round(value * 1e4) / 1e4),
    },
  };
}

function wordsOf(text: string): Set<string> {
  return new Set(analyseText(text).terms.filter((term) => !term.startsWith(PSEUDO_PREFIX)));
}

function sumOf(rows: readonly queries.UnitCountRow[]): number {
  return rows.reduce((sum, row) => sum + row.n, 0);
}

export function tally(
  rows: readonly queries.UnitCountRow[],
  of: (row: queries.UnitCountRow) => string,
): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(rows, of)].map(([name, group]) => [name, sumOf(group)]));
}

/** The rows of each snapshot together, in the order that they came in. */
function bySnapshot(rows: readonly Row[]): Row[][] {
  return [...Map.groupBy(rows, (row) => row.periodStart.getTime()).values()];
}

/** The snapshots of a workspace as its health was then, the newest first unless asked otherwise. */
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
  const made = addParts(rows.map(partOf));
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

/** The row of the highest sensitivity tells the drift of all that the reader sees. */
function driftOf(rows: readonly Row[]): StoredDrift | undefined {
  return rows.toSorted((a, b) => (isCleared(a.sensitivity, b.sensitivity) ? -1 : 1)).at(-1)?.data.drift;
}

function toDrift(rows: readonly Row[]): HealthMoment["drift"] {
  const { verdict = "unknown", index = null, measures = [], newTermRate = null, baseline = null } = driftOf(rows) ?? {};
  return { verdict, index, measures: [...measures], newTermRate, baseline };
}

/**
 * How far the memory has moved from a snapshot: one that is named, the newest that was taken before a time, or the
 * newest of a day ago (failing that, the oldest).
 * @throws ServiceError `not_found` when there is no such snapshot, `validation_failed`
 */
export async function readDrift(ctx: OperationContext, { baseline }: DriftQuery): Promise<DriftReport> {
  const rows = await ctx.tx((tx) => findBaseline(tx, baseline), READ_ONLY);
  const now = ctx.deps.clock();
  if (rows.length === 0) {
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
  const current = addParts(await readMakeUp(ctx));
  const drift = measureDrift(addParts(rows.map(partOf)), current);
  const [{ id, takenAt }] = rows as [Row];
  return { ...drift, at: now.toISOString(), baseline: { snapshotId: id, takenAt: takenAt.toISOString() } };
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
 * The drift of the latest snapshot, as it was measured when it was taken: what the gate looks at, without counting
 * anything. Undefined where it had no baseline.
 */
export async function readSnapshotDrift(ctx: OperationContext): Promise<StoredDrift | undefined> {
  return driftOf(
    await ctx.tx(
      (tx) => queries.listSnapshots<SnapshotData>(tx, { order: "desc", limit: 1, isLight: true }),
      READ_ONLY,
    ),
  );
}
