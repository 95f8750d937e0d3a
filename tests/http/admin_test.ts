/** Keys and workspaces under an admin's bearer. docs/reference/guarantees.md T15 to T18, T24. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { z } from "zod";
import { parseApiKey } from "../../src/crypto/api_key.ts";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { createTestAdmin, systemOperator } from "../_admin.ts";
import { createFixture, type Fixture } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, type Reply, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { WAYS } from "../_pgbouncer.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { callUnknown, exampleOf, UNKNOWN_ID } from "./_unknown.ts";

const ADMIN = { key: ADMIN_TOKEN };
const ROOT = new URL("../../", import.meta.url);

async function issue(service: TestService, body: Readonly<Record<string, unknown>> = {}): Promise<Reply["body"]> {
  const named = { name: "agent", workspace_id: service.workspaceId, ...body };
  const reply = await service.post("/v1/admin/api-keys", named, ADMIN);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

async function statusWith(service: TestService, key: string): Promise<number> {
  return (await service.get("/v1/memory/facts", { key })).status;
}

/** Members in which callers choose the names of members. */
const FREE_MEMBERS = new Set([
  "arguments",
  "attributes",
  "context",
  "data",
  "metadata",
  "parameters",
  "result",
  "scratchpad",
  "steps",
]);

/** Fields by which an operation selects and which it writes nowhere. */
const FILTERS = new Set(["forgetUnits body.createdBy"]);
/** Fields that messages of other programs have. They say when something was said and name it there, and stay metadata. */
const MEMBERS_OF_MESSAGES = new Set(["addTurns body.id", "addTurns body.created_at", "addTurns body.status"]);

/** A body with a field added to one of the objects in it, for each of them. */
function* withForged(value: unknown, field: string, place = "body"): Generator<[place: string, body: unknown]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [place, { ...value, [field]: "forged" }];
  for (const [name, member] of Object.entries(value)) {
    if (FREE_MEMBERS.has(name)) continue;
    for (const [inner, changed] of withForged(member, field, `${place}.${name}`)) {
      yield [inner, Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }];
    }
  }
}

/** Whether a body, or a part of it, has an attribution. */
function takesAttribution({ bearer, route }: Endpoint): boolean {
  const content = route.request?.body?.content as { "application/json"?: { schema: unknown } } | undefined;
  const schema = content?.["application/json"]?.schema;
  if (bearer !== "key" || !(schema instanceof z.ZodType)) return false;
  return JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })).includes('"attribution":');
}

/** Operations that need a further scope beside their own. */
const WITH_FURTHER_SCOPE = new Set([
  "addPeer",
  "approvePeer",
  "createWebhook",
  "removePeer",
  "resolveFederationConflict",
  "updateWebhook",
]);

function admitsKeyHolder({ operation }: Endpoint): boolean {
  return operation?.admits.includes("key_holder") ?? false;
}

for (const way of WAYS) {
  Deno.test({
    ignore: way.ignore,
    name:
      `T15 a revocation, a narrowing and a rotation are felt by every process, long before what it verified is forgotten${way.suffix}`,
    async fn() {
      await using stack = new AsyncDisposableStack();
      const database = stack.use(await way.createDatabase());
      const logged: string[] = [];
      const options = { env: { SVC_LOG_LEVEL: "warn" }, logSink: (line: string) => void logged.push(line) };
      const near = stack.use(await startService({ database, ...options }));
      const far = stack.use(await startService({ database }));
      const { id, key, ...shown } = await issue(near);
      assert.equal(shown.publicId, parseApiKey(key)!.publicId);
      for (const service of [near, far]) assert.equal(await statusWith(service, key), 200);
      const felt = (what: string, wanted: number, with_: string) =>
        waitFor(what, async () => await statusWith(far, with_) === wanted);

      const path = `/v1/admin/api-keys/${id}`;
      assert.equal((await near.patch(path, { scopes: ["memory:write"] }, ADMIN)).status, 200);
      assert.equal(await statusWith(near, key), 403);
      await felt("the narrowing", 403, key);
      assert.equal((await near.patch(path, { scopes: ["memory:read"] }, ADMIN)).status, 200);
      await felt("the widening", 200, key);

      const overlapping = await near.post(`/v1/admin/keys/${id}/rotate`, { overlapSeconds: 3_600 }, ADMIN);
      for (const service of [near, far]) {
        for (const counting of [key, overlapping.body.key]) assert.equal(await statusWith(service, counting), 200);
      }
      const rotated = await near.post(`/v1/admin/keys/${id}/rotate`, { overlapSeconds: 0 }, ADMIN);
      assert.deepEqual([rotated.status, rotated.body.formerValidUntil], [200, null]);
      // The secret that it replaces, and the one whose overlap had not ended.
      for (const former of [overlapping.body.key, key]) {
        assert.equal(await statusWith(near, former), 401);
        await felt("the rotation without an overlap", 401, former);
      }
      assert.equal(await statusWith(far, rotated.body.key), 200);

      assert.equal((await near.post(`/v1/admin/keys/${id}/revoke`, undefined, ADMIN)).status, 200);
      assert.equal(await statusWith(near, rotated.body.key), 401);
      await felt("the revocation", 401, rotated.body.key);
      for (
        const reply of [
          await near.patch(path, { name: "again" }, ADMIN),
          await near.post(`/v1/admin/keys/${id}/rotate`, {}, ADMIN),
        ]
      ) assert.deepEqual([reply.status, reply.body.code], [409, "invalid_transition"]);
      // A key that an admin widens or renews opens the workspace, and its chain records that as an event of its own; a
      // change that only takes away does not.
      const opened = await near.get(`/v1/audit?eventType=admin.opened_workspace&order=asc`);
      assert.deepEqual(
        opened.body.data.filter(({ detail }: Reply["body"]) => detail.keyId === id).map((
          { actor_id, detail }: Reply["body"],
        ) => [actor_id, detail.how, detail.scopes, detail.maxSensitivity]),
        [["created", shown.scopes], ["widened", ["memory:read"]], ["rotated", ["memory:read"]], ["rotated", [
          "memory:read",
        ]]]
          .map(([how, scopes]) => ["admin:bootstrap", how, scopes, "confidential"]),
      );
      const metrics = await near.get("/metrics", { key: null });
      assert.match(metrics.body, /svc_admin_opened_workspace_total\{how="rotated"\} 2/);
      assert.ok(logged.some((line) => line.includes("access.admin_opened_workspace") && line.includes(id)));
      // The first key of a new workspace does not count as opening it.
      const fresh = await near.createWorkspace();
      const born = await issue(near, { workspace_id: fresh, scopes: ["audit:read"] });
      const quiet = await near.get("/v1/audit?eventType=admin.opened_workspace", { key: born.key });
      assert.deepEqual([quiet.status, quiet.body.data], [200, []]);
      // Another key does, even if nobody has a key any more.
      assert.equal((await near.post(`/v1/admin/keys/${born.id}/revoke`, undefined, ADMIN)).status, 200);
      const next = await issue(near, { workspace_id: fresh, scopes: ["audit:read"] });
      const loud = await near.get("/v1/audit?eventType=admin.opened_workspace", { key: next.key });
      assert.deepEqual(loud.body.data.map(({ detail }: Reply["body"]) => detail.keyId), [next.id]);
      const rows = await near.get(`/v1/audit?target=${id}&order=asc`);
      assert.deepEqual(
        rows.body.data.map((row: { event_type: string }) => row.event_type),
        [
          "api_key.created",
          "api_key.updated",
          "api_key.updated",
          "api_key.rotated",
          "api_key.rotated",
          "api_key.revoked",
        ],
      );
    },
  });
}

Deno.test({
  ...POSTGRES,
  name:
    "T15 an admin's key that was revoked, or whose admin was disabled, is refused by every process, long before what it verified is forgotten",
  async fn() {
    await using near = await startService();
    await using far = await startService({ database: near.database! });
    const admin = await createTestAdmin(near);
    const ctx = systemOperator(near);
    const second = await admins.createAdminKey(ctx, { admin: admin.name, name: "second" });
    const refused = (key: string) =>
      waitFor("the refusal", async () => (await far.get("/v1/admin/workspaces", { key })).status === 401);
    for (const key of [admin.key, second.key]) {
      for (const service of [near, far]) assert.equal((await service.get("/v1/admin/workspaces", { key })).status, 200);
    }
    await admins.revokeAdminKey(ctx, second.keyId);
    assert.equal((await near.get("/v1/admin/workspaces", { key: second.key })).status, 401);
    await refused(second.key);
    assert.equal((await far.get("/v1/admin/workspaces", { key: admin.key })).status, 200);
    await admins.disableAdmin(ctx, admin.name);
    await refused(admin.key);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T15 a key that was rotated: old and new count for the overlap with the same rights, then only the new",
  async fn() {
    let now = new Date();
    const after = (seconds: number) => void (now = new Date(now.getTime() + seconds * 1_000));
    await using service = await startService({ clock: () => now });
    const { id, key: first } = await issue(service);
    const rotate = async (body: unknown) => {
      const reply = await service.post(`/v1/admin/keys/${id}/rotate`, body, ADMIN);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body;
    };
    const { key: second, formerValidUntil } = await rotate({});
    assert.equal(Date.parse(formerValidUntil) - now.getTime(), 86_400_000);
    after(3_600);
    const { key: third } = await rotate({ overlapSeconds: 60 });
    for (const key of [first, second, third]) assert.equal(await statusWith(service, key), 200);
    await service.patch(`/v1/admin/api-keys/${id}`, { cidrs: ["192.0.2.0/24"] }, ADMIN);
    for (const key of [first, second, third]) assert.equal(await statusWith(service, key), 403);
    await service.patch(`/v1/admin/api-keys/${id}`, { cidrs: [] }, ADMIN);
    after(61);
    // The last rotation's overlap is the longest that any earlier secret has.
    assert.deepEqual(await Promise.all([first, second, third].map((key) => statusWith(service, key))), [401, 401, 200]);
    const shown = await service.get(`/v1/admin/api-keys/${id}`, ADMIN);
    assert.deepEqual([shown.body.formerValidUntil, shown.body.version], [null, 5]);
    for (const overlapSeconds of [-1, 1.5, 2_592_001]) {
      const reply = await service.post(`/v1/admin/keys/${id}/rotate`, { overlapSeconds }, ADMIN);
      assert.equal(reply.status, 422);
    }
    // Two rotations at the same time: both give new secrets of the one key, and all are valid.
    const both = await Promise.all([rotate({}), rotate({})]);
    assert.deepEqual(await Promise.all([third, both[0].key, both[1].key].map((key) => statusWith(service, key))), [
      200,
      200,
      200,
    ]);
    await service.post(`/v1/admin/keys/${id}/revoke`, undefined, ADMIN);
    for (const key of [third, both[0].key, both[1].key]) assert.equal(await statusWith(service, key), 401);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T16 the matrix of scopes and operations: each opens what needs it, alone, and nothing else",
  async fn() {
    await using service = await startService();
    const alone = new Map<string, string>();
    for (const scope of SCOPES) alone.set(scope, await service.createKey({ scopes: [scope] }));
    for (const endpoint of ENDPOINTS.filter(({ scope }) => scope !== "public")) {
      for (const [scope, key] of alone) {
        const reply = await callUnknown(service, endpoint, key);
        const what = `${endpoint.route.operationId} with ${scope}: ${reply.status} ${reply.body.code}`;
        const given = [reply.status, reply.body.code];
        if (endpoint.bearer === "admin") assert.equal(reply.status, 401, what);
        else if (endpoint.scope === "any") assert.equal(reply.status, 200, what);
        else if (scope === endpoint.scope && endpoint.bearer === "peer" && !admitsKeyHolder(endpoint)) {
          assert.deepEqual(given, [401, "federation_token_invalid"], what);
        } else if (scope === endpoint.scope && WITH_FURTHER_SCOPE.has(endpoint.route.operationId)) {
          assert.deepEqual(given, [403, "insufficient_scope"], what);
        } else if (scope === endpoint.scope) assert.ok(![401, 403].includes(reply.status) && reply.status < 500, what);
        else assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], what);
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T17 an admin's bearer is none on the operations of workspaces, and the reverse; only the header is read",
  async fn() {
    await using service = await startService();
    const admin = await createTestAdmin(service);
    for (const endpoint of ENDPOINTS.filter(({ scope }) => scope !== "public")) {
      const wrong = endpoint.bearer === "admin" ? [service.key] : [ADMIN_TOKEN, admin.key];
      for (const key of wrong) {
        const reply = await callUnknown(service, endpoint, key);
        assert.deepEqual([reply.status, reply.body.code], [401, "unauthenticated"], endpoint.route.operationId);
      }
    }
    for (const token of [ADMIN_TOKEN, admin.key]) {
      assert.equal((await service.get("/v1/admin/workspaces", { key: token })).status, 200);
      for (const query of ["token", "access_token", "admin_token"]) {
        assert.equal((await service.get(`/v1/admin/workspaces?${query}=${token}`, { key: null })).status, 401);
      }
      for (const [name, value] of [["cookie", `token=${token}`], ["x-admin-token", token], ["x-api-key", token]]) {
        const reply = await service.get("/v1/admin/workspaces", { key: null, headers: { [name!]: value! } });
        assert.equal(reply.status, 401, name);
      }
      // T18: one well-formed value.
      for (
        const odd of [`Bearer ${token}, Bearer ${token}`, `Bearer  ${token}`, `Bearer ${token}x`, `Basic ${token}`]
      ) {
        const reply = await service.get("/v1/admin/workspaces", { key: null, headers: { authorization: odd } });
        assert.equal(reply.status, 401, odd);
      }
    }
    await using without = await startService({ env: { SVC_ADMIN_TOKEN: "" } });
    assert.equal((await without.get("/v1/admin/workspaces", ADMIN)).status, 401, "no token is configured");
    assert.equal((await without.get("/v1/admin/workspaces", { key: "" })).status, 401);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T24 what only the service decides is no field of any body",
  async fn() {
    await using service = await startService();
    const admin = await createTestAdmin(service);
    const proofs = new Map<Endpoint, Fixture["prove"]>();
    for (const one of ENDPOINTS.filter(({ bearer }) => bearer === "peer")) {
      proofs.set(one, (await createFixture(service, one)).prove);
    }
    const forged = ["workspace_id", "id", "trust", "attribution", "created_at", "hash", "version", "status"];
    const alike = ["is_admin", "workspaceId", "createdBy", "trustScore", "secret_hash"];
    let refused = 0;
    for (const endpoint of ENDPOINTS) {
      const { operationId } = endpoint.route;
      const example = exampleOf(endpoint);
      if (example === undefined || operationId === "patchScratchpad") continue;
      const key = endpoint.bearer === "admin" ? admin.key : service.key;
      for (const field of [...forged, ...alike]) {
        // In the body and in every object inside it. If the name is a known field, this is no valid value for it.
        for (const [place, body] of withForged(example, field)) {
          const where = `${operationId} ${place}.${field}`;
          if (FILTERS.has(where) || MEMBERS_OF_MESSAGES.has(where)) continue;
          const reply: Reply = await callUnknown(service, endpoint, key, body, proofs.get(endpoint));
          const what: string = `${operationId} ${place}.${field}: ${reply.status} ${JSON.stringify(reply.body)}`;
          // For bodies of several forms, the refusal names the field by the nearest form.
          assert.equal(reply.status, 422, what);
          refused++;
        }
      }
    }
    assert.ok(refused > 1_500, `${refused}`);
    const { id: session } = (await service.post("/v1/session", { title: "Messages" })).body;
    const message = {
      role: "user",
      content: "Good day.",
      id: UNKNOWN_ID,
      status: "completed",
      created_at: "2020-01-01T00:00:00Z",
    };
    const taken = await service.post(`/v1/session/${session}/turns`, message);
    assert.equal(taken.status, 201, JSON.stringify(taken.body));
    const [turn] = (await service.get(`/v1/session/${session}/turns`)).body.data;
    assert.deepEqual([turn.messageId, turn.id === UNKNOWN_ID, turn.status], [UNKNOWN_ID, false, undefined]);
    assert.equal(turn.occurredAt, "2020-01-01T00:00:00.000Z");
    assert.ok(turn.createdAt === undefined || turn.createdAt > turn.occurredAt, turn.createdAt);
    // Declared members must have valid values.
    const { id } = await issue(service);
    for (const body of [{ scopes: ["memory:*"] }, { scopes: [] }, { scopes: ["memory:read", "memory:read"] }, {}]) {
      assert.equal((await service.patch(`/v1/admin/api-keys/${id}`, body, ADMIN)).status, 422, JSON.stringify(body));
    }
    const elsewhere = await service.patch(`/v1/admin/api-keys/${id}`, { workspace_id: UNKNOWN_ID }, ADMIN);
    assert.equal(elsewhere.status, 422);
    const nowhere = { name: "x", workspace_id: UNKNOWN_ID };
    const reply = await service.post("/v1/admin/api-keys", nowhere, ADMIN);
    assert.deepEqual([reply.status, reply.body.errors[0].path], [422, "workspaceId"]);
    const zeros = { name: "x", workspace_id: UNKNOWN_ID.replaceAll(/[^-]/g, "0") };
    assert.equal((await service.post("/v1/admin/api-keys", zeros, ADMIN)).status, 422, "the system's is no workspace");
    const past = { name: "x", workspace_id: service.workspaceId, expiresAt: "2020-01-01T00:00:00Z" };
    assert.equal((await service.post("/v1/admin/api-keys", past, ADMIN)).status, 422);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T24 no operation takes the highest trust from a key that may not give it, nor that of another instance",
  async fn(t) {
    await using service = await startService();
    const scopes = SCOPES.filter((scope) => !scope.startsWith("memory:admin"));
    const key = await service.createKey({ scopes, maxSensitivity: "restricted" });
    let places = 0;
    for (const endpoint of ENDPOINTS.filter(takesAttribution)) {
      const { operationId, method } = endpoint.route;
      const fixture = await createFixture(service, endpoint);
      const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name) => fixture.params[name]!);
      for (const [place, body] of withForged(fixture.body ?? exampleOf(endpoint), "attribution")) {
        for (const attribution of ["verified", "federation_received"]) {
          await t.step(`${operationId} ${place} ${attribution}`, async () => {
            const claiming = JSON.parse(JSON.stringify(body).replaceAll('"forged"', `"${attribution}"`));
            const reply = await service.call(method.toUpperCase(), path, { key, body: claiming });
            const { status, body: { refused } } = reply;
            assert.ok(
              [403, 422].includes(status) || refused === 1,
              `${status} ${JSON.stringify(reply.body)}`,
            );
          });
          places++;
        }
      }
    }
    assert.ok(places > 80, `${places}`);
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    const rows = await sql`select id from unit where attribution in ('verified', 'federation_received')`;
    await sql.end({ timeout: 5 });
    assert.deepEqual([...rows], []);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T59 T64 an issued key is shown once: it stands in no table, no audit row and no other reply; a replay shows it again",
  async fn() {
    const log: string[] = [];
    await using service = await startService({
      logSink: (line) => void log.push(line),
      env: { SVC_LOG_LEVEL: "debug" },
    });
    const body = { name: "agent", workspace_id: service.workspaceId };
    const headers = { "idempotency-key": "issue" };
    const first = await service.post("/v1/admin/api-keys", body, { ...ADMIN, headers });
    const again = await service.post("/v1/admin/api-keys", body, { ...ADMIN, headers });
    assert.deepEqual(again.body, first.body);
    // Another admin is not served it.
    const admin = await createTestAdmin(service);
    const other = await service.post("/v1/admin/api-keys", body, { key: admin.key, headers });
    assert.deepEqual([other.status, other.body.code], [422, "idempotency_key_reused"]);
    const { id, key } = first.body;
    const rotated = (await service.post(`/v1/admin/keys/${id}/rotate`, {}, ADMIN)).body.key;
    await auditTrailOf(service.deps).flush();
    const secrets = [key, rotated, admin.key].map((each: string) => each.slice(21, 64)).concat(
      admin.secret,
      ADMIN_TOKEN,
    );
    const replies = await Promise.all([
      service.get(`/v1/admin/api-keys/${id}`, ADMIN),
      service.get("/v1/admin/api-keys", ADMIN),
      service.get("/v1/audit?limit=200"),
    ]);
    for (const text of [...log, ...replies.map((reply) => JSON.stringify(reply.body))]) {
      for (const secret of secrets) assert.ok(!text.includes(secret));
    }
    const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      const tables = await sql`select oid::regclass::text as name from pg_class
                                where relkind = 'r' and relnamespace = 'public'::regnamespace`;
      for (const { name } of tables) {
        const rows = await sql.unsafe(`select t::text as line from ${name} t`);
        for (const { line } of rows) for (const secret of secrets) assert.ok(!line.includes(secret), name);
      }
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "keys and workspaces are listed in pages, of one workspace where asked; changes honour If-Match; regions stay",
  async fn() {
    await using service = await startService();
    const created = await service.post("/v1/admin/workspaces", { name: "acme", region: "eu-west-1" }, ADMIN);
    assert.deepEqual([created.status, created.headers.get("etag")], [201, '"1"']);
    const { id } = created.body;
    const keys = [];
    for (const name of ["a", "b", "c"]) keys.push((await issue(service, { name, workspace_id: id })).id);
    const listed = async (path: string, query: string) => {
      const ids: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const place = cursor && `&cursor=${encodeURIComponent(cursor)}`;
        const page: Reply = await service.get(`/v1/admin/${path}?limit=2&${query}${place}`, ADMIN);
        ids.push(...page.body.data.map((one: { id: string }) => one.id));
        cursor = page.body.nextCursor;
      }
      return ids;
    };
    for (const names of [["workspaceId"], ["workspaceId", "workspace_id"]]) {
      const named = Object.fromEntries(names.map((name) => [name, id]));
      const made = await service.post("/v1/admin/api-keys", { name: names.join(), ...named }, ADMIN);
      assert.deepEqual([made.status, made.body.workspaceId], [201, id], names.join());
      keys.push(made.body.id);
      assert.equal(
        (await service.get(`/v1/admin/api-keys?${new URLSearchParams(named)}`, ADMIN)).body.data.length,
        keys.length,
      );
    }
    const two = { workspaceId: id, workspace_id: service.workspaceId };
    const torn = await service.post("/v1/admin/api-keys", { name: "x", ...two }, ADMIN);
    assert.deepEqual([torn.status, torn.body.errors[0].path], [422, "workspace_id"]);
    assert.equal((await service.get(`/v1/admin/api-keys?${new URLSearchParams(two)}`, ADMIN)).status, 422);
    const nowhere = await service.post("/v1/admin/api-keys", { name: "x" }, ADMIN);
    assert.deepEqual(nowhere.body.errors, [{ path: "workspaceId", message: "is required" }]);
    const all = (await service.get("/v1/admin/api-keys?limit=200", ADMIN)).body.data.map((one: { id: string }) =>
      one.id
    );
    assert.deepEqual(all.slice(0, keys.length), keys.toReversed(), "of all workspaces, the newest first");
    for (const [order, way] of [["asc", 1], ["desc", -1]] as const) {
      const inOrder = (ids: string[]) => way === 1 ? ids : ids.toReversed();
      assert.deepEqual(await listed("api-keys", `workspace_id=${id}&order=${order}`), inOrder(keys));
      assert.deepEqual(await listed("api-keys", `order=${order}`), inOrder(all.toSorted()));
      assert.deepEqual(await listed("workspaces", `order=${order}`), inOrder([service.workspaceId, id]));
    }

    const path = `/v1/admin/workspaces/${id}`;
    const renamed = await service.patch(path, { name: "acme 2" }, { ...ADMIN, headers: { "if-match": '"1"' } });
    assert.deepEqual([renamed.status, renamed.body.name, renamed.body.version], [200, "acme 2", 2]);
    const stale = await service.patch(path, { name: "acme 3" }, { ...ADMIN, headers: { "if-match": '"1"' } });
    assert.deepEqual([stale.status, stale.body.code], [412, "version_mismatch"]);
    assert.equal((await service.patch(path, { region: "us-east-1" }, ADMIN)).status, 422);
    await assert.rejects(
      () => service.deps.db.tx(service.operator(id), (tx) => tx.sql`update workspace set region = 'us-east-1'`),
      /never changes/,
    );
    const keyPath = `/v1/admin/api-keys/${keys[0]}`;
    const staleKey = await service.patch(keyPath, { name: "z" }, { ...ADMIN, headers: { "if-match": '"9"' } });
    assert.equal(staleKey.status, 412);
    // Its own chain records it from its first row on, and so does the system's chain.
    const owner = await service.createKey({ workspaceId: id });
    const rows = await service.get("/v1/audit?order=asc&limit=2", { key: owner });
    assert.deepEqual(
      rows.body.data.map((row: Record<string, unknown>) => [row["seq"], row["event_type"], row["actor_id"]]),
      [[1, "workspace.created", "admin:bootstrap"], [2, "api_key.created", "admin:bootstrap"]],
    );
    // A limit of its own, from the next request on.
    const { id: limited, key } = await issue(service);
    await service.patch(`/v1/admin/api-keys/${limited}`, { rateLimit: { perMinute: 1, burst: 1 } }, ADMIN);
    assert.deepEqual([await statusWith(service, key), await statusWith(service, key)], [200, 429]);
    await service.patch(`/v1/admin/api-keys/${limited}`, { rateLimit: null }, ADMIN);
    assert.equal(await statusWith(service, key), 200);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the command line makes admins, enrols them with a QR code, and changes and rotates keys",
  async fn() {
    await using service = await startService({ realHashCost: true });
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", "--quiet", new URL("src/cli/main.ts", ROOT).pathname, ...args],
        env: {
          DATABASE_URL: service.database!.requestUrl,
          SVC_ADMIN_TOTP_KEY: service.deps.config.admin.totpKey!,
          NO_COLOR: "1",
        },
        stdin: "null",
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      return new TextDecoder().decode(stdout);
    };
    await run("admin", "create", "--name", "Ada");
    const enrolled = await run("admin", "enroll-totp", "--name", "ada");
    assert.match(enrolled, /^otpauth:\/\/totp\/svc:Ada\?.*secret=[A-Z2-7]{32}/);
    assert.match(enrolled, /█▀▀▀▀▀█|█ ▄▄▄▄▄ █/);
    const { key, keyId } = JSON.parse(await run("admin", "key", "create", "--admin", "Ada"));
    assert.equal((await service.get("/v1/admin/workspaces", { key })).status, 200);
    const made = await issue(service);
    const rotated = JSON.parse(await run("key", "rotate", made.id, "--overlap", "0"));
    assert.equal(await statusWith(service, rotated.key), 200);
    await run("key", "update", made.id, "--scopes", "memory:write");
    await waitFor("the change", async () => await statusWith(service, rotated.key) === 403);
    await run("workspace", "rename", service.workspaceId, "--name", "renamed");
    assert.equal((await service.get(`/v1/admin/workspaces/${service.workspaceId}`, ADMIN)).body.name, "renamed");
    await run("admin", "key", "revoke", keyId);
    await waitFor("the revocation", async () => (await service.get("/v1/admin/workspaces", { key })).status === 401);
    await run("admin", "disable", "--name", "Ada");
    const [listed] = JSON.parse(await run("admin", "list"));
    assert.equal(listed.name, "Ada");
    assert.notEqual(listed.disabledAt, null);
  },
});
