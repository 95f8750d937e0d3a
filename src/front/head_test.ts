import assert from "node:assert/strict";
import fc from "fast-check";
import { BodyMeter } from "./body_meter.ts";
import { findHeadEnd, HeadFault, readReplyHead, readRequestHead } from "./head.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const request = (...lines: string[]) => readRequestHead(bytesOf([...lines, "", ""].join("\r\n")));

Deno.test("the end of a head is its first empty line, wherever the reads were cut", () => {
  const bytes = bytesOf("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /next");
  assert.equal(findHeadEnd(bytes), 27);
  for (let cut = 0; cut < 27; cut++) {
    assert.equal(findHeadEnd(bytes.subarray(0, cut)), undefined);
    assert.equal(findHeadEnd(bytes, Math.max(0, cut - 3)), 27, `after ${cut} bytes`);
  }
});

Deno.test("a head says how its body ends", () => {
  assert.equal(request("GET /a?b HTTP/1.1", "Host: a").framing, "none");
  assert.deepEqual(request("POST / HTTP/1.1", "content-LENGTH: 12").framing, { length: 12 });
  assert.equal(request("POST / HTTP/1.1", "Transfer-Encoding: Chunked").framing, "chunked");
  const reply = (method: string, ...lines: string[]) => readReplyHead(bytesOf([...lines, "", ""].join("\r\n")), method);
  assert.equal(reply("GET", "HTTP/1.1 200 OK").framing, "close");
  assert.equal(reply("HEAD", "HTTP/1.1 200 OK", "content-length: 5").framing, "none");
  assert.equal(reply("GET", "HTTP/1.1 304 Not Modified", "content-length: 5").framing, "none");
  assert.equal(reply("GET", "HTTP/1.1 204").framing, "none");
});

Deno.test("a head whose end or name is open to two readings is refused", () => {
  for (
    const lines of [
      ["GET  / HTTP/1.1"],
      ["GET / HTTP/2.0"],
      ["GET / HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"],
      ["GET / HTTP/1.1", "Content-Length: 1", "Content-Length: 1"],
      ["GET / HTTP/1.1", "Content-Length: 1, 1"],
      ["GET / HTTP/1.1", "Content-Length: +1"],
      ["GET / HTTP/1.1", "Content-Length: 0x1"],
      ["GET / HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      ["GET / HTTP/1.1", "Transfer-Encoding: identity"],
      ["GET / HTTP/1.0", "Transfer-Encoding: chunked"],
      ["GET / HTTP/1.1", "Content-Length : 1"],
      ["GET / HTTP/1.1", " folded: line"],
      ["GET / HTTP/1.1", "A: b", "\tfolded"],
      ["GET / HTTP/1.1", "no colon"],
      ["GET / HTTP/1.1", "A: b\nContent-Length: 5"],
      ["GET / HTTP/1.1", "A: b\rContent-Length: 5"],
      ["GET / HTTP/1.1", "svc-front-peer: 10.0.0.1 1"],
      ["GET / HTTP/1.1", "Svc-Front-Whatever: 1"],
    ]
  ) assert.throws(() => request(...lines), HeadFault, lines.join(" | "));
});

Deno.test("a connection ends after the reply where a head says so", () => {
  assert.equal(request("GET / HTTP/1.1").isLast, false);
  assert.equal(request("GET / HTTP/1.1", "Connection: Close").isLast, true);
  assert.equal(request("GET / HTTP/1.0").isLast, true);
  assert.equal(request("GET / HTTP/1.0", "Connection: keep-alive").isLast, false);
  assert.equal(request("GET / HTTP/1.1", "Connection: keep-alive, Upgrade", "Upgrade: websocket").isUpgrade, true);
});

Deno.test("a body ends where it says, however it is cut into reads", () => {
  const part = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const plain = fc.array(part, { maxLength: 6 });
  fc.assert(fc.property(plain, fc.boolean(), fc.array(fc.integer({ min: 1, max: 9 })), (parts, isChunked, cuts) => {
    const all = (list: readonly Uint8Array[]) => Uint8Array.from(list.flatMap((one) => [...one]));
    const body = isChunked
      ? all([
        ...parts.flatMap((one) => [bytesOf(`${one.length.toString(16)};ext="a"\r\n`), one, bytesOf("\r\n")]),
        bytesOf("0\r\nTrailer: x\r\n\r\n"),
      ])
      : all(parts);
    const meter = new BodyMeter(isChunked ? "chunked" : body.length === 0 ? "none" : { length: body.length });
    const sent = all([body, bytesOf("GET /next HTTP/1.1\r\n")]);
    let at = 0;
    for (let i = 0; !meter.isDone; i++) {
      const read = sent.subarray(at, at + (cuts[i % (cuts.length || 1)] ?? sent.length));
      assert.ok(read.length > 0, "the end was missed");
      at += meter.take(read);
    }
    assert.equal(at, body.length);
    assert.equal(meter.take(sent), 0);
  }));
});

Deno.test("malformed chunks are refused", () => {
  for (
    const text of ["zz\r\n", "\r\n", "-1\r\n", "1\n", "1\r\nab", "1\r\na\n\n", "1 2\r\n", "0x1\r\n", "1".repeat(20)]
  ) {
    const meter = new BodyMeter("chunked");
    assert.throws(
      () => {
        meter.take(bytesOf(text));
        meter.take(bytesOf("\r\n\r\n"));
      },
      HeadFault,
      JSON.stringify(text),
    );
  }
});
