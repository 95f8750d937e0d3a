import assert from "node:assert/strict";
import { BACKGROUND, type Slot, Slots } from "./connection_slots.ts";

/** Slots with a clock of their own; `run` enters and returns who begins, in order. */
function fixture(options: { max: number; perOwnerMax?: number }) {
  let time = 0;
  const slots = new Slots({ ...options, now: () => time });
  const begun: string[] = [];
  const enter = async (owner: string): Promise<Slot> => {
    const slot = slots.enter(owner);
    await slot.admitted;
    slot.noteBegun();
    begun.push(owner);
    return slot;
  };
  return { slots, begun, enter, pass: (ms: number) => void (time += ms) };
}

/** Lets what was admitted begin. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("who comes with one transaction waits for the next free slot, not behind another's backlog", async () => {
  const { begun, enter, pass } = fixture({ max: 2 });
  const running = [await enter("a"), await enter("a")];
  const backlog = Array.from({ length: 20 }, () => enter("a"));
  const other = enter("b");
  pass(10);
  running[0]!.leave();
  await settle();
  assert.deepEqual(begun, ["a", "a", "b"]);
  (await other).leave();
  running[1]!.leave();
  for (const one of backlog) (await one).leave();
  assert.equal(begun.length, 23);
});

Deno.test("what runs in the background holds a third of the connections at most", async () => {
  const { begun, enter } = fixture({ max: 7 });
  const background = Array.from({ length: 9 }, () => enter(BACKGROUND));
  const requests = Array.from({ length: 4 }, () => enter("a"));
  await settle();
  assert.equal(begun.filter((owner) => owner === BACKGROUND).length, 3);
  assert.equal(begun.filter((owner) => owner === "a").length, 4);
  for (const one of requests) (await one).leave();
  await settle();
  assert.equal(begun.filter((owner) => owner === BACKGROUND).length, 3);
  for (const one of background) (await one).leave();
});

Deno.test("slots go by the time that was used: long transactions come as much more seldom", async () => {
  const { begun, enter, pass } = fixture({ max: 1 });
  const first = await enter("first");
  const lengths: Record<string, number> = { long: 90, short: 10 };
  const done: Promise<void>[] = [];
  let next: PromiseWithResolvers<Slot> = Promise.withResolvers();
  for (let i = 0; i < 40; i++) {
    for (const owner of ["long", "short"]) done.push(enter(owner).then((slot) => next.resolve(slot)));
  }
  first.leave();
  for (let i = 0; i < 40; i++) {
    const slot = await next.promise;
    next = Promise.withResolvers();
    pass(lengths[begun.at(-1)!]!);
    slot.leave();
  }
  await settle();
  const count = (owner: string) => begun.slice(1, 41).filter((one) => one === owner).length;
  assert.ok(count("short") >= 35 && count("long") >= 3, `${count("short")} short, ${count("long")} long`);
});

Deno.test("who used much for an hour is served within seconds beside others who used little", async () => {
  const { enter, pass } = fixture({ max: 10, perOwnerMax: 5 });
  const long = await Promise.all(["a", "a", "a", "a", "a", "b", "c"].map(enter));
  pass(3_600_000);
  const running = new Map<Slot, string>();
  const served: Record<string, number> = { a: 0, b: 0, c: 0 };
  for (let i = 0; i < 400; i++) {
    for (const owner of ["a", "b", "c"]) {
      void enter(owner).then((slot) => {
        running.set(slot, owner);
        served[owner]!++;
      });
    }
  }
  for (const slot of long) slot.leave();
  for (let step = 0; step < 40; step++) {
    await settle();
    pass(100);
    for (const slot of [...running.keys()]) {
      running.delete(slot);
      slot.leave();
    }
  }
  assert.ok(served["a"]! >= 50, `of 400 in 4 s: ${JSON.stringify(served)}`);
});

Deno.test("an owner has no more than its number, the others what is left of them", async () => {
  const { begun, enter } = fixture({ max: 4, perOwnerMax: 3 });
  const own = Array.from({ length: 5 }, () => enter("a"));
  await settle();
  assert.deepEqual(begun, ["a", "a", "a"]);
  const other = await enter("b");
  other.leave();
  await settle();
  assert.deepEqual(begun, ["a", "a", "a", "b"]);
  for (const one of own) (await one).leave();
});

Deno.test("a server without a connection left is asked for one more now and then, until the pool's number is reached", async () => {
  const { slots, begun, enter, pass } = fixture({ max: 4 });
  const running = [await enter("a"), await enter("a")];
  const refused = slots.enter("a");
  slots.noteRefused();
  refused.leave();
  assert.equal(slots.isShort, true);
  const waiting = [enter("a"), enter("b")];
  await settle();
  assert.equal(begun.length, 2);
  pass(100);
  const last = enter("b");
  await settle();
  assert.equal(begun.length, 3);
  assert.equal(begun.at(-1), "b");
  pass(100);
  running[0]!.leave();
  await settle();
  assert.equal(slots.isShort, false);
  running[1]!.leave();
  for (const one of [...waiting, last]) (await one).leave();
});

Deno.test("who gives up while waiting keeps nobody from the slot", async () => {
  const { slots, begun, enter } = fixture({ max: 1 });
  const running = await enter("a");
  const gone = slots.enter("b");
  const other = enter("c");
  gone.leave();
  running.leave();
  (await other).leave();
  assert.deepEqual(begun, ["a", "c"]);
  assert.equal(gone.leave(), 0);
});

Deno.test("a queue that is too long is served from both ends: a request of several transactions gets through", async () => {
  const { begun, enter, pass } = fixture({ max: 1 });
  const running = await enter("a");
  const served: number[] = [];
  const backlog = Array.from({ length: 20 }, async (_, i) => {
    const slot = await enter("a");
    served.push(i);
    pass(20);
    slot.leave();
  });
  let servedBefore = -1;
  pass(600);
  const request = (async () => {
    for (let i = 0; i < 3; i++) {
      const slot = await enter("a");
      pass(20);
      slot.leave();
    }
    servedBefore = served.length;
  })();
  running.leave();
  await request;
  // Between two of its transactions, one that waited before gets the slot.
  assert.ok(servedBefore <= 3, `${servedBefore} were served first`);
  await Promise.all(backlog);
  assert.deepEqual(served.slice(0, 7), [0, 1, 2, 19, 3, 18, 4], "the queue is served from both ends");
  assert.equal(begun.length, 24);
});

Deno.test("under lasting overload nobody gets a slot who has waited too long to be done in time", async () => {
  const { enter, pass } = fixture({ max: 1 });
  const running = await enter("a");
  const served: number[] = [];
  const backlog = Array.from({ length: 6 }, async (_, i) => {
    const slot = await enter("a");
    served.push(i);
    slot.leave();
  });
  pass(2_000);
  const later = [6, 7].map(async (i) => {
    const slot = await enter("a");
    served.push(i);
    slot.leave();
  });
  running.leave();
  await Promise.all([...backlog, ...later]);
  assert.deepEqual(served, [7, 6, 5, 4, 3, 2, 1, 0]);
});

Deno.test("a process keeps within what the server can spare, and gives up one more when it is asked to", async () => {
  const { slots, begun, enter, pass } = fixture({ max: 6 });
  slots.setCapacity(3);
  const all = Array.from({ length: 6 }, () => enter("a"));
  await settle();
  assert.equal(begun.length, 3);
  slots.giveUp();
  slots.giveUp();
  assert.equal(slots.limit, 2);
  (await all[0]!).leave();
  await settle();
  assert.equal(begun.length, 3);
  // Another process takes the connection in the meantime.
  pass(2_000);
  (await all[1]!).leave();
  await settle();
  assert.equal(slots.limit, 3);
  assert.equal(begun.length, 5);
  slots.setCapacity(6);
  assert.equal(slots.limit, 6);
  for (const one of all.slice(2)) (await one).leave();
  slots.setCapacity(0);
  assert.equal(slots.limit, 1);
  slots.giveUp();
  assert.equal(slots.limit, 1);
});
