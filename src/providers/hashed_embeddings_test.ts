import assert from "node:assert/strict";
import { HashedEmbeddings } from "./hashed_embeddings.ts";
import { EmbeddingError } from "./provider_error.ts";

const embeddings = new HashedEmbeddings();

async function cosine(a: string, b: string): Promise<number> {
  const [x, y] = await embeddings.embed([a, b], { purpose: "document" });
  return x!.reduce((sum, value, i) => sum + value * y![i]!, 0);
}

Deno.test("every text, also an odd one, has a finite vector of length 1", async () => {
  const texts = [
    "",
    " ",
    "!!!",
    "a",
    "the",
    "\u0000",
    "\ud800",
    "👩‍👩‍👧‍👦",
    "日本語のテキスト",
    "x".repeat(1_000_000),
    "é ".repeat(100_000),
  ];
  const vectors = await embeddings.embed(texts, { purpose: "document" });
  for (const [i, vector] of vectors.entries()) {
    assert.equal(vector.length, 384);
    const squares = vector.reduce((sum, value) => sum + value * value, 0);
    assert.ok(Math.abs(squares - 1) < 1e-5, `text ${i} has length ${squares}`);
  }
});

Deno.test("the vector of a text is fixed for good under this model's name", async () => {
  const text = "Caroline: I’ve moved to Zürich in May; 2 Katzen, 東京!";
  const [vector] = await new HashedEmbeddings().embed([text], { purpose: "query" });
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(vector!, (x) => Math.round(x * 1e4) & 0xff));
  assert.equal(embeddings.model, "svc-hashed-384-v1");
  assert.equal(new Uint8Array(digest).toHex(), "ff06c49ac30eada79801392896c1a70f4da037ea7ef1a817346cc47957e50d3a");
});

Deno.test("a vector does not depend on what was embedded before", async () => {
  const text = "running runs ran, he said";
  const [alone] = await new HashedEmbeddings().embed([text], { purpose: "document" });
  const [, later] = await embeddings.embed(["runs run running", text], { purpose: "query" });
  assert.deepEqual(alone, later);
});

Deno.test("forms of a word, misspellings and shared words are near, unrelated texts are not", async () => {
  assert.ok(await cosine("she was running a race", "races and runs") > 0.6);
  assert.ok(await cosine("adoption agencies", "adoptoin agency") > 0.3);
  assert.ok(await cosine("Kubernetes cluster", "kubernetes clusters") > 0.9);
  assert.ok(await cosine("私は東京に住んでいます", "東京に住む") > 0.4);
  assert.ok(Math.abs(await cosine("violin lessons on Tuesday", "deployment of the database failed")) < 0.25);
});

Deno.test("an aborted call ends with an EmbeddingError", async () => {
  const call = embeddings.embed(["a"], { purpose: "document", signal: AbortSignal.abort() });
  await assert.rejects(call, (error) => error instanceof EmbeddingError && error.reason === "aborted");
});

Deno.test("a large batch lets the event loop turn", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const texts = Array.from({ length: 5_000 }, (_, i) => `note ${i} about the ${i % 97}th of many things`);
  assert.equal((await embeddings.embed(texts, { purpose: "document" })).length, 5_000);
  clearInterval(timer);
  assert.ok(turns >= 3, `${turns} turns`);
});
