/** A vote about a contested item counts those that hold a copy of it: a turn asks them what they show. */
import assert from "node:assert/strict";
import { SENSITIVITIES } from "../../src/schema/common.ts";
import { createContext } from "../../src/context.ts";
import { receiveItems } from "../../src/domain/federation/applying/receive.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { POSTGRES } from "../_postgres.ts";
import { factForm, itemOf, type Json } from "./_exchange.ts";
import { type Pair, pairUp, type Side, startPair, TERMS } from "./_pair.ts";
import { storePeer } from "./_peer.ts";

const X = "instance:x.test";
const Y = "instance:y.test";

async function ok(reply: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await reply;
  assert.ok(status < 300, JSON.stringify(body));
  return body;
}

/** A turn of one side with the other that comes to its end, and what it asked of the other. */
async function turn(side: Side, other: Side): Promise<string[]> {
  const before = other.front.requests.length;
  const report = await syncWithPeer(side.service.operator(), other.id);
  assert.equal(report?.error, null, JSON.stringify(report));
  return other.front.requests.slice(before).map((request) => request.replace(/\?.*/, ""));
}

const ASKING = "POST /v1/memory/federation/messages";

/** X, or another instance, says otherwise about a fact that began on A. */
async function contradict({ a, now }: Pair, id: string, statement: string, writer = X): Promise<void> {
  const item = itemOf(writer, {
    origin: { instance: a.id, id },
    version: 2,
    updatedAt: now.toISOString(),
    unit: factForm(statement),
  });
  const operator = a.service.operator();
  const ctx = createContext(operator.deps, { ...operator, maxSensitivity: SENSITIVITIES.at(-1)! }, operator);
  assert.deepEqual((await receiveItems(ctx, writer, [item])).map(({ outcome }) => outcome), ["contested"]);
}

async function conflictsOf({ service }: Side): Promise<Json[]> {
  return (await ok(service.get("/v1/memory/federation/conflicts"))).data;
}

Deno.test({
  ...POSTGRES,
  name: "T37 consensus: a peer that holds a copy is asked for its vote in a turn, and its answer decides what is shown",
  async fn(t) {
    await using pair = await startPair();
    const { a, b } = pair;
    await pairUp(pair, { ...TERMS, conflictResolution: "consensus", trustWeight: 60 });
    await storePeer(a.service.operator(), {
      ...{ id: X, trustWeight: 60, conflictResolution: "consensus", maxSensitivity: "restricted" },
    });
    const create = (statement: string, more: Json = {}) =>
      ok(a.service.post("/v1/memory/facts", { statement, attribution: "agent_stated", ...more }));

    await t.step("this instance alone has no majority; with the copy's vote it has", async () => {
      const fact = await create("The lock of gate 7 opens at five.");
      await turn(b, a);
      await contradict(pair, fact.id, "The lock of gate 7 opens at six.");
      assert.equal((await conflictsOf(a)).length, 1);
      assert.equal((await turn(a, b)).filter((request) => request === ASKING).length, 1);
      assert.deepEqual(await conflictsOf(a), []);
      assert.equal((await ok(a.service.get(`/v1/memory/facts/${fact.id}`))).statement, fact.statement);
      assert.deepEqual((await ok(a.service.get("/v1/review?kind=federation_conflict"))).data, []);
      assert.ok(!(await turn(a, b)).includes(ASKING));
    });

    await t.step("who shows nothing has no vote, and is asked again after ten minutes", async () => {
      const fact = await create("The lock of gate 8 opens at seven.");
      await contradict(pair, fact.id, "The lock of gate 8 opens at eight.");
      assert.ok((await turn(a, b)).includes(ASKING));
      assert.equal((await conflictsOf(a)).length, 1);
      await turn(b, a);
      assert.ok(!(await turn(a, b)).includes(ASKING));
      pair.now = new Date(pair.now.getTime() + 601_000);
      assert.ok((await turn(a, b)).includes(ASKING));
      assert.deepEqual(await conflictsOf(a), []);
    });

    await t.step(
      "an answer that was changed on its way stores nothing; the next turn asks again, and once",
      async () => {
        const fact = await create("The lock of gate 9 opens at nine.");
        await turn(b, a);
        await contradict(pair, fact.id, "The lock of gate 9 opens at ten.");
        b.front.garble = (body) => body.replace(/"claims":\[\{/, '"claims":[{"x":1,');
        const report = await syncWithPeer(a.service.operator(), b.id);
        b.front.garble = undefined;
        assert.equal(report?.error?.code, "federation_verify_failed");
        assert.equal((await conflictsOf(a)).length, 1);
        assert.equal((await turn(a, b)).filter((request) => request === ASKING).length, 1);
        assert.deepEqual(await conflictsOf(a), []);
      },
    );

    await t.step("an item that the peer may not see is not named to it", async () => {
      const fact = await create("The code of gate 9 is kept by the porter.", { sensitivity: "restricted" });
      await contradict(pair, fact.id, "The code of gate 9 is kept by the mayor.");
      assert.ok(!(await turn(a, b)).includes(ASKING));
      assert.equal((await conflictsOf(a)).length, 1);
    });

    await t.step("a peer without a vote is not asked", async () => {
      const { workspaceId } = a.service;
      const weigh = (weight: number | null) =>
        a.service.operator().tx(async (tx) => {
          await tx
            .sql`update federation_peer set trust_weight = ${weight} where workspace_id = ${workspaceId} and id = ${b.id}`;
        });
      const fact = await create("The lock of gate 10 opens at noon.");
      await turn(b, a);
      await contradict(pair, fact.id, "The lock of gate 10 opens at one.");
      await weigh(null);
      assert.ok(!(await turn(a, b)).includes(ASKING));
      await weigh(60);
      assert.ok((await turn(a, b)).includes(ASKING));
    });

    await t.step("who settles by claims may name an answer: it is the word of who gave it", async () => {
      await storePeer(a.service.operator(), { id: Y, trustWeight: 100, conflictResolution: "consensus" });
      const fact = await create("The lock of gate 11 opens at two.");
      await turn(b, a);
      await contradict(pair, fact.id, "The lock of gate 11 opens at three.");
      await contradict(pair, fact.id, "The lock of gate 11 opens at four.", Y);
      const words: Json[] = await a.service.operator().tx((tx) =>
        tx.sql`
          select writer as instance, version, encode(hash, 'hex') as hash from federation_version
           where workspace_id = ${tx.workspaceId} and origin_id = ${fact.id}`
      );
      const { version, hash } = words.find(({ instance }) => instance === a.id);
      const items = [...words, { instance: b.id, version, hash }].map((word) => ({ ...word, id: fact.id }));
      const resolve = () => ok(a.service.post("/v1/memory/federation/resolve", { items }));
      assert.deepEqual((await resolve()).ignored, [{ instance: b.id, reason: "not_its_word" }]);
      assert.ok((await turn(a, b)).includes(ASKING));
      const { status, ignored, votes } = await resolve();
      assert.deepEqual([status, ignored, votes.length], ["contested", [], 4]);
    });
  },
});
