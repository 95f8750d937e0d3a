import assert from "node:assert/strict";
import { letOthersRun } from "../../pause.ts";
import { EmbeddingError } from "../provider_error.ts";
import { CHUNK_CHARS, CHUNKS_MAX, cutIntoChunks } from "./chunks.ts";
import { ENCODER_FOLDER } from "./files.ts";
import { ENCODER_MODEL, SentenceEncoder, TABLE_MODEL } from "./sentence_encoder.ts";
import { LATER_EVERY_MS, Transformer } from "./transformer.ts";

const DOCUMENT = { purpose: "document" } as const, QUERY = { purpose: "query" } as const;
/** Facts, and a question about each that shares no word of meaning with it. */
const PAIRS = [
  ["Priya is allergic to peanuts.", "What food must we keep away from her?"],
  ["The quarterly figures are due on Friday.", "When does the finance report have to be finished?"],
  ["Tom cycles to the office.", "How does he commute?"],
  ["Our cat is called Biscuit.", "What is the name of the pet?"],
  ["The flat is heated with gas.", "Where does the warmth at home come from?"],
] as const;
/** Texts that break programs. */
const ODD = [
  ...["", " ", "a", "\ud800", "x\udfffy", "\u0000", "[MASK] [CLS] [SEP]", "0".repeat(20_000)],
  ...[
    "😀".repeat(10_000),
    "a".repeat(1_000_000),
    "mot ".repeat(250_000),
    "שלום עולם مرحبا",
    "漢字かな交じり文".repeat(500),
  ],
];

function cosine(a: Float32Array, b: Float32Array): number {
  const sum = (x: Float32Array, y: Float32Array) => x.reduce((total, value, i) => total + value * y[i], 0);
  return sum(a, b) / Math.sqrt(sum(a, a) * sum(b, b));
}

function nearestOf(query: Float32Array, texts: readonly Float32Array[]): number {
  const cosines = texts.map((text) => cosine(query, text));
  return cosines.indexOf(Math.max(...cosines));
}

Deno.test("questions in other words are nearest to their facts, whether the transformer or the table reads them", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  const facts = await encoder.embed(PAIRS.map(([fact]) => fact), DOCUMENT);
  const questions = await encoder.embed(PAIRS.map(([, question]) => question), QUERY);
  assert.deepEqual(questions.map((question) => nearestOf(question, facts)), [0, 1, 2, 3, 4]);
  const lookedUp = await Promise.all(PAIRS.map(async ([, question]) => (await encoder.lookUpQuery(question))!));
  const right = lookedUp.filter((question, i) => nearestOf(question, facts) === i).length;
  assert.ok(right >= 4, `${right} of 5`);
});

Deno.test("a text has one vector, alone, among others, and at every time", async () => {
  const [one, other] = [0, 1].map(() => new SentenceEncoder({ dimension: 256, mode: "on" }));
  const [alone] = await one.embed([PAIRS[0][0]], DOCUMENT);
  const among = await other.embed([...ODD.slice(0, 8), PAIRS[0][0], PAIRS[1][0]], DOCUMENT);
  const [asQuery] = await other.embed([PAIRS[0][0]], QUERY);
  assert.deepEqual(among[8], alone);
  assert.deepEqual(asQuery, alone);
});

Deno.test("a name has the vector of its spelling without marks", async () => {
  const encoder = new SentenceEncoder({ dimension: 256, mode: "on" });
  for (const [marked, plain] of [["Łukasz Wróbel", "lukasz wrobel"], ["Đorđe", "Dorde"], ["Søren", "soren"]] as const) {
    const [one, other] = await encoder.embed([`${marked} bakes bread.`, `${plain} bakes bread.`], DOCUMENT);
    assert.deepEqual(one, other, marked);
    assert.deepEqual(await encoder.lookUpQuery(marked), await encoder.lookUpQuery(plain), marked);
  }
});

Deno.test("any text gets a vector of whole numbers that is not zero", async () => {
  const encoder = new SentenceEncoder({ dimension: 300, mode: "on" });
  const tables = new SentenceEncoder({ dimension: 300, mode: "table" });
  for (const vectors of [await encoder.embed(ODD, DOCUMENT), await tables.embed(ODD, DOCUMENT)]) {
    for (const [i, vector] of vectors.entries()) {
      assert.equal(vector.length, 300);
      assert.ok(vector.every((value) => Number.isInteger(value) && Math.abs(value) <= 127), ODD[i].slice(0, 20));
      assert.ok(vector.slice(0, 256).some((value) => value !== 0), ODD[i].slice(0, 20));
      assert.ok(vector.slice(256).every((value) => value === 0));
    }
  }
});

Deno.test("a text is cut into few chunks, at white space where it has some, and never within a character", () => {
  for (const text of ODD) {
    const chunks = cutIntoChunks(text);
    assert.ok(chunks.length >= 1 && chunks.length <= CHUNKS_MAX);
    assert.ok(chunks.every((chunk) => chunk.length <= CHUNK_CHARS && chunk.isWellFormed()));
  }
  const words = "one two three four five six seven ".repeat(40).trim();
  const chunks = cutIntoChunks(words);
  assert.equal(chunks.join(""), words);
  assert.ok(chunks.slice(0, -1).every((chunk) => chunk.endsWith(" ")));
  assert.deepEqual(cutIntoChunks("short"), ["short"]);
});

Deno.test("without the transformer, the table makes all vectors, and those of the transformer stay", async () => {
  const tables = new SentenceEncoder({ dimension: 384, mode: "table" });
  assert.equal(tables.model, TABLE_MODEL);
  assert.deepEqual(tables.current, [ENCODER_MODEL, TABLE_MODEL]);
  const { model, vectors } = await tables.embedAtOnce([PAIRS[0][0]]);
  assert.equal(model, TABLE_MODEL);
  assert.deepEqual(vectors, await tables.embed([PAIRS[0][0]], DOCUMENT));
});

Deno.test("a write waits for the transformer only if it is ready and has nothing else to do", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  assert.equal((await encoder.embedAtOnce(["before it is loaded"])).model, TABLE_MODEL);
  await encoder.warmUp();
  assert.equal((await encoder.embedAtOnce(["a single fact"])).model, ENCODER_MODEL);
  assert.equal((await encoder.embedAtOnce(Array.from({ length: 20 }, (_, i) => `turn ${i}`))).model, TABLE_MODEL);
  const backlog = encoder.embed(Array.from({ length: 200 }, (_, i) => `fact ${i}`), DOCUMENT);
  await letOthersRun();
  assert.equal((await encoder.embedAtOnce(["a fact beside a backlog"])).model, TABLE_MODEL);
  await backlog;
});

/** A text of twelve chunks, each with as many pieces as the transformer reads at most. */
const longest = (salt: string) => salt + "字".repeat(CHUNK_CHARS * CHUNKS_MAX);

Deno.test("a question that would wait long is looked up in the table at once, and encoded when the way is free", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  // By these it knows how long such a text takes.
  await encoder.embed(["", "a"].map(longest), DOCUMENT);
  const [question] = PAIRS[0];
  const looked = await encoder.lookUpQuery(question);
  // They stand before it, however fast the machine reads them.
  const others = encoder.embed(Array.from({ length: 200 }, (_, i) => `What became of number ${i}?`), QUERY);
  const [vector] = await encoder.embed([question], QUERY);
  assert.deepEqual(vector, looked);
  await others;
  assert.notDeepEqual((await encoder.embed([question], QUERY))[0], looked);
});

Deno.test("of many questions at once the first are encoded, and those that would wait for them are looked up", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  await encoder.embed([longest("c")], DOCUMENT);
  const questions = Array.from({ length: 200 }, (_, i) => `${PAIRS[0][0]} And what of number ${i}?`);
  const vectors = await Promise.all(questions.map(async (text) => (await encoder.embed([text], QUERY))[0]));
  const looked = await Promise.all(questions.map((text) => encoder.lookUpQuery(text)));
  const isLookedUp = vectors.map((vector, i) => vector.every((value, j) => value === looked[i]![j]));
  assert.equal(isLookedUp[0], false);
  assert.equal(isLookedUp.at(-1), true);
});

Deno.test("a question that is asked again is answered without the transformer", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  const [question] = PAIRS[0];
  const [first] = await encoder.embed([question], QUERY);
  let isRead = false;
  const reading = encoder.embed([longest("d")], DOCUMENT).then(() => isRead = true);
  await letOthersRun();
  assert.deepEqual(await encoder.embed([question], QUERY), [first]);
  assert.equal(isRead, false);
  await reading;
});

Deno.test("of many writes at once the first waits for the transformer, and the others have the table's vectors", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  await encoder.warmUp();
  const made = await Promise.all(Array.from({ length: 50 }, (_, i) => encoder.embedAtOnce([`Ada has ${i} bees.`])));
  const models = made.map(({ model }) => model);
  assert.deepEqual([models[0], new Set(models.slice(10))], [ENCODER_MODEL, new Set([TABLE_MODEL])]);
});

Deno.test("while texts wait for the transformer, the process answers requests", async () => {
  const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
  await encoder.warmUp();
  await using server = Deno.serve({ port: 0, onListen() {} }, () => new Response("ok"));
  const texts = Array.from(
    { length: 40 },
    (_, i) => `Note ${i}. ${"Ada moved to Lisbon because of her sister. ".repeat(90)}`,
  );
  let isDone = false;
  const backlog = encoder.embed(texts, DOCUMENT).then(() => isDone = true);
  let answers = 0;
  while (!isDone) {
    await (await fetch(`http://127.0.0.1:${server.addr.port}/`)).text();
    answers++;
  }
  await backlog;
  // Each text has twelve chunks. Where the process computes them itself, it answers a few times in all.
  assert.ok(answers > texts.length, `${answers} answers`);
});

Deno.test("while somebody asks again and again the backlog rests between chunks, and it goes on when nobody does", async () => {
  const transformer = await Transformer.load(ENCODER_FOLDER);
  const chunk = [101, ...Array.from({ length: 40 }, () => 2204), 102];
  const order: string[] = [];
  const backlog = Promise.all(Array.from({ length: 30 }, async () => {
    await transformer.encode(chunk, "later");
    order.push("later");
  }));
  const startedAt = performance.now();
  for (let i = 0; i < 20; i++) {
    await transformer.encode([101, 2204, 102], "now");
    order.push("now");
  }
  const between = order.filter((what) => what === "later").length;
  const most = 2 + (performance.now() - startedAt) / LATER_EVERY_MS;
  assert.ok(between <= most, `${between} chunks of the backlog were read between 20 questions`);
  await backlog;
  assert.equal(transformer.backlog, 0);
});

Deno.test("what the transformer refuses fails alone, and what comes after it is read", async () => {
  const transformer = await Transformer.load(ENCODER_FOLDER);
  const [before, refused, after] = await Promise.allSettled([
    transformer.encode([101, 2204, 102], "later"),
    transformer.encode([101, 1e9, 102], "later"),
    transformer.encode([101, 2204, 102], "later"),
  ]);
  assert.equal(refused.status, "rejected");
  assert.ok(refused.reason instanceof EmbeddingError);
  assert.deepEqual(after, before);
  assert.equal(before.status, "fulfilled");
  assert.equal(transformer.backlog, 0);
});

Deno.test("a check finds a file that was damaged after it was loaded", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const { name } of Deno.readDirSync(ENCODER_FOLDER)) {
      await Deno.copyFile(new URL(name, ENCODER_FOLDER), `${folder}/${name}`);
    }
    const encoder = new SentenceEncoder({ dimension: 384, mode: "on", folder: new URL(`file://${folder}/`) });
    await encoder.check();
    for (const name of ["model.onnx", "table.bin", "tokenizer.json"]) {
      const whole = await Deno.readFile(`${folder}/${name}`);
      await Deno.truncate(`${folder}/${name}`, Math.floor(whole.length / 2));
      await assert.rejects(encoder.check(), {
        message: `Cannot use the sentence encoder: its file ${name} is damaged`,
      });
      await Deno.writeFile(`${folder}/${name}`, whole);
    }
    await encoder.check();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a damaged or missing file of the transformer is told once, and the table goes on", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const { name } of Deno.readDirSync(ENCODER_FOLDER)) {
      if (name !== "model.onnx") await Deno.copyFile(new URL(name, ENCODER_FOLDER), `${folder}/${name}`);
    }
    for (const damage of ["missing", "changed"]) {
      if (damage === "changed") await Deno.writeTextFile(`${folder}/model.onnx`, "no model");
      const faults: EmbeddingError[] = [];
      const encoder = new SentenceEncoder({
        dimension: 384,
        mode: "on",
        folder: new URL(`file://${folder}/`),
        onFault: (error) => faults.push(error),
      });
      const [vector] = await encoder.embed(["still found"], QUERY);
      assert.ok(vector.some((value) => value !== 0));
      await encoder.embed(["again"], DOCUMENT);
      assert.deepEqual(faults.map(({ reason }) => reason), ["damaged"]);
      assert.match(
        faults[0].message,
        /^Cannot use the sentence encoder: its file model\.onnx (cannot be read|is damaged)$/,
      );
      assert.deepEqual([encoder.state, encoder.model], ["failed", TABLE_MODEL]);
      await assert.rejects(encoder.check(), /^EmbeddingError: Cannot use .* its file model\.onnx/);
    }
    // What was read of a folder is kept, so the table is missing from another one.
    const broken = new SentenceEncoder({
      dimension: 384,
      mode: "table",
      folder: new URL(`file://${folder}/none/`),
    });
    await assert.rejects(broken.embed(["x"], QUERY), EmbeddingError);
    assert.equal(broken.isDegraded, true);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
