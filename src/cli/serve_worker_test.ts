import assert from "node:assert/strict";
import { connect } from "node:net";
import { startService } from "../../tests/_service.ts";
import { waitFor } from "../../tests/_wait.ts";
import { answerForFront } from "./serve_worker.ts";

Deno.test("a caller who hangs up in the very moment of a streamed reply leaves no rejection that ends the worker", async () => {
  await using service = await startService();
  assert.equal((await service.get("/v1/openapi.json", { key: null })).status, 200);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [sending, receiving] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  using _sending = sending;
  using _receiving = receiving;
  const rejections: unknown[] = [];
  const note = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    rejections.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", note);
  using _noted = { [Symbol.dispose]: () => globalThis.removeEventListener("unhandledrejection", note) };
  const asked = Promise.withResolvers<AbortSignal>();
  let isAnswered = false;
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request, info) => {
    asked.resolve(request.signal);
    await receiving.read(new Uint8Array(1));
    const response = await answerForFront(service.service, request, info);
    isAnswered = !request.signal.aborted;
    return response;
  });
  const client = connect({ host: server.addr.hostname, port: server.addr.port });
  client.write("GET /v1/openapi.json HTTP/1.1\r\nHost: svc\r\n\r\n");
  const gone = await asked.promise;
  // Both arrive in one turn of the event loop, in this order: the request for an answer, and the end of the connection.
  sending.write(new Uint8Array(1));
  client.resetAndDestroy();
  await waitFor("the reply is broken off", () => gone.aborted);
  assert.ok(isAnswered);
  assert.deepEqual(rejections, []);
});
