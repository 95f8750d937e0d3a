/** `svc.tenant()`: the client of one user of an app, whose token the client gets and renews by itself. */
import assert from "node:assert/strict";
import { createClient, SvcError } from "../../clients/typescript/mod.ts";
import { createBroker } from "../_fixtures.ts";
import { within } from "../_wait.ts";
import { clientOf, startAnyService } from "./_client.ts";

Deno.test("clients of an app's users are apart, share one token each however many call at once, and follow their channels", async () => {
  await using service = await startAnyService();
  const broker = await createBroker(service);
  const opened: string[] = [];
  const svc = clientOf(service, { key: broker.key }, (url, init) => {
    if (url.pathname === "/v1/admin/tenants") opened.push(JSON.parse(String(init.body)).externalId);
  });
  const [alice, bob] = [svc.tenant("alice"), svc.tenant("bob")];
  assert.equal(svc.tenant("alice"), alice);
  assert.notEqual(svc.tenant("alice", { scopes: ["memory:read"] }), alice);
  await Promise.all(Array.from({ length: 20 }, (_, n) => alice.createFact({ statement: `Alice has ${n} cups.` })));
  assert.deepEqual(opened, ["alice"]);
  await bob.createFact({ statement: "Bob has a saucer." });
  const own = await bob.recall({ query: "Who has cups and a saucer?", minScore: 0 });
  assert.doesNotMatch(JSON.stringify(own.results), /Alice/);
  const reader = svc.tenant("alice", { scopes: ["memory:read"] });
  await assert.rejects(
    reader.createFact({ statement: "No." }),
    (error: SvcError) => error.code === "insufficient_scope",
  );
  assert.deepEqual(opened, ["alice", "bob", "alice"]);

  const live = createClient({ url: service.listen().url, key: broker.key, timeoutMs: 120_000 }).tenant("bob");
  const { endCursor } = await live.listChanges({ limit: 1 });
  const watch = live.watch("memory", { since: endCursor });
  const { id } = await bob.createFact({ statement: "Bob has a spoon." });
  const { value } = await within("a change", watch.next(), 60_000);
  assert.equal((value as { event: { resourceId: string } }).event.resourceId, id);
  await watch.return();
});

Deno.test("a token that was revoked is renewed once, one that is nearly over before it ends, and a refusal is the caller's", async () => {
  let offsetMs = 0;
  await using service = await startAnyService({ clock: () => new Date(Date.now() + offsetMs) });
  const broker = await createBroker(service);
  let opened = 0;
  const svc = clientOf(service, { key: broker.key }, (url) => void (url.pathname === "/v1/admin/tenants" && opened++));
  const alice = svc.tenant("alice");
  const { workspace } = await alice.whoami();
  await svc.revokeTenantTokens({ id: workspace.id });
  const again = await Promise.all([1, 2, 3].map(() => alice.whoami()));
  assert.deepEqual(again.map((one) => one.workspace.id), Array(3).fill(workspace.id));
  assert.equal(opened, 2, "callers at once share one renewal");
  // The clock of the service goes on; the client learns it by the refusal.
  offsetMs = 3_700_000;
  assert.equal((await alice.whoami()).workspace.id, workspace.id);
  assert.equal(opened, 3);
  await svc.suspendTenant({ id: workspace.id });
  await assert.rejects(alice.whoami(), (error: SvcError) => error.code === "workspace_suspended");
  await svc.resumeTenant({ id: workspace.id });
  assert.equal((await alice.whoami()).workspace.id, workspace.id);
  const wrong = clientOf(service, { key: service.key }).tenant("alice");
  await assert.rejects(wrong.whoami(), (error: SvcError) => error.code === "unauthenticated");
});
