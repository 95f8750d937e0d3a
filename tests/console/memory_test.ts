/** What is known, one unit of it, and the decisions that wait for a person. */
import assert from "node:assert/strict";
import { CONSOLE, openConsole } from "./_console.ts";

Deno.test({
  name: "the memory is browsed, filtered, and forgotten with a way back; hostile texts are shown as texts",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/memory" });
    const { page } = opened;
    await opened.check("memory");
    assert.equal(await page.title(), "Memory · Memory console");
    await page.getByLabel("Text contains").fill("ninety days");
    await page.getByRole("button", { name: "Find" }).click();
    await page.getByText("Deployments happen on Tuesdays").waitFor({ state: "hidden" });
    await page.getByText("Backups are kept for ninety days since the audit.").waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    await opened.allowChanges();
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByText("pinned", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Correct…" }).click();
    await page.getByLabel("It was wrong").check();
    await page.getByLabel("Why").fill("A word was missing.");
    await page.getByLabel("What it says").fill("All backups are kept for ninety days since the audit.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("All backups are kept").waitFor();
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("Nothing here").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("All backups are kept for ninety days since the audit.").waitFor();
    await opened.go("/memory?tag=hostile");
    await page.getByRole("button", { name: "Archive all of these…" }).click();
    await page.getByRole("dialog").getByText(/would be archived/).waitFor();
    await opened.check("memory-forget");
    await page.getByRole("dialog").getByRole("button", { name: /^Archive \d/ }).click();
    await page.getByText("Nothing here").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("tbody tr").first().waitFor();
    assert.equal(await page.locator("tbody tr").count(), opened.seeded!.hostileFactIds.length);
    // By any filter, and without what is unticked.
    await opened.go("/memory?tag=ops&q=s&trust=50");
    const before = await page.locator("tbody tr").count();
    await page.getByRole("button", { name: "Archive all of these…" }).click();
    await page.getByRole("dialog").getByRole("checkbox", { name: /Deployments/ }).uncheck();
    await page.getByRole("dialog").getByRole("button", { name: `Archive ${before - 1}` }).click();
    await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
    assert.match(await page.locator("tbody").innerText(), /Deployments/);
  },
});

Deno.test({
  name: "a unit shows both axes of time, its history and who saw it; a person corrects it with a reason",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/" });
    const { page, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    await page.getByText("Replaced", { exact: true }).waitFor();
    await page.locator(".axes .ends time").first().waitFor();
    assert.match(await page.locator(".axes .ends").innerText(), /\d{4}[\s\S]*today[\s\S]*now/);
    await opened.check("unit");
    for (const tab of ["History", "What is read in it", "Who was shown it"]) {
      await page.getByRole("tab", { name: tab }).click();
      await opened.settled();
      await opened.check(`unit-${tab.toLowerCase().replaceAll(" ", "-")}`);
    }
    await opened.allowChanges();
    await page.getByRole("button", { name: "Correct…" }).click();
    await opened.check("unit-correct");
    await page.getByLabel("It was wrong").check();
    await opened.check("unit-correct-wrong");
    await page.getByLabel("What it says").fill("Backups are kept for a hundred days since the audit.");
    await page.getByLabel("Why").fill("The auditor wrote so.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".unit-text").getByText("hundred days").waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("The auditor wrote so.").waitFor();
    await page.locator("del").getByText("ninety").waitFor();
  },
});

Deno.test({
  name: "a contested fact is decided by the keyboard, and the loser is no longer recalled",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/review", writing: true });
    const { page, service } = opened;
    await page.getByRole("heading", { name: "Two facts contradict each other" }).waitFor();
    await opened.settled();
    await opened.check("review");
    await page.keyboard.press("2");
    await page.getByText("Decided.").waitFor();
    const { body } = await service.post("/v1/memory/recall", { query: "Where does the staging database run?" });
    const said = body.results.map(({ text }: { text: string }) => text);
    assert.ok(
      said.some((text: string) => text.includes("Dublin")) && !said.some((text: string) => text.includes("Frankfurt")),
    );
  },
});

Deno.test({
  name: "what comes up for review appears while the screen is open, and never takes the place of the shown item",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/review", writing: true });
    const { page, service } = opened;
    await page.getByText("live", { exact: true }).waitFor();
    await opened.settled();
    const queue = page.locator(".queue-item"), before = await queue.count();
    const shown = await page.locator(".queue-item[aria-current]").innerText();
    for (const [object, attribution] of [["Ghent", "user_stated"], ["Bruges", "agent_inferred"]]) {
      const { status } = await service.post("/v1/memory/facts", {
        ...{
          statement: `The depot is in ${object}.`,
          subject: "the depot",
          predicate: "lives in",
          object,
          attribution,
        },
      });
      assert.equal(status, 201);
    }
    await queue.filter({ hasText: "Bruges" }).waitFor();
    assert.equal(await queue.count(), before + 1);
    assert.equal(await page.locator(".queue-item[aria-current]").innerText(), shown);
    await queue.filter({ hasText: "Bruges" }).click();
    const { body } = await service.get("/v1/review");
    const of = await Promise.all(
      body.data.map(async (item: { id: string; subjectId: string }) => ({
        ...item,
        text: (await service.get(`/v1/memory/facts/${item.subjectId}`)).body.statement,
      })),
    );
    const { id } = of.find(({ text }) => /Bruges/.test(text));
    assert.equal((await service.post(`/v1/review/${id}/dismiss`, {})).status, 200);
    await page.getByText("This was decided meanwhile.").waitFor();
    assert.equal(await page.getByRole("button", { name: /Keep|Take/ }).count(), 0);
    await page.keyboard.press("j");
    await page.getByRole("button", { name: /Keep|Take/ }).first().waitFor();
  },
});

Deno.test({
  name: "a key that only reads sees memory, units and reviews, and no control that would change them",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/memory", scopes: ["memory:read"] });
    const { page, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    assert.equal(await page.getByRole("button", { name: /Correct|Pin|Archive|Erase/ }).count(), 0);
    assert.equal(await page.getByRole("tab", { name: "Who was shown it" }).count(), 0);
    await opened.go("/review");
    assert.equal(await page.getByRole("button", { name: /Keep|Take/ }).count(), 0);
    await opened.go("/unit/01890000-0000-7000-8000-000000000001");
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    assert.deepEqual(opened.faults, []);
  },
});
