/** What a person typed into a dialog: kept when the session ends, refused at its field; and the review on a narrow page. */
import assert from "node:assert/strict";
import { CONSOLE, openConsole } from "./_console.ts";

Deno.test({
  name: "what was typed into a dialog is there again after the session has ended, for the one who typed it alone",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, service, seeded, context } = opened;
    const typed = "The office is in a street whose name took long to type.";
    const correct = async () => {
      await opened.go(`/unit/${seeded!.currentFactId}`);
      await page.getByRole("button", { name: "Correct…" }).click();
      return page.getByRole("dialog").getByLabel("What holds now");
    };
    const endSession = async () => {
      await context.clearCookies();
      await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
      await page.getByText("What you had typed is kept until then").waitFor();
    };
    await (await correct()).fill(typed);
    await endSession();
    await opened.shoot("login-with-draft");
    assert.ok(!(await page.content()).includes(typed), "the page of nobody shows what somebody typed");
    await opened.logIn();
    await opened.allowChanges();
    assert.equal(await (await correct()).inputValue(), typed);
    await endSession();
    await opened.logIn(await service.createKey());
    await opened.allowChanges();
    const field = await correct();
    assert.notEqual(await field.inputValue(), typed);
    await field.fill(typed);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    assert.notEqual(await (await correct()).inputValue(), typed, "a dialog that was closed keeps nothing");
  },
});

Deno.test({
  name: "a refusal that names a field stands at the field, and goes when the change is made",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    await page.getByRole("button", { name: "Correct…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("It was wrong").check();
    const until = dialog.getByLabel("True until");
    await dialog.getByLabel("True since").fill("2025-05-02T10:00");
    await until.fill("2025-05-01T10:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Must not be before validFrom.").waitFor();
    assert.equal(await until.getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator(".toast.bad").count(), 0);
    await opened.check("fault-at-field");
    await until.fill("2025-05-03T10:00");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Corrected.").waitFor();
  },
});

Deno.test({
  name: "on a narrow page the review shows the decision, and the queue below it",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true, path: "/review" });
    const { page } = opened;
    const places = async () => {
      const [queue, decide] = await Promise.all([
        page.getByRole("list", { name: "What waits" }).boundingBox(),
        page.getByRole("button", { name: "Not worth a decision" }).boundingBox(),
      ]);
      return { queue: queue!, decide: decide! };
    };
    const wide = await places();
    assert.ok(wide.queue.x + wide.queue.width <= wide.decide.x, "on a wide page the queue stands beside it");
    await page.setViewportSize({ width: 390, height: 844 });
    const narrow = await places();
    assert.ok(narrow.decide.y + narrow.decide.height <= narrow.queue.y, JSON.stringify(narrow));
    await opened.shoot("review-narrow");
  },
});
