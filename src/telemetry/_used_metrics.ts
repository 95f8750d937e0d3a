/** Metrics with a sample of each, so that their page shows every name with its labels. */
import { worthBucket } from "./metric_labels.ts";
import { Metrics } from "./metrics.ts";

export const WORKSPACE = "019a1b2c-3d4e-7f00-8000-0123456789ab";

export const PEER = {
  peer: "instance:b.example",
  isActive: true,
  isDegraded: false,
  isStale: false,
  lagSeconds: 3,
  certificateDays: 80,
  erasuresPending: 2,
};

export function createUsedMetrics(): Metrics {
  const metrics = new Metrics({
    sources: {
      facts: () => [{ workspaceId: WORKSPACE, type: "preference", status: "active", count: 3 }],
      worth: async () => [{ bucket: worthBucket(0.55), count: 2 }],
      hotTier: () => [{ workspaceId: WORKSPACE, units: 7 }],
      peers: async () => [PEER],
      embeddings: async () => [{ texts: 6, unlinkedWorkspaces: 1 }],
      webhooks: async () => [{ unverified: 1, enabled: 2, disabled: 3, pending: 4, oldestPendingSeconds: 5 }],
    },
  });
  metrics.observeRequest({
    method: "GET",
    endpoint: "/v1/facts/:id",
    status: 404,
    durationMs: 4,
    errorCode: "not_found",
  });
  metrics.countOutboundRequest("federation", "2xx");
  metrics.countReplicaRead("replica");
  metrics.countReplay("instance:a.example");
  metrics.countSynced("instance:a.example", { items: 3, conflicts: 1 });
  metrics.countRejected("instance:a.example", "validation_failed", 2);
  metrics.observeTurn(0.2);
  metrics.observeRecallTier("hot", 1.5, 4);
  metrics.observeEmbedding("text-embedding-3-small", "document", 3, 60);
  metrics.countTokens("text-embedding-3-small", "embed", 12);
  metrics.countTokensSaved("packing", 100);
  metrics.countRecallsDropped(1);
  return metrics;
}
