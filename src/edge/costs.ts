/**
 * What operations cost that do more than one request's work, of HTTP and RPC alike: tokens of the key's rate, and whether
 * they are heavy, of which a workspace has few under way at once. What is not here costs one token and is light.
 */

export interface Cost {
  /** Tokens that are taken before the body is read. */
  readonly tokens: number;
  /** Taken beside them when the body is known: a token for each of these beyond the first. */
  readonly perItem?: string;
  /**
   * It has many of these: a token for each `each` that are begun, and it is heavy beyond the first `each`. So one item
   * stays cheap where a batch has the same operation.
   */
  readonly bySize?: { readonly of: string; readonly each: number };
  readonly isHeavy: boolean;
}

const ONE: Cost = { tokens: 1, isHeavy: false };
/** Walks and drawings over many relations. */
const GRAPH: Cost = { tokens: 5, isHeavy: true };
/** A whole workspace. */
const WHOLE: Cost = { tokens: 20, isHeavy: true };
/** Hundreds of rows at once. */
const BATCH: Cost = { tokens: 5, isHeavy: true };

export const COSTS: Readonly<Record<string, Cost>> = {
  recallBatch: { tokens: 1, perItem: "query", isHeavy: true },
  addTurns: { ...ONE, bySize: { of: "turn", each: 100 } },
  recordEvents: { ...ONE, bySize: { of: "event", each: 100 } },
  editSelf: { ...ONE, bySize: { of: "operation", each: 10 } },
  createFacts: BATCH,
  createRelations: BATCH,
  createRelationsV2: BATCH,
  createEntities: BATCH,
  createEntitiesV2: BATCH,
  createDecisions: BATCH,
  createEpisodes: BATCH,
  createSkills: BATCH,
  createStrategies: BATCH,
  createWorkflows: BATCH,
  collapseSession: BATCH,
  reflectSelf: BATCH,
  optimizePlaybook: BATCH,
  traverseRelations: GRAPH,
  getGraph: GRAPH,
  getEntityGraph: GRAPH,
  getEntityGraphV2: GRAPH,
  exportMemory: WHOLE,
  exportWorkspace: WHOLE,
  importMemory: WHOLE,
  importWorkspace: WHOLE,
  consolidate: WHOLE,
  verifyAudit: WHOLE,
};

export function costOf(operationId: string): Cost {
  return COSTS[operationId] ?? ONE;
}
