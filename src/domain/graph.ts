/** Knowledge as a graph: what callers know how to do with it. The rules are in `graph/`. */
export { traverse } from "./graph/traverse.ts";
