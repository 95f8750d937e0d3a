/** The change feed as a list. */
import * as changes from "../domain/feed/changes.ts";
import { ChangePage, ListChangesQuery } from "../schema/change.ts";
import { operation } from "./operation.ts";

/** Lists changes of the workspace. */
export const listChanges = operation({
  id: "listChanges",
  summary: "List the changes, in order",
  description:
    "Lists every change of a resource once, in the order in which changes became visible, oldest first by default. An entry says what happened to which resource and which version; it holds no content. Changes above the key's clearance are not shown; changes of tasks and events need the scope `tasks:read`, too.\n\nTo follow the feed, read until `nextCursor` is null, then start again with `since` = `endCursor`; `GET /stream` sends the same as it happens. One page scans 10,000 entries of the feed: with a filter it may hold fewer than `limit`, or none, and still have a next page.",
  scope: "memory:read",
  query: ListChangesQuery,
  reply: ChangePage,
}, (ctx, { query }) => changes.listChanges(ctx, query));
