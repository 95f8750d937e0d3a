/** The interactive reference in a real browser, from the service alone. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chromium } from "playwright-core";
import { startService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { CHROMIUM } from "../_programs.ts";

Deno.test("T67 the reference page names no other host and its policy forbids all of them", async () => {
  await using service = await startService({ embedded: true, sharedFiles: { readersMax: 2, readersOfSourceMax: 2 } });
  const page = await service.get("/v1/docs", { key: null });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.body, /https?:\/\/(?!localhost)/);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /https?:|\*/);
  // The only inline script that may run is the one that starts the page; its hash is allowed.
  const scripts = [...page.body.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map((match) => match[1]!);
  assert.equal(scripts.length, 1);
  const hash = createHash("sha256").update(scripts[0]!).digest("base64");
  assert.equal(/script-src ([^;]*)/.exec(policy)?.[1], `'self' 'sha256-${hash}'`);
  // Public files go to at most two readers at the same time here, however slow they are: T56.
  const ask = (path: string, method = "GET") =>
    service.service.fetch(new Request(`http://svc.test${path}`, { method }));
  // A request for the head alone takes no place.
  for (const path of ["/v1/docs/reference.js", "/v1/openapi.json", "/v1/docs/reference.js"]) {
    const { status, body, headers } = await ask(path, "HEAD");
    assert.deepEqual([status, body], [200, null]);
    assert.ok(Number(headers.get("content-length")) > 0);
  }
  const unread = [await ask("/v1/docs/reference.js"), await ask("/v1/openapi.json")];
  assert.deepEqual(unread.map(({ status }) => status), [200, 200]);
  const refused = await service.get("/v1/docs/reference.js", { key: null });
  assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
  const elsewhere = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 }, completed: Promise.resolve() };
  const full = await service.service.fetch(
    new Request("http://svc.test/v1/openapi.json"),
    elsewhere as Deno.ServeHandlerInfo,
  );
  assert.deepEqual([full.status, (await full.json()).code], [503, "unavailable"]);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  for (const reply of unread) await reply.body!.cancel();
  assert.equal((await service.get("/v1/openapi.json", { key: null })).status, 200);
});

Deno.test({
  name: "T67 the reference loads in a browser, opens an operation and sends a request, without touching another host",
  ignore: CHROMIUM === undefined || POSTGRES.ignore,
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    const browser = await chromium.launch({
      executablePath: CHROMIUM!,
      headless: true,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
    try {
      const page = await browser.newPage();
      const foreign: string[] = [];
      const violations: string[] = [];
      page.on("request", (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) foreign.push(request.url());
      });
      page.on("console", (message) => {
        if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
      });
      await page.goto(`${url}/v1/docs#tag/health/GET/memory/health`);
      await page.getByText("Live vitals of the workspace").first().waitFor();
      if (Deno.env.get("SVC_TEST_SHOT")) {
        await page.screenshot({ path: Deno.env.get("SVC_TEST_SHOT")!, fullPage: false });
      }
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname === "/v1/memory/health");
      await page.getByRole("button").filter({ hasText: /Test Request\s*\(get \/memory\/health\)/ }).click();
      await page.getByRole("button").filter({ hasText: /Send get request/ }).click();
      const response = await answered;
      assert.equal(response.status(), 401, "no key was entered");
      assert.deepEqual(foreign, []);
      assert.deepEqual(violations, []);
    } finally {
      await browser.close();
    }
  },
});
