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
