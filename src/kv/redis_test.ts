import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { REDIS, type RedisFront, startRedisFront } from "../../tests/_redis.ts";
import { waitFor } from "../../tests/_wait.ts";
import { CONTRACT } from "./_contract.ts";
import { AttemptLimit } from "./attempt_limit.ts";
import { RedisKeyValue } from "./redis.ts";

/** A server that answers requests by `handle`. */
function startServer(handle: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handle);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function refusesAll(kv: RedisKeyValue): Promise<void> {
  const calls = [
    () => kv.get("key"),
    () => kv.set("key", "value", { ttlSeconds: 60 }),
    () => kv.set("key", "value", { ttlSeconds: 60, onlyIfAbsent: true }),
    () => kv.delete("key"),
    () => kv.increment("key", { ttlSeconds: 60 }),
    () => kv.takeTokens("key", { capacity: 1, refillPerSecond: 1 }),
    () => kv.ping(),
  ];
  for (const call of calls) {
    await assert.rejects(call(), (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.code, "unavailable");
      assert.equal(error.headers["retry-after"], "1");
      assert.doesNotMatch(`${error.message} ${error.cause}`, /secret|svc:key|127\.0\.0\.1:\d+\/?key/);
      return true;
    }, call.toString());
  }
}

Deno.test({
  ...REDIS,
  name: "Redis does what every key-value store must do",
  fn: async (t) => {
    await using front = await startRedisFront();
    for (const [name, check] of Object.entries(CONTRACT)) {
      await t.step(name, async () => {
        const time = { ms: Date.now() };
        const keyPrefix = `svc-test:${crypto.randomUUID()}:`;
        using kv = new RedisKeyValue({
          ...front,
          keyPrefix,
          clock: () => new Date(time.ms),
          // Tests share the machine; the limit has a test of its own.
          timeoutMs: 10_000,
        });
        const pass = async (seconds: number) => {
          time.ms += seconds * 1_000;
          await age(front, keyPrefix, seconds * 1_000);
        };
        await check({ kv, pass }, "key");
      });
    }
  },
});

/** Shortens the remaining life of every key with the prefix. */
async function age(front: RedisFront, prefix: string, ms: number): Promise<void> {
  for (const key of await front.command("KEYS", `${prefix}*`) as string[]) {
    const left = await front.command("PTTL", key) as number;
    await front.command("PEXPIRE", key, Math.max(0, left - Math.round(ms)));
  }
}

Deno.test({
  ...REDIS,
  name: "two processes share what they set, under the prefix and with a time to live",
  fn: async () => {
    await using front = await startRedisFront();
    const keyPrefix = `svc-test:${crypto.randomUUID()}:`;
    using one = new RedisKeyValue({ ...front, keyPrefix, timeoutMs: 10_000 });
    using two = new RedisKeyValue({ ...front, keyPrefix, timeoutMs: 10_000 });
    assert.equal(await one.set("jti", "1", { ttlSeconds: 60, onlyIfAbsent: true }), true);
    assert.equal(await two.set("jti", "1", { ttlSeconds: 60, onlyIfAbsent: true }), false);
    await one.increment("counter", { ttlSeconds: 60 });
    assert.equal((await two.increment("counter", { ttlSeconds: 60 })).value, 2);
    await one.takeTokens("bucket", { capacity: 2, refillPerSecond: 0.01 });
    assert.equal((await two.takeTokens("bucket", { capacity: 2, refillPerSecond: 0.01 })).remaining, 0);
    const keys = await front.command("KEYS", `${keyPrefix}*`) as string[];
    assert.equal(keys.length, 3);
    for (const key of keys) assert.ok((await front.command("TTL", key) as number) > 0, key);
  },
});

Deno.test({
  ...REDIS,
  name: "a wrong token and a key of another kind are refused as unavailable",
  fn: async () => {
    await using front = await startRedisFront();
    using stranger = new RedisKeyValue({ ...front, token: "wrong", timeoutMs: 10_000 });
    await refusesAll(stranger);
    const keyPrefix = `svc-test:${crypto.randomUUID()}:`;
    using kv = new RedisKeyValue({ ...front, keyPrefix, timeoutMs: 10_000 });
    await kv.set("key", "secret text", { ttlSeconds: 60 });
    await assert.rejects(kv.increment("key", { ttlSeconds: 60 }), (error) => {
      assert.ok(error instanceof ServiceError && error.code === "unavailable");
      assert.doesNotMatch(String(error.cause), /secret/);
      return true;
    });
  },
});

Deno.test("a server that never answers is given up within the time limit", async () => {
  const gate = Promise.withResolvers<void>();
  await using server = startServer(async () => {
    await gate.promise;
    return new Response();
  });
  using kv = new RedisKeyValue({ url: server.url, token: "secret", timeoutMs: 50 });
  // The server answers only after this has ended.
  await refusesAll(kv);
  gate.resolve();
});

Deno.test("a body that never ends is given up within the time limit", async () => {
  await using server = startServer(() =>
    new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x7b])) }))
  );
  using kv = new RedisKeyValue({ url: server.url, token: "secret", timeoutMs: 50 });
  await refusesAll(kv);
});

Deno.test("a refused connection is no wait", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}`;
  listener.close();
  using kv = new RedisKeyValue({ url, token: "secret", timeoutMs: 600_000 });
  await refusesAll(kv);
});

Deno.test("an answer that is not Redis's is refused: nothing passes for a value, a claim or an allowance", async () => {
  const replies = [
    () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } }),
    () => new Response("", { status: 200 }),
    () => Response.json({}),
    () => Response.json({ result: "Aborted" }, { status: 502 }),
    () => Response.json({ error: "ERR max requests limit exceeded" }, { status: 400 }),
    () => Response.json({ result: { allowed: 1 } }),
    () => Response.json({ result: [true] }),
    () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1:1/" } }),
  ];
  for (const reply of replies) {
    await using server = startServer(reply);
    using kv = new RedisKeyValue({ url: server.url, token: "secret", timeoutMs: 5_000 });
    await refusesAll(kv);
  }
});

Deno.test("F9 a store that is away is asked by few: the others are refused at once, and told once; it comes back by itself", async () => {
  const told: string[] = [];
  let isAway = true;
  let asked = 0;
  const away = Promise.withResolvers<Response>();
  await using server = startServer(() => {
    asked++;
    return isAway ? away.promise : Response.json({ result: "OK" });
  });
  const onDown = () => void told.push("down");
  const onUp = () => void told.push("up");
  using kv = new RedisKeyValue({ url: server.url, token: "secret", timeoutMs: 50, onDown, onUp });
  for (let i = 0; i < 100; i++) {
    await assert.rejects(kv.set("key", "value", { ttlSeconds: 60 }), /does not answer/);
  }
  // Three in a row, and now and then a probe that nobody waits for.
  if (asked > 50) away.resolve(new Response());
  assert.ok(asked <= 50, `${asked} of 100 asked`);
  await assert.rejects(kv.ping(), /does not answer/);
  assert.deepEqual(told, ["down"]);
  isAway = false;
  away.resolve(new Response());
  await waitFor("the store", () => kv.set("key", "value", { ttlSeconds: 60 }).catch(() => false));
  assert.deepEqual(told, ["down", "up"]);
  isAway = true;
  await assert.rejects(kv.get("key"));
  assert.deepEqual(told, ["down", "up"], "one lost call is no outage");
});

Deno.test("F9 the answer to a ping ends an outage", async () => {
  let isAway = true;
  await using server = startServer(() =>
    isAway ? new Response(null, { status: 503 }) : Response.json({ result: "OK" })
  );
  using kv = new RedisKeyValue({ url: server.url, token: "secret", timeoutMs: 10_000 });
  for (let i = 0; i < 3; i++) await assert.rejects(kv.ping());
  isAway = false;
  await kv.ping();
  assert.equal(await kv.set("key", "value", { ttlSeconds: 60 }), true);
});

Deno.test("disposal ends the calls that run", async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await using server = startServer(async () => {
    reached.resolve();
    await gate.promise;
    return new Response();
  });
  const kv = new RedisKeyValue({ url: server.url, token: "secret", timeoutMs: 60_000 });
  const running = assert.rejects(kv.get("key"), ServiceError);
  await reached.promise;
  kv[Symbol.dispose]();
  await running;
  gate.resolve();
});

Deno.test("with the store down, failed attempts are still limited", async () => {
  await using server = startServer(() => new Response(null, { status: 503 }));
  using kv = new RedisKeyValue({ url: server.url, token: "secret" });
  const limit = new AttemptLimit(kv);
  for (let i = 0; i < 5; i++) (await limit.begin("192.0.2.1", "key")).fail();
  await assert.rejects(limit.begin("192.0.2.1", "key"), (error) => {
    return error instanceof ServiceError && error.code === "rate_limited";
  });
});
