import assert from "node:assert/strict";
import { createLog, LINE_CHARS_MAX, logRequest, noopLog } from "./log.ts";
import { createRedact, isSecretName, redactShapes } from "./redact.ts";
import { cpuMs } from "../../tests/_cpu.ts";

function capture(options: Parameters<typeof createLog>[0] = {}) {
  const lines: string[] = [];
  const log = createLog({
    now: () => new Date("2026-01-02T03:04:05.678Z"),
    ...options,
    sink: (line) => lines.push(line),
  });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) };
}

Deno.test("a line is one JSON object with time, level and event first, and a child adds its fields", () => {
  const { log, lines, last } = capture();
  log.child({ requestId: "r-1" }).info("server.started", { port: 8787, at: new Date(0), big: 3n, none: undefined });
  assert.ok(lines[0].startsWith('{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"server.started"'));
  assert.deepEqual(last(), {
    time: "2026-01-02T03:04:05.678Z",
    level: "info",
    event: "server.started",
    requestId: "r-1",
    port: 8787,
    at: "1970-01-01T00:00:00.000Z",
    big: "3",
  });
});

Deno.test("lines below the level are not written", () => {
  const { log, lines } = capture({ level: "warn" });
  log.debug("a");
  log.info("b");
  log.warn("c");
  log.error("d");
  assert.deepEqual(lines.map((line) => JSON.parse(line).event), ["c", "d"]);
  assert.equal(log.enabled("info"), false);
  assert.equal(log.child({}).enabled("error"), true);
  noopLog.child({ a: 1 }).error("nothing");
});

Deno.test("a field cannot replace time, level or event", () => {
  const { log, last } = capture();
  log.child({ level: "error" }).info("real", { event: "forged", time: "never", level: "debug" });
  assert.deepEqual(last(), { time: "2026-01-02T03:04:05.678Z", level: "info", event: "real" });
});

const KEY = "svc_live_0v3RyS3cr3tKeyId_Zm9vYmFyYmF6cXV4AAAA";
const SECRET_TEXTS: readonly (readonly [string, string])[] = [
  [KEY, "0v3RyS3cr3t"],
  [`prefix "${KEY}" suffix`, "Zm9vYmFy"],
  ["mk_admin_Abcdef0123456789", "Abcdef0123456789"],
  ["SVC_LIVE_abcdef0123", "abcdef0123"],
  [`authorization: Bearer ${"q".repeat(20)}`, "qqqqqqqq"],
  ["Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNz"],
  ["-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI\n-----END PRIVATE KEY-----", "MC4CAQAwBQ"],
  ["-----BEGIN RSA PRIVATE KEY-----\\nMC4CAQAwBQYDK2VwBCIEI", "MC4CAQAwBQ"],
  ["cannot reach postgres://svc:hunter2hunter2@db:5432/svc", "hunter2hunter2"],
  ["postgresql://svc:p@ss/w0rd@db/svc", "w0rd"],
  ["postgres://svc:hunter2hunter2", "hunter2"],
  ["https://user:hunter2@collector.example/v1", "hunter2"],
  ["GET /x?token=hunter2hunter2&a=1", "hunter2"],
  ["https://h/x?a=1&api_key=hunter2", "hunter2"],
  ['{"password":"hunter2"}', "hunter2"],
  ["host=db password=hunter2 user=a", "hunter2"],
  ["PGPASSWORD=hunter2", "hunter2"],
  ["eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJhIn0.c2lnbmF0dXJl", "eyJpc3MiOiJhIn0"],
  ["Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuv", "abcdefghijkl"],
];

Deno.test("secrets are removed by their shape wherever they stand", () => {
  for (const [text, secret] of SECRET_TEXTS) {
    const { log, lines } = capture();
    const error = new TypeError(text, { cause: new Error(text) });
    log.info(text, { plain: text, list: [text], nested: { deep: { text } }, error, url: text, [text]: 1 });
    assert.ok(lines[0].includes("[redacted"), text);
    assert.ok(!lines[0].includes(secret), `${text} → ${lines[0]}`);
  }
});

Deno.test("ordinary texts are left as they are", () => {
  const ordinary = [
    "Cannot parse body: limit is 101, expected 1 to 100",
    "https://example.org/path?limit=10&cursor=abc",
    "tokens=12 were counted",
    "alice@example.org wrote",
    "at file:///root/.cache/npm/@opentelemetry/api/x.mjs:1:2 and npm://@scope/x",
    "postgres is not reachable at 127.0.0.1:5432",
    "the key question; the secret garden",
  ];
  for (const text of ordinary) assert.equal(redactShapes(text), text);
});

Deno.test("a secret at the cut of a long text stays hidden", () => {
  for (let shift = 0; shift < KEY.length; shift++) {
    for (const edge of [2_048, 8_192]) {
      const text = "x".repeat(edge - shift - 1) + " " + KEY;
      const { log, lines } = capture();
      log.info("long", { text });
      // The rest of the prefix before the cut is no secret.
      assert.ok(!lines[0].includes("0v3"), `${edge} ${shift}`);
    }
  }
});

Deno.test("configured secrets are removed literally, also inside a URL", () => {
  const redact = createRedact(["correct horse/battery", "short", undefined]);
  assert.equal(redact("a correct horse/battery b"), "a [redacted] b");
  assert.equal(redact("a?x=correct%20horse%2Fbattery"), "a?x=[redacted]");
  assert.equal(redact("short"), "short");
});

Deno.test("fields with a secret's name are hidden and counters are not", () => {
  const { log, last } = capture();
  log.info("x", {
    authorization: "abc",
    "set-cookie": "abc",
    adminToken: "abc",
    api_key: "abc",
    nested: { totp: "123456", privateKey: new Uint8Array(32), password: { a: 1 } },
    tokens: 12,
    maxTokens: 12,
    token: 7,
    keyId: "k1",
  });
  const { authorization, "set-cookie": cookie, adminToken, api_key, nested, tokens, maxTokens, token, keyId } = last();
  assert.deepEqual(new Set([authorization, cookie, adminToken, api_key]), new Set(["[redacted]"]));
  assert.deepEqual(nested, { totp: "[redacted]", privateKey: "[redacted]", password: "[redacted]" });
  assert.deepEqual({ tokens, maxTokens, token, keyId }, { tokens: 12, maxTokens: 12, token: 7, keyId: "k1" });
  assert.equal(isSecretName("x-svc-client-cert"), true);
  assert.equal(isSecretName("requestId"), false);
});

Deno.test("control, direction and tag characters are escaped, so a value cannot start a line or change its look", () => {
  const evil = '\n{"event":"forged"}\r\u0000\u001b[31m\u007f\u0085\u2028\u202e\u200b\ufeff\u{e0041}\ud800';
  const { log, lines, last } = capture();
  log.info("x", { evil });
  // deno-lint-ignore no-control-regex
  assert.ok(!/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff\u{e0000}-\u{e007f}]/u.test(lines[0]));
  assert.equal(last().evil, evil);
  assert.equal(last().event, "x");
});

Deno.test("a line is bounded whatever is logged", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const values: unknown[] = [
    "x".repeat(1_000_000),
    Array.from({ length: 10_000 }, () => "y".repeat(1_000)),
    Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, "z".repeat(3_000)])),
    circular,
    new Uint8Array(1_000_000),
    new Map([[1, 2]]),
    () => 1,
    Symbol("s"),
    Number.NaN,
    new Date(Number.NaN),
    {
      get broken() {
        throw new Error("getter");
      },
    },
  ];
  for (const value of values) {
    const { log, lines, last } = capture();
    log.info("bounded", { requestId: "r-1", value });
    assert.equal(lines.length, 1);
    assert.ok(lines[0].length <= LINE_CHARS_MAX + 512, String(lines[0].length));
    assert.equal(typeof last(), "object");
  }
});

Deno.test("an error is logged with code, causes and frames, and class instances only by name", () => {
  class Pool {
    password = "hunter2";
  }
  const { log, last } = capture();
  const error = Object.assign(new Error("outer", { cause: new RangeError("inner") }), {
    code: "57P01",
    query: "select 1",
  });
  log.error("failed", { error, pool: new Pool() });
  assert.equal(last().error.code, "57P01");
  assert.equal(last().error.cause.name, "RangeError");
  assert.match(last().error.stack, /log_test\.ts/);
  assert.equal(last().error.query, undefined);
  assert.equal(last().pool, "[Pool]");
});

Deno.test("an error of the database does not quote the value that it could not read", () => {
  const { log, last } = capture();
  const logged = (code: string, message: string) => {
    log.error("failed", { error: Object.assign(new Error(message), { code }) });
    const { error } = last();
    assert.ok(!JSON.stringify(error).includes("canary"), JSON.stringify(error));
    return error.message;
  };
  const unread = logged("22P02", 'invalid input syntax for type integer: "canary\n    at canary"');
  assert.equal(unread, "invalid input syntax for type integer […]");
  assert.equal(logged("22001", 'value "canary" is too long'), "value […]");
  assert.equal(logged("42P01", 'relation "unit" does not exist'), 'relation "unit" does not exist');
  const error = new Error("first\n    at second");
  log.error("failed", { error });
  assert.ok(!last().error.stack.includes("second"));
});

Deno.test("a request is one line with its route template, at error from status 500", () => {
  const { log, lines, last } = capture();
  logRequest(log, { requestId: "r", method: "GET", route: undefined, status: 404, durationMs: 1.23456 });
  assert.deepEqual([last().event, last().level, last().route, last().durationMs], [
    "http.request",
    "info",
    "unmatched",
    1.235,
  ]);
  logRequest(log, {
    requestId: "r",
    method: "GET",
    route: "/v1/facts/{id}",
    status: 503,
    durationMs: 1,
    errorCode: "unavailable",
  });
  assert.deepEqual([last().level, last().errorCode, lines.length], ["error", "unavailable", 2]);
});

Deno.test("a hostile text costs little to redact", () => {
  const texts = ["a://".repeat(4_000), "-----BEGIN A-----".repeat(1_000), "passw_".repeat(3_000), "?key".repeat(4_000)]
    .concat(["a".repeat(8_192) + "://", "eyJ".repeat(4_000), "secret-".repeat(2_000), "bearer ".repeat(2_000)]);
  for (const text of texts) {
    const tookMs = cpuMs(() => redactShapes(text));
    assert.ok(tookMs < 250, `${text.slice(0, 10)} took ${tookMs} ms`);
  }
});
