/** Brokers and the workspaces that they make for the users of an app. docs/reference/guarantees.md T80 to T80. */
import assert from "node:assert/strict";
import { DEFAULT_SCOPES } from "../../src/schema/scopes.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { createBroker } from "../_fixtures.ts";
import { createTestAdmin } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, type Reply, startService, TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { Tables } from "./_tables.ts";
import { callUnknown } from "./_unknown.ts";

const ADMIN = { key: ADMIN_TOKEN };
const NOBODY = "01890000-0000-7000-8000-00000000dead";

async function open(service: TestService, key: string, externalId: string, body: Record<string, unknown> = {}) {
  const reply = await service.post("/v1/admin/tenants", { externalId, credential: "key", ...body }, { key });
  assert.ok(reply.status === 201 || reply.status === 200, JSON.stringify(reply.body));
  return reply.body as {
    tenant: { id: string; state: string };
    created: boolean;
    key: { key: string; scopes: string[] };
  };
}

const codeOf = ({ status, body }: Reply) => [status, body.code];

for (const backend of ["native", "embedded"] as const) {
  Deno.test({
    ...(backend === "native" ? POSTGRES : {}),
    name:
      `T80 a broker finds or creates the workspace of a user by the app's own id, and callers at once make one, on the ${backend} database`,
    async fn() {
      await using service = await startService({ embedded: backend === "embedded" });
      const broker = await createBroker(service);
      const [first, ...others] = await Promise.all(
        Array.from(
          { length: 12 },
          () => service.post("/v1/admin/tenants", { externalId: "alice" }, { key: broker.key }),
        ),
      );
      const all = [first!, ...others];
      assert.deepEqual(new Set(all.map(({ body }) => body.tenant.id)).size, 1);
      assert.deepEqual(all.map(({ status }) => status).sort(), [...Array(11).fill(200), 201]);
      assert.deepEqual(all.map(({ body }) => body.created).filter(Boolean), [true]);
      const { tenant, key, created } = await open(service, broker.key, "alice");
      assert.deepEqual([tenant.id, tenant.state, created], [first!.body.tenant.id, "active", false]);
      assert.deepEqual(new Set(key.scopes), new Set(DEFAULT_SCOPES));
      const stored = await service.post("/v1/memory/facts", { statement: "Alice likes tea." }, { key: key.key });
      assert.equal(stored.status, 201, JSON.stringify(stored.body));
      assert.equal((await service.get("/v1/whoami", { key: key.key })).body.workspace.id, tenant.id);

      // The audit log names the broker, in the service's chain and in the workspace's own.
      const { data } = (await service.get(`/v1/admin/audit?target=${tenant.id}&eventType=tenant.created`, ADMIN)).body;
      assert.deepEqual(
        data.map((row: AuditShown) => [row.actor_type, row.actor_id, row.detail.broker]),
        [["broker", `broker:${broker.id}`, broker.name]],
      );
      const own = (await service.get(`/v1/audit?eventType=tenant.created`, { key: key.key })).body;
      assert.deepEqual(own.data.map((row: AuditShown) => row.detail.broker), [broker.name]);
      assert.doesNotMatch(JSON.stringify([data, own]), /alice/);

      // With an Idempotency-Key, a repetition gets the same key again.
      const headers = { "idempotency-key": "once" };
      const body = { externalId: "bob", credential: "key" };
      const [one, again] = [
        await service.post("/v1/admin/tenants", body, { key: broker.key, headers }),
        await service.post("/v1/admin/tenants", body, { key: broker.key, headers }),
      ];
      assert.equal(again.headers.get("idempotency-replayed"), "true");
      assert.deepEqual(again.body, one.body);
      // Another broker may use the same name for its own.
      const other = await createBroker(service);
      const theirs = await service.post("/v1/admin/tenants", body, { key: other.key, headers });
      assert.equal(theirs.status, 201, JSON.stringify(theirs.body));
      assert.notEqual(theirs.body.tenant.id, one.body.tenant.id);
    },
  });
}

interface AuditShown {
  readonly actor_type: string;
  readonly actor_id: string;
  readonly event_type: string;
  readonly detail: { readonly broker?: string };
}

Deno.test({
  ...POSTGRES,
  name: "T80 a broker's key opens the operations on tenants and nothing else",
  async fn() {
    await using service = await startService();
    const { key } = await createBroker(service);
    let opened = 0;
    for (const endpoint of ENDPOINTS.filter(({ scope }) => scope !== "public")) {
      const reply = await callUnknown(service, endpoint, key);
      const what = `${endpoint.id}: ${reply.status} ${reply.body?.code}`;
      if (endpoint.takesBrokers) {
        assert.ok(reply.status !== 401, what);
        opened++;
      } else assert.deepEqual(codeOf(reply), [401, "unauthenticated"], what);
    }
    assert.equal(opened, 8);
    const rpc = await service.post("/svc.v1.SvcService/Recall", { query: "tea" }, { key });
    assert.equal(rpc.status, 401);
    const mcp = await service.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { key });
    assert.equal(mcp.status, 401);
    // Nor the keys of tenants, nor a grant.
    const granted = await service.post("/v1/memory/recall", { query: "tea" }, {
      key,
      headers: { "x-svc-break-glass": NOBODY },
    });
    assert.equal(granted.status, 401);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T80 a broker neither sees nor touches another broker's tenants, by id or by name, nor learns that there are any",
  async fn() {
    await using service = await startService();
    const [mine, theirs] = [await createBroker(service), await createBroker(service)];
    const { tenant } = await open(service, theirs.key, "alice");
    const base = `/v1/admin/tenants/${tenant.id}`;
    const never = `/v1/admin/tenants/${NOBODY}`;
    const plain = ({ status, body }: Reply) => ({ status, ...body, requestId: "", instance: "" });
    for (const act of ["suspend", "resume", "erase"]) {
      const foreign = await service.post(`${base}/${act}`, undefined, { key: mine.key });
      assert.deepEqual(codeOf(foreign), [404, "not_found"]);
      assert.deepEqual(plain(foreign), plain(await service.post(`${never}/${act}`, undefined, { key: mine.key })));
    }
    for (const path of ["", "/export"]) {
      assert.deepEqual(codeOf(await service.get(base + path, { key: mine.key })), [404, "not_found"]);
    }
    // The id of a workspace that no broker made is no tenant, not even for an admin.
    for (const key of [mine.key, ADMIN_TOKEN]) {
      const reply = await service.post(`/v1/admin/tenants/${service.workspaceId}/erase`, undefined, { key });
      assert.deepEqual(codeOf(reply), [404, "not_found"]);
    }
    assert.deepEqual((await service.get("/v1/admin/tenants", { key: mine.key })).body.data, []);
    const asTheirs = `?brokerId=${theirs.id}`;
    assert.deepEqual(codeOf(await service.get(`/v1/admin/tenants${asTheirs}`, { key: mine.key })), [404, "not_found"]);
    const forged = { externalId: "alice", brokerId: theirs.id, credential: "key" };
    assert.deepEqual(codeOf(await service.post("/v1/admin/tenants", forged, { key: mine.key })), [404, "not_found"]);
    // The same name is another tenant.
    assert.notEqual((await open(service, mine.key, "alice")).tenant.id, tenant.id);
    assert.equal((await service.get(base, { key: theirs.key })).body.state, "active");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T80 a broker gives no more than it has: scopes, clearance, region, and nothing once it is revoked or replaced",
  async fn() {
    await using service = await startService({ env: { SVC_REGION: "us-east-1" } });
    const { id, key } = await createBroker(service, { scopes: ["memory:read"], maxSensitivity: "internal" });
    const ask = (body: Record<string, unknown>, by = key) =>
      service.post("/v1/admin/tenants", { externalId: "alice", credential: "key", ...body }, { key: by });
    assert.deepEqual(codeOf(await ask({ scopes: ["memory:read", "memory:write"] })), [403, "insufficient_scope"]);
    assert.deepEqual(codeOf(await ask({ maxSensitivity: "confidential" })), [403, "insufficient_scope"]);
    const given = await ask({});
    assert.deepEqual([given.body.key.scopes, given.body.key.maxSensitivity], [["memory:read"], "internal"]);
    assert.deepEqual(codeOf(await service.get(`/v1/admin/tenants/${given.body.tenant.id}/export`, { key })), [
      403,
      "insufficient_scope",
    ]);
    const own = given.body.key.key;
    assert.equal((await service.post("/v1/memory/facts", { statement: "Tea." }, { key: own })).status, 403);
    for (const scope of ["memory:admin:cross_tenant", "federation"]) {
      const body = { name: crypto.randomUUID(), region: "us-east-1", scopes: ["memory:read", scope] };
      assert.equal((await service.post("/v1/admin/broker-keys", body, ADMIN)).status, 422, scope);
    }
    const abroad = await createBroker(service, { region: "eu-west-1" });
    const elsewhere = await ask({}, abroad.key);
    assert.deepEqual([...codeOf(elsewhere), elsewhere.body.homeRegion], [403, "wrong_region", "eu-west-1"]);

    const rotated = await service.post(`/v1/admin/broker-keys/${id}/rotate`, { overlapSeconds: 0 }, ADMIN);
    assert.equal((await ask({})).status, 401);
    assert.equal((await ask({}, rotated.body.key)).status, 200, "the tenants stay the broker's own");
    const wider = { scopes: ["memory:read", "memory:write"] };
    assert.equal((await service.patch(`/v1/admin/broker-keys/${id}`, wider, ADMIN)).status, 200);
    assert.equal((await ask(wider, rotated.body.key)).status, 200, "a change counts immediately");
    assert.equal((await service.post(`/v1/admin/broker-keys/${id}/revoke`, undefined, ADMIN)).status, 200);
    assert.equal((await ask({}, rotated.body.key)).status, 401);
    assert.equal((await service.get("/v1/whoami", { key: own })).status, 200, "its tenants' keys stay");
    assert.equal((await ask({ brokerId: id }, ADMIN_TOKEN)).status, 200, "admins manage them");
    assert.equal((await ask({}, ADMIN_TOKEN)).status, 422, "an admin says on whose behalf");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T82 a suspended tenant is refused everywhere and by every process, until it is resumed, with everything as it was",
  async fn() {
    await using service = await startService();
    await using second = await startService({ database: service.database! });
    const broker = await createBroker(service);
    const { tenant, key: { key } } = await open(service, broker.key, "alice");
    const { key: { key: other } } = await open(service, broker.key, "bob");
    await service.post("/v1/memory/facts", { statement: "Alice likes tea." }, { key });
    // Both processes know the key by now.
    for (const one of [service, second]) assert.equal((await one.get("/v1/whoami", { key })).status, 200);
    const path = `/v1/admin/tenants/${tenant.id}`;
    const suspended = await service.post(`${path}/suspend`, undefined, { key: broker.key });
    assert.deepEqual([suspended.status, suspended.body.state], [200, "suspended"]);
    assert.deepEqual(codeOf(await service.get("/v1/whoami", { key })), [403, "workspace_suspended"]);
    await waitFor(
      "the other process hears of it",
      async () => (await second.get("/v1/whoami", { key })).status === 403,
    );
    for (const endpoint of ENDPOINTS.filter(({ scope, bearer }) => scope !== "public" && bearer === "key")) {
      assert.deepEqual(codeOf(await callUnknown(service, endpoint, key)), [403, "workspace_suspended"], endpoint.id);
    }
    const rpc = await service.post("/svc.v1.SvcService/Recall", { query: "tea" }, { key });
    assert.equal(rpc.status, 403, JSON.stringify(rpc.body));
    assert.equal((await service.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { key })).status, 403);
    const denied = await service.post("/v1/admin/tenants", { externalId: "alice", credential: "key" }, {
      key: broker.key,
    });
    assert.deepEqual(codeOf(denied), [403, "workspace_suspended"]);
    assert.equal((await service.get("/v1/whoami", { key: other })).status, 200, "others are served");
    const again = await service.post(`${path}/suspend`, undefined, { key: broker.key });
    assert.equal(again.body.suspendedAt, suspended.body.suspendedAt);
    const resumed = await service.post(`${path}/resume`, undefined, { key: broker.key });
    assert.deepEqual([resumed.body.state, resumed.body.suspendedAt], ["active", null]);
    assert.equal((await service.post("/v1/memory/recall", { query: "tea" }, { key })).body.results.length, 1);
    await waitFor("the other process serves it", async () => (await second.get("/v1/whoami", { key })).status === 200);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T82 an erased tenant leaves no row but its receipt and its audit chain, and its id is free for a new workspace",
  async fn() {
    await using service = await startService({ workers: true });
    await using tables = new Tables(service);
    const broker = await createBroker(service);
    const { tenant, key: { key } } = await open(service, broker.key, "alice@example.org");
    await fill(as(service, key, tenant.id));
    const path = `/v1/admin/tenants/${tenant.id}`;
    const { status, body: receipt } = await service.post(`${path}/erase`, undefined, { key: broker.key });
    assert.equal(status, 200, JSON.stringify(receipt));
    assert.deepEqual([receipt.state, receipt.externalId], ["erased", null]);
    assert.ok(
      receipt.erasedRows.unit >= 3 && receipt.erasedRows.turn >= 2 && receipt.erasedRows.task === 1,
      JSON.stringify(receipt),
    );
    assert.equal((await service.get("/v1/whoami", { key })).status, 401);
    assert.deepEqual((await service.get(path, { key: broker.key })).body, receipt);
    assert.deepEqual((await service.post(`${path}/erase`, undefined, { key: broker.key })).body, receipt);
    assert.deepEqual(codeOf(await service.post(`${path}/resume`, undefined, { key: broker.key })), [
      409,
      "invalid_transition",
    ]);
    assert.deepEqual(await tables.holding(tenant.id), AUDIT_TABLES);
    assert.deepEqual(await tables.namingAnywhere(["alice@example.org", "quixotic"]), []);
    const next = await open(service, broker.key, "alice@example.org");
    assert.deepEqual([next.created, next.tenant.id === tenant.id], [true, false]);
    assert.deepEqual(
      (await service.post("/v1/memory/recall", { query: "Quixotic tea" }, { key: next.key.key })).body.results,
      [],
    );
    assert.equal((await service.get(`/v1/admin/audit/verify`, ADMIN)).body.ok, true);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T82 an erasure that broke off goes on with the next call, and until then the tenant is neither served nor opened",
  async fn() {
    await using service = await startService();
    const broker = await createBroker(service);
    const { tenant, key: { key } } = await open(service, broker.key, "alice");
    await fill(as(service, key, tenant.id), 700);
    const path = `/v1/admin/tenants/${tenant.id}/erase`;
    const gone = new AbortController();
    const began = service.service.fetch(
      new Request(`http://svc.test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${broker.key}` },
        signal: gone.signal,
      }),
    );
    await waitFor(
      "the erasure has begun",
      async () => (await service.get(path.replace("/erase", ""), { key: broker.key })).body.state === "erasing",
    );
    gone.abort();
    await began.catch(() => {});
    const state = (await service.get(path.replace("/erase", ""), { key: broker.key })).body;
    if (state.state === "erasing") {
      assert.deepEqual(codeOf(await service.post("/v1/admin/tenants", { externalId: "alice" }, { key: broker.key })), [
        409,
        "conflict",
      ]);
      assert.notEqual((await service.get("/v1/whoami", { key })).status, 200);
    }
    const { status, body } = await service.post(path, undefined, { key: broker.key });
    assert.deepEqual([status, body.state], [200, "erased"]);
    assert.ok(body.erasedRows.unit >= 700, "the receipt counts what was there when it began");
    await using tables = new Tables(service);
    assert.deepEqual(await tables.holding(tenant.id), AUDIT_TABLES);
  },
});

/** What outlasts an erasure: rows that hold ids and no content. */
const AUDIT_TABLES = ["svc_audit_head", "svc_audit_log"];

/** The service with the key of another workspace. */
function as({ service, database }: TestService, key: string, workspaceId: string): TestService {
  return new TestService(service, workspaceId, key, database, new AsyncDisposableStack());
}

/** Puts something into the workspace, of several kinds and sensitivities. */
async function fill(service: TestService, facts = 3): Promise<void> {
  const statements = Array.from({ length: facts }, (_, n) => ({
    statement: `Quixotic tea number ${n} is liked by Alice.`,
    sensitivity: n % 2 === 0 ? "internal" : "confidential",
  }));
  for (let at = 0; at < facts; at += 350) {
    const reply = await service.post("/v1/memory/facts/batch", { facts: statements.slice(at, at + 350) });
    assert.equal(reply.status, 200, reply.body.code);
  }
  const { id } = (await service.post("/v1/session", { title: "Quixotic" })).body;
  const turns = ["Quixotic good day.", "Quixotic answer."].map((content, n) => ({
    role: n ? "assistant" : "user",
    content,
  }));
  assert.equal((await service.post(`/v1/session/${id}/turns`, { turns })).status, 201);
  assert.equal((await service.post("/v1/memory/tasks", { title: "Quixotic task" })).status, 201);
  assert.equal((await service.post("/v1/memory/events", { type: "quixotic" })).status, 201);
  assert.equal((await service.post("/v1/entities", { canonicalName: "Quixotic Ltd" })).status, 201);
}

Deno.test({
  ...POSTGRES,
  name:
    "tenants are listed in pages, by the beginning of the app's ids, by one id and by state; an admin names the broker",
  async fn() {
    await using service = await startService();
    const admin = await createTestAdmin(service);
    const broker = await createBroker(service);
    for (const name of ["anna", "anton", "bert", "100%"]) await open(service, broker.key, name, { credential: "none" });
    const list = async (query: string, key = broker.key) => {
      const { status, body } = await service.get(`/v1/admin/tenants?${query}`, { key });
      assert.equal(status, 200, JSON.stringify(body));
      return body as { data: { id: string; externalId: string; state: string }[]; nextCursor: string | null };
    };
    const names = async (query: string) => (await list(query)).data.map(({ externalId }) => externalId);
    assert.deepEqual(await names(""), ["100%", "bert", "anton", "anna"]);
    assert.deepEqual(await names("q=an&order=asc"), ["anna", "anton"]);
    assert.deepEqual(await names("q=%25"), []);
    assert.deepEqual(await names("externalId=bert"), ["bert"]);
    const page = await list("limit=3");
    assert.deepEqual(await names(`limit=3&cursor=${page.nextCursor}`), ["anna"]);
    const { data: [bert] } = await list("externalId=bert");
    await service.post(`/v1/admin/tenants/${bert!.id}/suspend`, undefined, { key: admin.key });
    assert.deepEqual(await names("state=suspended"), ["bert"]);
    assert.equal((await list(`brokerId=${broker.id}`, admin.key)).data.length, 4);
    assert.equal((await service.get("/v1/admin/tenants", { key: admin.key })).status, 422);
    assert.equal((await service.get(`/v1/admin/tenants?brokerId=${NOBODY}`, { key: admin.key })).status, 404);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "a broker exports everything of a tenant up to its own clearance, both audit chains say so, and an admin needs a grant",
  async fn() {
    await using service = await startService();
    const broker = await createBroker(service, { maxSensitivity: "internal" });
    const { tenant } = await open(service, broker.key, "alice");
    const key = await service.createKey({ workspaceId: tenant.id });
    await fill(as(service, key, tenant.id), 2);
    const path = `/v1/admin/tenants/${tenant.id}/export`;
    assert.deepEqual(codeOf(await service.get(path, ADMIN)), [403, "break_glass_required"]);
    {
      const file = await service.get(path, { key: broker.key });
      assert.equal(file.status, 200);
      const lines = String(file.body).trim().split("\n").map((line) => JSON.parse(line));
      assert.deepEqual([lines[0].workspace, lines[0].clearance, lines.at(-1).kind], [tenant.id, "internal", "end"]);
      assert.deepEqual(lines.filter(({ kind }) => kind === "fact").map(({ sensitivity }) => sensitivity), ["internal"]);
      assert.ok(lines.some(({ kind }) => kind === "turn"));
    }
    const told = (await service.get("/v1/audit?eventType=tenant.exported&order=asc", { key })).body.data;
    assert.deepEqual(told.map((row: AuditShown) => row.actor_id), [`broker:${broker.id}`]);
    assert.equal(
      (await service.get(`/v1/admin/audit?eventType=tenant.exported&target=${tenant.id}`, ADMIN)).body.data.length,
      1,
    );
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T82 an export that runs breaks off when its tenant is suspended or erased, and a key's own when the key is revoked",
  async fn() {
    await using service = await startService();
    const broker = await createBroker(service);
    const { tenant, key: { key } } = await open(service, broker.key, "alice");
    await fill(as(service, key, tenant.id), 1_400);
    const path = `/v1/admin/tenants/${tenant.id}`;
    /** Begins an export, does something after its first bytes, and reads on. @returns whether the file has its last line */
    const exported = async (from: string, bearer: string, meanwhile: () => Promise<unknown>) => {
      const headers = { authorization: `Bearer ${bearer}` };
      const reply = await service.service.fetch(new Request(`http://svc.test${from}`, { headers }));
      assert.equal(reply.status, 200);
      const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = (await reader.read()).value ?? "";
      await meanwhile();
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
      } catch {
        // It broke off.
      }
      return text.includes('{"kind":"end"');
    };
    const act = (what: string) => service.post(`${path}/${what}`, undefined, { key: broker.key });
    assert.equal(await exported(`${path}/export`, broker.key, () => Promise.resolve()), true);
    assert.equal(await exported(`${path}/export`, broker.key, () => act("suspend")), false);
    await act("resume");
    const own = await service.createKey({ workspaceId: tenant.id });
    assert.equal(await exported("/v1/export", own, () => Promise.resolve()), true);
    const { id } = (await service.get("/v1/whoami", { key: own })).body.key;
    const revoke = () => service.post(`/v1/admin/keys/${id}/revoke`, undefined, ADMIN);
    assert.equal(await exported("/v1/export", own, revoke), false);
    assert.equal(await exported(`${path}/export`, broker.key, () => act("erase")), false);
  },
});

Deno.test({
  ...POSTGRES,
  name: "an admin who gets a token of a tenant is named in its audit log as who opened the workspace; a broker is not",
  async fn() {
    await using service = await startService();
    const broker = await createBroker(service);
    const { tenant, key: { key } } = await open(service, broker.key, "alice");
    const token = (bearer: string, brokerId?: string) =>
      service.post("/v1/admin/tenants", { externalId: "alice", scopes: ["memory:read"], brokerId }, { key: bearer });
    const entries = async () =>
      (await service.get("/v1/audit?eventType=admin.opened_workspace", { key })).body.data.map(
        (row: AuditShown & { detail: Record<string, unknown> }) => [row.actor_id, row.detail.how, row.detail.scopes],
      );
    assert.equal((await token(broker.key)).status, 200);
    assert.deepEqual(await entries(), []);
    assert.equal((await token(ADMIN_TOKEN, broker.id)).body.tenant.id, tenant.id);
    assert.deepEqual(await entries(), [["admin:bootstrap", "token", ["memory:read"]]]);
    assert.match(
      (await service.get("/metrics", { key: null })).body,
      /svc_admin_opened_workspace_total\{how="token"\} 1/,
    );
  },
});

/** What a request with the token gets. */
async function tokenGets(service: TestService, token: string) {
  return codeOf(await service.get("/v1/whoami", { key: token }));
}

Deno.test({
  ...POSTGRES,
  name:
    "T82 a token of a tenant ends with its time, its revocation, its tenant and its broker, in every process, and narrows with it",
  async fn() {
    let now = Date.now();
    const clock = () => new Date(now);
    await using service = await startService({ clock });
    await using second = await startService({ database: service.database!, clock });
    const broker = await createBroker(service, { scopes: ["memory:read", "memory:write"] });
    const give = async (externalId: string, ttlSeconds = 86_400) => {
      const { status, body } = await service.post("/v1/admin/tenants", { externalId, ttlSeconds }, { key: broker.key });
      assert.ok(status < 300, JSON.stringify(body));
      return { id: body.tenant.id as string, token: body.token.token as string };
    };
    const act = async (id: string, what: string, expected = 200) =>
      assert.equal(
        (await service.post(`/v1/admin/tenants/${id}/${what}`, undefined, { key: broker.key })).status,
        expected,
      );
    const everywhere = async (token: string, expected: unknown[]) => {
      assert.deepEqual(await tokenGets(service, token), expected);
      await waitFor(
        "the other process hears of it",
        async () => JSON.stringify(await tokenGets(second, token)) === JSON.stringify(expected),
      );
    };
    const ok = [200, undefined], gone = [401, "unauthenticated"];
    const [alice, bob] = [await give("alice"), await give("bob")];
    for (const { token } of [alice, bob]) await everywhere(token, ok);
    await act(alice.id, "revoke-tokens");
    await everywhere(alice.token, gone);
    await everywhere(bob.token, ok);
    const next = await give("alice");
    await everywhere(next.token, ok);
    await act(alice.id, "suspend");
    await everywhere(next.token, [403, "workspace_suspended"]);
    await act(alice.id, "resume");
    await everywhere(next.token, ok);
    await act(alice.id, "erase");
    await everywhere(next.token, gone);

    // What the broker may no longer give, its tokens no longer do.
    const path = `/v1/admin/broker-keys/${broker.id}`;
    const write = (one: TestService) =>
      one.post("/v1/memory/facts", { statement: `Tea ${crypto.randomUUID()}.` }, { key: bob.token });
    assert.equal((await write(second)).status, 201);
    assert.equal((await service.patch(path, { scopes: ["memory:read"] }, ADMIN)).status, 200);
    assert.equal((await write(service)).status, 403);
    await waitFor("the other process hears of it", async () => (await write(second)).status === 403);
    const short = await give("bob", 60);
    await everywhere(short.token, ok);
    now += 61_000;
    await everywhere(short.token, gone);
    await everywhere(bob.token, ok);
    // An hour before the end of the broker's key a token for a day counts for an hour.
    const expiresAt = new Date(now + 3_600_000).toISOString();
    assert.equal((await service.patch(path, { expiresAt }, ADMIN)).status, 200);
    await everywhere(bob.token, ok);
    now += 3_600_000;
    await everywhere(bob.token, gone);
    assert.equal((await service.patch(path, { expiresAt: null }, ADMIN)).status, 200);
    await everywhere(bob.token, ok);
    assert.equal((await service.post(`${path}/revoke`, undefined, ADMIN)).status, 200);
    await everywhere(bob.token, gone);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T80 a token of a tenant that is altered, of another service or for another workspace opens nothing, and none gives another",
  async fn() {
    await using service = await startService();
    await using other = await startService({
      env: { SVC_SECRETS_KEY: "another-secrets-key-of-more-than-32-characters" },
    });
    const broker = await createBroker(service);
    const opened = await service.post("/v1/admin/tenants", { externalId: "alice" }, { key: broker.key });
    const token: string = opened.body.token.token;
    const [head, body, signature] = token.split(".") as [string, string, string];
    const decode = (part: string) =>
      JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })));
    const encode = (value: unknown) =>
      new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
    assert.deepEqual(await tokenGets(service, token), [200, undefined]);
    assert.doesNotMatch(JSON.stringify(decode(body)), /alice/, "it does not name the user");
    const claims = decode(body);
    const altered = [
      { ...claims, workspace: service.workspaceId },
      { ...claims, scope: `${claims.scope} memory:admin` },
      { ...claims, clearance: "restricted" },
      { ...claims, exp: claims.exp + 1 },
      { ...claims, grant: claims.grant.replace("tenant:", "key:") },
      { ...claims, iss: "https://elsewhere.example", aud: "https://elsewhere.example" },
    ].map((one) => `${head}.${encode(one)}.${signature}`);
    for (const alg of ["none", "HS256"]) {
      altered.push(`${encode({ ...decode(head), alg })}.${body}.${alg === "none" ? "AA" : signature}`);
    }
    for (const one of altered) {
      assert.deepEqual(await tokenGets(service, one), [401, "unauthenticated"], one.slice(0, 40));
    }
    assert.deepEqual(await tokenGets(other, token), [401, "unauthenticated"]);
    for (const credential of ["token", "key", "none"]) {
      const more = await service.post("/v1/admin/tenants", { externalId: "bob", credential }, { key: token });
      assert.deepEqual(codeOf(more), [401, "unauthenticated"]);
    }
    const tooLong = { externalId: "alice", ttlSeconds: 86_401 };
    assert.equal((await service.post("/v1/admin/tenants", tooLong, { key: broker.key })).status, 422);
    assert.equal(
      (await service.post("/v1/admin/tenants", { ...tooLong, ttlSeconds: 59 }, { key: broker.key })).status,
      422,
    );
  },
});
