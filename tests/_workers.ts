/** `svc serve --workers 2` as real processes, with two workspaces that belong to different workers. */
import postgres from "postgres";
import { createDatabase, type TestDatabase } from "./_postgres.ts";
import { type StartedProcess, startProcess } from "./_process.ts";
import { ADMIN_TOKEN } from "./_service.ts";
import { waitFor } from "./_wait.ts";

export interface Tenant {
  readonly workspaceId: string;
  readonly key: string;
  /** Which worker serves it. */
  readonly worker: number;
}

export class WorkersWorld implements AsyncDisposable {
  constructor(
    readonly started: StartedProcess,
    readonly database: TestDatabase,
    readonly tenants: readonly [Tenant, Tenant],
    readonly stack: AsyncDisposableStack,
  ) {}

  get url(): string {
    return this.started.url;
  }

  /** The lines of the log so far. */
  // deno-lint-ignore no-explicit-any
  get lines(): any[] {
    return this.started.output().split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  }

  /** The process ids of the workers that were started last. */
  get pids(): number[] {
    const pids: number[] = [];
    for (const { event, worker, pid } of this.lines) if (event === "server.worker_started") pids[worker] = pid;
    return pids;
  }

  async call(method: string, path: string, key: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stack.disposeAsync();
  }
}

export async function startWorkersWorld(env: Record<string, string> = {}): Promise<WorkersWorld> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase());
  const started = stack.use(
    await startProcess({
      DATABASE_URL: database.requestUrl,
      SVC_ADMIN_TOKEN: ADMIN_TOKEN,
      SVC_RATE_LIMIT_PER_MINUTE: "0",
      SVC_DB_SECONDS_PER_KEY: "0",
      SVC_DB_SECONDS_PER_WORKSPACE: "0",
      SVC_DB_DEADLINE_MS: "20000",
      ...env,
    }, ["src/cli/main.ts", "serve", "--workers", "2"]),
  );
  await waitFor("both workers", () => started.output().includes('"server.started"'));
  await waitFor("readiness", async () => {
    const reply = await fetch(`${started.url}/health/ready`);
    await reply.body?.cancel();
    return reply.status === 200;
  });
  const tenants: Tenant[] = [];
  for (const name of ["one", "two"]) tenants.push(await createTenant(started.url, name));
  return new WorkersWorld(started, database, [tenants[0]!, tenants[1]!], stack.move());
}

export async function createTenant(
  url: string,
  name: string,
  rateLimit?: { perMinute: number; burst: number },
): Promise<Tenant> {
  const admin = async (path: string, body: unknown) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(`POST ${path}: ${JSON.stringify(reply)}`);
    return reply;
  };
  const { id: workspaceId } = await admin("/v1/admin/workspaces", { name, region: "us-east-1" });
  const { key } = await admin("/v1/admin/api-keys", {
    ...{ workspace_id: workspaceId, name, maxSensitivity: "restricted" },
    ...(rateLimit && { rateLimit }),
  });
  return { workspaceId, key, worker: await findWorker(url, key) };
}

/** Finds the worker whose own count of requests grows by a request with the key. */
async function findWorker(url: string, key: string): Promise<number> {
  const counts = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return [0, 1].map((worker) =>
      text.split("\n").filter((line) =>
        line.startsWith("svc_requests_total{") && line.includes('endpoint="/v1/whoami"') &&
        line.includes(`worker="${worker}"`)
      ).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)
    );
  };
  const before = await counts();
  const reply = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } });
  await reply.body?.cancel();
  const after = await counts();
  return after.findIndex((count, worker) => count > before[worker]!);
}

/** Processes whose command line has this text. */
export async function processesWith(text: string): Promise<number[]> {
  const pids: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if ((await Deno.readTextFile(`/proc/${name}/cmdline`)).includes(text)) pids.push(Number(name));
    } catch {
      // It has ended in the meantime.
    }
  }
  return pids;
}

export function connectTo({ superuserUrl }: TestDatabase): postgres.Sql {
  return postgres(superuserUrl, { max: 1, onnotice: () => {} });
}
