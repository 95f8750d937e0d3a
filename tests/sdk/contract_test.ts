/** Every operation of the service, by its example, through the client. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ROUTES } from "../../clients/typescript/gen/operations.ts";
import { type Client, createClient } from "../../clients/typescript/mod.ts";
import { bearerFor, createFixture, type Fixture } from "../_fixtures.ts";
import { makePeerKeys } from "../federation/_peer.ts";
import type { TestService } from "../_service.ts";
import { clientOf, startAnyService } from "./_client.ts";
import { inputOf } from "./_examples.ts";

type AnyMethod = (input?: Record<string, unknown>, options?: Record<string, unknown>) => Promise<unknown>;

const IDS = Object.keys(ROUTES);

Deno.test("the client has every operation but older paths and the WebSocket", () => {
  const left = ENDPOINTS.filter(({ id }) => !IDS.includes(id)).map(({ id }) => id);
  const isOlder = (id: string) =>
    /V2$/.test(id) || ["exportWorkspace", "importWorkspace", "getWorkspaceHealth"].includes(id);
  assert.deepEqual(left.filter((id) => !isOlder(id)), ["openStream"]);
  assert.deepEqual(IDS.filter((id) => !ENDPOINTS.some((endpoint) => endpoint.id === id)), []);
  const client = createClient({ url: "http://127.0.0.1", key: null });
  assert.deepEqual(IDS.filter((id) => typeof client[id as keyof Client] !== "function"), []);
});

Deno.test("every example is answered through the client, and once only where it changes something", async (t) => {
  const { privatePem } = makePeerKeys();
  await using service = await startAnyService({ env: { SVC_FEDERATION_PRIVATE_KEY: privatePem } });
  const endpoints = ENDPOINTS.filter(({ id }) => IDS.includes(id));
  const prepare = async (endpoint: Endpoint): Promise<Fixture> =>
    pathOf(endpoint).startsWith("/v1/") ? await createFixture(service, endpoint) : { params: {} };
  // Before the examples change anything; those of admins have one-time codes, which would be too old.
  const fixtures = new Map<Endpoint, Fixture>();
  for (const endpoint of endpoints) if (endpoint.bearer !== "admin") fixtures.set(endpoint, await prepare(endpoint));
  for (const endpoint of endpoints) {
    await t.step(
      endpoint.id,
      async () => await expectExample(service, endpoint, fixtures.get(endpoint) ?? await prepare(endpoint)),
    );
  }
});

async function expectExample(service: TestService, endpoint: Endpoint, fixture: Fixture): Promise<void> {
  const asked: string[] = [];
  const replayed: boolean[] = [];
  const client = clientOf(service, {
    key: endpoint.scope === "public" ? null : bearerFor(service, endpoint, fixture),
    retries: 0,
    async fetch(address, init = {}) {
      const url = new URL(String(address));
      asked.push(`${init.method} ${url.pathname}${url.search}`);
      const proof = fixture.prove?.(init.method!, url.pathname + url.search, init.body as string ?? "");
      const headers = { ...init.headers as Record<string, string>, ...proof };
      const response = await service.service.fetch(new Request(url, { ...init, headers }));
      replayed.push(response.headers.get("idempotency-replayed") === "true");
      return response;
    },
  });
  const method = client[endpoint.id as keyof Client] as unknown as AnyMethod;
  const input = inputOf(endpoint, fixture);
  const isKept = ROUTES[endpoint.id as keyof typeof ROUTES].headers?.includes("idempotency-key") === true;
  assert.equal(isKept, endpoint.idempotency !== "none");
  const options = isKept ? { idempotencyKey: crypto.randomUUID() } : {};
  const first = await readOut(await method(input, options));
  const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fixture.params[name]!));
  assert.equal(asked[0]!.split("?")[0], `${endpoint.route.method.toUpperCase()} ${path}`);
  if (!isKept) return;
  assert.deepEqual(await readOut(await method(input, options)), first);
  assert.deepEqual(replayed, [false, true], "sent again with the same idempotencyKey");
}

async function readOut(reply: unknown): Promise<unknown> {
  return reply instanceof ReadableStream ? await new Response(reply).text() : reply;
}
