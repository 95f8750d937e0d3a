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

Deno.test("what a piece of work noted goes with it when it is undone", async () => {
  const noted: unknown[] = [];
  const note = (one: unknown) => void noted.push(one);
  const taking = { ...tx, record: note, audit: note, noteWords: note } as unknown as Tx;
  const held = new HeldTransaction((work) => work(taking), () => Promise.resolve());
  const work = (name: string, fails: boolean) => (tx: Tx) => {
    tx.record({ kind: name, resourceType: "fact", resourceId: name, version: 1, sensitivity: "internal" });
    tx.audit({ eventType: name });
    tx.noteWords({ sensitivity: "internal", gained: [name] });
    return fails ? Promise.reject(new Error("refused")) : Promise.resolve();
  };
  await held.run(() => Promise.resolve());
  await assert.rejects(held.run(work("undone", true)), /refused/);
  await held.run(work("kept", false));
  await held.commit(() => Promise.resolve());
  assert.equal(noted.length, 3);
  assert.doesNotMatch(JSON.stringify(noted), /undone/);
});
