/** The worth of stored units: a worker keeps it up to date, callers list it with its parts, feedback changes it. */
import type { OperationContext } from "../../context.ts";
import { isUuid } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/worth.ts";
import type { WorthRow, WorthSource } from "../../db/queries/worth.ts";
import { ServiceError } from "../../errors.ts";
import type {
  ListWorthQuery,
  WorthDistribution,
  WorthFeedbackBody,
  WorthFeedbackReply,
  WorthItem,
  WorthPage,
} from "../../schema/governance.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { voterOf, VOTERS_MAX } from "../common/voters.ts";
import { typesWhere } from "../kinds/registry.ts";
import { computeWorth, daysUntilDecayed, freshWorth, USED_SIGNAL_USES, type Worth } from "../unit/worth.ts";

const DAY_MS = 86_400_000;
const WITH_OUTCOMES = typesWhere(({ worth }) => worth.hasOutcomes);
/** Units whose worth one transaction computes, and changes of the feed that one follows. */
const DUE_MAX = 500;
const CHANGES_MAX = 2_000;
/** A unit that another transaction is writing is tried again after so long. */
const BUSY_MS = 60_000;
/** A smaller change of worth is not recorded in the change feed. */
const TOLD_MIN = 0.05;

/**
 * Follows the change feed and computes due worths, a bounded number of each; true while there may be more. Worth is no
 * part of a version; the feed records a change of 0.05 or more as `<type>.revalued`.
 */
export async function revalueDue(ctx: OperationContext): Promise<boolean> {
  const followed = await ctx.tx(async (tx) => {
    const stretch = await queries.lockFeedStretch(tx, CHANGES_MAX);
    if (stretch === undefined) return false;
    await queries.followStretch(tx, stretch);
    return stretch.to - stretch.from === CHANGES_MAX;
  });
  const due = await ctx.tx((tx) => queries.listDue(tx, DUE_MAX), { readOnly: true });
  if (due.length === 0) return followed;
  await ctx.tx(async (tx) => {
    const worths = await revalue(ctx, tx, due, "skip");
    const busy = due.filter((id) => !worths.has(id));
    if (busy.length > 0) await queries.putOff(tx, busy, new Date(tx.now.getTime() + BUSY_MS));
  });
  return followed || due.length === DUE_MAX;
}

/** Worths that become due within this time are computed together, in milliseconds. */
const TOGETHER_MS = 3_600_000;

/** When the next worth is due. */
export async function nextRevaluationAt(ctx: OperationContext): Promise<Date | undefined> {
  const first = await ctx.tx((tx) => queries.readNextDue(tx), { readOnly: true });
  return first && new Date(Math.max(first.getTime(), ctx.deps.clock().getTime() + TOGETHER_MS));
}

/** Computes the worth of units and stores it. */
async function revalue(
  ctx: OperationContext,
  tx: Tx,
  ids: readonly string[],
  locked: "skip" | "wait",
): Promise<Map<string, Worth & Pick<WorthSource, "helpful" | "harmful">>> {
  const { halfLifeDays } = ctx.deps.config.governance;
  const sources = await queries.lockWorthSources(tx, ids, { withOutcomes: WITH_OUTCOMES, locked });
  const worths = new Map(sources.map((source) => [source.id, {
    ...computeWorth(toInput(source, tx.now), halfLifeDays),
    helpful: source.helpful,
    harmful: source.harmful,
  }]));
  if (sources.length === 0) return worths;
  await queries.storeWorths(
    tx,
    [...worths].map(([id, { worth, parts }]) => ({
      id,
      worth,
      parts: { ...parts },
      dueAt: new Date(tx.now.getTime() + daysUntilDecayed(parts, halfLifeDays) * DAY_MS),
    })),
  );
  for (const { id, type, version, sensitivity, docNo, status, worth } of sources) {
    if (Math.abs(worths.get(id)!.worth - worth) < TOLD_MIN) continue;
    const payload = { docNo, status };
    tx.record({ kind: `${type}.revalued`, resourceType: type, resourceId: id, version, sensitivity, payload });
  }
  return worths;
}

function toInput(source: WorthSource, now: Date) {
  // Outcomes can be reported any number of times, so together they weigh one vote, like those of a key.
  const outcomes = source.successCount + source.failureCount;
  const touched = Math.max(source.updatedAt.getTime(), source.lastUsedAt?.getTime() ?? 0);
  return {
    trustScore: source.trustScore,
    uses: source.useCount,
    helpful: source.helpful + source.successCount / Math.max(1, outcomes),
    harmful: source.harmful + source.failureCount / Math.max(1, outcomes),
    corroborations: source.corroborationCount,
    ageDays: (now.getTime() - touched) / DAY_MS,
    isContested: source.status === "contested",
    isStale: source.stale,
  };
}

/**
 * Takes an agent's feedback about units, and computes their worth anew. A vote replaces the agent's last one about the
 * unit; the votes of a key's agents weigh one together; and a key can report the use of a unit once a day.
 * @throws ServiceError `validation_failed` with the place of each unit that is unknown or not visible.
 */
export async function giveWorthFeedback(ctx: OperationContext, body: WorthFeedbackBody): Promise<WorthFeedbackReply> {
  const agentId = body.agentId ?? ctx.actor;
  const ids = [...new Set(body.signals.map((signal) => signal.unitId))];
  const votes = body.signals.filter(({ signal }) => signal !== "used").map(({ unitId, signal, weight }) => ({
    unitId,
    isHelpful: signal === "helpful",
    weight: weight ?? 1,
  }));
  const used = body.signals.filter(({ signal }) => signal === "used").map(({ unitId }) => unitId);
  return await ctx.tx(async (tx) => {
    const known = new Map((await queries.lockWorthSources(tx, ids, {
      withOutcomes: WITH_OUTCOMES,
      locked: "wait",
    })).map((unit) => [unit.id, unit]));
    const errors = body.signals.flatMap(({ unitId }, i) =>
      known.has(unitId) ? [] : [{ path: `signals.${i}.unitId`, message: "is not known" }]
    );
    if (errors.length > 0) {
      throw new ServiceError("validation_failed", "Cannot accept the feedback: it names unknown units", { errors });
    }
    if (votes.length > 0) await queries.storeVotes(tx, voterOf(tx.actor, body.agentId), votes, VOTERS_MAX);
    const news = used.length === 0 ? [] : await queries.noteUses(tx, used, new Date(tx.now.getTime() - DAY_MS));
    if (news.length > 0) await queries.addSureUses(tx, news, USED_SIGNAL_USES);
    // Feedback is no change of a unit, so the change feed does not have it.
    tx.audit({ eventType: `write.${ctx.operationId}`, targets: ids, detail: { agentId } });
    const worths = await revalue(ctx, tx, ids, "wait");
    return {
      agentId,
      data: ids.map((unitId) => {
        const { worth, parts, helpful, harmful } = worths.get(unitId)!;
        return { unitId, worth, worthBefore: round(known.get(unitId)!.worth), parts, helpful, harmful };
      }),
    };
  });
}

const WORTH_KEY = /^(\d(?:\.\d+)?(?:e-\d+)?) (.+)$/;

/** Lists units in force by worth, with its parts; the first page also shows the distribution of worth. */
export async function listWorth(ctx: OperationContext, query: ListWorthQuery): Promise<WorthPage> {
  const { limit, order, type, min, max } = query;
  const isKey = (key: unknown): key is string =>
    typeof key === "string" && isUuid(WORTH_KEY.exec(key)?.[2] ?? "") && Number(WORTH_KEY.exec(key)![1]) <= 1;
  const key = decodeCursor("worth", order, query.cursor, isKey);
  const [, worth, id] = key === undefined ? [] : WORTH_KEY.exec(key)!;
  const after = key === undefined ? undefined : { worth: Number(worth), id: id! };
  return await ctx.tx(async (tx) => {
    const rows = await queries.listWorths(tx, { types: type, min, max, order, after, limit: limit + 1 });
    const page = toPage(rows, limit, toItem, (row) => encodeCursor("worth", order, `${row.worth} ${row.id}`));
    const distribution = key === undefined ? await readDistribution(tx, type) : null;
    return { ...page, distribution };
  }, { readOnly: true });
}

function toItem(row: WorthRow): WorthItem {
  const { id, type, status, pinned, stale, trustScore, worth } = row;
  // The worker has not computed it yet, so it has the worth of a unit that nobody has used or judged.
  const parts = (row.parts ?? freshWorth(trustScore, stale).parts) as WorthItem["parts"];
  return { id, type, status, pinned, worth: round(worth), parts, computedAt: iso(row.computedAt ?? row.createdAt) };
}

async function readDistribution(tx: Tx, types: ListWorthQuery["type"]): Promise<WorthDistribution> {
  const row = await queries.readWorthDistribution(tx, types);
  return {
    units: row.units,
    mean: row.mean === null ? null : round(row.mean),
    deciles: row.deciles === null ? null : row.deciles.map((worth) => round(Number(worth))),
    histogram: Array.from({ length: 10 }, (_, tenth) => ({
      from: tenth / 10,
      to: (tenth + 1) / 10,
      units: row.tenths[tenth] ?? 0,
    })),
  };
}

/** The column is a float of four bytes; the formula gives four decimals. */
function round(worth: number): number {
  return Math.round(worth * 1e4) / 1e4;
}

function iso(date: Date): string {
  return date.toISOString();
}
