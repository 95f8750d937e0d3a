/** Pages of other origins: `SVC_CORS_ORIGINS`, by the heads of replies and in a real browser. */
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { pathOf } from "../../src/http/app.ts";
import { readConfig } from "../../src/config.ts";
import { CHROMIUM } from "../_programs.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

const APP = "https://app.example";

function corsOf(headers: Headers): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

function preflight(service: TestService, path: string, origin: string, method = "POST", asked = "authorization") {
  return service.call("OPTIONS", path, {
    key: null,
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": asked },
  });
}

Deno.test("T67 without SVC_CORS_ORIGINS no page of another origin is let in", async () => {
  await using service = await startService({ embedded: true });
  for (const path of ["/v1/memory/facts", "/v1/whoami", "/mcp", "/svc.v1.SvcService/Recall", "/health/live"]) {
    const { status, headers } = await preflight(service, path, APP);
    assert.ok(status >= 400, `${path}: ${status}`);
    assert.deepEqual(corsOf(headers), []);
  }
  const { headers } = await service.get("/v1/whoami", { headers: { origin: APP } });
  assert.deepEqual([corsOf(headers), headers.get("vary")], [[], null]);
});

Deno.test("T67 a listed origin may call every operation except administration, and no other origin may", async () => {
  await using service = await startService({
    embedded: true,
    env: { SVC_CORS_ORIGINS: `${APP}, http://localhost:5173` },
  });
  const sent =
    "authorization, content-type, idempotency-key, if-match, connect-protocol-version, x-grpc-web, mcp-protocol-version";
  const paths = new Set(ENDPOINTS.map((endpoint) => `${endpoint.route.method.toUpperCase()} ${pathOf(endpoint)}`));
  for (const name of [...paths, "POST /mcp", "POST /svc.v1.SvcService/Recall"]) {
    const [method, path] = name.split(" ") as [string, string];
    const url = path.replaceAll(/\{\w+\}/g, "x");
    const reply = await preflight(service, url, APP, method, sent);
    if (path.startsWith("/v1/admin")) {
      assert.deepEqual(corsOf(reply.headers), [], name);
      continue;
    }
    assert.deepEqual([reply.status, reply.headers.get("access-control-allow-origin")], [204, APP], name);
    assert.ok(reply.headers.get("access-control-allow-methods")!.split(",").includes(method), name);
    const allowed = reply.headers.get("access-control-allow-headers")!.toLowerCase().split(",");
    for (const header of sent.split(", ")) assert.ok(allowed.includes(header), `${name}: ${header}`);
    assert.match(reply.headers.get("vary")!, /Origin/i);
    assert.equal(reply.headers.get("access-control-allow-credentials"), null);
  }
  for (
    const origin of [
      `${APP}.evil.test`,
      "https://APP.example",
      "http://app.example",
      "https://app.example:444",
      "null",
      "*",
    ]
  ) {
    const asked = await preflight(service, "/v1/whoami", origin);
    assert.equal(asked.headers.get("access-control-allow-origin"), null, origin);
    const called = await service.get("/v1/whoami", { headers: { origin } });
    assert.equal(called.headers.get("access-control-allow-origin"), null, origin);
    assert.match(called.headers.get("vary")!, /Origin/i);
  }
  const { status, headers } = await service.get("/v1/whoami", { headers: { origin: APP } });
  assert.deepEqual([status, headers.get("access-control-allow-origin")], [200, APP]);
  const shown = headers.get("access-control-expose-headers")!.split(",");
  for (const name of ["x-request-id", "etag", "retry-after", "ratelimit", "grpc-status"]) {
    assert.ok(shown.includes(name), name);
  }
  for (const path of ["/v1/admin/api-keys", "/v1/%61dmin/api-keys"]) {
    assert.deepEqual(corsOf((await service.get(path, { headers: { origin: APP } })).headers), [], path);
  }
  // A refusal is readable by the page, too.
  const refused = await service.get("/v1/whoami", { key: null, headers: { origin: APP } });
  assert.deepEqual([refused.status, refused.headers.get("access-control-allow-origin")], [401, APP]);
});

Deno.test("SVC_CORS_ORIGINS takes origins alone", () => {
  assert.deepEqual(readConfig({ SVC_CORS_ORIGINS: "https://a.example\n http://localhost:1" }).corsOrigins, [
    "https://a.example",
    "http://localhost:1",
  ]);
  for (
    const wrong of [
      "*",
      "https://*.example",
      "https://a.example/",
      "https://a.example/x",
      "a.example",
      "null",
      "file://",
    ]
  ) {
    assert.throws(() => readConfig({ SVC_CORS_ORIGINS: wrong }), /SVC_CORS_ORIGINS/, wrong);
  }
});

/** Serves an empty page on an origin of its own. */
function servePage() {
  const page = () => new Response("<!doctype html><title>page</title>", { headers: { "content-type": "text/html" } });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, page);
  return { origin: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test({
  name: "T67 in a browser, a page of a listed origin writes and reads with its key, and another page gets nothing",
  ignore: CHROMIUM === undefined || POSTGRES.ignore,
  async fn() {
    await using listed = servePage();
    await using other = servePage();
    await using service = await startService({ env: { SVC_CORS_ORIGINS: listed.origin } });
    const { url } = service.listen();
    const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
    const browser = await chromium.launch({ executablePath: CHROMIUM!, headless: true, args });
    try {
      /** Runs in the page. */
      const talk = async ({ url, key }: { url: string; key: string }) => {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        const call = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
          try {
            const sent = {
              method,
              headers: { ...headers, ...more },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            };
            const reply = await fetch(`${url}${path}`, sent);
            const read = await reply.json();
            return {
              status: reply.status,
              id: read.id,
              etag: reply.headers.get("etag"),
              request: reply.headers.get("x-request-id"),
            };
          } catch (error) {
            return { status: 0, id: undefined, etag: null, request: String(error) };
          }
        };
        const told = await call("POST", "/v1/memory/facts", { statement: "A page told this." }, {
          "idempotency-key": "page",
        });
        const changed = await call("PATCH", `/v1/memory/facts/${told.id}`, { tags: ["page"] }, {
          "if-match": told.etag ?? '"1"',
        });
        const connect = { "connect-protocol-version": "1" };
        const recalled = await call("POST", "/svc.v1.SvcService/Recall", { query: "page" }, connect);
        const admin = await call("GET", "/v1/admin/api-keys");
        return { told, changed, recalled, admin };
      };
      const visit = async (origin: string) => {
        const page = await browser.newPage();
        await page.goto(origin);
        return await page.evaluate(talk, { url, key: service.key });
      };
      const seen = await visit(listed.origin);
      assert.deepEqual(
        [seen.told.status, seen.changed.status, seen.recalled.status],
        [201, 200, 200],
        JSON.stringify(seen),
      );
      assert.equal(seen.told.etag, '"1"');
      assert.ok(seen.told.request);
      assert.equal(seen.admin.status, 0, "administration is not for pages");
      const blocked = await visit(other.origin);
      assert.deepEqual(Object.values(blocked).map(({ status }) => status), [0, 0, 0, 0]);
    } finally {
      await browser.close();
    }
  },
});
