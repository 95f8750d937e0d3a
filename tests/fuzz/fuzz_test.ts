/**
 * Requests made from our own OpenAPI document, allowed and nearly allowed. Whatever is sent: no 5xx, a status that is
 * declared, a body as declared, and nothing of another workspace.
 *
 * Longer: `deno task fuzz --seed N --runs N`. What it found goes into `seeds.json`, and stays there.
 */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type FuzzCase, play } from "./_play.ts";
import { readOperations } from "./_operations.ts";
import { World } from "./_world.ts";

const SEED = Number(Deno.env.get("SVC_TEST_FUZZ_SEED") ?? 20_261_121);
const RUNS = Number(Deno.env.get("SVC_TEST_FUZZ_RUNS") ?? 6);
const REPORT = Deno.env.get("SVC_TEST_FUZZ_REPORT");
const ONLY = Deno.env.get("SVC_TEST_FUZZ_ONLY");

async function read(name: string) {
  return JSON.parse(await Deno.readTextFile(new URL(name, import.meta.url)));
}

Deno.test({
  ...POSTGRES,
  name: "whatever is asked of any operation gets a reply that is declared, and of its own workspace",
  async fn() {
    const operations = readOperations(await read("../openapi.json"))
      .filter((operation) => ONLY === undefined || new RegExp(ONLY).test(operation.id));
    const kept: FuzzCase[] = (await read("./seeds.json")).cases;
    await using world = await World.start(operations);
    const { findings, statuses, requests } = await play(world, operations, { seed: SEED, runs: RUNS, kept });
    if (REPORT) {
      const byOperation = Object.fromEntries([...statuses].map(([id, counts]) => [id, Object.fromEntries(counts)]));
      await Deno.writeTextFile(REPORT, JSON.stringify({ seed: SEED, requests, byOperation }, null, 2));
    }
    assert.deepEqual(findings, [], JSON.stringify(findings, null, 2));
  },
});
