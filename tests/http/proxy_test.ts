/** The service behind HAProxy with the configuration that is shipped. docs/reference/guarantees.md T19, T20, T56. */
import assert from "node:assert/strict";
import { createHash, X509Certificate } from "node:crypto";
import { connect } from "node:http2";
import { BATCH_BYTES_MAX } from "../../src/operations/operation.ts";
import { POSTGRES } from "../_postgres.ts";
import { HAPROXY } from "../_programs.ts";
import { type Certificates, createCertificates, curl, type CurlReply, type Proxy, startProxy } from "../_proxy.ts";
import { startService, type TestService } from "../_service.ts";
import { bufCurl } from "../rpc/_buf.ts";
import { waitFor } from "../_wait.ts";
import { scrape, valueOf } from "./_metrics.ts";
import { StreamClient } from "./_stream.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";
import { streamsOf } from "../../src/domain/feed/streams.ts";

const BEHIND = { ignore: POSTGRES.ignore || HAPROXY === undefined };
const PATH = "/v1/session";

class Front implements AsyncDisposable {
  #requests = 0;

  constructor(
    readonly service: TestService,
    readonly url: string,
    readonly certificates: Certificates,
    readonly proxy: Proxy,
    readonly lines: readonly string[],
    readonly stack: AsyncDisposableStack,
  ) {}

  curl(path: string, options: Parameters<typeof curl>[3] = {}): Promise<CurlReply> {
    return curl(this.proxy, this.certificates, path, options);
  }

  /** Sends a request with an id of its own; returns its reply and its line in the log. */
  async logged(options: Parameters<typeof curl>[3] = {}): Promise<{ reply: CurlReply; line: Record<string, unknown> }> {
    const id = `request-${++this.#requests}`;
    const args = [...options.args ?? [], "--header", `x-request-id: ${id}`];
    const reply = await this.curl(PATH, { key: this.service.key, ...options, args });
    return { reply, line: this.lineOf(id) };
  }

  lineOf(requestId: string): Record<string, unknown> {
    const lines = this.lines.map((line) => JSON.parse(line));
    return lines.find((line) => line.event === "http.request" && line.requestId === requestId) ??
      assert.fail(`no line of ${requestId}`);
  }

  /** The number of requests that reached the service so far, without the proxy's own health checks. */
  get served(): number {
    return this.lines.filter((line) => /"event":"http.request"/.test(line) && !line.includes("/health/ready")).length;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stack.disposeAsync();
  }
}

/** A service that trusts 127.0.0.1, and the proxy in front of it there. */
async function startFront(env: Record<string, string> = {}): Promise<Front> {
  await using stack = new AsyncDisposableStack();
  const lines: string[] = [];
  const service = stack.use(
    await startService({
      env: { SVC_TRUSTED_PROXY_IP: "127.0.0.1", SVC_LOG_LEVEL: "info", ...env },
      logSink: (line) => lines.push(line),
    }),
  );
  const { url } = service.listen();
  const certificates = stack.use(await createCertificates());
  const proxy = stack.use(await startProxy({ certificates, services: [{ url }] }));
  return new Front(service, url, certificates, proxy, lines, stack.move());
}

/** The pin of a certificate, computed here by other means than those of the service. */
async function pinOf(file: string): Promise<string> {
  const { publicKey } = new X509Certificate(await Deno.readTextFile(file));
  const hash = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" }));
  return `sha256/${hash.digest("base64")}`;
}

async function derOf(file: string): Promise<string> {
  return new X509Certificate(await Deno.readTextFile(file)).raw.toString("base64");
}

const headerArgs = (headers: Record<string, string>) =>
  Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);

Deno.test({
  ...BEHIND,
  name: "T19 the certificate that the proxy verified is the caller's; what a caller says of itself is stripped",
  async fn() {
    await using front = await startFront();
    const { client, stranger } = front.certificates;
    const pin = await pinOf(client.certificate);
    const forged = await derOf(stranger.certificate);
    for (const version of ["--http1.1", "--http2"]) {
      const { line, reply } = await front.logged({ as: client, args: [version] });
      assert.deepEqual([reply.status, line.certificatePin], [200, pin], version);
      const without = await front.logged({ args: [version] });
      assert.deepEqual([without.reply.status, without.line.certificatePin], [200, undefined], version);
      const forgeries: Record<string, string>[] = [
        { "x-svc-client-cert": forged, "x-forwarded-for": "127.0.0.1" },
        { "X-Svc-Client-Cert": forged, "X-Forwarded-For": "127.0.0.1, 192.0.2.1", "X-Forwarded-Proto": "https" },
        { "x-svc-client-cert": forged, "x-forwarded-for": "127.0.0.1", "forwarded": "for=192.0.2.1" },
        { "x_svc_client_cert": forged, "x_forwarded_for": "127.0.0.1" },
        { "x-svc-client-cert": forged, "connection": "x-forwarded-for, x-svc-client-cert" },
      ];
      for (const headers of forgeries) {
        const args = [version, ...headerArgs(headers)];
        const anonymous = await front.logged({ args });
        const what = `${version} ${JSON.stringify(headers)}`;
        assert.deepEqual([anonymous.reply.status, anonymous.line.certificatePin], [200, undefined], what);
        const named = await front.logged({ as: client, args });
        assert.deepEqual([named.reply.status, named.line.certificatePin], [200, pin], what);
      }
    }
    const before = front.served;
    await assert.rejects(front.curl(PATH, { as: stranger, key: front.service.key }), /curl: \(/);
    await waitFor(
      "the refusal in the proxy's log",
      () => /SSL handshake failure|SSL client/.test(front.proxy.output()),
    );
    assert.equal(front.served, before);
  },
});

Deno.test({
  ...BEHIND,
  name: "T19 a resumed TLS session has the certificate of its beginning, and one without has none",
  async fn() {
    await using front = await startFront();
    const { certificates: { authority, client }, proxy, service: { key } } = front;
    const folder = await Deno.makeTempDir({ prefix: "svc-tls-session-" });
    front.stack.defer(() => Deno.remove(folder, { recursive: true }));
    const request = async (id: string, args: readonly string[]) => {
      const child = new Deno.Command("openssl", {
        args: ["s_client", "-connect", `127.0.0.1:${proxy.port}`, "-CAfile", authority, "-ign_eof", ...args],
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      const head = [`GET ${PATH} HTTP/1.1`, "host: svc", `authorization: Bearer ${key}`, `x-request-id: ${id}`];
      await writer.write(new TextEncoder().encode([...head, "connection: close", "", ""].join("\r\n")));
      const output = new TextDecoder().decode((await child.output()).stdout);
      await writer.close().catch(() => {});
      assert.match(output, /HTTP\/1\.1 200/);
      return /^Reused/m.test(output);
    };
    for (const version of ["-tls1_2", "-tls1_3"]) {
      const identity = ["-cert", client.certificate, "-key", client.key];
      const pin = await pinOf(client.certificate);
      for (const [name, first, expected] of [["with", identity, pin], ["without", [], undefined]] as const) {
        const session = `${folder}/${name}${version}`;
        assert.equal(
          await request(`${session}-first`, [version, ...first, "-sess_out", session]),
          false,
        );
        assert.equal(await request(`${session}-again`, [version, "-sess_in", session]), true, "it is resumed");
        for (const id of [`${session}-first`, `${session}-again`]) {
          assert.equal(front.lineOf(id).certificatePin, expected, id);
        }
      }
    }
  },
});

Deno.test({
  ...BEHIND,
  name: "T19 whoever reaches the service past the proxy gets no certificate and no other address, whatever it sends",
  async fn() {
    await using front = await startFront();
    const certificate = await derOf(front.certificates.client.certificate);
    const ranged = await front.service.createKey({ cidrs: ["127.0.0.1/32"] });
    const direct = async (from: string, key: string, id: string) => {
      const headers = { "x-svc-client-cert": certificate, "x-forwarded-for": "127.0.0.1", "x-request-id": id };
      const { stdout } = await new Deno.Command("curl", {
        args: [
          ...["--silent", "--interface", from, "--write-out", "%{http_code}", "--output", "/dev/null"],
          ...headerArgs({ ...headers, authorization: `Bearer ${key}` }),
          `${front.url}${PATH}`,
        ],
      }).output();
      return [Number(new TextDecoder().decode(stdout)), front.lineOf(id).certificatePin];
    };
    assert.deepEqual(await direct("127.0.0.2", front.service.key, "past"), [200, undefined]);
    assert.deepEqual(await direct("127.0.0.2", ranged, "past-with-a-ranged-key"), [403, undefined]);
    // The same from the proxy's own address is what the proxy could have sent.
    const pin = await pinOf(front.certificates.client.certificate);
    assert.deepEqual(await direct("127.0.0.1", front.service.key, "from-the-proxys-address"), [200, pin]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T19 a certificate that is none is left unset, counted and audited; one from elsewhere is counted",
  async fn() {
    await using service = await startService({ env: { SVC_TRUSTED_PROXY_IP: "10.0.0.5" } });
    const send = async (from: string, headers: Record<string, string>, key = service.key) => {
      const info = { remoteAddr: { transport: "tcp", hostname: from, port: 1 }, completed: Promise.resolve() };
      const all = { ...headers, "x-svc-client-cert": "not-a-cert", authorization: `Bearer ${key}` };
      const request = new Request(`http://svc.test${PATH}`, { headers: all });
      return (await service.service.fetch(request, info as Deno.ServeHandlerInfo)).status;
    };
    const trusted = { "x-forwarded-for": "10.0.0.5, 192.0.2.1" };
    assert.equal(await send("10.0.0.5", { ...trusted, "x-request-id": "unreadable" }), 200);
    assert.equal(await send("10.0.0.5", trusted, "svc_live_none"), 401);
    assert.equal(await send("10.0.0.6", trusted), 200);
    const families = await scrape(service);
    const count = (reason: string) => valueOf(families, "svc_client_certificates_ignored_total", { reason });
    assert.deepEqual([count("unreadable"), count("untrusted_source")], [2, 1]);
    await auditTrailOf(service.deps).flush();
    const { body } = await service.get("/v1/audit?eventType=client_certificate.unreadable");
    const rows = body.data.map((row: Record<string, unknown>) => [row.request_id, row.outcome, row.ip_address]);
    assert.deepEqual(rows, [["unreadable", "ignored", "192.0.2.1"]]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T19 a start without SVC_TRUSTED_PROXY_IP warns that any certificate is believed, and one with it does not",
  async fn() {
    const warned = async (env: Record<string, string>) => {
      const lines: string[] = [];
      await using service = await startService({ env, logSink: (line) => lines.push(line) });
      // Both entries of the program do this when they accept requests.
      service.service.noteStarted();
      return lines.map((line) => JSON.parse(line)).some(({ event, level }) =>
        event === "server.trusted_proxy_unset" && level === "warn"
      );
    };
    const level = { SVC_LOG_LEVEL: "warn" };
    assert.equal(await warned(level), true);
    assert.equal(await warned({ ...level, SVC_TRUSTED_PROXY_IP: "127.0.0.1" }), false);
  },
});

Deno.test({
  ...BEHIND,
  name: "T20 behind the proxy a key with ranges works from the client's address, and a refusal is in the audit log",
  async fn() {
    await using front = await startFront();
    const key = await front.service.createKey({ cidrs: ["127.0.0.1/32"] });
    const from = (address: string, headers: Record<string, string> = {}) =>
      front.logged({ key, args: ["--interface", address, ...headerArgs(headers)] });
    assert.equal((await from("127.0.0.1")).reply.status, 200);
    for (const headers of [{}, { "x-forwarded-for": "127.0.0.1" }, { "x-forwarded-for": "127.0.0.1, 127.0.0.1" }]) {
      const { reply, line } = await from("127.0.0.2", headers as Record<string, string>);
      assert.deepEqual([reply.status, reply.body.code], [403, "ip_not_allowed"]);
      await auditTrailOf(front.service.deps).flush();
      const { body } = await front.service.get(`/v1/audit?requestId=${line.requestId}`);
      const [row] = body.data;
      assert.deepEqual([row.event_type, row.outcome, row.ip_address], [
        "refused.listSessions",
        "ip_not_allowed",
        "127.0.0.2",
      ]);
    }
  },
});

Deno.test({
  ...BEHIND,
  name: "HTTP/2 and HTTP/1.1 in front, HTTP/2 without TLS behind; one connection serves two workspaces, each its own",
  async fn() {
    await using front = await startFront();
    const { service, certificates, proxy } = front;
    const other = await service.createKey({ workspaceId: await service.createWorkspace() });
    await service.post(PATH, { title: "of the first" });
    await service.post(PATH, { title: "of the other" }, { key: other });
    const caCerts = [await Deno.readTextFile(certificates.authority)];
    for (const http2 of [true, false]) {
      using client = Deno.createHttpClient({ caCerts, http2, http1: !http2, poolMaxIdlePerHost: 1 });
      const titles = async (key: string) => {
        const headers = { authorization: `Bearer ${key}` };
        const reply = await fetch(`https://127.0.0.1:${proxy.port}${PATH}`, { client, headers });
        return (await reply.json()).data.map((session: { title: string }) => session.title);
      };
      const expected = (n: number) => [n % 2 === 0 ? "of the first" : "of the other"];
      for (let n = 0; n < 20; n++) assert.deepEqual(await titles(n % 2 === 0 ? service.key : other), expected(n));
      const atOnce = await Promise.all(Array.from({ length: 40 }, (_, n) => titles(n % 2 === 0 ? service.key : other)));
      atOnce.forEach((found, n) => assert.deepEqual(found, expected(n)));
    }
    for (const [option, version] of [["--http2", "2"], ["--http1.1", "1.1"]] as const) {
      const reply = await front.curl("/healthz", { args: [option] });
      assert.deepEqual([reply.version, reply.status], [version, 200]);
      assert.match(reply.headers.get("strict-transport-security")!, /max-age/);
    }
  },
});

/** Opens a TLS connection, sends pieces one by one, and reads until the other side closes. */
async function sendSlowly(front: Front, head: string, piece: string): Promise<{ text: string; pieces: number }> {
  const caCerts = [await Deno.readTextFile(front.certificates.authority)];
  using connection = await Deno.connectTls({ hostname: "127.0.0.1", port: front.proxy.port, caCerts });
  await connection.write(new TextEncoder().encode(head));
  let text = "", isOpen = true, pieces = 0;
  const reading = (async () => {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(4_096);
    for (let n; (n = await connection.read(buffer).catch(() => null)) !== null;) {
      text += decoder.decode(buffer.slice(0, n));
    }
    isOpen = false;
  })();
  const dripping = (async () => {
    while (isOpen) {
      await connection.write(new TextEncoder().encode(piece)).then(() => pieces++, () => {});
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  await reading;
  await dripping;
  return { text, pieces };
}

Deno.test({
  ...BEHIND,
  name: "T56 who sends its head or its body drop by drop is cut off by the proxy, and the service never hears of it",
  async fn() {
    await using front = await startFront();
    const head = `POST ${PATH} HTTP/1.1\r\nhost: svc\r\nauthorization: Bearer ${front.service.key}\r\n`;
    const before = front.served;
    const [slowHead, slowBody, slowChunks] = await Promise.all([
      sendSlowly(front, head, "x-a: b\r\n"),
      sendSlowly(front, `${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n`, "{"),
      sendSlowly(front, `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`, "1\r\n{\r\n"),
    ]);
    for (const { text, pieces } of [slowHead, slowBody, slowChunks]) {
      assert.match(text, /^HTTP\/1\.1 408 /);
      assert.ok(pieces > 0);
    }
    assert.equal(front.served, before);
    assert.equal((await front.logged()).reply.status, 200);
  },
});

/** An HTTP/2 request that declares a body and sends none of it. */
async function declareBody(front: Front, path: string, bytes: number): Promise<Pick<CurlReply, "status" | "body">> {
  const ca = await Deno.readTextFile(front.certificates.authority);
  const session = connect(`https://127.0.0.1:${front.proxy.port}`, { ca });
  try {
    const headers = { ":method": "POST", ":path": path, authorization: `Bearer ${front.service.key}` };
    const stream = session.request({ ...headers, "content-type": "application/json", "content-length": `${bytes}` });
    let status = 0, text = "";
    stream.on("error", () => {});
    stream.on("response", (head) => status = head[":status"]!);
    stream.setEncoding("utf8").on("data", (piece) => text += piece);
    await waitFor("the whole reply", () => text.endsWith("}"));
    return { status, body: JSON.parse(text) };
  } finally {
    session.destroy();
  }
}

Deno.test({
  ...BEHIND,
  name: "a body or a head beyond the limits is refused before the service sees it, in the words of the service",
  async fn() {
    await using front = await startFront();
    const before = front.served;
    const file = await Deno.makeTempFile({ prefix: "svc-body-" });
    front.stack.defer(() => Deno.remove(file));
    await Deno.truncate(file, BATCH_BYTES_MAX + 1);
    const path = "/v1/memory/facts/batch";
    const args = ["--http1.1", "--header", "content-type: application/json", "--data-binary", `@${file}`];
    const replies = [
      await front.curl(path, { key: front.service.key, args }),
      // curl 7.88 loses a reply if the stream is reset after it because nobody reads the rest of the body.
      await declareBody(front, path, BATCH_BYTES_MAX + 1),
    ];
    for (const { status, body } of replies) {
      assert.deepEqual([status, body.code, body.status, body.retryable], [413, "payload_too_large", 413, false]);
      assert.match(body.requestId, /^[0-9a-f-]{36}$/);
    }
    const many = headerArgs(Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`x-a-${n}`, "b"])));
    const long = headerArgs({ "x-a": "b".repeat(30_000) });
    for (const args of [many, long]) {
      const reply = await front.curl(PATH, { key: front.service.key, args: ["--http1.1", ...args] });
      assert.equal(reply.status, 400);
    }
    assert.equal(front.served, before);
  },
});

Deno.test({
  ...BEHIND,
  name: "F9 the proxy goes on sending to a service that has lost its cache, and says so when the service is gone",
  async fn() {
    // Nothing listens there.
    const env = { SVC_UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9", SVC_UPSTASH_REDIS_REST_TOKEN: "token-of-the-test" };
    await using front = await startFront(env);
    assert.equal((await front.service.get("/health/ready", { key: null })).status, 503);
    assert.equal((await front.logged()).reply.status, 200);
    await using gone = await startProxy({
      certificates: front.certificates,
      services: [{ url: "http://127.0.0.1:9" }],
    });
    const reply = await curl(gone, front.certificates, PATH);
    assert.deepEqual([reply.status, reply.body.code, reply.body.retryable], [503, "unavailable", true]);
  },
});

Deno.test({
  ...BEHIND,
  name: "a stream passes the proxy as a WebSocket, with the caller's own address",
  async fn() {
    await using front = await startFront();
    const { service } = front;
    using http = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(front.certificates.authority)] });
    const url = `https://127.0.0.1:${front.proxy.port}`;
    const key = await service.createKey({ cidrs: ["127.0.0.1/32"] });
    const elsewhere = await service.createKey({ cidrs: ["192.0.2.0/24"] });
    await using client = await StreamClient.open(url, { key, client: http });
    assert.equal((await client.subscribe("events")).op, "subscribed");
    const { body } = await service.post("/v1/memory/events", { type: "tool.called" });
    await waitFor("the event", () => client.events("events").length === 1);
    assert.equal(client.events("events")[0].event.resourceId, body.id);
    await assert.rejects(StreamClient.open(url, { key: elsewhere, client: http }), /not upgraded/);
  },
});

/** A watch by curl, over HTTP/2: a process that can be killed, so that the caller disappears without notice. */
async function startWatch(url: string, key: string, authority: string) {
  const child = new Deno.Command("curl", {
    args: [
      ...["--silent", "--no-buffer", "--http2", "--cacert", authority, "--header", `authorization: Bearer ${key}`],
      ...["--header", "content-type: application/connect+json", "--data-binary", "@-"],
      `${url}/svc.v1.SvcService/WatchMemory`,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  // One message: no flags, its length in four bytes, an empty object.
  await writer.write(new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]));
  await writer.close();
  let text = "";
  const read = (async () => {
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) text += piece;
  })();
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended */ }
    await Promise.all([child.status, read]);
  };
  return { output: () => text, kill, [Symbol.asyncDispose]: kill };
}

Deno.test({
  ...BEHIND,
  name: "RPCs of every kind pass the proxy, streams in both directions at once",
  async fn() {
    await using front = await startFront();
    const { service, certificates: { authority } } = front;
    const url = `https://127.0.0.1:${front.proxy.port}`;
    const call = { url, key: service.key, authority, protocol: "connect" } as const;
    const [{ fact }] = await bufCurl("Remember", { ...call, messages: [{ statement: "Ada keeps a dog." }] });
    const [summary] = await bufCurl("IngestBatch", {
      ...call,
      messages: [{ fact: { statement: "Ada keeps a cat." } }],
    });
    assert.equal(summary.created, 1);
    const talk = [{ start: {} }, { turn: { role: "user", content: "Hello." } }];
    const answers = await bufCurl("Session", { ...call, messages: talk });
    assert.deepEqual(answers.map((answer) => Object.keys(answer)), [["session"], ["turn"]]);

    await using watch = await startWatch(url, service.key, authority);
    await waitFor("the first message of the watch", () => watch.output().includes('"cursor"'));
    await service.post(`/v1/facts/${fact.id}/pin`);
    await waitFor("the event", () => watch.output().includes(fact.id));
    await watch.kill();
    // Before the proxy's shortest time limit for a connection, 30 s, would close it.
    await waitFor("the stream is closed", () => streamsOf(service.deps).sizes().open === 0, { deadlineMs: 20_000 });
  },
});
