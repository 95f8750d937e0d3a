/** `svc doctor`: shows a person which part of the service does not work. */
import type { Deps } from "../../context.ts";
import { checkDatabase } from "../../db/boot.ts";
import { listWorkspaces } from "../access/admin/workspaces.ts";

export interface Diagnosis {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

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
    const [vector] = await deps.embeddings.embed(["doctor"], { purpose: "document" });
    return `${deps.embeddings.model}, ${vector?.length} dimensions`;
  });
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
