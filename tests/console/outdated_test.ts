/** What the console is for: an agent was told something outdated, and a person finds out why and sets it right. */
import assert from "node:assert/strict";
import { diaryOf } from "../../src/domain/recall/noted/diary.ts";
import { ADMIN_TOKEN, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { CONSOLE, openConsole } from "./_console.ts";
import { seed } from "./_seed.ts";

const QUESTION = "Who keeps the on-call phone?";

/** An agent asks, and is answered with what was true in September. */
async function askOutdated(service: TestService): Promise<void> {
  await seed(service);
  const session = await service.post("/v1/session", { title: "Hand-over in September" });
  const turn = {
    ...{ messageId: "h1", role: "user", name: "Marek" },
    ...{ content: "I have the on-call phone now.", occurredAt: "2026-09-01T08:00:00Z" },
  };
  await service.post(`/v1/session/${session.body.id}/turns`, { turns: [turn] });
  await service.post("/v1/memory/facts", {
    ...{ statement: "Marek keeps the on-call phone.", validFrom: "2026-09-01T08:00:00Z", tags: ["on-call"] },
    citations: [{ messageId: "h1", sessionId: session.body.id, quote: "I have the on-call phone now." }],
  });
  const on = { settings: { recallDiaryDays: 30 } };
  assert.equal(
    (await service.patch(`/v1/admin/workspaces/${service.workspaceId}`, on, { key: ADMIN_TOKEN })).status,
    200,
  );
  await waitFor("the diary", async () => {
    await service.post("/v1/memory/recall", { query: QUESTION });
    await diaryOf(service.deps).flush();
    return (await service.get("/v1/memory/recalls")).body.data.length > 0;
  });
}

/** What recall finds first about the phone: of now, or as of a time. */
async function atTime(service: TestService, asOf?: string): Promise<string> {
  const { body } = await service.post("/v1/memory/recall", { query: QUESTION, ...(asOf && { asOf }) });
  return body.results.filter(({ text }: { text: string }) => /on-call phone\.$/.test(text))[0]?.text ?? "nothing";
}

Deno.test({
  name:
    "from a wrong answer to the right one: what the agent asked, where the statement came from, correct it, ask again",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ prepare: askOutdated });
    const { page } = opened;
    let clicks = 0;
    const click = async (locator: ReturnType<typeof page.locator>) => {
      clicks++;
      await locator.click();
      await opened.settled();
    };
    const screens = page.getByRole("navigation", { name: "Screens" });
    await click(screens.getByRole("link", { name: "Recalls" }));
    await click(page.getByRole("link", { name: QUESTION }).first());
    await page.getByText("Marek keeps the on-call phone.").waitFor();
    await click(page.locator("li", { hasText: "Marek keeps" }).getByRole("link", { name: /Marek keeps/ }));
    // Since when, and who said so: the tab of sources is open.
    await page.getByText("since 1 Sept 2026").waitFor();
    await page.getByText("I have the on-call phone now.").waitFor();
    await opened.check("outdated-unit");
    await click(page.getByRole("switch", { name: "Read only" }));
    await page.getByRole("switch", { name: /Changes allowed/ }).waitFor();
    await click(page.getByRole("button", { name: "Correct…" }));
    assert.equal(await page.getByLabel("It has changed").isChecked(), true);
    await page.getByLabel("What holds now").fill("Nadia keeps the on-call phone.");
    await page.getByLabel("True since").fill("2026-11-20T08:00");
    await opened.check("outdated-changed");
    await click(page.getByRole("button", { name: "Save" }));
    await page.getByText("Nadia keeps the on-call phone.").first().waitFor();
    await page.getByText("Replaced by", { exact: true }).waitFor();
    const { body } = await opened.service.get("/v1/memory/facts?tags=on-call");
    assert.deepEqual(body.data.map(({ statement }: { statement: string }) => statement), [
      "Nadia keeps the on-call phone.",
    ]);
    assert.match(await atTime(opened.service, "2026-10-01T00:00:00Z"), /^Marek/);
    assert.match(await atTime(opened.service), /^Nadia/);
    await click(screens.getByRole("link", { name: "Recalls" }));
    await click(page.getByRole("link", { name: QUESTION }).first());
    // What was shown stands there as the agent read it.
    await page.getByText("Marek keeps the on-call phone.").waitFor();
    await click(page.getByRole("button", { name: "Of what is known now" }));
    await page.locator("section", { hasText: "Ask it again" }).getByText("Nadia keeps the on-call phone.").waitFor();
    await opened.check("outdated-corrected");
    assert.ok(clicks <= 10, `${clicks} clicks`);
    // And as of then, the answer is the one that the agent got.
    await click(page.getByRole("button", { name: "Of what was known then" }));
    await page.locator("section", { hasText: "Ask it again" }).getByText("Marek keeps the on-call phone.").waitFor();
  },
});
