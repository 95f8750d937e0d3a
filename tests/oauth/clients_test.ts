/** Official clients with the address alone: they register, a person agrees in a browser, they recall, the person ends it. */
import assert from "node:assert/strict";
import { CONSOLE, openConsole } from "../console/_console.ts";
import { HAS_PYTHON, LOCKED_PYTHON } from "../python/_python.ts";
import { AGENTS, agreeInBrowser, Callback, Provider, PythonAgent } from "./_client.ts";

for (const [name, open] of Object.entries(AGENTS)) {
  Deno.test(
    `T77 the official client, ${name}, is let in by a person in a browser, recalls, and is refused once its access has ended`,
    {
      ...CONSOLE,
    },
    async () => {
      await using console = await openConsole({ isLoggedIn: false });
      const { service, page, url, key } = console;
      await service.post("/v1/memory/facts", { statement: "Gus lives in Oslo." });
      await using callback = new Callback();
      const provider = new Provider(callback.url);
      const agent = open(`${url}/mcp`, provider);
      await assert.rejects(agent.connect(), /nauthorized/);
      await agreeInBrowser(page, provider.asked!.href, { key });
      await agent.finish(await callback.answer);
      await agent.connect();
      assert.match(await agent.recall("Where does Gus live?"), /Oslo/);

      await console.go("/clients");
      await console.allowChanges();
      await page.getByRole("row", { name: /Test agent/ }).getByRole("button", { name: "End…" }).click();
      await page.getByRole("button", { name: "End it" }).click();
      await page.getByText("No client is connected").waitFor();
      await assert.rejects(agent.recall("Where does Gus live?"), /nauthorized/);
      await agent.close();
      assert.deepEqual(console.faults, []);
    },
  );
}

Deno.test(
  "T77 the official Python client is let in by a person in a browser, recalls, and is refused once its access has ended",
  {
    ignore: CONSOLE.ignore || !HAS_PYTHON,
  },
  async () => {
    await using console = await openConsole({ isLoggedIn: false });
    const { service, page, url, key } = console;
    await service.post("/v1/memory/facts", { statement: "Gus lives in Oslo." });
    await using callback = new Callback();
    await using agent = new PythonAgent(LOCKED_PYTHON, `${url}/mcp`, callback.url);
    const { open } = await agent.hear();
    await agreeInBrowser(page, open!, { key });
    await agent.say((await callback.answer).toString());
    assert.deepEqual(await agent.hear(), { connected: true });
    await agent.say("Where does Gus live?");
    assert.match((await agent.hear()).text!, /Oslo/);

    await console.go("/clients");
    await console.allowChanges();
    await page.getByRole("button", { name: "End…" }).click();
    await page.getByRole("button", { name: "End it" }).click();
    await page.getByText("No client is connected").waitFor();
    await agent.say("Where does Gus live?");
    // It has to be let in anew.
    assert.match((await agent.hear()).open ?? "", /\/oauth\/authorize\?/);
  },
);
