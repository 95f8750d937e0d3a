import assert from "node:assert/strict";
import { SharedLook } from "./entries.ts";

Deno.test("requests share the next look, and never one that began before them", async () => {
  const shared = new SharedLook<number>();
  const begun: PromiseWithResolvers<number>[] = [];
  const look = () => {
    const one = Promise.withResolvers<number>();
    begun.push(one);
    return one.promise;
  };
  const first = shared.take(look);
  const [second, third] = [shared.take(look), shared.take(look)];
  assert.equal(begun.length, 1);
  begun[0]!.resolve(1);
  assert.equal(await first, 1);
  await Promise.resolve();
  assert.equal(begun.length, 2, "both share one look, which began after them");
  const fourth = shared.take(look);
  begun[1]!.reject(new Error("lost"));
  await assert.rejects(second, /lost/);
  await assert.rejects(third, /lost/);
  await Promise.resolve();
  assert.equal(begun.length, 3, "a look that fails does not keep the next from beginning");
  begun[2]!.resolve(3);
  assert.equal(await fourth, 3);
});
