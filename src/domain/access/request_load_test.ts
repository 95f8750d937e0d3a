import assert from "node:assert/strict";
import { ServiceError } from "../../errors.ts";
import { type LoadLimits, RequestLoad } from "./request_load.ts";
import { CallQueues } from "./places.ts";

const NONE: LoadLimits = {
  perKeyMax: 0,
  perWorkspaceMax: 0,
  heavyPerWorkspaceMax: 0,
  waitMs: 0,
  databaseSecondsPerKey: 0,
  databaseSecondsPerWorkspace: 0,
};
const OPEN = new AbortController().signal;
const owner = (key: string, workspaceId = "w") => ({ actor: `key:${key}`, workspaceId });

function refusal(retryAfter: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.deepEqual([error.code, error.headers["retry-after"]], ["rate_limited", retryAfter]);
    return true;
  };
}

Deno.test("requests under way are counted by key, by workspace and among the heavy, and turns come back", async () => {
  const load = new RequestLoad({ ...NONE, perKeyMax: 2, perWorkspaceMax: 3, heavyPerWorkspaceMax: 1 });
  const one = await load.enter(owner("a"), OPEN);
  await load.enter(owner("a"), OPEN);
  await assert.rejects(load.enter(owner("a"), OPEN), refusal("1"));
  await load.enter(owner("b"), OPEN);
  await assert.rejects(load.enter(owner("b"), OPEN), refusal("1"));
  await load.enter(owner("c", "another"), OPEN);
  const heavy = await load.enterHeavy(owner("a"), OPEN);
  await assert.rejects(load.enterHeavy(owner("b"), OPEN), refusal("1"));
  one[Symbol.dispose]();
  one[Symbol.dispose]();
  await load.enter(owner("a"), OPEN);
  await assert.rejects(load.enter(owner("b"), OPEN), refusal("1"), "given back once, however often it is disposed");
  heavy[Symbol.dispose]();
  await load.enterHeavy(owner("b"), OPEN);
});

Deno.test("who waits has the next turn in order, and one who has gone takes none", async () => {
  const load = new RequestLoad({ ...NONE, perKeyMax: 1, waitMs: 60_000 });
  const first = await load.enter(owner("a"), OPEN);
  const gone = new AbortController();
  const left = assert.rejects(load.enter(owner("a"), gone.signal), /has gone/);
  const order: string[] = [];
  const second = load.enter(owner("a"), OPEN).then((turn) => (order.push("second"), turn));
  const third = load.enter(owner("a"), OPEN).then((turn) => (order.push("third"), turn));
  gone.abort(new Error("the caller has gone"));
  await left;
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  assert.deepEqual(order, ["second", "third"]);
});

Deno.test("a turn that comes back in the step in which a waiter leaves is not lost", async () => {
  const turns = new CallQueues(1);
  const first = await turns.enter("a", OPEN, 0);
  const gone = new AbortController();
  const left = assert.rejects(turns.enter("a", gone.signal, 60_000), /has gone/);
  gone.abort(new Error("the caller has gone"));
  first![Symbol.dispose]();
  await left;
  assert.equal(turns.countOf("a"), 0);
  assert.ok(await turns.enter("a", OPEN, 0), "free for the next one");
});

Deno.test("a request waits once: what it waited for one turn it does not wait for the next", async () => {
  const time = { ms: 0 };
  const limits = { ...NONE, perKeyMax: 1, perWorkspaceMax: 1, heavyPerWorkspaceMax: 1, waitMs: 60_000 };
  const load = new RequestLoad(limits, () => time.ms);
  const ofKey = await load.enter(owner("a", "another"), OPEN);
  const ofWorkspace = await load.enter(owner("b"), OPEN);
  await load.enterHeavy(owner("b"), OPEN);
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error("it waits again")), 5_000);
  try {
    const budget = load.budget();
    const entered = assert.rejects(load.enter(owner("a"), patience.signal, budget), refusal("1"));
    time.ms += 60_000;
    ofKey[Symbol.dispose]();
    await entered;
    ofWorkspace[Symbol.dispose]();
    (await load.enter(owner("a"), patience.signal, budget))[Symbol.dispose]();
    await assert.rejects(load.enterHeavy(owner("a"), patience.signal, budget), refusal("1"));
  } finally {
    clearTimeout(timer);
  }
});

Deno.test("seconds of the database are a key's and its workspace's, and come back with time", () => {
  const time = { ms: 0 };
  const limits = { ...NONE, databaseSecondsPerKey: 60, databaseSecondsPerWorkspace: 120 };
  const load = new RequestLoad(limits, () => time.ms);
  load.noteDatabaseTime(owner("a"), 59_000);
  load.requireDatabaseTime(owner("a"));
  load.noteDatabaseTime(owner("a"), 4_000);
  assert.throws(() => load.requireDatabaseTime(owner("a")), refusal("3"));
  load.requireDatabaseTime(owner("b"));
  assert.deepEqual(load.report(owner("b")).map(({ name, remaining }) => [name, remaining]), [
    ["database", 60],
    ["workspace-database", 57],
  ]);
  load.noteDatabaseTime(owner("b"), 58_000);
  assert.throws(() => load.requireDatabaseTime(owner("c")), refusal("1"), "the workspace's, whichever key");
  load.requireDatabaseTime(owner("c", "another"));
  time.ms += 3_100;
  load.requireDatabaseTime(owner("a"));
  time.ms += 120_000;
  assert.deepEqual(load.report(owner("a")).map(({ remaining, fullInSeconds }) => [remaining, fullInSeconds]), [
    [60, 0],
    [120, 0],
  ]);
});
