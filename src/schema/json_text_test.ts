import assert from "node:assert/strict";
import { type ErrorCode, ServiceError } from "../errors.ts";
import { JSON_LIMITS, parseJson, parseJsonText } from "./json_text.ts";

const DATA = Deno.env.get("SVC_TEST_DATA");
const SUITE = DATA === undefined ? undefined : `${DATA}/security/jsontestsuite/test_parsing`;
if (SUITE === undefined) console.warn("NOT RUN: the published JSON parsing suite; set SVC_TEST_DATA to its directory");

function parse(text: string): unknown {
  return parseJson(new TextEncoder().encode(text));
}

function refusal(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  assert.fail("was accepted");
}

function refuses(text: string | Uint8Array, code: ErrorCode, message: RegExp): ServiceError {
  const error = refusal(() => parseJson(typeof text === "string" ? new TextEncoder().encode(text) : text));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return error;
}

Deno.test({
  name: "the published suite: what must be accepted is, what must be refused is",
  ignore: SUITE === undefined,
  fn: async () => {
    const counts = { y: 0, n: 0, i: 0 };
    // Valid by the grammar of RFC 8259, and refused here on purpose: keys given twice, NUL.
    const ownRefusals = new Map<string, ErrorCode>([
      ["y_object_duplicated_key.json", "invalid_request"],
      ["y_object_duplicated_key_and_value.json", "invalid_request"],
      ["y_object_escaped_null_in_key.json", "validation_failed"],
      ["y_string_null_escape.json", "validation_failed"],
    ]);
    for await (const { name } of Deno.readDir(SUITE!)) {
      const bytes = await Deno.readFile(`${SUITE}/${name}`);
      const kind = name[0] as keyof typeof counts;
      counts[kind]++;
      const own = ownRefusals.get(name);
      if (own !== undefined) assert.equal(refusal(() => parseJson(bytes)).code, own, name);
      else if (kind === "y") assert.deepEqual(parseJson(bytes), JSON.parse(new TextDecoder().decode(bytes)), name);
      else if (kind === "n") assert.equal(refusal(() => parseJson(bytes)).code, "invalid_request", name);
      else checkEither(bytes, name);
    }
    assert.deepEqual(counts, { y: 95, n: 188, i: 35 });
  },
});

/** Where the RFC leaves a choice, the reader either refuses or gives back a value that can be written and read again. */
function checkEither(bytes: Uint8Array, name: string): void {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    assert.ok(error instanceof ServiceError, `${name}: ${error}`);
    return;
  }
  assert.deepEqual(parse(JSON.stringify(value)), value, name);
}

Deno.test("what is not JSON is refused with the place and without quoting it", () => {
  const error = refuses('{"password":hunter2}', "invalid_request", /^Cannot read JSON: its syntax is wrong/);
  assert.doesNotMatch(error.message, /hunter2|password/);
  refuses("", "invalid_request", /it is empty/);
  refuses(" \n", "invalid_request", /it is empty/);
  refuses('{"a":1', "invalid_request", /syntax/);
  refuses('{"a":"b', "invalid_request", /syntax/);
  refuses('"a\\', "invalid_request", /syntax/);
  refuses("\ufeff\ufeff{}", "invalid_request", /syntax/);
  refuses("\ufeff", "invalid_request", /it is empty/);
});

Deno.test("what is not UTF-8 is refused", () => {
  const latin1 = new Uint8Array([0x22, 0xe9, 0x22]);
  const utf16 = new Uint8Array([0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00]);
  const encodedSurrogate = new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]);
  const overlong = new Uint8Array([0x22, 0xc0, 0xaf, 0x22]);
  for (const bytes of [latin1, utf16, encodedSurrogate, overlong]) refuses(bytes, "invalid_request", /not valid UTF-8/);
});

Deno.test("64 levels are read, 65 are refused, brackets in strings do not count", () => {
  for (const [open, close] of [["[", "]"], ['{"a":', "}"]]) {
    parse(open.repeat(64) + "1" + close.repeat(64));
    refuses(open.repeat(65) + "1" + close.repeat(65), "invalid_request", /deeper than 64 levels/);
  }
  assert.deepEqual(parse(`["${"[{".repeat(500)}"]`), ["[{".repeat(500)]);
  assert.deepEqual(parse(`["\\"${"[".repeat(500)}\\\\", 1]`), [`"${"[".repeat(500)}\\`, 1]);
  const siblings = `[${"[],".repeat(10_000)}[]]`;
  assert.equal((parse(siblings) as unknown[]).length, 10_001);
});

Deno.test("a hundred thousand levels are refused, and no stack overflows", () => {
  const bytes = new TextEncoder().encode("[".repeat(100_000));
  refuses(bytes, "invalid_request", /deeper than 64 levels/);
});

Deno.test("a key given twice is refused at every level, however it is written", () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"a":1,"a":1}', "a"],
    ['{"statement":"a","b":{},"statement":"b"}', "statement"],
    ['{"a":[{"x":1},{"b":{"c":1,"d":[],"c":{}}}]}', "a.1.b.c"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['[[1,2],{"1":1,"2":{"1":1},"1":1}]', "1.1"],
    ['{"":1,"":2}', ""],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
  ];
  for (const [text, path] of cases) {
    const { message } = refuses(text, "invalid_request", /is given twice$/);
    assert.equal(message, `Cannot read JSON: key ${JSON.stringify(path)} is given twice`);
  }
});

Deno.test("the same key in two objects, and colons in strings, are no repetition", () => {
  for (
    const text of ['[{"a":1},{"a":1}]', '{"a":{"a":{"a":1}}}', '{"a:b":"c:d","e":":\\":"}', '{"1":1,"01":2,"b":3}']
  ) {
    assert.deepEqual(parse(text), JSON.parse(text));
  }
});

Deno.test("NUL, lone surrogates and numbers out of range are listed by path, in keys too", () => {
  const text = '{"ok":"\\u0041\\ud83d\\ude00","a":["x","n\\u0000"],"b":{"c":"\\ud800"},"d":"\\udc00\\ud800",' +
    '"k\\u0000":1,"\\uDFFF":{"e":1e400},"f":-1e400,"g":"\\\\u0000"}';
  const { errors, message } = refuses(text, "validation_failed", /^Cannot accept/);
  assert.deepEqual(errors, [
    { path: "a.1", message: "holds a NUL character" },
    { path: "b.c", message: "holds a lone surrogate" },
    { path: "d", message: "holds a lone surrogate" },
    { path: "k\ufffd", message: "its key holds a NUL character" },
    { path: "\ufffd", message: "its key holds a lone surrogate" },
    { path: "\ufffd.e", message: "is a number out of range" },
    { path: "f", message: "is a number out of range" },
  ]);
  assert.ok(message.isWellFormed());
  // Each by itself: what is looked for goes by what the text has.
  for (
    const [alone, fault] of [
      ['"\\u0000"', "holds a NUL character"],
      ['"\\uDbff"', "holds a lone surrogate"],
      ['"\\udc00"', "holds a lone surrogate"],
      ["1e999", "is a number out of range"],
    ]
  ) {
    assert.deepEqual(refuses(alone!, "validation_failed", /./).errors, [{ path: "", message: fault }]);
    assert.deepEqual(refuses(`{"a":[{"b":${alone}}]}`, "validation_failed", /./).errors, [
      { path: "a.0.b", message: fault },
    ]);
  }
});

Deno.test("the list of faults and its paths are bounded", () => {
  const many = refuses(`[${'"\\u0000",'.repeat(10_000)}1]`, "validation_failed", /./);
  assert.deepEqual([many.errors?.length, many.errors?.at(-1)?.message], [51, "and 9,950 more"]);
  const last = refuses(`[${"1,".repeat(90_000)}${'{"\\ud800":"\\u0000"},'.repeat(60)}1e999]`, "validation_failed", /./);
  assert.deepEqual(last.errors?.slice(0, 2), [
    { path: "90000.\ufffd", message: "its key holds a lone surrogate" },
    { path: "90001.\ufffd", message: "its key holds a lone surrogate" },
  ]);
  assert.deepEqual([last.errors?.length, last.errors?.at(-1)], [51, { path: "", message: "and 22 more" }]);
  const long = refuses(`{"${"k".repeat(100_000)}":"\\u0000"}`, "validation_failed", /./);
  assert.equal(long.errors?.[0].path.length, 64);
});

Deno.test("a __proto__ member stays a member and changes no prototype", () => {
  const value = parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}') as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal("isAdmin" in {}, false);
  assert.equal("x" in {}, false);
});

Deno.test("text of every kind comes through unchanged", () => {
  const text =
    '{"e":"\\u00e9","d":"e\\u0301","bidi":"\\u202eabc","tag":"\\udb40\\udc41","crlf":"a\\r\\nb","z":-0,"n":1.5e3}';
  assert.deepEqual(parse(text), JSON.parse(text));
});

Deno.test("T52 what holds more members or items than any operation takes is refused before anything is built of it", () => {
  const wide = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}":1`).join()}}`;
  const items = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;
  assert.equal(Object.keys(parse(wide(10_000)) as object).length, 10_000);
  refuses(wide(10_001), "validation_failed", /an object with more than 10000 members/);
  // What follows is not even JSON: nobody has read so far.
  refuses(`{"a":[${wide(10_001)},,`, "validation_failed", /an object with more than 10000 members/);
  assert.equal((parse(items(12_500, '{"a":1,"b":2}')) as unknown[]).length, 12_500);
  refuses(items(12_501, '{"a":1,"b":2}'), "validation_failed", /more than 25000 members/);
  refuses(items(100_001, "1"), "validation_failed", /more than 100000 values/);
  refuses(items(50_001, "{}"), "validation_failed", /more than 100000 values/);
});

Deno.test("one byte order mark before the text is passed over", () => {
  assert.deepEqual(parse('\ufeff{"a":"\ufeffb"}'), { a: "\ufeffb" });
});

Deno.test("a whole number comes back in the same digits, or is refused by its path", () => {
  const kept = ["9007199254740992", "-9007199254740994", "1546130668394913800", "1e300", "12345678901234567.5", "-0"];
  assert.deepEqual(parse(`[${kept.join()}]`), kept.map(Number));
  const lost = ["1546130668394913822", "12345678901234567890", "9007199254740993", "-9223372036854775807"];
  for (const number of lost) {
    const { errors } = refuses(`{"a":[0,{"b":${number}}],"t":"${number}"}`, "validation_failed", /./);
    assert.deepEqual(errors?.map(({ path }) => path), ["a.1.b"], number);
    assert.match(errors[0]!.message, /send it as a text/);
  }
  const both = refuses('{"n":9007199254740993,"s":"\\u0000","f":1e999}', "validation_failed", /./);
  assert.deepEqual(both.errors?.map(({ path }) => path), ["n", "s", "f"]);
  const limits = { ...JSON_LIMITS, digitsAsText: true };
  assert.deepEqual(parseJsonText('{"a":12345678901234567890,"b":12}', limits), { a: "12345678901234567890", b: 12 });
  const many = refuses(`[${"9007199254740993,".repeat(1_000)}1]`, "validation_failed", /./);
  assert.equal(many.errors?.at(-1)?.message, "and 950 more");
});
