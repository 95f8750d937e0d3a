/** The playground: what an agent gets, why, and why not. */
import assert from "node:assert/strict";
import { CONSOLE, openConsole } from "./_console.ts";

Deno.test({
  name: "the playground shows what an agent gets, why, what was said later, and why something is not there",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/playground" });
    const { page, seeded } = opened;
    await opened.check("playground-empty");
    await page.getByLabel("Question").fill("How long are backups kept?");
    await page.getByRole("button", { name: "Ask" }).click();
    const results = page.getByRole("article");
    await results.first().waitFor();
    assert.match(await results.first().innerText(), /ninety days/);
    assert.match(await results.first().innerText(), /Found by .*lexical/s);
    await page.getByText("Filters and times").click();
    await page.getByLabel("As of, exactly").fill("2026-10-05T12:00");
    // A time shows at once what was found then.
    await page.getByRole("article").filter({ hasText: "thirty days" }).first().waitFor();
    await page.getByLabel(/What you expected/).fill("since the audit");
    await page.getByRole("button", { name: "Why not?" }).click();
    await page.getByRole("button", { name: "Why not this?" }).first().click();
    await page.getByText(/A filter or a time left it out|Nothing in it fits|It fits too little/).waitFor();
    await page.getByLabel(/What you expected/).fill(seeded!.currentFactId);
    await page.getByRole("button", { name: "Why not?" }).click();
    await page.getByText(/A filter or a time left it out|Nothing in it fits|It fits too little/).waitFor();
    await page.getByRole("tab", { name: "Copy as a call" }).click();
    const curl = await page.getByLabel("The question as a call by curl").innerText();
    assert.match(curl, /"asOf":"2026-10-05T12:00:00.000Z"/);
    await page.reload();
    await page.getByRole("article").first().waitFor();
    await opened.check("playground");
  },
});

Deno.test({
  name: "T74 hostile texts are shown as texts: no script, no style, no request, no change of the page",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole();
    const { page } = opened;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    for (
      const [path, name] of [["/", "overview"], [
        "/playground?q=document%20title%20taken%20long&limit=30&type=fact",
        "hostile",
      ]] as const
    ) {
      await opened.go(path);
      await opened.check(name);
      assert.match(await page.title(), /Memory console$/);
    }
    await page.getByText("onerror", { exact: false }).first().waitFor();
    assert.equal(await page.locator("main img, main script, main style").count(), 0);
    for (const url of asked) assert.ok(url.startsWith(`${opened.url}/console/`) || url === "data:,", url);
  },
});

Deno.test({
  name: "the times are sliders that the keyboard moves; each step shows what was found then, and the way back is kept",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole();
    const { page } = opened;
    await opened.go("/playground?q=How long are backups kept?");
    await page.getByText("Filters and times").click();
    const slider = page.getByRole("slider", { name: /^As of/ });
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByRole("article").filter({ hasText: "thirty days" }).first().waitFor();
    assert.match(page.url(), /asOf=2026-10-01/);
    assert.equal(await page.evaluate("document.activeElement.type"), "range", "the focus stays on the slider");
    await page.keyboard.press("End");
    await page.getByRole("article").first().filter({ hasText: "ninety days" }).waitFor();
    assert.ok(!page.url().includes("asOf"), page.url());
  },
});

Deno.test({
  name: "what was said later leads to its turn in the conversation",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({
      async prepare(service) {
        await service.post("/v1/memory/facts", {
          statement: "The go-to editor of the printing team is Sublime Text",
          ...{ occurredAt: "2026-03-02T09:14:00Z", attribution: "user_stated" },
        });
        const { body } = await service.post("/v1/session", { title: "In May" });
        const content = "printing team caved, quokka mode is the editor now. Sublime is uninstalled";
        const turn = { role: "user", messageId: "m1", content, occurredAt: "2026-05-20T18:40:00Z" };
        await service.post(`/v1/session/${body.id}/turns`, { turns: [turn] });
      },
    });
    const { page } = opened;
    await opened.go("/playground?q=Which editor is the go-to of the printing team?");
    await page.getByRole("article").getByRole("link", { name: /quokka/ }).click();
    await page.locator(".turn.sought", { hasText: "quokka" }).waitFor();
  },
});
