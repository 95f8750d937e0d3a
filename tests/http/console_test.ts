/** The console's sessions, as requests: who opens one, what it opens, and how it ends. docs/reference/guarantees.md T73. */
import assert from "node:assert/strict";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";
import { createConsoleTicket } from "../../src/domain/access/console_tickets.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { HTTP_BINDINGS } from "../_http_face.ts";
import { MCP_BINDINGS } from "../_mcp_face.ts";
import { RPC_BINDINGS } from "../_rpc_face.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { logIn, logInFrom as from, type Opened, openedBy, PAGE, SESSION } from "./_console.ts";
import { StreamClient } from "./_stream.ts";

Deno.test("T73 a session of the console is a cookie that no script reads and no other site sends", async () => {
  await using service = await startService();
  const { status, headers, body } = await service.post(SESSION, {}, { headers: PAGE });
  assert.equal(status, 201);
  const [value, ...attributes] = headers.get("set-cookie")!.split("; ");
  assert.match(value!, /^__Host-svc_console=svc_console_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(attributes.sort(), ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Strict", "Secure"]);
  assert.deepEqual([body.writesUntil, body.idleSeconds], [null, 1_800]);
  assert.ok(!JSON.stringify(body).includes("svc_console_"), "the reply holds the cookie's value");
  const { send } = openedBy(service, headers.get("set-cookie")!, body.proof);
  const who = await send("GET", "/console/api/v1/whoami");
  assert.deepEqual([who.status, who.body.workspace.id], [200, service.workspaceId]);
});

Deno.test("T73 the cookie opens nothing outside /console/api/: no endpoint, no RPC, no tool, no stream", async () => {
  await using service = await startService();
  const { cookie } = await logIn(service);
  for (const binding of [...HTTP_BINDINGS, ...RPC_BINDINGS, ...MCP_BINDINGS]) {
    const { code } = await (await binding.ask(service)).send({ key: null, headers: { ...PAGE, cookie } });
    assert.equal(code, "unauthenticated", binding.name);
  }
});

Deno.test("T73 only the console's own page uses a session, and never with a key beside it", async () => {
  await using service = await startService();
  const { cookie, send } = await logIn(service);
  const paths = [["GET", SESSION], ["GET", "/console/api/v1/whoami"], ["DELETE", SESSION]] as const;
  for (const [method, path] of paths) {
    for (
      const headers of [
        {} as Record<string, string>,
        { "x-svc-console": "1" },
        { "sec-fetch-site": "same-origin" },
        { "sec-fetch-site": "same-site", "x-svc-console": "1" },
        { "sec-fetch-site": "cross-site", "x-svc-console": "1" },
        { "sec-fetch-site": "none", "x-svc-console": "1" },
      ]
    ) {
      const reply = await service.call(method, path, { key: null, headers: { cookie, ...headers } });
      assert.deepEqual([reply.status, reply.body.code], [403, "origin_not_allowed"], JSON.stringify([path, headers]));
    }
    const both = await send(method, path, undefined, { authorization: `Bearer ${service.key}` });
    assert.deepEqual([both.status, both.body.code], [400, "invalid_request"], path);
  }
  // Neither without a cookie, nor with one that is not a session's, nor with two.
  const foreign = await logIn(service);
  for (const proof of ["", "1", foreign.proof]) {
    const reply = await send("GET", "/console/api/v1/whoami", undefined, { "x-svc-console": proof });
    assert.deepEqual([reply.status, reply.body.code], [401, "unauthenticated"], `the proof ${proof}`);
  }
  for (const other of ["", "__Host-svc_console=", "__Host-svc_console=svc_console_x", `${cookie}; ${cookie}`]) {
    const reply = await send("GET", "/console/api/v1/whoami", undefined, { cookie: other });
    assert.deepEqual([reply.status, reply.body.code], [401, "unauthenticated"], other);
  }
  const login = await service.post(SESSION, {}, { headers: { "sec-fetch-site": "cross-site", "x-svc-console": "1" } });
  assert.equal(login.status, 403);
  assert.equal((await send("GET", "/console/api/v1/whoami")).status, 200);
});

Deno.test("T73 a session reads with the rights of its key, and changes something only while its user allows it", async () => {
  let now = new Date("2026-11-01T12:00:00Z");
  await using service = await startService({ clock: () => now });
  const key = await service.createKey({ scopes: ["memory:read", "memory:write"], maxSensitivity: "internal" });
  const { send } = await logIn(service, key);
  const fact = { statement: "The console told this." };
  const who = await send("GET", "/console/api/v1/whoami");
  assert.deepEqual([who.body.scopes, who.body.maxSensitivity], [["memory:read", "memory:write"], "internal"]);
  const refused = await send("POST", "/console/api/v1/memory/facts", fact);
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  assert.match(refused.body.message, /until you allow changes/);
  assert.equal((await send("POST", "/console/api/v1/memory/recall", { query: "console" })).status, 200);
  assert.equal((await send("POST", "/console/api/v1/stream/ticket")).status, 201);
  assert.equal((await send("PATCH", SESSION, { writing: true })).body.writesUntil, "2026-11-01T12:15:00.000Z");
  assert.equal((await send("POST", "/console/api/v1/memory/facts", fact)).status, 201);
  assert.equal((await send("GET", "/console/api/v1/audit")).status, 403, "a scope that the key lacks");
  assert.equal((await send("GET", "/console/api/v1/admin/api-keys")).status, 403, "administration");
  now = new Date("2026-11-01T12:15:01Z");
  assert.equal((await send("POST", "/console/api/v1/memory/facts", fact)).status, 403);
  await send("PATCH", SESSION, { writing: true });
  await send("PATCH", SESSION, { writing: false });
  assert.equal((await send("POST", "/console/api/v1/memory/facts", fact)).status, 403);
});

Deno.test("T73 a session ends when it is idle, old, or left, and when its key ends", async () => {
  let now = Date.parse("2026-11-01T12:00:00Z");
  const minutes = (n: number) => now += n * 60_000;
  await using service = await startService({ clock: () => new Date(now) });
  const isOpen = async ({ send }: Opened) => (await send("GET", "/console/api/v1/whoami")).status === 200;
  const idle = await logIn(service);
  minutes(29);
  assert.ok(await isOpen(idle));
  minutes(29);
  assert.ok(await isOpen(idle), "use counts");
  minutes(31);
  assert.ok(!await isOpen(idle));
  const old = await logIn(service);
  for (let i = 0; i < 36; i++, minutes(20)) assert.ok(await isOpen(old), `${i}`);
  assert.ok(!await isOpen(old));
  const left = await logIn(service);
  const gone = await left.send("DELETE", SESSION);
  assert.match(gone.headers.get("set-cookie")!, /^__Host-svc_console=; .*Max-Age=0$/);
  assert.ok(!await isOpen(left));
  const expiring = await logIn(service, await service.createKey({ expiresAt: new Date(now + 60_000) }));
  assert.ok(await isOpen(expiring));
  minutes(2);
  assert.ok(!await isOpen(expiring));
  const many = [];
  for (let i = 0; i < 11; i++, minutes(0.1)) many.push(await logIn(service));
  assert.deepEqual([await isOpen(many[0]!), await isOpen(many[1]!), await isOpen(many[10]!)], [false, true, true]);
});

Deno.test({
  name: "T73 revoking a key ends its sessions in every process at once",
  ...POSTGRES,
  async fn() {
    await using service = await startService();
    await using other = await startService({ database: service.database! });
    const key = await service.createKey();
    const here = await logIn(service, key);
    const there = openedBy(other, `${here.cookie}; Path=/`, here.proof);
    const { body } = await there.send("GET", "/console/api/v1/whoami");
    await revokeApiKey(service.operator(), body.key.id);
    for (const { send } of [here, there]) {
      const { status, body } = await send("GET", "/console/api/v1/whoami");
      assert.deepEqual([status, body.code], [401, "unauthenticated"]);
    }
  },
});

Deno.test("T73 the link that the start prints logs in once, on the same machine, for a quarter of an hour", async () => {
  let now = Date.parse("2026-11-01T12:00:00Z");
  await using service = await startService({ clock: () => new Date(now) });
  const ticket = createConsoleTicket(service.deps);
  for (const address of ["192.0.2.7", "2001:db8::1", "::ffff:192.0.2.7", "10.0.0.1"]) {
    assert.equal((await from(service, address, { ticket })).status, 401, address);
  }
  for (const name of ["x-forwarded-for", "forwarded", "x-real-ip"]) {
    assert.equal((await from(service, "127.0.0.1", { ticket }, { [name]: "127.0.0.1" })).status, 401, name);
  }
  assert.equal((await from(service, "127.0.0.1", { ticket }, { "sec-fetch-site": "cross-site" })).status, 403);
  const [first, second] = await Promise.all([
    from(service, "127.0.0.1", { ticket }),
    from(service, "127.0.0.1", { ticket }),
  ]);
  assert.deepEqual([first.status, second.status], [201, 401]);
  const { send } = openedBy(service, first.headers.get("set-cookie")!, first.body.proof);
  const { body } = await send("GET", "/console/api/v1/whoami");
  assert.equal(body.workspace.id, service.workspaceId);
  assert.deepEqual(
    SCOPES.filter((scope) => !body.scopes.includes(scope)),
    ["memory:admin:cross_tenant", "federation"],
  );
  const late = createConsoleTicket(service.deps);
  now += 15 * 60_000;
  assert.equal((await from(service, "127.0.0.1", { ticket: late })).status, 401);
});

Deno.test("T73 the audit log says what was done by the console", async () => {
  await using service = await startService();
  const { send } = await logIn(service);
  await send("PATCH", SESSION, { writing: true });
  await send("POST", "/console/api/v1/memory/facts", { statement: "Told by the console." });
  await send("POST", "/console/api/v1/memory/recall", { query: "console" });
  // A stream comes by a ticket, without the session's cookie.
  const { body: made } = await send("POST", "/console/api/v1/stream/ticket", {});
  {
    await using client = await StreamClient.open(service.listen().url, { ticket: made.ticket });
    await client.subscribe("memory");
    await service.post("/v1/memory/facts", { statement: "Told by an agent." });
    await waitFor("the change", () => client.events("memory").length > 0);
  }
  await send("DELETE", SESSION);
  await auditTrailOf(service.deps).flush();
  const rows: { event_type: string; detail: { via?: string } }[] = (await service.get("/v1/audit?limit=100")).body.data;
  const seen = rows.filter(({ detail }) => detail.via === "console").map(({ event_type }) => event_type);
  for (const name of ["console_session.created", "console_session.writing", "write.createFact", "read.recall"]) {
    assert.ok(seen.includes(name), `${name} is not among ${seen.join(", ")}`);
  }
  assert.ok(seen.includes("console_session.ended"));
  const others = rows.filter(({ detail }) => detail.via !== "console").map(({ event_type }) => event_type);
  assert.ok(seen.some((name) => /subscribe|watch/i.test(name)), seen.join(", "));
  assert.deepEqual(
    others.filter((name) => /stream|subscribe|watch/i.test(name)),
    [],
    "a row of the stream names no face",
  );
});

Deno.test("actors are named for who may read, and only those of the same workspace", async () => {
  await using service = await startService();
  const { body: me } = await service.get("/v1/whoami");
  const foreign = await service.createKey({ workspaceId: await service.createWorkspace() });
  const { body: other } = await service.get("/v1/whoami", { key: foreign });
  const ids = [me.actor, "worker:embedding", "key:no-id", other.actor];
  const ask = (key: string) =>
    service.get(`/v1/actors?${ids.map((id) => `id=${encodeURIComponent(id)}`).join("&")}`, { key });
  const named = (await ask(service.key)).body.data;
  assert.deepEqual(named.map(({ id }: { id: string }) => id), ids);
  assert.deepEqual(named.map(({ name }: { name: string | null }) => name), [me.key.name, null, null, null]);
  const blind = await service.createKey({ scopes: ["session:write"] });
  assert.equal((await ask(blind)).status, 403);
});

Deno.test("the page of the console is one file without data, which browsers keep, under a strict policy", async () => {
  await using service = await startService();
  const get = (path: string, headers: Record<string, string> = {}) => service.get(path, { key: null, headers });
  const browser = await get("/", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
  assert.deepEqual([browser.status, browser.headers.get("location")], [302, "console/"]);
  for (const accept of ["*/*", "application/json"]) {
    const { status, body } = await get("/", { accept });
    assert.deepEqual([status, body.code], [404, "not_found"]);
  }
  assert.equal((await get("/console")).headers.get("location"), "console/");
  const page = await get("/console/");
  const policy = page.headers.get("content-security-policy")!;
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.split("; ").includes(rule), rule);
  }
  assert.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  assert.equal((await get("/console/", { "if-none-match": page.headers.get("etag")! })).status, 304);
  const parts = [...page.body.matchAll(/(?:href|src)="(app\.[^"]+)"/g)].map(([, name]) => name!);
  assert.equal(parts.length, 2);
  for (const part of parts) {
    const { status, headers } = await get(`/console/${part}`);
    assert.deepEqual([status, headers.get("cache-control")], [
      200,
      "public, max-age=31536000, immutable, no-transform",
    ]);
    assert.match((await get(`/console/${part.split("?")[0]}`)).headers.get("cache-control")!, /^no-cache/);
  }
});

Deno.test("T73 no page of another origin is told that it may call the console", async () => {
  const origin = "https://app.example";
  await using service = await startService({ env: { SVC_CORS_ORIGINS: origin } });
  for (const path of ["/console/", SESSION, "/console/api/v1/whoami", "/console/%61pi/v1/whoami"]) {
    for (const method of ["GET", "OPTIONS"]) {
      const headers = {
        origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-svc-console",
      };
      const reply = await service.call(method, path, { key: null, headers });
      assert.deepEqual([...reply.headers.keys()].filter((name) => name.startsWith("access-control-")), [], path);
    }
  }
});
