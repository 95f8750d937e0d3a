import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { waitFor } from "../../tests/_wait.ts";
import { ServiceError } from "../errors.ts";
import { makeSharedFile, type SharedFileLimits, SharedFiles } from "./shared_file.ts";

/** Larger than the buffers between two ends of a connection. */
const FILE = makeSharedFile("text/plain", new TextEncoder().encode("0123456789abcdef".repeat(2_000_000)));

function serve(limits: Partial<SharedFileLimits>) {
  const files = new SharedFiles(limits);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    try {
      return files.reply(request, FILE, { source: request.headers.get("x-source") ?? "192.0.2.1" });
    } catch (error) {
      assert.ok(error instanceof ServiceError);
      return new Response(error.code, { status: error.status, headers: error.headers });
    }
  });
  return { files, server, url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Requests the file and reads nothing of the reply. */
async function openReader(port: number, source = "192.0.2.1"): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`GET / HTTP/1.1\r\nHost: svc\r\nX-Source: ${source}\r\n\r\n`));
  return connection;
}

async function readRest(connection: Deno.TcpConn): Promise<number> {
  const buffer = new Uint8Array(65_536);
  let total = 0;
  for (let n; (n = await connection.read(buffer).catch(() => null)) !== null;) total += n;
  return total;
}

Deno.test("T56 a file has so many readers at once and no more, and who has read it or gone makes room", async () => {
  await using served = serve({ readersMax: 2 });
  const { files, server, url } = served;
  using first = await openReader(server.addr.port);
  using second = await openReader(server.addr.port);
  await waitFor("both read", () => files.readers === 2);
  const refused = await fetch(url);
  assert.deepEqual([refused.status, await refused.text(), refused.headers.get("retry-after")], [
    503,
    "unavailable",
    "10",
  ]);
  second.close();
  await waitFor("there is room again", () => files.readers === 1);
  const whole = await fetch(url, { headers: { "accept-encoding": "identity" } });
  assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), FILE.bytes);
  await waitFor("there is room again", () => files.readers === 1);
  assert.ok(await first.read(new Uint8Array(100)), "who came first is served still");
});

Deno.test("T56 of one source a few read a file at once, and no more; another source is not hindered", async () => {
  await using served = serve({ readersMax: 3, readersOfSourceMax: 2 });
  const { files, server, url } = served;
  const ask = (source: string) => fetch(url, { headers: { "x-source": source, "accept-encoding": "gzip" } });
  using _first = await openReader(server.addr.port, "2001:db8::1");
  using second = await openReader(server.addr.port, "2001:db8::2");
  await waitFor("both read", () => files.readers === 2);
  const refused = await ask("2001:db8::3");
  assert.deepEqual([refused.status, await refused.text(), refused.headers.get("retry-after")], [
    429,
    "rate_limited",
    "10",
  ]);
  const other = await ask("192.0.2.2");
  assert.equal(other.status, 200);
  await other.body!.cancel();
  second.close();
  await waitFor("there is room again", () => files.readers === 1);
  const third = await ask("2001:db8::3");
  assert.equal(third.status, 200);
  await third.body!.cancel();
});

Deno.test("T56 a HEAD request is told of a file and reads none of it", () => {
  const files = new SharedFiles({ readersMax: 0 });
  const reply = files.reply(new Request("http://svc.test/", { method: "HEAD" }), FILE, { source: undefined });
  assert.deepEqual([reply.status, reply.body, files.readers], [200, null, 0]);
  assert.equal(reply.headers.get("content-length"), String(FILE.bytes.byteLength));
});

Deno.test("T56 a reader that does not read, or reads for ever, is cut off before the end of the file", async () => {
  for (const limits of [{ idleMs: 50 }, { wholeMs: 50 }]) {
    await using served = serve(limits);
    using connection = await openReader(served.server.addr.port);
    // The reply has begun, and the reader has its place.
    assert.ok(await connection.read(new Uint8Array(100)));
    await waitFor("it is cut off", () => served.files.readers === 0);
    assert.ok(await readRest(connection) < FILE.bytes.byteLength);
  }
});

Deno.test("T56 a reader is given a chunk when it has taken the one before, of the one copy", async () => {
  const files = new SharedFiles();
  const reader = files.reply(new Request("http://svc.test/"), FILE, { source: undefined }).body!.getReader();
  const { value: first } = await reader.read();
  const { value: second } = await reader.read();
  assert.deepEqual([first!.byteOffset, second!.byteOffset, second!.byteLength], [0, 65_536, 65_536]);
  assert.equal(first!.buffer, FILE.bytes.buffer);
  assert.equal(files.readers, 1);
  await reader.cancel();
  assert.equal(files.readers, 0);
});

Deno.test("a file is the same packed and not, and packed for who takes it alone", async () => {
  const files = new SharedFiles();
  const ask = (accepted: string) =>
    files.reply(new Request("http://svc.test/", { headers: { "accept-encoding": accepted } }), FILE, {
      source: undefined,
    });
  for (const accepted of ["gzip", "br, GZIP;q=0.5", "deflate, gzip"]) {
    const reply = ask(accepted);
    assert.equal(reply.headers.get("content-encoding"), "gzip", accepted);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    assert.equal(reply.headers.get("content-length"), String(bytes.length));
    assert.deepEqual(new Uint8Array(gunzipSync(bytes)), FILE.bytes);
  }
  for (const accepted of ["", "br", "gzip;q=0", "gzip;q=0.000", "xgzip", `${"br,".repeat(100)}gzip`]) {
    const reply = ask(accepted);
    assert.equal(reply.headers.get("content-encoding"), null, accepted);
    assert.match(reply.headers.get("cache-control")!, /no-transform/);
    await reply.body!.cancel();
  }
});
