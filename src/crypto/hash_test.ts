import assert from "node:assert/strict";
import { contentHash, equalSecrets, sha256, sha256Hex } from "./hash.ts";

// FIPS 180-4 examples (one block, two blocks, one million "a").
const VECTORS: readonly (readonly [string, string])[] = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
];

Deno.test("SHA-256 gives the published digests for text and bytes", () => {
  for (const [text, expected] of VECTORS) {
    assert.equal(sha256Hex(text), expected);
    assert.equal(sha256Hex(new TextEncoder().encode(text)), expected);
    assert.equal(sha256(text).toHex(), expected);
  }
  assert.equal(sha256Hex("é"), sha256Hex(new Uint8Array([0xc3, 0xa9])));
});

Deno.test("a content hash does not depend on the order of members, and sees every change", () => {
  const hash = contentHash({ b: [1, { y: 2, x: "é" }], a: null });
  assert.equal(hash, contentHash({ a: null, b: [1, { x: "é", y: 2 }] }));
  assert.equal(hash, sha256Hex('{"a":null,"b":[1,{"x":"é","y":2}]}'));
  assert.notEqual(hash, contentHash({ a: null, b: [{ x: "é", y: 2 }, 1] }));
  // The composed and the decomposed letter are two contents.
  assert.notEqual(contentHash("\u00e9"), contentHash("e\u0301"));
});

Deno.test("secrets are equal only when every byte is", () => {
  assert.ok(equalSecrets("token", "token"));
  assert.ok(equalSecrets("token", new TextEncoder().encode("token")));
  assert.ok(equalSecrets("", ""));
  for (const other of ["", "toke", "tokens", "Token", "token\u0000"]) assert.equal(equalSecrets("token", other), false);
});
