/** Webhooks when a process is killed, when endpoints hang, and when the service stops. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { operatorContext } from "../../src/domain/access/authorize.ts";
import { takeUpChanges } from "../../src/domain/webhooks/take_up.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startProcess } from "../http/_process.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { createEnabled, sendDue, startReceiver } from "./_receiver.ts";

const SECRETS_KEY = "test-secrets-key-of-more-than-32-characters";

async function createFact(service: TestService): Promise<string> {
  const statement = `A fact ${crypto.randomUUID()} of the webhooks.`;
  const { status, body } = await service.post("/v1/memory/facts", { statement });
  equal(status, 201, JSON.stringify(body));
  return body.id;
}

Deno.test({
  ...POSTGRES,
  name: "F27 a process that is killed before, during or after an attempt loses no change: each arrives, with one id",
  async fn() {
    await using receiver = startReceiver();
    await using database = await createDatabase();
    await using service = await startService({ database, env: receiver.env });
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact.created"] });
    const env = {
      ...receiver.env,
      DATABASE_URL: database.requestUrl,
      SVC_SECRETS_KEY: SECRETS_KEY,
      SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_LOG_LEVEL: "error",
    };
    const facts: string[] = [];
    const write = async (count: number) => {
      for (let i = 0; i < count; i++) facts.push(await createFact(service));
    };
    const arrived = () => new Set(receiver.at("/a").map(({ message }) => message.data.resource.id as string));
    // Ends the leases of the killed process, so that the test need not wait until they expire.
    const release = () =>
      service.operator().tx((tx) =>
        tx.sql`update webhook_delivery set lease_expires_at = ${new Date(0)}
                where workspace_id = ${tx.workspaceId} and lease_id is not null`
      );
    {
      // Killed in the middle of an attempt: the receiver has the message and has not answered.
      await using killed = await startProcess({ env, database, hasKey: true });
      const asked = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      receiver.answer("/a", async () => {
        asked.resolve();
        await held.promise;
        return new Response("late");
      });
      await write(3);
      await waitFor("a message is on its way", () => receiver.at("/a").length > 0);
      await asked.promise;
      killed.signal("SIGKILL");
      await killed.exited;
      held.resolve();
      receiver.answer("/a", undefined);
    }
    await release();
    {
      // Killed at some place between reading the feed and writing the last result.
      await using killed = await startProcess({ env, database, hasKey: true });
      await write(20);
      const before = arrived().size;
      await waitFor("some have arrived", () => arrived().size > before);
      killed.signal("SIGKILL");
      await killed.exited;
    }
    await release();
    // As if it had been killed after it took up changes and before the first attempt.
    await write(2);
    await takeUpChanges(service.operator(), id);
    await using last = await startProcess({ env, database, hasKey: true });
    await waitFor("everything has arrived", () => arrived().size === facts.length);
    deepEqual(facts.filter((fact) => !arrived().has(fact)), []);
    const ids = new Map<string, Set<string | null>>();
    for (const { message, headers } of receiver.at("/a")) {
      const fact = message.data.resource.id;
      ids.set(fact, (ids.get(fact) ?? new Set()).add(headers.get("webhook-id")));
    }
    ok([...ids.values()].every((one) => one.size === 1), "an event has one id");
    equal(new Set([...ids.values()].flatMap((one) => [...one])).size, facts.length);
    last.signal("SIGTERM");
    equal(await last.exited, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F27 nine endpoints that hang do not delay the tenth: it gets all messages while the nine have answered none",
  async fn() {
    await using receiver = startReceiver();
    const held = Promise.withResolvers<void>();
    await using service = await startService({ env: receiver.env, workers: true });
    const hanging = Array.from({ length: 9 }, (_, i) => `/hangs/${i}`);
    const create = async (path: string) => {
      const { status, body } = await service.post("/v1/webhooks", { url: receiver.url(path), kinds: ["fact.created"] });
      equal(status, 201);
      await waitFor(
        "it is enabled",
        async () => (await service.get(`/v1/webhooks/${body.id}`)).body.status === "enabled",
      );
    };
    for (const path of [...hanging, "/well"]) await create(path);
    for (const path of hanging) {
      receiver.answer(path, async () => {
        await held.promise;
        return new Response("late");
      });
    }
    try {
      await createFact(service);
      await waitFor("all nine hang", () => hanging.every((path) => receiver.at(path).length === 1));
      for (let i = 0; i < 30; i++) await createFact(service);
      await waitFor("the tenth has all", () => receiver.at("/well").length === 31);
      // None of the nine has answered, so the tenth did not wait for any.
      ok(hanging.every((path) => receiver.at(path).length === 1));
    } finally {
      held.resolve();
    }
    await waitFor("the nine get theirs", () => hanging.every((path) => receiver.at(path).length === 31));
  },
});

Deno.test({
  ...POSTGRES,
  name: "F13 F27 when the service stops, a message on its way ends, or another process may lease it again at once",
  async fn() {
    await using receiver = startReceiver();
    await using database = await createDatabase();
    const held = Promise.withResolvers<void>();
    let webhookId = "";
    {
      await using service = await startService({ database, env: receiver.env, workers: true });
      const { status, body } = await service.post("/v1/webhooks", { url: receiver.url("/a"), kinds: ["fact.created"] });
      equal(status, 201);
      webhookId = body.id;
      await waitFor(
        "it is enabled",
        async () => (await service.get(`/v1/webhooks/${webhookId}`)).body.status === "enabled",
      );
      receiver.answer("/a", async () => {
        await held.promise;
        return new Response("late");
      });
      await createFact(service);
      await waitFor("it is on its way", () => receiver.at("/a").length === 1);
    }
    held.resolve();
    receiver.answer("/a", undefined);
    await using next = await startService({ database, env: receiver.env });
    const ctx = operatorContext(next.deps, await workspaceOf(next, webhookId));
    const rows = await ctx.tx((tx) =>
      tx.sql`select state, attempts, lease_id from webhook_delivery where workspace_id = ${tx.workspaceId}`
    );
    deepEqual(rows.map((row) => ({ ...row })), [{ state: "pending", attempts: 0, lease_id: null }]);
    await sendDue(next);
    equal(receiver.at("/a").length, 2);
  },
});

/** Finds the workspace of an endpoint in the way the worker does. */
async function workspaceOf(service: TestService, webhookId: string): Promise<string> {
  const { workspaceId } = await waitFor("the endpoint is due", async () => {
    const due = await service.deps.db.system((sql) =>
      sql<{ workspaceId: string; endpointId: string }[]>`
        select workspace_id as "workspaceId", endpoint_id as "endpointId" from svc_system.due_webhooks(now(), null, 10)`
    );
    return due.find(({ endpointId }) => endpointId === webhookId);
  });
  return workspaceId;
}
