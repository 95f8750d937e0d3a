/**
 * What holds for every operation through every face that binds it, checked from the lists of endpoints and RPCs: what is
 * new is covered the moment it is bound.
 *
 * Runs on native Postgres and on the embedded default.
 */
import assert from "node:assert/strict";
import { ENDPOINTS } from "../src/http/endpoints.ts";
import type { Endpoint } from "../src/http/route.ts";
import { SYNC_FORMS, syncFederation } from "../src/operations/federation_stream.ts";
import type { Operation } from "../src/operations/operation.ts";
import { RPCS } from "../src/rpc/methods/mod.ts";
import { type Scope, SCOPES } from "../src/schema/scopes.ts";
import type { Asked, Binding } from "./_faces.ts";
import { exampleOf, HTTP_BINDINGS, takesAnyField } from "./_http_face.ts";
import { makePeerKeys } from "./federation/_peer.ts";
import { POSTGRES } from "./_postgres.ts";
import { MCP_BINDINGS } from "./_mcp_face.ts";
import { RPC_BINDINGS } from "./_rpc_face.ts";
import { ADMIN_TOKEN, startService, type TestService } from "./_service.ts";

const BINDINGS: readonly Binding[] = [...HTTP_BINDINGS, ...RPC_BINDINGS, ...MCP_BINDINGS];

for (const backend of ["native", "embedded"] as const) {
  Deno.test({
    ...(backend === "native" ? POSTGRES : {}),
    name: `every operation keeps the contract through every face on the ${backend} database`,
    async fn(t) {
      const { privatePem } = makePeerKeys();
      await using service = await startService({
        embedded: backend === "embedded",
        env: { SVC_FEDERATION_PRIVATE_KEY: privatePem },
      });
      const prepared = new Map<Binding, Asked>();
      for (const binding of BINDINGS) {
        // Those of admins have one-time codes, which would be too old.
        if (binding.operation.bearer === "key") prepared.set(binding, await binding.prepare(service));
      }
      for (const binding of BINDINGS) {
        await t.step(`${binding.operation.id}: ${binding.name}`, async (step) => {
          const asked = prepared.get(binding) ?? await binding.prepare(service);
          await step.step(
            "T17 no bearer, or one of the other kind, is refused",
            () => expectBearer(service, binding, asked),
          );
          await step.step(
            binding.operation.scope === "any"
              ? "a key of any one scope is let in"
              : "T16 a key without the scope is refused",
            () => expectScope(service, binding, asked),
          );
          await step.step("malformed input and unknown fields are refused", () => expectStrict(binding, asked));
          for (const [promise, check] of asked.checks) await step.step(promise, check);
          await step.step(
            "the example is answered, and once only where it changes something",
            () => expectExample(binding, asked),
          );
        });
      }
    },
  });
}

Deno.test({
  ...POSTGRES,
  name: "T23 a key of a workspace in another region is told its region by every operation, a stranger is told none",
  async fn() {
    await using service = await startService({ env: { SVC_REGION: "us-east-1" } });
    const elsewhere = await service.createWorkspace("elsewhere", "eu-west-1");
    const key = await service.createKey({ workspaceId: elsewhere });
    for (const { operation, name, ask } of BINDINGS) {
      if (operation.bearer === "admin") continue;
      const asked = await ask(service);
      const { code, homeRegion } = await asked.send({ key });
      assert.deepEqual([code, homeRegion], ["wrong_region", "eu-west-1"], name);
      const altered = key.replace(/.$/, (c) => c === "A" ? "B" : "A");
      for (const stranger of [null, "", "nonsense", ADMIN_TOKEN, `${key}x`, altered]) {
        const { code, message, homeRegion } = await asked.send({ key: stranger });
        assert.deepEqual([code, homeRegion], ["unauthenticated", undefined], name);
        assert.doesNotMatch(message ?? "", /region|eu-west/, name);
      }
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

Deno.test("an RPC binds an operation that HTTP binds too, of a workspace's key; or its messages do, of a peer", () => {
  for (const { operation: { id, bearer, scope } } of Object.values(SYNC_FORMS)) {
    assert.deepEqual([bearer, scope], [syncFederation.bearer, syncFederation.scope]);
    assert.ok(ENDPOINTS.some((endpoint) => endpoint.id === id), id);
  }
  for (const { method, operation } of RPCS) {
    if (operation === syncFederation) continue;
    const twin = ENDPOINTS.find(({ id }) => id === operation.id);
    assert.deepEqual(
      [twin?.scope, twin?.cost, "key"],
      [operation.scope, operation.cost, operation.bearer],
      method.name,
    );
  }
});

Deno.test("operationIds and method-path pairs are unique", () => {
  const ids = ENDPOINTS.map((endpoint) => endpoint.route.operationId);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(new Set(ENDPOINTS.map(({ route: { method, path } }) => `${method} ${path}`)).size, ENDPOINTS.length);
});

Deno.test("every operation that has a body declares an example", () => {
  for (const endpoint of ENDPOINTS) {
    if (endpoint.route.request?.body) assert.notEqual(exampleOf(endpoint), undefined, endpoint.id);
  }
});

async function expectBearer(service: TestService, { operation }: Binding, asked: Asked): Promise<void> {
  const none = await asked.send({ key: null });
  const other = await asked.send({ key: operation.bearer === "admin" ? service.key : ADMIN_TOKEN });
  assert.deepEqual([none.code, other.code], ["unauthenticated", "unauthenticated"]);
}

const keys = new WeakMap<TestService, Map<Scope, Promise<string>>>();

/** A key that has every scope but one. */
function keyWithout(service: TestService, scope: Scope): Promise<string> {
  const known = keys.get(service) ?? new Map<Scope, Promise<string>>();
  keys.set(service, known);
  return known.getOrInsertComputed(
    scope,
    () => service.createKey({ scopes: SCOPES.filter((other) => other !== scope) }),
  );
}

async function expectScope(service: TestService, { operation }: Binding, asked: Asked): Promise<void> {
  // The configured token has one of the two scopes that admins' keys have.
  if (operation.bearer === "admin" && operation.scope === "memory:admin") return;
  if (operation.scope === "any") {
    for (const scope of SCOPES) {
      const key = await service.createKey({ scopes: [scope] });
      assert.equal((await asked.send({ key })).code, undefined, scope);
    }
    return;
  }
  const key = operation.bearer === "admin" ? ADMIN_TOKEN : await keyWithout(service, operation.scope as Scope);
  assert.equal((await asked.send({ key })).code, "insufficient_scope");
}

async function expectStrict({ operation }: Binding, asked: Asked): Promise<void> {
  if (asked.body === undefined) return;
  assert.equal((await asked.send({ body: "{" })).code, "invalid_request", "malformed");
  if (takesAnyField(operation)) return;
  const { code, faults } = await asked.send({ body: { ...asked.body, noSuchField: 1 } });
  assert.equal(code, "validation_failed");
  assert.ok(faults.some((path) => path.endsWith("noSuchField")), faults.join());
}

async function expectExample({ operation }: Binding, asked: Asked): Promise<void> {
  const isKept = operation.idempotency !== "none" && asked.isRepeatable;
  const options = isKept ? { headers: { "idempotency-key": crypto.randomUUID() } } : {};
  const first = await asked.send(options);
  assert.equal(first.code, undefined, first.message ?? "refused");
  assert.equal(first.isReplay, false);
  if (!isKept) return;
  const again = await asked.send(options);
  assert.equal(again.isReplay, true, "sent again with the same Idempotency-Key");
  assert.deepEqual(again.answer, first.answer);
}
