/** The log of webhooks, replaying, rates, backlogs, sweeping, and addresses and secrets that change. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { cursorAt } from "../../src/domain/feed/changes.ts";
import { sweepWorkspace } from "../../src/domain/upkeep/sweeping.ts";
import { takeUpChanges } from "../../src/domain/webhooks/take_up.ts";
import { type DnsAnswer, startDnsStub } from "../_dns_stub.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { createEnabled, sendDue } from "./_receiver.ts";
import { createFact, kindsAt, logOf, read, startWorld } from "./_world.ts";

const DAY_MS = 86_400_000;

interface Shown {
  readonly id: string;
  readonly seq: number;
  readonly state: string;
  readonly attempts: number;
}

Deno.test({
  ...POSTGRES,
  name: "T70 neither a replay nor a retry sends a webhook what it may not be sent any more",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."], maxSensitivity: "restricted" });
    await createFact(service, { sensitivity: "restricted" });
    await sendDue(service);
    const abort = { status: 500, headers: { "webhook-delivery": "abort-message" } };
    receiver.answer("/a", () => new Response("", abort));
    await createFact(service, { sensitivity: "restricted" });
    await sendDue(service);
    receiver.answer("/a", () => new Response("", { status: 500 }));
    await createFact(service, { sensitivity: "restricted" });
    await createFact(service);
    await sendDue(service);
    equal((await service.patch(`/v1/webhooks/${id}`, { maxSensitivity: "internal" })).status, 200);
    const log: Shown[] = await logOf(service, id, "order=asc");
    deepEqual(log.map(({ state }) => state), ["delivered", "dead", "skipped", "pending"]);
    receiver.answer("/a", undefined);
    const since = cursorAt(service.workspaceId, 0);
    const before = receiver.at("/a").length;
    for (const states of [["delivered", "dead", "skipped"], undefined]) {
      const { status, body } = await service.post(`/v1/webhooks/${id}/replay`, { since, states });
      deepEqual([status, body.events], [202, states === undefined ? 1 : 0]);
    }
    const retried = await service.post(`/v1/webhooks/${id}/deliveries/${log[1]!.id}/retry`);
    deepEqual([retried.status, retried.body.code], [409, "invalid_transition"]);
    world.pass(60_000);
    await sendDue(service);
    deepEqual(receiver.at("/a").slice(before).map(({ message }) => message.data.sensitivity), ["internal"]);
    const refused = async (body: object, member: string) => {
      const reply = await service.post(`/v1/webhooks/${id}/replay`, body);
      deepEqual([reply.status, reply.body.errors?.[0]?.path], [422, member], JSON.stringify(reply.body));
    };
    const end = (await read(service, id)).cursor;
    await refused({ since: end, until: since }, "until");
    await refused({ since: cursorAt(service.workspaceId, 1e9) }, "since");
    await refused({ since, until: "no cursor" }, "until");
    await refused({ since: cursorAt(crypto.randomUUID(), 0) }, "since");
  },
});

Deno.test({
  ...POSTGRES,
  name: "F27 a retry and a replay do not wait for the rest that a receiver asked for",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    receiver.answer("/a", () => new Response("", { status: 429, headers: { "retry-after": "3600" } }));
    await createFact(service);
    await sendDue(service);
    receiver.answer("/a", undefined);
    const [{ id: deliveryId }] = await logOf(service, id);
    equal((await service.post(`/v1/webhooks/${id}/deliveries/${deliveryId}/retry`)).status, 200);
    await sendDue(service);
    deepEqual((await logOf(service, id)).map(({ state }: Shown) => state), ["delivered"]);
    equal((await read(service, id)).throttledUntil, null);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F27 a webhook with a rate gets so many messages a minute, no fewer, and no failures of its own",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."], ratePerMinute: 120 });
    for (let i = 0; i < 9; i++) await createFact(service);
    await sendDue(service);
    equal(receiver.at("/a").length, 2, "two at once");
    equal(Date.parse((await read(service, id)).throttledUntil) - world.now(), 1_000);
    for (let second = 1; second <= 3; second++) {
      world.pass(1_000);
      await sendDue(service);
      equal(receiver.at("/a").length, 2 + 2 * second, `after ${second} s`);
    }
    const log: Shown[] = await logOf(service, id, "order=asc");
    deepEqual(log.map(({ state, attempts }) => `${state} ${attempts}`), [
      ...Array(8).fill("delivered 1"),
      "pending 0",
    ]);
    equal((await read(service, id)).failingSince, null);
    equal((await service.patch(`/v1/webhooks/${id}`, { ratePerMinute: null })).body.ratePerMinute, null);
    for (let i = 0; i < 5; i++) await createFact(service);
    world.pass(1_000);
    await sendDue(service);
    equal(receiver.at("/a").length, 14);
  },
});

/** Writes many changes of different resources at once. */
async function writeChanges(service: TestService, count: number): Promise<void> {
  // deno-lint-ignore require-await
  await service.operator().tx(async (tx) => {
    for (let i = 0; i < count; i++) {
      const resourceId = crypto.randomUUID();
      tx.record({ kind: "fact.created", resourceType: "fact", resourceId, version: 1, sensitivity: "internal" });
    }
  });
}

Deno.test({
  ...POSTGRES,
  name:
    "F27 a webhook that was off for long goes on where it stopped; one for which too much waits is disabled and says so",
  async fn() {
    const logged: string[] = [];
    await using world = await startWorld({ SVC_LOG_LEVEL: "warn" }, { logSink: (line) => void logged.push(line) });
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact.created"] });
    await createEnabled(service, receiver.url("/b"), { kinds: ["webhook."] });
    equal((await service.patch(`/v1/webhooks/${id}`, { status: "disabled" })).body.statusReason, "manual");
    await writeChanges(service, 1_201);
    await sendDue(service);
    equal((await logOf(service, id)).length, 0, "nothing is taken up while it is off");
    const ctx = service.operator();
    equal(await takeUpChanges(ctx, id), false);
    equal((await service.patch(`/v1/webhooks/${id}`, { status: "enabled" })).body.status, "enabled");
    const countPending = async () => {
      const [row] = await ctx.tx((tx) =>
        tx.sql<[{ count: number; ids: number }]>`
          select count(*)::int as count, count(distinct seq)::int as ids from webhook_delivery
           where workspace_id = ${tx.workspaceId} and endpoint_id = ${id} and state = 'pending'`
      );
      return [row.count, row.ids];
    };
    const limits = { pendingMax: 1_201, countedEvery: 1 };
    equal(await takeUpChanges(ctx, id, limits), true);
    deepEqual(await countPending(), [500, 500]);
    while (await takeUpChanges(ctx, id, limits));
    deepEqual(await countPending(), [1_201, 1_201], "all of it, once, and it is not too much");
    equal((await read(service, id)).status, "enabled");
    await writeChanges(service, 1);
    equal(await takeUpChanges(ctx, id, limits), false);
    const { status, statusReason } = await read(service, id);
    deepEqual([status, statusReason], ["disabled", "backlog"]);
    equal(logged.filter((line) => line.includes("webhook.disabled") && line.includes("backlog")).length, 1);
    await sendDue(service);
    const told = receiver.at("/b").map(({ message }) => [message.type, message.data.payload.reason]);
    deepEqual(told, [["webhook.disabled", "backlog"]]);
    equal(receiver.at("/a").length, 0);
    const skipped = await service.patch(`/v1/webhooks/${id}`, { status: "enabled", skipTo: "now" });
    equal(skipped.body.status, "enabled");
    await createFact(service);
    await sendDue(service);
    deepEqual([kindsAt(receiver, "/a"), (await countPending())[0]], [["fact.created"], 0]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the log keeps what ended for its days, what is dead for three times as many, and what waits for ever",
  async fn() {
    await using world = await startWorld({ SVC_WEBHOOK_KEPT_DAYS: "10" });
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    const answers: Record<string, () => Response> = {
      delivered: () => new Response("ok"),
      dead: () => new Response("", { status: 500, headers: { "webhook-delivery": "abort-message" } }),
      pending: () => new Response("", { status: 500 }),
    };
    for (const answer of Object.values(answers)) {
      receiver.answer("/a", answer);
      await createFact(service);
      await sendDue(service);
    }
    equal((await service.patch(`/v1/webhooks/${id}`, { status: "disabled" })).status, 200);
    const kept = async () => {
      while (await sweepWorkspace(service.operator()));
      return (await logOf(service, id, "order=asc")).map(({ state }: Shown) => state);
    };
    world.pass(10 * DAY_MS - 1);
    deepEqual(await kept(), ["delivered", "dead", "pending"]);
    world.pass(1);
    deepEqual(await kept(), ["dead", "pending"]);
    world.pass(20 * DAY_MS - 1);
    deepEqual(await kept(), ["dead", "pending"]);
    world.pass(1);
    deepEqual(await kept(), ["pending"]);
    world.pass(1_000 * DAY_MS);
    deepEqual(await kept(), ["pending"]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T69 a name that leads inside after it has given its consent is not called, and answers are shown after consent only",
  async fn() {
    let addresses: DnsAnswer = ["127.0.0.1"];
    await using dns = await startDnsStub((_, type) => type === "A" ? addresses : []);
    await using world = await startWorld({ SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.1/32" }, { nameServer: dns.nameServer });
    const { service, receiver } = world;
    const url = (path: string) => `http://hook.test:${receiver.port}${path}`;
    const { id } = await createEnabled(service, url("/a"), { kinds: ["fact."] });
    await createFact(service);
    await sendDue(service);
    equal(receiver.at("/a").length, 1);
    for (const inside of [["10.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "169.254.169.254"]]) {
      addresses = inside;
      await createFact(service);
      await sendDue(service);
      const [latest] = (await service.get(`/v1/webhooks/${id}/deliveries?limit=1`)).body.data;
      deepEqual([latest.state, latest.lastError], ["pending", "host_refused"], inside.join());
      deepEqual((await service.post(`/v1/webhooks/${id}/test`)).body.error, "host_refused");
    }
    equal(receiver.at("/a").length, 1);
    // A name that does not exist is told as one that leads inside, wherever it is told.
    const sight = async () => {
      const tested = await service.post(`/v1/webhooks/${id}/test`);
      await createFact(service);
      await sendDue(service);
      const [latest] = (await service.get(`/v1/webhooks/${id}/deliveries?limit=1`)).body.data;
      const { lastError, failingSince } = (await service.get(`/v1/webhooks/${id}`)).body;
      const { state, lastStatus, lastError: why, durationMs } = latest;
      return [tested.status, tested.body, state, lastStatus, why, durationMs, lastError, failingSince !== null];
    };
    addresses = ["10.0.0.1"];
    const inside = await sight();
    addresses = [];
    deepEqual(await sight(), inside);
    addresses = ["127.0.0.1"];
    world.pass(60_000);
    await sendDue(service);
    equal(receiver.at("/a").length, 6, "the connection that was kept is used again, or a new one");
    // Nobody reads another server through this one: what a URL answers is shown when it has given its consent.
    receiver.answer("/inside", () => new Response("the secret of an inner server"));
    const { body } = await service.post("/v1/webhooks", { url: url("/inside") });
    const asked = await service.post(`/v1/webhooks/${body.id}/test`);
    deepEqual([asked.body.verified, asked.body.status, asked.body.response], [false, 200, ""]);
    const tested = await service.post(`/v1/webhooks/${id}/test`);
    deepEqual([tested.body.verified, tested.body.response], [true, "thanks"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F27 a webhook whose secrets this process cannot open rests, loses no attempt, and is served when it can",
  async fn() {
    await using database = await createDatabase();
    await using world = await startWorld({}, { database });
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    await createFact(service);
    {
      await using blind = await startService({
        database,
        clock: () => new Date(world.now()),
        env: { ...receiver.env, SVC_SECRETS_KEY: "another-secrets-key-of-more-than-32-characters" },
        logSink: () => {},
      });
      await sendDue(blind);
    }
    const [{ state, attempts }] = await logOf(service, id);
    deepEqual([receiver.at("/a").length, state, attempts], [0, "pending", 0]);
    equal(Date.parse((await read(service, id)).throttledUntil) - world.now(), 60_000);
    world.pass(60_000);
    await sendDue(service);
    equal(receiver.at("/a").length, 1);
    ok((await read(service, id)).lastError === null);
  },
});
