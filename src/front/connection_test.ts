import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { Connection, type Router } from "./connection.ts";

Deno.test("the body of a request that no worker takes is never read as a request of its own", async () => {
  const asked: string[] = [];
  const router: Router = {
    isStopping: () => false,
    answer: () => undefined,
    workerOf(head) {
      asked.push(head.target);
      return Promise.resolve(0);
    },
    dial: () => Promise.reject(new ServiceError("unavailable", "Cannot reach the worker")),
    dialHttp2: () => Promise.reject(new Error("nobody is dialled")),
  };
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const [client, conn] = await Promise.all([Deno.connect({ hostname: "127.0.0.1", port }), listener.accept()]);
  const served = new Connection(router, conn, { hostname: "127.0.0.1", port: 1 }).serve();
  const body = "GET /v1/smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  const head = `POST /v1/asked HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`;
  await client.write(new TextEncoder().encode(head + body));
  await client.closeWrite();
  const reply = await new Response(client.readable).text();
  await served;
  assert.deepEqual(asked, ["/v1/asked"]);
  assert.equal(reply.match(/HTTP\/1\.1 503/g)?.length, 1, reply);
});
