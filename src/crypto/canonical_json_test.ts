import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { JSON_DEPTH_MAX } from "../schema/json_text.ts";
import { canonicalJson } from "./canonical_json.ts";

const DATA = Deno.env.get("SVC_TEST_DATA");
const VECTORS = DATA === undefined ? undefined : `${DATA}/security/jcs`;
if (VECTORS === undefined) {
  console.warn("NOT RUN: the published RFC 8785 vectors; set SVC_TEST_DATA to their directory");
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "validation_failed" &&
    error.message.startsWith("Cannot write canonical JSON: ");
}

Deno.test({
  name: "the published RFC 8785 vectors come out byte for byte",
  ignore: VECTORS === undefined,
  fn: async () => {
    let count = 0;
    for await (const { name } of Deno.readDir(`${VECTORS}/input`)) {
      const input = JSON.parse(await Deno.readTextFile(`${VECTORS}/input/${name}`));
      const hex = await Deno.readTextFile(`${VECTORS}/outhex/${name.replace(/json$/, "txt")}`);
      assert.equal(new TextEncoder().encode(canonicalJson(input)).toHex(), hex.replaceAll(/\s/g, ""), name);
      count++;
    }
    assert.equal(count, 6);
  },
});

Deno.test("numbers are written as RFC 8785 appendix B shows", () => {
  const bits = new DataView(new ArrayBuffer(8));
  const vectors: readonly (readonly [string, string])[] = [
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ];
  for (const [hex, expected] of vectors) {
    bits.setBigUint64(0, BigInt(`0x${hex}`));
    assert.equal(canonicalJson(bits.getFloat64(0)), expected, hex);
  }
});

Deno.test("what has no canonical form is refused wherever it stands", () => {
  for (const bad of ["\ud800", "\udc00", "a\udc00\ud800", NaN, Infinity, -Infinity, 1n]) {
    for (const value of [bad, [bad], { a: { b: bad } }]) assert.throws(() => canonicalJson(value), isRefusal);
  }
  assert.throws(() => canonicalJson({ "\ud800": 1 }), isRefusal);
  for (const bad of [undefined, () => 1, Symbol("a")]) assert.throws(() => canonicalJson(bad), isRefusal);
  const circle: unknown[] = [];
  circle.push(circle);
  assert.throws(() => canonicalJson(circle), isRefusal);
});

Deno.test("64 levels are written, 65 are refused", () => {
  assert.equal(canonicalJson(nested(JSON_DEPTH_MAX)).length, JSON.stringify(nested(JSON_DEPTH_MAX)).length);
  assert.throws(() => canonicalJson(nested(JSON_DEPTH_MAX + 1)), isRefusal);
  assert.throws(() => canonicalJson(nested(5_000)), isRefusal);
});

Deno.test("a __proto__ member is content like any other", () => {
  assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":2}}')), '{"__proto__":{"x":2},"b":1}');
});
