/** Knowledge as a graph: units are its nodes, relations and what follows from the units its edges. */
import { z } from "zod";
import {
  Flag,
  Id,
  ListQuery,
  pageOf,
  repeated,
  Sensitivity,
  Share,
  Tag,
  Timestamp,
  TimestampInput,
  wholeNumber,
} from "./common.ts";
import { Participant, Verb, VERB_NAMES, Verbs } from "./relation.ts";
import { UNIT_TYPES, UnitType } from "./unit.ts";

export const GraphNode = z.strictObject({
  id: Id,
  type: UnitType,
  label: z.string().meta({ description: "The first line of the unit's text, at most 200 characters" }),
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
  description: "`out`: from source to target. `in`: from target to source. `both`: either way",
});
export type Direction = z.infer<typeof Direction>;

export const TraverseBody = z.strictObject({
  startIds: z.array(Id).min(1).max(START_IDS_MAX).meta({ description: "Units of any types" }),
  verbs: z.array(Verb).min(1).max(VERB_NAMES.length).optional().meta({ description: "Default: all nine" }),
  direction: Direction.default("both"),
  depth: z.int().min(1).max(WALK_DEPTH_MAX).default(2).meta({ description: "The most steps from a start" }),
  types: z.array(UnitType).min(1).max(UNIT_TYPES.length).optional().meta({
    description: "Types of units in the results; the walk may pass through other types. Default: all",
  }),
  asOf: TimestampInput.optional().meta({
    description: "Follows relations that are true in the world at this time. Default: now",
  }),
  minWeight: Share.optional().meta({ description: "Least weight of each relation on the way" }),
  minTrust: z.int().min(0).max(100).optional().meta({
    description: "Least trust score of each relation and unit on the way",
  }),
  limit: z.int().min(1).max(WALK_RESULTS_MAX).default(100).meta({ description: "The most results" }),
}).meta({ id: "TraverseBody" });
export type TraverseBody = z.infer<typeof TraverseBody>;

export const PathStep = z.strictObject({
  relationId: Id,
  verb: Verb,
  from: Id,
  to: Id,
  direction: Direction.meta({ description: "`both`: the relation has no direction between the two" }),
}).meta({ id: "PathStep" });
export type PathStep = z.infer<typeof PathStep>;

export const TruncationReason = z.enum(["limit", "fan_out", "nodes", "edges", "scan"]).meta({
  id: "TruncationReason",
  description:
    "`limit`: more results were found than requested. `fan_out`: a unit has more relations than the walk follows from one unit; it followed the strongest. `nodes`, `edges`: the request reached the number that one request may visit. `scan`: only the newest relations were read",
});
export type TruncationReason = z.infer<typeof TruncationReason>;

const truncation = {
  truncated: z.boolean().meta({ description: "Part of the result was left out" }),
  truncatedBy: z.array(TruncationReason),
};

export const TraverseReply = z.strictObject({
  results: z.array(
    z.strictObject({
      node: GraphNode,
      depth: z.int().min(1),
      weight: Share.meta({ description: "The product of the weights on the path" }),
      path: z.array(PathStep),
    }).meta({ id: "TraverseResult" }),
  ).meta({
    description:
      "Nearest first, then strongest. For each unit the shortest path; among equally short ones the strongest",
  }),
  visited: z.int().min(0).meta({ description: "Number of units that the walk reached, without the starts" }),
  ...truncation,
}).meta({ id: "TraverseReply", description: "The units that are reached, and the relations on the way" });
export type TraverseReply = z.infer<typeof TraverseReply>;

export const GRAPH_NODES_MAX = 1_000;
export const GRAPH_EDGES_MAX = 5_000;

const Basis = z.enum(["mention", "derivedFrom", "evidence", "supersededBy"]).meta({
  id: "EdgeBasis",
  description: "What the edge was derived from, if it is not a relation that somebody wrote",
});

const edgeShape = {
  implied: z.boolean().meta({ description: "The edge was derived from the units; there is no relation to change" }),
  basis: Basis.nullable().meta({ description: "Null for a relation" }),
  relationId: Id.nullable().meta({ description: "Null for a derived edge" }),
  verb: Verb.meta({
    description:
      "Of derived edges: a unit is `about` what it mentions and `derived_from` its sources; its evidence `supports` it; its successor `supersedes` it",
  }),
  weight: Share.nullable().meta({ description: "Null for a derived edge" }),
  trustScore: z.int().min(0).max(100).nullable(),
  stale: z.boolean(),
  validFrom: Timestamp.nullable(),
  validTo: Timestamp.nullable(),
};

export const GraphEdge = z.strictObject({
  ...edgeShape,
  sourceId: Id.nullable().meta({ description: "Null for a hyperedge" }),
  targetId: Id.nullable(),
  participants: z.array(Participant).nullable().meta({
    description: "For a hyperedge: the participants that are nodes of this graph; otherwise null",
  }),
}).meta({ id: "GraphEdge" });
export type GraphEdge = z.infer<typeof GraphEdge>;

const PlacedNode = z.strictObject({
  ...GraphNode.shape,
  degree: z.int().min(0).meta({ description: "Number of edges of this graph at this node" }),
  x: z.number().min(-1).max(1).meta({
    description: "Where to draw the node. The same graph always gets the same positions",
  }),
  y: z.number().min(-1).max(1),
  depth: z.int().min(0).nullable().meta({ description: "Steps from the centre; null: the graph has no centre" }),
}).meta({ id: "PlacedNode" });

export const Graph = z.strictObject({
  nodes: z.array(PlacedNode),
  edges: z.array(GraphEdge),
  ...truncation,
}).meta({ id: "Graph", description: "Units and the edges between them" });
export type Graph = z.infer<typeof Graph>;

const Depth = wholeNumber(1, 3).default(1).meta({ description: "The most steps from the centre" });
const Implied = Flag.prefault("true").meta({
  description: "Whether to include edges derived from mentions, sources, evidence and supersession",
});
const graphShape = {
  types: repeated(UnitType, UNIT_TYPES.length).optional().meta({ description: "May be repeated. Default: all" }),
  verbs: Verbs.optional(),
  asOf: TimestampInput.optional().meta({
    description: "Relations that were true in the world at this time. Default: all",
  }),
  minTrust: wholeNumber(0, 100).optional().meta({ description: "Least trust score of units and relations" }),
  implied: Implied,
  limit: wholeNumber(1, GRAPH_NODES_MAX).default(200).meta({ description: "The most nodes" }),
  edgeLimit: wholeNumber(0, GRAPH_EDGES_MAX).default(1_000).meta({ description: "The most edges" }),
};

export const GraphQuery = z.strictObject({
  around: Id.optional().meta({ description: "The unit, of any type, at the centre of the graph" }),
  depth: Depth,
  ...graphShape,
  tags: repeated(Tag, 50).optional().meta({ description: "Units with any of these tags" }),
  drawer: z.string().min(1).max(1_024).optional().meta({ description: "Entities filed under this drawer" }),
});
export type GraphQuery = z.infer<typeof GraphQuery>;

export const EntityGraphQuery = z.strictObject({ depth: Depth, ...graphShape });
export type EntityGraphQuery = z.infer<typeof EntityGraphQuery>;

export const EntityEdge = z.strictObject({
  ...edgeShape,
  direction: Direction.meta({ description: "`out`: this entity is the source. `in`: it is the target" }),
  unit: GraphNode.meta({ description: "The unit at the other end" }),
  hyper: z.boolean().meta({ description: "The relation has more participants; each has an edge of its own" }),
  role: z.string().nullable().meta({ description: "This entity's role in the relation; null for a derived edge" }),
  unitRole: z.string().nullable(),
}).meta({ id: "EntityEdge" });
export type EntityEdge = z.infer<typeof EntityEdge>;
export const EntityEdgePage = pageOf(EntityEdge).meta({ id: "EntityEdgePage" });

export const EntityEdgesQuery = ListQuery.extend({
  order: ListQuery.shape.order.meta({
    description:
      "`desc`: the newest relation first. Derived edges have no time: they follow the relations in either order",
  }),
  verbs: Verbs.optional(),
  direction: Direction.default("both"),
  asOf: TimestampInput.optional().meta({
    description: "Relations that were true in the world at this time. Default: all",
  }),
  implied: Implied,
});
export type EntityEdgesQuery = z.infer<typeof EntityEdgesQuery>;
