/** The service against a client of other authors, over real connections. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { bufCurl } from "./_buf.ts";
import { assertHungUp, clientOf, next } from "./_client.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";

Deno.test({
  ...POSTGRES,
  name: "buf curl is answered over HTTP/1.1 and cleartext HTTP/2, in Connect and gRPC-Web",
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    const call = { url, key: service.key, protocol: "connect", http2: false } as const;
    const [made] = await bufCurl("Remember", { ...call, messages: [{ statement: "Caroline lives in Rome." }] });
    assert.equal(made.fact.statement, "Caroline lives in Rome.");
    const others = [{ http2: true }, { protocol: "grpcweb" }, { protocol: "grpcweb", http2: true }] as const;
    const messages = [{ query: "Where does Caroline live?" }];
    for (const other of others) {
      const [{ results }] = await bufCurl("Recall", { ...call, ...other, messages });
      assert.equal(results[0].id, made.fact.id);
    }
    await assert.rejects(bufCurl("Recall", { ...call, messages: [{}] }), /invalid_argument[^]*validation_failed/);

    const items = [{ fact: { statement: "Bo lives in Oslo." } }, { fact: {} }];
    const talk = [{ start: { title: "Call" } }, { turn: { role: "user", content: "Bo moved." } }, { collapse: {} }];
    for (const other of [{ http2: false }, { http2: true }, { protocol: "grpcweb", http2: true }] as const) {
      const [summary] = await bufCurl("IngestBatch", { ...call, ...other, messages: items });
      assert.deepEqual([summary.received, summary.refused], [2, 1]);
      const answers = await bufCurl("Session", { ...call, ...other, messages: talk });
      assert.deepEqual(answers.map((answer) => Object.keys(answer)), [["session"], ["turn"], ["collapsed"]]);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T10 a watch over a connection is told at once, and holds nothing when its caller hangs up",
  async fn() {
    await using service = await startService();
    const { url } = service.listen();
    const gone = new AbortController();
    const client = clientOf(service, { fetch: (request) => fetchClosing(request as Request), baseUrl: url });
    const stream = client.watchMemory({}, { signal: gone.signal })[Symbol.asyncIterator]();
    assert.ok((await next(stream)).cursor);
    const { body } = await service.post("/v1/memory/facts", { statement: "Ada keeps a dog." });
    assert.equal((await next(stream)).event!.resourceId, body.id);
    gone.abort();
    await assertHungUp(stream);
    await waitFor("the stream is closed", () => streamsOf(service.deps).sizes().open === 0);
  },
});

/**
 * Deno's `fetch`, which closes the connection of an aborted reply at once. By itself it may do so only when the reply's body is
 * collected as garbage.
 */
async function fetchClosing(request: Request): Promise<Response> {
  const response = await fetch(new Request(request, { signal: null }));
  const reader = response.body!.getReader();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      request.signal.addEventListener("abort", () => {
        controller.error(request.signal.reason);
        reader.cancel().catch(() => {});
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (request.signal.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, response);
}
