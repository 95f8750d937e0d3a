/** Whose rights a webhook has: those of the key that answers for it, now and not only when the key created it. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { createContext } from "../../src/context.ts";
import { revokeApiKey, updateApiKey } from "../../src/domain/access/admin/api_keys.ts";
import { findWebhook, updateWebhook as storeWebhook } from "../../src/db/queries/webhooks.ts";
import { createWebhook, updateWebhook } from "../../src/domain/webhooks/endpoints.ts";
import { CreateWebhookBody } from "../../src/schema/webhook.ts";
import { type Scope, SCOPES } from "../../src/schema/scopes.ts";
import { POSTGRES } from "../_postgres.ts";
import type { TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { createEnabled, isGenuine, sendDue } from "./_receiver.ts";
import { createFact, kindsAt, logOf, read, startWorld } from "./_world.ts";

const ADMIN: readonly Scope[] = ["memory:admin", "memory:read", "memory:write", "tasks:read", "tasks:write"];

/** The id of the key that created a webhook. */
async function keyOf(service: TestService, webhookId: string): Promise<string> {
  return (await read(service, webhookId)).createdBy.replace("key:", "");
}

Deno.test({
  ...POSTGRES,
  name:
    "T70 a webhook is sent nothing once its key is revoked, has expired or has lost a right, until another key enables it",
  async fn() {
    const logged: string[] = [];
    await using world = await startWorld({ SVC_LOG_LEVEL: "warn" }, { logSink: (line) => void logged.push(line) });
    const { service, receiver } = world;
    await createEnabled(service, receiver.url("/watch"), { kinds: ["webhook."], maxSensitivity: "restricted" });
    const losses: Record<string, (keyId: string) => Promise<unknown>> = {
      revoked: (id) => revokeApiKey(service.operator(), id),
      expired: async (id) => {
        const expiresAt = new Date(world.now() + 60_000).toISOString();
        await updateApiKey(service.operator(), id, { expiresAt }, undefined);
        world.pass(60_000);
      },
      unread: (id) => updateApiKey(service.operator(), id, { scopes: ["memory:admin", "tasks:read"] }, undefined),
      untasked: (id) => updateApiKey(service.operator(), id, { scopes: ["memory:admin", "memory:read"] }, undefined),
      demoted: (id) => updateApiKey(service.operator(), id, { scopes: ["memory:read", "tasks:read"] }, undefined),
      lowered: (id) => updateApiKey(service.operator(), id, { maxSensitivity: "public" }, undefined),
    };
    for (const [name, lose] of Object.entries(losses)) {
      const key = await service.createKey({ scopes: ADMIN });
      const path = `/${name}`;
      const { id } = await createEnabled(service, receiver.url(path), { kinds: ["fact."] }, key);
      await createFact(service);
      await sendDue(service);
      equal(receiver.at(path).length, 1);
      // One message waits for its second attempt when the key loses its right.
      receiver.answer(path, () => new Response("", { status: 500 }));
      await createFact(service);
      await sendDue(service);
      equal(receiver.at(path).length, 2);
      receiver.answer(path, undefined);
      await lose(await keyOf(service, id));
      await createFact(service);
      world.pass(10_000);
      await sendDue(service);
      equal(receiver.at(path).length, 2, `${name}: neither the new message nor the waiting one is sent`);
      const { status, statusReason } = await read(service, id);
      deepEqual([status, statusReason], ["disabled", "key"], name);
      await sendDue(service);
      const told = receiver.at("/watch").at(-1)!.message;
      deepEqual([told.type, told.data.resource.id, told.data.payload.reason], ["webhook.disabled", id, "key"]);
      equal(logged.filter((line) => line.includes("webhook.disabled") && line.includes(id)).length, 1);
      // Another key answers for it from now on, and nothing is lost.
      equal((await service.patch(`/v1/webhooks/${id}`, { status: "enabled" })).body.status, "enabled");
      await sendDue(service);
      equal(receiver.at(path).length, 4, name);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T70 the challenge is not sent for a key that was revoked meanwhile",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const key = await service.createKey({ scopes: ADMIN });
    const { body } = await service.post("/v1/webhooks", { url: receiver.url("/a") }, { key });
    await revokeApiKey(service.operator(), await keyOf(service, body.id));
    await sendDue(service);
    deepEqual([receiver.all("/a").length, (await read(service, body.id)).statusReason], [0, "key"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T70 a key gives a webhook no rights that it lacks: not when it creates it, and not when it takes it over",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const url = receiver.url("/a");
    const refused = async (scopes: readonly Scope[], body: object) => {
      const reply = await service.post("/v1/webhooks", body, { key: await service.createKey({ scopes }) });
      deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], JSON.stringify(reply.body));
    };
    await refused(["memory:admin"], { url });
    await refused(["memory:admin", "memory:read"], { url, kinds: ["fact.", "task.created"] });
    await refused(["memory:admin", "memory:read"], { url, kinds: ["event."] });
    equal((await service.post("/v1/webhooks", { url, kinds: ["fact"] })).status, 422, "a kind that is none");

    const { id } = await createEnabled(service, url);
    const taskless = await service.createKey({ scopes: ["memory:admin", "memory:read"] });
    receiver.answer("/a", () => new Response("", { status: 500 }));
    equal((await service.post("/v1/memory/tasks", { title: "A secret task" })).status, 201);
    await createFact(service);
    await sendDue(service);
    const hidden = (await logOf(service, id)).find(({ kind }: { kind: string }) => kind === "task.created");
    const path = `/v1/webhooks/${id}`;
    const seen = (await service.get(`${path}/deliveries`, { key: taskless })).body.data;
    ok(seen.length > 0 && seen.every(({ resourceType }: { resourceType: string }) => resourceType !== "task"));
    equal((await service.post(`${path}/deliveries/${hidden.id}/retry`, {}, { key: taskless })).status, 404);
    equal((await service.patch(path, { kinds: ["task."] }, { key: taskless })).status, 403);
    // It sends the webhook to a URL of its own: what it may not read is not sent there, also not what waits.
    const moved = await service.patch(path, { url: receiver.url("/own") }, { key: taskless });
    deepEqual([moved.status, moved.body.withTasks], [200, false]);
    equal((await service.post("/v1/memory/tasks", { title: "Another secret task" })).status, 201);
    await sendDue(service);
    world.pass(10_000);
    await sendDue(service);
    ok(kindsAt(receiver, "/own").includes("fact.created"));
    ok(!kindsAt(receiver, "/own").some((kind) => kind.startsWith("task.")));
    equal((await logOf(service, id, "kind=task.created")).at(-1).state, "skipped");
    // A change that moves nothing leaves the webhook to the key that answers for it.
    await revokeApiKey(service.operator(), (await lastKeyOf(service, id))!);
    equal((await service.patch(path, { description: "still its" })).status, 200);
    await createFact(service);
    await sendDue(service);
    equal((await read(service, id)).statusReason, "key");
  },
});

/** The id of the key that answers for a webhook. */
async function lastKeyOf(service: TestService, id: string): Promise<string | undefined> {
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ keyId: string }[]>`
      select key_id as "keyId" from webhook_endpoint where workspace_id = ${tx.workspaceId} and id = ${id}`
  );
  return rows[0]?.keyId;
}

Deno.test({
  ...POSTGRES,
  name: "T70 an admin whose grant ends cannot leave a webhook behind, nor take one over",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"));
    const { workspaceId, deps } = service;
    const admin = createContext(
      deps,
      { actor: `admin:${crypto.randomUUID()}`, workspaceId, scopes: new Set(SCOPES), maxSensitivity: "restricted" },
      { requestId: "test", operationId: "test", signal: new AbortController().signal },
    );
    const body = CreateWebhookBody.parse({ url: receiver.url("/b") });
    await rejects(createWebhook(admin, body), { code: "insufficient_scope" });
    await rejects(updateWebhook(admin, id, { url: receiver.url("/b") }, undefined), { code: "insufficient_scope" });
    equal((await updateWebhook(admin, id, { status: "disabled" }, undefined)).status, "disabled");
    await rejects(updateWebhook(admin, id, { status: "enabled" }, undefined), { code: "insufficient_scope" });
  },
});

/** Another process changes the URL: this one keeps its connections. */
async function moveElsewhere(service: TestService, id: string, url: string): Promise<void> {
  await service.operator().tx(async (tx) => {
    const row = (await findWebhook(tx, id, true))!;
    await storeWebhook(tx, id, { ...row, url }, true);
  });
}

Deno.test({
  ...POSTGRES,
  name: "T70 what a caller changes holds for a batch that is on its way: only the messages in flight still go out",
  async fn() {
    await using world = await startWorld({}, { clock: () => new Date() });
    const { service, receiver } = world;
    const key = await service.createKey({ scopes: ADMIN });
    const secrets: string[] = [];
    const changes: Record<string, (id: string) => Promise<unknown>> = {
      moved: (id) => service.patch(`/v1/webhooks/${id}`, { url: receiver.url("/moved") }),
      "moved elsewhere": (id) => moveElsewhere(service, id, receiver.url("/elsewhere")),
      rotated: async (id) => {
        const { body } = await service.post(`/v1/webhooks/${id}/secret/rotate`, { overlapSeconds: 0 });
        secrets.push(body.secret);
      },
      deleted: (id) => service.delete(`/v1/webhooks/${id}`),
      revoked: async (id) => revokeApiKey(service.operator(), await keyOf(service, id)),
    };
    for (const [name, change] of Object.entries(changes)) {
      const path = `/batch/${name.replace(" ", "-")}`;
      const { id, secret } = await createEnabled(service, receiver.url(path), { kinds: ["fact."] }, key);
      await createFact(service);
      await sendDue(service);
      const held = Promise.withResolvers<void>();
      // A URL that is given up for another one says that it is gone.
      const status = name.startsWith("moved") ? 410 : 200;
      receiver.answer(path, async () => {
        await held.promise;
        return new Response("", { status });
      });
      for (let i = 0; i < 12; i++) await createFact(service);
      const sending = sendDue(service);
      await waitFor("four messages are in flight", () => receiver.at(path).length === 5);
      await change(id);
      // Long enough that the sender looks at the webhook before it sends the next message.
      await new Promise((resolve) => setTimeout(resolve, 200));
      held.resolve();
      await sending;
      const later = receiver.at(path).slice(5);
      if (name === "rotated") {
        equal(later.length, 8);
        ok(later.every((one) => isGenuine(one, secrets[0]!) && !isGenuine(one, secret)));
      } else {
        equal(later.length, 0, name);
      }
      if (name === "moved elsewhere") {
        // What the former URL says is not counted against the new one, which gets all that was not delivered.
        equal((await read(service, id)).status, "enabled");
        equal(receiver.at("/elsewhere").length, 12);
      }
      if (name === "revoked") equal((await read(service, id)).statusReason, "key");
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T70 another workspace's webhook is not found, whatever is asked of it",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    await createFact(service);
    await sendDue(service);
    const [{ id: deliveryId }] = await logOf(service, id);
    const other = await service.inNewWorkspace();
    const path = `/v1/webhooks/${id}`;
    const { body: { endCursor: since } } = await other.get("/v1/memory/changes?limit=1");
    const replies = [
      await other.get(path),
      await other.patch(path, { description: "mine" }),
      await other.post(`${path}/test`),
      await other.post(`${path}/secret/rotate`),
      await other.get(`${path}/deliveries`),
      await other.post(`${path}/deliveries/${deliveryId}/retry`),
      await other.post(`${path}/replay`, { since }),
      await other.delete(path),
    ];
    deepEqual(replies.map(({ status, body }) => [status, body.code]), Array(8).fill([404, "not_found"]));
    deepEqual((await other.get("/v1/webhooks")).body.data, []);
    equal((await read(service, id)).version, 2);
  },
});
