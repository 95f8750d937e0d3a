/**
 * What holds for every operation, checked from the registry: a new endpoint is covered the moment it is registered.
 *
 * Runs on native Postgres and on the embedded default.
 */
import assert from "node:assert/strict";
import type { z } from "zod";
import { pathOf } from "../src/http/app.ts";
import type { Endpoint } from "../src/http/route.ts";
import { ENDPOINTS } from "../src/http/endpoints.ts";
import type { Operation } from "../src/operations/operation.ts";
import { type Scope, SCOPES } from "../src/schema/scopes.ts";
import { POSTGRES } from "./_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "./_service.ts";
import { bearerFor, createFixture, type Fixture } from "./_fixtures.ts";

const guarded = ENDPOINTS.filter((endpoint) => endpoint.scope !== "public");
const ofKeys = guarded.filter((endpoint) => endpoint.bearer === "key");
/** Bodies whose fields are the caller's own. */
const MERGE_PATCHES = new Set(["patchScratchpad"]);
const UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

for (const backend of ["native", "embedded"] as const) {
  Deno.test({
    ...(backend === "native" ? POSTGRES : {}),
    name: `every operation keeps the contract on the ${backend} database`,
    async fn(t) {
      await using service = await startService({ embedded: backend === "embedded" });
      const fixtures = new Map<string, Fixture>();
      for (const endpoint of ofKeys) fixtures.set(nameOf(endpoint), await createFixture(service, endpoint));

      for (const endpoint of guarded) {
        await t.step(nameOf(endpoint), async (step) => {
          // Those of admins have one-time codes, which would be too old.
          const fixture = fixtures.get(nameOf(endpoint)) ?? await createFixture(service, endpoint);
          await step.step("no key is 401", () => expectNoKey(service, endpoint, fixture));
          await step.step("T17 the bearer of the other kind is 401", () => expectBearer(service, endpoint, fixture));
          await step.step("T16 a key without the scope is 403", () => expectScope(service, endpoint, fixture));
          await step.step("a key of another workspace sees 404", () => expectInvisible(service, endpoint, fixture));
          await step.step("a bad body is refused", () => expectBadBodies(service, endpoint, fixture));
          await step.step(
            "an unknown query parameter is refused",
            () => expectUnknownQuery(service, endpoint, fixture),
          );
          await step.step("If-Match is honoured or refused", () => expectIfMatch(service, endpoint, fixture));
          await step.step(
            "the example gets the declared reply, and once only where it changes something",
            () => expectExample(service, endpoint, fixture),
          );
        });
      }
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "a key of a workspace in another region is 403 wrong_region on every operation, a stranger is 401",
  async fn() {
    await using service = await startService({ env: { SVC_REGION: "us-east-1" } });
    const elsewhere = await service.createWorkspace("elsewhere", "eu-west-1");
    const key = await service.createKey({ workspaceId: elsewhere });
    for (const endpoint of ofKeys) {
      const path = fill(pathOf(endpoint), {});
      const reply = await service.call(endpoint.route.method.toUpperCase(), path, { key, body: bodyFor(endpoint) });
      assert.equal(reply.status, 403, nameOf(endpoint));
      assert.equal(reply.body.code, "wrong_region");
      assert.equal(reply.body.homeRegion, "eu-west-1");
    }
  },
});

Deno.test("every endpoint stands in the file that its URL names, under its operation's id, and every file is in the list", async () => {
  const found: string[] = [];
  for await (const file of listModules("../src/http/routes")) {
    if (file === "mod.ts") continue;
    const { GROUP, ...endpoints }: Record<string, Endpoint> = await import(`../src/http/routes/${file}`);
    assert.ok(GROUP, `${file} has no GROUP`);
    for (const [name, endpoint] of Object.entries(endpoints)) {
      assert.equal(fileOf(endpoint), file, name);
      assert.equal(endpoint.route.operationId, name);
      found.push(name);
    }
  }
  assert.deepEqual(found.sort(), ENDPOINTS.map(({ id }) => id).sort());
});

/** `/v1/memory/facts/{id}` → `memory/facts.ts`; `/v1/admin/api-keys` → `admin/api_keys.ts`; any other → its first part. */
function fileOf(endpoint: Endpoint): string {
  const parts = endpoint.route.path.split("/").slice(1);
  const named = parts.slice(0, ["memory", "admin"].includes(parts[0]!) ? 2 : 1);
  return `${named.join("/").replaceAll(/[-.]/g, "_")}.ts`;
}

Deno.test("every operation is bound by HTTP once under its own id, with the parameters that it has, and GET changes nothing", async () => {
  for await (const file of listModules("../src/operations")) {
    for (const [name, operation] of Object.entries(await import(`../src/operations/${file}`))) {
      if (!isOperation(operation)) continue;
      assert.equal(operation.id, name, file);
      const own = ENDPOINTS.filter((endpoint) => endpoint.operation === operation && endpoint.id === name);
      assert.equal(own.length, 1, `${name} is bound ${own.length} times`);
    }
  }
  for (const { id, params, idempotency, route: { path, method } } of ENDPOINTS) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    assert.deepEqual(named.sort(), Object.keys(params?.shape ?? {}).sort(), id);
    if (method === "get") assert.equal(idempotency, "none", `GET ${path} changes something`);
  }
});

function isOperation(value: unknown): value is Operation {
  return typeof value === "object" && value !== null && "run" in value;
}

/** The modules of a folder and its folders, without tests. */
async function* listModules(folder: string, below = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/${below}`, import.meta.url))) {
    if (isDirectory) yield* listModules(folder, `${below}${name}/`);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) yield `${below}${name}`;
  }
}

Deno.test("operationIds and method-path pairs are unique", () => {
  const ids = ENDPOINTS.map((endpoint) => endpoint.route.operationId);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(new Set(ENDPOINTS.map(nameOf)).size, ENDPOINTS.length);
});

Deno.test("every operation that changes something and has a body declares an example", () => {
  for (const endpoint of guarded) {
    if (endpoint.route.request?.body) assert.notEqual(bodyFor(endpoint), undefined, nameOf(endpoint));
  }
});

async function expectNoKey(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  const reply = await send(service, endpoint, fixture, { key: null });
  assert.equal(reply.status, 401);
  assert.equal(reply.body.code, "unauthenticated");
  assert.equal(reply.headers.get("www-authenticate"), "Bearer");
  assert.equal(reply.headers.get("content-type"), "application/problem+json");
  assert.equal(reply.headers.get("x-request-id"), reply.body.requestId);
}

const keysByScope = new Map<string, Promise<string>>();

async function expectBearer(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  const key = endpoint.bearer === "admin" ? service.key : ADMIN_TOKEN;
  const reply = await send(service, endpoint, fixture, { key });
  assert.equal(reply.status, 401);
  assert.equal(reply.body.code, "unauthenticated");
}

async function expectScope(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  if (endpoint.bearer === "admin") {
    // The configured token has one of the two scopes that admins' keys have.
    if (endpoint.scope === "memory:admin") return;
    const reply = await send(service, endpoint, fixture, { key: ADMIN_TOKEN });
    assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"]);
    return;
  }
  const cacheName = `${service.workspaceId} ${endpoint.scope}`;
  const others = SCOPES.filter((scope) => scope !== endpoint.scope);
  const key = keysByScope.get(cacheName) ?? service.createKey({ scopes: others as Scope[] });
  keysByScope.set(cacheName, key);
  const reply = await send(service, endpoint, fixture, { key: await key });
  assert.equal(reply.status, 403);
  assert.equal(reply.body.code, "insufficient_scope");
}

async function expectInvisible(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  if (!/\{(id|.*Id)\}/.test(endpoint.route.path)) return;
  if (endpoint.bearer === "admin") {
    const never = await send(service, endpoint, { ...fixture, params: replaceIds(fixture.params) });
    assert.equal(never.status, 404, JSON.stringify(never.body));
    return;
  }
  const cacheName = `${service.workspaceId} stranger`;
  const key = keysByScope.get(cacheName) ??
    service.createWorkspace("stranger").then((workspaceId) => service.createKey({ workspaceId }));
  keysByScope.set(cacheName, key);
  const foreign = await send(service, endpoint, fixture, { key: await key });
  const never = await send(service, endpoint, { ...fixture, params: replaceIds(fixture.params) }, { key: await key });
  assert.equal(foreign.status, 404);
  assert.deepEqual({ ...foreign.body, requestId: "" }, { ...never.body, requestId: "" });
}

async function expectBadBodies(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  if (!endpoint.route.request?.body) return;
  const method = endpoint.route.method.toUpperCase();
  const path = fill(pathOf(endpoint), fixture.params);
  const key = bearerFor(service, endpoint, fixture);
  const attempt = (body: unknown, headers: HeadersInit = {}) => service.call(method, path, { key, body, headers });

  const malformed = await attempt("{");
  assert.equal(malformed.status, 400);
  assert.equal(malformed.body.code, "invalid_request");
  assert.equal((await attempt("{}", { "content-type": "text/plain" })).status, 415);
  assert.equal((await attempt("")).status, 400, "an empty body");
  assert.equal((await attempt(`${"[".repeat(100)}${"]".repeat(100)}`)).status, 400, "too deep");
  const known = bodyFor(endpoint, fixture);
  // A file's lines have rules of their own.
  if (typeof known === "string") return;
  if (!MERGE_PATCHES.has(endpoint.route.operationId)) {
    const unknown = await attempt({ ...(known as object), noSuchField: 1 });
    assert.equal(unknown.status, 422);
    assert.equal(unknown.body.code, "validation_failed");
    assert.ok(unknown.body.errors.some((error: { path: string }) => error.path.endsWith("noSuchField")));
  }
  const nul = await attempt(JSON.stringify(known).replace("{", '{"noSuchField":"\\u0000",'));
  assert.equal(nul.status, 422, "NUL in a string");
}

async function expectUnknownQuery(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  const query = fixture.query === undefined ? "?" : `${fixture.query}&`;
  const path = `${fill(pathOf(endpoint), fixture.params)}${query}noSuchParameter=1`;
  const key = bearerFor(service, endpoint, fixture);
  const body = bodyFor(endpoint, fixture);
  const reply = await service.call(endpoint.route.method.toUpperCase(), path, { key, body });
  assert.equal(reply.status, 422);
  assert.equal(reply.body.errors[0].path, "noSuchParameter");
}

/** A version that is expected and not there changes nothing; where no version counts, none is taken and ignored. */
async function expectIfMatch(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  if (endpoint.route.method === "get") return;
  const reply = await send(service, endpoint, fixture, { headers: { "if-match": '"987654"' } });
  const isTaken = Object.hasOwn((endpoint.route.request?.headers as z.ZodObject | undefined)?.shape ?? {}, "if-match");
  const wanted = isTaken ? [412, "version_mismatch"] : [400, "invalid_request"];
  assert.deepEqual([reply.status, reply.body?.code], wanted, JSON.stringify(reply.body));
}

async function expectExample(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  const headers = endpoint.idempotency !== "none" ? { "idempotency-key": crypto.randomUUID() } : undefined;
  const reply = await send(service, endpoint, fixture, { headers });
  const declared = Object.keys(endpoint.route.responses).map(Number);
  // What a mere request cannot be answered with: a WebSocket.
  if (declared.includes(101)) {
    assert.deepEqual([reply.status, reply.headers.get("upgrade")], [400, "websocket"]);
    return;
  }
  assert.ok(reply.status >= 200 && reply.status < 300, `${reply.status} ${JSON.stringify(reply.body)}`);
  assert.ok(declared.includes(reply.status), `${reply.status} is not declared`);
  if (headers === undefined) return;
  const again = await send(service, endpoint, fixture, { headers });
  assert.equal(again.headers.get("idempotency-replayed"), "true", "sent again with the same Idempotency-Key");
  assert.deepEqual([again.status, again.body], [reply.status, reply.body]);
}

interface SendOptions {
  readonly key?: string | null;
  readonly headers?: Record<string, string> | undefined;
}

function send(service: TestService, endpoint: Endpoint, fixture: Fixture, options: SendOptions = {}) {
  const path = fill(pathOf(endpoint), fixture.params) + (fixture.query ?? "");
  const key = options.key === undefined ? bearerFor(service, endpoint, fixture) : options.key;
  return service.call(endpoint.route.method.toUpperCase(), path, { ...options, key, body: bodyFor(endpoint, fixture) });
}

function nameOf(endpoint: Endpoint): string {
  return `${endpoint.route.method.toUpperCase()} ${pathOf(endpoint)}`;
}

function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? UNKNOWN_ID));
}

function replaceIds(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, /[0-9a-f-]{36}/.test(value) ? UNKNOWN_ID : value]),
  );
}

function bodyFor(endpoint: Endpoint, fixture?: Fixture): unknown {
  if (fixture?.body !== undefined) return fixture.body;
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  const example = content?.["application/json"]?.example;
  return example ?? Object.values(content ?? {}).find((type) => type.example !== undefined)?.example;
}
