/** Webhooks on one service: consent, signatures, what the service sends and what it does not, order, retries, disabling. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { ChangeRow } from "../../src/db/queries/changes.ts";
import { cursorAt } from "../../src/domain/feed/changes.ts";
import { messageOf } from "../../src/domain/webhooks/message.ts";
import { UNIT_TYPES } from "../../src/schema/unit.ts";
import { startService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { createEnabled, isGenuine, sendDue, startReceiver } from "./_receiver.ts";
import { createFact, kindsAt, read, startWorld } from "./_world.ts";

const DAY_MS = 86_400_000;

Deno.test({
  ...POSTGRES,
  name: "T70 the service sends nothing to a URL that has not repeated its challenge; a plain 200 proves nothing",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    receiver.answer("/plain", () => new Response("ok"));
    const { status, body } = await service.post("/v1/webhooks", { url: receiver.url("/plain"), kinds: ["fact."] });
    deepEqual([status, body.status, body.withTasks, body.maxSensitivity], [201, "unverified", true, "internal"]);
    const id: string = body.id;
    await createFact(service);
    // The service asks five times within an hour, and then no more.
    for (const minutes of [0, 1, 5, 15, 39, 600, 6_000]) {
      world.pass(minutes * 60_000);
      await sendDue(service);
      await sendDue(service);
    }
    equal(receiver.all("/plain").length, 5);
    deepEqual(kindsAt(receiver, "/plain"), []);
    const challenges = receiver.all("/plain").map(({ message }) => message.data.challenge);
    equal(new Set(challenges).size, 5);
    ok(receiver.all("/plain").every((one) => isGenuine(one, body.secret) || world.now() > 0));
    deepEqual([(await read(service, id)).status, (await read(service, id)).lastError], [
      "unverified",
      "the answer is not the challenge",
    ]);
    // It accepts neither a former challenge, nor an answer that is too long or comes with an error.
    for (
      const answer of [
        () => Response.json({ challenge: challenges[0] }),
        (one: { message: { data: { challenge: string } } }) =>
          new Response(one.message.data.challenge, { status: 202 + 200 }),
        (one: { message: { data: { challenge: string } } }) =>
          new Response(one.message.data.challenge + " ".repeat(2_000)),
      ]
    ) {
      receiver.answer("/plain", answer as never);
      const tested = await service.post(`/v1/webhooks/${id}/test`);
      deepEqual([tested.status, tested.body.verified], [200, false]);
    }
    receiver.answer(
      "/plain",
      (one) => one.message.type === "webhook.verification" ? new Response(one.message.data.challenge) : undefined,
    );
    const tested = await service.post(`/v1/webhooks/${id}/test`);
    deepEqual([tested.body.status, tested.body.verified, tested.body.error], [200, true, null]);
    await sendDue(service);
    // It gets the changes since it was created.
    deepEqual(kindsAt(receiver, "/plain"), ["fact.created"]);
    // The service asks a new URL again.
    const moved = await service.patch(`/v1/webhooks/${id}`, { url: receiver.url("/moved") });
    deepEqual([moved.body.status, moved.body.verifiedAt], ["unverified", null]);
    await createFact(service);
    receiver.answer("/moved", () => new Response("ok"));
    await sendDue(service);
    deepEqual(kindsAt(receiver, "/moved"), []);
    equal(receiver.all("/moved").length, 1);
    const limited: number[] = [];
    for (let i = 0; i < 4; i++) limited.push((await service.post(`/v1/webhooks/${id}/test`)).status);
    ok(limited.includes(429), String(limited));
  },
});

Deno.test({
  ...POSTGRES,
  name: "T70 a message verifies with its secret and holds references only; a retry has the same id and a new time",
  async fn() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    await using world = await startWorld({ SVC_FEDERATION_PRIVATE_KEY: pem });
    const { service, receiver } = world;
    const { id, secret } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    receiver.answer("/a", () => new Response("no", { status: 500 }));
    const factId = await createFact(service);
    await sendDue(service);
    world.pass(7_000);
    receiver.answer("/a", undefined);
    await sendDue(service);
    const [first, second] = receiver.at("/a");
    equal(receiver.at("/a").length, 2);
    equal(first.text, second.text);
    equal(first.headers.get("webhook-id"), second.headers.get("webhook-id"));
    match(first.headers.get("webhook-id")!, /^msg_[0-9a-f]{32}$/);
    equal(Number(second.headers.get("webhook-timestamp")) - Number(first.headers.get("webhook-timestamp")), 7);
    const { message } = second;
    deepEqual(Object.keys(message), ["type", "timestamp", "data"]);
    deepEqual(message.data.resource, { type: "fact", id: factId, version: 1, path: `/v1/memory/facts/${factId}` });
    equal((await service.get(message.data.resource.path)).status, 200);
    deepEqual([message.type, message.data.workspaceId, message.data.sensitivity], [
      "fact.created",
      service.workspaceId,
      "internal",
    ]);
    ok(!second.text.includes("of the webhooks"));
    const page = await service.get(`/v1/memory/changes?since=${message.data.cursor}&kind=fact.`);
    deepEqual(page.body.data, [], "the cursor is the place after the change");
    // The library uses the real time, so the test verifies the signatures itself.
    const of = (one: typeof first, at = one.headers.get("webhook-timestamp")!) =>
      Buffer.from(`${one.headers.get("webhook-id")}.${at}.${one.text}`);
    const signatures = second.headers.get("webhook-signature")!.split(" ");
    deepEqual(signatures.map((one) => one.split(",")[0]), ["v1", "v1a"]);
    ok(verify(null, of(second), publicKey, Buffer.from(signatures[1].slice(4), "base64")));
    const shown: string = (await read(service, id)).publicKey;
    const raw =
      (createPublicKey(publicKey.export({ type: "spki", format: "pem" })).export({ type: "spki", format: "der" }))
        .subarray(12);
    equal(shown, `whpk_${raw.toString("base64")}`);
    deepEqual(
      [...second.headers.keys()].filter((name) =>
        !["host", "connection", "content-length", "accept-encoding"].includes(name)
      ).sort(),
      ["content-type", "user-agent", "webhook-id", "webhook-signature", "webhook-timestamp"],
    );
    const { body } = await service.get(`/v1/webhooks/${id}/deliveries`);
    deepEqual(
      body.data.map((
        one: Record<string, unknown>,
      ) => [one["id"], one["state"], one["attempts"], one["lastStatus"], one["lastError"]]),
      [[second.headers.get("webhook-id"), "delivered", 2, 200, null]],
    );
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T70 the library of the specification accepts messages and no altered ones; after a rotation both secrets sign, then the new one",
  async fn() {
    const receiver = startReceiver();
    await using _receiver = receiver;
    let shiftMs = 0;
    await using service = await startService({ env: receiver.env, clock: () => new Date(Date.now() + shiftMs) });
    const { id, secret } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    const next = async () => {
      const before = receiver.at("/a").length;
      await createFact(service);
      await sendDue(service);
      equal(receiver.at("/a").length, before + 1);
      return receiver.at("/a").at(-1)!;
    };
    const first = await next();
    ok(isGenuine(first, secret));
    ok(!isGenuine({ ...first, text: first.text.replace("fact", "fart") }, secret));
    const headers = new Headers(first.headers);
    headers.set("webhook-timestamp", String(Number(headers.get("webhook-timestamp")) + 1));
    ok(!isGenuine({ ...first, headers }, secret));
    const rotated = await service.post(`/v1/webhooks/${id}/secret/rotate`, { overlapSeconds: 120 });
    equal(rotated.status, 200, JSON.stringify(rotated.body));
    const both = await next();
    deepEqual([isGenuine(both, secret), isGenuine(both, rotated.body.secret)], [true, true]);
    equal((await service.post(`/v1/webhooks/${id}/secret/rotate`, {})).status, 409);
    shiftMs = 121_000;
    const after = await next();
    deepEqual([isGenuine(after, secret), isGenuine(after, rotated.body.secret)], [false, true]);
    const ended = await service.post(`/v1/webhooks/${id}/secret/rotate`, { overlapSeconds: 0 });
    const last = await next();
    deepEqual([isGenuine(last, rotated.body.secret), isGenuine(last, ended.body.secret)], [false, true]);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T70 the service sends an endpoint what its clearance, its kinds and the scopes of its creator allow, and no more",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    await createEnabled(service, receiver.url("/public"), { maxSensitivity: "public" });
    await createEnabled(service, receiver.url("/all"), { maxSensitivity: "restricted" });
    await createEnabled(service, receiver.url("/kinds"), { kinds: ["task.created", "episode."] });
    const admin = await service.createKey({ scopes: ["memory:admin", "memory:read"], maxSensitivity: "confidential" });
    const above = await service.post("/v1/webhooks", { url: receiver.url("/x"), maxSensitivity: "restricted" }, {
      key: admin,
    });
    deepEqual([above.status, above.body.errors[0].path], [422, "maxSensitivity"]);
    const made = await service.post("/v1/webhooks", { url: receiver.url("/tasks"), maxSensitivity: "confidential" }, {
      key: admin,
    });
    deepEqual([made.status, made.body.withTasks], [201, false]);
    await sendDue(service);
    const ids = (await service.get("/v1/webhooks", { key: admin })).body.data.map(({ url }: { url: string }) => url);
    ok(!ids.includes(receiver.url("/all")), "a key does not see webhooks above its clearance");
    await createFact(service, { sensitivity: "public" });
    await createFact(service, { sensitivity: "confidential" });
    const restricted = await createFact(service, { sensitivity: "restricted" });
    equal((await service.post("/v1/memory/tasks", { title: "A task of webhooks" })).status, 201);
    await sendDue(service);
    const sensitivities = (path: string) => new Set(receiver.at(path).map(({ message }) => message.data.sensitivity));
    deepEqual([...sensitivities("/public")], ["public"]);
    ok(receiver.at("/all").some(({ message }) => message.data.resource.id === restricted));
    deepEqual(kindsAt(receiver, "/kinds"), ["task.created"]);
    ok(receiver.at("/tasks").length > 0 && !sensitivities("/tasks").has("restricted"));
    ok(!kindsAt(receiver, "/tasks").some((kind) => kind.startsWith("task.")));
    ok(kindsAt(receiver, "/all").includes("task.created"));
    const other = await service.inNewWorkspace();
    equal((await other.get(`/v1/webhooks/${made.body.id}`)).status, 404);
    // A lowered clearance also holds for pending deliveries.
    receiver.answer("/all", () => new Response("", { status: 500 }));
    const list = (await service.get("/v1/webhooks")).body.data;
    const all = list.find(({ url }: { url: string }) => url === receiver.url("/all"));
    await createFact(service, { sensitivity: "restricted" });
    await sendDue(service);
    equal((await service.patch(`/v1/webhooks/${all.id}`, { maxSensitivity: "internal" })).status, 200);
    const log = await service.get(`/v1/webhooks/${all.id}/deliveries?limit=1`);
    equal(log.body.data[0].state, "skipped");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "F27 changes of one resource arrive in order while others overtake a failing one; after the last retry it is dead, and can be sent again",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    await createEnabled(service, receiver.url("/b"), { kinds: ["webhook."] });
    const stuck = await createFact(service);
    receiver.answer(
      "/a",
      ({ message }) => message.data?.resource?.id === stuck ? new Response("", { status: 500 }) : undefined,
    );
    equal((await service.patch(`/v1/memory/facts/${stuck}`, { tags: ["second"] })).status, 200);
    const others: string[] = [];
    for (let i = 0; i < 50; i++) others.push(await createFact(service));
    await sendDue(service);
    const idsOf = () => receiver.at("/a").map(({ message }) => message.data.resource.id);
    deepEqual(idsOf().filter((one) => one !== stuck).sort(), [...others].sort());
    equal(idsOf().filter((one) => one === stuck).length, 1, "the second change waits for the first");
    const pauses = [5e3, 3e5, 18e5, 72e5, 18e6, 36e6, 504e5, 72e6, 864e5];
    for (const [n, pause] of pauses.entries()) {
      const { body } = await service.get(`/v1/webhooks/${id}/deliveries?resourceId=${stuck}&order=asc`);
      const [first, second] = body.data;
      deepEqual([first.state, first.attempts, second.attempts], ["pending", n + 1, 0]);
      const inMs = Date.parse(first.nextAttemptAt) - world.now();
      ok(inMs >= 0.9 * pause && inMs <= 1.2 * pause, `attempt ${n + 2} after ${inMs} ms`);
      world.pass(inMs - 1);
      await sendDue(service);
      equal(idsOf().filter((one) => one === stuck).length, n + 1, "not a millisecond early");
      world.pass(1);
      // Another delivery succeeds, so that only this resource fails.
      await createFact(service);
      await sendDue(service);
      equal(idsOf().filter((one) => one === stuck).length, n + 2 + (n === pauses.length - 1 ? 1 : 0));
    }
    const dead = (await service.get(`/v1/webhooks/${id}/deliveries?state=dead`)).body.data;
    deepEqual(dead.map((one: { attempts: number; lastError: string }) => [one.attempts, one.lastError]), [[
      10,
      "status 500",
    ]]);
    equal((await read(service, id)).status, "enabled");
    await sendDue(service);
    deepEqual(kindsAt(receiver, "/b").filter((kind) => kind === "webhook.dead"), ["webhook.dead"]);
    receiver.answer("/a", undefined);
    const before = receiver.at("/a").length;
    const retried = await service.post(`/v1/webhooks/${id}/deliveries/${dead[0].id}/retry`);
    deepEqual([retried.status, retried.body.state], [200, "pending"]);
    await sendDue(service);
    const again = receiver.at("/a").slice(before).map(({ headers }) => headers.get("webhook-id"));
    ok(again.includes(dead[0].id));
    equal((await service.post(`/v1/webhooks/${id}/deliveries/${dead[0].id}/retry`)).status, 409);
    // A replay sends all of the feed again, with the same ids.
    const ids = new Set(receiver.at("/a").map(({ headers }) => headers.get("webhook-id")));
    const start = cursorAt(service.workspaceId, 0);
    const replayed = await service.post(`/v1/webhooks/${id}/replay`, { since: start });
    deepEqual([replayed.status, replayed.body.events], [202, ids.size]);
    const sent = receiver.at("/a").length;
    await sendDue(service);
    const repeated = receiver.at("/a").slice(sent).map(({ headers }) => headers.get("webhook-id"));
    deepEqual([...repeated].sort(), [...ids].sort());
    const none = await service.post(`/v1/webhooks/${id}/replay`, { since: start, states: ["dead"] });
    equal(none.body.events, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "F27 the service disables an endpoint after five days of failures and not before, or at once if it is gone; one that asks for a rest gets it",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    await createEnabled(service, receiver.url("/b"), { kinds: ["webhook."] });
    const rested = await createEnabled(service, receiver.url("/c"), { kinds: ["fact."] });
    const gone = await createEnabled(service, receiver.url("/d"), { kinds: ["fact."] });
    receiver.answer("/a", () => new Response("", { status: 302, headers: { location: receiver.url("/b") } }));
    receiver.answer("/c", () => new Response("", { status: 429, headers: { "retry-after": "1800" } }));
    receiver.answer("/d", () => new Response("", { status: 410 }));
    await createFact(service);
    await sendDue(service);
    deepEqual([(await read(service, gone.id)).status, (await read(service, gone.id)).statusReason], [
      "disabled",
      "gone",
    ]);
    equal(Date.parse((await read(service, rested.id)).throttledUntil) - world.now(), 1_800_000);
    await createFact(service);
    world.pass(1_799_000);
    await sendDue(service);
    equal(receiver.at("/c").length, 1, "the service sends nothing while the endpoint rests");
    receiver.answer("/c", undefined);
    world.pass(1_000);
    await sendDue(service);
    equal(receiver.at("/c").length, 3);
    equal((await read(service, id)).lastError, "redirected");
    const began = Date.parse((await read(service, id)).failingSince);
    for (let day = 0; (await read(service, id)).status === "enabled"; day++) {
      ok(day < 12, "the service disables it at some time");
      world.pass(DAY_MS / 2);
      await createFact(service);
      await sendDue(service);
      if (world.now() - began < 5 * DAY_MS) equal((await read(service, id)).status, "enabled", `after ${day / 2} days`);
    }
    ok(world.now() - began < 6 * DAY_MS);
    equal((await read(service, id)).statusReason, "failing");
    await sendDue(service);
    const told = receiver.at("/b").filter(({ message }) => message.type === "webhook.disabled");
    deepEqual(told.map(({ message }) => [message.data.resource.id, message.data.payload.reason]), [[gone.id, "gone"], [
      id,
      "failing",
    ]]);
    // An enabled endpoint goes on where it stopped, or skips what was waiting.
    receiver.answer("/a", undefined);
    const waiting = (await service.get(`/v1/webhooks/${id}/deliveries?state=pending&limit=200`)).body.data.length;
    ok(waiting > 0);
    const before = receiver.at("/a").length;
    equal((await service.patch(`/v1/webhooks/${id}`, { status: "enabled" })).body.status, "enabled");
    world.pass(2 * DAY_MS);
    await sendDue(service);
    equal(receiver.at("/a").length, before + waiting);
    receiver.answer("/d", undefined);
    const skipped = await service.patch(`/v1/webhooks/${gone.id}`, { status: "enabled", skipTo: "now" });
    deepEqual([skipped.body.status, skipped.body.statusReason], ["enabled", null]);
    await sendDue(service);
    equal(receiver.at("/d").length, 1);
    equal((await service.delete(`/v1/webhooks/${gone.id}`)).status, 200);
    equal((await service.get(`/v1/webhooks/${gone.id}`)).status, 404);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T69 the service refuses URLs that it may not call; it reads 16 KiB of an endless reply and no compressed one",
  async fn() {
    await using world = await startWorld();
    const { service, receiver } = world;
    for (
      const url of [
        "http://10.0.0.1/",
        "https://10.0.0.1/",
        "https://user:p@hooks.example/",
        "https://hooks.example:25/",
        "ftp://x.example/",
      ]
    ) {
      equal((await service.post("/v1/webhooks", { url })).status, 422, url);
    }
    const { id } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    receiver.answer("/a", () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65_536)) })));
    await createFact(service);
    await sendDue(service);
    equal((await service.get(`/v1/webhooks/${id}/deliveries`)).body.data[0].state, "delivered");
    receiver.answer("/a", () => new Response("x", { headers: { "content-encoding": "gzip" } }));
    await createFact(service);
    await sendDue(service);
    equal((await read(service, id)).lastError, "encoded");
    receiver.answer("/a", () => new Response("", { status: 500, headers: { "webhook-delivery": "abort-message" } }));
    await createFact(service);
    await sendDue(service);
    equal((await service.get(`/v1/webhooks/${id}/deliveries?limit=1`)).body.data[0].state, "dead");
    const tested = await service.post(`/v1/webhooks/${id}/test`);
    deepEqual([tested.body.status, tested.body.error, tested.body.verified], [500, "status 500", true]);
  },
});

Deno.test("a message names a path only where callers can read the resource by it", async () => {
  const { paths } = JSON.parse(await Deno.readTextFile(new URL("../openapi.json", import.meta.url)));
  const types = [
    ...UNIT_TYPES,
    "relation",
    "task",
    "event",
    "reasoning",
    "job",
    "review",
    "self_edit",
    "session",
    "webhook",
  ];
  for (const type of types) {
    const row: ChangeRow = {
      ...{ seq: 1, kind: `${type}.changed`, resourceType: type, resourceId: "ID", version: 1, sensitivity: "internal" },
      ...{ actor: "cli", recordedAt: new Date(), payload: {} },
    };
    const { data } = JSON.parse(new TextDecoder().decode(messageOf(crypto.randomUUID(), "msg_1", row).body));
    const path = data.resource.path.replace("/v1/", "/").replace("ID", "{id}");
    ok(paths[path]?.get !== undefined, `${type}: ${path}`);
  }
});
