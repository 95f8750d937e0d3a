/** The change feed as callers see it. */
import { z } from "zod";
import { Id, JsonValue, ListQuery, pageOf, repeated, Sensitivity, Timestamp } from "./common.ts";

/** What a stream can be subscribed to. */
export const CHANNELS = ["memory", "tasks", "events", "health"] as const;
export const Channel = z.enum(CHANNELS).meta({
  id: "StreamChannel",
  description: "`tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. " +
    "`health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read`",
});
export type Channel = z.infer<typeof Channel>;

/** Resources whose changes need `tasks:read`, with the channel that sends them; all others are on `memory`. */
export const TASK_RESOURCES = { task: "tasks", event: "events" } as const;

export const ChangeKind = z.string().min(1).max(100).regex(
  /^[a-z_]+(\.[a-z_]*)?$/,
  "must be a kind of change such as fact.created, or fact. for all of facts",
);

export const Cursor = z.string().min(1).max(1_000);

export const Change = z.strictObject({
  seq: z.int().min(1).meta({
    description:
      "Position in the workspace's feed, in the order in which changes became visible. A reader with full clearance sees no gaps",
  }),
  kind: z.string().meta({ description: "What happened: `<resource type>.<event>`, such as `fact.created`" }),
  resourceType: z.string(),
  resourceId: Id,
  version: z.int().min(0).meta({ description: "The resource's version after the change" }),
  sensitivity: Sensitivity,
  actor: z.string().meta({ description: "Who did it: `key:<id>`, `worker:<name>`, `admin:<id>` or `cli`" }),
  recordedAt: Timestamp,
  payload: z.record(z.string(), JsonValue).meta({
    description: "Small facts about the change, such as the new `status`; never content. Read the resource for that",
  }),
}).meta({ id: "Change" });
export type Change = z.infer<typeof Change>;

export const ListedChange = Change.extend({
  cursor: Cursor.meta({ description: "The position after this change, for `since`" }),
}).meta({ id: "ListedChange" });
export type ListedChange = z.infer<typeof ListedChange>;

export const ChangePage = pageOf(ListedChange).extend({
  endCursor: Cursor.meta({
    description:
      "The end of the feed when the page was read. When `nextCursor` is null, pass this as `since` to get later changes",
  }),
}).meta({ id: "ChangePage" });
export type ChangePage = z.infer<typeof ChangePage>;

export const ListChangesQuery = ListQuery.extend({
  order: z.enum(["asc", "desc"]).default("asc"),
  since: Cursor.optional().meta({
    description: "Changes after this position: the `cursor` of a change or of a stream's message, or an `endCursor`",
  }),
  kind: repeated(ChangeKind, 20).optional().meta({
    description: "May be repeated. A name that ends with `.` matches every name that begins so, such as `fact.`",
  }),
  resourceId: Id.optional().meta({ description: "Changes of this resource" }),
});
export type ListChangesQuery = z.infer<typeof ListChangesQuery>;
