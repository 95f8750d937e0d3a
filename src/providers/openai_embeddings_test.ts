import assert from "node:assert/strict";
import { blackHole, brokenReply, endlessReply, type ReceivedRequest, startFaultServer } from "./_fault_server.ts";
import { OpenAiEmbeddings, type OpenAiEmbeddingsOptions } from "./openai_embeddings.ts";
import { EmbeddingError, type ProviderFailure } from "./provider_error.ts";
import { waitFor, within } from "../../tests/_wait.ts";

const KEY = "sk-canary-5b1c";
const fast = { model: "m", apiKey: KEY, dimension: 3, timeoutMs: 2_000, queryTimeoutMs: 150, backoffMs: 1 };

function provider(url: string, options: Partial<OpenAiEmbeddingsOptions> = {}): OpenAiEmbeddings {
  return new OpenAiEmbeddings({ url, ...fast, ...options });
}

/** The first number of each vector tells which text it belongs to. */
function goodReply(request: ReceivedRequest): Response {
  const data = request.body.input.map((text: string, index: number) => ({ index, embedding: [text.length, 1, 0] }));
  return Response.json({ data, usage: { prompt_tokens: 7, total_tokens: 7 } });
}

async function failureOf(run: Promise<unknown>): Promise<EmbeddingError> {
  const error = await run.then(() => assert.fail("no error was thrown"), (error) => error);
  assert.ok(error instanceof EmbeddingError, String(error));
  assert.equal(error.code, "unavailable");
  const shown = [error.message, error.stack, Deno.inspect(error), JSON.stringify(error)].join();
  assert.ok(!shown.includes(KEY) && !shown.includes("127.0.0.1"), shown);
  return error;
}

Deno.test("texts come back as unit vectors in their own order, whatever the order of the reply", async () => {
  await using server = startFaultServer((request) => {
    const data = request.body.input.map((t: string, index: number) => ({ index, embedding: [t.length, 0, 1] }));
    return Response.json({ data: data.reverse(), usage: { prompt_tokens: 11 } });
  });
  const counted: unknown[] = [];
  const embeddings = provider(`${server.url}/?api-version=1`, { onTokens: (...args) => counted.push(args) });
  const vectors = await embeddings.embed(["a", "bbb", "  "], { purpose: "document" });
  const expected = [1, 3, 1].map((x) => [x / Math.hypot(x, 1), 0, 1 / Math.hypot(x, 1)].map(Math.fround));
  assert.deepEqual(vectors.map((vector) => [...vector]), expected);
  assert.deepEqual(counted, [["m", "embed", 11]]);
  const [request] = server.requests;
  assert.equal(request?.path, "/v1/embeddings");
  assert.equal(request?.search, "?api-version=1");
  assert.equal(request?.authorization, `Bearer ${KEY}`);
  assert.deepEqual(request?.body, { model: "m", input: ["a", "bbb", "."], encoding_format: "float", dimensions: 3 });
});

Deno.test("an empty list makes no request", async () => {
  await using server = startFaultServer(goodReply);
  assert.deepEqual(await provider(server.url).embed([], { purpose: "document" }), []);
  assert.equal(server.requests.length, 0);
});

Deno.test("batches hold at most 96 texts and about 8,000 tokens, and keep the order", async () => {
  await using server = startFaultServer(goodReply);
  const texts = [
    ...Array.from({ length: 500 }, (_, i) => "x".repeat(1 + i % 40)),
    "y".repeat(200_000),
    "é".repeat(9_000),
  ];
  const vectors = await provider(server.url).embed(texts, { purpose: "document" });
  assert.equal(vectors.length, 502);
  for (const [i, vector] of vectors.slice(0, 500).entries()) {
    assert.ok(Math.abs(vector[0]! / vector[1]! - (1 + i % 40)) < 1e-3, `text ${i}`);
  }
  for (const { body } of server.requests) {
    assert.ok(body.input.length <= 96);
    assert.ok(new TextEncoder().encode(body.input.join("")).length <= 24_100);
  }
});

const JSON_HEADERS = { "content-type": "application/json" };
const raw = (body: string) => new Response(body, { headers: JSON_HEADERS });
const vector = (...numbers: unknown[]) => Response.json({ data: [{ index: 0, embedding: numbers }] });

const FAULTS: [string, ProviderFailure, number, (signal: AbortSignal) => Response | Promise<Response>][] = [
  ["a black hole", "timeout", 3, blackHole],
  ["status 500", "server_error", 3, () => new Response(`${KEY}`, { status: 500 })],
  ["status 503", "server_error", 3, () => new Response(null, { status: 503 })],
  ["status 429", "rate_limited", 3, () => new Response(null, { status: 429 })],
  [
    "a long Retry-After",
    "rate_limited",
    1,
    () => new Response(null, { status: 429, headers: { "retry-after": "3600" } }),
  ],
  ["status 401 that echoes the key", "unauthorised", 1, () => Response.json({ error: KEY }, { status: 401 })],
  ["status 404", "unexpected_status", 1, () => new Response(null, { status: 404 })],
  [
    "a redirect",
    "redirected",
    1,
    () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1/x" } }),
  ],
  ["a wrong dimension", "wrong_dimension", 1, () => vector(1, 2)],
  ["NaN as null", "not_finite", 1, () => vector(1, null, 3)],
  ["NaN as text", "not_finite", 1, () => raw('{"data":[{"index":0,"embedding":[NaN, 1, 2]}]}')],
  ["Infinity", "not_finite", 1, () => raw('{"data":[{"embedding":[1, -Infinity, 2]}]}')],
  ["a number beyond a double", "not_finite", 1, () => raw('{"data":[{"embedding":[1,1e999,2]}]}')],
  ["numbers whose length overflows", "not_finite", 1, () => vector(1e300, 1e300, 1)],
  ["a string for a number", "not_finite", 1, () => vector(1, "2", 3)],
  ["a zero vector", "zero_vector", 1, () => vector(0, 0, 0)],
  ["too few vectors", "wrong_count", 1, () => Response.json({ data: [] })],
  ["a wrong index", "wrong_count", 1, () => Response.json({ data: [{ index: 4, embedding: [1, 2, 3] }] })],
  ["truncated JSON", "malformed", 1, () => raw('{"data":[{"index":0,"embedd')],
  ["HTML", "malformed", 1, () => raw("<html>Welcome</html>")],
  ["another shape", "malformed", 1, () => Response.json({ embeddings: [[1, 2, 3]] })],
  ["an empty body", "malformed", 1, () => raw("")],
  ["an endless body", "too_large", 1, endlessReply],
  ["a connection that breaks", "unreachable", 3, () => brokenReply('{"data":[')],
  ["a refused text", "rejected", 2, () => new Response(KEY, { status: 400 })],
];

for (const [name, reason, attempts, answer] of FAULTS) {
  Deno.test(`${name} is refused as ${reason} after ${attempts} attempts, without the key`, async () => {
    await using server = startFaultServer((_request, _count, signal) => answer(signal));
    const embeddings = provider(server.url, { timeoutMs: 100 });
    const failure = failureOf(embeddings.embed(["text"], { purpose: "document" }));
    const error = await within("the refusal", failure);
    assert.equal(error.reason, reason);
    assert.equal(server.requests.length, attempts);
  });
}

Deno.test("an endpoint that is not there is unreachable", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const error = await failureOf(provider(`http://127.0.0.1:${port}`).embed(["a"], { purpose: "document" }));
  assert.equal(error.reason, "unreachable");
});

Deno.test("a document is retried after 500 and after 429 as long as Retry-After says", async () => {
  const times: number[] = [];
  await using server = startFaultServer((request, count) => {
    times.push(performance.now());
    if (count === 1) return new Response(null, { status: 500 });
    if (count === 2) return new Response(null, { status: 429, headers: { "retry-after": "1" } });
    return goodReply(request);
  });
  assert.equal((await provider(server.url).embed(["a"], { purpose: "document" })).length, 1);
  assert.equal(times.length, 3);
  assert.ok(times[2]! - times[1]! >= 990, `waited ${times[2]! - times[1]!} ms`);
});

Deno.test("a query gives up at its short deadline, and a dead endpoint then costs nothing", async () => {
  await using server = startFaultServer((_request, _count, signal) => blackHole(signal));
  const embeddings = provider(server.url);
  for (let i = 0; i < 3; i++) {
    assert.equal((await failureOf(embeddings.embed(["a"], { purpose: "query" }))).reason, "timeout");
  }
  for (let i = 0; i < 100; i++) {
    assert.equal((await failureOf(embeddings.embed(["a"], { purpose: "query" }))).reason, "circuit_open");
  }
  assert.equal(server.requests.length, 3, "nothing is sent to an endpoint that is known to be dead");
});

Deno.test("an endpoint too slow for queries still embeds documents", async () => {
  let slow = true;
  await using server = startFaultServer((request, _count, signal) => slow ? blackHole(signal) : goodReply(request));
  const embeddings = provider(server.url);
  for (let i = 0; i < 4; i++) await failureOf(embeddings.embed(["a"], { purpose: "query" }));
  slow = false;
  assert.equal((await embeddings.embed(["a"], { purpose: "document" })).length, 1);
});

Deno.test("the circuit closes by itself when the endpoint is back, also for many batches at once", async () => {
  let dead = true;
  await using server = startFaultServer((request) => dead ? new Response(null, { status: 500 }) : goodReply(request));
  const embeddings = provider(server.url, { cooldownMs: 1 });
  for (let i = 0; i < 4; i++) await failureOf(embeddings.embed(["a"], { purpose: "document" }));
  dead = false;
  const texts = Array.from({ length: 400 }, (_, i) => `text ${i}`);
  await waitFor("a closed circuit", async () => {
    const vectors = await embeddings.embed(texts, { purpose: "document" }).catch(() => null);
    return vectors?.length === 400;
  });
});

Deno.test("the caller's signal ends a call and a backoff at once", async () => {
  await using server = startFaultServer((_request, count, signal) =>
    count === 1 ? new Response(null, { status: 500 }) : blackHole(signal)
  );
  const embeddings = provider(server.url, { backoffMs: 60_000 });
  const controller = new AbortController();
  const call = embeddings.embed(["a"], { purpose: "document", signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  assert.equal((await failureOf(call)).reason, "aborted");
  const timed = embeddings.embed(["a"], { purpose: "document", signal: AbortSignal.timeout(50) });
  assert.equal((await failureOf(timed)).reason, "timeout");
});

Deno.test("an endpoint that refuses the dimensions parameter is asked without it from then on", async () => {
  await using server = startFaultServer((request) =>
    "dimensions" in request.body ? new Response(null, { status: 400 }) : goodReply(request)
  );
  const embeddings = provider(server.url);
  await embeddings.embed(["a"], { purpose: "document" });
  await embeddings.embed(["b"], { purpose: "query" });
  assert.equal(server.requests.length, 3);
});

Deno.test("a text too long for the model is cut, and the others of its batch are embedded whole", async () => {
  await using server = startFaultServer((request) =>
    request.body.input.some((text: string) => text.length > 2_000)
      ? new Response(null, { status: 413 })
      : goodReply(request)
  );
  const vectors = await provider(server.url).embed(["a", "b".repeat(6_000), "ccc"], { purpose: "document" });
  const lengths = vectors.map((vector) => Math.round(vector[0]! / vector[1]!));
  assert.deepEqual(lengths, [1, 1_500, 3]);
});

Deno.test("a URL or a key that cannot be used is refused without showing it", () => {
  for (const url of ["nonsense", "ftp://host/x", "http://user:hunter2@host/v1"]) {
    assert.throws(() => provider(url), (error: Error) => !error.message.includes("hunter2"));
  }
  assert.throws(() => provider("http://host", { apiKey: `${KEY}\n` }), (error: Error) => !error.message.includes(KEY));
});
