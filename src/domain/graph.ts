/** Knowledge as a graph: what callers know how to do with it. The rules are in `graph/`. */
export { listEntityEdges } from "./graph/entity_edges.ts";
export { getEntityGraph, getGraph } from "./graph/picture.ts";
export { traverse } from "./graph/traverse.ts";
