/** The door to SQL while random backends are killed under writers of two workspaces. docs/reference/guarantees.md T3, F1. */
import assert from "node:assert/strict";
import { ServiceError } from "../../src/errors.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Door, openDoor, type Row, watchUncaught, writeRow } from "./_door.ts";

const WRITERS = 12;
const CALLS = 1_500;
const CALLS_PER_KILL = 15;
const DEADLINE_MS = 20_000;

/** Mulberry32: the choices are the same in every run, but the scheduler's order differs. */
function createRandom(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Waits some milliseconds for something other than the database: a callback does so when its backend dies. */
function elsewhere(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test({
  ...POSTGRES,
  name: `F1 ${CALLS} calls of two workspaces while random backends are killed: no leak, no lost write`,
  async fn() {
    using uncaught = watchUncaught();
    await using door = await openDoor({ max: 4, deadlineMs: DEADLINE_MS });
    const random = createRandom(20_260_115);
    const acknowledged = new Set<number>();
    const refusals = new Map<string, number>();
    let leaks = 0;
    let started = 0;
    let slowestMs = 0;
    let killed = 0;

    async function call(id: number, tag: "A" | "B"): Promise<void> {
      const begun = performance.now();
      const pauses = [random() * 8, random() * 8];
      try {
        const seen = await door.db.tx(tag === "A" ? door.a : door.b, async (tx) => {
          await writeRow(tx, `${tag} ${id} first`, id);
          await elsewhere(pauses[0]!);
          const rows = await tx.sql<Row[]>`select name, value from usage_counter limit 50`;
          await elsewhere(pauses[1]!);
          await writeRow(tx, `${tag} ${id} second`, id);
          return [...rows, ...await tx.sql<Row[]>`select name, value from usage_counter order by name desc limit 50`];
        });
        if (seen.some((row) => !row.name.startsWith(tag))) leaks++;
        acknowledged.add(id);
      } catch (error) {
        const code = error instanceof ServiceError ? error.code : String(error);
        refusals.set(code, (refusals.get(code) ?? 0) + 1);
      }
      slowestMs = Math.max(slowestMs, performance.now() - begun);
      if (id % CALLS_PER_KILL === 0) killed += await killOne(door, random());
    }

    async function write(tag: "A" | "B"): Promise<void> {
      while (started < CALLS) await call(++started, tag);
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n % 2 === 0 ? "A" : "B")));

    const written = new Map<number, number>();
    for (const { value } of await door.rows()) written.set(Number(value), (written.get(Number(value)) ?? 0) + 1);
    const missing = [...acknowledged].filter((id) => written.get(id) !== 2);
    const half = [...written.values()].filter((rows) => rows !== 2).length;
    console.log(JSON.stringify({
      calls: started,
      acknowledged: acknowledged.size,
      refusals: Object.fromEntries(refusals),
      killed,
      pools: door.db.poolGeneration,
      slowestMs: Math.round(slowestMs),
      leaks,
      missing: missing.length,
      half,
      committedWithoutReply: written.size - acknowledged.size,
      uncaught: uncaught.errors.length,
    }));
    assert.equal(leaks, 0);
    assert.deepEqual(missing, []);
    assert.equal(half, 0);
    assert.deepEqual(uncaught.errors, []);
    assert.ok(slowestMs < DEADLINE_MS, `the slowest call took ${slowestMs} ms`);
    assert.deepEqual([...refusals.keys()].filter((code) => code !== "unavailable"), []);
    assert.ok(killed >= CALLS / CALLS_PER_KILL / 2, `only ${killed} backends were there to be killed`);
    assert.ok(acknowledged.size > CALLS / 2, `only ${acknowledged.size} calls got through`);
    // After the last kill, everything works immediately.
    await Promise.all(Array.from({ length: 20 }, (_, n) => door.db.tx(door.a, (tx) => writeRow(tx, `A after ${n}`))));
  },
});

/** Ends one backend of the door's pools; returns how many it ended. */
async function killOne(door: Door, chance: number): Promise<number> {
  const pids = await door.superuser<{ pid: number }[]>`
    select pid from pg_stat_activity
     where datname = current_database() and application_name = 'svc-door-test' order by pid`;
  if (pids.length === 0) return 0;
  const { pid } = pids[Math.floor(chance * pids.length)]!;
  await door.superuser`select pg_terminate_backend(${pid})`;
  return 1;
}
