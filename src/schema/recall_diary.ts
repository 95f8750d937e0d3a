/** The recall diary: what was asked of a workspace's memory, and what was shown. */
import { z } from "zod";
import { AgentId, EndInput, Id, Kind, ListQuery, pageOf, textOf, Timestamp, TimestampInput } from "./common.ts";

export const RecallPath = z.enum(["hot", "full"]).meta({ id: "RecallPath" });
export type RecallPath = z.infer<typeof RecallPath>;

export const RecallShown = z.strictObject({
  id: Id,
  type: Kind,
  score: z.number().min(0).max(1),
  pinned: z.boolean().meta({ description: "It was among the `pinned` of the reply, not among its `results`" }),
}).meta({ id: "RecallShown" });
export type RecallShown = z.infer<typeof RecallShown>;

export const RecallEntry = z.strictObject({
  id: Id,
  recalledAt: Timestamp,
  path: RecallPath.meta({ description: "`hot`: from the memory of the process alone. `full`: the full search" }),
  operation: z.string().meta({
    description: "What was called, such as `recall`, `recallHot`, `explainRecall` or `getSessionContext`",
  }),
  query: z.string().nullable().meta({ description: "Null: it was erased with what it spoke of" }),
  filters: z.record(z.string(), z.unknown()).nullable().meta({
    description: "The other members of the request. Null: they were erased with the query, or had more than 16 KiB",
  }),
  results: z.array(RecallShown).meta({
    description: "In the order of the reply, without what was erased since or is above the key's clearance",
  }),
  resultCount: z.int().min(0).meta({ description: "Number of results and pinned ones in the reply" }),
  evidenceConfidence: z.number().min(0).max(1),
  durationMs: z.number().min(0),
  caller: z.string().meta({ description: "`key:<id>` of the key that asked" }),
  agentId: z.string().nullable().meta({ description: "The agent of the session that the request named" }),
  sessionId: Id.nullable().meta({ description: "The session that the request named" }),
  requestId: z.string(),
  traceId: z.string(),
}).meta({ id: "RecallEntry", description: "One recall: what was asked, by whom, and what was shown" });
export type RecallEntry = z.infer<typeof RecallEntry>;

export const ListRecallsQuery = ListQuery.extend({
  since: TimestampInput.optional().meta({ description: "Asked at this time or later" }),
  until: EndInput.optional().meta({ description: "Asked before this time" }),
  caller: textOf(200).optional().meta({ description: "`key:<id>`, as entries have it" }),
  agentId: AgentId.optional(),
  unitId: Id.optional().meta({ description: "Recalls that showed this unit or turn" }),
  q: textOf(256).optional().meta({ description: "The query contains this; case does not matter" }),
}).refine(
  ({ since, until }) => since === undefined || until === undefined || Date.parse(since) <= Date.parse(until),
  { message: "must not be before since", path: ["until"] },
);
export type ListRecallsQuery = z.infer<typeof ListRecallsQuery>;
export const RecallEntryPage = pageOf(RecallEntry).meta({ id: "RecallEntryPage" });
export const RecallEntryParams = z.strictObject({ id: Id });
