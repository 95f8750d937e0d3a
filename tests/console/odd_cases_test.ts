/** What people and others do to the console that no screen asks for: odd addresses, several tabs, sessions that end. */
import assert from "node:assert/strict";
import { createConsoleTicket } from "../../src/domain/access/console_tickets.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";
import { waitFor } from "../_wait.ts";
import { CONSOLE, openConsole } from "./_console.ts";
import { HOSTILE } from "./_seed.ts";

Deno.test({
  name: "an address that holds nonsense is answered in words, and the console stays usable",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole();
    const { page } = opened;
    for (const path of ["/unit/abc", "/sessions/%E0%A4%A", "/recalls/1", "/webhooks/..%2Faudit"]) {
      await opened.go(path);
      await page.getByText("Nothing has this address").waitFor();
    }
    for (
      const path of [
        "/playground?q=x&asOf=never&knownAt=99999-01-01",
        "/playground?q=x&limit=1e9&why=abc",
        "/graph?around=abc&asOf=soon",
        "/timeline?from=abc",
        "/memory?type=nothing&status=none",
        "/nowhere",
      ]
    ) {
      await opened.go(path);
      await page.locator("main").getByText(/Cannot|no such screen/).first().waitFor();
      await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Sessions" }).click();
      await page.getByText("Monday stand-up").waitFor();
    }
    assert.deepEqual(opened.faults, []);
  },
});

Deno.test({
  name: "a screen that the key may not see says which scope it needs, and a key that only reads has no switch",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ scopes: ["memory:read"], prepare: async () => {} });
    for (const [path, scope] of [["/audit", "audit:read"], ["/webhooks", "memory:admin"], ["/transfer", "import"]]) {
      await opened.go(path!);
      await opened.page.getByText("Your key may not see this").waitFor();
      await opened.page.getByText(scope!).first().waitFor();
    }
    assert.equal(await opened.page.getByRole("switch").count(), 0);
  },
});

Deno.test({
  name: "a turn among the results leads to its place in the conversation, however long that is",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({
      prepare: async (service) => {
        const { body } = await service.post("/v1/session", { title: "A long talk" });
        for (let at = 0; at < 300; at += 100) {
          const turns = Array.from({ length: 100 }, (_, i) => ({
            role: "user",
            messageId: `m${at + i}`,
            content: at + i === 250
              ? "The spare key of the boathouse hangs behind the barometer."
              : `Remark ${at + i}.`,
          }));
          await service.post(`/v1/session/${body.id}/turns`, { turns });
        }
      },
    });
    const { page } = opened;
    await opened.go("/playground?q=Where is the key of the boathouse?");
    const result = page.locator("article.result", { hasText: "barometer" });
    await result.getByRole("link", { name: "Open the session" }).click();
    await page.locator(".turn.sought", { hasText: "barometer" }).waitFor();
  },
});

Deno.test({
  name: "the fields of a filter follow the address",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole();
    const { page } = opened;
    await opened.go("/memory?tag=ops&q=backups");
    assert.equal(await page.getByLabel("Tag").inputValue(), "ops");
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Memory" }).click();
    await waitFor("the field", async () => await page.getByLabel("Tag").inputValue() === "");
    await page.goBack();
    await waitFor("the field", async () => await page.getByLabel("Tag").inputValue() === "ops");
    assert.equal(await page.getByLabel("Text contains").inputValue(), "backups");
    await opened.go("/audit");
    await page.locator("td[data-head=About] a").first().click();
    await waitFor("the field", async () => await page.getByLabel("About (id)").inputValue() !== "");
  },
});

Deno.test({
  name: "a session that ends while a dialog asks takes the question along",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, service, seeded } = opened;
    await opened.go(`/unit/${seeded!.outdatedFactId}`);
    await page.getByRole("button", { name: "Erase…" }).click();
    const { body } = await service.get("/v1/whoami", { key: opened.key });
    await revokeApiKey(service.operator(), body.key.id);
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await page.getByText("Your session has ended.").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await opened.logIn(service.key);
    await page.getByText("Backups are kept for thirty days.").first().waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
  },
});

Deno.test({
  name: "what was typed into a dialog stays when changes are switched off meanwhile, and can be saved",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    await page.getByRole("button", { name: "Correct…" }).click();
    await page.getByLabel("It was wrong").check();
    await page.getByLabel("What it says").fill("Backups are kept for a hundred days.");
    const other = await opened.context.newPage();
    await other.goto(`${opened.url}/console/`);
    await other.getByRole("switch", { name: /Changes allowed/ }).click();
    await other.getByRole("switch", { name: "Read only" }).waitFor();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/until you allow changes/).waitFor();
    await dialog.getByRole("button", { name: "Allow them again" }).click();
    await dialog.getByText("Changes are no longer allowed.").waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("What it says").inputValue(), "Backups are kept for a hundred days.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.locator(".unit-text", { hasText: "a hundred days" }).waitFor();
  },
});

Deno.test({
  name: "T73 no tab shows another session than the one that it uses",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ prepare: async () => {} });
    const { page, service, url } = opened;
    const other = await opened.context.newPage();
    await other.goto(`${url}/console/`);
    await other.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Key").waitFor();
    // A link of the start works in a page that is open already, and both pages follow.
    await other.evaluate(`location.hash = "ticket=${createConsoleTicket(service.deps)}"`);
    for (const one of [other, page]) await one.getByText("console, opened at the terminal").waitFor();
    assert.ok(!other.url().includes("ticket"), other.url());
  },
});

Deno.test({
  name: "whatever others wrote into any field is shown as text, and no screen becomes wider than a narrow window",
  ...CONSOLE,
  async fn(t) {
    await using opened = await openConsole({
      prepare: async (service) => {
        const post = async (path: string, body: unknown) => {
          const reply = await service.post(path, body);
          assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`);
          return reply.body;
        };
        for (const [i, text] of HOSTILE.entries()) {
          const name = text.slice(0, 100), agentId = text.slice(0, 180);
          await post("/v1/memory/facts", {
            statement: `${text} ${i}`,
            ...{ tags: [name.slice(0, 60).trim()], aliases: [name.trim()], metadata: { [name]: text } },
            ...{ subject: name.trim(), predicate: "says", object: text.slice(0, 180) },
          });
          const { id } = await post("/v1/session", { title: name, agentId });
          const turn = { role: "user", name, messageId: name, content: text };
          await post(`/v1/session/${id}/turns`, { turns: [turn] });
        }
        await service.post("/v1/webhooks", { url: `https://example.org/${"x".repeat(900)}` });
      },
    });
    const { page } = opened;
    await page.setViewportSize({ width: 390, height: 844 });
    const units = (await opened.service.get("/v1/memory/units?type=fact&limit=20")).body.data;
    const sessions = (await opened.service.get("/v1/session?limit=20")).body.data;
    const paths = [
      ...["/", "/playground?q=title taken", "/memory", "/review", "/sessions", "/entities", "/graph", "/timeline"],
      ...["/agents", "/recalls", "/audit", "/webhooks", "/transfer", "/memory?tag=<b>", "/nowhere?<script>"],
      ...units.map(({ id }: { id: string }) => `/unit/${id}`),
      ...sessions.map(({ id }: { id: string }) => `/sessions/${id}`),
      ...HOSTILE.map((text) => `/agents/${encodeURIComponent(text.slice(0, 180))}`),
    ];
    for (const path of paths) {
      await t.step(path.slice(0, 60), async () => {
        await opened.go(path);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
        assert.match(await page.title(), /Memory console$/);
        assert.equal(await page.locator("a button, button a").count(), 0, "a control inside another");
        await opened.shoot(`odd-${path.replaceAll(/\W+/g, "_").slice(0, 40)}`);
      });
    }
    assert.deepEqual(opened.faults, []);
  },
});
