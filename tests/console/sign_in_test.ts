/** Signing in to the console by an issuer, in a browser. */
import assert from "node:assert/strict";
import { entryOf, freePort, startIssuer, trusting } from "../_issuer.ts";
import { CONSOLE, openConsole } from "./_console.ts";

Deno.test({
  name: "T78 a person signs in by the button, comes back to the screen that was asked for, and logs out",
  ...CONSOLE,
  async fn() {
    await using issuer = await startIssuer();
    const port = freePort();
    const signIn = { clientId: "console", label: "Acme" };
    const rules = [{ workspace: { claim: "workspace" }, scopes: ["memory:read", "audit:read"] }];
    const env = {
      ...trusting(entryOf(issuer, "", { signIn, rules })),
      SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    await using opened = await openConsole({ isLoggedIn: false, env, port });
    const { page, service, url } = opened;
    issuer.person = { sub: "ada", preferred_username: "ada@acme.example", workspace: service.workspaceId };
    await page.goto(`${url}/console/#/audit`);
    const button = page.getByRole("button", { name: "Sign in with Acme" });
    await button.waitFor();
    await opened.check("sign-in");
    await button.click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    assert.equal(page.url(), `${url}/console/#/audit`, "no code and no state stay in the address");
    const kept = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage, document.cookie])");
    assert.ok(!/svc_console_|code|nonce|ey[JK]/.test(kept), `the page keeps ${kept}`);
    await page.reload();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("You have logged out.").waitFor();
    issuer.person = { ...issuer.person, workspace: "none" };
    await page.getByRole("button", { name: "Sign in with Acme" }).click();
    await page.getByText(/no rule of the issuer test gives ada a workspace here/).waitFor();
    await opened.check("sign-in-refused");
  },
});
