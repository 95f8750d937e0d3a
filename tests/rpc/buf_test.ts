/** The service against a client of other authors, over real connections. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { bufCurl } from "./_buf.ts";

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
  },
});
