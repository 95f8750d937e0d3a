import assert from "node:assert/strict";
import { API_KEY_BODY_LENGTH, API_KEY_PREFIXES, API_KEY_REGEX, generateApiKey, parseApiKey } from "./api_key.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** CRC-32 and base62 written from their definitions, so that the module does not check itself. */
function independentCheck(body: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(body)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) * 0xedb88320);
  }
  let value = (crc ^ 0xffffffff) >>> 0;
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = ALPHABET[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}

Deno.test("a new key has the published form and comes apart into what it was made of", () => {
  for (const prefix of API_KEY_PREFIXES) {
    const made = generateApiKey(prefix);
    assert.equal(made.key.length, prefix.length + API_KEY_BODY_LENGTH);
    assert.match(made.key, new RegExp(`^${API_KEY_REGEX}$`));
    assert.equal(made.key, made.prefix + made.publicId + made.secret + independentCheck(made.key.slice(0, -6)));
    const { key: _, ...parts } = made;
    assert.deepEqual(parseApiKey(made.key), parts);
    assert.equal(made.publicId.length, 12);
    assert.equal(made.secret.length, 43);
  }
});

Deno.test("a key is read by the fixed example of its form", () => {
  const body = "svc_live_" + "0123456789AB" + "C".repeat(43);
  assert.equal(independentCheck("123456789"), "3jZRME"); // the published check value, 0xCBF43926
  assert.deepEqual(parseApiKey(body + independentCheck(body)), {
    prefix: "svc_live_",
    publicId: "0123456789AB",
    secret: "C".repeat(43),
  });
});

Deno.test("a key of every wrong length is refused, with a fitting check too", () => {
  const { key } = generateApiKey("svc_live_");
  for (let length = 0; length <= 200; length++) {
    if (length === key.length) continue;
    assert.equal(parseApiKey(key.repeat(3).slice(0, length)), null, `length ${length}`);
    const body = "svc_live_" + "a".repeat(Math.max(0, length - 15));
    assert.equal(parseApiKey((body + independentCheck(body)).slice(0, length)), null, `checked, length ${length}`);
  }
});

Deno.test("every change of one character is refused", () => {
  const { key } = generateApiKey("mk_admin_");
  for (let at = 0; at < key.length; at++) {
    for (const other of ALPHABET + "-_ \n\u0000é") {
      if (other === key[at]) continue;
      assert.equal(parseApiKey(key.slice(0, at) + other + key.slice(at + 1)), null, `${other} at ${at}`);
    }
  }
});

Deno.test("neighbouring characters swapped are refused", () => {
  const { key } = generateApiKey("svc_live_");
  for (let at = 0; at + 1 < key.length; at++) {
    if (key[at] === key[at + 1]) continue;
    const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
    assert.equal(parseApiKey(swapped), null, `at ${at}`);
  }
});

Deno.test("surroundings, other prefixes and other cases are refused", () => {
  const { key, publicId, secret } = generateApiKey("svc_live_");
  const rest = publicId + secret;
  const wrong = [`${key}\n`, ` ${key}`, `Bearer ${key}`, `${key}, ${key}`, key.toLowerCase(), key.toUpperCase(), ""];
  for (const prefix of ["svc_test_", "mk_adminx", "sk_livexx", "SVC_LIVE_"]) {
    wrong.push(prefix + rest + independentCheck(prefix + rest));
  }
  // The check covers the prefix: a workspace key does not become an admin key.
  wrong.push(`mk_admin_${key.slice(9)}`);
  for (const text of wrong) assert.equal(parseApiKey(text), null, JSON.stringify(text));
});

Deno.test("public ids and secrets are uniform and do not repeat", () => {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  const keys = 2_000;
  for (let i = 0; i < keys; i++) {
    const { key, publicId } = generateApiKey("svc_live_");
    seen.add(key);
    for (const character of publicId) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.equal(seen.size, keys);
  const expected = keys * 12 / 62;
  let chiSquare = 0;
  for (const character of ALPHABET) chiSquare += ((counts.get(character) ?? 0) - expected) ** 2 / expected;
  // 61 degrees of freedom: 140 is exceeded by chance once in about ten million runs; a modulo bias gives several hundred.
  assert.ok(chiSquare < 140, `chi-square ${chiSquare}`);
});
