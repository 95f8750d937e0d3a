/** Watching a channel: events in order, without gaps across connections, by ticket and by header. */
import assert from "node:assert/strict";
import { type Change, createClient, SvcError } from "../../clients/typescript/mod.ts";
import { findDeadPort, startRelay } from "../_relay.ts";
import { waitFor, within } from "../_wait.ts";
import { startAnyService } from "./_client.ts";

/** The runtime's own WebSocket takes headers here; its types do not say so. */
const byHeader = (url: string, headers: Readonly<Record<string, string>>) =>
  new WebSocket(url, { headers } as unknown as string[]);

Deno.test("a watch yields each change once, in order, also when its connection is cut between and during them", async () => {
  await using service = await startAnyService();
  const { url } = service.listen();
  await using relay = startRelay({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  for (const webSocket of [undefined, byHeader]) {
    const direct = createClient({ url, key: service.key, timeoutMs: 120_000 });
    const svc = createClient({
      ...{ url: `http://127.0.0.1:${relay.port}`, key: service.key, timeoutMs: 120_000 },
      ...(webSocket && { webSocket }),
    });
    const { endCursor } = await direct.listChanges({ limit: 1 });
    const watch = svc.watch("memory", { since: endCursor });
    const seen: Change[] = [];
    const sent: string[] = [];
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 3; i++) {
        sent.push((await direct.createFact({ statement: `Round ${round} fact ${i} ${crypto.randomUUID()}` })).id);
      }
      // One more round has come to the client, or is on its way, than it has taken.
      if (round > 0) relay.cut();
      while (seen.length < sent.length - 2) {
        const { value } = await within("a change", watch.next(), 60_000);
        seen.push((value as { event: Change }).event);
      }
    }
    while (seen.length < sent.length) {
      seen.push(((await within("a change", watch.next(), 60_000)).value as { event: Change }).event);
    }
    await watch.return();
    assert.deepEqual(seen.filter(({ kind }) => kind === "fact.created").map(({ resourceId }) => resourceId), sent);
  }
});

Deno.test("a watch without a place begins now, goes on from its own cursor, and ends by its signal", async () => {
  await using service = await startAnyService();
  const { url } = service.listen();
  const svc = createClient({ url, key: service.key, timeoutMs: 120_000 });
  await svc.createTask({ title: "before" });
  const controller = new AbortController();
  const first = svc.watch("tasks", { signal: controller.signal });
  const next = first.next();
  // The stream is open when the service has it among its streams: until then a task might come before it.
  let tasks = 0;
  const asking = (async () => {
    while (tasks >= 0) {
      await svc.createTask({ title: `task ${tasks++}` });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const { value } = await within("a task", next, 60_000);
  tasks = -2;
  await asking;
  assert.ok(value);
  assert.equal(value.event.kind, "task.created");
  await svc.createTask({ title: "between" });
  controller.abort();
  assert.equal((await within("the end", first.next(), 60_000)).done, true);
  const second = svc.watch("tasks", { since: value.cursor });
  const { value: after } = await within("a task", second.next(), 60_000);
  assert.ok(after!.event.seq > value.event.seq);
  await second.return();

  const health = svc.watch("health");
  const snapshot = (await within("a snapshot", health.next(), 60_000)).value!;
  assert.equal(typeof snapshot.event, "object");
  await health.return();
});

Deno.test("a watch that is refused, or never connects, says why", async () => {
  await using service = await startAnyService();
  const { url } = service.listen();
  const key = await service.createKey({ scopes: ["memory:read"] });
  const codeOf = async (watch: AsyncGenerator<unknown>) => {
    const error = await within("an error", watch.next().then(() => assert.fail("it began"), (error) => error), 60_000);
    await watch.return(undefined);
    return error instanceof SvcError ? error.code : String(error);
  };
  assert.equal(await codeOf(createClient({ url, key }).watch("tasks")), "insufficient_scope");
  assert.equal(await codeOf(createClient({ url, key: "svc_live_wrong" }).watch("memory")), "unauthenticated");
  assert.equal(await codeOf(createClient({ url, key }).watch("memory", { since: "nonsense" })), "validation_failed");
  const nowhere = createClient({ url: `http://127.0.0.1:${findDeadPort()}`, key, retries: 1 });
  assert.equal(await codeOf(nowhere.watch("memory")), "connection_failed");
  assert.match(await codeOf(createClient({ url, key }).watch("nothing" as "memory")), /TypeError/);
});

Deno.test("a watch by a ticket of the caller's needs no key", async () => {
  await using service = await startAnyService();
  const { url } = service.listen();
  const server = createClient({ url, key: service.key });
  const page = createClient({ url, key: null });
  const { endCursor } = await server.listChanges({ limit: 1 });
  await server.createFact({ statement: "Tickets are used once." });
  const ticket = async () => (await server.createStreamTicket()).ticket;
  for await (const { event } of page.watch("memory", { since: endCursor, ticket })) {
    assert.equal(event.kind, "fact.created");
    break;
  }
});

Deno.test("a reader that is far behind loses nothing: the watch lets go of its connection and comes back", async () => {
  await using service = await startAnyService();
  const { url } = service.listen();
  let [opened, closed] = [0, 0];
  const webSocket = (address: string, headers: Readonly<Record<string, string>>) => {
    const socket = byHeader(address, headers);
    opened++;
    socket.addEventListener("close", () => closed++);
    return socket;
  };
  const svc = createClient({ url, key: service.key, webSocket, timeoutMs: 120_000 });
  const { endCursor } = await svc.listChanges({ limit: 1 });
  const sent: string[] = [];
  for (let i = 0; i < 12; i++) {
    const facts = Array.from(
      { length: 100 },
      (_, n) => ({ statement: `Box ${i * 100 + n} is in hall ${crypto.randomUUID()}` }),
    );
    const { results } = await svc.createFacts({ facts });
    sent.push(...results.map((one) => (one as { fact: { id: string } }).fact.id));
  }
  const seen: string[] = [];
  for await (const { event } of svc.watch("memory", { since: endCursor })) {
    // Taken when more than the watch keeps has come.
    if (seen.length === 0) await waitFor("a connection that is let go", () => closed === 1);
    if (event.kind === "fact.created") seen.push(event.resourceId);
    if (seen.length === sent.length) break;
  }
  assert.equal(opened, 2);
  assert.deepEqual(seen, sent);
});
