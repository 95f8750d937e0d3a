/** Connect and gRPC-Web as their specifications have them: requests that no client sends, and all that clients send. */
import assert from "node:assert/strict";
import { GZIP } from "../../src/rpc/gzip.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { PREFIX } from "./_client.ts";
import { frame, joined, outcomeOf, stalled } from "./_wire.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

interface Case {
  readonly rpc?: string;
  readonly method?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** The body does not come to an end. */
  readonly isStalled?: boolean;
  /** Connect's code, `ok`, or HTTP's status where that says all. */
  readonly is: string | number;
  /** Of the reply. */
  readonly has?: Readonly<Record<string, string>>;
  readonly says?: RegExp;
}

const JSON_TYPE = "application/json";
const STREAM_TYPE = "application/connect+json";
const WEB_TYPE = "application/grpc-web+json";

/** Forms in which each message has a head, with an RPC that takes one message. */
const ENVELOPED = [
  { rpc: "WatchMemory", type: STREAM_TYPE, encoding: "connect-content-encoding" },
  { rpc: "WatchMemory", type: WEB_TYPE, encoding: "grpc-encoding" },
  { rpc: "GetHealth", type: WEB_TYPE, encoding: "grpc-encoding" },
] as const;

const EMPTY = frame("{}");
const LARGE = frame(new Uint8Array(1_048_577));

const MESSAGES: readonly Case[] = ENVELOPED.flatMap(({ encoding, ...form }) => [
  { ...form, body: "", is: "unimplemented", says: /there is none/ },
  { ...form, body: joined(EMPTY, EMPTY), is: "unimplemented", says: /no more/ },
  { ...form, body: joined(EMPTY, LARGE), is: "unimplemented", says: /no more/ },
  { ...form, body: LARGE, is: "resource_exhausted" },
  { ...form, body: frame("{}", 1), is: "internal", says: /compressed/ },
  { ...form, body: frame("{}", 1), headers: { [encoding]: "identity" }, is: "internal", says: /compressed/ },
  ...[2, 4, 0x40, 0x80, 0x82].map((flags) => (
    { ...form, body: frame("{}", flags), is: "invalid_argument", says: /flags/ }
  )),
  { ...form, body: joined(EMPTY, Uint8Array.of(0, 0)), is: "invalid_argument", says: /ended too early/ },
]);

const STREAMS: readonly Case[] = [
  { rpc: "ImportMemory", type: STREAM_TYPE, body: frame("{}", 1), is: "internal" },
  { rpc: "ImportMemory", type: WEB_TYPE, body: frame("{}", 0x80), is: "invalid_argument", says: /flags/ },
  { rpc: "Session", type: STREAM_TYPE, body: joined(frame('{"start":{}}'), frame("{}", 2)), is: "invalid_argument" },
];

const COMPRESSIONS: readonly Case[] = [
  {
    headers: { "content-encoding": "br" },
    is: "unimplemented",
    has: { "accept-encoding": "gzip" },
    says: /supported is gzip/,
  },
  { query: "encoding=json&message={}&compression=br", is: "unimplemented", has: { "accept-encoding": "gzip" } },
  ...["WatchMemory", "IngestBatch"].map((rpc) => ({
    rpc,
    type: STREAM_TYPE,
    body: EMPTY,
    headers: { "connect-content-encoding": "br" },
    is: "unimplemented",
    has: { "connect-accept-encoding": "gzip" },
  })),
  ...["GetHealth", "WatchMemory", "IngestBatch"].map((rpc) => ({
    rpc,
    type: WEB_TYPE,
    body: EMPTY,
    headers: { "grpc-encoding": "br" },
    is: "unimplemented",
    has: { "grpc-accept-encoding": "gzip" },
  })),
];

const TIMEOUTS: readonly Case[] = [
  // Beyond the limits of each RPC, of this service and of a timer.
  ...["60001", "9999999999"].map((ms) => ({ headers: { "connect-timeout-ms": ms }, is: "ok" })),
  ...["86400001", "9999999999"].map((ms) => (
    { rpc: "IngestBatch", type: STREAM_TYPE, body: EMPTY, headers: { "connect-timeout-ms": ms }, is: "ok" }
  )),
  { type: WEB_TYPE, body: EMPTY, headers: { "grpc-timeout": "99999999H" }, is: "ok" },
  { type: WEB_TYPE, body: EMPTY, headers: { "grpc-timeout": "1h" }, is: "invalid_argument" },
  ...["", "soon", "-1", "1.5", "99999999999"].map((ms) => (
    { headers: { "connect-timeout-ms": ms }, is: "invalid_argument" }
  )),
  { headers: { "connect-timeout-ms": "0" }, is: "deadline_exceeded" },
  { query: "encoding=json&message={}", headers: { "connect-timeout-ms": "0" }, is: "deadline_exceeded" },
  {
    rpc: "WatchMemory",
    type: STREAM_TYPE,
    body: EMPTY,
    headers: { "connect-timeout-ms": "0" },
    is: "deadline_exceeded",
  },
  { type: WEB_TYPE, body: EMPTY, headers: { "grpc-timeout": "0n" }, is: "deadline_exceeded" },
];

/** Read for as long as the caller waits for a reply. */
const LATE = { isStalled: true, is: "deadline_exceeded", says: /its timeout has passed/ };
const STALLED: readonly Case[] = [
  { ...LATE, headers: { "connect-timeout-ms": "100" } },
  { ...LATE, type: WEB_TYPE, headers: { "grpc-timeout": "100m" }, body: EMPTY },
  { ...LATE, rpc: "WatchMemory", type: STREAM_TYPE, headers: { "connect-timeout-ms": "100" }, body: EMPTY.slice(0, 6) },
  { ...LATE, rpc: "WatchMemory", type: WEB_TYPE, headers: { "grpc-timeout": "100m" }, body: EMPTY.slice(0, 2) },
];

const VERSIONS: readonly Case[] = [
  { headers: { "connect-protocol-version": "1" }, is: "ok" },
  { headers: { "connect-protocol-version": "2" }, is: "invalid_argument", says: /version/ },
  {
    rpc: "WatchMemory",
    type: STREAM_TYPE,
    body: EMPTY,
    headers: { "connect-protocol-version": "v1" },
    is: "invalid_argument",
  },
  { query: "encoding=json&message={}&connect=v1", is: "ok" },
  { query: "encoding=json&message={}&connect=1", is: "invalid_argument", says: /version/ },
  // Not of its protocol.
  { type: WEB_TYPE, body: EMPTY, headers: { "connect-protocol-version": "2" }, is: "ok" },
];

const WEB_TYPES = "application/grpc-web, application/grpc-web+json, application/grpc-web+proto";
const UNARY_TYPES = { "accept-post": `application/json, application/proto, ${WEB_TYPES}` };
const STREAM_TYPES = { "accept-post": `application/connect+json, application/connect+proto, ${WEB_TYPES}` };

const HEADS: readonly Case[] = [
  { rpc: "NoSuchMethod", is: 404 },
  ...["DELETE", "PUT", "HEAD"].map((method) => ({ method, is: 405, has: { allow: "GET, POST" } })),
  { rpc: "Remember", method: "DELETE", is: 405, has: { allow: "POST" } },
  { rpc: "Remember", query: "encoding=json&message={}", is: 405, has: { allow: "POST" } },
  { rpc: "StreamHealth", query: "encoding=json&message={}", is: 405, has: { allow: "POST" } },
  ...["image/jpeg", "application/jsonx", "application/grpc", "application/grpc-web-text", STREAM_TYPE, "json", "*"].map(
    (
      type,
    ) => ({ type, is: 415, has: UNARY_TYPES }),
  ),
  { query: "encoding=grpc-web%2Bjson&message={}", is: 415, has: UNARY_TYPES },
  { query: "message={}", is: 415, has: UNARY_TYPES },
  { rpc: "WatchMemory", type: JSON_TYPE, is: 415, has: STREAM_TYPES },
  ...[
    'application/json; charset="utf-8"',
    "application/json ;charset=UTF-8",
    "Application/JSON\t;\tCharset=utf8;",
    'application/json; charset="\\utf-8"; profile="a; charset=latin1"',
    "application/json; schema=svc.v1",
  ].map((type) => ({ type, is: "ok" })),
  ...[
    "application/json; charset=latin1",
    'application/json; charset="utf-8',
    "application/json; charset",
    "application/json utf-8",
  ]
    .map((type) => ({ type, is: 415, has: UNARY_TYPES })),
  { type: 'application/proto; charset="utf-8"', body: "", is: "ok" },
  { type: 'application/grpc-web+json ; charset="utf-8"', body: EMPTY, is: "ok" },
  { type: "application/grpc-web", body: frame(""), is: "ok" },
  { rpc: "IngestBatch", type: 'application/connect+json ; charset="utf-8"', body: EMPTY, is: "ok" },
];

async function compressedCases(): Promise<Case[]> {
  const gzip = (text: string) => GZIP.compress(new TextEncoder().encode(text));
  const zipped = async (text: string) => encodeURIComponent((await gzip(text)).toBase64({ alphabet: "base64url" }));
  const body = frame(await gzip("{}"), 1);
  const query = "encoding=json&base64=1&compression=gzip";
  return [
    { query: `${query}&message=${await zipped("{}")}`, is: "ok" },
    { query: "encoding=proto&base64=1&compression=gzip&message=", is: "ok" },
    // Who does not say what it reads gets what it sends.
    { type: WEB_TYPE, body, headers: { "grpc-encoding": "gzip" }, is: "ok", has: { "grpc-encoding": "gzip" } },
    { type: WEB_TYPE, body, headers: { "grpc-encoding": "gzip", "grpc-accept-encoding": "br" }, is: "ok" },
    { query: `${query}&message=${await zipped(" ".repeat(1_048_577))}`, is: "resource_exhausted" },
    { query: `${query}&message=${btoa("{}")}`, is: "invalid_argument", says: /gzip/ },
    { query: "encoding=json&compression=identity&message={}", is: "ok" },
    { query: "encoding=json", is: "invalid_argument", says: /missing/ },
    { query: "encoding=json&message={x", is: "invalid_argument" },
    { query: "encoding=proto&base64=1&message=%00", is: "invalid_argument", says: /base64/ },
    { query: "encoding=proto&base64=1&message=CgVhYmNkZQ", is: "invalid_argument", says: /unknown field/ },
  ];
}

async function send(service: TestService, one: Case) {
  const { rpc = "GetHealth", query, method = query === undefined ? "POST" : "GET", type = JSON_TYPE, body = "{}" } =
    one;
  const hasBody = method === "POST" || method === "PUT" || method === "DELETE";
  const request = new Request(`http://svc.test${PREFIX}/${rpc}${query === undefined ? "" : `?${query}`}`, {
    method,
    headers: {
      authorization: `Bearer ${service.key}`,
      ...query === undefined && { "content-type": type },
      // A reply is read as it is.
      "accept-encoding": "identity",
      ...one.headers,
    },
    ...hasBody && { body: one.isStalled ? stalled(body) : body },
  });
  return await bounded(JSON.stringify({ rpc, type, query }), service.service.fetch(request).then(outcomeOf));
}

/** A reply that never comes, or never ends, fails the test, which would wait for ever. */
async function bounded<T>(named: string, reply: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no whole reply: ${named}`)), 20_000);
  try {
    return await Promise.race([reply, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Holds the reply against the case, and answers the service's code where it was refused by one. */
async function check(service: TestService, one: Case): Promise<string[]> {
  const outcome = await send(service, one);
  const named = JSON.stringify(one, (key, value) => key === "body" && value.byteLength > 50 ? "…" : value);
  const { status, code, message, detail } = outcome;
  assert.equal(code ?? status, one.is, `${named}: ${status} ${code} ${message}`);
  for (const [name, value] of Object.entries(one.has ?? {})) assert.equal(outcome.headers.get(name), value, named);
  if (one.says !== undefined) assert.match(message, one.says, named);
  return detail === undefined ? [] : [detail];
}

Deno.test({
  ...POSTGRES,
  name:
    "what no client sends is answered as Connect and gRPC-Web specify it, told in the audit log, and no error's line",
  async fn(t) {
    const lines: string[] = [];
    await using service = await startService({
      // So that nothing but the caller's timeout ends a body that does not go on.
      env: { SVC_BODY_DEADLINE_MS: "600000" },
      logSink: (line) => lines.push(line),
    });
    // A timer that outlives its call is a leak that any key could make.
    const sanitized = { sanitizeOps: true, sanitizeResources: true };
    const step = (name: string, cases: readonly Case[]) =>
      t.step({
        name,
        ...sanitized,
        async fn() {
          const refused: string[] = [];
          const before = (await refusedOutcomes(service)).length;
          for (const one of cases) refused.push(...await check(service, one));
          assert.deepEqual((await refusedOutcomes(service)).slice(before), refused, "the audit log tells of each");
          assert.deepEqual(lines, [], "what a caller did wrong is no error of the service");
        },
      });
    await step("one message where there is one, whole and with no flags but that of compression", MESSAGES);
    await step("flags of the messages of a stream", STREAMS);
    await step("T55 an unknown compression is told what is accepted", COMPRESSIONS);
    await step(
      "T55 a message may be compressed, that of a GET too, and is as bounded as others",
      await compressedCases(),
    );
    await step("timeouts are shortened to what the service allows, or refused", TIMEOUTS);
    await step("T56 a body that does not go on is read until the caller's timeout", STALLED);
    await step("another version of the protocol is refused", VERSIONS);
    await step("methods and media types, with what is served instead", HEADS);
  },
});

async function refusedOutcomes(service: TestService): Promise<string[]> {
  await auditTrailOf(service.deps).flush();
  const rows: { event_type: string; outcome: string }[] = [];
  let cursor = "";
  do {
    const { body } = await service.get(`/v1/audit?limit=200&order=asc${cursor}`);
    rows.push(...body.data);
    cursor = body.nextCursor ? `&cursor=${encodeURIComponent(body.nextCursor)}` : "";
  } while (cursor !== "");
  return rows.filter(({ event_type }) => event_type.startsWith("refused.")).map(({ outcome }) => outcome);
}
