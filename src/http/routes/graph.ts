/** `/v1/graph` */
import * as graph from "../../operations/graph.ts";
import { type Group, route } from "../route.ts";

export const GROUP: Group = {
  name: "Graph",
  section: "Overviews and feeds",
  description: "Units and the edges between them, with positions for drawing.",
};

export const getGraph = route("get", "/graph", graph.getGraph);
