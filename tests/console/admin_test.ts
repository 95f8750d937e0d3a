/** The console for named admins, and the keys that it makes: login, screens, access to a workspace by two, theft. */
import assert from "node:assert/strict";
import { createConsoleTicket } from "../../src/domain/access/console_tickets.ts";
import { createTestAdmin, systemOperator } from "../_admin.ts";
import * as admins from "../../src/domain/access/admin/admins.ts";
import { ADMIN_TOKEN, type TestService } from "../_service.ts";
import { HOSTILE } from "./_seed.ts";
import { logIn, openAsAdmin, standing } from "./_admin.ts";
import { CONSOLE, type Console, openConsole } from "./_console.ts";

const ADMIN = { key: ADMIN_TOKEN };

/** Workspaces and keys whose names try what texts may try in a page. */
async function makeHostile(service: TestService): Promise<void> {
  for (const text of HOSTILE) {
    const name = text.slice(0, 200);
    const { body } = await service.post("/v1/admin/workspaces", { name, region: "eu-west-1" }, ADMIN);
    await service.post("/v1/admin/api-keys", { name, workspaceId: body.id }, ADMIN);
  }
  const odd = { name: "reader", workspaceId: service.workspaceId, scopes: ["memory:read", "audit:read"] };
  const { body } = await service.post("/v1/admin/api-keys", odd, ADMIN);
  await service.post(`/v1/admin/keys/${body.id}/revoke`, {}, ADMIN);
}

Deno.test({
  name: "T73 an admin logs in by key and code, is told nothing of what was wrong, and sees no workspace's screens",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ isLoggedIn: false, prepare: () => Promise.resolve(), clock: standing() });
    const { page, service } = opened;
    const admin = await createTestAdmin(service);
    assert.equal(await page.getByLabel("One-time code").count(), 0, "a workspace's key needs no code");
    await page.getByLabel("Key").fill(admin.key);
    await opened.check("login-admin");
    await logIn(opened, admin, "000000");
    const refusal = page.getByText(/the key and the code do not open the console/);
    await refusal.waitFor();
    await opened.check("login-admin-refused");
    await logIn(opened, { ...admin, key: `${admin.key.slice(0, -4)}0000` }, admin.totp());
    await refusal.waitFor();
    await logIn(opened, admin, admin.totp());
    await page.getByRole("heading", { name: "Workspaces" }).waitFor();
    const kept = await page.evaluate<string>("JSON.stringify([document.cookie, localStorage, sessionStorage])");
    assert.ok(!/mk_admin_|svc_console_/.test(kept), "the page keeps a key or the session");
    const names = await page.getByRole("navigation", { name: "Screens" }).getByRole("link").allInnerTexts();
    assert.deepEqual(names, [
      ...["Connect", "Keys", "Workspaces", "Apps", "Tenants", "Access to workspaces", "What admins did"],
    ]);
    await opened.go("/admin/audit");
    await page.getByLabel("What").selectOption("refused");
    await page.getByRole("cell", { name: "totp_invalid" }).first().waitFor();
    await opened.go("/memory");
    await page.getByText("You are in no workspace").waitFor();
    await page.reload();
    await opened.settled();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You have logged out.").waitFor();
    // A code that was used opens nothing a second time.
    await logIn(opened, admin, admin.totp());
    await refusal.waitFor();
  },
});

Deno.test({
  name: "every screen of admins shows hostile names as text, in both themes and widths, by the rules of accessibility",
  ...CONSOLE,
  async fn() {
    await using on = await openAsAdmin({ writing: true, prepare: makeHostile });
    const { opened, other } = on;
    const { page, service } = opened;
    for (const [i, text] of HOSTILE.slice(0, 3).entries()) {
      const body = {
        totp: i === 0 ? other.totp(-1) : other.totp(i - 1),
        workspaceId: service.workspaceId,
        reason: text,
      };
      assert.equal((await service.post("/v1/admin/break-glass", body, { key: other.key })).status, 201);
    }
    for (
      const [path, name] of [
        ["/keys", "keys"],
        ["/admin/workspaces", "admin-workspaces"],
        [
          "/admin/access",
          "admin-access",
        ],
        ["/admin/audit", "admin-audit"],
        ["/connect", "admin-connect"],
      ]
    ) {
      await opened.go(path!);
      await opened.check(name!);
      assert.notEqual(await page.title(), "taken");
    }
    await opened.go("/admin/audit");
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText(/rows are as they were written/).waitFor();
    await opened.check("admin-audit-verified");
    await opened.go("/keys");
    await page.getByLabel("Also those that have ended").check();
    await page.getByText("revoked", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Create a key…" }).click();
    await page.getByLabel("What it may do").selectOption("own");
    await opened.check("keys-create");
    await page.getByRole("button", { name: "Cancel" }).click();
    await opened.go("/admin/workspaces");
    await page.getByRole("button", { name: "Change…" }).first().click();
    await opened.check("admin-workspaces-change");
    await page.getByRole("button", { name: "Cancel" }).click();
    await opened.go("/admin/access");
    await page.getByRole("button", { name: "Ask for access…" }).click();
    await opened.check("admin-access-ask");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Agree…" }).first().click();
    await opened.check("admin-access-agree");
  },
});

Deno.test({
  name: "an admin creates a key that is shown once, rotates and revokes it, and is told what stops working",
  ...CONSOLE,
  async fn() {
    await using on = await openAsAdmin({ writing: true });
    const { opened: { page, service, go, check, settled }, opened } = on;
    await go.call(opened, "/keys");
    await page.getByRole("button", { name: "Create a key…" }).click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByText("Give it a name by which you will know it again.").waitFor();
    await page.getByRole("dialog").getByLabel("Name").fill("claude-code");
    await page.getByLabel("What it may do").selectOption("reader");
    await page.getByLabel("Sees up to").selectOption("internal");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const first = await page.locator("pre.secret").innerText();
    await check.call(opened, "keys-created");
    const who = (await service.get("/v1/whoami", { key: first })).body;
    assert.deepEqual([who.key.name, who.scopes, who.maxSensitivity], [
      "claude-code",
      ["memory:read", "tasks:read"],
      "internal",
    ]);
    await page.getByRole("button", { name: "I have kept it" }).click();
    assert.equal(await page.getByText(first).count(), 0, "the key is shown again");
    const row = page.getByRole("row").filter({ hasText: "claude-code" });
    await row.getByText("reads only").waitFor();
    await row.getByRole("button", { name: "Rotate…" }).click();
    await page.getByLabel("The present secret still counts").selectOption("0");
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const second = await page.locator("pre.secret").innerText();
    assert.equal((await service.get("/v1/whoami", { key: first })).status, 401);
    await page.getByRole("button", { name: "I have kept it" }).click();
    await service.get("/v1/whoami", { key: second });
    await page.reload();
    await settled.call(opened);
    await row.getByRole("button", { name: "Revoke…" }).click();
    await page.getByText(/Whatever uses it is refused at once and for good: it can no longer read and recall/)
      .waitFor();
    await page.getByText(/was last used/).waitFor();
    await check.call(opened, "keys-revoke");
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await row.waitFor({ state: "detached" });
    assert.equal((await service.get("/v1/whoami", { key: second })).status, 401);
    await page.getByRole("switch").click();
    await page.getByRole("button", { name: "Create a key…" }).waitFor({ state: "detached" });
  },
});

Deno.test({
  name: "T22 two admins open a workspace to one of them: asked, agreed, entered, seen by the workspace, ended",
  ...CONSOLE,
  async fn() {
    const prepare = (service: TestService) =>
      service.post("/v1/memory/facts", { statement: "Backups are kept for ninety days." });
    await using on = await openAsAdmin({ writing: true, prepare });
    const { opened, admin, other } = on;
    const { page, service, url } = opened;
    await opened.go("/admin/access");
    await page.getByText("Nobody has asked yet").waitFor();
    await page.getByRole("button", { name: "Ask for access…" }).click();
    await page.getByLabel("Reason").fill("Ticket 4711: recall finds nothing");
    await page.getByLabel("One-time code").fill(admin.totp(-1));
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText(/it is wrong, too old or used/).waitFor();
    await page.getByLabel("One-time code").fill(admin.totp());
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("pending").waitFor();
    assert.equal(await page.getByRole("button", { name: "Agree…" }).count(), 0, "to one's own request");
    await opened.check("admin-access-pending");

    const second = await (await opened.context.browser()!.newContext({ locale: "en-GB" })).newPage();
    await second.goto(`${url}/console/`);
    await logIn({ page: second } as Console, other, other.totp(-1));
    await second.getByRole("link", { name: "Access to workspaces" }).click();
    await second.getByRole("switch", { name: "Read only" }).click();
    await second.getByRole("button", { name: "Agree…" }).click();
    await second.getByLabel("One-time code").fill(other.totp());
    await second.getByRole("button", { name: "Agree", exact: true }).click();
    await second.getByText("approved").waitFor();

    await page.reload();
    await page.getByRole("button", { name: "Enter the workspace" }).click();
    await page.getByText(/You are in this workspace until/).waitFor();
    await opened.settled();
    await opened.check("admin-entered");
    await page.getByRole("link", { name: "Memory", exact: true }).last().click();
    await page.getByText("Backups are kept for ninety days.").first().waitFor();
    const names = await page.getByRole("navigation", { name: "Screens" }).getByRole("link").allInnerTexts();
    assert.ok(!names.includes("Audit"), "a scope that the request did not name");

    await second.getByRole("button", { name: "End the access…" }).click();
    await second.getByRole("button", { name: "End it" }).click();
    await second.getByText("revoked").waitFor();
    await page.getByRole("link", { name: "Timeline" }).click();
    await page.getByRole("heading", { name: "Access to workspaces" }).waitFor();
    await page.getByText("revoked").waitFor();
    await opened.check("admin-access-ended");
    const rows: { event_type: string; detail: { admin?: string } }[] =
      (await service.get("/v1/audit?limit=100")).body.data;
    const seen = rows.filter(({ detail }) => detail.admin === admin.name).map(({ event_type }) => event_type);
    for (const name of ["break_glass.requested", "break_glass.used"]) assert.ok(seen.includes(name), name);
  },
});

Deno.test({
  name:
    "from the link of the start to a green light: a key made on the spot, shown in every client's text, and a first call",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ isLoggedIn: false, prepare: () => Promise.resolve() });
    const { page, service, url } = opened;
    await page.goto("about:blank");
    await page.goto(`${url}/console/#ticket=${createConsoleTicket(service.deps)}`);
    await page.getByRole("link", { name: "Show me how" }).click();
    await opened.settled();
    await opened.check("connect-start");
    await page.getByLabel("Name of the agent").fill("claude-code");
    await page.getByRole("button", { name: "Allow changes and make a key" }).click();
    const key = await page.locator("pre.secret").innerText();
    assert.match(key, /^svc_live_/);
    await page.getByText(/It may read and recall what is known, remember and correct/).waitFor();
    await opened.check("connect-made");
    for (const name of ["Claude Code", "Cursor", "Codex", "VS Code", "Gemini CLI", "TypeScript", "Python", "curl"]) {
      await page.getByRole("tab", { name }).click();
      assert.ok((await page.getByRole("tabpanel").innerText()).includes(key), name);
    }
    await page.getByRole("tab", { name: "Cursor" }).click();
    const link = new URL((await page.getByRole("link", { name: "Set up Cursor" }).getAttribute("href"))!);
    const config = JSON.parse(atob(link.searchParams.get("config")!));
    assert.deepEqual(config, { url: `${url}/mcp`, headers: { Authorization: `Bearer ${key}` } });
    await page.getByText("Waiting for the first call…").waitFor();
    const init = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const called = await fetch(config.url, {
      method: "POST",
      headers: {
        ...config.headers,
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: init }),
    });
    assert.equal(called.status, 200, await called.text());
    await page.getByText("Connected: claude-code has called.").waitFor();
    await opened.check("connect-green");
    await opened.go("/keys");
    const row = page.getByRole("row").filter({ hasText: "claude-code" });
    await row.getByText("an agent's work").waitFor();
    await opened.check("keys-start");
    const own = page.getByRole("row").filter({ hasText: "yours" });
    await own.getByText("in use by you").waitFor();
    await own.getByRole("button", { name: "Revoke…" }).click();
    await page.getByText("It is the key of your own session: you will be logged out.").waitFor();
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByLabel("Key").waitFor();
  },
});

Deno.test({
  name: "who logs in by a key is not offered keys to make, and makes none through the page's own requests",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ prepare: () => Promise.resolve(), writing: true, path: "/connect" });
    const { page, service } = opened;
    assert.equal(await page.getByRole("button", { name: /make a key/i }).count(), 0);
    assert.equal(await page.getByRole("link", { name: "Keys" }).count(), 0);
    const ask = (path: string, body: object) =>
      page.evaluate<number>(
        `fetch(${JSON.stringify(path)}, { method: "POST", body: ${JSON.stringify(JSON.stringify(body))},
        headers: { "x-svc-console": localStorage["svc-console-proof"], "content-type": "application/json" } })
        .then((reply) => reply.status)`,
      );
    const key = { name: "stolen", scopes: ["memory:read"], maxSensitivity: "public", expiresAt: null };
    assert.equal(await ask("api/keys", key), 403);
    assert.equal(await ask("api/v1/admin/api-keys", { name: "stolen", workspaceId: service.workspaceId }), 403);
  },
});

/** What a page of another origin tries with the session of an admin. */
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
    seen[name] = await fetch(url + "/console/api/v1/admin/workspaces", init).then((r) => r.text(), () => "blocked");
  }
  return seen;
})`;

Deno.test({
  name:
    "T73 a page of another origin or of a sibling host gets nothing from an admin's session, nor does one whose key ended",
  ...CONSOLE,
  async fn() {
    await using on = await openAsAdmin({ writing: true });
    const { opened, admin } = on;
    const { page, service, url } = opened;
    const thief = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response("<!doctype html><title>thief</title><body>", { headers: { "content-type": "text/html" } }),
    );
    try {
      const sent: string[] = [];
      opened.context.on("request", async (request) => {
        const { cookie } = await request.allHeaders().catch((): Record<string, string> => ({}));
        if (cookie !== undefined && !request.url().startsWith(url)) sent.push(cookie);
      });
      for (const origin of [`http://127.0.0.1:${thief.addr.port}`, `http://localhost:${thief.addr.port}`]) {
        const other = await opened.context.newPage();
        await other.goto(origin);
        const seen = await other.evaluate<Record<string, string>>(`${THEFT}(${JSON.stringify(url)})`);
        for (const [name, text] of Object.entries(seen)) {
          assert.doesNotMatch(text, /region|settings/, `${origin}: ${name}`);
        }
        await other.close();
      }
      for (const cookie of sent) {
        const headers = { cookie, "sec-fetch-site": "same-origin", "x-svc-console": "1" };
        assert.equal((await service.get("/console/api/v1/admin/workspaces", { key: null, headers })).status, 401);
      }
      assert.equal(await page.evaluate<number>(`fetch("/v1/admin/workspaces").then((reply) => reply.status)`), 401);
      await admins.disableAdmin(systemOperator(service), admin.name);
      await page.getByRole("link", { name: "Keys", exact: true }).first().click();
      await page.getByText("Your session has ended. Log in again.").waitFor();
    } finally {
      await thief.shutdown();
    }
  },
});
