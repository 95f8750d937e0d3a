/** The recall diary. */
import * as diary from "../domain/recall/noted/diary.ts";
import { ListRecallsQuery, RecallEntry, RecallEntryPage, RecallEntryParams } from "../schema/recall_diary.ts";
import { operation } from "./operation.ts";

export const listRecalls = operation({
  id: "listRecalls",
  summary: "List the recalls that the diary keeps",
  description:
    "If the workspace keeps a diary (its setting `recallDiaryDays`): every recall, from whatever face and path, with what was asked, by whom, and which ids it showed with which scores. A recall is there about a second after its reply. A key sees the recalls of keys whose clearance is not above its own, because a query may tell whatever its author may see; of the results it sees those that it may see now. If a unit, turn or session is erased, the diary loses its ids and scores, and the queries that came from its text, name it or were asked in the session. Texts of results are never kept.",
  scope: "audit:read",
  query: ListRecallsQuery,
  reply: RecallEntryPage,
}, (ctx, { query }) => diary.listRecalls(ctx, query));

/** Reads a recall. */
export const getRecall = operation({
  id: "getRecall",
  summary: "Read a recall from the diary",
  scope: "audit:read",
  params: RecallEntryParams,
  reply: RecallEntry,
}, (ctx, { params }) => diary.getRecall(ctx, params.id));
