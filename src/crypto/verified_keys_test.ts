import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { TokenHmac, VerifiedKeys } from "./verified_keys.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

function frozen(options: { ttlSeconds?: number; entriesMax?: number } = {}) {
  const time = { ms: START };
  const keys = new VerifiedKeys<string>({ clock: () => new Date(time.ms), ...options });
  const keep = (token: string, publicId: string, value = token) => keys.resolve(token, publicId, async () => value);
  return { time, keys, keep };
}

Deno.test("a verified key is known for 60 s and not a moment longer", async () => {
  const { time, keys, keep } = frozen();
  assert.equal(keys.get("token"), undefined);
  assert.equal(await keep("token", "id", "alice"), "alice");
  time.ms += 59_999;
  assert.equal(keys.get("token"), "alice");
  time.ms += 1;
  assert.equal(keys.get("token"), undefined);
  assert.equal(keys.size, 0);
});

Deno.test("using a key does not prolong its time", async () => {
  const { time, keep } = frozen();
  await keep("token", "id", "first");
  for (let i = 0; i < 3; i++) {
    time.ms += 19_000;
    assert.equal(await keep("token", "id", "second"), "first");
  }
  time.ms += 3_000;
  assert.equal(await keep("token", "id", "second"), "second");
});

Deno.test("only the very same token is known", async () => {
  const { keys, keep } = frozen();
  await keep("token", "id");
  for (const other of ["", "toke", "token ", "Token", "tokem"]) assert.equal(keys.get(other), undefined, other);
});

Deno.test("a revocation forgets all tokens of its key and no other", async () => {
  const { keys, keep } = frozen();
  await keep("a1", "a");
  await keep("a2", "a");
  await keep("b1", "b");
  keys.evict("a");
  keys.evict("unknown");
  assert.deepEqual([keys.get("a1"), keys.get("a2"), keys.get("b1")], [undefined, undefined, "b1"]);
  keys.clear();
  assert.equal(keys.get("b1"), undefined);
  assert.equal(keys.size, 0);
});

Deno.test("a revocation during a verification: what it brings is not kept", async () => {
  for (const revoke of ["evict", "clear"] as const) {
    const { keys } = frozen();
    const first = Promise.withResolvers<string>();
    const running = keys.resolve("token", "id", () => first.promise);
    if (revoke === "evict") keys.evict("id");
    else keys.clear();
    // A caller after the revocation does not get the old answer.
    const second = keys.resolve("token", "id", async () => undefined);
    first.resolve("old rights");
    assert.equal(await running, "old rights");
    assert.equal(await second, undefined);
    assert.equal(keys.get("token"), undefined);
  }
});

Deno.test("requests with the same token share one verification", async () => {
  const { keys } = frozen();
  let verifications = 0;
  const gate = Promise.withResolvers<void>();
  const verify = async () => {
    verifications++;
    await gate.promise;
    return "alice";
  };
  const all = Array.from({ length: 50 }, () => keys.resolve("token", "id", verify));
  const other = keys.resolve("other", "id", async () => "bob");
  gate.resolve();
  assert.deepEqual(new Set(await Promise.all(all)), new Set(["alice"]));
  assert.equal(await other, "bob");
  assert.equal(verifications, 1);
});

Deno.test("what is not genuine and what fails is not kept, and the next request tries anew", async () => {
  const { keys } = frozen();
  assert.equal(await keys.resolve("token", "id", async () => undefined), undefined);
  await assert.rejects(keys.resolve("token", "id", () => Promise.reject(new Error("down"))), /down/);
  await assert.rejects(
    keys.resolve("token", "id", () => {
      throw new Error("at once");
    }),
    /at once/,
  );
  assert.equal(keys.get("token"), undefined);
  assert.equal(await keys.resolve("token", "id", async () => "alice"), "alice");
});

Deno.test("the cache is bounded: the oldest goes first", async () => {
  const { keys, keep } = frozen({ entriesMax: 3 });
  for (const token of ["a", "b", "c", "d"]) await keep(token, token);
  assert.equal(keys.size, 3);
  assert.deepEqual(["a", "b", "c", "d"].map((token) => keys.get(token)), [undefined, "b", "c", "d"]);
});

Deno.test("tokens are kept under their HMAC-SHA-256", () => {
  for (const bytes of [0, 1, 32, 64]) {
    const key = randomBytes(bytes), hmac = new TokenHmac(key);
    for (const text of ["", "a", "svc_live_".padEnd(70, "x"), "é😀".repeat(100), "a"]) {
      assert.equal(hmac.digest(text), createHmac("sha256", key).update(text).digest("base64"));
    }
  }
  // RFC 2104 hashes longer keys first; the cache's own has 32 bytes.
  assert.throws(() => new TokenHmac(randomBytes(65)), RangeError);
});
