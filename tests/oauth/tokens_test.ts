/** Tokens that the service issues itself: what they open, what ends them, and what is none. */
import assert from "node:assert/strict";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { signToken } from "../../src/crypto/compact_jws.ts";
import { parseApiKey } from "../../src/crypto/api_key.ts";
import { issueToken, type NewToken } from "../../src/domain/access/tokens/issue.ts";
import { tokenKeysOf } from "../../src/domain/access/tokens/keys.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";
import { callTool, send } from "../mcp/_client.ts";
import { waitFor } from "../_wait.ts";

const HOST = "http://svc.test";
const env = { SVC_HOSTS: "svc.test" };

/** A token of a key of the service's first workspace. */
async function tokenOf(service: TestService, key: string, given: Partial<NewToken> = {}): Promise<string> {
  const { token } = await issueToken(service.deps, {
    issuer: HOST,
    audience: HOST,
    subject: "key:giver",
    clientId: "test",
    grant: `key:${parseApiKey(key)!.publicId}`,
    name: "A test",
    workspaceId: service.workspaceId,
    region: null,
    scopes: ["memory:read", "memory:write"],
    maxSensitivity: "confidential",
    seconds: 3_600,
    ...given,
  });
  return token;
}

const status = async (service: TestService, key: string, path = "/v1/whoami") =>
  (await service.get(path, { key })).status;

/** Calls an operation of admins. */
function admin(service: TestService, method: string, path: string, body?: unknown) {
  return service.call(method, path, { key: ADMIN_TOKEN, body });
}

async function keyIdOf(service: TestService, key: string): Promise<string> {
  return (await service.get("/v1/whoami", { key })).body.key.id;
}

Deno.test("T75 a token opens its own workspace, within its scopes and its clearance, by HTTP and MCP", async () => {
  await using service = await startService({ env });
  const key = await service.createKey();
  const token = await tokenOf(service, key);
  const who = (await service.get("/v1/whoami", { key: token })).body;
  assert.deepEqual([who.workspace.id, who.scopes, who.maxSensitivity], [
    service.workspaceId,
    ["memory:read", "memory:write"],
    "confidential",
  ]);
  assert.equal(who.key.id, await keyIdOf(service, key), "the audit names the key behind it");
  assert.ok(new Date(who.expiresAt).getTime() <= Date.now() + 3_600_000);
  const { body: fact } = await service.post("/v1/memory/facts", { statement: "Gus lives in Oslo." }, { key: token });
  assert.equal((await service.delete(`/v1/memory/facts/${fact.id}`, { key: token })).status, 403);
  assert.match((await callTool(service, "recall", { query: "Where does Gus live?" }, { key: token })).text, /Oslo/);

  const forMcp = await tokenOf(service, key, { audience: `${HOST}/mcp` });
  assert.equal((await send(service, "tools/list", {}, { key: forMcp })).status, 200);
  assert.equal(await status(service, forMcp), 401, "a token for the MCP server opens nothing else");
  const forApi = await tokenOf(service, key, { audience: `${HOST}/v1` });
  assert.deepEqual([await status(service, forApi), (await send(service, "tools/list", {}, { key: forApi })).status], [
    200,
    401,
  ]);
});

Deno.test(
  "T75 a token is worth no more than the key behind it: narrowed, rotated, expired and revoked with it, in every process",
  {
    ...POSTGRES,
  },
  async () => {
    await using database = await createDatabase();
    await using first = await startService({ env, database });
    await using second = await startService({ env, database });
    const key = await first.createKey();
    const id = await keyIdOf(first, key);
    const token = await tokenOf(first, key);
    for (const service of [first, second]) assert.equal(await status(service, token), 200);

    const narrow = { scopes: ["memory:read"], maxSensitivity: "internal" };
    assert.equal((await admin(first, "PATCH", `/v1/admin/api-keys/${id}`, narrow)).status, 200);
    for (const service of [first, second]) {
      const { scopes, maxSensitivity } = await waitFor("the narrowed rights", async () => {
        const { body } = await service.get("/v1/whoami", { key: token });
        return body.scopes.length === 1 ? body : undefined;
      });
      assert.deepEqual([scopes, maxSensitivity], [["memory:read"], "internal"]);
    }
    assert.equal((await admin(first, "POST", `/v1/admin/keys/${id}/revoke`)).status, 200);
    assert.equal(await status(first, token), 401);
    await waitFor("the revocation is heard", async () => await status(second, token) === 401 || undefined);
  },
);

Deno.test("T75 a token ends at its time, counts for a day at most, and not before it was issued", async () => {
  let now = new Date("2026-03-01T09:00:00Z");
  await using service = await startService({ env, clock: () => now });
  const key = await service.createKey();
  const [hour, long] = [await tokenOf(service, key), await tokenOf(service, key, { seconds: 1_000_000 })];
  assert.deepEqual([await status(service, hour), await status(service, long)], [200, 200]);
  now = new Date("2026-03-01T10:00:00Z");
  assert.deepEqual([await status(service, hour), await status(service, long)], [401, 200]);
  now = new Date("2026-03-02T09:00:00Z");
  assert.equal(await status(service, long), 401);
  const early = await tokenOf(service, key);
  now = new Date("2026-03-02T08:58:00Z");
  assert.equal(await status(service, early), 401);
});

Deno.test("T75 T27 what this service did not sign, or not for itself, or in another form, opens nothing", async () => {
  await using service = await startService({ env });
  const key = await service.createKey();
  const good = await tokenOf(service, key);
  const [head, body, signature] = good.split(".") as [string, string, string];
  const [own] = tokenKeysOf(service.deps);
  const claims = JSON.parse(atob(body.replaceAll("-", "+").replaceAll("_", "/")));
  const encode = (value: object) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
  const { privateKey, publicKey } = await generateKeyPair("Ed25519", { extractable: true });
  const { exp, iat } = claims;
  const forged = {
    "no signature": `${encode({ alg: "none", typ: "at+jwt", kid: own!.keyId })}.${body}.`,
    "another body": `${head}.${encode({ ...claims, scope: "memory:admin" })}.${signature}`,
    "another key": await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: own!.keyId }).sign(
      privateKey,
    ),
    "a key of its own": await new SignJWT(claims).setProtectedHeader({
      alg: "EdDSA",
      typ: "at+jwt",
      jwk: await exportJWK(publicKey),
    }).sign(privateKey),
    "the public key as a secret": await new SignJWT(claims).setProtectedHeader({
      alg: "HS256",
      typ: "at+jwt",
      kid: own!.keyId,
    }).sign(own!.publicKey),
    "another type": await signToken(own!, "svc-fed+jwt", claims),
    "one claim more": await signToken(own!, "at+jwt", { ...claims, admin: "yes" }),
    "padding": `${head}.${body}=.${signature}`,
    "another service's audience": await signToken(own!, "at+jwt", { ...claims, aud: "https://other.test/mcp" }),
    "another service's issuer": await signToken(own!, "at+jwt", { ...claims, iss: "https://other.test" }),
    "more than a day": await signToken(own!, "at+jwt", { ...claims, exp: iat + 86_401 }),
    "a fraction of a second": await signToken(own!, "at+jwt", { ...claims, exp: exp + 0.5 }),
    "another workspace": await tokenOf(service, key, { workspaceId: await service.createWorkspace() }),
    "a kind that is none": await tokenOf(service, key, { grant: `toString:${parseApiKey(key)!.publicId}` }),
    "a key that is none": await tokenOf(service, key, { grant: "key:000000000000" }),
  };
  for (const [what, token] of Object.entries(forged)) assert.equal(await status(service, token), 401, what);
  assert.equal(await status(service, good), 200);
  const withMore = await tokenOf(service, await service.createKey({ scopes: ["memory:read"] }), {
    scopes: ["memory:read", "memory:admin"],
  });
  assert.deepEqual((await service.get("/v1/whoami", { key: withMore })).body.scopes, ["memory:read"]);
  assert.equal((await service.get("/v1/admin/api-keys", { key: good })).status, 401, "no token is an admin's");
});

Deno.test("T75 tokens of the former secret count after a change of the secret, and no longer once it is gone", {
  ...POSTGRES,
}, async () => {
  await using database = await createDatabase();
  const secrets = ["first-secret-of-more-than-32-characters-1", "second-secret-of-more-than-32-characters"];
  let token: string, key: string;
  {
    await using service = await startService({ database, env: { ...env, SVC_SECRETS_KEY: secrets[0]! } });
    key = await service.createKey();
    token = await tokenOf(service, key);
  }
  {
    const both = { SVC_SECRETS_KEY: secrets[1]!, SVC_SECRETS_KEY_PREVIOUS: secrets[0]! };
    await using service = await startService({ database, env: { ...env, ...both } });
    assert.equal(await status(service, token), 200);
    const { body } = await service.get("/.well-known/jwks.json", { key: null });
    assert.equal(body.keys.length, 2);
    for (const one of [token, await tokenOf(service, key)]) {
      await jwtVerify(one, createLocalJWKSet(body), { typ: "at+jwt", audience: HOST, issuer: HOST });
    }
  }
  await using service = await startService({ database, env: { ...env, SVC_SECRETS_KEY: secrets[1]! } });
  assert.equal(await status(service, token), 401);
});

Deno.test("a token that was verified costs no statement, however many tokens stand on the same key", async () => {
  await using service = await startService({ env });
  const key = await service.createKey();
  const [one, two] = [await tokenOf(service, key), await tokenOf(service, key)];
  assert.equal((await send(service, "tools/list", {}, { key: one })).status, 200);
  const { db } = service.deps;
  const first = db.first.bind(db);
  let looks = 0;
  db.first = (...args) => (looks++, first(...args));
  for (const token of [one, two, two]) {
    assert.equal((await send(service, "tools/list", {}, { key: token })).status, 200);
  }
  assert.equal(looks, 0);
});
