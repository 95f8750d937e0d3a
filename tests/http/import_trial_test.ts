/** Trying an import before it is made. */
import assert from "node:assert/strict";
import { startService, type TestService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { test } from "./_facts.ts";
import { emptyWorkspace, exportAll, fillWorkspace, JSONL, makeFile } from "./_transfer.ts";
import { refusal } from "./_units.ts";
import { inTrial } from "../../src/domain/transfer/trial.ts";
import { SCOPES } from "../../src/schema/scopes.ts";

const PATHS = ["/v1/import", "/v1/memory/admin/import"];

async function send(service: TestService, key: string, text: string, query: string, path = PATHS[0]!, headers = {}) {
  return await service.call("POST", `${path}?${query}`, { body: text, key, headers: { ...JSONL, ...headers } });
}

async function sendOk(...args: Parameters<typeof send>) {
  const reply = await send(...args);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** How many rows each table has in a workspace, and the audit log's rows. */
async function look(service: TestService, workspaceId: string) {
  return await service.operator(workspaceId).tx(async (tx) => {
    const tables = await tx.sql<{ name: string }[]>`
      select c.table_name as name from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'
       order by 1`;
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      if (name.startsWith("svc_audit")) continue;
      const [{ allowed }] = await tx.sql<[{ allowed: boolean }]>`
        select has_table_privilege(${`public.${name}`}, 'select') as allowed`;
      if (!allowed) continue;
      const [row] = await tx.sql.unsafe(`select count(*)::int as n from ${name} where workspace_id = $1`, [
        workspaceId,
      ]);
      counts[name] = row!["n"];
    }
    const audit = await tx.sql<{ event: string; detail: object }[]>`
      select event_type as event, detail from svc_audit_log where workspace_id = ${workspaceId} order by seq`;
    return { counts, audit: audit.map(({ event, detail }) => ({ event, detail })) };
  }, { readOnly: true });
}

function countsOf({ dryRun: _, samples: __, ...counts }: Record<string, unknown>) {
  return counts;
}

test("a tried import reports what the import then reports, and leaves nothing but a row of the audit log", async (service) => {
  await fillWorkspace(service);
  const { text, header, lines } = await exportAll(service);
  const spoiled = makeFile(header, [
    ...lines,
    { kind: "no such kind" },
    "not JSON",
    { ...lines.find(({ kind }) => kind === "relation"), id: crypto.randomUUID() },
  ]);
  for (const [file, scopes] of [[text, SCOPES], [spoiled, SCOPES], [spoiled, ["memory:import"]]] as const) {
    for (const path of PATHS) {
      const { workspaceId, key } = await emptyWorkspace(service, scopes);
      const before = await look(service, workspaceId);
      const tried = await sendOk(service, key, file, "dryRun=true", path);
      const after = await look(service, workspaceId);
      assert.deepEqual(after.counts, before.counts);
      const { format, lines, created, updated, unchanged, failed } = tried;
      assert.deepEqual(after.audit, [...before.audit, {
        event: "import.previewed",
        detail: { format, lines, created, updated, unchanged, failed },
      }]);
      assert.ok(created > 20);
      assert.equal(tried.dryRun, true);
      assert.equal(tried.samples.length, 10);
      assert.ok(new Set(tried.samples.map(({ kind }: { kind: string }) => kind)).size >= 8);
      const made = await sendOk(service, key, file, "", path);
      assert.deepEqual(countsOf(tried), made);
      assert.deepEqual([made.dryRun, made.samples], [undefined, undefined]);
      const again = await sendOk(service, key, file, "dryRun=true", path);
      assert.deepEqual(countsOf(again), await sendOk(service, key, file, "", path));
      assert.equal(again.created, 0);
    }
  }
});

test("a tried import finds ids that are taken, as the import does", async (service) => {
  await fillWorkspace(service);
  const { text } = await exportAll(service);
  const target = await emptyWorkspace(service);
  await sendOk(service, target.key, text, "");
  // The same ids from another source belong to something else here.
  const { header, lines } = await exportAll(service);
  const other = makeFile(
    { ...header, workspace: crypto.randomUUID() },
    lines.map((line) => line.kind === "fact" ? { ...line, body: { ...line.body, statement: "Another." } } : line),
  );
  const low = await service.createKey({ workspaceId: target.workspaceId, maxSensitivity: "internal" });
  for (const key of [target.key, low]) {
    const before = await look(service, target.workspaceId);
    const tried = await sendOk(service, key, other, "dryRun=true");
    assert.deepEqual((await look(service, target.workspaceId)).counts, before.counts);
    assert.deepEqual(countsOf(tried), await sendOk(service, key, other, ""));
  }
});

test("files of other services are tried, too; samples are short and name what each would be", async (service) => {
  const file = JSON.stringify({
    results: [
      { id: "1", memory: `Ada likes tea. ${"x".repeat(500)}`, created_at: "2025-01-01T00:00:00Z" },
      { id: "2", memory: "Ada lives in Rome.", created_at: "2025-01-02T00:00:00Z" },
      { id: "3", created_at: "2025-01-02T00:00:00Z" },
    ],
  });
  const options = { "content-type": "application/json" };
  const tried = await sendOk(service, service.key, file, "format=mem0&dryRun=true", PATHS[0], options);
  const facts = tried.samples.filter(({ kind }: { kind: string }) => kind === "fact");
  assert.deepEqual(facts.map(({ outcome }: { outcome: string }) => outcome), ["created", "created"]);
  assert.ok(facts[0].text.startsWith("Ada likes tea."));
  assert.equal(facts[0].text.length, 200);
  assert.deepEqual(
    countsOf(tried),
    await sendOk(service, service.key, file, "format=mem0", PATHS[0], options),
  );
});

test("a trial is refused as the import would be, and what is wrong with the flag is said", async (service) => {
  await fillWorkspace(service);
  const { text } = await exportAll(service);
  const target = await emptyWorkspace(service);
  const broken = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
  assert.deepEqual(refusal(await send(service, target.key, broken, "dryRun=true")), [422, "validation_failed"]);
  const part = await sendOk(service, target.key, broken, "dryRun=true&partial=true");
  assert.equal(part.complete, false);
  assert.deepEqual(refusal(await send(service, target.key, text, "dryRun=yes")), [422, "validation_failed"]);
  const reader = await service.createKey({ workspaceId: target.workspaceId, scopes: ["memory:read"] });
  assert.deepEqual(refusal(await send(service, reader, text, "dryRun=true")), [403, "insufficient_scope"]);
  // The key of a trial is not the key of the import.
  const headers = { "idempotency-key": "one" };
  await sendOk(service, target.key, text, "dryRun=true", PATHS[0], headers);
  const reused = await send(service, target.key, text, "", PATHS[0], headers);
  assert.deepEqual(refusal(reused), [422, "idempotency_key_reused"]);
});

test("one import of a workspace is tried at a time", async (service) => {
  await fillWorkspace(service);
  const { text } = await exportAll(service);
  const { workspaceId, key } = await emptyWorkspace(service);
  const other = await emptyWorkspace(service);
  const begun = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const first = inTrial(service.operator(workspaceId), async (trial) => {
    await trial.tx(() => Promise.resolve());
    begun.resolve();
    await done.promise;
  });
  await begun.promise;
  const reply = await send(service, key, text, "dryRun=true");
  assert.deepEqual(refusal(reply), [429, "rate_limited"]);
  assert.equal(reply.headers.get("retry-after"), "5");
  await sendOk(service, other.key, text, "dryRun=true");
  done.resolve();
  await first;
  await sendOk(service, key, text, "dryRun=true");
});

Deno.test({
  ...POSTGRES,
  name: "on the embedded database, too, an import is tried and undone",
  async fn() {
    await using service = await startService({ embedded: true });
    await fillWorkspace(service);
    const { text } = await exportAll(service);
    const { workspaceId, key } = await emptyWorkspace(service);
    const low = await service.createKey({ workspaceId, scopes: ["memory:import"], maxSensitivity: "internal" });
    const before = await look(service, workspaceId);
    const tried = await sendOk(service, low, text, "dryRun=true");
    assert.deepEqual((await look(service, workspaceId)).counts, before.counts);
    assert.deepEqual(countsOf(tried), await sendOk(service, low, text, ""));
    assert.ok((await sendOk(service, key, text, "dryRun=true")).created > 0);
  },
});
