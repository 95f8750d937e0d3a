/** Large exports and imports with little memory. docs/reference/guarantees.md F24. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import postgres from "postgres";
import * as access from "../../src/domain/access/authorize.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { POSTGRES } from "../_postgres.ts";
import { loadEvents, loadFacts, TEXT_BYTES } from "./_bulk.ts";
import { Stage } from "./_stage.ts";

const ROOT = join(import.meta.dirname!, "../..");

/** V8's heap in MiB: what a file holds does not fit into it beside the program. */
const HEAP_MIB = 128;
const LITTLE_MEMORY = { DENO_V8_FLAGS: `--max-old-space-size=${HEAP_MIB}` };
const LARGE = 9_000;
const SMALL = 2_000;
/** A file of `LARGE` items in MiB, at least. */
const LARGE_MIB = LARGE * TEXT_BYTES / 1_048_576;
/** What more data may cost in memory. Whoever holds a large file pays `LARGE_MIB`, and for its text the same again. */
const GROWTH_MAX_MIB = 0.8 * LARGE_MIB;

/** The most memory that a process ever had, in MiB; undefined when it has ended. */
function readPeakMib(pid: number): number | undefined {
  try {
    const kib = /VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1];
    return kib === undefined ? undefined : Number(kib) / 1_024;
  } catch {
    return undefined;
  }
}

/** Reads a file as it comes, to disk if told; answers its items when its last line fits to all before. */
async function readExport(chunks: AsyncIterable<Uint8Array>, path?: string): Promise<{ count: number; bytes: number }> {
  using file = path === undefined ? undefined : await Deno.create(path);
  const hash = createHash("sha256");
  let last = new Uint8Array(0);
  let bytes = 0;
  let lines = 0;
  for await (const chunk of chunks) {
    for (let at = 0; file && at < chunk.length;) at += await file.write(chunk.subarray(at));
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
    // All but the last line is hashed as soon as another one follows.
    const joined = new Uint8Array(last.length + chunk.length);
    joined.set(last);
    joined.set(chunk, last.length);
    const end = joined.lastIndexOf(10, joined.length - 2) + 1;
    hash.update(joined.subarray(0, end));
    last = joined.slice(end);
  }
  const end = JSON.parse(new TextDecoder().decode(last));
  assert.equal(end.kind, "end");
  assert.equal(end.sha256, hash.digest("hex"));
  assert.equal(end.count, lines - 2);
  return { count: end.count, bytes };
}

/** Runs the command line with little memory; answers its peak in MiB beside what `read` made of its output. */
async function runCli<T>(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  read: (output: Deno.SubprocessReadableStream) => Promise<T>,
): Promise<{ value: T; peakMib: number }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", "src/cli/main.ts", ...args],
    ...{ cwd: ROOT, env: { ...env, ...LITTLE_MEMORY }, stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  let peakMib = 0;
  // The mark only rises, so that the last look sees all but the last moments.
  const timer = setInterval(() => peakMib = readPeakMib(child.pid) ?? peakMib, 50);
  try {
    const [value, told, { code }] = await Promise.all([read(child.stdout), child.stderr.text(), child.status]);
    assert.equal(code, 0, told);
    return { value, peakMib };
  } finally {
    clearInterval(timer);
  }
}

Deno.test({
  ...POSTGRES,
  name:
    `F24 with a heap of ${HEAP_MIB} MiB files larger than what is free of it are exported and imported, whole, in constant memory`,
  async fn(t) {
    // A busy machine may be slow; this test is about memory.
    const patient = { SVC_DB_CONNECT_TIMEOUT_SECONDS: "30", SVC_DB_DEADLINE_MS: "30000" };
    await using stage = await Stage.open({ nodes: 1, env: { ...LITTLE_MEMORY, ...patient } });
    const { nodes: [node], deps, env } = stage;
    const directory = stage.stack.adopt(
      await Deno.makeTempDir({ prefix: "svc-memory-" }),
      (path) => Deno.remove(path, { recursive: true }),
    );
    const [large, small, target] = await Promise.all(["large", "small", "target"].map(async (name) => {
      const workspaceId = await access.createWorkspace(deps, { name, region: "us-east-1" });
      const { key } = await access.createApiKey(access.operatorContext(deps, workspaceId), {
        ...{ name, scopes: SCOPES, maxSensitivity: "restricted", rateLimit: { perMinute: 0, burst: 1 } },
      });
      return { workspaceId, key };
    }));
    const sql = postgres(stage.database.superuserUrl, { max: 1, onnotice: () => {} });
    stage.stack.defer(() => sql.end({ timeout: 5 }));
    await loadEvents(sql, large.workspaceId, LARGE);
    await loadFacts(sql, large.workspaceId, LARGE);
    await loadEvents(sql, small.workspaceId, SMALL);
    const countEvents = async (workspaceId: string) => {
      const [row] = await sql<[{ count: number; texts: number }]>`
        select count(*)::int, count(distinct data ->> 'text')::int as texts from event
         where workspace_id = ${workspaceId} and octet_length(data ->> 'text') = ${TEXT_BYTES}`;
      return row;
    };
    const exported = async (key: string, types: string, path?: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(`${node.url}/v1/export?types=${types}`, { headers });
      assert.equal(reply.status, 200);
      return await readExport(reply.body!, path);
    };
    const [smallFile, largeFile] = ["small.jsonl", "large.jsonl"].map((name) => join(directory, name));

    await t.step("over HTTP", async () => {
      // The first export brings the heap to the size that it has at work.
      assert.equal((await exported(small.key, "event", smallFile)).count, SMALL);
      const before = readPeakMib(node.pid)!;
      // Nobody reads this one: it may not pile up.
      const unread = await fetch(`${node.url}/v1/export`, { headers: { authorization: `Bearer ${large.key}` } });
      const { count, bytes } = await exported(large.key, "fact");
      await unread.body!.cancel();
      assert.equal(count, LARGE);
      assert.ok(bytes > LARGE * TEXT_BYTES);
      const growth = readPeakMib(node.pid)! - before;
      assert.ok(growth < GROWTH_MAX_MIB, `the export of ${LARGE_MIB} MiB took ${growth} MiB`);

      const reply = await fetch(`${node.url}/v1/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.key}`, "content-type": "application/x-ndjson" },
        body: await Deno.readFile(smallFile),
      });
      const report = await reply.json();
      assert.deepEqual([reply.status, report.created, report.failed], [200, SMALL, 0], JSON.stringify(report));
      assert.deepEqual({ ...await countEvents(target.workspaceId) }, { count: SMALL, texts: SMALL });
    });

    await t.step("on the command line", async () => {
      const ofEvents = ({ workspaceId }: { workspaceId: string }) => ["--workspace", workspaceId, "--types", "event"];
      const usual = await runCli(env, ["export", ...ofEvents(small)], readExport);
      const made = await runCli(env, ["export", ...ofEvents(large)], (output) => readExport(output, largeFile));
      assert.deepEqual([usual.value.count, made.value.count], [SMALL, LARGE]);
      const taken = await runCli(
        env,
        ["import", "--json", largeFile, "--workspace", target.workspaceId],
        async (output) => JSON.parse(await output.text() || "null"),
      );
      const { lines, created, unchanged, failed } = taken.value;
      // Those of the small file are there already.
      assert.deepEqual(
        { lines, created, unchanged, failed },
        { lines: LARGE, created: LARGE - SMALL, unchanged: SMALL, failed: 0 },
      );
      assert.deepEqual({ ...await countEvents(target.workspaceId) }, { count: LARGE, texts: LARGE });
      const bound = usual.peakMib + GROWTH_MAX_MIB;
      const peaks = [made.peakMib, taken.peakMib];
      assert.ok(peaks.every((peak) => peak < bound), `${usual.peakMib} MiB with less, ${peaks} with more`);
    });

    assert.equal(node.exitCode, undefined, node.output);
    await stage.check();
  },
});
