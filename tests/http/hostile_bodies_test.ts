/** Bodies and parameters that are meant to hurt: too long, too deep, too slow, packed, or written to be run. T49 to T56. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { fullBody, type Place, textPlaces, withText } from "../_bodies.ts";
import { bearerFor, createFixture, type Fixture } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { waitFor, within } from "../_wait.ts";

const document = JSON.parse(await Deno.readTextFile(new URL("../openapi.json", import.meta.url)));
const GUARDED = ENDPOINTS.filter((endpoint) => endpoint.scope !== "public");
const WRITES = GUARDED.filter((endpoint) => endpoint.route.method !== "get");
const WITH_JSON = WRITES.filter((endpoint) =>
  contentOf(endpoint)["application/json"]?.schema !== undefined &&
  contentOf(endpoint)["application/x-ndjson"] === undefined
);

function contentOf({ route }: Endpoint) {
  return document.paths[route.path][route.method].requestBody?.content ?? {};
}

/** One service for a test, and for each operation the resources that its path names. */
class Target {
  readonly #fixtures = new Map<Endpoint, Fixture>();

  constructor(readonly service: TestService) {}

  async fixture(endpoint: Endpoint): Promise<Fixture> {
    const made = this.#fixtures.get(endpoint) ?? await createFixture(this.service, endpoint);
    this.#fixtures.set(endpoint, made);
    return made;
  }

  async path(endpoint: Endpoint): Promise<string> {
    const { params } = await this.fixture(endpoint);
    return pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  }

  async key(endpoint: Endpoint): Promise<string> {
    return bearerFor(this.service, endpoint, await this.fixture(endpoint));
  }

  async send(endpoint: Endpoint, body?: unknown, headers: HeadersInit = {}, query = ""): Promise<Reply> {
    const path = await this.path(endpoint);
    const key = await this.key(endpoint);
    const { prove } = await this.fixture(endpoint);
    const options = { body, headers, key, ...(prove && { prove }) };
    return await this.service.call(endpoint.route.method.toUpperCase(), path + query, options);
  }

  /** The operation's example, and the largest body that its schema knows. */
  async bodies(endpoint: Endpoint): Promise<unknown[]> {
    const { example, schema } = contentOf(endpoint)["application/json"];
    return [(await this.fixture(endpoint)).body ?? example, fullBody(document, schema)];
  }
}

const steps: (readonly [name: string, run: (target: Target) => Promise<void>])[] = [];
function step(name: string, run: (target: Target) => Promise<void>): void {
  steps.push([name, run]);
}

/** The places where an operation takes texts, each with such a body; only one place for each schema. */
async function* places(
  target: Target,
  endpoint: Endpoint,
  seen: Set<string>,
): AsyncGenerator<readonly [body: unknown, place: Place]> {
  const { schema } = contentOf(endpoint)["application/json"];
  const name = schema.$ref ?? endpoint.route.operationId;
  for (const body of await target.bodies(endpoint)) {
    for (const place of textPlaces(body)) {
      const key = `${name} ${place.join(".")}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield [body, place];
    }
  }
}

const BROKEN = ["\u0000", "\ud800", "\udfff", "a\u0000b", "\udc00\ud800"];

step(
  "T51 every text that a schema knows, however deep, is refused with its path when no store can keep it",
  async (target) => {
    let checked = 0;
    const seen = new Set<string>();
    for (const endpoint of WITH_JSON) {
      for await (const [body, place] of places(target, endpoint, seen)) {
        const text = BROKEN[checked++ % BROKEN.length]!;
        const reply = await target.send(endpoint, JSON.stringify(withText(body, place, text)));
        const where = `${pathOf(endpoint)} ${place.join(".")}: ${JSON.stringify(reply.body)}`;
        assert.deepEqual([reply.status, reply.body.code], [422, "validation_failed"], where);
        assert.ok(reply.body.errors.some((error: { path: string }) => error.path === place.join(".")), where);
      }
    }
    assert.ok(checked > 500, `${checked}`);
  },
);

const LONG = ["a".repeat(100_000), " ".repeat(100_000), "1".repeat(100_000), "[".repeat(100_000), "a!".repeat(50_000)];

step("T49 a text of 100 KB in any member is taken or refused, never a fault", async (target) => {
  let checked = 0;
  const seen = new Set<string>();
  for (const endpoint of WITH_JSON) {
    for await (const [body, place] of places(target, endpoint, seen)) {
      const reply = await target.send(endpoint, withText(body, place, LONG[checked++ % LONG.length]!));
      assert.ok(reply.status < 500, `${pathOf(endpoint)} ${place.join(".")}: ${JSON.stringify(reply.body)}`);
    }
  }
  assert.ok(checked > 500, `${checked}`);
});

const INJECTIONS = [
  "'",
  "' or '1'='1",
  "'; drop table unit; --",
  "1; select pg_sleep(10)",
  "x') union select key_hash from api_key --",
  "created_at desc; delete from unit",
  "\\'; truncate unit cascade; --",
  "$1",
  "%",
  "id::text",
  '"; drop schema public cascade; --',
  "/*",
];

/** Parameters that are texts of the caller's own. */
const FREE_TEXTS = [
  "actorId",
  "agentId",
  "caller",
  "decidedBy",
  "drawer",
  "entityType",
  "externalId",
  "id",
  "kind",
  "messageId",
  "name",
  "outcome",
  "participant",
  "predicate",
  "q",
  "query",
  "requestId",
  "subject",
  "tag",
  "tags",
  "type",
];

/** Parameters with a form that no schema describes. */
const WITH_A_FORM = new Set(["cursor", "since", "ticket", "timeZone"]);

/** Whether a parameter's schema accepts any text; of a list, as an element. */
// deno-lint-ignore no-explicit-any
function takesAnyText(schema: any): boolean {
  if (schema.$ref !== undefined) return takesAnyText(document.components.schemas[schema.$ref.split("/").at(-1)]);
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
  ];
  if (inner.length > 0) return inner.some(takesAnyText);
  return schema.type === "string" && schema.enum === undefined && schema.const === undefined &&
    schema.format === undefined && schema.pattern === undefined;
}

step("T50 SQL in any member or parameter is a text like any other", async (target) => {
  const { service } = target;
  const before = await service.post("/v1/memory/facts", { statement: "This fact is still there." });
  let checked = 0;
  const seen = new Set<string>();
  const texts = new Set<string>();
  for (const endpoint of GUARDED) {
    const { query } = await target.fixture(endpoint);
    const body = contentOf(endpoint)["application/json"] && (await target.bodies(endpoint))[0];
    const { parameters = [] } = document.paths[endpoint.route.path][endpoint.route.method];
    for (const given of parameters) {
      const { name, in: where, schema } = given.$ref === undefined
        ? given
        : document.components.parameters[given.$ref.split("/").at(-1)];
      if (where !== "query") continue;
      const injection = INJECTIONS[checked++ % INJECTIONS.length]!;
      const others = query?.replace(/^\?/, "").split("&").filter((one) => !one.startsWith(`${name}=`)) ?? [];
      const search = `?${[...others, `${name}=${encodeURIComponent(injection)}`].join("&")}`;
      const reply = await target.send(endpoint, body, {}, search);
      const told = `${pathOf(endpoint)}${search}: ${reply.status} ${JSON.stringify(reply.body)}`;
      const isFree = takesAnyText(schema) && !WITH_A_FORM.has(name);
      // A ticket stands for a key, so one that was never issued has no invalid form.
      const refused = name === "ticket" ? [400, 401] : [400, 422];
      assert.ok(isFree ? reply.status < 500 : refused.includes(reply.status), told);
      if (isFree) texts.add(name);
    }
  }
  for (
    const endpoint of WITH_JSON.filter(({ route }) => !/forget|batch\/|delete|consolidate/i.test(route.operationId))
  ) {
    for await (const [body, place] of places(target, endpoint, seen)) {
      const text = INJECTIONS[checked++ % INJECTIONS.length]!;
      const reply = await target.send(endpoint, withText(body, place, text));
      assert.ok(reply.status < 500, `${pathOf(endpoint)} ${place.join(".")}: ${JSON.stringify(reply.body)}`);
    }
  }
  assert.ok(checked > 500, `${checked}`);
  // Everything else is an id, a time, a number, a cursor or one of some words.
  assert.deepEqual([...texts].sort(), FREE_TEXTS);
  const after = await service.get(`/v1/memory/facts/${before.body.id}`);
  assert.deepEqual([after.status, after.body.statement], [200, "This fact is still there."]);
});

step("T52 a text of 300,000 words, each another, is refused: 413 for the body, 422 for the member", async (target) => {
  const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i.toString(36)}`).join(" ");
  const long = words(300_000);
  assert.ok(long.length > 1_048_576);
  for (const endpoint of WITH_JSON) {
    const reply = await target.send(endpoint, { text: long });
    // If the operation takes longer bodies, the member is refused.
    const expected = endpoint.bodyBytesMax < long.length ? [413, "payload_too_large"] : [422, "validation_failed"];
    assert.deepEqual([reply.status, reply.body.code], expected, pathOf(endpoint));
  }
  const most = words(130_000);
  for (
    const [path, body] of [
      ["/v1/memory/facts", { statement: most }],
      ["/v1/memory/facts", { statement: "x", metadata: { most } }],
      ["/v1/memory/decisions", { title: "x", decision: most }],
      ["/v1/memory/events", { type: "x", data: { most } }],
      ["/v1/memory/recall", { query: most }],
    ] as const
  ) {
    const reply = await target.service.post(path, body);
    assert.deepEqual([reply.status, reply.body.code], [422, "validation_failed"], path);
  }
  // The longest texts that are accepted, of words that the index has never seen.
  const session = await target.service.post("/v1/session", { title: "Long" });
  for (
    const [path, body] of [
      ["/v1/memory/facts", { statement: most.slice(0, 16_000) }],
      [`/v1/session/${session.body.id}/turns`, { role: "user", content: most.slice(0, 65_000) }],
    ] as const
  ) {
    const reply = await target.service.post(path, body);
    assert.equal(reply.status, 201, `${path} ${JSON.stringify(reply.body).slice(0, 300)}`);
  }
});

/** A body with `count` members that no schema has. */
function wideBody(count: number): string {
  return `{${Array.from({ length: count }, (_, i) => `"m${i.toString(36)}":1`).join()}}`;
}

step("T52 no reply tells more than 50 faults, and what is wider than any body is refused unread", async (target) => {
  for (const endpoint of WITH_JSON) {
    const reply = await target.send(endpoint, wideBody(3_000));
    const where = `${pathOf(endpoint)} ${JSON.stringify(reply.body).slice(0, 300)}`;
    // Scratchpads take members of any name.
    const isFree = /scratch/i.test(endpoint.route.operationId);
    assert.equal(reply.status, isFree ? 200 : 422, where);
    if (!isFree) assert.ok(reply.body.errors.length <= 51, where);
    if (reply.body.errors?.length === 51) assert.match(reply.body.errors[50].message, /^and [\d,]+ more$/, where);
    const widest = wideBody(90_000);
    const wider = await target.send(endpoint, widest);
    if (widest.length > endpoint.bodyBytesMax) {
      assert.deepEqual([wider.status, wider.body.code], [413, "payload_too_large"], where);
      continue;
    }
    assert.deepEqual([wider.status, wider.body.errors.length], [422, 1], where);
    assert.match(wider.body.message, /an object with more than 10000 members/);
  }
  const { service } = target;
  const facts = `{"facts":[${Array(80).fill(wideBody(300)).join()}]}`;
  const batch = await service.post("/v1/memory/facts/batch", facts);
  assert.equal(batch.status, 422);
  assert.deepEqual([batch.body.errors.length, batch.body.errors[50].message], [51, "and 24,030 more"]);
  const turns = `{"turns":[${Array(80).fill(wideBody(300)).join()}]}`;
  const session = await service.post("/v1/session", { title: "Wide" });
  const told = await service.post(`/v1/session/${session.body.id}/turns`, turns);
  assert.deepEqual([told.status, told.body.errors.length], [422, 51]);
  assert.match(told.body.errors[50].message, /^and [\d,]+ more$/);
  const line = await service.call("POST", "/v1/import", {
    body: `${wideBody(9_000)}\n`,
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.equal(line.status, 400);
  assert.ok(JSON.stringify(line.body).length < 1_000);
  const rpc = await service.post("/svc.v1.SvcService/Remember", wideBody(90_000), {
    headers: { "connect-protocol-version": "1" },
  });
  assert.equal(rpc.status, 400);
  assert.match(rpc.body.message, /an object with more than 10000 members/);
});

step("T52 more than 100 parameters, or a query of more than 16 KiB, are refused on every path", async ({ service }) => {
  const many = (count: number) => `?${Array.from({ length: count }, (_, i) => `p${i}=1`).join("&")}`;
  const paths = new Set(ENDPOINTS.map((endpoint) => pathOf(endpoint).replaceAll(/\{\w+\}/g, "x")));
  for (const path of [...paths, "/", "/nothing", "/svc.v1.SvcService/Health", "/svc.v1.SvcService/Nothing"]) {
    for (const [query, reason] of [[many(101), "100 parameters"], [`?q=${"a".repeat(16_400)}`, "16384 characters"]]) {
      const { status, body } = await service.get(path + query, { key: null });
      assert.equal(status, 400, path);
      assert.match(body.message, new RegExp(`Cannot read the query: it .* more than ${reason}|longer than ${reason}`));
    }
  }
  const known = await service.get(`/v1/memory/facts${many(100)}`);
  assert.deepEqual([known.status, known.body.errors.length], [422, 51]);
  const repeatedly = await service.get(`/v1/memory/facts?${Array(100).fill("tags=a").join("&")}`);
  assert.equal(repeatedly.status, 422);
});

const CHUNK = new Uint8Array(65_536).fill(0x20);
/** More than the buffers between a sender and the service hold, in bytes. */
const SENT_MAX = 64_000_000;

step("T53 a body without a length is read up to the limit of its operation and no further", async (target) => {
  for (const endpoint of WRITES) {
    const path = await target.path(endpoint);
    const url = `http://svc.test${path}`;
    let read = 0;
    let cancelled = false;
    const readMax = endpoint.bodyBytesMax + 4 * CHUNK.length;
    // A service that reads further than allowed reaches the end of the stream, and does not answer 413.
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read += CHUNK.length;
        controller.enqueue(CHUNK);
        if (read > readMax) controller.close();
      },
      cancel() {
        cancelled = true;
      },
    }, { highWaterMark: 0 });
    const [mediaType = "application/json"] = Object.keys(contentOf(endpoint));
    const method = endpoint.route.method.toUpperCase();
    const headers = {
      authorization: `Bearer ${await target.key(endpoint)}`,
      "content-type": mediaType,
      // The proof of the sender names a hash of the body, which is checked only after the body was read.
      ...(await target.fixture(endpoint)).prove?.(method, path, ""),
    };
    const request = new Request(url, { method, headers, body });
    const response = await target.service.service.fetch(request);
    await response.body?.cancel();
    assert.equal(response.status, 413, pathOf(endpoint));
    assert.ok(cancelled, `${pathOf(endpoint)}: the rest is not wanted`);
    assert.ok(read <= readMax, `${pathOf(endpoint)}: ${read}`);
  }
});

step("T54 a body of 100,000 levels is refused by every operation as unreadable", async (target) => {
  for (const [open, close] of [["[", "]"], ['{"a":', "}"]]) {
    const deep = `${open!.repeat(100_000)}1${close!.repeat(100_000)}`;
    for (const endpoint of WRITES) {
      if (contentOf(endpoint)["application/x-ndjson"]) continue;
      const reply = await target.send(endpoint, deep);
      const expected = deep.length > endpoint.bodyBytesMax ? [413, "payload_too_large"] : [400, "invalid_request"];
      assert.deepEqual([reply.status, reply.body.code], expected, pathOf(endpoint));
    }
  }
});

step("T55 a packed body is refused by every operation, and not unpacked", async (target) => {
  const zeros = new Blob([new Uint8Array(50_000_000)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bomb = new Uint8Array(await new Response(zeros).arrayBuffer());
  assert.ok(bomb.length < 100_000);
  const codings = ["gzip", "br", "deflate", "GZIP", "identity, gzip", "x-unknown"];
  for (const [i, endpoint] of WRITES.entries()) {
    const reply = await target.send(endpoint, bomb, { "content-encoding": codings[i % codings.length]! });
    assert.deepEqual([reply.status, reply.body.code], [415, "unsupported_media_type"], pathOf(endpoint));
  }
});

step("T60 an operation that has a body does nothing without one", async (target) => {
  for (const endpoint of WRITES.filter((one) => one.route.request?.body !== undefined)) {
    for (const headers of [new Headers(), new Headers({ "content-type": "application/json" })]) {
      const reply = await target.send(endpoint, undefined, headers);
      assert.ok([400, 415].includes(reply.status), `${pathOf(endpoint)}: ${reply.status}`);
    }
  }
});

Deno.test({
  ...POSTGRES,
  name: "T49 T50 T51 T52 T53 T54 T55 T60 no body and no parameter is more than its operation takes",
  async fn(t) {
    await using service = await startService();
    const target = new Target(service);
    for (const [name, run] of steps) await t.step(name, () => run(target));
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T53 a body without an end is answered with 413 and its connection closed; no more of it is taken in than allowed",
  async fn() {
    const log: string[] = [];
    await using service = await startService({
      env: { SVC_LOG_LEVEL: "info" },
      logSink: (line) => log.push(line),
    });
    const port = Number(new URL(service.listen().url).port);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const head = `POST /v1/session HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${service.key}\r\n` +
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    await connection.write(new TextEncoder().encode(head));
    const chunk = new TextEncoder().encode(`${CHUNK.length.toString(16)}\r\n${new TextDecoder().decode(CHUNK)}\r\n`);
    let sent = 0;
    // It continues until the service takes no more, or until it is clear that the service takes everything.
    const sending = (async () => {
      while (sent < SENT_MAX) sent += await connection.write(chunk);
      connection.close();
    })().catch(() => {});
    let reply = "";
    try {
      for await (const piece of connection.readable.pipeThrough(new TextDecoderStream())) reply += piece;
    } catch {
      // The connection was reset, and bytes on their way were lost.
    }
    await sending;
    // A reset may overtake the reply.
    assert.match(reply, /^(HTTP\/1\.1 413 |$)/);
    const told = await waitFor("the request's log line", () => log.find((line) => line.includes('"http.request"')));
    assert.equal(JSON.parse(told).status, 413);
    assert.ok(sent < SENT_MAX, `${sent} bytes were taken in`);
    assert.equal((await service.get("/v1/session")).body.data.length, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T56 a body that does not come to its end is given up, and nothing of it is done",
  async fn() {
    const lines: string[] = [];
    await using service = await startService({
      env: { SVC_BODY_DEADLINE_MS: "300" },
      logSink: (line) => lines.push(line),
    });
    const port = Number(new URL(service.listen().url).port);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const head = `POST /v1/session HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${service.key}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\nConnection: close\r\n\r\n";
    await connection.write(new TextEncoder().encode(`${head}{"title":`));
    let text = "";
    // The reply is there although the request never ends; the connection is the caller's, or its proxy's, to close.
    const reader = connection.readable.pipeThrough(new TextDecoderStream()).getReader();
    // Close it whatever fails, because otherwise the service waits for the rest of the body.
    await using _ = { [Symbol.asyncDispose]: () => reader.cancel().catch(() => {}) };
    while (!text.includes("}")) text += (await within("the reply", reader.read())).value ?? "}";
    assert.match(text, /^HTTP\/1\.1 504 /);
    assert.match(text, /"code":"deadline_exceeded"/);
    assert.equal((await service.get("/v1/session")).body.data.length, 0);
    assert.deepEqual(lines, [], "a slow sender is no error of the service");
  },
});
