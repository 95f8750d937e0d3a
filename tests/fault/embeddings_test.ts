/** The embedding endpoint is down, slow or wrong. SECURITY.md F26. */
import assert from "node:assert/strict";
import { blackHole, brokenReply, type ReceivedRequest, startFaultServer } from "../../src/providers/_fault_server.ts";
import { ENCODER_FOLDER } from "../../src/providers/sentence_encoder/files.ts";
import { SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { diagnose } from "../../src/domain/upkeep/doctor.ts";
import { embedWorkspace } from "../../src/domain/upkeep/embedding.ts";
import { activityOf } from "../../src/domain/common/activity.ts";
import { assertComesBack } from "../_activity.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { checkServing } from "./_ledger.ts";

const DIMENSION = 384;

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

function vectors({ body }: ReceivedRequest, dimension = DIMENSION, value: (i: number) => unknown = () => 1): Response {
  const data = (body.input as string[]).map((_, index) => ({
    ...{ object: "embedding", index },
    embedding: Array.from({ length: dimension }, (_, i) => value((i + index) % dimension)),
  }));
  return Response.json({ object: "list", model: "m", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
}

type Answer = (request: ReceivedRequest, signal: AbortSignal) => Response | Promise<Response>;

const working: Answer = (request) => vectors(request);

const FAULTS: Record<string, Answer> = {
  "is down": () => new Response("down", { status: 503 }),
  "never answers": (_, signal) => blackHole(signal),
  "breaks off": () => brokenReply('{"object":"list","data":['),
  "has another dimension": (request) => vectors(request, DIMENSION - 1),
  "answers NaN": (request) => vectors(request, DIMENSION, (i) => i === 7 ? "NaN" : 1),
  // As Python's json writes it.
  "answers a bare NaN": async (request) => {
    const text = await vectors(request).text();
    return new Response(text.replace("[1,", "[NaN,"), { headers: { "content-type": "application/json" } });
  },
  "answers Infinity": async (request) => {
    const text = await vectors(request).text();
    return new Response(text.replace("[1,", "[1e999,"), { headers: { "content-type": "application/json" } });
  },
  "answers null": (request) => vectors(request, DIMENSION, (i) => i === 7 ? null : 1),
  "answers zeros": (request) => vectors(request, DIMENSION, () => 0),
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
        SVC_EMBEDDINGS_MODEL: "m",
        SVC_EMBEDDINGS_TIMEOUT_MS: "300",
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
    // The worker that meets a fault leaves what waits where it is.
    assert.equal(await embedWorkspace(service.operator()), false);
    const elsewhere = { deps: service.deps, workspaceId: crypto.randomUUID() };
    await assertComesBack(elsewhere, "later", () => embedWorkspace(service.operator()));
    answer = working;
    const activity = activityOf(service.deps).of(elsewhere.workspaceId);
    await waitFor("all texts are embedded", async () => {
      await embedWorkspace(service.operator());
      return await ratio() === 1;
    }, { everyMs: 100 });
    assert.ok(activityOf(service.deps).of(elsewhere.workspaceId) > activity, "all workspaces have their turn at once");
    assert.equal((await service.get("/v1/facts?limit=200")).body.data.length, count);
    await checkServing(service);
  },
});
