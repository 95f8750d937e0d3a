/** Every client in every form of the wire, on a service without a proxy. */
import assert from "node:assert/strict";
import { streamsOf } from "../../src/domain/feed/streams.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { callInEveryForm, Connections, VERSIONS } from "./_clients.ts";

Deno.test({
  ...POSTGRES,
  name: "connect-es and connect-web are served in every form of the wire, over HTTP/1.1 and cleartext HTTP/2",
  async fn(t) {
    const lines: string[] = [];
    await using service = await startService({ logSink: (line) => lines.push(line) });
    using connections = new Connections(service.listen().url, service.key);
    for (const version of VERSIONS) await callInEveryForm(connections, version, (name, work) => t.step(name, work));
    await waitFor("all streams are closed", () => streamsOf(service.deps).sizes().open === 0);
    const page = (await service.get("/metrics", { key: null })).body;
    assert.match(page, /svc_requests_total\{[^}]*method="GET"[^}]*endpoint="\/svc\.v1\.SvcService\/GetHealth"/);
    assert.deepEqual(lines, [], "nothing that they do is an error of the service");
  },
});
