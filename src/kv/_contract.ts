/** The requirements for every key-value store; run against each of them. */
import assert from "node:assert/strict";
import type { KeyValue } from "./key_value.ts";

export interface ContractStore {
  readonly kv: KeyValue;
  /** Advances the store's time without waiting. */
  readonly pass: (seconds: number) => Promise<void>;
}

type Check = (store: ContractStore, key: string) => Promise<void>;

export const CONTRACT: Readonly<Record<string, Check>> = {
  "a value comes back as it was, until it expires": async ({ kv, pass }, key) => {
    assert.equal(await kv.get(key), undefined);
    for (
      const value of ["x", "", "true", "123", "null", '{"a":1}', 'quote " \\ \n é 漢 😀 \u0000', "a".repeat(100_000)]
    ) {
      assert.equal(await kv.set(key, value, { ttlSeconds: 60 }), true);
      assert.equal(await kv.get(key), value);
    }
    await kv.set(key, "short", { ttlSeconds: 1 });
    assert.equal(await kv.get(key), "short");
    await pass(1.1);
    assert.equal(await kv.get(key), undefined);
  },
  "a key is deleted once": async ({ kv }, key) => {
    assert.equal(await kv.delete(key), false);
    await kv.set(key, "x", { ttlSeconds: 60 });
    assert.equal(await kv.delete(key), true);
    assert.equal(await kv.delete(key), false);
    assert.equal(await kv.get(key), undefined);
  },
  "of forty who set only if absent one wins, and the next after it has expired": async ({ kv, pass }, key) => {
    const claim = (value: string) => kv.set(key, value, { ttlSeconds: 1, onlyIfAbsent: true });
    const results = await Promise.all(Array.from({ length: 40 }, (_, i) => claim(String(i))));
    assert.equal(results.filter((won) => won).length, 1);
    assert.equal(await kv.get(key), String(results.indexOf(true)));
    await pass(1.1);
    assert.equal(await claim("again"), true);
    assert.equal(await kv.get(key), "again");
  },
  "a counter counts every caller and starts anew after its time": async ({ kv, pass }, key) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => kv.increment(key, { ttlSeconds: 2 })));
    assert.deepEqual(
      replies.map(({ value }) => value).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
    for (const { ttlSeconds } of replies) assert.ok(ttlSeconds === 1 || ttlSeconds === 2);
    await pass(1.2);
    // A later change does not prolong its life.
    const late = await kv.increment(key, { ttlSeconds: 2, by: -5 });
    assert.deepEqual(late, { value: 15, ttlSeconds: 1 });
    await pass(1);
    assert.equal((await kv.increment(key, { ttlSeconds: 2, by: 3 })).value, 3);
  },
  "a bucket gives its burst and no more to callers at the same time": async ({ kv }, key) => {
    const options = { capacity: 10, refillPerSecond: 0.001 };
    const replies = await Promise.all(Array.from({ length: 25 }, () => kv.takeTokens(key, options)));
    const allowed = replies.filter(({ isAllowed }) => isAllowed);
    assert.equal(allowed.length, 10);
    assert.deepEqual(allowed.map(({ remaining }) => remaining).sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const reply of replies.filter(({ isAllowed }) => !isAllowed)) {
      assert.equal(reply.remaining, 0);
      assert.ok(reply.retryAfterSeconds > 900 && reply.retryAfterSeconds <= 1_000, `${reply.retryAfterSeconds}`);
      assert.ok(reply.fullInSeconds > 9_900 && reply.fullInSeconds <= 10_000, `${reply.fullInSeconds}`);
    }
  },
  "a bucket refills with time, to its capacity": async ({ kv, pass }, key) => {
    const options = { capacity: 4, refillPerSecond: 2 };
    const take = (cost?: number) => kv.takeTokens(key, { ...options, cost });
    assert.deepEqual(await take(4), { isAllowed: true, remaining: 0, retryAfterSeconds: 0, fullInSeconds: 2 });
    assert.equal((await take(1)).isAllowed, false);
    await pass(1.1);
    assert.equal((await take(2)).isAllowed, true);
    assert.equal((await take(2)).isAllowed, false);
    await pass(3);
    const { isAllowed, remaining, retryAfterSeconds, fullInSeconds } = await take(0);
    assert.deepEqual([isAllowed, remaining, retryAfterSeconds, fullInSeconds], [true, 4, 0, 0]);
    assert.equal((await take(5)).isAllowed, false);
    // A lowered capacity takes effect immediately.
    assert.equal((await kv.takeTokens(key, { capacity: 1, refillPerSecond: 1, cost: 0 })).remaining, 1);
  },
  "the store answers": async ({ kv }) => {
    await kv.ping();
  },
};
