/** The session of the console: login, its end, and what its cookie opens. */
import assert from "node:assert/strict";
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
    assert.equal(
      await page.evaluate("JSON.stringify(Object.keys(localStorage).concat(Object.keys(sessionStorage)))"),
      "[]",
    );
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You have logged out.").waitFor();
    await page.reload();
    await page.getByLabel("Key").waitFor();
  },
});
