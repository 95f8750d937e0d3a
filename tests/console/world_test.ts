/** The screens of a workspace in which everything has happened once: every kind of unit, an agent, a recall, a peer. */
import assert from "node:assert/strict";
import { buildWorld, type World } from "../http/_world.ts";
import { CONSOLE, type Console, openConsole } from "./_console.ts";

async function openWorld(options: Parameters<typeof openConsole>[0] = {}): Promise<{ opened: Console; world: World }> {
  let world: World | undefined;
  const opened = await openConsole({
    ...options,
    prepare: async (service) => void (world = await buildWorld(service, { mark: "harbour" })),
  });
  return { opened, world: world! };
}

Deno.test({
  name:
    "what agents changed, their playbooks as differences, their tasks, peers, webhooks and units of each kind are shown",
  ...CONSOLE,
  async fn(t) {
    const { opened, world: { agent, ids } } = await openWorld();
    await using _ = opened;
    const { page } = opened;
    const tab = async (name: string) => {
      await page.getByRole("tab", { name }).click();
      await opened.settled();
    };
    await t.step("overview", async () => {
      await opened.go("/");
      await page.getByRole("region", { name: "Agents" }).getByText(agent).waitFor();
      await page.getByRole("region", { name: "What waits for you" }).getByText("The vault of harbour is blue.")
        .waitFor();
      await opened.check("world-overview");
    });
    await t.step("agents", async () => {
      await opened.go("/agents");
      await opened.check("world-agents");
      await opened.go(`/agents/${agent}`);
      await tab("Playbook");
      await page.locator("ins", { hasText: "Never tell anybody of harbour." }).waitFor();
      await opened.check("world-agent-playbook");
      await opened.go("/agents/harbour");
      await tab("Tasks");
      await page.getByText("Guard harbour").waitFor();
      await opened.check("world-agent-tasks");
    });
    for (const name of ["facts", "decisions", "strategies", "workflows", "skills", "episodes", "entities"] as const) {
      await t.step(name, async () => {
        await opened.go(`/unit/${ids[name]}`);
        await tab("History");
        await page.getByRole("table", { name: "versions" }).waitFor();
        await opened.check(`world-${name}`);
      });
    }
    for (
      const [path, shows] of [
        ["/federation", "vault-"],
        [`/webhooks/${ids.webhooks}`, "/harbour"],
        [`/graph?around=${ids.entities}`, "Point at a node"],
        ["/sessions", "About harbour"],
        ["/transfer", "Export"],
      ] as const
    ) {
      await t.step(path, async () => {
        await opened.go(path);
        await page.locator("main").getByText(shows).first().waitFor();
        await opened.check(`world-${path.split(/[/?]/)[1]}`);
      });
    }
  },
});

Deno.test({
  name: "what rests on a unit is listed; a claim that was read wrongly is corrected by hand",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ writing: true });
    const { page, service, seeded } = opened;
    const derived = await service.post("/v1/memory/facts", {
      statement: "Old invoices can be restored for three months.",
      derivedFrom: [seeded!.currentFactId],
    });
    await service.post("/v1/memory/decisions", {
      title: "Archive",
      decision: "We drop the tape archive.",
      evidenceIds: [seeded!.currentFactId],
    });
    await opened.go(`/unit/${seeded!.currentFactId}`);
    await page.getByRole("tab", { name: "What rests on it" }).click();
    await page.getByText("Old invoices can be restored").waitFor();
    await page.getByText("We drop the tape archive").waitFor();
    await opened.check("unit-what-rests-on-it");
    await opened.go(`/unit/${derived.body.id}`);
    await page.getByRole("tab", { name: "What rests on it" }).click();
    await page.getByText("Nothing rests on it.").waitFor();

    const told = await service.post("/v1/memory/facts", { statement: "Nadia lives in Porto." });
    await opened.go(`/unit/${told.body.id}`);
    await page.getByRole("tab", { name: "What is read in it" }).click();
    await page.getByRole("button", { name: "Correct…" }).last().click();
    await opened.check("unit-correct-claim");
    await page.getByLabel("Which value").fill("Lisbon");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The claim is corrected.").waitFor();
    const { body } = await service.get(`/v1/memory/facts/${told.body.id}`);
    assert.deepEqual([body.subject, body.object, body.claims], ["Nadia", "Lisbon", []]);
    // The unit's version moved along: a correction that follows meets no other version.
    await page.getByRole("button", { name: "Correct…" }).first().click();
    await page.getByLabel("It was wrong").check();
    await page.getByLabel("What it says").fill("Nadia lives in Lisbon.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".unit-text", { hasText: "Lisbon" }).waitFor();
  },
});

Deno.test({
  name: "the graph says what it is centred on, and is centred on an entity by its name",
  ...CONSOLE,
  async fn() {
    const { opened, world: { ids } } = await openWorld();
    await using _ = opened;
    const { page, service } = opened;
    const name = (await service.get(`/v1/memory/entities/${ids.entities}`)).body.canonicalName;
    await opened.go("/graph");
    await page.getByLabel("Centre on").fill("Xyzzyplugh");
    await page.getByRole("button", { name: "Go" }).click();
    await page.getByText("No entity has such a name.").waitFor();
    await page.getByLabel("Centre on").fill(name);
    await page.getByRole("button", { name: "Go" }).click();
    await page.locator(".lead", { hasText: `Around ${name}` }).waitFor();
    await opened.check("graph-centred");
  },
});

Deno.test({
  name: "a recall of the diary is asked again: what is new, what is gone and why",
  ...CONSOLE,
  async fn() {
    const { opened, world: { ids } } = await openWorld();
    await using _ = opened;
    const { page, service } = opened;
    await opened.go(`/recalls?unitId=${ids.facts}`);
    await page.locator("tbody a").first().click();
    await page.getByRole("button", { name: "Of what is known now" }).click();
    await page.getByText(/It finds the same units/).waitFor();
    await opened.check("world-recall");
    assert.equal((await service.delete(`/v1/memory/facts/${ids.facts}`)).status, 200);
    await page.reload();
    await page.getByRole("button", { name: "Of what is known now" }).click();
    await page.getByRole("heading", { name: "No longer shown" }).waitFor();
    await opened.check("world-recall-changed");
    await page.getByRole("button", { name: "Of what was known then" }).click();
    await opened.settled();
  },
});

Deno.test({
  name: "no page of the console turns the light green, only a call of an agent, which is named",
  ...CONSOLE,
  async fn() {
    await using opened = await openConsole({ path: "/connect" });
    const { page, context, service, url } = opened;
    await page.getByText("Waiting for the first call…").waitFor();
    const other = await context.newPage();
    await other.goto(`${url}/console/#/`);
    await other.getByText("live", { exact: true }).waitFor();
    await other.goto(`${url}/console/#/memory`);
    await other.getByRole("table").waitFor();
    await other.close();
    // The rows of that page are written when one of a later call is.
    await page.waitForResponse((reply) => reply.url().includes("/v1/audit"));
    await page.waitForResponse((reply) => reply.url().includes("/v1/audit"));
    assert.equal(await page.getByText(/Connected:/).count(), 0);
    await service.post("/v1/memory/recall", { query: "backups" });
    await page.getByText(/Connected: test called .*read\.recall/).waitFor();
  },
});
