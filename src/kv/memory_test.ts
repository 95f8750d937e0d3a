import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { CONTRACT } from "./_contract.ts";
import { MemoryKeyValue } from "./memory.ts";

function frozen(entriesMax?: number) {
  const time = { ms: Date.parse("2026-01-01T00:00:00Z") };
  const kv = new MemoryKeyValue({ clock: () => new Date(time.ms), entriesMax });
  const pass = async (seconds: number) => {
    time.ms += seconds * 1_000;
  };
  return { kv, pass };
}

for (const [name, check] of Object.entries(CONTRACT)) {
  Deno.test(`memory: ${name}`, () => check(frozen(), "key"));
}

Deno.test("memory is bounded: values, counters and buckets give way to younger ones", async () => {
  const { kv } = frozen(3);
  await kv.set("a", "1", { ttlSeconds: 60 });
  await kv.increment("b", { ttlSeconds: 60 });
  await kv.takeTokens("c", { capacity: 1, refillPerSecond: 0.01 });
  await kv.increment("b", { ttlSeconds: 60 });
  for (const key of ["d", "e"]) await kv.set(key, key, { ttlSeconds: 60 });
  assert.equal(kv.size, 3);
  assert.equal(await kv.get("a"), undefined);
  assert.equal(await kv.get("b"), "2", "what was written last stays");
  assert.equal((await kv.takeTokens("c", { capacity: 1, refillPerSecond: 0.01, cost: 0 })).remaining, 1);
});

Deno.test("what was set only if absent is never dropped early: without room the next one is refused", async () => {
  const { kv, pass } = frozen(3);
  const claim = (key: string, ttlSeconds: number) => kv.set(key, "1", { ttlSeconds, onlyIfAbsent: true });
  for (const [key, ttl] of [["a", 10], ["b", 20], ["c", 30]] as const) assert.equal(await claim(key, ttl), true);
  for (let i = 0; i < 10; i++) await kv.set(`value ${i}`, "x", { ttlSeconds: 60 });
  await assert.rejects(claim("d", 10), (error) => error instanceof ServiceError && error.code === "unavailable");
  assert.equal(await claim("a", 10), false);
  await pass(11);
  assert.equal(await claim("d", 10), true);
  assert.equal(await claim("b", 10), false);
  await assert.rejects(claim("e", 10), ServiceError);
  assert.ok(kv.size <= 6);
});

Deno.test("a clock that steps back makes no tokens", async () => {
  const { kv, pass } = frozen();
  const take = () => kv.takeTokens("key", { capacity: 1, refillPerSecond: 1 });
  assert.equal((await take()).isAllowed, true);
  await pass(-3_600);
  assert.equal((await take()).isAllowed, false);
  await pass(3_600);
  assert.equal((await take()).isAllowed, false);
  await pass(1);
  assert.equal((await take()).isAllowed, true);
});
