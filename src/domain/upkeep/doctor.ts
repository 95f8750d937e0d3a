/** `svc doctor`: shows a person which part of the service does not work. */
import type { Deps } from "../../context.ts";
import { checkDatabase } from "../../db/boot.ts";
import { listWorkspaces } from "../access/admin/workspaces.ts";
import { countBacklog } from "./embedding_backlog.ts";

export interface Diagnosis {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** A text as people say it, for the time that a vector takes. */
const SAMPLE = "Ada prefers mail when a backup fails, and a call when it fails for the third time in a row.";

/** Checks each part in turn; a part that fails does not prevent the checks of the others. */
export async function diagnose(deps: Deps): Promise<{ ok: boolean; checks: Diagnosis[] }> {
  const checks: Diagnosis[] = [];
  const look = async (check: string, work: () => Promise<string>) => {
    try {
      checks.push({ check, ok: true, detail: await work() });
    } catch (error) {
      checks.push({ check, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  };
  const { config } = deps;
  await look("database", async () => {
    await checkDatabase(deps.db, { embeddingDimension: deps.embeddings.dimension });
    return config.database.url === undefined
      ? `embedded in ${config.database.dataDir}`
      : "native, role and schema are right";
  });
  await look("workspaces", async () => `${(await listWorkspaces(deps)).length} found`);
  await look("embeddings", async () => {
    await deps.embeddings.check?.();
    // The first text may wait for what has to be loaded.
    await deps.embeddings.embed(["doctor"], { purpose: "document" });
    const startedAt = performance.now();
    const [vector] = await deps.embeddings.embed([SAMPLE], { purpose: "document" });
    const ms = Math.round(performance.now() - startedAt);
    return `${deps.embeddings.model}, ${vector?.length} dimensions, ${ms} ms for a text`;
  });
  await look("texts without a vector of this model", async () => String(await countBacklog(deps)));
  await look(
    "text generation",
    async () => deps.generator === undefined ? "none, rules are used" : deps.generator.model,
  );
  await look("key-value store", async () => {
    await deps.kv.ping();
    return config.redis.restUrl === undefined ? "in process" : "Redis over REST";
  });
  await look("region", async () => config.region ?? "not set: the region lock is off");
  return { ok: checks.every((check) => check.ok), checks };
}
