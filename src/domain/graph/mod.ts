/** Knowledge as a graph: what callers know how to do with it. The rules are in `graph/`. */
export { listEntityEdges } from "./entity_edges.ts";
export { getEntityGraph, getGraph } from "./picture.ts";
export { traverse } from "./traverse.ts";
