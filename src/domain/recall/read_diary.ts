/** Reads the recall diary. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/recall_diary.ts";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import type { ListRecallsQuery, RecallEntry } from "../../schema/recall_diary.ts";
import { decodeCursor, encodeCursor, isId, toPage } from "../common/cursor.ts";

/** Lists recalls in the diary, the latest first unless the caller asks otherwise. */
export async function listRecalls(ctx: OperationContext, query: ListRecallsQuery): Promise<Page<RecallEntry>> {
  const { limit, order, caller, agentId, unitId, q: text } = query;
  const key = decodeCursor("recalls", order, query.cursor, isKey);
  const toDate = (time: string | undefined) => time === undefined ? undefined : new Date(time);
  const filter = { since: toDate(query.since), until: toDate(query.until), caller, agentId, unitId, text };
  const window = { order, after: key === undefined ? undefined : fromKey(key), limit: limit + 1 };
  const rows = await ctx.tx((tx) => queries.listRecalls(tx, filter, window), { readOnly: true });
  return toPage(rows, limit, toEntry, (row) => {
    return encodeCursor("recalls", order, `${row.recalledAt.toISOString()} ${row.id}`);
  });
}

/**
 * Reads a recall that the diary keeps.
 * @throws ServiceError `not_found`
 */
export async function getRecall(ctx: OperationContext, id: string): Promise<RecallEntry> {
  const row = await ctx.tx((tx) => queries.findRecall(tx, id), { readOnly: true });
  if (row === undefined) throw new ServiceError("not_found", "Cannot find the recall in the diary");
  return toEntry(row);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function isKey(key: unknown): key is string {
  if (typeof key !== "string") return false;
  const [time = "", id, ...rest] = key.split(" ");
  return rest.length === 0 && isId(id) && TIME.test(time) && !Number.isNaN(Date.parse(time));
}

function fromKey(key: string) {
  const [time, id] = key.split(" ") as [string, string];
  return { at: new Date(time), id };
}

function toEntry({ recalledAt, filters, results, ...row }: queries.RecallEntryRow): RecallEntry {
  return { ...row, recalledAt: recalledAt.toISOString(), filters: filters && { ...filters }, results: [...results] };
}
