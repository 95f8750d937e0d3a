/** Reports whether the service is ready, and the health of a workspace. */
import { equalSecrets } from "../../crypto/hash.ts";
import type { Deps, OperationContext } from "../../context.ts";
import type { ReplicaState } from "../../db/database.ts";
import { countFacts, countWorth, readVitals } from "../../db/queries/health.ts";
import { readWebhookGauges } from "../../db/queries/webhooks.ts";
import { ping, takesWrites } from "../../db/queries/privileges.ts";
import { ServiceError } from "../../errors.ts";
import type { HealthSnapshot } from "../../schema/health.ts";
import { worthBucket } from "../../telemetry/metric_labels.ts";
import type { MetricSources } from "../../telemetry/metric_sources.ts";
import { nearestIndexOf } from "../recall/database/nearest_index.ts";
import { countBacklog, countUnlinked, isBehind } from "./embedding_backlog.ts";

type Check = ReplicaState | "starting" | "stopping" | "deaf" | "building" | "missing" | "degraded" | "behind";

/**
 * The checks that a caller may exclude from readiness: without these parts the service works, but slower or less
 * exactly.
 */
export const DISPENSABLE_CHECKS = ["cache", "notifications"] as const;
/**
 * Checks that are shown but never count: an index build takes long, and recall works meanwhile; reads that a replica
 * does not answer run on the primary; texts that wait for their vector are found by the table's, or by their words; those that wait for links have no pointers.
 */
const SHOWN_ONLY = ["vectorIndex", "replica", "sentenceEncoder", "embeddings", "newerLinks"];

export interface Readiness {
  readonly status: "ok" | "unavailable";
  readonly checks: Readonly<Record<string, Check>>;
}

const CHECK_DEADLINE_MS = 1_500;
/** Gauges leave out clusters that cannot be reached. */
const EVERYWHERE = { readOnly: true, partial: true } as const;

/**
 * Checks everything that a request needs: the database, its readiness for writes, the key-value store if one is configured, and notifications,
 * without which the process learns of revocations some seconds late and is slower. The checks in `excluded` are shown
 * and do not count, and neither do an index of vectors that is not built yet, a replica, and clusters other than the
 * home cluster.
 */
export async function checkReadiness(
  deps: Deps,
  excluded: readonly (typeof DISPENSABLE_CHECKS)[number][] = [],
): Promise<Readiness> {
  const checks: Record<string, Check> = {};
  const look = async (name: string, work: () => Promise<unknown>) => {
    checks[name] = await work().then(() => "ok" as const, () => "unavailable" as const);
  };
  const [, ...others] = deps.db.clusters;
  await Promise.all([
    lookAtDatabase(deps).then((found) => Object.assign(checks, found)),
    ...others.map(([name, db]) => look(`cluster ${name}`, () => db.system(ping, { deadlineMs: CHECK_DEADLINE_MS }))),
    ...(deps.config.redis.restUrl ? [look("cache", () => deps.kv.ping())] : []),
    deps.db.lookAtReplica().then((state) => {
      if (state !== undefined) checks["replica"] = state;
    }),
    isBehind(deps).then((behind) => {
      if (behind.embeddings) checks["embeddings"] = "behind";
      if (behind.links) checks["newerLinks"] = "behind";
    }),
  ]);
  if (!deps.isPrepared()) checks["process"] = "starting";
  else if (!deps.isHearing()) checks["notifications"] = "deaf";
  if (deps.stopping.aborted) checks["process"] = "stopping";
  const { state } = nearestIndexOf(deps);
  if (state === "building" || state === "missing") checks["vectorIndex"] = state;
  if (deps.embeddings.isDegraded) checks["sentenceEncoder"] = "degraded";
  const ready = Object.entries(checks).every(([name, check]) =>
    // The service still serves the workspaces of the clusters that can be reached.
    check === "ok" || SHOWN_ONLY.includes(name) || name.startsWith("cluster ") ||
    excluded.some((other) => other === name)
  );
  return { status: ready ? "ok" : "unavailable", checks };
}

/**
 * Whether the database answers and, if it does, whether it takes writes. Without them nothing is served for long, because
 * reads are in the audit log, too.
 */
async function lookAtDatabase({ db }: Deps): Promise<Record<string, Check>> {
  let isReached = false;
  const isWritable = await db.system(async (sql) => {
    await ping(sql);
    isReached = true;
    return await takesWrites(sql);
  }, { deadlineMs: CHECK_DEADLINE_MS }).catch(() => false);
  if (!isReached) return { database: "unavailable" };
  return { database: "ok", ...(!isWritable && { writes: "unavailable" as const }) };
}

/** @throws ServiceError `unauthenticated` when a metrics token is configured and the caller has another or none. */
export function refuseMetricsStranger(deps: Deps, authorization: string | null): void {
  const token = deps.config.metricsToken;
  if (token === undefined || equalSecrets(authorization ?? "", `Bearer ${token}`)) return;
  throw new ServiceError("unauthenticated", "Cannot show the metrics: the token is missing or wrong", {
    headers: { "www-authenticate": "Bearer" },
  });
}

/** The gauges of the metrics page that are read from the store. */
export function storeGauges(deps: Pick<Deps, "db" | "clock" | "embeddings">): MetricSources {
  const { db, clock } = deps;
  return {
    embeddings: async () => [{ texts: await countBacklog(deps), unlinkedWorkspaces: await countUnlinked(deps) }],
    webhooks: async () => {
      const rows = await db.each(async (sql) => [await readWebhookGauges(sql)], EVERYWHERE);
      const sum = (name: "unverified" | "enabled" | "disabled" | "pending") =>
        rows.reduce((total, row) => total + row[name], 0);
      const ages = rows.flatMap(({ oldestPendingAt: at }) =>
        at === null ? [] : (clock().getTime() - at.getTime()) / 1_000
      );
      return [{
        unverified: sum("unverified"),
        enabled: sum("enabled"),
        disabled: sum("disabled"),
        pending: sum("pending"),
        oldestPendingSeconds: Math.max(0, ...ages),
      }];
    },
    facts: () => db.each(countFacts, EVERYWHERE),
    worth: async () => {
      const counts = new Map<number, number>();
      for (const { tenth, count } of await db.each(countWorth, EVERYWHERE)) {
        counts.set(tenth, (counts.get(tenth) ?? 0) + count);
      }
      return [...counts].map(([tenth, count]) => ({ bucket: worthBucket(tenth / 10), count }));
    },
  };
}

/** The workspace's vitals, as far as the key's clearance allows. */
export async function readSnapshot(ctx: OperationContext): Promise<HealthSnapshot> {
  const row = await ctx.tx((tx) => readVitals(tx, ctx.deps.embeddings.current), { readOnly: true });
  const texts = row.embedded + row.notEmbedded;
  return {
    liveFacts: row.liveFacts,
    pinned: row.pinned,
    turns: row.turns,
    sessions: row.sessions,
    embeddedRatio: texts === 0 ? 1 : row.embedded / texts,
    embeddingBacklog: row.notEmbedded,
    recalls: row.recalls,
    backlog: {
      embedding: row.notEmbedded,
      links: row.notLinked,
      worth: row.worthDue,
      changes: row.changesBehind,
      jobs: row.openJobs,
      openReviews: row.openReviews,
    },
    recallHitRate: row.recalls === 0 ? null : row.recallHits / row.recalls,
    lastWriteAt: row.lastWriteAt?.toISOString() ?? null,
    changeSeq: row.changeSeq,
  };
}
