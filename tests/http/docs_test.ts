/** The interactive reference in a real browser, from the service alone. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chromium } from "playwright-core";
import { startService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { CHROMIUM } from "../_programs.ts";
import { ENDPOINTS, GROUPS } from "../../src/http/endpoints.ts";
import { describeApi } from "../../src/http/openapi.ts";
import { greetFirst } from "../../src/cli/greeting.ts";
import { waitFor } from "../_wait.ts";

const exampleOf = (id: string) => ENDPOINTS.find((endpoint) => endpoint.id === id)!.example.body;

Deno.test("the reference opens on what to do first, in the order of a first day, with one recall that is recommended", () => {
  const document = describeApi(ENDPOINTS, GROUPS) as unknown as {
    info: { description: string };
    paths: Record<string, Record<string, unknown>>;
    tags: { name: string }[];
    "x-tagGroups": { name: string; tags: string[] }[];
  };
  const { info: { description }, paths, tags, "x-tagGroups": parts } = document;
  assert.ok(description.length < 900, `${description.length} characters`);
  assert.deepEqual(parts[0], { name: "Start here", tags: ["Sessions", "Recall", "Facts", "Caller", "Conventions"] });
  const links = [...description.matchAll(/\(#tag\/([a-z]+)(?:\/([A-Z]+)(\/[^)]+))?\)/g)];
  assert.equal(links.length, 5);
  for (const [link, tag, method, path] of links) {
    assert.ok(tags.some(({ name }) => name.toLowerCase() === tag), link);
    if (path !== undefined) assert.ok(paths[path]?.[method!.toLowerCase()], link);
  }
  const recalls = ENDPOINTS.filter(({ route }) => route.tags!.includes("Recall") && !route.deprecated);
  assert.deepEqual(recalls.filter(({ summary }) => /recommended/.test(summary)).map(({ id }) => id), ["recall"]);
  for (const { id, description } of recalls) assert.ok(description, `${id} says what it is for`);
});

Deno.test("the examples of a first day, sent as they are, find something", async () => {
  const printed: string[] = [];
  const { error } = console;
  console.error = (text: string) => void printed.push(text);
  try {
    greetFirst({ workspaceId: "w", key: "k", url: "http://svc.test", ticket: "t" });
  } finally {
    console.error = error;
  }
  const [, pasted] = /-d '(.*)'/.exec(printed.join("\n"))!;
  await using service = await startService({ embedded: true });
  const send = async (path: string, body: unknown) => {
    const reply = await service.post(path, body);
    assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  await send("/v1/memory/facts", JSON.parse(pasted!));
  assert.ok((await send("/v1/memory/recall", exampleOf("recall"))).results.length > 0, "what the start has pasted");
  const { id } = await send("/v1/session", exampleOf("startSession"));
  await send(`/v1/session/${id}/turns`, exampleOf("addTurns"));
  await send("/v1/memory/facts", exampleOf("createFact"));
  for (const { id, route: { path, tags, deprecated } } of ENDPOINTS) {
    if (!tags!.includes("Recall") || deprecated) continue;
    const { results, recalls } = await send(`/v1${path}`, exampleOf(id));
    for (const list of recalls?.map((one: { results: unknown[] }) => one.results) ?? [results]) {
      assert.ok(list.length > 0, id);
    }
  }
});

Deno.test("T67 the reference page names no other host and its policy forbids all of them", async () => {
  await using service = await startService({ embedded: true, sharedFiles: { readersMax: 2, readersOfSourceMax: 2 } });
  const page = await service.get("/v1/docs", { key: null });
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.body, /https?:\/\/(?!localhost)/);
  const policy = page.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /https?:|\*/);
  // The only inline scripts that may run are those of the page; their hashes are allowed.
  const scripts = [...page.body.matchAll(/<script[^>]*>([^<]+)<\/script>/g)].map((match) => match[1]!);
  assert.equal(scripts.length, 2);
  const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  assert.equal(/script-src ([^;]*)/.exec(policy)?.[1], ["'self'", ...hashes].join(" "));
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
      const context = await browser.newContext();
      const openTab = async () => {
        const tab = await context.newPage();
        await tab.goto(`${url}/v1/docs`);
        return { tab, token: tab.getByPlaceholder("Token").first() };
      };
      const { tab, token } = await openTab();
      await token.fill(service.key);
      const isKept = `JSON.stringify({ ...sessionStorage }).includes(${JSON.stringify(service.key)})`;
      await waitFor("the key in the tab's store", () => tab.evaluate(isKept));
      await tab.reload();
      await waitFor("the key in the page that was loaded again", async () => await token.inputValue() === service.key);
      const other = await openTab();
      await other.token.waitFor();
      assert.equal(await other.token.inputValue(), "", "another tab has no key");
      assert.deepEqual(foreign, []);
      assert.deepEqual(violations, []);
    } finally {
      await browser.close();
    }
  },
});
