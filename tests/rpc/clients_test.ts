/** Real clients over real connections: connect-es on Node's HTTP and connect-web on fetch, in every form of the wire. */
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import * as node from "@connectrpc/connect-node";
import * as web from "@connectrpc/connect-web";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { refusalOf, type SvcClient } from "./_client.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";

interface Form {
  readonly protocol: "connect" | "grpc-web";
  /** Sends what changes nothing by GET. */
  readonly isGet: boolean;
  readonly isJson: boolean;
  readonly isGzip: boolean;
}

const FORMS: readonly Form[] = [false, true].flatMap((isJson) =>
  [false, true].flatMap((isGzip) => [
    { protocol: "connect" as const, isGet: false, isJson, isGzip },
    { protocol: "connect" as const, isGet: true, isJson, isGzip },
    { protocol: "grpc-web" as const, isGet: false, isJson, isGzip },
  ])
);

const VERSIONS = ["1.1", "2"] as const;
type Version = typeof VERSIONS[number];

/** The real parts that clients need, let go together. */
class Connections implements Disposable {
  /** Deno's `node:http` sends nothing more on a kept connection after a GET of connect-node. */
  readonly agent = new Agent({ keepAlive: false });
  readonly http2 = Deno.createHttpClient({ http1: false, http2: true });
  readonly sessions: node.Http2SessionManager;

  constructor(readonly baseUrl: string, readonly interceptors: Interceptor[]) {
    this.sessions = new node.Http2SessionManager(baseUrl);
  }

  onNode({ protocol, isGet, isJson, isGzip }: Form, httpVersion: Version): Transport {
    const { baseUrl, interceptors } = this;
    const version = httpVersion === "1.1"
      ? { httpVersion, nodeOptions: { agent: this.agent } }
      : { httpVersion, sessionManager: this.sessions };
    const options = {
      ...version,
      baseUrl,
      interceptors,
      useBinaryFormat: !isJson,
      acceptCompression: isGzip ? [node.compressionGzip] : [],
      ...(isGzip && { sendCompression: node.compressionGzip }),
      compressMinBytes: 0,
    };
    return protocol === "connect"
      ? node.createConnectTransport({ ...options, useHttpGet: isGet })
      : node.createGrpcWebTransport(options);
  }

  onFetch({ protocol, isGet, isJson }: Form, version: Version): Transport {
    const { baseUrl, interceptors, http2 } = this;
    const options = {
      baseUrl,
      interceptors,
      useBinaryFormat: !isJson,
      ...(version === "2" && {
        fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, { ...init, client: http2 }),
      }),
    };
    return protocol === "connect"
      ? web.createConnectTransport({ ...options, useHttpGet: isGet })
      : web.createGrpcWebTransport(options);
  }

  [Symbol.dispose](): void {
    this.sessions.abort();
    this.agent.destroy();
    this.http2.close();
  }
}

/** Longer than the service gives one message, which shortens it. */
const PATIENT = { timeoutMs: 61_000 };

/** One request and one reply, a refusal, and a stream of the service's. */
async function callAll(client: SvcClient, statement: string): Promise<void> {
  const { fact } = await client.remember({ statement }, PATIENT);
  assert.equal(fact!.statement, statement);
  const { results } = await client.recall({ query: statement, limit: 1 }, PATIENT);
  assert.equal(results[0]!.id, fact!.id);
  assert.ok((await client.getHealth({}, PATIENT)).liveFacts > 0);
  const refusal = await refusalOf(client.remember({ statement: " " }, PATIENT));
  assert.deepEqual(refusal, { code: "InvalidArgument", detail: "validation_failed" });
  const gone = new AbortController();
  const watch = client.watchMemory({}, { ...PATIENT, signal: gone.signal })[Symbol.asyncIterator]();
  try {
    assert.ok((await watch.next()).value!.cursor);
  } finally {
    gone.abort();
    await assert.rejects(watch.next());
  }
}

/** Streams of the caller's, and both ways: by turns where the connection allows it. */
async function streamAll(client: SvcClient, statement: string, isDuplex: boolean): Promise<void> {
  const items = async function* () {
    yield { item: { case: "fact" as const, value: { statement } } };
    yield {};
  };
  const { received, created, refused } = await client.ingestBatch(items(), PATIENT);
  assert.deepEqual({ received, created, refused }, { received: 2, created: 1, refused: 1 });
  const started = Promise.withResolvers<void>();
  const messages = async function* () {
    yield { message: { case: "start" as const, value: { title: statement } } };
    if (isDuplex) await started.promise;
    yield { message: { case: "turn" as const, value: { role: "user", content: statement } } };
  };
  const answers: (string | undefined)[] = [];
  for await (const { response } of client.session(messages(), PATIENT)) {
    answers.push(response.case);
    started.resolve();
  }
  assert.deepEqual(answers, ["session", "turn"]);
}

Deno.test({
  ...POSTGRES,
  name: "connect-es and connect-web are served in every form of the wire, over HTTP/1.1 and cleartext HTTP/2",
  async fn(t) {
    const lines: string[] = [];
    await using service = await startService({ logSink: (line) => lines.push(line) });
    const interceptors: Interceptor[] = [(next) => (request) => {
      request.header.set("authorization", `Bearer ${service.key}`);
      return next(request);
    }];
    using connections = new Connections(service.listen().url, interceptors);
    for (const version of VERSIONS) {
      for (const form of FORMS) {
        const { protocol, isGet, isJson, isGzip } = form;
        const words = [protocol, isGet && "GET", isJson ? "JSON" : "Protobuf", isGzip && "gzip"].filter(Boolean);
        await t.step(`${words.join(" ")} over HTTP/${version}`, async () => {
          const client = createClient(SvcService, connections.onNode(form, version));
          const name = `${words.join(" ")} HTTP ${version}`;
          await callAll(client, `Ada calls by ${name}.`);
          await streamAll(client, `Ada streams by ${name}.`, version === "2");
          // A browser neither compresses what it sends nor sends a stream.
          if (!isGzip) {
            await callAll(createClient(SvcService, connections.onFetch(form, version)), `Ada browses by ${name}.`);
          }
        });
      }
    }
    await waitFor("all streams are closed", () => streamsOf(service.deps).sizes().open === 0);
    const page = (await service.get("/metrics", { key: null })).body;
    assert.match(page, /svc_requests_total\{[^}]*method="GET"[^}]*endpoint="\/svc\.v1\.SvcService\/GetHealth"/);
    assert.deepEqual(lines, [], "nothing that they do is an error of the service");
  },
});
