/** The whole way of a client: it registers, a person agrees, it calls, it renews its token, the person ends the grant. */
import assert from "node:assert/strict";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { logIn, SESSION } from "../http/_console.ts";
import { callTool, send } from "../mcp/_client.ts";
import { agree, ask, codeOf, exchange, ISSUER, OAUTH_ENV, REDIRECT, refresh, register, tokensOf } from "./_oauth.ts";

Deno.test("T77 a client that registers gets what a person allows it, for the MCP server alone, and renews it", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const { body: metadata } = await service.get("/.well-known/oauth-authorization-server", { key: null });
  assert.equal(metadata.issuer, ISSUER);
  const clientId = await register(service);
  const asked = ask(clientId);
  const sent = await service.get(`/oauth/authorize?${asked.query}`, { key: null });
  assert.deepEqual([sent.status, sent.headers.get("location")], [302, `../console/#/authorize?${asked.query}`]);

  const person = await logIn(service);
  const { body: shown } = await person.send("POST", "/console/api/oauth/request", { query: asked.query });
  assert.deepEqual([shown.client, shown.publisher, shown.redirectHost], ["Agent", null, "agent.test"]);
  assert.ok(shown.scopes.includes("memory:write") && !shown.scopes.includes("memory:admin"));
  const { body: { redirect } } = await agree(person, asked);
  const answer = new URL(redirect);
  assert.equal(answer.origin + answer.pathname, REDIRECT);
  assert.deepEqual([answer.searchParams.get("state"), answer.searchParams.get("iss")], ["the state", ISSUER]);

  const { status, body, headers } = await exchange(service, asked, answer.searchParams.get("code")!);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(headers.get("cache-control"), "no-store");
  assert.deepEqual([body.token_type, body.expires_in, body.scope], ["Bearer", 3_600, "memory:read memory:write"]);
  const key = body.access_token;
  await callTool(service, "remember", { statement: "Gus lives in Oslo." }, { key });
  assert.match((await callTool(service, "recall", { query: "Where does Gus live?" }, { key })).text, /Oslo/);
  assert.equal((await service.get("/v1/whoami", { key })).status, 401, "the token is for the MCP server");

  const renewed = (await refresh(service, clientId, body.refresh_token)).body;
  assert.equal((await send(service, "tools/list", {}, { key: renewed.access_token })).status, 200);

  const { body: { data: [grant] } } = await person.send("GET", "/console/api/oauth/grants");
  assert.deepEqual([grant.name, grant.scopes, grant.redirectHost], [
    "Agent",
    ["memory:read", "memory:write"],
    "agent.test",
  ]);
  const { body: audit } = await service.get("/v1/audit?eventType=write.createFact");
  assert.equal(audit.data[0].actor_id, `key:${grant.id}`);
  assert.equal(audit.data[0].detail.token.client, clientId);

  const revoke = () => person.send("POST", `/console/api/oauth/grants/${grant.id}/revoke`);
  assert.equal((await revoke()).status, 403, "the session only reads");
  await person.send("PATCH", SESSION, { writing: true });
  assert.equal((await revoke()).status, 200);
  for (const token of [key, renewed.access_token]) {
    assert.equal((await send(service, "tools/list", {}, { key: token })).status, 401);
  }
  assert.equal((await refresh(service, clientId, renewed.refresh_token)).body.error, "invalid_grant");
  assert.deepEqual((await person.send("GET", "/console/api/oauth/grants")).body.data, []);
});

Deno.test(
  "T77 a grant never exceeds the key of who gave it: not at first, nor when that is narrowed, nor after its end",
  {
    ...POSTGRES,
  },
  async () => {
    await using database = await createDatabase();
    await using first = await startService({ env: OAUTH_ENV, database });
    await using second = await startService({ env: OAUTH_ENV, database });
    const giver = await first.createKey({ scopes: ["memory:read", "memory:write"], maxSensitivity: "internal" });
    const person = await logIn(first, giver);
    const asked = ask(await register(first), { resource: ISSUER });
    assert.equal((await agree(person, asked, { scopes: ["memory:delete"] })).status, 403);
    assert.equal((await agree(person, asked, { maxSensitivity: "confidential" })).status, 403);
    const choice = { maxSensitivity: "internal" };
    const { access: key, refresh: again, clientId } = await tokensOf(first, person, choice, { resource: ISSUER });
    const rights = async (service: typeof first, token: string) => {
      const { status, body } = await service.get("/v1/whoami", { key: token });
      return status === 200 ? body.scopes.join() + body.maxSensitivity : status;
    };
    for (const service of [first, second]) assert.equal(await rights(service, key), "memory:read,memory:writeinternal");

    const { id } = (await first.get("/v1/whoami", { key: giver })).body.key;
    const admin = { key: ADMIN_TOKEN };
    await first.patch(`/v1/admin/api-keys/${id}`, { scopes: ["memory:read"], maxSensitivity: "public" }, admin);
    for (const service of [first, second]) {
      await waitFor("the narrowed rights", async () => await rights(service, key) === "memory:readpublic" || undefined);
    }
    const narrow = (await refresh(second, clientId, again)).body;
    assert.equal(narrow.scope, "memory:read");
    assert.equal(await rights(first, narrow.access_token), "memory:readpublic");

    await second.post(`/v1/admin/keys/${id}/revoke`, {}, admin);
    for (const service of [second, first]) {
      await waitFor(
        "the end of the grant",
        async () => await rights(service, narrow.access_token) === 401 || undefined,
      );
    }
    assert.equal((await refresh(first, clientId, narrow.refresh_token)).body.error, "invalid_grant");
  },
);

Deno.test("T77 a code counts once and for a minute, also for two at the same time: a second use ends what the first gave", async () => {
  let now = new Date("2026-03-01T09:00:00Z");
  await using service = await startService({ env: OAUTH_ENV, clock: () => now });
  const person = await logIn(service);
  const asked = ask(await register(service));
  const code = await codeOf(person, asked);
  const first = (await exchange(service, asked, code)).body;
  assert.equal((await send(service, "tools/list", {}, { key: first.access_token })).status, 200);
  assert.equal((await exchange(service, asked, code)).body.error, "invalid_grant");
  assert.equal((await send(service, "tools/list", {}, { key: first.access_token })).status, 401);
  assert.equal((await refresh(service, asked.clientId, first.refresh_token)).body.error, "invalid_grant");

  const twice = await codeOf(person, asked);
  const both = await Promise.all([1, 2, 3, 4].map(() => exchange(service, asked, twice)));
  const won = both.filter(({ status }) => status === 200);
  assert.ok(won.length <= 1, "at most one of them gets tokens");
  for (const { body } of won) {
    assert.equal((await send(service, "tools/list", {}, { key: body.access_token })).status, 401);
  }

  const late = await codeOf(person, asked);
  now = new Date("2026-03-01T09:01:00Z");
  assert.equal((await exchange(service, asked, late)).body.error, "invalid_grant");
});

Deno.test("T77 a refresh token that is used twice, also at the same time, ends its family", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const { clientId, access, refresh: first } = await tokensOf(service, person);
  const second = (await refresh(service, clientId, first)).body;
  const third = (await refresh(service, clientId, second.refresh_token)).body;
  assert.equal((await refresh(service, clientId, first)).body.error, "invalid_grant", "a thief has the first");
  for (const key of [access, second.access_token, third.access_token]) {
    assert.equal((await send(service, "tools/list", {}, { key })).status, 401);
  }
  assert.equal((await refresh(service, clientId, third.refresh_token)).body.error, "invalid_grant");

  const race = await tokensOf(service, person);
  const both = await Promise.all([1, 2, 3].map(() => refresh(service, race.clientId, race.refresh)));
  assert.ok(both.filter(({ status }) => status === 200).length <= 1);
  for (const key of [race.access, ...both.flatMap(({ body }) => body.access_token ?? [])]) {
    assert.equal((await send(service, "tools/list", {}, { key })).status, 401);
  }
});
