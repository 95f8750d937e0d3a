/** The screens that list: each in both themes and widths, without faults, with a key that may do all and one that reads. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { CONSOLE, openConsole } from "./_console.ts";

/** Each screen with what it shows of the seeded workspace. */
const SCREENS: readonly (readonly [path: string, shows: string | RegExp])[] = [
  ["/sessions", "Monday stand-up"],
  ["/entities", "Dublin"],
  ["/graph", /Point at a node/],
  ["/timeline", "Nadia moved from Lisbon to Porto in September."],
  ["/connect", "Waiting for the first call…"],
  ["/agents", "Nothing here"],
  ["/recalls", "Nothing here"],
  ["/audit", "write.createFact"],
  ["/federation", "Nothing here"],
  ["/webhooks", "Nothing here"],
  ["/transfer", "Download"],
];

Deno.test({
  name:
    "each list of the console shows what is there, breaks no rule of accessibility and nothing of the page's policy",
  ...CONSOLE,
  async fn(t) {
    await using opened = await openConsole();
    for (const [path, shows] of SCREENS) {
      await t.step(path, async () => {
        await opened.go(path);
        await opened.page.locator("main").getByText(shows).first().waitFor();
        await opened.check(path.slice(1));
      });
    }
    await t.step("the graph as a list", async () => {
      await opened.go("/graph");
      await opened.page.getByRole("checkbox", { name: "Show as list" }).check();
      await opened.page.getByRole("table", { name: "connections" }).waitFor();
      await opened.check("graph-list");
    });
  },
});

Deno.test({
  name: "a conversation shows its turns with what was drawn from them; the timeline leads to a turn",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, seeded } = opened;
    await opened.go(`/sessions/${seeded!.sessionId}`);
    await page.getByRole("button", { name: "Draw facts from it now" }).click();
    await page.getByRole("list", { name: "What was drawn from it" }).first().waitFor();
    await opened.check("session");
    await opened.go("/timeline?q=restore test");
    await page.getByRole("link", { name: "turn", exact: true }).first().click();
    await page.locator(".turn.sought").waitFor();
  },
});

Deno.test({
  name: "a file is looked at before it is imported; an agent's first call turns the light green",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true, path: "/transfer" });
    const { page, service } = opened;
    await page.getByLabel("From").selectOption("markdown");
    await page.getByLabel("File").setInputFiles({
      name: "notes.md",
      mimeType: "text/markdown",
      buffer: Buffer.from("- The kitchen door sticks in winter.\n"),
    });
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText(/would be created/).waitFor();
    const known = async () =>
      (await service.get("/v1/memory/units?q=kitchen")).body.data.filter(({ type }: { type: string }) =>
        type === "fact"
      );
    assert.equal((await known()).length, 0);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText(/created, .* not understood/).waitFor();
    await opened.settled();
    assert.equal((await known()).length, 1);
    await opened.go("/connect");
    await page.getByText("Waiting for the first call…").waitFor();
    await service.post("/v1/memory/recall", { query: "kitchen" });
    await page.getByText(/Connected:/).waitFor();
  },
});

Deno.test({
  name: "what a key may not do is neither in the navigation nor on the screens",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ scopes: ["memory:read"] });
    const { page } = opened;
    const names = await page.getByRole("navigation", { name: "Screens" }).getByRole("link").allInnerTexts();
    for (const hidden of ["Audit", "Recalls", "Federation", "Webhooks", "Import and export"]) {
      assert.ok(!names.includes(hidden), hidden);
    }
    for (const [path] of SCREENS.slice(0, 6)) {
      await opened.go(path);
      assert.equal(await page.locator(".alert.bad").count(), 0, path);
    }
    assert.deepEqual(opened.faults, []);
  },
});

Deno.test({
  name: "who opens an empty memory is shown how to begin, stores three statements and finds one of them by a question",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ prepare: () => Promise.resolve() });
    const { page, service } = opened;
    await page.getByRole("heading", { name: "Connect an agent" }).waitFor();
    await opened.check("welcome");
    await page.getByRole("button", { name: "Allow changes and store" }).click();
    await page.getByLabel("Question").fill("How long are backups kept?");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("listitem").getByText("Backups are kept for ninety days since the audit.").first().waitFor();
    await opened.check("welcome-tried");
    assert.equal((await service.get("/v1/memory/facts")).body.data.length, 3);
    await page.getByRole("button", { name: "Go to the overview" }).click();
    await page.getByText("Facts in force").waitFor();
  },
});
