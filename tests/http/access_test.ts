/** The effects of keys, scopes, clearance and limits on callers. docs/reference/guarantees.md T13 to T18, T23. */
import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { generateApiKey, parseApiKey } from "../../src/crypto/api_key.ts";
import * as access from "../../src/domain/access/authorize.ts";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { type Scope, SCOPES } from "../../src/schema/scopes.ts";
import { createTestAdmin, systemOperator } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, readReply, type Reply, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { WAYS } from "../_pgbouncer.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";

const ROOT = new URL("../../", import.meta.url);
const REFUSED = "Cannot accept the request: it has no valid API key";

/** Counts the statements and the hashes that authentication causes. */
function countWork(service: TestService): { statements: number; hashes: number } {
  const counts = { statements: 0, hashes: 0 };
  const { db, argon2id } = service.deps;
  const system = db.system.bind(db);
  const tx = db.tx.bind(db);
  const verify = argon2id.verify.bind(argon2id);
  // The heartbeat of the notifications belongs to no request.
  db.system = (...args) => (!/\bbeat\(/.test(String(args[0])) && counts.statements++, system(...args));
  // The later writes of the audit log, for many requests together, are no work of any of them.
  db.tx = (...args) => (args[0].actor !== "system:audit" && counts.statements++, tx(...args));
  argon2id.verify = (...args) => (counts.hashes++, verify(...args));
  return counts;
}

async function keyIdOf(service: TestService, key: string): Promise<string> {
  const listed = await access.listApiKeys(service.operator());
  return listed.find((row) => row.publicId === parseApiKey(key)!.publicId)!.keyId;
}

/** A request with exactly this header, from a given address. */
async function send(
  service: TestService,
  authorization: string | null,
  source = "192.0.2.1",
  path = "/v1/session",
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const headers = new Headers({ "x-request-id": "same", ...more });
  if (authorization !== null) headers.set("authorization", authorization);
  const info = { remoteAddr: { transport: "tcp", hostname: source, port: 1 }, completed: Promise.resolve() };
  const request = new Request(`http://svc.test${path}`, { headers });
  return readReply(await service.service.fetch(request, info as Deno.ServeHandlerInfo));
}

function withWrongCheck(key: string): string {
  return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
}

/** The same public id with another secret, and the check that belongs to it. */
function withWrongSecret(key: string): string {
  const body = key.slice(0, 21) + generateApiKey("svc_live_").secret;
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let check = "";
  for (let value = crc32(body); check.length < 6; value = Math.floor(value / 62)) check = alphabet[value % 62] + check;
  return body + check;
}

Deno.test({
  ...POSTGRES,
  name: "T13 unknown, wrong, revoked and expired keys get one and the same reply; what cannot be a key is told why",
  async fn(t) {
    let now = new Date();
    await using service = await startService({ clock: () => now });
    const revoked = await service.createKey();
    await revokeApiKey(service.operator(), await keyIdOf(service, revoked));
    const expired = await service.createKey({ expiresAt: new Date(now.getTime() + 1_000) });
    const admin = await createTestAdmin(service);
    const disabled = await createTestAdmin(service);
    await admins.disableAdmin(systemOperator(service), disabled.name);
    const short = await admins.createAdminKey(systemOperator(service), {
      admin: admin.name,
      name: "short",
      expiresAt: new Date(now.getTime() + 1_000),
    });
    now = new Date(now.getTime() + 2_000);
    const ADMINS = "/v1/admin/workspaces";
    const refusalOf = async (authorization: string | null, path?: string, more: Record<string, string> = {}) => {
      const reply = await send(service, authorization, "192.0.2.2", path, more);
      assert.deepEqual(
        [reply.status, reply.body.code, reply.headers.get("www-authenticate")],
        [401, "unauthenticated", "Bearer"],
      );
      return reply;
    };
    await t.step("what could be a key is told nothing", async () => {
      const replies = new Set<string>();
      const keys = [generateApiKey("svc_live_").key, withWrongSecret(service.key), revoked, expired];
      const ofAdmins = [withWrongSecret(admin.key), generateApiKey("mk_admin_").key, disabled.key, short.key, "guess"];
      for (const [path, list] of [["/v1/session", keys], [ADMINS, ofAdmins]] as const) {
        for (const key of list) {
          const { body, headers } = await refusalOf(`Bearer ${key}`, path);
          replies.add(JSON.stringify([body, [...headers].sort()]));
        }
      }
      assert.equal(replies.size, 1, [...replies].join("\n"));
      assert.match([...replies][0]!, new RegExp(REFUSED));
    });
    await t.step("what cannot be one is told what to mend", async () => {
      const typo = withWrongCheck(service.key);
      const cases: readonly (readonly [RegExp, string | null, string?, Record<string, string>?])[] = [
        [/it has no API key; send it as `Authorization: Bearer <key>`/, null],
        [/it has no API key/, ""],
        [/it has the key in the header x-api-key; send it as/, null, undefined, { "X-API-Key": service.key }],
        [/it has the key in the header api-key/, null, ADMINS, { "api-key": "k" }],
        [/does not begin with Bearer/, service.key],
        [/does not begin with Bearer/, `Basic ${btoa(`user:${service.key}`)}`],
        [/does not begin with Bearer/, `Token ${service.key}`],
        [/nothing after Bearer: is the variable with the key set/, "Bearer "],
        [/placeholder/, "Bearer svc_live_\u00e2\u0080\u00a6"],
        [/placeholder/, "Bearer svc_live_..."],
        [/placeholder/, "Bearer <key>"],
        [/placeholder/, "Bearer $SVC_KEY"],
        [/placeholder/, "Bearer YOUR_API_KEY"],
        [/mistyped or incomplete: svc_live_ and 61/, `Bearer ${typo}`],
        [/mistyped or incomplete/, `Bearer ${service.key.slice(0, -3)}`],
        [/mistyped or incomplete/, `Bearer "${service.key}"`.replaceAll('"', "").concat("0")],
        [/not one of this service: those begin with svc_live_/, "Bearer sk-proj-abc"],
        [/an admin's; this operation takes the key of a workspace/, `Bearer ${admin.key}`],
        [/that of a workspace; this operation takes the bearer of an admin/, `Bearer ${service.key}`, ADMINS],
        [/mistyped or incomplete: mk_admin_ and 61/, `Bearer ${withWrongCheck(admin.key)}`, ADMINS],
        [/it has no API key/, null, ADMINS],
      ];
      for (const [expected, authorization, path, more] of cases) {
        const { body } = await refusalOf(authorization, path, more);
        assert.match(body.detail ?? body.message, expected, authorization ?? "none");
        for (const secret of [service.key, typo, admin.key]) {
          assert.ok(!JSON.stringify(body).includes(secret.slice(9, -6)), "nothing of the key is repeated");
        }
      }
    });
    assert.equal((await send(service, `Bearer ${service.key}`)).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T14 what cannot be a key costs no statement and no hash, an unknown id no hash, and neither is a failed attempt",
  async fn() {
    await using service = await startService();
    const counts = countWork(service);
    for (let n = 0; n < 200; n++) {
      const authorization = n % 2 === 0 ? `Bearer ${crypto.randomUUID()}` : `Bearer ${withWrongCheck(service.key)}`;
      assert.equal((await send(service, authorization)).status, 401);
    }
    assert.deepEqual(counts, { statements: 0, hashes: 0 });
    assert.equal((await send(service, `Bearer ${generateApiKey("svc_live_").key}`)).status, 401);
    assert.deepEqual(counts, { statements: 1, hashes: 0 });
    assert.equal((await send(service, `Bearer ${withWrongSecret(service.key)}`)).status, 401);
    assert.deepEqual(counts, { statements: 2, hashes: 1 });
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T14 a flood of every kind costs as many statements and hashes as the limits let through, and a good key nothing",
  async fn() {
    const now = new Date();
    await using service = await startService({ clock: () => now });
    const good = await service.createKey();
    const known = await service.createKey();
    assert.equal((await send(service, `Bearer ${good}`, "192.0.2.7")).status, 200);
    const counts = countWork(service);
    const flood = async (token: () => string, source: (n: number) => string = () => "192.0.2.66") => {
      counts.statements = counts.hashes = 0;
      const replies = await Promise.all(
        Array.from({ length: 500 }, (_, n) => send(service, `Bearer ${token()}`, source(n))),
      );
      return { ...counts, refused: replies.filter(({ status }) => status === 401 || status === 429).length };
    };
    const unknown = () => generateApiKey("svc_live_").key;
    assert.deepEqual(await flood(() => crypto.randomUUID()), { statements: 0, hashes: 0, refused: 500 });
    assert.deepEqual(await flood(() => withWrongCheck(known)), { statements: 0, hashes: 0, refused: 500 });
    assert.deepEqual(await flood(unknown), { statements: 10, hashes: 0, refused: 500 });
    assert.deepEqual(await flood(() => withWrongSecret(known)), { statements: 0, hashes: 0, refused: 500 });
    const everywhere = (n: number) => `198.51.${n >> 8}.${n & 255}`;
    const spread = { statements: 30, hashes: 30, refused: 500 };
    assert.deepEqual(await flood(() => withWrongSecret(known), everywhere), spread);
    // Also from the source of the flood, a request costs only its transaction. A process whose LISTEN went deaf in the
    // meantime (on a busy machine) forgets which keys it verified, and reads the key once more.
    await waitFor("a request of the good key costs its transaction alone", async () => {
      counts.statements = counts.hashes = 0;
      assert.equal((await send(service, `Bearer ${good}`, "192.0.2.66")).status, 200);
      return counts.statements === 1 && counts.hashes === 0;
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T14 thirty good keys that nobody has used yet pass at the same time from one source",
  async fn() {
    await using service = await startService();
    const keys = await Promise.all(Array.from({ length: 30 }, () => service.createKey()));
    const replies = await Promise.all(keys.map((key) => send(service, `Bearer ${key}`, "192.0.2.8")));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  },
});

Deno.test({
  ...POSTGRES,
  name: "T14 revoked and expired keys with their right secrets, admins' too, cost no hash and are failed attempts",
  async fn() {
    let now = new Date();
    await using service = await startService({ clock: () => now });
    const revoked = await service.createKey();
    assert.equal((await send(service, `Bearer ${revoked}`)).status, 200);
    await revokeApiKey(service.operator(), await keyIdOf(service, revoked));
    const expiresAt = new Date(now.getTime() + 1_000);
    const expired = await service.createKey({ expiresAt });
    const admin = await createTestAdmin(service);
    const short = await admins.createAdminKey(systemOperator(service), { admin: admin.name, name: "short", expiresAt });
    const disabled = await createTestAdmin(service);
    await admins.disableAdmin(systemOperator(service), disabled.name);
    now = new Date(now.getTime() + 2_000);
    const counts = countWork(service);
    const kinds = [[revoked], [expired], [short.key, "/v1/admin/workspaces"], [disabled.key, "/v1/admin/workspaces"]];
    for (let n = 0; n < 10; n++) {
      const [key, path] = kinds[n % kinds.length]!;
      assert.equal((await send(service, `Bearer ${key}`, "192.0.2.66", path)).status, 401, String(n));
    }
    for (const [key, path] of kinds) assertLimited(await send(service, `Bearer ${key}`, "192.0.2.66", path));
    assert.equal(counts.hashes, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T14 ten wrong guesses of the admin's token a minute shut their source out, and what is no guess counts nothing",
  async fn() {
    let now = new Date();
    await using service = await startService({ clock: () => now });
    const counts = countWork(service);
    const ask = (token: string, source = "192.0.2.66") =>
      send(service, token === "" ? null : `Bearer ${token}`, source, "/v1/admin/workspaces");
    for (let n = 0; n < 20; n++) {
      for (const none of ["", service.key, withWrongCheck(generateApiKey("mk_admin_").key)]) {
        assert.equal((await ask(none)).status, 401);
      }
    }
    assert.equal((await ask(ADMIN_TOKEN)).status, 200);
    for (let n = 0; n < 10; n++) assert.equal((await ask(`${ADMIN_TOKEN}${n}`)).status, 401, String(n));
    counts.statements = counts.hashes = 0;
    assertLimited(await ask("again"));
    assertLimited(await send(service, `Bearer ${generateApiKey("svc_live_").key}`, "192.0.2.66"));
    assert.deepEqual(counts, { statements: 0, hashes: 0 });
    assert.equal((await ask(ADMIN_TOKEN)).status, 200, "the right token passes");
    now = new Date(now.getTime() + 61_000);
    assert.equal((await ask("again")).status, 401);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T14 who guesses the admin's token, from however many sources, does not shut the admin out from another",
  async fn() {
    const now = new Date();
    await using service = await startService({ clock: () => now });
    const ask = (token: string, source: string) => send(service, `Bearer ${token}`, source, "/v1/admin/workspaces");
    for (let n = 0; n < 50; n++) assert.equal((await ask("a-guess", `198.51.100.${n}`)).status, 401, String(n));
    for (let n = 0; n < 12; n++) await ask("a-guess", "198.51.100.66");
    assertLimited(await ask("a-guess", "198.51.100.66"));
    assert.equal((await ask(ADMIN_TOKEN, "198.51.100.200")).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T14 a thousand requests at once with one good key that is not cached cost one hash",
  async fn() {
    await using service = await startService({ env: { SVC_DB_DEADLINE_MS: "120000" } });
    const counts = countWork(service);
    const replies = await Promise.all(Array.from({ length: 1_000 }, () => send(service, `Bearer ${service.key}`)));
    assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([200]));
    assert.equal(counts.hashes, 1);
    // The key's row, the note of its use, and each request's own transaction.
    assert.equal(counts.statements, 1_002);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T14 ten failures a minute from one source, five of them on one key, then 429 with Retry-After; others are not hindered",
  async fn() {
    let now = new Date();
    await using service = await startService({ clock: () => now });
    const victim = await service.createKey();
    const inUse = await service.createKey();
    assert.equal((await send(service, `Bearer ${inUse}`, "192.0.2.7")).status, 200);

    const strangers = await Promise.all(
      Array.from({ length: 30 }, () => send(service, `Bearer ${generateApiKey("svc_live_").key}`, "192.0.2.66")),
    );
    assert.equal(strangers.filter((reply) => reply.status === 401).length, 10);
    for (const reply of strangers.filter(({ status }) => status !== 401)) assertLimited(reply);
    // The source is refused even with a correct key, unless the service knows that key already.
    assertLimited(await send(service, `Bearer ${victim}`, "192.0.2.66"));
    assert.equal((await send(service, `Bearer ${inUse}`, "192.0.2.66")).status, 200);
    assert.equal((await send(service, `Bearer ${service.key}`, "192.0.2.8")).status, 200);

    const guess = (key: string, source: string) => send(service, `Bearer ${withWrongSecret(key)}`, source);
    const guesses = await Promise.all(Array.from({ length: 8 }, () => guess(victim, "198.51.100.1")));
    assert.equal(guesses.filter((reply) => reply.status === 401).length, 5);
    for (const reply of guesses.filter(({ status }) => status !== 401)) assertLimited(reply);
    assert.equal((await send(service, `Bearer ${victim}`, "192.0.2.7")).status, 200, "not the key's other users");

    now = new Date(now.getTime() + 61_000);
    assert.equal((await send(service, `Bearer ${victim}`, "192.0.2.66")).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T14 who knows the id of a key in use does not shut it out, from however many addresses, nor from where it is used",
  async fn() {
    let now = new Date();
    await using service = await startService({ clock: () => now });
    const good = () => send(service, `Bearer ${service.key}`, "192.0.2.7");
    assert.equal((await good()).status, 200);
    // The cached check of the key has expired, so its row is read again.
    now = new Date(now.getTime() + 61_000);
    const sources = Array.from({ length: 40 }, (_, n) => n < 10 ? "192.0.2.7" : `198.51.100.${n}`);
    const guesses = await Promise.all(
      sources.map((source) => send(service, `Bearer ${withWrongSecret(service.key)}`, source)),
    );
    assert.equal(guesses.filter(({ status }) => status === 401).length, 30);
    assertLimited(await send(service, `Bearer ${withWrongSecret(service.key)}`, "198.51.100.99"));
    const counts = countWork(service);
    assert.equal((await good()).status, 200);
    assert.deepEqual(counts, { statements: 3, hashes: 0 });
    // A cached check does not outlive the key.
    await service.deps.db.tx(service.operator(), async (tx) => {
      await tx.sql`update api_key set revoked_at = ${now} where workspace_id = ${tx.workspaceId}`;
    });
    now = new Date(now.getTime() + 61_000);
    assert.equal((await good()).status, 401);
  },
});

function assertLimited(reply: Reply): void {
  assert.equal(reply.status, 429, JSON.stringify(reply.body));
  assert.equal(reply.body.code, "rate_limited");
  assert.equal(reply.body.retryable, true);
  const seconds = Number(reply.headers.get("retry-after"));
  assert.ok(seconds > 0 && seconds <= 60, `retry-after: ${seconds}`);
}

Deno.test({
  ...POSTGRES,
  name: "T17 T18 only one well-formed Authorization header counts, and nothing else",
  async fn() {
    await using service = await startService();
    const { key } = service;
    const odd = [
      "Bearer",
      "Bearer ",
      `Bearer  ${key}`,
      `Bearer\t${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key},`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer ${key}\tx`,
      `Bearer "${key}"`,
      `Bearer: ${key}`,
      `Bearer=${key}`,
      `Basic ${btoa(`${key}:`)}`,
      `Token ${key}`,
      `XBearer ${key}`,
      key,
      `Bearer ${key.toLowerCase()}`,
      `Bearer ${"x".repeat(10_000)}`,
    ];
    for (const authorization of odd) assert.equal((await send(service, authorization)).status, 401, authorization);
    const twice = new Headers();
    twice.append("authorization", `Bearer ${key}`);
    twice.append("authorization", `Bearer ${key}`);
    assert.equal((await service.get("/v1/session", { key: null, headers: twice })).status, 401);
    for (const query of ["token", "access_token", "api_key", "key", "authorization"]) {
      assert.equal((await service.get(`/v1/session?${query}=${key}`, { key: null })).status, 401, query);
    }
    for (const name of ["cookie", "x-api-key", "proxy-authorization"]) {
      const headers = { [name]: name === "cookie" ? `token=${key}; authorization=${key}` : `Bearer ${key}` };
      assert.equal((await service.get("/v1/session", { key: null, headers })).status, 401, name);
    }
    // The scheme's name has no case (RFC 9110 §11.1); the key has.
    assert.equal((await send(service, `bearer ${key}`)).status, 200);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T18 an Authorization header that is odd in its bytes, or there twice, opens nothing over a real connection either",
  async fn() {
    await using service = await startService();
    const { hostname, port } = new URL(service.listen().url);
    const { key } = service;
    const statusOf = async (...headers: string[]) => {
      using connection = await Deno.connect({ hostname, port: Number(port) });
      const head = ["GET /v1/session HTTP/1.1", "host: svc", "connection: close", ...headers, "", ""].join("\r\n");
      await connection.write(new TextEncoder().encode(head));
      const text = await new Response(connection.readable).text();
      return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
    };
    assert.equal(await statusOf(`authorization: Bearer ${key}`), 200);
    const good = `authorization: Bearer ${key}`;
    assert.equal(await statusOf(good, good), 401);
    assert.equal(await statusOf(good, `AUTHORIZATION: Bearer x`), 401);
    assert.equal(await statusOf(`authorization: Bearer x`, good), 401);
    assert.equal(await statusOf(`${good},${key}`), 401);
    assert.equal(await statusOf(`authorization: Bearer\t${key}`), 401);
    assert.equal(await statusOf(`authorization: Bearer ${key}\u00a0`), 401);
    for (const broken of [`${good}\0`, `authorization: Bearer \0${key}`, `authorization : Bearer ${key}`]) {
      assert.equal(await statusOf(broken), 400, JSON.stringify(broken));
    }
    assert.equal(await statusOf("authorization: Bearer", ` ${key}`), 400, "folded over two lines");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T16 each scope opens its own operations and no other; nothing implies anything",
  async fn() {
    await using service = await startService();
    const fact = { statement: "The lighthouse has two lamps." };
    const { body } = await service.post("/v1/memory/facts", fact);
    const operations: [scope: Scope, method: string, path: string, body?: unknown][] = [
      ["memory:read", "GET", "/v1/memory/facts"],
      ["memory:read", "GET", "/v1/session"],
      ["memory:read", "POST", "/v1/memory/recall", { query: "lamps" }],
      ["memory:write", "POST", "/v1/memory/facts", fact],
      ["memory:write", "PATCH", `/v1/memory/facts/${body.id}`, { tags: ["x"] }],
      ["session:write", "POST", "/v1/session", { title: "t" }],
      ["memory:delete", "DELETE", `/v1/memory/facts/${body.id}`],
    ];
    const alone = await Promise.all(SCOPES.map((scope) => service.createKey({ scopes: [scope] })));
    for (const [needed, method, path, requestBody] of operations) {
      for (const [n, scope] of SCOPES.entries()) {
        const reply = await service.call(method, path, { key: alone[n], body: requestBody });
        const what = `${method} ${path} with ${scope}`;
        if (scope === needed) {
          assert.ok(reply.status < 300, `${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
          continue;
        }
        assert.equal(reply.status, 403, what);
        assert.equal(reply.body.code, "insufficient_scope");
        assert.equal(
          reply.headers.get("www-authenticate"),
          `Bearer error="insufficient_scope", scope="${needed}"`,
        );
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T23 the region is looked at after the key and before the scope",
  async fn() {
    await using service = await startService({ env: { SVC_REGION: "us-east-1" } });
    const elsewhere = await service.createWorkspace("elsewhere", "ap-southeast-1");
    const key = await service.createKey({ workspaceId: elsewhere, scopes: ["audit:read"] });
    const reply = await service.get("/v1/session", { key });
    assert.deepEqual([reply.status, reply.body.code], [403, "wrong_region"]);
    assert.equal(reply.body.homeRegion, "ap-southeast-1");
    const stranger = await service.get("/v1/session", { key: withWrongSecret(key) });
    assert.deepEqual([stranger.status, stranger.body.homeRegion], [401, undefined]);
  },
});

for (const way of WAYS) {
  Deno.test({
    ignore: way.ignore,
    name:
      `T15 a revocation is felt by every process, long before what it verified is forgotten, from the service and from the command line${way.suffix}`,
    async fn() {
      await using stack = new AsyncDisposableStack();
      const database = stack.use(await way.createDatabase());
      // The time stands still, so no cached check expires by itself.
      const now = new Date();
      const near = stack.use(await startService({ database, clock: () => now }));
      const far = stack.use(await startService({ database, clock: () => now }));
      const byService = await near.createKey();
      const byCommand = await near.createKey();
      for (const key of [byService, byCommand]) {
        for (const service of [near, far]) assert.equal((await service.get("/v1/session", { key })).status, 200);
      }
      const refusedBy = (service: TestService, key: string) =>
        waitFor("the refusal", async () => (await service.get("/v1/session", { key })).status === 401);

      await revokeApiKey(near.operator(), await keyIdOf(near, byService));
      assert.equal((await near.get("/v1/session", { key: byService })).status, 401);
      await refusedBy(far, byService);

      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--no-check", "--quiet", new URL("src/cli/main.ts", ROOT).pathname],
          ...["key", "revoke", await keyIdOf(near, byCommand), "--workspace", near.workspaceId],
        ],
        env: { DATABASE_URL: database.requestUrl },
        stdin: "null",
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      assert.match(new TextDecoder().decode(stdout), /"revoked"/);
      for (const service of [near, far]) await refusedBy(service, byCommand);
      assert.equal((await far.get("/v1/session")).status, 200);
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "T15 a verified key is trusted for a minute at most, and not beyond its expiry",
  async fn() {
    let now = new Date();
    const after = (seconds: number) => now = new Date(now.getTime() + seconds * 1_000);
    await using service = await startService({ clock: () => now });
    const short = await service.createKey({ expiresAt: new Date(now.getTime() + 30_000) });
    const silent = await service.createKey();
    for (const key of [short, silent]) assert.equal((await send(service, `Bearer ${key}`)).status, 200);
    // Revoked past the service, without a notification.
    await service.deps.db.tx(service.operator(), async (tx) => {
      await tx.sql`
        update api_key set revoked_at = ${now}
         where workspace_id = ${tx.workspaceId} and public_id = ${parseApiKey(silent)!.publicId}`;
    });
    after(31);
    assert.equal((await send(service, `Bearer ${short}`)).status, 401);
    assert.equal((await send(service, `Bearer ${silent}`)).status, 200);
    after(30);
    assert.equal((await send(service, `Bearer ${silent}`)).status, 401);
  },
});
