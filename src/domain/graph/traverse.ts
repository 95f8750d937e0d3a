/** Walks relations from some units and returns the reached units, with the path to each. */
import type { OperationContext } from "../../context.ts";
import { findNodes } from "../../db/queries/graph_nodes.ts";
import { findSurvivors } from "../../db/queries/relations.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { TraverseBody, TraverseReply, TruncationReason } from "../../schema/graph.ts";
import { byStrength, directionOf, walk, wayTo } from "./walk.ts";

/**
 * Walks from units over relations and returns the reached units, with the path to each.
 * @throws ServiceError `validation_failed` for a start that is not known
 */
export async function traverse(ctx: OperationContext, body: TraverseBody): Promise<TraverseReply> {
  return await ctx.tx(async (tx) => {
    const starts = await requireStarts(tx, body.startIds, "startIds");
    const { verbs, direction, depth, minWeight, minTrust, limit } = body;
    // A path does not say when its steps held, so all of them must hold at the same time.
    const asOf = body.asOf === undefined ? tx.now : new Date(body.asOf);
    const { visits, truncatedBy } = await walk(tx, starts, { verbs, direction, depth, asOf, minWeight, minTrust });
    const reasons = new Set<TruncationReason>(truncatedBy);
    const reached = [...visits.values()].filter((visit) => visit.via !== undefined);
    const wanted = reached.filter(({ via }) => body.types === undefined || body.types.includes(via!.toType))
      .sort((a, b) => a.depth - b.depth || byStrength(a, b));
    if (wanted.length > limit) reasons.add("limit");
    const shown = wanted.slice(0, limit);
    const nodes = new Map((await findNodes(tx, shown.map((visit) => visit.id))).map((node) => [node.id, node]));
    return {
      results: shown.map((visit) => ({
        node: nodes.get(visit.id)!,
        depth: visit.depth,
        weight: visit.weight,
        path: wayTo(visits, visit).map((edge) => ({
          relationId: edge.relationId,
          verb: edge.verb,
          from: edge.fromId,
          to: edge.toId,
          direction: directionOf(edge),
        })),
      })),
      visited: reached.length,
      truncated: reasons.size > 0,
      truncatedBy: [...reasons].sort(),
    };
  }, { readOnly: true, fromReplica: true });
}

/**
 * Replaces merged units by their survivors, each once.
 * @throws ServiceError `validation_failed` with the place of each id that is not known
 */
export async function requireStarts(tx: Tx, ids: readonly string[], path: string): Promise<string[]> {
  const survivors = await findSurvivors(tx, ids);
  const errors = ids.flatMap((id, i) => survivors.has(id) ? [] : [{ path: `${path}.${i}`, message: "is not known" }]);
  if (errors.length > 0) {
    throw new ServiceError("validation_failed", `Cannot traverse: ${path} names an unknown unit`, { errors });
  }
  return [...new Set(ids.map((id) => survivors.get(id)!))];
}
