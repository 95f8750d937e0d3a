import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { startFaultServer } from "./_fault_server.ts";
import { createEmbeddings, createGenerator } from "./factory.ts";

Deno.test("without a URL the built-in default is used, of its own dimension or a larger one", () => {
  assert.equal(createEmbeddings({ dimension: 384 }).model, "svc-minilm-256-v1");
  assert.equal(createEmbeddings({ dimension: 384, sentenceEncoder: "table" }).model, "svc-minilm-256-v1-table");
  assert.throws(() => createEmbeddings({ dimension: 128 }), ServiceError);
  assert.equal(createGenerator({}), null);
});

Deno.test("with a URL a model is needed", () => {
  assert.throws(() => createEmbeddings({ url: "http://localhost/v1", dimension: 384 }), ServiceError);
  assert.throws(() => createGenerator({ url: "http://localhost/v1" }), ServiceError);
  assert.equal(createEmbeddings({ url: "http://localhost/v1", model: "m", dimension: 768 }).dimension, 768);
  assert.equal(createGenerator({ url: "http://localhost/v1", model: "m" })?.model, "m");
});

Deno.test("every call is a svc.embed span and its time is noted, and tokens are counted", async () => {
  await using server = startFaultServer(() =>
    Response.json({ data: [{ embedding: [3, 4] }], usage: { prompt_tokens: 5 } })
  );
  const spans: unknown[] = [];
  const embeddings = createEmbeddings({
    url: server.url,
    model: "m",
    dimension: 2,
    onTokens: (...args) => spans.push(args),
    watch: {
      span: async (name, attributes, run) => {
        const result = await run();
        spans.push([name, attributes]);
        return result;
      },
      onEmbedded: (model, purpose, texts, durationMs) => {
        assert.ok(durationMs >= 0);
        spans.push([model, purpose, texts]);
      },
    },
  });
  const [vector] = await embeddings.embed(["a"], { purpose: "query" });
  assert.deepEqual([...vector!], [0.6, 0.8].map(Math.fround));
  assert.deepEqual(spans, [
    ["m", "embed", 5],
    ["svc.embed", { model: "m", purpose: "query", texts: 1 }],
    ["m", "query", 1],
  ]);
});
