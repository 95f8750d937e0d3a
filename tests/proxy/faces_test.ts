/** Everything that the service does, behind the shipped proxy: contract, clients, browser, packed replies. */
import assert from "node:assert/strict";
import { chromium } from "playwright-core";
import { streamsOf } from "../../src/domain/feed/streams.ts";
import { RPCS } from "../../src/rpc/methods/mod.ts";
import { HTTP_BINDINGS } from "../_http_face.ts";
import { MCP_BINDINGS } from "../_mcp_face.ts";
import { CHROMIUM } from "../_programs.ts";
import { RPC_BINDINGS } from "../_rpc_face.ts";
import { waitFor } from "../_wait.ts";
import { makePeerKeys } from "../federation/_peer.ts";
import { callInEveryForm, Connections, VERSIONS } from "../rpc/_clients.ts";
import { BEHIND, COUNTS, ServicesBehind } from "./_world.ts";

/** Operations whose plain example is refused: a stream wants a WebSocket. */
const OTHERWISE = new Map([["openStream", "invalid_request"]]);

for (const count of COUNTS) {
  Deno.test({
    ...BEHIND,
    name:
      `every operation answers its example through the proxy, through every face, with ${count} processes behind it`,
    async fn(t) {
      const { privatePem } = makePeerKeys();
      await using world = await ServicesBehind.start(count, { env: { SVC_FEDERATION_PRIVATE_KEY: privatePem } });
      const service = world.proxied;
      for (const { name, operation, prepare } of [...HTTP_BINDINGS, ...RPC_BINDINGS, ...MCP_BINDINGS]) {
        await t.step(`${operation.id}: ${name}`, async () => {
          const asked = await prepare(service);
          const { code, message } = await asked.send();
          assert.ok(code === OTHERWISE.get(operation.id), `${code}: ${message}`);
          assert.equal((await asked.send({ key: null })).code, "unauthenticated");
        });
      }
    },
  });
}

Deno.test({
  ...BEHIND,
  name: "connect-es and connect-web are served in every form of the wire through the proxy, over HTTP/1.1 and HTTP/2",
  async fn(t) {
    await using world = await ServicesBehind.start(2);
    using connections = new Connections(world.url, world.services[0]!.key, world.authority);
    for (const version of VERSIONS) await callInEveryForm(connections, version, (name, work) => t.step(name, work));
    for (const { deps } of world.services) {
      await waitFor("all streams are closed", () => streamsOf(deps).sizes().open === 0);
    }
  },
});

Deno.test({
  ...BEHIND,
  name: "packed replies arrive whole through the proxy, over HTTP/2 and HTTP/1.1",
  async fn(t) {
    await using world = await ServicesBehind.start(2);
    const { key } = world.services[0]!;
    for (let n = 0; n < 40; n++) {
      await world.services[0]!.post("/v1/memory/facts", { statement: `Box ${n} of Ada holds ${n} screws and a key.` });
    }
    const recall = ["--header", "content-type: application/json", "--data", '{"query":"box screws key","limit":40}'];
    const asked: [path: string, args: string[]][] = [
      ["/v1/docs", []],
      ["/v1/docs/reference.js", []],
      ["/v1/openapi.json", []],
      ["/v1/memory/facts?limit=40", []],
      ["/v1/memory/recall", recall],
      ["/svc.v1.SvcService/Recall", recall],
      ["/v1/memory/admin/export", ["--header", "content-type: application/json", "--data", "{}"]],
    ];
    for (const [path, args] of asked) {
      await t.step(path, async () => {
        for (const version of ["--http2", "--http1.1"]) {
          // curl fails when a reply is shorter than its head says, or cannot be unpacked.
          const plain = await world.curl(path, { key, args: [version, ...args] });
          const packed = await world.curl(path, { key, args: [version, "--compressed", ...args] });
          assert.deepEqual([plain.status, packed.status], [200, 200], version);
          const sizes = [plain, packed].map(({ body }) =>
            typeof body === "string" ? body.length : JSON.stringify(body).length
          );
          assert.ok(sizes[0]! > 1_000, `${sizes}`);
          assert.ok(Math.abs(sizes[0]! - sizes[1]!) < 100, `${version}: ${sizes}`);
        }
      });
    }
  },
});

Deno.test({
  ignore: BEHIND.ignore || CHROMIUM === undefined,
  name: "the reference page loads in a browser through the proxy and sends a request",
  async fn() {
    await using world = await ServicesBehind.start(2);
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];
    const browser = await chromium.launch({ executablePath: CHROMIUM!, headless: true, args });
    try {
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      const failed: string[] = [];
      page.on("requestfailed", (request) => failed.push(`${request.url()}: ${request.failure()?.errorText}`));
      await page.goto(`${world.url}/v1/docs#tag/health/GET/memory/health`);
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/memory/health");
      await page.getByRole("button").filter({ hasText: /Test Request\s*\(get \/memory\/health\)/ }).click();
      await page.getByRole("button").filter({ hasText: /Send get request/ }).click();
      assert.equal((await answered).status(), 401, "no key was entered");
      assert.deepEqual(failed, []);
    } finally {
      await browser.close();
    }
  },
});

Deno.test("the proxy knows which RPCs are streams of the caller's", async () => {
  const text = await Deno.readTextFile(new URL("../../deploy/haproxy.cfg", import.meta.url));
  const named = (acl: string) =>
    new RegExp(`acl ${acl} path_beg (.*)`).exec(text)![1]!.split(" ").map((path) => path.split("/").at(-1)).sort();
  const streams = (kind: string) => RPCS.filter((rpc) => rpc.kind === kind).map(({ method }) => method.name).sort();
  assert.deepEqual(named("is_duplex"), streams("bidi_streaming"));
  assert.deepEqual(named("is_upload"), streams("client_streaming"));
  for (const { method, kind } of RPCS) {
    const isNamed = [...named("is_duplex"), ...named("is_upload")].some((name) => method.name.startsWith(name!));
    assert.equal(isNamed, /client|bidi/.test(kind), method.name);
  }
});
