/** Two instances as processes with their own databases, each behind the proxy with client certificates. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { HAPROXY } from "../_programs.ts";
import { waitFor } from "../_wait.ts";
import { type Instance, startInstances } from "./_processes.ts";

const BOTH = { ignore: POSTGRES.ignore || HAPROXY === undefined };

// deno-lint-ignore no-explicit-any
type Json = any;

async function create(at: Instance, statement: string): Promise<Json> {
  const { status, body } = await at.call("POST", "/v1/memory/facts", { statement, attribution: "user_stated" });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

/** Waits until recall at an instance finds a fact. */
function recalled(at: Instance, { id, statement }: Json): Promise<Json> {
  return waitFor(`${statement} to be recalled at ${at.id}`, async () => {
    const { body } = await at.call("POST", "/v1/memory/recall", { query: statement });
    return body.results?.find((result: Json) => result.id === id);
  });
}

async function statusOf(at: Instance, id: string): Promise<number> {
  return (await at.call("GET", `/v1/memory/facts/${id}`)).status;
}

async function digestIsEqual(at: Instance, peer: Instance): Promise<void> {
  const started = await at.call("POST", "/v1/memory/federation/sync", { peer: peer.id, mode: "pull", reconcile: true });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const job = await waitFor("the comparison to end", async () => {
    const { body } = await at.call("GET", `/v1/memory/federation/sync/${started.body.jobId}`);
    return body.status !== "processing" && body;
  });
  assert.equal(job.reconciled?.equal, true, JSON.stringify(job));
}

Deno.test({
  ...BOTH,
  name:
    "F19 two processes behind proxies with client certificates: both ways, through a frozen way, and through kill -9",
  async fn(t) {
    await using instances = await startInstances();
    const { a, b } = instances;

    await t.step("T41 without any API key: the certificates and the signatures are enough", async () => {
      const fact = await create(a, "The lighthouse of Skagen is white.");
      assert.equal((await recalled(b, fact)).contested, false);
      await recalled(a, await create(b, "The harbour of Skagen has three basins."));
      const { body } = await a.call("GET", "/v1/memory/federation/peers");
      assert.deepEqual(body.data.map(({ id, state }: Json) => [id, state]), [[b.id, "ACTIVE"]]);
    });

    await t.step("an erasure on A is an erasure on B", async () => {
      const fact = await create(a, "The ferry of Skagen is called Nordlys.");
      await recalled(b, fact);
      assert.equal((await a.call("POST", `/v1/facts/${fact.id}/forget`, { mode: "erase" })).status, 200);
      await waitFor("the fact to be gone from B", async () => await statusOf(b, fact.id) === 410);
    });

    await t.step("B is killed while it reads: nothing is missing, and nothing is there twice", async () => {
      const facts = Array.from({ length: 300 }, (_, i) => ({ statement: `Ship ${i} anchors at place ${i}.` }));
      for (let i = 0; i < 300; i += 100) {
        const { status, body } = await a.call("POST", "/v1/memory/facts/batch", { facts: facts.slice(i, i + 100) });
        assert.ok(status < 300, JSON.stringify(body));
      }
      const count = async (at: Instance) => {
        const { body } = await at.call("GET", "/v1/memory/admin/stats");
        assert.ok(body.units.byType.fact.total >= 300, JSON.stringify(body.units.byType));
        return body.units.byType.fact.total;
      };
      await waitFor("the first of them", async () => {
        const { body } = await b.call("POST", "/v1/memory/recall", { query: "Ship anchors at place" });
        return body.results.length > 0;
      });
      await b.killAndStart();
      await recalled(b, { id: (await find(a, "Ship 299 anchors at place 299.")).id, statement: facts[299]!.statement });
      await digestIsEqual(b, a);
      assert.equal(await count(b), await count(a));
    });

    await t.step("a frozen way from A to B: B reads on, and after the heal both are equal", async () => {
      b.way.freeze();
      const [here, there] = [await create(a, "Fog closes the harbour."), await create(b, "The pilot is ashore.")];
      await recalled(b, here);
      b.way.heal();
      await recalled(a, there);
      await digestIsEqual(a, b);
      await digestIsEqual(b, a);
    });

    await t.step("T43 a peer that is removed is refused at once", async () => {
      const gone = await a.call("DELETE", `/v1/memory/federation/peers/${encodeURIComponent(b.id)}`);
      assert.equal(gone.status, 200, JSON.stringify(gone.body));
      const late = await create(a, "The lock gate is closed at night.");
      const started = await b.call("POST", "/v1/memory/federation/sync", { peer: a.id });
      const job = await waitFor("the job to end", async () => {
        const { body } = await b.call("GET", `/v1/memory/federation/sync/${started.body.jobId}`);
        return body.status !== "processing" && body;
      });
      assert.equal(job.status, "failed");
      assert.equal(await statusOf(b, late.id), 404);
    });
  },
});

async function find(at: Instance, statement: string): Promise<Json> {
  const { body } = await at.call("POST", "/v1/memory/recall", { query: statement });
  return body.results.find(({ text }: Json) => text === statement) ?? assert.fail(`${statement} is not there`);
}
