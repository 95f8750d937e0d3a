import assert from "node:assert/strict";
import { SharedQuestion } from "./shared_question.ts";

Deno.test("nobody gets the answer to a question that was put before he came, and all who wait share one", async () => {
  const put: PromiseWithResolvers<number>[] = [];
  const question = new SharedQuestion(() => {
    put.push(Promise.withResolvers<number>());
    return put.at(-1)!.promise;
  });
  const first = question.ask();
  await Promise.resolve();
  assert.equal(put.length, 1);
  const later = [question.ask(), question.ask()];
  put[0]!.resolve(1);
  assert.equal(await first, 1);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(put.length, 2);
  put[1]!.resolve(2);
  assert.deepEqual(await Promise.all(later), [2, 2]);
});

Deno.test("a question that fails keeps nobody from putting the next", async () => {
  let count = 0;
  const question = new SharedQuestion(() => ++count === 1 ? Promise.reject(new Error("away")) : Promise.resolve(count));
  const [first, second] = [question.ask(), question.ask()];
  await assert.rejects(first, /away/);
  await assert.rejects(second, /away/);
  assert.equal(await question.ask(), 2);
});
