import assert from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { HeldTransaction } from "./held_transaction.ts";
import type { Tx, TxOptions } from "./tx.ts";

/** A connection that takes every statement. */
const tx = { sql: { unsafe: () => Promise.resolve() } } as unknown as Tx;

function hold(asked: TxOptions[] = []): HeldTransaction {
  return new HeldTransaction((work, options = {}) => {
    asked.push(options);
    return work(tx);
  }, () => Promise.resolve());
}

Deno.test("it counts as open from the moment that it is asked for, and no more when its first work fails", async () => {
  const held = hold();
  assert.equal(held.isOpen, false);
  const first = held.run(() => Promise.reject(new Error("refused")));
  assert.equal(held.isOpen, true);
  await assert.rejects(first, /refused/);
  assert.equal(held.isOpen, false);
  assert.equal(await held.run(() => Promise.resolve(1)), 1);
  assert.equal(held.isOpen, true);
  await held.rollback();
});

Deno.test("it has the time that its first work asks for, and may write although that only reads", async () => {
  const asked: TxOptions[] = [];
  const held = hold(asked);
  await held.run(() => Promise.resolve(), { deadlineMs: 60_000, readOnly: true });
  await held.commit(() => Promise.resolve());
  assert.deepEqual(asked, [{ deadlineMs: 60_000 }]);
});

Deno.test("what the database says of later work reaches the caller as of a transaction of its own", async () => {
  for (const [code, expected] of [["57014", "deadline_exceeded"], ["40P01", "unavailable"]]) {
    const held = hold();
    await held.run(() => Promise.resolve());
    const fault = Object.assign(new Error("from Postgres"), { code });
    await assert.rejects(
      held.run(() => Promise.reject(fault)),
      (error) => error instanceof ServiceError && error.code === expected,
    );
    await held.rollback();
  }
});
