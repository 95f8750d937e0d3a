/** The embedding endpoint is down, slow or wrong. docs/reference/guarantees.md F26. */
import assert from "node:assert/strict";
import { blackHole, brokenReply, type ReceivedRequest, startFaultServer } from "../../src/providers/_fault_server.ts";
import { ENCODER_FOLDER } from "../../src/providers/sentence_encoder/files.ts";
import { SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { diagnose } from "../../src/domain/upkeep/doctor.ts";
import { embedWorkspace } from "../../src/domain/upkeep/embedding.ts";
import { DIMENSION, MODEL, reply } from "../_embedding_endpoint.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { checkServing } from "./_ledger.ts";

Deno.test({
  ...POSTGRES,
  name: "F26 the doctor names a file of the sentence encoder that is cut off, also when it was loaded whole",
  async fn() {
    await using service = await startService({ env: { SVC_SENTENCE_ENCODER: "on" } });
    const folder = await Deno.makeTempDir();
    try {
      for (const { name } of Deno.readDirSync(ENCODER_FOLDER)) {
        await Deno.copyFile(new URL(name, ENCODER_FOLDER), `${folder}/${name}`);
      }
      const embeddings = new SentenceEncoder({
        dimension: DIMENSION,
        mode: "on",
        folder: new URL(`file://${folder}/`),
      });
      const look = async () => {
        const { ok, checks } = await diagnose({ ...service.deps, embeddings });
        return { ok, embeddings: checks.find(({ check }) => check === "embeddings") };
      };
      assert.equal((await look()).ok, true);
      await Deno.truncate(`${folder}/model.onnx`, 1_000_000);
      assert.deepEqual(await look(), {
        ok: false,
        embeddings: {
          check: "embeddings",
          ok: false,
          detail: "Cannot use the sentence encoder: its file model.onnx is damaged",
        },
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

type Answer = (request: ReceivedRequest, signal: AbortSignal) => Response | Promise<Response>;

const working: Answer = (request) => reply(request);

const FAULTS: Record<string, Answer> = {
  "is down": () => new Response("down", { status: 503 }),
  "never answers": (_, signal) => blackHole(signal),
  "breaks off": () => brokenReply('{"object":"list","data":['),
  "has another dimension": (request) => reply(request, (vector) => vector.slice(1)),
  "answers NaN": (request) => reply(request, (vector) => vector.with(7, "NaN" as never)),
  // As Python's json writes it.
  "answers a bare NaN": async (request) => {
    const text = await (await reply(request)).text();
    return new Response(text.replace(/"embedding":\[[^,]+,/, '"embedding":[NaN,'), {
      headers: { "content-type": "application/json" },
    });
  },
  "answers Infinity": async (request) => {
    const text = await (await reply(request)).text();
    return new Response(text.replace(/"embedding":\[[^,]+,/, '"embedding":[1e999,'), {
      headers: { "content-type": "application/json" },
    });
  },
  "answers null": (request) => reply(request, (vector) => vector.with(7, null as never)),
  "answers zeros": (request) => reply(request, (vector) => vector.map(() => 0)),
  "answers garbage": () => new Response("\u0000<html>", { headers: { "content-type": "application/json" } }),
};

Deno.test({
  ...POSTGRES,
  name:
    "F26 whatever is wrong with the embedding endpoint, writes are stored, recall finds them by their text, and they are embedded later",
  async fn(t) {
    let answer: Answer = working;
    await using endpoint = startFaultServer((request, _, signal) => answer(request, signal));
    await using service = await startService({
      env: {
        SVC_EMBEDDINGS_URL: endpoint.url,
        SVC_EMBEDDINGS_MODEL: MODEL,
        SVC_EMBEDDINGS_TIMEOUT_MS: "1000",
      },
    });
    const ratio = async () => (await service.get("/v1/memory/health")).body.embeddedRatio;
    let count = 0;
    for (const [name, fault] of Object.entries(FAULTS)) {
      await t.step(`the endpoint ${name}`, async () => {
        answer = fault;
        const written = await service.post("/v1/memory/facts", { statement: `Observatory ${count} opened in spring` });
        assert.equal(written.status, 201, JSON.stringify(written.body));
        const recalled = await service.post("/v1/memory/recall", { query: `observatory ${count}` });
        assert.equal(recalled.status, 200, JSON.stringify(recalled.body));
        assert.ok(JSON.stringify(recalled.body.results).includes(written.body.id), "recall falls back to the text");
        count++;
      });
    }
    assert.ok(await ratio() < 1);
    // The worker that meets a fault leaves what waits where it is, and comes back by itself, to every workspace.
    assert.equal(await embedWorkspace(service.operator()), "later");
    const elsewhere = await service.createWorkspace("elsewhere");
    assert.equal(await embedWorkspace(service.operator(elsewhere)), "later");
    answer = working;
    await waitFor("all texts are embedded", async () => {
      await embedWorkspace(service.operator());
      return await ratio() === 1;
    }, { everyMs: 100 });
    assert.equal((await service.get("/v1/facts?limit=200")).body.data.length, count);
    await checkServing(service);
  },
});

/** Facts, and a question about each that shares no word of meaning with it. */
const PAIRS = [
  ["Ada prefers mail when a backup fails.", "How does Ada want to be told?"],
  ["Tom cycles to the office.", "How does he commute?"],
  ["Our cat is called Biscuit.", "What is the name of the pet?"],
  ["The flat is heated with gas.", "Where does the warmth at home come from?"],
] as const;

/** A vector with a share that all texts have in common, as models have whose unrelated texts are all somewhat alike. */
function withCommon(vector: readonly number[], share: number): number[] {
  // The encoder has fewer components than the deployment.
  return vector.map((value) => Math.sqrt(1 - share) * value).with(DIMENSION - 1, Math.sqrt(share));
}

for (const share of [0, 0.75]) {
  Deno.test({
    ...POSTGRES,
    name: `questions in other words find their facts by the model of an endpoint whose unrelated texts have a cosine ${
      share === 0 ? "near 0" : `above ${share}`
    }`,
    async fn() {
      await using endpoint = startFaultServer((request) => reply(request, (vector) => withCommon(vector, share)));
      const env = { SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: MODEL };
      await using service = await startService({ env });
      for (const [statement] of PAIRS) {
        assert.equal((await service.post("/v1/memory/facts", { statement })).status, 201);
      }
      while (await embedWorkspace(service.operator()));
      const ask = async (query: string) =>
        (await service.post("/v1/memory/recall", { query })).body.results.map(({ text }: { text: string }) => text);
      for (const [statement, question] of PAIRS) assert.equal((await ask(question))[0], statement);
      assert.deepEqual(await ask("What is the tax rate in Peru?"), []);
      assert.ok(endpoint.requests.every(({ body }) => body.model === MODEL));
      assert.equal((await service.get("/v1/memory/health")).body.embeddedRatio, 1);
    },
  });
}
