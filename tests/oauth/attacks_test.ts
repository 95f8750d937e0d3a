/** Attacks on the authorization server, as RFC 9700 and the security page of MCP list them. docs/reference/guarantees.md T77. */
import assert from "node:assert/strict";
import { ADMIN_TOKEN, startService } from "../_service.ts";
import { createTestAdmin } from "../_admin.ts";
import { logIn, logInAdmin, PAGE, SESSION } from "../http/_console.ts";
import { send } from "../mcp/_client.ts";
import {
  agree,
  ask,
  codeOf,
  exchange,
  ISSUER,
  OAUTH_ENV,
  pkce,
  refresh,
  register,
  sendForm,
  tokensOf,
} from "./_oauth.ts";

const REQUEST = "/console/api/oauth/request";

Deno.test("T77 a code is sent to no address that runs something, shows a file, goes in the clear or hides its host", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const tryUri = async (uri: string) => {
    const { status, body } = await service.post("/oauth/register", { redirect_uris: [uri] }, { key: null });
    return status === 201 ? "taken" : body.error;
  };
  const good = [
    "https://agent.test/callback",
    "https://agent.test/callback?tab=1",
    "http://127.0.0.1:3000/callback",
    "http://localhost/callback",
    "http://[::1]:3000/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.example.agent:/callback",
  ];
  for (const uri of good) assert.equal(await tryUri(uri), "taken", uri);
  const bad = [
    ...["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:x"],
    ...["http://agent.test/callback", "http://127.0.0.1.agent.test/", "http://0.0.0.0/callback", "ws://localhost/"],
    ...["https://agent.test/callback#x", "https://agent.test\\@evil.test/", "https://user:pw@agent.test/"],
    ...["https://agent.test@evil.test/", "//agent.test/callback", "/callback", "", "https://", "https://AGENT.test/x"],
    ...["https://agent.test/a/../b", "https://agent.test/ x", "https://agent.test/\u202e", "about:blank", "intent://x"],
    ...["ms-msdt:/id", "ms-settings:x", "search-ms:query=x", "mailto:x@evil.test", "tel:1", "smb://evil.test/x"],
  ];
  for (const uri of bad) assert.equal(await tryUri(uri), "invalid_redirect_uri", uri);
  for (const body of [{}, { redirect_uris: [] }, { redirect_uris: "https://a.test/" }, { redirect_uris: [1] }, []]) {
    const { status, body: told } = await service.post("/oauth/register", body, { key: null });
    assert.deepEqual([status, told.error], [400, "invalid_client_metadata"]);
  }
});

Deno.test("T77 an authorization request that is not exactly the client's is refused on the page, and sends nobody anywhere", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const clientId = await register(service);
  const tried = async (more: Record<string, string | undefined>, id = clientId) => {
    const { query } = ask(id, more);
    const { status, headers } = await service.get(`/oauth/authorize?${query}`, { key: null });
    assert.deepEqual(
      [status, headers.get("location")],
      [302, `../console/#/authorize?${query}`],
      "to the console alone",
    );
    const [shown, agreed] = [await person.send("POST", REQUEST, { query }), await agree(person, { query })];
    assert.deepEqual([agreed.status, agreed.body.redirect], [shown.status, undefined]);
    return shown.status;
  };
  for (
    const uri of [
      ...[
        "https://agent.test/callback/",
        "https://agent.test/callback?x=1",
        "https://agent.test/",
        "https://evil.test/",
      ],
      ...["https://agent.test.evil.test/callback", "https://agent.test:444/callback", "http://agent.test/callback"],
      ...[
        "https://agent.test/callback#",
        "https://agent.test/Callback",
        "https://agent.test/%63allback",
        "",
        undefined!,
      ],
    ].filter((one) => one !== undefined)
  ) {
    assert.equal(await tried({ redirect_uri: uri }), 400, uri);
  }
  assert.equal(await tried({ response_type: "token" }), 400, "no implicit grant");
  assert.equal(await tried({ response_mode: "fragment" }), 400);
  for (const method of ["plain", "s256", "", undefined]) {
    assert.equal(await tried({ code_challenge_method: method }), 400, `PKCE downgrade to ${method}`);
  }
  for (const challenge of [undefined, "", "short", `${pkce().challenge}x`]) {
    assert.equal(await tried({ code_challenge: challenge }), 400, "no challenge");
  }
  for (const resource of ["https://other.test/mcp", `${ISSUER}/mcp/other`, `${ISSUER}.evil.test/mcp`, "x", ""]) {
    assert.equal(await tried({ resource }), 400, `another resource: ${resource}`);
  }
  assert.equal(await tried({ scope: "memory:admin" }), 400);
  assert.equal(await tried({ scope: "federation memory:admin:cross_tenant" }), 400);
  const forged = clientId.replace(/\.(.)/, (_, one) => `.${one === "A" ? "B" : "A"}`);
  for (const id of [forged, "", "unknown", `${clientId}x`, "svc_client_.", "http://agent.test/client.json"]) {
    assert.equal(await tried({}, id), 400, id);
  }
  const twice = `${ask(clientId).query}&redirect_uri=${encodeURIComponent("https://evil.test/")}`;
  assert.equal((await person.send("POST", REQUEST, { query: twice })).status, 400, "a parameter twice");
});

Deno.test("T77 a program on the person's machine may listen on any port, and on its own path alone", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const clientId = await register(service, { redirect_uris: ["http://127.0.0.1/callback"] });
  for (
    const [redirect_uri, status] of Object.entries({
      "http://127.0.0.1:5123/callback": 200,
      "http://127.0.0.1:5123/other": 400,
      "http://localhost:5123/callback": 400,
      "http://127.0.0.2:5123/callback": 400,
      "https://127.0.0.1:5123/callback": 400,
    })
  ) {
    const { query } = ask(clientId, { redirect_uri });
    assert.equal((await person.send("POST", REQUEST, { query })).status, status, redirect_uri);
  }
});

Deno.test("T77 a code that was stolen or injected is worth nothing: other client, other verifier, other address, other resource", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const [own, other] = [await register(service), await register(service, { client_name: "Other" })];
  const asked = ask(own);
  const code = await codeOf(person, asked);
  const refused = async (promise: Promise<{ body: { error?: string } }>) => (await promise).body.error;
  assert.equal(await refused(exchange(service, { ...asked, clientId: other }, code)), "invalid_grant");
  assert.equal(await refused(exchange(service, { ...asked, verifier: pkce().verifier }, code)), "invalid_grant");
  assert.equal(
    await refused(exchange(service, { ...asked, verifier: asked.verifier.slice(0, 42) }, code)),
    "invalid_grant",
  );
  assert.equal(await refused(exchange(service, asked, code, { redirect_uri: "https://evil.test/" })), "invalid_grant");
  assert.equal(await refused(exchange(service, asked, code, { resource: "https://other.test/" })), "invalid_target");
  const bare = { grant_type: "authorization_code", client_id: own, code };
  assert.equal(await refused(sendForm(service, "/oauth/token", bare)), "invalid_request", "no verifier");
  assert.equal(
    await refused(sendForm(service, "/oauth/token", { ...bare, grant_type: "password" })),
    "unsupported_grant_type",
  );
  const doubled = `${new URLSearchParams({ ...bare, code_verifier: asked.verifier })}&code=${code}`;
  assert.equal(await refused(sendForm(service, "/oauth/token", doubled)), "invalid_request");
  assert.equal((await exchange(service, asked, code)).status, 200, "nobody could use up what is another one's");

  const { clientId, refresh: token } = await tokensOf(service, person);
  assert.equal(await refused(refresh(service, other, token)), "invalid_grant");
  assert.equal(await refused(refresh(service, clientId, token, { scope: "memory:delete" })), "invalid_scope");
  assert.equal(await refused(refresh(service, clientId, token, { resource: ISSUER })), "invalid_target");
  const less = (await refresh(service, clientId, token, { scope: "memory:read memory:admin" })).body;
  assert.equal(less.scope, "memory:read");
});

Deno.test("T77 only the person's own page answers, once for each request, and no token or admin answers in their place", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const asked = ask(await register(service));
  const body = { query: asked.query, scopes: ["memory:read"], maxSensitivity: "internal" };
  const allow = `${REQUEST}/allow`;
  const { cookie, proof } = person;
  const from = (headers: Record<string, string>) => service.post(allow, body, { key: null, headers });
  assert.equal((await from({})).status, 403);
  assert.equal((await from({ ...PAGE, cookie })).status, 401, "the cookie alone");
  assert.equal((await from({ ...PAGE, "x-svc-console": proof })).status, 401, "the proof alone");
  for (const site of ["cross-site", "same-site", "none"]) {
    const { status } = await from({ cookie, "x-svc-console": proof, "sec-fetch-site": site });
    assert.equal(status, 403, `a page of another site: ${site}`);
  }
  const { access } = await tokensOf(service, person, {}, { resource: ISSUER });
  const opened = await service.post(SESSION, {}, { key: access, headers: PAGE });
  assert.equal(opened.status, 403, "a client cannot let in further clients");
  assert.equal((await from({ ...PAGE, authorization: `Bearer ${access}` })).status, 400);
  const admin = await logInAdmin(service, await createTestAdmin(service));
  assert.equal((await admin.send("POST", allow, body)).status, 403);

  const page = await service.get("/console/", { key: null });
  assert.match(page.headers.get("content-security-policy")!, /frame-ancestors 'none'/, "no page puts it in a frame");
  const { headers } = await service.get(`/oauth/authorize?${asked.query}`, { key: null });
  assert.match(headers.get("content-security-policy")!, /frame-ancestors 'none'/);
  assert.equal(headers.get("set-cookie"), null, "nobody is given a session");
  const denied = (await person.send("POST", `${REQUEST}/deny`, { query: asked.query })).body.redirect;
  const { searchParams, origin } = new URL(denied);
  assert.deepEqual([origin, searchParams.get("error"), searchParams.get("iss"), searchParams.get("code")], [
    "https://agent.test",
    "access_denied",
    ISSUER,
    null,
  ]);
});

Deno.test("T77 under a name that is not its own the service says nothing and gives nothing (DNS rebinding)", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const at = async (host: string, path: string, method = "GET") => {
    const body = method === "POST" ? "grant_type=refresh_token" : null;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return (await service.service.fetch(new Request(`http://${host}${path}`, { method, body, headers }))).status;
  };
  for (const host of ["evil.test", "svc.test.evil.test", "127.0.0.1.evil.test"]) {
    assert.equal(await at(host, "/.well-known/oauth-authorization-server"), 404, host);
    for (const path of ["token", "revoke", "device"]) assert.equal(await at(host, `/oauth/${path}`, "POST"), 403, path);
    assert.equal(await at(host, "/oauth/authorize?client_id=x"), 403);
  }
  for (const host of ["127.0.0.1:8787", "localhost:1", "svc.test", "[::1]:8787"]) {
    assert.equal(await at(host, "/.well-known/oauth-authorization-server"), 200, host);
  }
});

Deno.test("T77 floods of registrations, of requests by devices and of guesses leave little behind and end in refusals", async () => {
  const now = new Date();
  await using service = await startService({ env: OAUTH_ENV, clock: () => now });
  const rows = async () => {
    const ctx = service.operator("00000000-0000-0000-0000-000000000000");
    const [row] = await ctx.tx((tx) =>
      tx.sql<
        [{ n: number }]
      >`select count(*)::int as n from oauth_device_request where workspace_id = ${tx.workspaceId}`
    );
    return row.n;
  };
  const ids = new Set<string>();
  for (let i = 0; i < 50; i++) ids.add(await register(service));
  assert.equal(ids.size, 1, "who says the same is the same client; nothing is stored");
  let refused = 0;
  const flood = async (requests: number, address: string) => {
    for (let i = 0; i < requests; i++) {
      const { body } = await sendForm(service, "/oauth/device", { client_id: "svc" }, {}, address);
      if (body.error === "slow_down") refused++;
    }
  };
  await flood(25, "2001:db8::1");
  await flood(5, "2001:db8::2");
  assert.deepEqual([await rows(), refused], [20, 10], "one network takes no more places");
  refused = 0;
  await Promise.all(Array.from({ length: 54 }, (_, n) => flood(20, `192.0.2.${n}`)));
  // Those that count at the same time do not see each other.
  assert.ok(await rows() <= 1_054 && refused >= 46, `${await rows()} wait, ${refused} were refused`);

  const guess = () => refresh(service, "x", `svc_oauth_refresh_${pkce().challenge}`);
  const guesses = [];
  for (let i = 0; i < 12; i++) guesses.push((await guess()).status);
  assert.deepEqual([guesses[0], guesses.at(-1)], [400, 429]);
});

Deno.test("T77 a client ends its own grant, and nobody else's; a key of a grant has no secret to give away", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const [one, two] = [await tokensOf(service, person), await tokensOf(service, person)];
  const other = await register(service, { client_name: "Other" });
  const calls = async (key: string) => (await send(service, "tools/list", {}, { key })).status;
  for (const token of [one.access, one.refresh, "x", "svc_oauth_refresh_x", one.access.slice(0, -4)]) {
    const { status } = await sendForm(service, "/oauth/revoke", { token, client_id: other });
    assert.equal(status, 200);
  }
  assert.deepEqual([await calls(one.access), await calls(two.access)], [200, 200]);
  await sendForm(service, "/oauth/revoke", { token: one.refresh, client_id: one.clientId });
  await sendForm(service, "/oauth/revoke", { token: two.access, client_id: two.clientId });
  assert.deepEqual([await calls(one.access), await calls(two.access)], [401, 401]);
  assert.equal((await refresh(service, two.clientId, two.refresh)).body.error, "invalid_grant");

  await tokensOf(service, person);
  const { body: { data: [grant] } } = await person.send("GET", "/console/api/oauth/grants");
  const rotated = await service.post(`/v1/admin/keys/${grant.id}/rotate`, {}, {
    key: ADMIN_TOKEN,
  });
  assert.deepEqual([rotated.status, rotated.body.code], [409, "invalid_transition"]);
  const { body: { data } } = await service.get("/v1/audit?eventType=oauth_grant.");
  assert.deepEqual(data.map((row: { event_type: string }) => row.event_type).sort(), [
    ...Array(3).fill("oauth_grant.created"),
    ...Array(2).fill("oauth_grant.revoked"),
  ]);
});

Deno.test("T77 secrets of clients stand in no log line and no row of the database", async () => {
  const lines: string[] = [];
  await using service = await startService({
    env: { ...OAUTH_ENV, SVC_LOG_LEVEL: "debug" },
    logSink: (line) => void lines.push(line),
  });
  const person = await logIn(service);
  const asked = ask(await register(service));
  const code = await codeOf(person, asked);
  const { body } = await exchange(service, asked, code);
  await exchange(service, asked, code);
  await service.get(`/oauth/authorize?${asked.query}&code=${code}`, { key: null });
  const rows = await service.operator().tx(async (tx) => [
    ...await tx.sql`select * from oauth_secret where workspace_id = ${tx.workspaceId}`,
    ...await tx.sql`select * from oauth_grant where workspace_id = ${tx.workspaceId}`,
    ...await tx.sql`select * from svc_audit_log where workspace_id = ${tx.workspaceId}`,
  ]);
  const all = lines.join("\n") + JSON.stringify(rows);
  for (const secret of [code, body.access_token, body.refresh_token, asked.verifier]) assert.ok(!all.includes(secret));
});
