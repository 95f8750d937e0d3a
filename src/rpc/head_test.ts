import assert from "node:assert/strict";
import { readHead } from "./head.ts";
import { RPCS } from "./methods/mod.ts";

Deno.test("a caller's timeout is shortened to what its RPC may take: a minute, and a day for streams", () => {
  for (const rpc of RPCS) {
    const type = rpc.kind === "unary" ? "application/json" : "application/connect+json";
    const headers = { "content-type": type, "connect-timeout-ms": "9999999999" };
    const head = readHead(new Request("http://svc.test/", { method: "POST", headers }), rpc);
    assert.ok(!(head instanceof Response));
    assert.deepEqual([head.timeoutMs, head.fault], [rpc.kind === "unary" ? 60_000 : 86_400_000, undefined]);
  }
});

Deno.test("T52 a content type of more than 200 characters is none, and is not taken apart", () => {
  const rpc = RPCS.find(({ kind }) => kind === "unary")!;
  const read = (type: string) =>
    readHead(new Request("http://svc.test/", { method: "POST", headers: { "content-type": type } }), rpc);
  const type = "application/json; charset=utf-8";
  assert.ok(!(read(type.padEnd(199, ";") + ";") instanceof Response));
  const refused = read(type.padEnd(200, ";") + ";");
  assert.ok(refused instanceof Response);
  assert.equal(refused.status, 415);
  assert.match(refused.headers.get("accept-post") ?? "", /application\/json/);
});
