/** The session of the console: login, its end, and what its cookie opens. */
import assert from "node:assert/strict";
import { createConsoleTicket } from "../../src/domain/access/console_tickets.ts";
import { CONSOLE, openConsole } from "./_console.ts";

Deno.test({
  name: "the console logs in by a key, shows the workspace, and logs out",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ isLoggedIn: false });
    const { page } = opened;
    await opened.check("login");
    await opened.logIn("svc_live_wrong");
    await page.getByText(/mistyped or incomplete/).waitFor();
    await opened.logIn();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.equal(await page.evaluate("document.cookie"), "");
    const kept = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])");
    assert.ok(!/svc_live_|svc_console_/.test(kept), "the page keeps a key or the session");
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You have logged out.").waitFor();
    await page.reload();
    await page.getByLabel("Key").waitFor();
  },
});

Deno.test({
  name: "T73 the link of the start logs a browser in once, and leaves no ticket in its address",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ isLoggedIn: false, prepare: async () => {} });
    const { page, service, url } = opened;
    const link = `${url}/console/#ticket=${createConsoleTicket(service.deps)}`;
    // The page is open already, so only a new one reads the ticket.
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.equal(page.url(), `${url}/console/#/`);
    const other = await (await opened.context.browser()!.newContext()).newPage();
    await other.goto(link);
    await other.getByText(/The link was used or has ended|the link was used or has ended/).waitFor();
  },
});

/** What a page of another origin tries with the session of a browser. */
const THEFT = `(async (url) => {
  const tries = {
    plain: {},
    cookie: { credentials: "include" },
    header: { credentials: "include", headers: { "x-svc-console": "1" } },
    blind: { credentials: "include", mode: "no-cors" },
    write: { method: "POST", credentials: "include", mode: "no-cors", body: "{}" },
  };
  const seen = {};
  for (const [name, init] of Object.entries(tries)) {
    seen[name] = await fetch(url + "/console/api/v1/whoami", init).then((r) => r.text(), () => "blocked");
  }
  const frame = document.createElement("iframe");
  frame.src = url + "/console/";
  document.body.append(frame);
  await new Promise((done) => frame.addEventListener("load", done));
  seen.frame = frame.contentDocument?.body.textContent ?? "closed to the page";
  return seen;
})`;

Deno.test({
  name: "T73 a page of another origin or of a sibling host gets nothing from the session of a browser",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ prepare: async () => {} });
    const { service } = opened;
    const thief = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response("<!doctype html><title>thief</title><body>", { headers: { "content-type": "text/html" } }),
    );
    try {
      const sent: string[] = [];
      opened.context.on("request", async (request) => {
        const { cookie } = await request.allHeaders().catch((): Record<string, string> => ({}));
        if (cookie !== undefined && !request.url().startsWith(opened.url)) sent.push(cookie);
      });
      // Another port is another origin of the same site; localhost is another site.
      for (const origin of [`http://127.0.0.1:${thief.addr.port}`, `http://localhost:${thief.addr.port}`]) {
        const page = await opened.context.newPage();
        await page.goto(origin);
        const seen = await page.evaluate<Record<string, string>>(`${THEFT}(${JSON.stringify(opened.url)})`);
        for (const [name, text] of Object.entries(seen)) {
          assert.doesNotMatch(text, /workspace|scopes|Overview/, `${origin}: ${name}`);
        }
        await page.close();
      }
      // Browsers send a cookie to all ports of its host, so it opens nothing by itself.
      for (const cookie of sent) {
        const headers = { cookie, "sec-fetch-site": "same-origin", "x-svc-console": "1" };
        assert.equal((await service.get("/console/api/v1/whoami", { key: null, headers })).status, 401);
      }
      const own = await opened.page.evaluate<number>(`fetch("/v1/whoami").then((reply) => reply.status)`);
      assert.equal(own, 401, "the console's own page has no rights on /v1");
    } finally {
      await thief.shutdown();
    }
  },
});

Deno.test({
  name: "the console shows changes as they happen, and allows them for a while on request",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole();
    const { page, service } = opened;
    await page.getByText("live", { exact: true }).waitFor();
    await service.post("/v1/memory/facts", { statement: "This was told while the page was open." });
    await page.getByText("This was told while the page was open.").waitFor();
    const create = `fetch("api/v1/memory/facts", { method: "POST", body: '{"statement":"The page told this."}',
      headers: { "x-svc-console": localStorage["svc-console-proof"], "content-type": "application/json" } }).then((reply) => reply.status)`;
    assert.equal(await page.evaluate(create), 403);
    await opened.allowChanges();
    assert.equal(await page.evaluate(create), 201);
    await page.getByText("The page told this.").waitFor();
    await page.getByRole("switch", { name: /Changes allowed/ }).click();
    await page.getByRole("switch", { name: "Read only" }).waitFor();
    assert.equal(await page.evaluate(create), 403);
  },
});

Deno.test({
  name: "every screen works with a key that may only read",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ scopes: ["memory:read"] });
    const { page } = opened;
    const links = await page.getByRole("navigation", { name: "Screens" }).getByRole("link").all();
    const addresses = await Promise.all(links.map((link) => link.getAttribute("href")));
    for (const address of addresses) {
      await opened.go(address!.slice(1));
      assert.equal(await page.getByText(/the key lacks the scope/).count(), 0, address!);
    }
    assert.deepEqual(opened.faults, []);
  },
});
