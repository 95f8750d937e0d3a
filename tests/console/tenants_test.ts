/** The console's screens for apps and their users: add an app, suspend a user, erase one by typing its id. */
import assert from "node:assert/strict";
import { ADMIN_TOKEN } from "../_service.ts";
import { openAsAdmin } from "./_admin.ts";
import { CONSOLE } from "./_console.ts";

Deno.test({
  name:
    "an admin adds an app, finds its users, suspends and resumes one, and erases one by typing its id, with a receipt",
  ...CONSOLE,
  async fn() {
    await using on = await openAsAdmin({ writing: true });
    const { opened, opened: { page, service } } = on;
    await opened.go("/admin/tenants");
    await page.getByText("No app makes workspaces here").waitFor();
    await opened.check("admin-tenants-none");
    await opened.go("/admin/apps");
    await page.getByRole("button", { name: "Add an app…" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("notes app");
    await opened.check("admin-apps-add");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const key = await page.locator("pre.secret").innerText();
    assert.match(key, /^mk_broker_/);
    await page.getByRole("button", { name: "Done" }).click();
    await opened.check("admin-apps");
    const tenants = new Map<string, string>();
    for (const name of ["alice@example.org", "bob <b>bold</b>", "carol"]) {
      const { body } = await service.post("/v1/admin/tenants", { externalId: name, credential: "key" }, { key });
      tenants.set(name, body.key.key);
    }
    await page.getByRole("link", { name: "Users" }).click();
    await opened.settled();
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("bob <b>bold</b>").waitFor();
    await opened.check("admin-tenants");
    await row("alice").getByRole("button", { name: "Suspend…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
    await row("alice").getByRole("button", { name: "Resume" }).waitFor();
    assert.equal((await service.get("/v1/whoami", { key: tenants.get("alice@example.org")! })).status, 403);
    await row("alice").getByRole("button", { name: "Resume" }).click();
    await row("alice").getByRole("button", { name: "Suspend…" }).waitFor();
    assert.equal((await service.get("/v1/whoami", { key: tenants.get("alice@example.org")! })).status, 200);
    await page.getByLabel("User begins with").fill("car");
    await page.getByRole("button", { name: "Find" }).click();
    await row("alice").waitFor({ state: "detached" });
    await row("carol").getByRole("button", { name: "Erase…" }).click();
    await page.getByLabel("Type carol to erase it").fill("Carol");
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await page.getByText("It is another text.").waitFor();
    await opened.check("admin-tenants-erase");
    await page.getByLabel("Type carol to erase it").fill("carol");
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await page.getByText("This is what it had").waitFor();
    await opened.check("admin-tenants-receipt");
    await page.getByRole("button", { name: "Done" }).click();
    assert.equal((await service.get("/v1/whoami", { key: tenants.get("carol")! })).status, 401);
    const told = await service.get("/v1/admin/audit?eventType=tenant.erased", { key: ADMIN_TOKEN });
    assert.match(told.body.data[0].actor_id, /^admin:/);
  },
});
