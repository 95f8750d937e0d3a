/** Usage statistics: the content and the use of a workspace, as far as the key's clearance sees. */
import type { OperationContext } from "../../context.ts";
import { allowLongStatements } from "../../db/long_statements.ts";
import { countOthers, countUnits, type UnitCountRow } from "../../db/queries/snapshots.ts";
import * as queries from "../../db/queries/stats.ts";
import type { UsageStats } from "../../schema/stats.ts";
import { tally } from "./read_composition.ts";

const TAGS_MAX = 20;
const DAYS = 30;
const ROWS_SAMPLED = 500;
/** The longest time that counting everything may take. */
const COUNT_MS_MAX = 60_000;

export async function readStats(ctx: OperationContext): Promise<UsageStats> {
  return await ctx.tx(async (tx) => {
    await allowLongStatements(tx, COUNT_MS_MAX);
    const units = await countUnits(tx);
    const others = await countOthers(tx, ctx.deps.embeddings.current);
    const sessions = await queries.countSessions(tx);
    const reviews = byName(await queries.countOpenReviewsByKind(tx));
    const tasks = byName(await queries.countTasksByStatus(tx));
    const jobs = byName(await queries.countJobsByState(tx));
    const tags = await queries.countTags(tx, TAGS_MAX);
    const days = await queries.countDays(tx, DAYS);
    const tables = (await queries.measureTables(tx, ROWS_SAMPLED))
      .map(({ name, rows, rowBytes }) => ({ name, rows, bytes: Math.round(rows * rowBytes) }));
    return {
      at: tx.now.toISOString(),
      units: describeUnits(units),
      sessions: {
        total: sumOf(sessions),
        byStatus: byName(sessions),
        turns: sumOf(others.filter((row) => row.name === "turns")),
        tokens: sessions.reduce((sum, row) => sum + row.tokens, 0),
      },
      tasks: { total: totalOf(tasks), byStatus: tasks },
      events: { total: tables.find((table) => table.name === "event")!.rows },
      reviews: { open: totalOf(reviews), byKind: reviews },
      jobs: { total: totalOf(jobs), byState: jobs },
      tags: [...tags],
      days: [...days],
      storage: { bytes: tables.reduce((sum, table) => sum + table.bytes, 0), tables },
    };
  }, { readOnly: true, fromReplica: true, deadlineMs: COUNT_MS_MAX });
}

function describeUnits(rows: readonly UnitCountRow[]): UsageStats["units"] {
  const inForce = rows.filter((row) => row.inForce);
  const byType = [...Map.groupBy(rows, (row) => row.type)].map(([type, group]) => [type, {
    total: sumOf(group),
    inForce: sumOf(group.filter((row) => row.inForce)),
    byStatus: tally(group, (row) => row.status),
  }]);
  return {
    total: sumOf(rows),
    inForce: sumOf(inForce),
    pinned: sumOf(inForce.filter((row) => row.pinned)),
    stale: sumOf(inForce.filter((row) => row.stale)),
    byType: Object.fromEntries(byType),
    byStatus: tally(rows, (row) => row.status),
    byAttribution: tally(rows, (row) => row.attribution),
    bySensitivity: tally(rows, (row) => row.sensitivity),
  };
}

function sumOf(rows: readonly { readonly n: number }[]): number {
  return rows.reduce((sum, row) => sum + row.n, 0);
}

function byName(rows: readonly queries.NamedCount[]): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [row.name, row.n]));
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}
