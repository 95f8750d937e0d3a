/** Sessions of named admins in the console, and keys that it makes: who opens one, what it opens, how it ends. docs/reference/guarantees.md T73. */
import assert from "node:assert/strict";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { createConsoleTicket } from "../../src/domain/access/console_tickets.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { HTTP_BINDINGS } from "../_http_face.ts";
import { MCP_BINDINGS } from "../_mcp_face.ts";
import { RPC_BINDINGS } from "../_rpc_face.ts";
import { createTestAdmin, createTestAdmins, requestAccess, systemOperator } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";
import { askForAdmin, logIn, logInAdmin, logInFrom, type Opened, openedBy, PAGE, SESSION } from "./_console.ts";

const KEYS = "/console/api/v1/admin/api-keys";

async function isOpen({ send }: Opened): Promise<boolean> {
  return (await send("GET", KEYS)).status === 200;
}

Deno.test("T73 a named admin logs in by a key and a one-time code, and administers by the cookie", async () => {
  await using service = await startService();
  const admin = await createTestAdmin(service);
  const { status, headers, body } = await askForAdmin(service, admin.key, admin.totp());
  assert.equal(status, 201);
  const [value, ...attributes] = headers.get("set-cookie")!.split("; ");
  assert.match(value!, /^__Host-svc_console=svc_console_admin_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(attributes.sort(), ["HttpOnly", "Max-Age=7200", "Path=/", "SameSite=Strict", "Secure"]);
  const told = { writesUntil: body.writesUntil, idleSeconds: body.idleSeconds, admin: body.admin };
  assert.deepEqual(told, { writesUntil: null, idleSeconds: 600, admin: { id: admin.id, name: admin.name } });
  assert.ok(!JSON.stringify(body).includes("svc_console_"), "the reply holds the cookie's value");
  const { send } = openedBy(service, headers.get("set-cookie")!, body.proof);
  assert.deepEqual((await send("GET", SESSION)).body.admin, { id: admin.id, name: admin.name });
  assert.equal((await send("GET", "/console/api/v1/admin/workspaces")).body.data.length, 1);
  const key = { name: "made in the console", workspaceId: service.workspaceId };
  const refused = await send("POST", KEYS, key);
  assert.deepEqual([refused.status, refused.body.code], [403, "insufficient_scope"]);
  assert.match(refused.body.message, /until you allow changes/);
  await send("PATCH", SESSION, { writing: true });
  const made = await send("POST", KEYS, key);
  assert.equal(made.status, 201);
  assert.equal((await service.get("/v1/whoami", { key: made.body.key })).body.key.name, "made in the console");
  await send("PATCH", SESSION, { writing: false });
  assert.equal((await send("POST", KEYS, key)).status, 403);
});

Deno.test("T73 a refused login of an admin never tells what was wrong, and wrong codes shut out right ones for a while", async () => {
  let now = Date.parse("2026-11-01T12:00:00Z");
  await using service = await startService({ clock: () => new Date(now) });
  const [admin, other, bare] = await createTestAdmins(service, 3);
  const used = admin.totp();
  assert.equal((await askForAdmin(service, admin.key, used)).status, 201);
  await admins.disableAdmin(systemOperator(service), bare.name);
  const near = await admins.createAdminKey(systemOperator(service), {
    ...{ admin: other.name, name: "near", cidrs: ["192.0.2.0/24"] },
  });
  const tries = {
    "a used code": [admin.key, used],
    "a wrong code": [other.key, "000000"],
    "no code": [other.key, ""],
    "another admin's code": [other.key, admin.totp(1)],
    "a wrong secret": [`${admin.key.slice(0, -4)}0000`, admin.totp(1)],
    "no key at all": ["mk_admin_", admin.totp(1)],
    "a workspace's key": [service.key, admin.totp(1)],
    "the admin token": [ADMIN_TOKEN, admin.totp(1)],
    "a disabled admin": [bare.key, bare.totp()],
    "another address": [near.key, other.totp()],
  };
  const seen = new Set<string>();
  for (const [name, [key, code]] of Object.entries(tries)) {
    const { status, body, headers } = await askForAdmin(service, key!, code!);
    assert.equal(status, 401, name);
    assert.equal(headers.get("set-cookie"), null, name);
    seen.add(JSON.stringify([body.code, body.message, headers.get("retry-after")]));
  }
  assert.equal(seen.size, 1, [...seen].join("\n"));
  for (let i = 0; i < 5; i++) await askForAdmin(service, other.key, "000000");
  const shut = await askForAdmin(service, other.key, other.totp());
  assert.ok(seen.has(JSON.stringify([shut.body.code, shut.body.message, shut.headers.get("retry-after")])));
  now += 15 * 60_000;
  assert.equal((await askForAdmin(service, other.key, other.totp())).status, 201);
  await auditTrailOf(service.deps).flush();
  const { body } = await service.get("/v1/admin/audit?limit=100&eventType=refused.", { key: ADMIN_TOKEN });
  const why = new Set(body.data.map((row: { outcome: string; detail: { admin: string } }) => row.outcome));
  for (const outcome of ["totp_invalid", "rate_limited", "ip_not_allowed"]) assert.ok(why.has(outcome), outcome);
});

Deno.test("T73 a code opens one session, however many logins it is sent with", async () => {
  await using service = await startService();
  const admin = await createTestAdmin(service);
  const code = admin.totp();
  const replies = await Promise.all(Array.from({ length: 5 }, () => askForAdmin(service, admin.key, code)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 401, 401, 401, 401]);
  const [other] = await createTestAdmins(service, 2);
  const grant = await requestAccess(service, other);
  assert.equal(grant.status, 201);
  assert.equal((await askForAdmin(service, other.key, other.totp())).status, 401, "a code that asked for access");
});

Deno.test("T73 without a key for one-time codes no admin logs in, and the service says what is missing", async () => {
  await using service = await startService({ env: { SVC_ADMIN_TOTP_KEY: "" } });
  const { status, body } = await askForAdmin(service, "mk_admin_anything", "123456");
  assert.deepEqual([status, body.code], [503, "unavailable"]);
  assert.match(body.message, /SVC_ADMIN_TOTP_KEY/);
});

Deno.test("T73 an admin's session opens nothing outside /console/api/, and no workspace without a grant", async () => {
  await using service = await startService();
  const admin = await createTestAdmin(service);
  const { cookie, proof, send } = await logInAdmin(service, admin);
  await send("PATCH", SESSION, { writing: true });
  for (const binding of [...HTTP_BINDINGS, ...RPC_BINDINGS, ...MCP_BINDINGS]) {
    const headers = { ...PAGE, "x-svc-console": proof, cookie };
    const { code } = await (await binding.ask(service)).send({ key: null, headers });
    assert.equal(code, "unauthenticated", binding.name);
  }
  for (
    const [method, path, body] of [
      ["GET", "/console/api/v1/whoami"],
      ["GET", "/console/api/v1/memory/facts"],
      ["POST", "/console/api/v1/memory/recall", { query: "anything" }],
      ["POST", "/console/api/v1/memory/facts", { statement: "An admin told this." }],
      ["GET", "/console/api/v1/audit"],
      ["POST", "/console/api/v1/stream/ticket"],
      ["GET", "/console/api/keys"],
      ["POST", "/console/api/v1/memory/federation/sync", {}],
    ] as const
  ) {
    const reply = await send(method, path, body);
    assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], path);
  }
});

Deno.test("T73 a workspace's session calls no operation of admins, however its cookie is dressed up", async () => {
  await using service = await startService();
  const admin = await createTestAdmin(service);
  const session = await logIn(service);
  await session.send("PATCH", SESSION, { writing: true });
  const key = { name: "more", workspaceId: service.workspaceId };
  for (const [method, path, body] of [["GET", KEYS], ["POST", KEYS, key], ["GET", "/console/api/keys"]] as const) {
    const reply = await session.send(method, path, body);
    assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], path);
    const granted = await session.send(method, path, body, { "x-svc-break-glass": admin.id });
    assert.equal(granted.status, 403, path);
  }
  const dressed = session.cookie.replace("svc_console_", "svc_console_admin_").replace(
    /=svc_console_admin_svc_/,
    "=svc_",
  );
  const reply = await session.send("GET", KEYS, undefined, { cookie: dressed });
  assert.deepEqual([reply.status, reply.body.code], [401, "unauthenticated"]);
  const opened = await logInAdmin(service, admin);
  const undressed = opened.cookie.replace("svc_console_admin_", "svc_console_");
  assert.equal((await opened.send("GET", KEYS, undefined, { cookie: undressed })).status, 401);
  // The proof of the one does not go with the cookie of the other.
  assert.equal((await opened.send("GET", KEYS, undefined, { "x-svc-console": session.proof })).status, 401);
  for (
    const headers of [
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
    ]
  ) {
    assert.equal((await opened.send("GET", KEYS, undefined, headers)).body.code, "origin_not_allowed");
  }
  const both = await opened.send("GET", KEYS, undefined, { authorization: `Bearer ${admin.key}` });
  assert.deepEqual([both.status, both.body.code], [400, "invalid_request"]);
  assert.equal((await service.get(KEYS, { key: admin.key })).status, 403, "a key below /console/api/");
});

Deno.test("T73 an admin's session ends when it is idle, old, or left, with its key, and with new one-time codes", async () => {
  let now = Date.parse("2026-11-01T12:00:00Z");
  const minutes = (n: number) => now += n * 60_000;
  await using service = await startService({ clock: () => new Date(now) });
  const ctx = systemOperator(service);
  const admin = await createTestAdmin(service);
  const enter = () => (minutes(1), logInAdmin(service, admin));
  const idle = await enter();
  minutes(9);
  assert.ok(await isOpen(idle));
  minutes(9);
  assert.ok(await isOpen(idle), "use counts");
  minutes(11);
  assert.ok(!await isOpen(idle));
  const old = await enter();
  for (let i = 0; i < 15; i++, minutes(8)) assert.ok(await isOpen(old), `${i}`);
  assert.ok(!await isOpen(old));
  const left = await enter();
  const gone = await left.send("DELETE", SESSION);
  assert.match(gone.headers.get("set-cookie")!, /^__Host-svc_console=; .*Max-Age=0$/);
  assert.ok(!await isOpen(left));
  const many = [await enter(), await enter(), await enter(), await enter()];
  assert.deepEqual(await Promise.all(many.map(isOpen)), [false, true, true, true]);
  const expiring = await admins.createAdminKey(ctx, {
    ...{ admin: admin.name, name: "short", expiresAt: new Date(now + 120_000) },
  });
  minutes(1);
  const short = await logInAdmin(service, { ...admin, key: expiring.key });
  assert.ok(await isOpen(short));
  minutes(2);
  assert.ok(!await isOpen(short));
  const enrolled = await enter();
  minutes(1);
  await admins.enrollTotp(ctx, admin.name);
  assert.ok(!await isOpen(enrolled), "new one-time codes");
});

Deno.test("T73 an admin's session counts only from the addresses of the key that opened it", async () => {
  await using service = await startService();
  const admin = await createTestAdmin(service);
  const near = await admins.createAdminKey(systemOperator(service), {
    ...{ admin: admin.name, name: "near", cidrs: ["192.0.2.0/24"] },
  });
  const authorization = `Bearer ${near.key}`;
  const { status, headers, body } = await logInFrom(service, "192.0.2.7", { totp: admin.totp() }, { authorization });
  assert.equal(status, 201);
  const opened = openedBy(service, headers.get("set-cookie")!, body.proof);
  for (const [method, path] of [["GET", KEYS], ["GET", SESSION], ["DELETE", SESSION]] as const) {
    const reply = await opened.send(method, path);
    assert.deepEqual([reply.status, reply.body.code], [403, "ip_not_allowed"], path);
  }
});

Deno.test({
  name: "T73 revoking an admin's key, or disabling the admin, ends the sessions in every process at once",
  ...POSTGRES,
  async fn() {
    await using service = await startService();
    await using other = await startService({ database: service.database! });
    const [first, second] = await createTestAdmins(service, 2);
    for (const admin of [first, second]) {
      const here = await logInAdmin(service, admin);
      const there = openedBy(other, here.cookie, here.proof);
      assert.deepEqual([await isOpen(here), await isOpen(there)], [true, true]);
      const made = await admins.listAdmins(systemOperator(service));
      const key = made.find(({ adminId }) => adminId === admin.id)!.keys[0]!;
      if (admin === first) await admins.revokeAdminKey(systemOperator(service), key.keyId);
      else await admins.disableAdmin(systemOperator(service), admin.name);
      assert.deepEqual([await isOpen(here), await isOpen(there)], [false, false]);
    }
  },
});

Deno.test("T73 each act of an admin in the console stands in the log with the admin's name, and the chain verifies", async () => {
  await using service = await startService();
  const admin = await createTestAdmin(service);
  const { send } = await logInAdmin(service, admin);
  await send("PATCH", SESSION, { writing: true });
  const { body: key } = await send("POST", KEYS, { name: "watched", workspaceId: service.workspaceId });
  await send("POST", `/console/api/v1/admin/keys/${key.id}/revoke`, {});
  await send("GET", "/console/api/v1/memory/facts");
  await send("DELETE", SESSION);
  await auditTrailOf(service.deps).flush();
  type Row = { event_type: string; actor_id: string; detail: { via?: string; admin?: string } };
  const rows: Row[] = (await service.get("/v1/admin/audit?limit=100", { key: ADMIN_TOKEN })).body.data;
  const acts = rows.filter((row) => row.actor_id === `admin:${admin.id}`);
  for (const { event_type, detail } of acts) {
    assert.deepEqual([detail.via, detail.admin], ["console", admin.name], event_type);
  }
  const names = acts.map(({ event_type }) => event_type);
  for (
    const name of [
      ...["console_session.created", "console_session.writing", "api_key.created", "api_key.revoked"],
      ...["refused.listFacts", "console_session.ended"],
    ]
  ) assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
  const own: Row[] = (await service.get("/v1/audit?limit=100")).body.data;
  assert.ok(own.some(({ event_type, detail }) => event_type === "api_key.revoked" && detail.admin === admin.name));
  const { body } = await service.get("/v1/admin/audit/verify", { key: ADMIN_TOKEN });
  assert.deepEqual([body.ok, body.problem], [true, null]);
  assert.equal((await service.get("/v1/admin/audit")).status, 401, "a workspace's key");
});

Deno.test("T73 under a grant of a second admin an admin's session enters the workspace, within the grant and until it ends", async () => {
  const now = new Date();
  await using service = await startService({ clock: () => now });
  const [asks, approves] = await createTestAdmins(service, 2);
  await service.post("/v1/memory/facts", { statement: "Backups are kept for ninety days." });
  const first = await logInAdmin(service, asks, asks.totp(-1));
  await first.send("PATCH", SESSION, { writing: true });
  const asked = await first.send("POST", "/console/api/v1/admin/break-glass", {
    ...{ totp: asks.totp(), workspaceId: service.workspaceId, reason: "Ticket 4711", scopes: ["memory:read"] },
  });
  assert.equal(asked.status, 201);
  const { id } = asked.body;
  const enter = (opened: Opened) =>
    opened.send("GET", "/console/api/v1/memory/facts", undefined, { "x-svc-break-glass": id });
  assert.equal((await enter(first)).body.code, "break_glass_required");
  const path = `/console/api/v1/admin/break-glass/${id}`;
  assert.equal((await first.send("POST", `${path}/approve`, { totp: asks.totp(1) })).body.code, "self_approval");
  const second = await logInAdmin(service, approves, approves.totp(-1));
  await second.send("PATCH", SESSION, { writing: true });
  assert.equal((await second.send("POST", `${path}/approve`, { totp: approves.totp(-1) })).body.code, "totp_invalid");
  assert.equal((await second.send("POST", `${path}/approve`, { totp: approves.totp() })).body.state, "approved");
  assert.equal((await enter(first)).body.data.length, 1);
  assert.equal((await enter(second)).body.code, "break_glass_required", "another admin's grant");
  const beyond = await first.send("POST", "/console/api/v1/memory/facts", { statement: "No." }, {
    "x-svc-break-glass": id,
  });
  assert.equal(beyond.body.code, "insufficient_scope");
  const uses = (await second.send("GET", path)).body.uses;
  assert.ok(uses >= 1, String(uses));
  assert.equal((await second.send("POST", `${path}/revoke`, {})).body.state, "revoked");
  assert.equal((await enter(first)).body.code, "break_glass_required");
});

async function openByTicket(service: TestService): Promise<Opened> {
  const { headers, body } = await logInFrom(service, "127.0.0.1", { ticket: createConsoleTicket(service.deps) });
  assert.deepEqual([body.managesKeys, body.admin], [true, null]);
  return openedBy(service, headers.get("set-cookie")!, body.proof);
}

Deno.test("T73 the link of the start makes, rotates and revokes keys of its workspace, none above its own rights", async () => {
  await using service = await startService();
  const { send } = await openByTicket(service);
  const keys = "/console/api/keys";
  const body = {
    name: "claude-code",
    scopes: ["memory:read", "memory:write"],
    maxSensitivity: "confidential",
    expiresAt: null,
  };
  assert.equal((await send("POST", keys, body)).body.code, "insufficient_scope", "it only reads at first");
  await send("PATCH", SESSION, { writing: true });
  const made = await send("POST", keys, body);
  assert.equal(made.status, 201);
  const who = await service.get("/v1/whoami", { key: made.body.key });
  assert.deepEqual([who.body.workspace.id, who.body.scopes], [service.workspaceId, body.scopes]);
  const listed = await send("GET", `${keys}?limit=100`);
  assert.ok(listed.body.data.some(({ id }: { id: string }) => id === made.body.id));
  assert.ok(!JSON.stringify(listed.body).includes("svc_live_"));
  const rotated = await send("POST", `${keys}/${made.body.id}/rotate`, { overlapSeconds: 0 });
  assert.equal((await service.get("/v1/whoami", { key: made.body.key })).status, 401);
  assert.equal((await service.get("/v1/whoami", { key: rotated.body.key })).status, 200);
  assert.equal((await send("POST", `${keys}/${made.body.id}/revoke`, {})).status, 200);
  assert.equal((await service.get("/v1/whoami", { key: rotated.body.key })).status, 401);
  for (const scopes of [["federation"], ["memory:read", "memory:admin:cross_tenant"]]) {
    const beyond = await send("POST", keys, { ...body, scopes });
    assert.deepEqual([beyond.status, beyond.body.code], [403, "insufficient_scope"], String(scopes));
  }
  const strong = await service.createKey();
  const { id } = (await service.get("/v1/whoami", { key: strong })).body.key;
  assert.equal((await send("POST", `${keys}/${id}/rotate`, {})).status, 403, "the secret of a key that can do more");
  for (const act of ["rotate", "revoke"]) {
    assert.equal((await send("POST", `${keys}/no-id/${act}`, {})).status, 404, act);
  }
  assert.equal((await send("POST", keys, { ...body, workspaceId: service.workspaceId })).status, 422, "another member");
  assert.equal((await send("GET", "/console/api/v1/admin/api-keys")).status, 403, "administration");
});

Deno.test("T73 the link of the start reaches no key of another workspace, and other sessions none at all", async () => {
  await using service = await startService();
  const other = await service.createWorkspace();
  const foreign = await service.createKey({ workspaceId: other });
  const { id } = (await service.get("/v1/whoami", { key: foreign })).body.key;
  const { send } = await openByTicket(service);
  await send("PATCH", SESSION, { writing: true });
  const mine: { workspaceId: string }[] = (await send("GET", "/console/api/keys?limit=100")).body.data;
  assert.deepEqual([...new Set(mine.map(({ workspaceId }) => workspaceId))], [service.workspaceId]);
  for (const act of ["rotate", "revoke"]) {
    assert.equal((await send("POST", `/console/api/keys/${id}/${act}`, {})).body.code, "not_found", act);
  }
  assert.equal((await service.get("/v1/whoami", { key: foreign })).status, 200);
  const byKey = await logIn(service);
  await byKey.send("PATCH", SESSION, { writing: true });
  assert.equal((await byKey.send("GET", "/console/api/keys")).status, 403);
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
    assert.equal((await send("GET", "/console/api/keys", undefined, headers)).body.code, "origin_not_allowed");
  }
});
