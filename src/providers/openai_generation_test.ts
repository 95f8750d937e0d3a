import assert from "node:assert/strict";
import { blackHole, brokenReply, endlessReply, type ReceivedRequest, startFaultServer } from "./_fault_server.ts";
import { OpenAiGeneration, type OpenAiGenerationOptions } from "./openai_generation.ts";
import { GenerationError, type ProviderFailure } from "./provider_error.ts";

const KEY = "sk-canary-9d2e";
const PROMPT = [{ role: "system", content: "Summarise." }, { role: "user", content: "lone \ud800" }] as const;
const SCHEMA = { name: "summary", schema: { type: "object" } };

function generator(url: string, options: Partial<OpenAiGenerationOptions> = {}): OpenAiGeneration {
  return new OpenAiGeneration({ url, model: "m", apiKey: KEY, timeoutMs: 200, backoffMs: 1, ...options });
}

function say(content: string | null, finish_reason = "stop"): Response {
  return Response.json({ choices: [{ finish_reason, message: { content } }], usage: { total_tokens: 42 } });
}

async function failureOf(run: Promise<unknown>): Promise<GenerationError> {
  const error = await run.then(() => assert.fail("no error was thrown"), (error) => error);
  assert.ok(error instanceof GenerationError, String(error));
  assert.ok(!Deno.inspect(error).includes(KEY) && !Deno.inspect(error).includes("127.0.0.1"));
  return error;
}

Deno.test("a prompt comes back as the model's text, and its tokens are counted", async () => {
  await using server = startFaultServer(() => say("A summary."));
  const counted: unknown[] = [];
  const model = generator(server.url, { onTokens: (...args) => counted.push(args) });
  const text = await model.generate(PROMPT, { maxTokens: 100, jsonSchema: SCHEMA, operation: "collapse" });
  assert.equal(text, "A summary.");
  assert.deepEqual(counted, [["m", "collapse", 42]]);
  const [request] = server.requests;
  assert.equal(request?.path, "/v1/chat/completions");
  assert.equal(request?.authorization, `Bearer ${KEY}`);
  assert.deepEqual(request?.body, {
    model: "m",
    messages: [PROMPT[0], { role: "user", content: "lone \ufffd" }],
    max_tokens: 100,
    temperature: 0,
    response_format: { type: "json_schema", json_schema: { ...SCHEMA, strict: true } },
  });
});

Deno.test("an endpoint that refuses parameters is asked without them from then on", async () => {
  const refuse = (message: string) => Response.json({ error: { message, key: KEY } }, { status: 400 });
  await using server = startFaultServer(({ body }: ReceivedRequest) => {
    if ("max_tokens" in body) return refuse("Use 'max_completion_tokens' instead");
    if ("temperature" in body) return refuse("Unsupported value: temperature");
    if ("response_format" in body) return refuse("response_format?");
    return say("ok");
  });
  const model = generator(server.url);
  assert.equal(await model.generate(PROMPT, { maxTokens: 5, jsonSchema: SCHEMA }), "ok");
  assert.equal(server.requests.length, 5);
  assert.equal(await model.generate(PROMPT, { maxTokens: 5, jsonSchema: SCHEMA }), "ok");
  assert.deepEqual(Object.keys(server.requests[5]?.body), ["model", "messages", "max_completion_tokens"]);
});

Deno.test("a prompt that is refused for itself changes nothing for the next one", async () => {
  await using server = startFaultServer((_request, count) =>
    count <= 3 ? new Response(null, { status: 400 }) : say("ok")
  );
  const model = generator(server.url);
  assert.equal((await failureOf(model.generate(PROMPT, { maxTokens: 5, jsonSchema: SCHEMA }))).reason, "rejected");
  await model.generate(PROMPT, { maxTokens: 5, jsonSchema: SCHEMA });
  assert.equal(server.requests[3]?.body.response_format.type, "json_schema");
});

type Answer = (signal: AbortSignal) => Response | Promise<Response>;
const FAULTS: [string, ProviderFailure, number, Answer][] = [
  ["a black hole", "timeout", 2, blackHole],
  ["status 500", "server_error", 2, () => new Response(KEY, { status: 500 })],
  ["status 429", "rate_limited", 2, () => new Response(KEY, { status: 429 })],
  ["status 401", "unauthorised", 1, () => new Response(KEY, { status: 401 })],
  [
    "a redirect",
    "redirected",
    1,
    () => new Response(null, { status: 302, headers: { location: "http://localhost/" } }),
  ],
  ["a refused prompt", "rejected", 1, () => new Response(KEY, { status: 422 })],
  ["truncated JSON", "malformed", 1, () => new Response('{"choices":[{"mess')],
  ["no choice", "malformed", 1, () => Response.json({ choices: [] })],
  ["an empty text", "malformed", 1, () => say(" ")],
  ["no text", "malformed", 1, () => say(null)],
  ["a text that is cut off", "cut_off", 1, () => say("half a", "length")],
  ["a declined answer", "refused", 1, () => say("no", "content_filter")],
  ["an endless body", "too_large", 1, endlessReply],
  ["a connection that breaks", "unreachable", 2, () => brokenReply("{")],
];

for (const [name, reason, attempts, answer] of FAULTS) {
  Deno.test(`${name} is refused as ${reason} after ${attempts} attempts, without the key`, async () => {
    await using server = startFaultServer((_request, _count, signal) => answer(signal));
    const error = await failureOf(generator(server.url).generate(PROMPT, { maxTokens: 10 }));
    assert.equal(error.reason, reason);
    assert.equal(server.requests.length, attempts);
  });
}

Deno.test("a dead endpoint is left alone after four failures", async () => {
  await using server = startFaultServer(() => new Response(null, { status: 500 }));
  const model = generator(server.url);
  for (let i = 0; i < 2; i++) await failureOf(model.generate(PROMPT, { maxTokens: 10 }));
  assert.equal((await failureOf(model.generate(PROMPT, { maxTokens: 10 }))).reason, "circuit_open");
  assert.equal(server.requests.length, 4);
});

Deno.test("the caller's signal ends a call at once", async () => {
  await using server = startFaultServer((_request, _count, signal) => blackHole(signal));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const call = generator(server.url, { timeoutMs: 60_000 }).generate(PROMPT, {
    maxTokens: 1,
    signal: controller.signal,
  });
  assert.equal((await failureOf(call)).reason, "aborted");
});
