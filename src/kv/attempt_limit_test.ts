import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { AttemptLimit } from "./attempt_limit.ts";
import type { KeyValue } from "./key_value.ts";
import { MemoryKeyValue } from "./memory.ts";

function frozen() {
  const time = { ms: Date.parse("2026-01-01T00:00:00Z") };
  const clock = () => new Date(time.ms);
  return { time, clock, limit: new AttemptLimit(new MemoryKeyValue({ clock }), clock) };
}

async function fail(limit: AttemptLimit, source: string, publicId: string): Promise<void> {
  (await limit.begin(source, publicId)).fail();
}

async function refuses(run: Promise<unknown>, retryAfter: string): Promise<void> {
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.code, "rate_limited");
    assert.equal(error.headers["retry-after"], retryAfter);
    return true;
  });
}

Deno.test("ten failures a minute from one source, then it is refused until the minute is over", async () => {
  const { time, limit } = frozen();
  for (let i = 0; i < 10; i++) await fail(limit, "192.0.2.1", `key${i}`);
  time.ms += 20_000;
  await refuses(limit.begin("192.0.2.1", "key11"), "40");
  await fail(limit, "192.0.2.2", "key11");
  time.ms += 40_000;
  await fail(limit, "192.0.2.1", "key11");
});

Deno.test("T14 five failures a minute of one source on one key; another source may try it as often", async () => {
  const { limit } = frozen();
  for (let i = 0; i < 5; i++) await fail(limit, "192.0.2.1", "key");
  await refuses(limit.begin("192.0.2.1", "key"), "60");
  await fail(limit, "192.0.2.1", "other");
  for (let i = 0; i < 5; i++) await fail(limit, "192.0.2.2", "key");
  await refuses(limit.begin("192.0.2.2", "key"), "60");
});

Deno.test("T14 from all sources together thirty failures a minute on one key: so many hashes it may cost", async () => {
  const { limit } = frozen();
  for (let i = 0; i < 30; i++) await fail(limit, `192.0.2.${i}`, "key");
  await refuses(limit.begin("192.0.2.99", "key"), "60");
  await fail(limit, "192.0.2.99", "other");
});

Deno.test("attempts at the same time do not exceed the limit together", async () => {
  const { limit } = frozen();
  const attempts = Array.from({ length: 50 }, () => fail(limit, "192.0.2.1", "key"));
  const results = await Promise.allSettled(attempts);
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 5);
});

Deno.test("T14 many good keys at once from one source all pass: who succeeds makes room, and no place goes to failures", async () => {
  const { limit } = frozen();
  let running = 0;
  let most = 0;
  const succeed = async (n: number) => {
    const attempt = await limit.begin("192.0.2.1", `key${n}`);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve));
    running--;
    await attempt.giveBack();
  };
  await Promise.all(Array.from({ length: 60 }, (_, n) => succeed(n)));
  assert.equal(most, 10);
  for (let i = 0; i < 9; i++) await fail(limit, "192.0.2.1", `bad${i}`);
  await Promise.all(Array.from({ length: 20 }, (_, n) => succeed(n)));
  await fail(limit, "192.0.2.1", "bad9");
  await refuses(limit.begin("192.0.2.1", "key1"), "60");
});

Deno.test("who finds too many waiting is asked to come again in a second, and is not remembered as refused", async () => {
  const { limit } = frozen();
  const running = await Promise.all(Array.from({ length: 10 }, (_, n) => limit.begin("192.0.2.1", `key${n}`)));
  const waiting = Array.from({ length: 256 }, async (_, n) => {
    await (await limit.begin("192.0.2.1", `other${n}`)).giveBack();
  });
  await refuses(limit.begin("192.0.2.1", "late"), "1");
  for (const attempt of running) await attempt.giveBack();
  await Promise.all(waiting);
  await fail(limit, "192.0.2.1", "late");
});

Deno.test("T14 who is refused asks the store once a second, however often it comes", async () => {
  const time = { ms: Date.parse("2026-01-01T00:00:00Z") };
  const clock = () => new Date(time.ms);
  const store = new MemoryKeyValue({ clock });
  const increment = store.increment.bind(store);
  let asked = 0;
  store.increment = (...args) => (asked++, increment(...args));
  const limit = new AttemptLimit(store, clock);
  for (let i = 0; i < 10; i++) await fail(limit, "192.0.2.1", `key${i}`);
  asked = 0;
  for (let i = 0; i < 1_000; i++) await refuses(limit.begin("192.0.2.1", `other${i}`), "60");
  assert.equal(asked, 1);
  time.ms += 1_000;
  for (let i = 0; i < 1_000; i++) await refuses(limit.begin("192.0.2.1", `other${i}`), "59");
  assert.equal(asked, 2);
  time.ms += 59_000;
  await fail(limit, "192.0.2.1", "key");
});

Deno.test("attempts that succeed do not count", async () => {
  const { limit } = frozen();
  for (let i = 0; i < 100; i++) await (await limit.begin("192.0.2.1", "key")).giveBack();
  for (let i = 0; i < 5; i++) await fail(limit, "192.0.2.1", "key");
  await refuses(limit.begin("192.0.2.1", "key"), "60");
});

Deno.test("a source that is shut out does not use up the attempts of a key", async () => {
  const { limit } = frozen();
  for (let i = 0; i < 10; i++) await fail(limit, "192.0.2.1", `key${i}`);
  for (let i = 0; i < 20; i++) await refuses(limit.begin("192.0.2.1", "victim"), "60");
  await fail(limit, "192.0.2.2", "victim");
});

Deno.test("when the store does not answer, this process counts for itself", async () => {
  const down = {
    increment: () => Promise.reject(new ServiceError("unavailable", "Cannot increment: the store is down")),
  } as Partial<KeyValue> as KeyValue;
  const { clock } = frozen();
  const limit = new AttemptLimit(down, clock);
  for (let i = 0; i < 5; i++) await fail(limit, "192.0.2.1", "key");
  await refuses(limit.begin("192.0.2.1", "key"), "60");
});

Deno.test("T14 wrong guesses at a secret of no key count for their source alone, in all processes together", async () => {
  const store = new MemoryKeyValue();
  const processes = [new AttemptLimit(store), new AttemptLimit(store)];
  for (let n = 0; n < 5; n++) for (const one of processes) await one.noteFailure("192.0.2.7");
  for (const one of processes) await assert.rejects(one.noteFailure("192.0.2.7"), { code: "rate_limited" });
  await assert.rejects(processes[1]!.begin("192.0.2.7", "k"), { code: "rate_limited" });
  await processes[0]!.noteFailure("192.0.2.8");
});

Deno.test("T14 keys of a source that are being checked are no failures yet", async () => {
  const limit = new AttemptLimit(new MemoryKeyValue());
  const attempts = await Promise.all(Array.from({ length: 10 }, (_, n) => limit.begin("192.0.2.7", `k${n}`)));
  await limit.noteFailure("192.0.2.7");
  for (const attempt of attempts) attempt.fail();
  await assert.rejects(limit.noteFailure("192.0.2.7"), { code: "rate_limited" });
});
