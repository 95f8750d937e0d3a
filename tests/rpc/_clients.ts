/** Real clients over real connections: connect-es on Node's HTTP and connect-web on fetch, in every form of the wire. */
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import * as node from "@connectrpc/connect-node";
import * as web from "@connectrpc/connect-web";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { refusalOf, type SvcClient } from "./_client.ts";

export interface Form {
  readonly protocol: "connect" | "grpc-web";
  /** Sends what changes nothing by GET. */
  readonly isGet: boolean;
  readonly isJson: boolean;
  readonly isGzip: boolean;
}

export const FORMS: readonly Form[] = [false, true].flatMap((isJson) =>
  [false, true].flatMap((isGzip) => [
    { protocol: "connect" as const, isGet: false, isJson, isGzip },
    { protocol: "connect" as const, isGet: true, isJson, isGzip },
    { protocol: "grpc-web" as const, isGet: false, isJson, isGzip },
  ])
);

export const VERSIONS = ["1.1", "2"] as const;
export type Version = typeof VERSIONS[number];

/** The real parts that clients need, let go together. */
export class Connections implements Disposable {
  /** Deno's `node:http` sends nothing more on a kept connection after a GET of connect-node. */
  readonly agent: Agent;
  readonly http1: Deno.HttpClient;
  readonly http2: Deno.HttpClient;
  readonly interceptors: Interceptor[];
  readonly sessions: node.Http2SessionManager;

  /** @param ca PEM of the authority that the server's certificate is of; without it the connections are cleartext */
  constructor(readonly baseUrl: string, key: string, readonly ca?: string) {
    this.agent = ca === undefined ? new Agent({ keepAlive: false }) : new SecureAgent({ keepAlive: false, ca });
    const trust = ca === undefined ? {} : { caCerts: [ca] };
    this.http1 = Deno.createHttpClient({ ...trust, http2: false });
    this.http2 = Deno.createHttpClient({ ...trust, http1: false, http2: true });
    this.sessions = new node.Http2SessionManager(baseUrl, {}, ca === undefined ? {} : { ca });
    this.interceptors = [(next) => (request) => {
      request.header.set("authorization", `Bearer ${key}`);
      return next(request);
    }];
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
    const { baseUrl, interceptors } = this;
    const client = version === "2" ? this.http2 : this.http1;
    const options = {
      baseUrl,
      interceptors,
      useBinaryFormat: !isJson,
      fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, { ...init, client }),
    };
    return protocol === "connect"
      ? web.createConnectTransport({ ...options, useHttpGet: isGet })
      : web.createGrpcWebTransport(options);
  }

  [Symbol.dispose](): void {
    this.sessions.abort();
    this.agent.destroy();
    this.http1.close();
    this.http2.close();
  }
}

/** Longer than the service gives one message, which shortens it. */
const PATIENT = { timeoutMs: 61_000 };

/** One request and one reply, a refusal, and a stream of the service's. */
export async function callAll(client: SvcClient, statement: string): Promise<void> {
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
export async function streamAll(client: SvcClient, statement: string, isDuplex: boolean): Promise<void> {
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

/**
 * Calls everything by every client in every form of one version of HTTP, one after the other.
 * @param step runs what it is given, under a name
 */
export async function callInEveryForm(
  connections: Connections,
  version: Version,
  step: (name: string, work: () => Promise<void>) => Promise<unknown>,
): Promise<void> {
  for (const form of FORMS) {
    const { protocol, isGet, isJson, isGzip } = form;
    const words = [protocol, isGet && "GET", isJson ? "JSON" : "Protobuf", isGzip && "gzip"].filter(Boolean);
    await step(`${words.join(" ")} over HTTP/${version}`, async () => {
      const client = createClient(SvcService, connections.onNode(form, version));
      const name = `${words.join(" ")} HTTP ${version}`;
      // Deno's `node:https` cannot send a body of no bytes, which an empty message is here.
      const isEmpty = connections.ca !== undefined && version === "1.1" && protocol === "connect" && !isGet && !isJson;
      if (!isEmpty) await callAll(client, `Ada calls by ${name}.`);
      await streamAll(client, `Ada streams by ${name}.`, version === "2");
      // A browser neither compresses what it sends nor sends a stream.
      if (!isGzip) {
        await callAll(createClient(SvcService, connections.onFetch(form, version)), `Ada browses by ${name}.`);
      }
    });
  }
}
