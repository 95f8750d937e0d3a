/** The reply to a caller about itself. */
import assert from "node:assert/strict";
import packageInfo from "../../deno.json" with { type: "json" };
import { SCOPES } from "../../src/schema/scopes.ts";
import { createTestAdmin, requestAccess } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";
import { callRpc } from "../rpc/_client.ts";

const ADMIN = { key: ADMIN_TOKEN };

/** Issues a key through the administration, so that its id is known. */
async function issue(service: TestService, body: object): Promise<{ id: string; publicId: string; key: string }> {
  const reply = await service.post("/v1/admin/api-keys", { workspace_id: service.workspaceId, ...body }, ADMIN);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

Deno.test({
  ...POSTGRES,
  name: "whoami tells a key its name, rights, limits and end, the workspace and the service, and no secret",
  async fn() {
    await using service = await startService();
    const expiresAt = "2999-01-02T03:04:05.000Z";
    const { id, publicId, key } = await issue(service, {
      name: "assistant",
      scopes: ["session:write", "memory:read"],
      maxSensitivity: "internal",
      rateLimit: { perMinute: 120, burst: 7 },
      expiresAt,
    });
    const reply = await service.get("/v1/whoami", { key });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const workspace = (await service.get(`/v1/admin/workspaces/${service.workspaceId}`, ADMIN)).body;
    assert.deepEqual(reply.body, {
      actor: `key:${id}`,
      key: { id, publicId, name: "assistant" },
      breakGlass: null,
      workspace: { id: service.workspaceId, name: workspace.name, region: workspace.region },
      scopes: ["memory:read", "session:write"],
      maxSensitivity: "internal",
      rateLimit: { perMinute: 120, burst: 7 },
      expiresAt,
      server: { version: packageInfo.version, region: null },
      features: { embeddings: false, llm: false, mcp: true, federation: false, webhooks: true },
    });
    assert.doesNotMatch(JSON.stringify(reply.body), new RegExp(key.slice(-20)));
    const { breakGlass: _, ...shown } = reply.body;
    assert.deepEqual((await callRpc(service, "Whoami", {}, { key })).body, {
      ...shown,
      server: { version: packageInfo.version },
      features: reply.body.features,
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "whoami says whether questions are answered by meaning, whoever makes the vectors",
  async fn() {
    const endpoint = { SVC_EMBEDDINGS_URL: "http://127.0.0.1:1/v1", SVC_EMBEDDINGS_MODEL: "m" };
    const ways: readonly (readonly [Record<string, string>, boolean])[] = [
      [{ SVC_SENTENCE_ENCODER: "on" }, true],
      [{ SVC_SENTENCE_ENCODER: "table" }, true],
      [{ SVC_SENTENCE_ENCODER: "off" }, false],
      [{ ...endpoint, SVC_SENTENCE_ENCODER: "off" }, true],
    ];
    for (const [env, expected] of ways) {
      await using service = await startService({ env });
      assert.equal((await service.get("/v1/whoami")).body.features.embeddings, expected, JSON.stringify(env));
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "whoami shows what holds now: the workspace's limits, a changed key, a rotated secret and its end",
  async fn() {
    await using service = await startService();
    const { id, publicId, key } = await issue(service, { name: "agent", scopes: ["audit:read"] });
    const ask = async (key: string) => (await service.get("/v1/whoami", { key })).body;
    assert.deepEqual((await ask(key)).expiresAt, null);
    const changed = { name: "renamed", scopes: [...SCOPES], maxSensitivity: "restricted" };
    await service.patch(`/v1/admin/api-keys/${id}`, changed, ADMIN);
    const settings = { maxSensitivity: "internal", rateLimit: { perMinute: 0, burst: 1 } };
    await service.patch(`/v1/admin/workspaces/${service.workspaceId}`, { settings }, ADMIN);
    const now = await ask(key);
    assert.deepEqual([now.key.name, now.scopes, now.maxSensitivity, now.rateLimit], [
      "renamed",
      [...SCOPES],
      "internal",
      null,
    ]);
    const rotated = (await service.post(`/v1/admin/keys/${id}/rotate`, { overlapSeconds: 60 }, ADMIN)).body;
    const [older, newer] = [await ask(key), await ask(rotated.key)];
    assert.equal(older.key.publicId, publicId);
    assert.notEqual(older.expiresAt, null, "the secret that was rotated out ends");
    assert.deepEqual([newer.key.publicId, newer.expiresAt], [rotated.publicId, null]);
    await service.post(`/v1/admin/keys/${id}/revoke`, undefined, ADMIN);
    assert.equal((await ask(rotated.key)).code, "unauthenticated");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T22 whoami under a grant names the admin and the grant, and not a key; without one an admin's key is none",
  async fn() {
    await using service = await startService();
    const [ada, bob] = [await createTestAdmin(service), await createTestAdmin(service)];
    const asked = await requestAccess(service, ada, { scopes: ["memory:read"], maxSensitivity: "internal" });
    const { id } = asked.body;
    const approval = { totp: bob.totp() };
    const approved = await service.post(`/v1/admin/break-glass/${id}/approve`, approval, { key: bob.key });
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    const headers = { "x-svc-break-glass": id };
    const { status, body } = await service.get("/v1/whoami", { key: ada.key, headers });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.actor, body.key, body.breakGlass.id, body.breakGlass.admin.id], [
      `admin:${ada.id}`,
      null,
      id,
      ada.id,
    ]);
    assert.deepEqual([body.workspace.id, body.scopes, body.maxSensitivity, body.expiresAt], [
      service.workspaceId,
      ["memory:read"],
      "internal",
      approved.body.expiresAt,
    ]);
    assert.equal((await service.get("/v1/whoami", { key: ada.key })).status, 401);
  },
});
