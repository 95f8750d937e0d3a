/** Tokens that are forged, misdirected or of another kind. RFC 8725, RFC 9700. docs/reference/guarantees.md T76. */
import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { SignJWT } from "jose";
import { entryOf, PUBLIC_URL, startIssuer, type TestIssuer, trusting } from "../_issuer.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";

const WORKSPACE = { claim: "workspace" };
const encode = (value: unknown) => base64url(new TextEncoder().encode(JSON.stringify(value)));
const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const now = () => Math.floor(Date.now() / 1_000);

interface World extends AsyncDisposable {
  readonly issuer: TestIssuer;
  readonly service: TestService;
  readonly workspace: string;
}

async function world(more: Record<string, unknown> = {}): Promise<World> {
  const stack = new AsyncDisposableStack();
  const issuer = stack.use(await startIssuer());
  const service = stack.use(await startService({ env: trusting(entryOf(issuer, WORKSPACE, more)) }));
  return { issuer, service, workspace: service.workspaceId, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function whoami(service: TestService, key: string): Promise<Reply> {
  return service.get("/v1/whoami", { key });
}

async function refuses(service: TestService, token: string, reason: RegExp): Promise<void> {
  const { status, body, headers } = await whoami(service, token);
  assert.equal(status, 401, `${reason}: ${JSON.stringify(body)}`);
  assert.match(body.message, reason);
  assert.match(headers.get("www-authenticate")!, /^Bearer error="invalid_token", error_description="[ -!#-[\]-~]+"/);
}

Deno.test({
  name: "T76 a token that is signed by nobody, by a secret, or by a key of its own is refused",
  ...POSTGRES,
  fn: async () => {
    await using all = await world();
    const { issuer, service, workspace } = all;
    const claims = issuer.claims({ workspace });
    const { kid, jwk } = issuer.keys[0]!;
    assert.equal((await whoami(service, await issuer.sign({ workspace }))).status, 200);
    const unsigned = (alg: string) => `${encode({ alg, typ: "at+jwt", kid })}.${encode(claims)}`;
    for (const alg of ["none", "None", "nOnE", "HS256", "HS512", "RS1", "ES256K", "dir"]) {
      await refuses(service, `${unsigned(alg)}.c2ln`, /an algorithm that is not accepted/);
    }
    // The public key as the secret of an HMAC, in each of its texts.
    const pem = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }).export({ type: "spki", format: "pem" });
    for (const secret of [String(pem), String(pem).trim(), JSON.stringify(jwk)]) {
      const body = unsigned("HS256");
      const mac = createHmac("sha256", secret).update(body).digest("base64url");
      await refuses(service, `${body}.${mac}`, /an algorithm that is not accepted/);
    }
    // A stranger's key, shown in the token's head, or under a name of the issuer's.
    const stranger = await issuer.addKey("ES256", { isKnown: false });
    const jku = `${issuer.origin}/mine`;
    issuer.answers.set("/mine", () => Response.json({ keys: [stranger.jwk] }));
    for (
      const head of [{ kid }, { kid, jwk: stranger.jwk }, { kid, jku }, { kid, x5u: jku }, {
        kid: undefined,
        jwk: stranger.jwk,
      }]
    ) {
      await refuses(
        service,
        await issuer.sign({ workspace }, { key: stranger, head }),
        /a signature that is not its issuer's/,
      );
    }
    assert.equal(issuer.asked.get("/mine"), undefined, "nobody follows the head of a token");
    await refuses(service, await issuer.sign({ workspace }, { key: stranger }), /a key that its issuer does not have/);
    const critical = `${encode({ alg: "ES256", typ: "at+jwt", kid, crit: ["x"], x: 1 })}.${encode(claims)}`;
    await refuses(service, `${critical}.c2ln`, /cannot be verified/);
    const [head, body, signature] = (await issuer.sign({ workspace })).split(".");
    await refuses(service, `${head}.${encode({ ...claims, sub: "eve" })}.${signature}`, /not its issuer's/);
    await refuses(service, `${head}.${body}.${base64url(new Uint8Array(64))}`, /not its issuer's|cannot be verified/);
  },
});

Deno.test({
  name: "T76 a token for another service, or for the other part of this one, is refused",
  ...POSTGRES,
  fn: async () => {
    await using all = await world({ audiences: ["api://memory"] });
    const { issuer, service, workspace } = all;
    const sign = (aud: unknown) => issuer.sign({ workspace, aud });
    for (const aud of [PUBLIC_URL, `${PUBLIC_URL}/`, `${PUBLIC_URL}/v1`, ["other", PUBLIC_URL], "api://memory"]) {
      assert.equal((await whoami(service, await sign(aud))).status, 200, JSON.stringify(aud));
    }
    const wrong = [
      undefined,
      null,
      "",
      "account",
      "claude",
      "http://svc.test.evil.example",
      "http://svc.test/other",
      `${PUBLIC_URL}/v1/x`,
      "https://svc.test",
      "HTTP://SVC.TEST",
      { [PUBLIC_URL]: 1 },
      [[PUBLIC_URL]],
      1,
    ];
    for (const aud of wrong) await refuses(service, await sign(aud), /is for another service/);
    await refuses(service, await sign(`${PUBLIC_URL}/mcp`), /is for the MCP server alone/);
    const ask = async (aud: unknown) => {
      const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      const accept = { accept: "application/json, text/event-stream" };
      return (await service.post("/mcp", list, { key: await sign(aud), headers: accept })).status;
    };
    assert.deepEqual([await ask(`${PUBLIC_URL}/mcp`), await ask(`${PUBLIC_URL}/mcp/all`), await ask(PUBLIC_URL)], [
      200,
      200,
      200,
    ]);
    assert.deepEqual([await ask(`${PUBLIC_URL}/v1`), await ask("other")], [401, 401]);
  },
});

Deno.test({
  name: "T76 a token counts from its issue to its end, within bounds of the service's own",
  ...POSTGRES,
  fn: async () => {
    await using all = await world({ lifetimeSecondsMax: 3_600 });
    const { issuer, service, workspace } = all;
    const sign = (more: Record<string, unknown>) => issuer.sign({ workspace, ...more });
    assert.equal(
      (await whoami(service, await sign({ iat: now() + 30, exp: now() + 600, nbf: now() + 30 }))).status,
      200,
    );
    await refuses(service, await sign({ exp: now() - 1, iat: now() - 600 }), /has expired/);
    for (
      const claims of [{ exp: undefined }, { iat: undefined }, { exp: "9999999999" }, { iat: null }, { exp: -1 }, {
        exp: 1e300,
      }]
    ) {
      await refuses(service, await sign(claims), /does not say when/);
    }
    for (const claims of [{ iat: now() + 3_000, exp: now() + 3_500 }, { nbf: now() + 3_000 }]) {
      await refuses(service, await sign(claims), /is not valid yet/);
    }
    await refuses(service, await sign({ nbf: "soon" }), /nbf that is no time/);
    for (const claims of [{ exp: now() + 86_400 * 365 }, { iat: 0 }, { iat: now() + 50, exp: now() + 40 }]) {
      await refuses(service, await sign(claims), /valid for longer than 3600 seconds/);
    }
  },
});

Deno.test({
  name: "T76 what is no access token is refused, however well it is signed",
  ...POSTGRES,
  fn: async () => {
    await using all = await world();
    const { issuer, service, workspace } = all;
    const sign = (claims: Record<string, unknown>, typ?: string) =>
      issuer.sign({ workspace, ...claims }, { head: { typ } });
    const ID = { client_id: undefined, scope: undefined, azp: "console" };
    for (
      const claims of [{ at_hash: "x" }, { nonce: "n" }, { typ: "ID" }, { typ: "Refresh" }, { events: {} }, {
        c_hash: "x",
      }]
    ) {
      await refuses(service, await sign({ ...ID, ...claims }, "JWT"), /no access token; present that, not an ID token/);
    }
    await refuses(service, await sign({ ...ID, azp: undefined }, undefined), /no access token/);
    for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt", "oauth-authz-req+jwt", "id_token+jwt", "jwk+jwt"]) {
      await refuses(service, await sign({}, typ), /its typ is another one/);
    }
    await refuses(service, await sign({ cnf: { jkt: "x" } }, "at+jwt"), /bound to a key of its client/);
    for (const typ of ["JWT", undefined, "AT+JWT", "application/at+jwt"]) {
      assert.equal((await whoami(service, await sign({}, typ))).status, 200, typ ?? "none");
    }
    await using strict = await world({ tokenType: "at+jwt" });
    const plain = await strict.issuer.sign({ workspace: strict.workspace }, { head: { typ: "JWT" } });
    await refuses(strict.service, plain, /its typ is another one/);
  },
});

Deno.test({
  name: "T76 issuers vouch for their own alone: one subject of two issuers is two, and neither signs for the other",
  ...POSTGRES,
  fn: async () => {
    await using one = await startIssuer("/one");
    await using two = await startIssuer("/two");
    const rule = (scopes: string[]) => ({ rules: [{ workspace: WORKSPACE, scopes }], scopeClaims: [] });
    const entries = [
      entryOf(one, WORKSPACE, rule(["memory:read"])),
      entryOf(two, WORKSPACE, { ...rule(["memory:write"]), name: "two" }),
    ];
    await using service = await startService({ env: trusting(...entries) });
    const { workspaceId: workspace } = service;
    const [first, second] = [
      (await whoami(service, await one.sign({ workspace }))).body,
      (await whoami(service, await two.sign({ workspace }))).body,
    ];
    assert.notEqual(first.actor, second.actor);
    assert.deepEqual([first.scopes, second.scopes], [["memory:read"], ["memory:write"]]);
    // The claims of the one, signed by the other; with either's name for the key.
    await refuses(service, await two.sign({ workspace, iss: one.url }), /a key that its issuer does not have/);
    const { kid } = one.keys[0]!;
    await refuses(service, await two.sign({ workspace, iss: one.url }, { head: { kid } }), /not its issuer's/);
    for (const iss of [`${one.url}/`, one.url.toUpperCase(), [one.url], undefined, `${one.origin}/three`]) {
      await refuses(service, await one.sign({ workspace, iss }), /no issuer that this service trusts/);
    }
  },
});

Deno.test({
  name: "T76 a genuine token that no rule names gets nothing, and is told what is missing",
  ...POSTGRES,
  fn: async () => {
    await using issuer = await startIssuer();
    const rules = [
      {
        when: { groups: ["writers", "admins"], email_verified: "true" },
        workspace: WORKSPACE,
        scopes: ["memory:write"],
      },
      { when: { "realm.roles": "reader" }, workspace: WORKSPACE, scopes: ["memory:read"] },
    ];
    await using service = await startService({ env: trusting(entryOf(issuer, WORKSPACE, { rules })) });
    const { workspaceId: workspace } = service;
    const told = async (claims: Record<string, unknown>) => {
      const { status, body, headers } = await whoami(
        service,
        await issuer.sign({ workspace, scope: "memory:read memory:write", ...claims }),
      );
      return status === 200 ? body.scopes.join() : [status, body.code, body.message, headers.get("www-authenticate")];
    };
    assert.equal(await told({ groups: ["readers", "writers"], email_verified: true }), "memory:write");
    assert.equal(await told({ realm: { roles: ["reader"] } }), "memory:read");
    assert.equal(await told({ groups: ["writers"], email_verified: false, realm: { roles: "reader" } }), "memory:read");
    const unmapped =
      "Cannot accept the token: no rule of the issuer test gives ada by the client claude a workspace here";
    const nothing: Record<string, unknown>[] = [
      {},
      { groups: "writers" },
      { groups: ["Writers"], email_verified: true },
      { realm: ["reader"] },
      { "__proto__": { realm: { roles: "reader" } } },
      { realm: { roles: ["reader"] }, workspace: "not a workspace" },
      { realm: { roles: ["reader"] }, workspace: [workspace, crypto.randomUUID()] },
    ];
    for (const claims of nothing) {
      assert.deepEqual((await told(claims)).slice(0, 3), [403, "insufficient_scope", unmapped], JSON.stringify(claims));
    }
    const without = await told({ scope: "openid email", realm: { roles: ["reader"] } });
    assert.match(without[2]!, /its scope and scp names none of the scopes that it may have here: memory:read/);
    assert.match(without[3]!, /^Bearer error="insufficient_scope", scope="memory:read"/);
    for (const sub of [undefined, "", "ä", "a\nb", "x".repeat(300), 7]) {
      await refuses(service, await issuer.sign({ workspace, sub, realm: { roles: "reader" } }), /names nobody/);
    }
  },
});

Deno.test({
  name: "T76 a token in any other form, or over its size, is no token",
  ...POSTGRES,
  fn: async () => {
    await using all = await world();
    const { issuer, service, workspace } = all;
    const token = await issuer.sign({ workspace });
    await refuses(service, await issuer.sign({ workspace, pad: "x".repeat(9_000) }), /longer than 8192 characters/);
    const [head, body, signature] = token.split(".");
    const twice = base64url(
      new TextEncoder().encode(`{"sub":"eve",${JSON.stringify(issuer.claims({ workspace })).slice(1)}`),
    );
    await refuses(service, `${head}.${twice}.${signature}`, /is malformed/);
    for (
      const text of [
        `${token}=`,
        `${head}.${body} .${signature}`,
        `${token}.`,
        `${head}.${body}.`,
        `${token}, Bearer ${token}`,
      ]
    ) {
      assert.equal((await whoami(service, text)).status, 401, text.slice(-20));
    }
    assert.equal(
      (await service.get(`/v1/whoami?access_token=${token}`, { key: null })).status >= 400,
      true,
      "never in the address",
    );
    const signed = await new SignJWT({ ...issuer.claims({ workspace }) }).setProtectedHeader({ alg: "ES256" }).sign(
      issuer.keys[0]!.privateKey,
    );
    assert.equal((await whoami(service, signed)).status, 200, "an issuer with one key need not name it");
  },
});
