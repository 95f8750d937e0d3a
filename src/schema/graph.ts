/** Knowledge as a graph: units are its nodes, relations and what follows from the units its edges. Interface §4.4. */
import { z } from "zod";
import { Id, Sensitivity, TimestampInput } from "./common.ts";
import { Verb, VERB_NAMES } from "./relation.ts";
import { UNIT_TYPES, UnitType } from "./unit.ts";

export const GraphNode = z.strictObject({
  id: Id,
  type: UnitType,
  label: z.string().meta({ description: "The first line of what it says, at most 200 characters" }),
  status: z.string(),
  trustScore: z.int().min(0).max(100),
  sensitivity: Sensitivity,
  stale: z.boolean(),
}).meta({ id: "GraphNode" });
export type GraphNode = z.infer<typeof GraphNode>;

export const START_IDS_MAX = 50;
export const WALK_DEPTH_MAX = 6;
export const WALK_RESULTS_MAX = 1_000;

export const Direction = z.enum(["out", "in", "both"]).meta({
  id: "Direction",
  description: "Along a relation from its source, against it, or either way",
});
export type Direction = z.infer<typeof Direction>;

export const TraverseBody = z.strictObject({
  startIds: z.array(Id).min(1).max(START_IDS_MAX).meta({ description: "Units of any types" }),
  verbs: z.array(Verb).min(1).max(VERB_NAMES.length).optional().meta({ description: "Default: all nine" }),
  direction: Direction.default("both"),
  depth: z.int().min(1).max(WALK_DEPTH_MAX).default(2).meta({ description: "The most steps from a start" }),
  types: z.array(UnitType).min(1).max(UNIT_TYPES.length).optional().meta({
    description: "Types of units in the results; the walk leads through others, too. Default: all",
  }),
  asOf: TimestampInput.optional().meta({ description: "Relations that were true in the world at this time" }),
  minWeight: z.number().min(0).max(1).optional().meta({ description: "Of each relation on the way" }),
  minTrust: z.int().min(0).max(100).optional().meta({ description: "Of each relation and unit on the way" }),
  limit: z.int().min(1).max(WALK_RESULTS_MAX).default(100).meta({ description: "The most results" }),
}).meta({ id: "TraverseBody" });
export type TraverseBody = z.infer<typeof TraverseBody>;

export const PathStep = z.strictObject({
  relationId: Id,
  verb: Verb,
  from: Id,
  to: Id,
  direction: Direction.meta({ description: "`both` where the relation has no direction between the two" }),
}).meta({ id: "PathStep" });
export type PathStep = z.infer<typeof PathStep>;

export const TruncationReason = z.enum(["limit", "fan_out", "nodes", "edges", "scan"]).meta({
  id: "TruncationReason",
  description: "`limit`: more was found than asked for. `fan_out`: a unit has more relations than are followed from " +
    "one, the strongest were. `nodes`, `edges`: as many were seen as one request looks at. `scan`: the newest " +
    "relations were looked at, not all",
});
export type TruncationReason = z.infer<typeof TruncationReason>;

const truncation = {
  truncated: z.boolean().meta({ description: "Something that belongs here was left out" }),
  truncatedBy: z.array(TruncationReason),
};

export const TraverseReply = z.strictObject({
  results: z.array(
    z.strictObject({
      node: GraphNode,
      depth: z.int().min(1),
      weight: z.number().min(0).max(1).meta({ description: "The product of the weights on the path" }),
      path: z.array(PathStep),
    }).meta({ id: "TraverseResult" }),
  ).meta({ description: "Nearest first, then strongest; of each unit the shortest path, the strongest of these" }),
  visited: z.int().min(0).meta({ description: "Units that the walk came to, without the starts" }),
  ...truncation,
}).meta({ id: "TraverseReply" });
export type TraverseReply = z.infer<typeof TraverseReply>;
