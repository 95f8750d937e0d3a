/** Requests that no honest client sends: framing that two parties could read differently, and texts no store can keep. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { bearerFor, createFixture, type Fixture } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

const BODY = `{"title":"x"}`;
const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

/**
 * Head lines and body of a POST to /v1/session, and the status of the reply. Accepted messages are harmless behind any
 * proxy, because each has only one reading. No status: the connection is closed without a reply.
 */
const FRAMING: Readonly<
  Record<string, readonly [status: number | undefined, head: readonly string[], body: string, lineEnd?: string]>
> = {
  "an honest request": [201, ["Host: svc", `Content-Length: ${BODY.length}`], BODY],
  "both a length and chunks": [
    400,
    ["Host: svc", "Content-Length: 4", "Transfer-Encoding: chunked"],
    `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
  ],
  "two lengths": [400, ["Host: svc", `Content-Length: ${BODY.length}`, "Content-Length: 5"], BODY],
  "a length with a sign": [400, ["Host: svc", `Content-Length: +${BODY.length}`], BODY],
  "a length that is no number": [400, ["Host: svc", "Content-Length: 0x0d"], BODY],
  "a folded header": [400, ["Host: svc", "X-A: b\r\n c", `Content-Length: ${BODY.length}`], BODY],
  "a space before the colon": [400, ["Host: svc", `Content-Length : ${BODY.length}`], BODY],
  "an encoding that is not chunked": [400, ["Host: svc", "Transfer-Encoding: xchunked"], BODY],
  "chunks of no size": [undefined, ["Host: svc", "Transfer-Encoding: chunked"], `zz\r\n${BODY}\r\n0\r\n\r\n`],
  "a carriage return in a value": [400, ["Host: svc", "Idempotency-Key: a\rb", `Content-Length: ${BODY.length}`], BODY],
  "a NUL in a value": [400, ["Host: svc", "Idempotency-Key: a\0b", `Content-Length: ${BODY.length}`], BODY],
  "a line end in a value": [400, ["Host: svc", "Idempotency-Key: a\nb", `Content-Length: ${BODY.length}`], BODY],
  "a key of 10 KB": [
    400,
    ["Host: svc", `Idempotency-Key: ${"k".repeat(10_240)}`, `Content-Length: ${BODY.length}`],
    BODY,
  ],
  "lines that end with a line feed alone": [201, ["Host: svc", `Content-Length: ${BODY.length}`], BODY, "\n"],
  "no host": [201, [`Content-Length: ${BODY.length}`], BODY],
  "two hosts": [400, ["Host: svc", "Host: other", `Content-Length: ${BODY.length}`], BODY],
};

/** Sends bytes as they are and reads to the end of the connection. */
async function exchange(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  const chunks: string[] = [];
  for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) chunks.push(chunk);
  return chunks.join("");
}

Deno.test({
  ...POSTGRES,
  name: "T57: framing that could be read in two ways is refused, and nothing is smuggled in",
  async fn(t) {
    await using service = await startService();
    const port = Number(new URL(service.listen().url).port);
    const common = [
      `Authorization: Bearer ${service.key}`,
      "Content-Type: application/json",
      "Connection: close",
    ];
    for (const [name, [status, head, body, lineEnd = "\r\n"]] of Object.entries(FRAMING)) {
      await t.step(name, async () => {
        const request = ["POST /v1/session HTTP/1.1", ...head, ...common, "", body].join(lineEnd);
        const reply = await exchange(port, request + SMUGGLED);
        const statuses = [...reply.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => Number(match[1]));
        assert.deepEqual(statuses, status === undefined ? [] : [status], reply);
      });
    }
    const { body } = await service.get("/v1/session");
    const accepted = Object.values(FRAMING).filter(([status]) => status === 201);
    assert.equal(body.data.length, accepted.length, "nothing else was carried out");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T57: a body that breaks off is the caller's fault, and no other request's",
  async fn() {
    const lines: string[] = [];
    await using service = await startService({
      env: { SVC_LOG_LEVEL: "info" },
      logSink: (line) => lines.push(line),
    });
    const port = Number(new URL(service.listen().url).port);
    {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const head = `Host: svc\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json`;
      const text = `POST /v1/session HTTP/1.1\r\n${head}\r\nContent-Length: 100\r\n\r\n{"title":`;
      await connection.write(new TextEncoder().encode(text));
      await waitFor("the key was looked up", () => service.deps.verifiedKeys.get(service.key) !== undefined);
    }
    const line = await waitFor("the log line", () => lines.find((one) => one.includes('"http.request"')));
    const { status, errorCode, level } = JSON.parse(line);
    assert.deepEqual([status, errorCode, level], [400, "invalid_request", "info"]);
    assert.equal((await service.get("/v1/session")).body.data.length, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T57: the host that a request names is used for nothing",
  async fn() {
    await using service = await startService();
    const port = Number(new URL(service.listen().url).port);
    const end = `Authorization: Bearer ${service.key}\r\nConnection: close\r\n\r\n`;
    for (
      const [line, host] of [
        ["GET http://attacker.test/v1/openapi.json HTTP/1.1", "Host: attacker.test\r\n"],
        ["GET /v1/openapi.json HTTP/1.1", "Host: attacker.test:1\r\n"],
        ["GET /v1/docs HTTP/1.1", "Host: attacker.test\r\nX-Forwarded-Host: attacker.test\r\n"],
        ["GET //attacker.test/v1/session HTTP/1.1", "Host: svc\r\n"],
      ]
    ) {
      const reply = await exchange(port, `${line}\r\n${host}${end}`);
      assert.match(reply, /^HTTP\/1\.1 (200|404) /, line);
      assert.ok(!reply.includes("attacker"), line);
    }
  },
});

/** Members with a text, as paths into a body. */
function textPaths(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? value.map((item, i) => [i, item] as const) : Object.entries(value);
  return entries.flatMap(([name, item]) => textPaths(item, [...path, name]));
}

/** A copy with something put before the text at a path. */
function withText(value: unknown, path: readonly (string | number)[], text: string): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return `${text}${value}`;
  const copy = Array.isArray(value) ? [...value] : { ...value as object };
  (copy as Record<string | number, unknown>)[first] = withText((value as never)[first], rest, text);
  return copy;
}

async function send(service: TestService, endpoint: Endpoint, fixture: Fixture, query: string, body?: unknown) {
  const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name: string) => fixture.params[name]!);
  const key = bearerFor(service, endpoint, fixture);
  const options = { key, body, ...(fixture.prove && { prove: fixture.prove }) };
  return await service.call(endpoint.route.method.toUpperCase(), path + query, options);
}

const BROKEN = { "NUL": "\u0000", "a high surrogate alone": "\ud800", "a low surrogate alone": "\udfff" };

Deno.test({
  ...POSTGRES,
  name: "T51: every text of every body is refused with its path when no store can keep it",
  async fn() {
    await using service = await startService();
    let checked = 0;
    for (const endpoint of ENDPOINTS) {
      const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
      if (content === undefined) continue;
      const fixture = await createFixture(service, endpoint);
      const body = fixture.body ?? content["application/json"]?.example;
      for (const path of textPaths(body)) {
        for (const [name, text] of Object.entries(BROKEN)) {
          const reply = await send(service, endpoint, fixture, "", withText(body, path, text));
          const where = `${pathOf(endpoint)} ${path.join(".")}: ${name}`;
          assert.equal(reply.status, 422, where);
          assert.equal(reply.body.code, "validation_failed", where);
          assert.ok(reply.body.errors.some((error: { path: string }) => error.path === path.join(".")), where);
          checked++;
        }
      }
    }
    assert.ok(checked > 50, `${checked}`);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T51: broken texts in paths and queries are refused and never a fault",
  async fn() {
    await using service = await startService();
    for (const endpoint of ENDPOINTS.filter((one) => one.scope !== "public")) {
      const fixture = await createFixture(service, endpoint);
      const shape = (endpoint.route.request?.query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {};
      for (const bad of ["%00", "%ED%A0%80", "%FF", "%", "a%00b"]) {
        for (const name of Object.keys(shape)) {
          const reply = await send(service, endpoint, fixture, `?${name}=${bad}`, fixture.body);
          assert.ok(reply.status < 500, `${pathOf(endpoint)}?${name}=${bad}: ${reply.status}`);
        }
        if (!endpoint.route.path.includes("{")) continue;
        const params = Object.fromEntries(Object.keys(fixture.params).map((name) => [name, bad]));
        const reply = await send(service, endpoint, { params }, "", fixture.body);
        assert.ok(reply.status >= 400 && reply.status < 500, `${pathOf(endpoint)} with ${bad}: ${reply.status}`);
      }
    }
  },
});
