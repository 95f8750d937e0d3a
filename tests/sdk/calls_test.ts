/** Calls of the client: what is repeated and what is not, limits of time, and what an error says. */
import assert from "node:assert/strict";
import { createClient, SvcError } from "../../clients/typescript/mod.ts";
import { findDeadPort, startBlackHole, startRelay } from "../_relay.ts";
import { clientOf, startAnyService } from "./_client.ts";
import { problem, startServer } from "./_server.ts";

const KEY = "svc_live_not-a-real-key-but-a-secret";
const FACT = { id: "01890000-0000-7000-8000-000000000001" };

async function refusalOf(call: Promise<unknown>): Promise<SvcError> {
  const error = await call.then(() => assert.fail("it was answered"), (error) => error);
  assert.ok(error instanceof SvcError, String(error));
  return error;
}

Deno.test("a change whose connection breaks off after it was done is repeated, and is done once", async () => {
  await using service = await startAnyService();
  const { url } = service.listen();
  await using relay = startRelay({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  const svc = createClient({ url: `http://127.0.0.1:${relay.port}`, key: service.key, timeoutMs: 120_000 });
  const { id } = await svc.startSession();
  let broken = 0;
  relay.onPiece = ({ direction, connection }) => {
    // The service has done it: its reply is on the way.
    if (direction === "down" && broken < 2) {
      broken++;
      relay.cut(connection);
    }
  };
  await svc.addTurns({ id, role: "user", content: "We ship on Friday." });
  assert.equal(broken, 2);
  relay.onPiece = undefined;
  const { data } = await svc.listTurns({ id });
  assert.deepEqual(data.map(({ content }) => content), ["We ship on Friday."]);
  // Two calls are two changes.
  await svc.addTurns({ id, role: "user", content: "We ship on Friday." });
  assert.equal((await svc.listTurns({ id })).data.length, 2);
});

Deno.test("what the service calls retryable is repeated with the same key, three times at most, after the time it asks for", async () => {
  await using server = startServer((n) =>
    n < 2
      ? problem("rate_limited", 429, { retryable: true }, { "retry-after": n === 0 ? "1" : "0" })
      : Response.json(FACT)
  );
  const svc = createClient({ url: server.url, key: KEY });
  const began = performance.now();
  assert.deepEqual(await svc.createFact({ statement: "a" }), FACT);
  assert.ok(performance.now() - began >= 1_000);
  const keys = server.requests.map(({ request }) => request.headers.get("idempotency-key"));
  assert.equal(keys.length, 3);
  assert.match(keys[0]!, /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
  assert.equal(new Set(server.requests.map(({ body }) => body)).size, 1);

  await using never = startServer(() => problem("unavailable", 503, { retryable: true }, { "retry-after": "0" }));
  const refused = await refusalOf(createClient({ url: never.url, key: KEY }).recall({ query: "a" }));
  assert.deepEqual([refused.code, refused.status, refused.retryAfterMs], ["unavailable", 503, 0]);
  assert.equal(never.requests.length, 4);
  await refusalOf(createClient({ url: never.url, key: KEY, retries: 0 }).recall({ query: "a" }));
  assert.equal(never.requests.length, 5);
  await refusalOf(createClient({ url: never.url, key: KEY }).recall({ query: "a" }, { retries: 1 }));
  assert.equal(never.requests.length, 7);
});

Deno.test("what is refused for good is not repeated; the error has the code, the request and the faults", async () => {
  const errors = [{ path: "statement", message: "is blank" }];
  await using server = startServer(() => problem("validation_failed", 422, { errors, homeRegion: "eu-west-1" }));
  const error = await refusalOf(createClient({ url: server.url, key: KEY }).createFact({ statement: " " }));
  assert.deepEqual(
    [error.code, error.status, error.retryable, error.requestId, error.errors, error.details],
    ["validation_failed", 422, false, "r-1", errors, { homeRegion: "eu-west-1" }],
  );
  assert.equal(server.requests.length, 1);
});

Deno.test("a longer wait than there is time for is not begun", async () => {
  await using server = startServer(() => problem("rate_limited", 429, { retryable: true }, { "retry-after": "3600" }));
  const error = await refusalOf(createClient({ url: server.url, key: KEY }).recall({ query: "a" }));
  assert.deepEqual([error.code, error.retryAfterMs], ["rate_limited", 3_600_000]);
  assert.equal(server.requests.length, 1);
});

Deno.test("what is not the service is told as such: a redirect, a proxy's page, a page instead of JSON", async () => {
  const answers = [
    () => Response.redirect("http://127.0.0.1:1/", 307),
    () => new Response("<h1>no</h1>", { status: 404 }),
    () => new Response("<h1>Sign in</h1>"),
  ];
  for (const answer of answers) {
    await using server = startServer(answer);
    const error = await refusalOf(createClient({ url: server.url, key: KEY }).recall({ query: "a" }));
    assert.deepEqual([error.code, error.retryable], ["bad_reply", false]);
    assert.equal(server.requests.length, 1);
  }
  await using gateway = startServer((n) =>
    n === 0 ? new Response("no", { status: 502 }) : Response.json({ results: [] })
  );
  assert.deepEqual(await createClient({ url: gateway.url, key: KEY }).recall({ query: "a" }), { results: [] });
});

Deno.test("a call ends by its time limit or its signal, also while it waits for its next try", async () => {
  await using hole = startBlackHole();
  const url = `http://127.0.0.1:${hole.port}`;
  const late = await refusalOf(createClient({ url, key: KEY, timeoutMs: 50 }).recall({ query: "a" }));
  assert.deepEqual([late.code, late.retryable], ["timeout", true]);
  await using stuck = startServer(() =>
    new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(1)) }))
  );
  const half = await refusalOf(createClient({ url: stuck.url, key: KEY, timeoutMs: 200 }).recall({ query: "a" }));
  assert.deepEqual([half.code, stuck.requests.length], ["timeout", 1], "a reply that does not go on");
  const reason = new Error("enough");
  const controller = new AbortController();
  const call = createClient({ url, key: KEY }).recall({ query: "a" }, { signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(call, reason);
  await assert.rejects(
    createClient({ url, key: KEY }).recall({ query: "a" }, { signal: AbortSignal.abort(reason) }),
    reason,
  );

  await using server = startServer(() => problem("unavailable", 503, { retryable: true }, { "retry-after": "20" }));
  const waiting = new AbortController();
  const tries = createClient({ url: server.url, key: KEY }).recall({ query: "a" }, { signal: waiting.signal });
  setTimeout(() => waiting.abort(reason), 200);
  await assert.rejects(tries, reason);
});

Deno.test("the key is in no error, address or printed client", async () => {
  const texts: string[] = [];
  const note = (error: unknown) => texts.push(Deno.inspect(error, { depth: 10 }), JSON.stringify(error), String(error));
  const dead = createClient({ url: `http://127.0.0.1:${findDeadPort()}`, key: KEY, retries: 0 });
  const unreached = await refusalOf(dead.recall({ query: "a" }));
  assert.deepEqual([unreached.code, unreached.status, unreached.retryable], ["connection_failed", 0, true]);
  note(unreached);
  await using server = startServer(() => problem("unauthenticated", 401));
  const svc = createClient({ url: server.url, key: KEY });
  note(await refusalOf(svc.recall({ query: "a" })));
  texts.push(server.requests[0]!.request.url, Deno.inspect(svc, { depth: 10 }));
  assert.equal(server.requests[0]!.request.headers.get("authorization"), `Bearer ${KEY}`);
  for (const key of [`${KEY}\n`, `${KEY} x`, "", undefined as unknown as string]) {
    assert.throws(() => createClient({ url: server.url, key }), (error) => !!note(error) && error instanceof TypeError);
  }
  for (const url of [`https://user:${KEY}@svc.test`, `https://svc.test?key=${KEY}`, "svc.test", "file:///etc"]) {
    assert.throws(() => createClient({ url, key: KEY }), (error) => !!note(error) && error instanceof TypeError);
  }
  assert.deepEqual(texts.filter((text) => text?.includes(KEY)), []);
});

Deno.test("a member of a path cannot lead to another operation", async () => {
  await using server = startServer(() => Response.json({}));
  const svc = createClient({ url: server.url, key: KEY });
  for (const drawer of ["", ".", "..", "\ud800", undefined as unknown as string]) {
    const error = await refusalOf(svc.unfileEntity({ id: FACT.id, drawer }));
    assert.deepEqual([error.code, error.errors[0]?.path], ["validation_failed", "drawer"]);
  }
  assert.equal(server.requests.length, 0);
  await svc.unfileEntity({ id: FACT.id, drawer: "../a b/%2e%2e?x#y" });
  const { pathname, search } = new URL(server.requests[0]!.request.url);
  assert.deepEqual(
    [pathname, search],
    [`/v1/memory/entities/${FACT.id}/drawers/..%2Fa%20b%2F%252e%252e%3Fx%23y`, ""],
  );
});

Deno.test("an option that the client or the operation does not have is refused", async () => {
  const options = { url: "http://127.0.0.1", key: KEY };
  assert.throws(() => createClient({ ...options, timeout: 5 } as never), /no option timeout/);
  for (const bad of [{ timeoutMs: 0 }, { timeoutMs: NaN }, { retries: -1 }, { retries: 11 }, { retries: 0.5 }]) {
    assert.throws(() => createClient({ ...options, ...bad }), TypeError);
    await assert.rejects(createClient(options).recall({ query: "a" }, bad), TypeError);
  }
  await assert.rejects(createClient(options).recall({ query: "a" }, { ifMatch: 1 } as never), /no option ifMatch/);
  const empty = await refusalOf(createClient(options).listFacts({ tags: [] }));
  assert.equal(empty.code, "validation_failed");
});

Deno.test("the address may have a path of a proxy, a slash, and /v1", async () => {
  await using server = startServer(() => Response.json({}));
  for (const path of ["", "/", "/v1", "/v1/", "/memory", "/memory/v1/"]) {
    await createClient({ url: server.url + path, key: null }).getGate();
  }
  const asked = server.requests.map(({ request }) => new URL(request.url).pathname);
  assert.deepEqual([...new Set(asked.slice(0, 4))], ["/v1/memory/governance/gate"]);
  assert.deepEqual([...new Set(asked.slice(4))], ["/memory/v1/memory/governance/gate"]);
  assert.equal(server.requests[0]!.request.headers.get("authorization"), null);
  assert.match(server.requests[0]!.request.headers.get("x-svc-client")!, /^sdk\/\d/);
});

Deno.test("lists go through all their pages, a changed resource is held by its version, files travel both ways", async () => {
  await using service = await startAnyService();
  const queries: string[] = [];
  const svc = clientOf(service, {}, ({ search }, { method }) => method === "GET" && queries.push(search));
  for (let i = 0; i < 5; i++) {
    await svc.createFact({ statement: `Fact number ${i} of the pages`, tags: ["pages", `n${i}`] });
  }
  const found: string[] = [];
  for await (const { statement } of svc.all.listFacts({ tags: ["pages"], limit: 2 })) found.push(statement);
  assert.equal(found.length, 5);
  assert.equal(queries.length, 3);
  const [fact] = (await svc.listFacts({ tags: ["n1", "n2"], limit: 1 })).data;
  const changed = await svc.updateFact({ id: fact!.id, confidence: 0.5, reason: "asked" }, { ifMatch: fact!.version });
  assert.equal(changed.version, fact!.version + 1);
  const stale = await refusalOf(
    svc.updateFact({ id: fact!.id, confidence: 0.4, reason: "asked" }, { ifMatch: fact!.version }),
  );
  assert.deepEqual([stale.code, stale.status], ["version_mismatch", 412]);
  assert.equal((await svc.listFacts({ pinned: true })).data.length, 0);
  const file = await new Response(await svc.exportMemory({})).text();
  assert.match(file, /Fact number 3/);
  const other = clientOf(service, { key: (await service.inNewWorkspace()).key });
  await other.importMemory({ file: new Blob([file]), format: "svc" });
  assert.equal((await Array.fromAsync(other.all.listFacts({ tags: ["pages"] }))).length, 5);
});
