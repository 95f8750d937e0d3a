/** What a person reads when something goes wrong while the page is open, and that the page goes on afterwards. */
import assert from "node:assert/strict";
import { CONSOLE, openConsole } from "./_console.ts";

Deno.test({
  name: "while the service does not answer the page says so, keeps what it shows, and goes on when it answers again",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole();
    const { page, context, service } = opened;
    await page.getByText("live", { exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Sessions" }).click();
    await page.getByText("The service does not answer.").waitFor();
    await page.getByText("Look whether the service runs").waitFor();
    await opened.shoot("fault-away");
    await context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Monday stand-up").waitFor();
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Overview" }).click();
    await page.getByText("live", { exact: true }).waitFor();
    await service.post("/v1/memory/facts", { statement: "This was told after the pause." });
    await page.getByText("This was told after the pause.").waitFor();
  },
});

Deno.test({
  name: "a service that is stopping, and a key that has asked too often, are told with when to try again",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ rateLimit: { perMinute: 1, burst: 40 } });
    const { page } = opened;
    const refusal = page.getByText(/try again in \d+ seconds/);
    for (let i = 0; i < 40 && await refusal.count() === 0; i++) {
      await opened.go(i % 2 === 0 ? "/timeline" : "/memory").catch(() => undefined);
    }
    await refusal.first().waitFor();
    await opened.shoot("fault-rate");
    // The words of a stopping service, as its own reply has them.
    await page.route("**/console/api/v1/session*", (route) =>
      route.fulfill({
        status: 503,
        contentType: "application/problem+json",
        body: JSON.stringify({
          type: "about:blank",
          title: "Service Unavailable",
          status: 503,
          code: "unavailable",
          message: "Cannot serve any more: the service is stopping",
        }),
      }));
    await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: "Sessions" }).click();
    await page.getByText("the service is stopping").waitFor();
    await page.getByText("It may be starting, stopping or overloaded.").waitFor();
  },
});

Deno.test({
  name: "what was erased while its page was open is told as erased, and nothing of it is changed",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, service, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    const erased = await service.post(`/v1/facts/${seeded!.currentFactId}/forget`, { mode: "erase" });
    assert.equal(erased.status, 200, JSON.stringify(erased.body));
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("It cannot be brought back.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    await page.locator(".toast.bad").waitFor();
    await opened.shoot("fault-erased");
    await page.getByRole("link", { name: "Go to the memory" }).click();
    await page.getByRole("table", { name: "units" }).waitFor();
  },
});

Deno.test({
  name: "a message of a fault goes when the person tries again, and says what to do where changes are not allowed",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, context, service, url, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    await page.getByRole("button", { name: "Correct…" }).click();
    await page.getByLabel("It was wrong").check();
    const changed = await service.patch(`/v1/memory/facts/${seeded!.currentFactId}`, { tags: ["changed"] });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What it says").fill("What nobody else has typed.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody changed it meanwhile.").waitFor();
    const other = await context.newPage();
    await other.goto(`${url}/console/`);
    await other.getByRole("switch", { name: /Changes allowed/ }).click();
    await other.getByRole("switch", { name: "Read only" }).waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("the console only reads until you allow changes").waitFor();
    await page.getByText("Changes are no longer allowed.").waitFor();
    assert.equal(await page.locator(".toast.bad").count(), 1);
    assert.equal(await page.getByText("Ask whoever made your key").count(), 0);
  },
});

Deno.test({
  name: "a question of the page goes with the screen that asked it",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true, path: "/memory" });
    const { page, seeded } = opened;
    await opened.go(`/unit/${seeded!.currentFactId}`);
    await page.getByRole("button", { name: "Erase…" }).click();
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  },
});
