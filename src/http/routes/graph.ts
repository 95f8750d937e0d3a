/** The graph for drawing. Interface §2.1, decisions §6 "graph, timeline". */
import { getGraphEndpoint } from "../graph_endpoints.ts";

export const getGraph = getGraphEndpoint();
