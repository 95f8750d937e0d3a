/** Lists units of all types, narrowed and sorted as the caller asks. */
import type { OperationContext } from "../../context.ts";
import { isUuid } from "../../crypto/ids.ts";
import { type BrowseFilter, type BrowseKey, browseUnits as browse } from "../../db/queries/unit_browse.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import {
  type BrowseUnitsQuery,
  type GetUnitsQuery,
  type SoughtUnits,
  UNIT_PAGE_DEFAULT,
  type UnitSort,
} from "../../schema/knowledge_unit.ts";
import { LIVE_STATUSES } from "../../schema/unit_state.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { getUnits, showUnits } from "./any_unit.ts";

/** Returns units by their ids, or else a page of a list. */
export async function getOrBrowseUnits(ctx: OperationContext, query: GetUnitsQuery): Promise<SoughtUnits> {
  const { id, knownAt } = query;
  return id === undefined ? await browseUnits(ctx, query) : await getUnits(ctx, { id, knownAt });
}

/** Lists units of all types, the last changed first unless the caller asks otherwise. */
export async function browseUnits(ctx: OperationContext, query: BrowseUnitsQuery): Promise<SoughtUnits> {
  const { limit = UNIT_PAGE_DEFAULT, sort = "updatedAt", order = "desc", cursor } = query;
  const list = `units by ${sort}`;
  const key = decodeCursor(list, order, cursor, isKeyOf(sort));
  return await ctx.tx(async (tx) => {
    const window = { sort, order, after: key === undefined ? undefined : fromText(key), limit: limit + 1 };
    const page = toPage(await browse(tx, toFilter(query), window), limit, (row) => row, (row) => {
      return encodeCursor(list, order, `${valueOf(row, sort)} ${row.id}`);
    });
    const units = await showUnits(tx, page.data);
    return {
      data: page.data.map(({ id, type }) => ({ id, type, unit: units.get(id)! })),
      nextCursor: page.nextCursor,
    };
  }, { readOnly: true, fromReplica: true });
}

function toFilter(query: BrowseUnitsQuery): BrowseFilter {
  const { type, status, q, tags, tagsMatch, attribution, sensitivity, minTrust, maxTrust, pinned, stale } = query;
  const { entityId, sessionId, agentId, createdFrom, createdTo, updatedFrom, updatedTo } = query;
  return {
    ...{ tags, minTrust, maxTrust, pinned, stale, entityId, sessionId, agentId },
    ...{ createdFrom, createdTo, updatedFrom, updatedTo },
    statuses: status ?? LIVE_STATUSES,
    types: type,
    text: q,
    allTags: tagsMatch === "all",
    attributions: attribution,
    sensitivities: sensitivity,
  };
}

function valueOf(row: UnitRow, sort: UnitSort): string {
  return sort === "worth" ? `${row.worth}` : row[sort].toISOString();
}

function fromText(key: string): BrowseKey {
  const [value, id] = key.split(" ") as [string, string];
  return { value, id };
}

const WORTH = /^(0|1|0\.\d{1,30}|\d(\.\d{1,20})?e-\d{1,2})$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether the content of a cursor can be a position in the list. */
function isKeyOf(sort: UnitSort) {
  return (key: unknown): key is string => {
    if (typeof key !== "string") return false;
    const [value = "", id = "", ...rest] = key.split(" ");
    if (rest.length > 0 || !isUuid(id)) return false;
    return sort === "worth" ? WORTH.test(value) : TIME.test(value) && !Number.isNaN(Date.parse(value));
  };
}
