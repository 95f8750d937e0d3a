/** Two users of one app: the second tries every face to reach what is the first one's. docs/reference/guarantees.md T81. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { createBroker } from "../_fixtures.ts";
import { exampleOf } from "../_http_face.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { callTool } from "../mcp/_client.ts";
import { callRpc } from "../rpc/_client.ts";
import { StreamClient } from "./_stream.ts";
import { Tables } from "./_tables.ts";
import { openTenant } from "./_tenants.ts";
import { buildWorld, fillPath, isTold, NAMES_IDS, questionOf, readOf, READS } from "./_world.ts";

const MARK = "quetzalcoatlus";

Deno.test({
  ...POSTGRES,
  name: "T81 a user of an app finds, reads, changes and hears nothing of another user by any face, whatever is tried",
  async fn(t) {
    await using service = await startService();
    await using tables = new Tables(service);
    // As powerful as a user of an app may ever be.
    const scopes = SCOPES.filter((scope) => scope !== "memory:admin:cross_tenant" && scope !== "federation");
    const broker = await createBroker(service, { scopes, maxSensitivity: "restricted" });
    const alice = await openTenant(service, broker, "alice");
    const bob = await openTenant(service, broker, "bob");
    const all = (workspaceId: string) => service.createKey({ workspaceId });
    const world = await buildWorld(service, { mark: MARK, key: await all(alice.id), workspaceId: alice.id });
    const own = await buildWorld(service, { mark: "archaeopteryx", key: await all(bob.id), workspaceId: bob.id });
    const assertSilent = (what: string, body: unknown) => {
      const text = (typeof body === "string" ? body : JSON.stringify(body)).replaceAll(questionOf(MARK), "");
      assert.doesNotMatch(text, new RegExp(MARK), what);
      assert.ok(!text.includes(alice.id), `${what} names the other workspace`);
    };
    for (const [credential, secret] of [["key", bob.key], ["token", bob.token]] as const) {
      await t.step(`reads, with a ${credential}`, async () => {
        for (const endpoint of READS) {
          const { name, method, path, body, single } = readOf(endpoint, world);
          const reply = await service.call(method, path, { key: secret, body });
          if (single && !NAMES_IDS.has(endpoint.scope)) {
            assert.ok(reply.status === 404 || !isTold(JSON.stringify(reply.body), world), `${name}: ${reply.status}`);
          }
          // The caller's own words may come back in a refusal.
          if (reply.status < 400) assertSilent(name, reply.body);
        }
      });
      await t.step(`changes, with a ${credential}`, async () => {
        const before = await tables.digest(alice.id);
        for (const endpoint of ENDPOINTS) {
          const template = pathOf(endpoint);
          if (endpoint.bearer !== "key" || endpoint.idempotency === "none" || !/\{(id|agent|jobId)\}/.test(template)) {
            continue;
          }
          const method = endpoint.route.method.toUpperCase();
          const reply = await service.call(method, fillPath(template, world), {
            key: secret,
            body: exampleOf(endpoint),
          });
          if (reply.status < 400) assertSilent(`${method} ${template}`, reply.body);
        }
        assert.deepEqual(await tables.digest(alice.id), before, "rows of the other user changed");
      });
      await t.step(`RPC and MCP, with a ${credential}`, async () => {
        const recalled = await callRpc(service, "Recall", { query: questionOf(MARK) }, { key: secret });
        assert.equal(recalled.status, 200, JSON.stringify(recalled.body));
        assertSilent("Recall", { ...recalled.body, query: "" });
        const tool = await callTool(service, "recall", { query: questionOf(MARK) }, { key: secret });
        assertSilent("the tool recall", tool);
        const read = await callTool(service, "read", { ids: [world.ids.facts] }, { key: secret });
        assertSilent("the tool read", read);
      });
    }
    await t.step("the hot tier, by turns", async () => {
      for (let n = 0; n < 30; n++) {
        for (const [key, mark, other] of [[alice.token, MARK, own.mark], [bob.token, own.mark, MARK]] as const) {
          const { body } = await service.post("/v1/memory/recall/hot", { query: questionOf(mark), minScore: 0 }, {
            key,
          });
          assert.match(JSON.stringify(body.results), new RegExp(mark));
          assert.doesNotMatch(JSON.stringify(body.results), new RegExp(other));
        }
      }
    });
    await t.step("streams and exports", async () => {
      const { url } = service.listen();
      await using client = await StreamClient.open(url, { key: bob.token });
      client.send({ op: "subscribe", channel: "memory" });
      await waitFor("the subscription", () => client.messages.some(({ op }) => op === "subscribed"));
      const say = async (key: string, statement: string) =>
        (await service.post("/v1/memory/facts", { statement }, { key })).body.id as string;
      const theirs = [await say(alice.key, "One."), await say(alice.token, "Two.")];
      const mine = await say(bob.token, "Three.");
      await waitFor("the own change", () => client.messages.some(({ event }) => event?.resourceId === mine));
      assert.deepEqual(client.messages.filter(({ event }) => theirs.includes(event?.resourceId)), []);
      assertSilent("the export", (await service.get("/v1/export", { key: bob.key })).body);
      client.send({ op: "unsubscribe", channel: "memory" });
    });
  },
});
