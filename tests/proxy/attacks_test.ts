/** What people without a key do to the proxy, and what everybody else sees of it. docs/reference/guarantees.md T56. */
import assert from "node:assert/strict";
import { waitFor } from "../_wait.ts";
import { BEHIND, ProcessesBehind } from "./_world.ts";
import { message, type RawConnectOptions, RawHttp2 } from "./_http2.ts";

const DOCUMENT = { ":method": "GET", ":scheme": "https", ":path": "/v1/openapi.json", ":authority": "svc" };
const rpc = (name: string, contentType: string) => ({
  ...{ ":method": "POST", ":scheme": "https", ":path": `/svc.v1.SvcService/${name}`, ":authority": "svc" },
  "content-type": contentType,
});

class Crowd implements Disposable {
  private constructor(readonly connections: readonly RawHttp2[]) {}

  static async open(count: number, options: RawConnectOptions): Promise<Crowd> {
    return new Crowd(await Promise.all(Array.from({ length: count }, () => RawHttp2.open(options))));
  }

  async ask(each: number, head: Record<string, string>, body?: Uint8Array, hasBody = body !== undefined) {
    await Promise.all(this.connections.map(async (connection) => {
      for (let i = 0; i < each; i++) {
        const stream = await connection.request(head, { hasBody });
        if (body !== undefined) await connection.data(stream, body);
      }
    }));
  }

  async each(act: (connection: RawHttp2) => Promise<void>): Promise<void> {
    await Promise.all(this.connections.map(act));
  }

  /** Whether the other side has ended all connections. */
  get isGone(): boolean {
    return this.connections.every(({ isOpen }) => !isOpen);
  }

  get answered(): number {
    return this.connections.reduce((sum, { answered }) => sum + answered, 0);
  }

  [Symbol.dispose](): void {
    for (const connection of this.connections) connection[Symbol.dispose]();
  }
}

/** Somebody with a key calls in every protocol, and a stream opens: each is served as if nothing happened. */
async function expectServed(world: ProcessesBehind, what: string): Promise<void> {
  for (const { key } of world.stage.tenants) {
    for (const version of ["--http1.1", "--http2"]) {
      const { status } = await world.curl("/v1/whoami", { key, args: [version] });
      assert.equal(status, 200, `${what}, ${version}`);
    }
    using connection = await RawHttp2.open({ port: world.proxy.port, authority: world.authority });
    const head = { ...rpc("Session", "application/connect+json"), authorization: `Bearer ${key}` };
    await connection.data(await connection.request(head, { hasBody: true }), message({ start: { title: what } }));
    await waitFor(`a session, ${what}`, () => connection.received > 0);
  }
  assert.equal((await world.curl("/health/ready")).status, 200, what);
  assert.equal(world.wasDown, false, `${what}: ${world.proxy.output()}`);
}

/** How many calls of an RPC the processes have finished or refused. */
async function countCalls({ stage }: ProcessesBehind, name: string): Promise<number> {
  let sum = 0;
  for (const { url } of stage.nodes) {
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const line of text.split("\n")) {
      const isCall = line.startsWith("svc_requests_total{") && line.includes(`endpoint="/svc.v1.SvcService/${name}"`);
      if (isCall) sum += Number(line.split(" ").at(-1));
    }
  }
  return sum;
}

/**
 * Sends bytes over TLS. @returns all that comes until the proxy ends the connection, which it may do before it has read
 * everything, and whether it took all of it
 */
async function exchange({ proxy, authority }: ProcessesBehind, text: string) {
  const at = { hostname: "127.0.0.1", port: proxy.port, caCerts: [authority], alpnProtocols: ["http/1.1"] };
  using connection = await Deno.connectTls(at);
  let reply = "";
  let isWhole = true;
  const write = async () => {
    for (let rest = new TextEncoder().encode(text); rest.length > 0;) {
      rest = rest.subarray(await connection.write(rest));
    }
  };
  const read = async () => {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(16_384);
    for (let count; (count = await connection.read(buffer)) !== null;) {
      reply += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
  };
  const stopShort = (error: unknown) => {
    if (!isGone(error)) throw error;
    isWhole = false;
  };
  await Promise.all([write().catch(stopShort), read().catch(stopShort)]);
  return { reply, isWhole };
}

function isGone(error: unknown): boolean {
  const { BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof } = Deno.errors;
  return [BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof].some((kind) => error instanceof kind);
}

for (const processes of [1, 2]) {
  Deno.test({
    ...BEHIND,
    name: `T56 callers without a key cannot stop the service behind the proxy, as ${processes} processes`,
    async fn(t) {
      await using world = await ProcessesBehind.start(processes);
      const at = { port: world.proxy.port, authority: world.authority };
      await expectServed(world, "before");

      await t.step("2,000 requests for the document by callers who take nothing of it", async () => {
        using crowd = await Crowd.open(20, { ...at, initialWindow: 0 });
        await crowd.ask(100, DOCUMENT);
        await waitFor("all heads of replies", () => crowd.answered === 2_000);
        await expectServed(world, "while nobody reads");
        crowd[Symbol.dispose]();
        await expectServed(world, "when they have gone");
      });

      await t.step("people who leave as soon as they have asked, in six rounds", async () => {
        for (let round = 0; round < 6; round++) {
          using crowd = await Crowd.open(60, at);
          await crowd.ask(8, DOCUMENT);
        }
        await expectServed(world, "when they have gone");
      });

      for (const name of ["Session", "FederationSync", "IngestBatch", "WatchMemory", "Recall"]) {
        for (const contentType of ["application/connect+json", "application/grpc-web+proto", "application/json"]) {
          await t.step(`2,000 heads of ${name} as ${contentType} whose bodies never come`, async () => {
            const before = await countCalls(world, name);
            using crowd = await Crowd.open(20, at);
            await crowd.ask(100, rpc(name, contentType), undefined, true);
            await expectServed(world, "while they send nothing");
            const own = name === "Session" ? world.stage.tenants.length : 0;
            assert.equal(await countCalls(world, name), before + own, "the service hears of none");
          });
        }
      }

      await t.step("4,000 requests that are taken back at once", async () => {
        using crowd = await Crowd.open(20, at);
        await crowd.each(async (one) => {
          for (let i = 0; i < 200 && one.isOpen; i++) await one.cancel(await one.request(DOCUMENT));
        });
        await expectServed(world, "while they do so");
      });

      await t.step("heads that go on for ever", async () => {
        using crowd = await Crowd.open(20, at);
        await crowd.each((one) => one.sendEndlessHead(DOCUMENT, 2_000));
        await expectServed(world, "while they go on");
        await waitFor("the proxy to end them", () => crowd.isGone);
      });

      await t.step("200 connections that begin a head and say no more", async () => {
        await using stack = new AsyncDisposableStack();
        for (let i = 0; i < 200; i++) {
          const options = { hostname: "127.0.0.1", port: world.proxy.port, caCerts: [world.authority] };
          const connection = await Deno.connectTls({ ...options, alpnProtocols: ["http/1.1"] });
          stack.defer(() => connection.close());
          await connection.write(new TextEncoder().encode("GET /v1/whoami HTTP/1.1\r\nHost: sv"));
        }
        await expectServed(world, "while they say nothing");
      });

      await t.step("HTTP/1.1: no request is smuggled within another", async () => {
        const inner = "GET /v1/openapi.json HTTP/1.1\r\nHost: svc\r\n\r\n";
        const outer = "POST /healthz HTTP/1.1\r\nHost: svc\r\nConnection: close\r\n";
        const both = (encoding: string) => `${outer}Content-Length: 5\r\n${encoding}\r\n\r\n0\r\n\r\n${inner}`;
        for (
          const request of [
            ...["Transfer-Encoding: chunked", "Transfer-Encoding : chunked", "Transfer-Encoding:\tchunked"].map(both),
            ...["Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity"].map(both),
            ...["Transfer-Encoding:\r\n chunked", "transfer-encoding: chunked\r\nTransfer-Encoding: x"].map(both),
            `${outer}Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
            `${outer}Content-Length: +0\r\n\r\n${inner}`,
            `${outer}Content-Length: 0, 0\r\n\r\n${inner}`,
            `GET /healthz HTTP/1.1\r\nHost: svc\r\nConnection: close\r\n\r\n${inner}`,
          ]
        ) {
          const { reply } = await exchange(world, request);
          assert.doesNotMatch(reply, /"openapi"/, request);
          assert.ok((reply.match(/^HTTP\/1\.1 \d/gm) ?? []).length <= 1, `${request}\n${reply}`);
        }
        await expectServed(world, "after them");
      });

      await t.step("2,000 heads of a stream with the beginning of a message", async () => {
        using crowd = await Crowd.open(20, at);
        await crowd.ask(100, rpc("Session", "application/connect+json"), new Uint8Array([0, 0, 0, 0, 100]));
        await expectServed(world, "while they send no more");
        await waitFor("a refusal of each", () => crowd.answered === 2_000);
      });

      await t.step(
        "HTTP/1.1: what is well-formed is served, and what is not is refused and not called retryable",
        async () => {
          const head =
            `POST /v1/memory/facts HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${world.stage.tenants[0]!.key}\r\n` +
            "Content-Type: application/json\r\nConnection: close\r\n";
          const body = JSON.stringify({ statement: `The proxy passed this on to ${processes}.` });
          const chunk = `${body.length.toString(16)};x=y\r\n${body}\r\n`;
          const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n`;
          for (
            const [request, status] of [
              [`\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`, 201],
              [`${chunked}Some: trailer\r\n\r\n`, 200],
              [`${chunked}\r\n`, 200],
              [`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`, 400],
              [`${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, 400],
              [`${head}Content-Length : 3\r\n\r\nabc`, 400],
              [`${head}X-Long: ${"a".repeat(70_000)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 400],
            ] as const
          ) {
            const { reply, isWhole } = await exchange(world, request);
            // The reply to what the proxy did not read to its end may be lost with the connection.
            if (status === 400 && !isWhole && reply === "") continue;
            assert.equal(Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]), status, `${request.slice(0, 300)}\n${reply}`);
            assert.doesNotMatch(reply, /"retryable":true/);
          }
        },
      );
      await expectServed(world, "after all");
    },
  });
}
