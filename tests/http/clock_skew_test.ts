/** Two processes whose clocks differ on one database: a later statement counts as later, whatever the clocks say. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { FACTS, LIVES_IN, livesIn, read } from "./_facts.ts";

const AHEAD = new Date("2026-06-01T12:00:10.000Z");
const BEHIND = new Date("2026-06-01T12:00:00.000Z");

Deno.test({
  ...POSTGRES,
  name: "a later statement supersedes an earlier one of a process whose clock is ahead, and is in force at once there",
  async fn() {
    await using ahead = await startService({ clock: () => AHEAD });
    await using behind = await startService({ clock: () => BEHIND, database: ahead.database! });
    const options = { key: ahead.key };
    const paris = await livesIn(ahead, "Paris");
    const rome = await livesIn(ahead, "Rome");
    assert.equal(rome.conflict.outcome, "superseded");
    const body = { statement: "Caroline lives in Oslo.", ...LIVES_IN, object: "Oslo" };
    const oslo = await behind.post(FACTS, body, options);
    assert.equal(oslo.body.conflict.outcome, "superseded", JSON.stringify(oslo.body));
    assert.equal((await behind.post(FACTS, body, options)).status, 200);
    const closed = await read(ahead, rome.id);
    assert.equal(closed.status, "superseded");
    assert.ok(closed.validTo >= closed.validFrom);
    assert.equal((await read(ahead, paris.id)).status, "superseded");
    const found = await ahead.post("/v1/memory/recall", { query: "Where does Caroline live?", types: ["fact"] });
    assert.deepEqual(found.body.results.map((result: { id: string }) => result.id), [oslo.body.id]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the versions of a fact follow each other in time when processes with other clocks change it",
  async fn() {
    await using ahead = await startService({ clock: () => AHEAD });
    await using behind = await startService({ clock: () => BEHIND, database: ahead.database! });
    const fact = await livesIn(ahead, "Paris");
    for (const [i, service] of [behind, ahead, behind, behind].entries()) {
      const reply = await service.patch(`${FACTS}/${fact.id}`, { confidence: i / 10 }, { key: ahead.key });
      assert.equal(reply.status, 200);
    }
    const { body } = await ahead.get(`${FACTS}/${fact.id}/revisions?order=asc`);
    assert.deepEqual(body.data.map((version: { version: number }) => version.version), [1, 2, 3, 4, 5]);
    for (const [i, { recordedAt, replacedAt }] of body.data.entries()) {
      assert.ok(replacedAt === null || recordedAt <= replacedAt, `version ${i + 1}: ${recordedAt} to ${replacedAt}`);
      if (i > 0) assert.equal(recordedAt, body.data[i - 1].replacedAt);
    }
  },
});
