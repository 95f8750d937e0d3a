/** `GET /v1/stream`: live feeds over WebSocket. */
import assert from "node:assert/strict";
import { StreamServerMessage } from "../../src/schema/stream.ts";
import { createTestAdmin, requestAccess } from "../_admin.ts";
import { POSTGRES } from "../_postgres.ts";
import { ADMIN_TOKEN, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { idOf, idsOf, type Message, recordEvents, seqsOf, StreamClient } from "./_stream.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";
import { revokeApiKey } from "../../src/domain/access/admin/api_keys.ts";

async function addTurns(service: TestService, key: string, session: string, count: number): Promise<string[]> {
  const turns = Array.from(
    { length: count },
    () => ({ role: "user", content: "Good day.", messageId: crypto.randomUUID() }),
  );
  const reply = await service.post(`/v1/session/${session}/turns`, { turns }, { key });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.turns.map(({ id }: { id: string }) => id);
}

interface Tenant {
  readonly workspaceId: string;
  readonly key: string;
  /** Only reads. */
  readonly reader: string;
  readonly session: string;
}

async function createTenant(service: TestService, name: string): Promise<Tenant> {
  const workspaceId = await service.createWorkspace(name);
  const key = await service.createKey({ workspaceId });
  const reader = await service.createKey({ workspaceId, scopes: ["memory:read", "tasks:read"] });
  const session = await service.post("/v1/session", { title: name }, { key });
  return { workspaceId, key, reader, session: session.body.id };
}

/** Writes so many events and turns in transactions of 20; returns their ids in the order in which they were written. */
async function write(
  service: TestService,
  { key, session }: Tenant,
  count: number,
): Promise<{ events: string[]; turns: string[] }> {
  const events: string[] = [];
  const turns: string[] = [];
  for (let n = 0; n < count; n += 20) {
    events.push(...await recordEvents(service, key, 20));
    turns.push(...await addTurns(service, key, session, 20));
  }
  return { events, turns };
}

/** Two workspaces watch while both write; then the key of one is revoked. */
async function watchTwo(service: TestService, count: number): Promise<void> {
  const { url } = service.listen();
  const tenants = [await createTenant(service, "a"), await createTenant(service, "b")] as const;
  await using a = await StreamClient.open(url, { key: tenants[0].reader });
  await using b = await StreamClient.open(url, { key: tenants[1].reader });
  for (const client of [a, b]) {
    for (const channel of ["memory", "events"]) {
      assert.equal((await client.subscribe(channel)).op, "subscribed");
    }
  }
  const written = await Promise.all(tenants.map((tenant) => write(service, tenant, count)));
  for (const [i, client] of [a, b].entries()) {
    const { events, turns } = written[i]!;
    const own = () => client.events("memory").filter(({ event }) => event.kind === "turn.created");
    await waitFor("all that was written", () => client.events("events").length >= count && own().length >= count);
    assert.deepEqual(idsOf(client.events("events")), events);
    assert.deepEqual(idsOf(own()), turns);
    // Both channels together are the feed from the subscription on, without a gap.
    const seqs = seqsOf([...client.events("memory"), ...client.events("events")]).sort((x, y) => x - y);
    assert.deepEqual(seqs, seqs.map((_, n) => seqs[0]! + n));
    for (const message of client.messages) StreamServerMessage.parse(message);
  }
  await revokeApiKey(
    service.operator(tenants[0].workspaceId),
    await idOf(service, tenants[0].reader, tenants[0].workspaceId),
  );
  // Events that are written after it are no longer sent.
  for (const tenant of tenants) await recordEvents(service, tenant.key, 1);
  assert.deepEqual(await a.closed, { code: 1008, reason: "unauthenticated" });
  assert.deepEqual([a.messages.at(-1).op, a.messages.at(-1).code], ["error", "unauthenticated"]);
  await waitFor("the event after", () => b.events("events").length === count + 1);
  assert.equal(a.events("events").length, count);
}

Deno.test({
  ...POSTGRES,
  name:
    "T10 two workspaces watch while both write 500: each sees its own, in order, without gap or duplicate; a revoked " +
    "key's stream ends with unauthenticated, the other's goes on",
  async fn() {
    await using service = await startService();
    await watchTwo(service, 500);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "a stream speaks its protocol: from a cursor nothing is missed, what is wrong is refused and the stream goes on",
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    await recordEvents(service, service.key, 5);
    await using client = await StreamClient.open(url, { key: service.key });
    assert.deepEqual(await client.ask({ op: "ping" }), { op: "pong" });
    const page = await service.get("/v1/memory/changes?kind=event.recorded");
    const { cursor } = page.body.data[1];
    assert.deepEqual(await client.subscribe("events", cursor), { op: "subscribed", channel: "events", cursor });
    await waitFor("what is behind the cursor", () => client.events("events").length === 3);
    assert.deepEqual(
      client.events("events").map(({ event, cursor }) => ({ ...event, cursor })),
      page.body.data.slice(2),
    );

    assert.equal((await client.subscribe("memory")).op, "subscribed");
    const fact = await service.post("/v1/memory/facts", { statement: "The kiln is hot." });
    await waitFor("the fact", () => idsOf(client.events("memory")).includes(fact.body.id));
    assert.ok(!JSON.stringify(client.messages).includes("kiln"), "references, never content");

    const beyond = btoa(JSON.stringify([`changes ${service.workspaceId}`, "asc", 10 ** 12]));
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace() });
    const foreign = (await service.get("/v1/memory/changes", { key: stranger })).body.endCursor;
    const refused: [unknown, string, string?][] = [
      [{ op: "subscribe", channel: "events" }, "conflict"],
      [{ op: "unsubscribe", channel: "tasks" }, "conflict"],
      [{ op: "subscribe", channel: "tasks", since: beyond }, "validation_failed", "since"],
      [{ op: "subscribe", channel: "tasks", since: foreign }, "validation_failed", "since"],
      [{ op: "subscribe", channel: "tasks", since: "x".repeat(1_001) }, "validation_failed", "since"],
      [{ op: "subscribe", channel: "tasks", filter: 1 }, "validation_failed", "filter"],
      [{ op: "subscribe", channel: "secrets" }, "validation_failed", "channel"],
      [{ op: "subscribe" }, "validation_failed", "channel"],
      [{ op: "drop" }, "validation_failed", "op"],
      [{ op: "ping", id: 1 }, "validation_failed", "id"],
      ["[]", "validation_failed"],
      ["null", "validation_failed"],
      ["{", "invalid_request"],
      ['{"op":"ping","op":"ping"}', "invalid_request"],
      ["[".repeat(3_000), "invalid_request"],
      ["", "invalid_request"],
    ];
    for (const [message, code, path] of refused) {
      const answer = await client.ask(message);
      assert.deepEqual([answer.op, answer.code], ["error", code], JSON.stringify(message));
      if (path !== undefined) assert.equal(answer.errors[0].path, path);
      StreamServerMessage.parse(answer);
    }

    client.send({ op: "unsubscribe", channel: "events" });
    assert.deepEqual(await client.ask({ op: "ping" }), { op: "pong" });
    const before = client.messages.length;
    await recordEvents(service, service.key, 1);
    const last = await service.post("/v1/memory/facts", { statement: "The kiln is cold." });
    await waitFor("the second fact", () => idsOf(client.events("memory")).includes(last.body.id));
    assert.deepEqual(client.messages.slice(before).filter(({ channel }) => channel === "events"), []);
    // The events that were missed in the meantime are sent from the cursor on.
    await client.subscribe("events", client.events("events").at(-1).cursor);
    await waitFor("the missed event", () => client.events("events").length === 4);
    assert.equal(new Set(seqsOf(client.events("events"))).size, 4);

    // The audit log records which stretch of the feed was sent.
    await auditTrailOf(service.deps).flush();
    const { data } = (await service.get("/v1/audit?eventType=stream.&order=asc")).body;
    const rows = data.map((row: Message) => [row.event_type, row.outcome, row.detail]);
    const [subscribed, ended] = [rows[0], rows.find(([type]: [string]) => type === "stream.ended")];
    assert.deepEqual(rows.filter(([type]: [string]) => type === "stream.refused"), [
      ["stream.refused", "conflict", { channel: "events" }],
      ["stream.refused", "conflict", { channel: "tasks" }],
      ["stream.refused", "validation_failed", { channel: "tasks" }],
      ["stream.refused", "validation_failed", { channel: "tasks" }],
    ]);
    const [, from, ...rest] = page.body.data;
    const detail = { channel: "events", maxSensitivity: "restricted" };
    assert.deepEqual(subscribed, ["stream.subscribed", "ok", { ...detail, after: from.seq }]);
    const told = { events: rest.length, through: rest.at(-1).seq };
    assert.deepEqual(ended, ["stream.ended", "unsubscribed", { ...detail, ...told }]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the health channel tells a snapshot at once and when it has changed; from a cursor only what is news",
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    await using client = await StreamClient.open(url, { key: service.key });
    await client.subscribe("health");
    await waitFor("the first snapshot", () => client.events("health").length === 1);
    await service.post("/v1/memory/facts", { statement: "The pond is deep." });
    await waitFor("the second snapshot", () => client.events("health").at(-1).event.liveFacts === 1);
    const { cursor } = client.events("health").at(-1);
    await using late = await StreamClient.open(url, { key: service.key });
    await late.subscribe("health", cursor);
    await service.post("/v1/memory/facts", { statement: "The pond is wide." });
    await waitFor("a snapshot", () => late.events("health").length > 0);
    assert.equal(late.events("health")[0].event.liveFacts, 2);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T10 a stream shows what its key may see at that moment: clearance and scopes that are taken away count at once",
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    const [key, noTasks, admin] = await Promise.all([
      service.createKey({ scopes: ["memory:read", "tasks:read"], maxSensitivity: "confidential" }),
      service.createKey({ scopes: ["memory:read"] }),
      { key: ADMIN_TOKEN },
    ]);
    const change = async (body: unknown) => {
      const reply = await service.patch(`/v1/admin/api-keys/${await idOf(service, key)}`, body, admin);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    };
    await using blind = await StreamClient.open(url, { key: noTasks });
    for (const channel of ["tasks", "events"]) {
      assert.equal((await blind.subscribe(channel)).code, "insufficient_scope");
    }
    await using client = await StreamClient.open(url, { key });
    await client.subscribe("events");
    const record = async (sensitivity: string) => (await recordEvents(service, service.key, 1, { sensitivity }))[0]!;
    const shown: string[] = [];
    await record("restricted");
    shown.push(await record("confidential"));
    await waitFor("the first", () => client.events("events").length === 1);
    await change({ maxSensitivity: "internal" });
    await record("confidential");
    shown.push(await record("internal"));
    await waitFor("the second", () => client.events("events").length >= 2);
    // A stream never shows more than the key's clearance when it was opened.
    await change({ maxSensitivity: "restricted" });
    await record("restricted");
    shown.push(await record("confidential"));
    await waitFor("the third", () => client.events("events").length >= 3);
    assert.deepEqual(idsOf(client.events("events")), shown);
    await change({ scopes: ["memory:read"] });
    assert.deepEqual(await client.closed, { code: 1008, reason: "insufficient_scope" });
    // The scope that every stream needs, whatever it watches.
    const without = await service.patch(`/v1/admin/api-keys/${await idOf(service, noTasks)}`, {
      scopes: ["tasks:read"],
    }, admin);
    assert.equal(without.status, 200, JSON.stringify(without.body));
    assert.deepEqual(await blind.closed, { code: 1008, reason: "insufficient_scope" });

    const forAddress = await service.createKey({ cidrs: ["127.0.0.0/8"] });
    await using local = await StreamClient.open(url, { key: forAddress });
    const path = `/v1/admin/api-keys/${await idOf(service, forAddress)}`;
    assert.equal((await service.patch(path, { cidrs: ["192.0.2.0/24"] }, admin)).status, 200);
    assert.deepEqual(await local.closed, { code: 1008, reason: "ip_not_allowed" });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T15 a stream ends when its key expires, or when its secret is rotated out",
  async fn() {
    let now = Date.now();
    await using service = await startService({ clock: () => new Date(now) });
    const { url } = service.listen();
    const key = await service.createKey({ expiresAt: new Date(now + 60_000) });
    const rotated = await service.createKey();
    await using client = await StreamClient.open(url, { key });
    await using other = await StreamClient.open(url, { key: rotated });
    const path = `/v1/admin/keys/${await idOf(service, rotated)}/rotate`;
    const reply = await service.post(path, { overlapSeconds: 0 }, { key: ADMIN_TOKEN });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(await other.closed, { code: 1008, reason: "unauthenticated" });
    assert.equal((await client.subscribe("events")).op, "subscribed");
    now += 61_000;
    await recordEvents(service, service.key, 1);
    assert.deepEqual(await client.closed, { code: 1008, reason: "unauthenticated" });
    assert.deepEqual(client.events("events"), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a request that is no handshake, or an admin's under a grant, opens no stream",
  async fn() {
    await using service = await startService();
    const plain = await service.get("/v1/stream");
    assert.deepEqual([plain.status, plain.body.code, plain.headers.get("upgrade")], [
      400,
      "invalid_request",
      "websocket",
    ]);
    const half = await service.get("/v1/stream", { headers: { upgrade: "websocket" } });
    assert.deepEqual([half.status, half.body.code], [400, "invalid_request"]);
    const [asking, deciding] = [await createTestAdmin(service), await createTestAdmin(service)];
    const { body: { id } } = await requestAccess(service, asking, { scopes: ["memory:read"] });
    const approved = await service.post(`/v1/admin/break-glass/${id}/approve`, { totp: deciding.totp() }, deciding);
    assert.equal(approved.status, 200, JSON.stringify(approved.body));
    const under = { key: asking.key, headers: { "x-svc-break-glass": id, upgrade: "websocket" } };
    assert.equal((await service.get("/v1/memory/changes", under)).status, 200);
    for (const reply of [await service.get("/v1/stream", under), await service.post("/v1/stream/ticket", {}, under)]) {
      assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"]);
    }
    assert.equal(streamsOf(service.deps).sizes().open, 0);
  },
});

/** A clock that stands until it is moved. */
class StandingClock {
  #now = Date.now();

  readonly read = (): Date => new Date(this.#now);

  move(seconds: number): void {
    this.#now += seconds * 1_000;
  }
}

/** Uses tickets correctly and incorrectly. */
async function useTickets(service: TestService, clock: StandingClock): Promise<void> {
  const { url } = service.listen();
  const key = await service.createKey({ scopes: ["memory:read", "tasks:read"], maxSensitivity: "internal" });
  const make = async (): Promise<string> => {
    const reply = await service.post("/v1/stream/ticket", {}, { key });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    assert.equal(Date.parse(reply.body.expiresAt), clock.read().getTime() + 30_000);
    return reply.body.ticket;
  };
  const ticket = await make();
  // A ticket does not give rights that its key gets later.
  const raised = await service.patch(`/v1/admin/api-keys/${await idOf(service, key)}`, {
    maxSensitivity: "restricted",
  }, { key: ADMIN_TOKEN });
  assert.equal(raised.status, 200, JSON.stringify(raised.body));
  const stored = await service.operator().tx(({ sql }) => sql`select * from stream_ticket`);
  assert.equal(stored.length, 1);
  assert.ok(!JSON.stringify(stored).includes(ticket.slice(11)), "stored hashed");
  const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => StreamClient.open(url, { ticket })));
  const opened = attempts.filter((attempt) => attempt.status === "fulfilled").map(({ value }) => value);
  assert.equal(opened.length, 1, "of all who use it at once, one gets the stream");
  await using client = opened[0]!;
  await client.subscribe("events");
  await recordEvents(service, service.key, 1, { sensitivity: "confidential" });
  const [shown] = await recordEvents(service, service.key, 1);
  await waitFor("the event", () => client.events("events").length > 0);
  assert.deepEqual(idsOf(client.events("events")), [shown]);

  const once = { key, headers: { "idempotency-key": "ticket" } };
  const [given, again] = [
    await service.post("/v1/stream/ticket", {}, once),
    await service.post("/v1/stream/ticket", {}, once),
  ];
  assert.deepEqual([again.headers.get("idempotency-replayed"), again.body], ["true", given.body]);
  const kept = await service.operator().tx(({ sql }) => sql`select body from idempotent_reply`);
  assert.equal(kept.length, 1);
  assert.ok(!JSON.stringify(kept).includes(given.body.ticket.slice(11)), "kept sealed");

  // The failures of that minute are forgotten: a source has ten.
  clock.move(60);
  const late = await make();
  clock.move(30);
  const refusals: [string, string, string?][] = [
    ["used", ticket],
    ["too late", late],
    ["unknown", `svc_ticket_${"A".repeat(43)}`],
    ["a key", service.key],
  ];
  for (const [what, text] of refusals) {
    const reply = await service.get(`/v1/stream?ticket=${text}`, { key: null });
    assert.deepEqual([reply.status, reply.body.code], [401, "unauthenticated"], what);
  }
  const both = await service.get(`/v1/stream?ticket=${await make()}`);
  assert.deepEqual([both.status, both.body.code], [400, "invalid_request"]);
  const elsewhere = await service.get(`/v1/memory/changes?ticket=${await make()}`, { key: null });
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [401, "unauthenticated"]);

  // A ticket is not valid longer than its key.
  const dead = await make();
  await revokeApiKey(service.operator(), await idOf(service, key));
  assert.deepEqual(await client.closed, { code: 1008, reason: "unauthenticated" });
  const reply = await service.get(`/v1/stream?ticket=${dead}`, { key: null });
  assert.deepEqual([reply.status, reply.body.code], [401, "unauthenticated"]);
}

Deno.test({
  ...POSTGRES,
  name: "a ticket opens one stream within 30 seconds, with its key's rights then and now",
  async fn() {
    const clock = new StandingClock();
    await using service = await startService({ clock: clock.read });
    await useTickets(service, clock);
  },
});

Deno.test("T10 streams and tickets keep their promises on the embedded database", async (t) => {
  const clock = new StandingClock();
  await using service = await startService({ embedded: true, clock: clock.read });
  await t.step("two workspaces watch while both write", () => watchTwo(service, 100));
  await t.step("a ticket opens one stream", () => useTickets(service, clock));
});
