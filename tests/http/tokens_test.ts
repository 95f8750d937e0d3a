/** Tokens of issuers in the place of keys: what they give, in whose name, and how it ends. docs/reference/guarantees.md T76. */
import assert from "node:assert/strict";
import * as access from "../../src/domain/access/authorize.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { entryOf, startIssuer, trusting } from "../_issuer.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, type Reply, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { connectSuperuser, readLog } from "./_audit.ts";

/** The claim that names the workspace, so that a test's rule can be written before there is one. */
const WORKSPACE = { claim: "workspace" };

function whoami(service: TestService, token: string): Promise<Reply> {
  return service.get("/v1/whoami", { key: token });
}

Deno.test({
  name: "T76 a token acts by a key of its own, with the rights of the rule that the token names, too",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE)) });
    const { workspaceId: workspace } = service;
    const reader = await issuer.sign({ workspace, preferred_username: "ada@example.com" });
    const { status, body } = await whoami(service, reader);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.workspace.id, body.scopes, body.maxSensitivity], [
      workspace,
      ["memory:read"],
      "confidential",
    ]);
    assert.match(body.actor, /^key:[0-9a-f-]{36}$/);
    assert.equal(body.key.name, "ada@example.com by claude (test)");
    const fact = { statement: "The depot opens at seven" };
    assert.equal((await service.post("/v1/memory/facts", fact, { key: reader })).body.code, "insufficient_scope");
    // The token may name more than the rule gives.
    const writer = await issuer.sign({ workspace, scope: "openid memory:read memory:write memory:admin audit:read" });
    assert.deepEqual((await whoami(service, writer)).body.scopes, ["memory:read", "memory:write"]);
    const created = await service.post("/v1/memory/facts", fact, { key: writer });
    assert.equal(created.status, 201);
    assert.equal(created.body.createdBy, body.actor, "one person by one client is one author");
    const other = await issuer.sign({ workspace, client_id: "chatgpt" });
    assert.notEqual((await whoami(service, other)).body.actor, body.actor);
    assert.equal(issuer.keysAsked, 1, "the keys are fetched once");
  },
});

Deno.test({
  name: "T76 the audit log names the issuer, the subject and the client of a token, and no token",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    const lines: string[] = [];
    await using service = await startService({
      env: { ...trusting(entryOf(issuer, WORKSPACE)), SVC_LOG_LEVEL: "debug" },
      logSink: (line) => lines.push(line),
    });
    const { workspaceId: workspace } = service;
    const token = await issuer.sign({ workspace, scope: "memory:read memory:write" });
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The depot opens at seven" }, {
      key: token,
    });
    assert.equal((await service.get(`/v1/facts/${fact.id}`, { key: token })).status, 200);
    assert.equal((await service.get("/v1/audit", { key: token })).status, 403);
    await auditTrailOf(service.deps).flush();
    await using admin = connectSuperuser(service);
    const rows = await readLog(admin.sql, workspace);
    const named = { issuer: issuer.url, subject: "ada", client: "claude" };
    for (const event of ["api_key.created", "write.createFact", "read.getFactV2", "refused.listAudit"]) {
      const row = rows.findLast(({ event_type, actor_id }) => event_type === event && actor_id !== "cli");
      assert.deepEqual(row?.detail["token"], named, event);
    }
    const signature = token.split(".")[2]!;
    assert.ok(!JSON.stringify(rows).includes(signature) && !lines.join("\n").includes(signature));
  },
});

Deno.test({
  name:
    "T76 a key that stands for tokens has no secret to rotate, is narrowed and revoked like any other, and stays out",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE)) });
    const { workspaceId: workspace } = service;
    const token = await issuer.sign({ workspace, scope: "memory:read memory:write" });
    const { id } = (await whoami(service, token)).body.key;
    const admin = { key: ADMIN_TOKEN };
    const listed = (await service.get(`/v1/admin/api-keys?workspaceId=${workspace}`, admin)).body.data;
    assert.ok(listed.some((key: { id: string }) => key.id === id), "admins see it among the keys");
    const rotated = await service.post(`/v1/admin/keys/${id}/rotate`, {}, admin);
    assert.equal(rotated.body.code, "invalid_transition");
    const expiring = await service.patch(`/v1/admin/api-keys/${id}`, { expiresAt: null }, admin);
    assert.equal(expiring.body.code, "invalid_transition");
    assert.equal((await service.patch(`/v1/admin/api-keys/${id}`, { scopes: ["memory:read"] }, admin)).status, 200);
    assert.deepEqual((await whoami(service, token)).body.scopes, ["memory:read"]);
    // Who changes their name at the issuer gets nothing back by that.
    assert.equal((await service.patch(`/v1/admin/api-keys/${id}`, { maxSensitivity: "public" }, admin)).status, 200);
    const renamed = await issuer.sign({ workspace, scope: "memory:read memory:write", preferred_username: "Countess" });
    const { key, scopes, maxSensitivity } = (await whoami(service, renamed)).body;
    assert.deepEqual([scopes, maxSensitivity], [["memory:read"], "public"]);
    assert.match(key.name, /^Countess/);
    // What an admin adds beyond the rule has no effect.
    const wider = { scopes: ["memory:read", "audit:read"], maxSensitivity: "restricted" };
    assert.equal((await service.patch(`/v1/admin/api-keys/${id}`, wider, admin)).status, 200);
    const { body } = await whoami(service, await issuer.sign({ workspace, scope: "memory:read audit:read" }));
    assert.deepEqual([body.scopes, body.maxSensitivity], [["memory:read"], "confidential"]);
    assert.equal((await service.post(`/v1/admin/keys/${id}/revoke`, {}, admin)).status, 200);
    for (const again of [token, await issuer.sign({ workspace })]) {
      const refused = await whoami(service, again);
      assert.equal(refused.status, 401);
      assert.match(refused.body.message, /was revoked/);
    }
    assert.equal((await whoami(service, await issuer.sign({ workspace, sub: "bob" }))).status, 200);
  },
});

Deno.test({
  name: "T76 revoking the key of an identity ends its tokens and streams in every process at once",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    await using database = await createDatabase();
    const env = trusting(entryOf(issuer, WORKSPACE));
    await using one = await startService({ database, env });
    await using two = await startService({ database, env });
    const { workspaceId: workspace } = one;
    const token = await issuer.sign({ workspace });
    const { body } = await whoami(one, token);
    assert.equal((await whoami(two, token)).status, 200);
    const { url } = two.listen();
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/stream`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const closed = Promise.withResolvers<CloseEvent>();
    socket.onclose = closed.resolve;
    await new Promise((resolve) => socket.onopen = resolve);
    await revokeApiKey(access.operatorContext(one.deps, workspace), body.key.id);
    assert.equal((await whoami(one, token)).status, 401);
    await waitFor("the other process refuses it", async () => (await whoami(two, token)).status === 401);
    assert.equal((await closed.promise).code, 1008);
  },
});

Deno.test({
  name: "T76 a token leaves nothing behind that would outlast it: no webhook, ticket or session of the console",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    const rule = { workspace: WORKSPACE, scopes: ["memory:read", "memory:admin", "governance:write", "tasks:read"] };
    await using service = await startService({
      env: trusting(entryOf(issuer, WORKSPACE, { rules: [rule], scopeClaims: [] })),
    });
    const key = await issuer.sign({ workspace: service.workspaceId });
    const webhook = await service.post("/v1/webhooks", { url: "https://hooks.example/x" }, { key });
    assert.match(webhook.body.message, /outlast the token/);
    assert.match(
      (await service.post("/v1/stream/ticket", {}, { key })).body.message,
      /a token opens the stream itself/,
    );
    const page = { "x-svc-console": "1", "sec-fetch-site": "same-origin" };
    const session = await service.post("/console/api/session", {}, { key, headers: page });
    assert.equal(session.status, 403);
    // Nor does it act as another instance or as an admin.
    assert.equal((await service.post("/v1/federation/sync", {}, { key })).status >= 401, true);
    assert.equal((await service.get("/v1/admin/api-keys", { key })).status, 401);
  },
});

Deno.test({
  name:
    "T76 what the configuration grants anew holds at the next token, and a workspace that is gone or elsewhere holds nothing",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    await using database = await createDatabase();
    const rule = { workspace: WORKSPACE, scopes: ["memory:read"], maxSensitivity: "internal" };
    let workspace: string, id: string;
    {
      await using service = await startService({
        database,
        env: trusting(entryOf(issuer, WORKSPACE, { rules: [rule] })),
      });
      workspace = service.workspaceId;
      id = (await whoami(service, await issuer.sign({ workspace }))).body.key.id;
    }
    const wider = { ...rule, scopes: ["memory:read", "memory:write"], maxSensitivity: "restricted" };
    await using service = await startService({
      database,
      env: trusting(entryOf(issuer, WORKSPACE, { rules: [wider] })),
    });
    const { body } = await whoami(service, await issuer.sign({ workspace, scope: "memory:write" }));
    assert.deepEqual([body.key.id, body.scopes, body.maxSensitivity], [id, ["memory:write"], "restricted"]);
    const gone = await whoami(service, await issuer.sign({ workspace: crypto.randomUUID() }));
    assert.deepEqual([gone.status, /a workspace that is not here/.test(gone.body.message)], [401, true]);
  },
});
