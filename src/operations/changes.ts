/** The change feed as a list. */
import * as changes from "../domain/feed/changes.ts";
import { ChangePage, ListChangesQuery } from "../schema/change.ts";
import { operation } from "./operation.ts";

/** Lists changes of the workspace. */
export const listChanges = operation({
  id: "listChanges",
  summary: "List what changed, in order",
  description:
    "Every change of a resource is told here once, in the order in which changes became visible, the oldest " +
    "first unless asked otherwise: what happened to which resource in which version, never its content. Changes above " +
    "the key's clearance are not shown, and those of tasks and events only to a key that also has the scope " +
    "`tasks:read`.\n\nTo follow the feed, read until `nextCursor` is null and begin again with `since` = `endCursor`; " +
    "`GET /stream` tells the same as it happens. One page looks at 10,000 places of the feed: with a filter it may hold " +
    "less than `limit`, or nothing, and yet have a next one.",
  scope: "memory:read",
  query: ListChangesQuery,
  reply: ChangePage,
}, (ctx, { query }) => changes.listChanges(ctx, query));
