/** What operators have for two services that exchange: the doctor's last steps, what is pending, convergence. */
import assert from "node:assert/strict";
import { diagnosePeer } from "../../src/domain/federation/exchange/diagnose.ts";
import { greet } from "../../src/domain/federation/peers/greet.ts";
import { publish } from "../../src/domain/federation/register/publish.ts";
import { sealPeerSecrets, secretsOf } from "../../src/domain/federation/peers/peers.ts";
import { SEALED_MAX, SEALED_WORN } from "../../src/domain/federation/protocol/sealing.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import { followSync, startSync } from "../../src/domain/federation/exchange/sync_jobs.ts";
import { listPeerGauges, writePeerSecrets } from "../../src/db/queries/federation_peer_standing.ts";
import type { LogSink } from "../../src/telemetry/log.ts";
import { POSTGRES } from "../_postgres.ts";
import { entryOf, pairUp, type Side, startPair } from "./_pair.ts";

async function createFact(side: Side, statement: string): Promise<string> {
  const { status, body } = await side.service.post("/v1/memory/facts", { statement });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

/** What the doctor of one side says of a step towards the other. */
async function step(side: Side, other: Side, name: string) {
  const steps = await diagnosePeer(side.service.operator(), other.id);
  const found = steps.find((one) => one.name === name);
  assert.ok(found, `no step ${name}: ${JSON.stringify(steps)}`);
  return found;
}

Deno.test({
  ...POSTGRES,
  name: "operators of two services see what their exchange lacks",
  async fn(t) {
    const events: string[] = [];
    const logSink: LogSink = (line: string) => void events.push(JSON.parse(line).event);
    await using pair = await startPair({ a: { logSink, env: { SVC_LOG_LEVEL: "warn" } } });
    const { a, b } = pair;
    await pairUp(pair);
    const later = (seconds: number) => void (pair.now = new Date(pair.now.getTime() + seconds * 1_000));

    await t.step(
      "the doctor fetches a page and compares the digests, and says what to do where they differ",
      async () => {
        await createFact(a, "The turbine of plant Nord runs at 3,000 rpm.");
        const ahead = await step(b, a, "digest");
        assert.equal(ahead.isOk, false);
        assert.match(
          ahead.says,
          /0 items here, 1 there\. Run `svc federation sync instance:a\.test --reconcile --wait`/,
        );
        assert.deepEqual(await step(b, a, "page"), {
          name: "page",
          isOk: true,
          says: "one item was fetched and opened, signed and sealed",
        });
        const ctx = b.service.operator();
        const { jobId } = await startSync(ctx, {
          ...{ peer: a.id, conflictResolution: undefined, mode: "both", reconcile: false },
        });
        const job = await followSync(ctx, jobId);
        assert.deepEqual([job.status, job.received, job.error], ["completed", 1, null]);
        assert.equal((await step(b, a, "digest")).says, "both sides have the same 1 items");
      },
    );

    await t.step("the doctor says which keys to compare where a page does not open", async () => {
      later(60);
      const peer = (await entryOf(b, a))!;
      const { sealKey, apiKey } = secretsOf(b.service.deps, peer);
      const other = { sealKey: sealKey!.toBase64(), apiKey, symmetricKey: new Uint8Array(32).fill(7).toBase64() };
      const write = (sealed: string | null) => b.service.operator().tx((tx) => writePeerSecrets(tx, a.id, sealed));
      await write(sealPeerSecrets(b.service.deps, peer, other));
      const { isOk, says } = await step(b, a, "page");
      assert.equal(isOk, false);
      assert.match(says, /symmetricKey in the entry here has to be the sealKey in the entry over there/);
      await write(peer.secrets);
    });

    await t.step("both sides converge by their policies, and not any more when one changes its own", async () => {
      const converges = async (side: Side, other: Side) =>
        (await side.service.get(`/v1/memory/federation/peers/${encodeURIComponent(other.id)}`)).body.converges;
      assert.deepEqual([await converges(a, b), await converges(b, a)], [true, true]);
      await b.service.operator().tx((tx) =>
        tx.sql`update federation_peer set conflict_resolution = 'theirs_wins' where workspace_id = ${tx.workspaceId}`
      );
      await greet(a.service.operator(), { id: b.id });
      assert.deepEqual([await converges(a, b), await converges(b, a)], [false, false]);
    });

    await t.step("an erasure that the peer has not acknowledged is pending, until it has", async () => {
      const id = await createFact(a, "The pump of plant Nord leaks.");
      await syncWithPeer(b.service.operator(), a.id);
      assert.equal((await a.service.post(`/v1/facts/${id}/forget`, { mode: "erase" })).status, 200);
      while (await publish(a.service.operator()));
      const { body } = await a.service.call("GET", "/metrics", { key: null });
      assert.match(body, /svc_federation_erasures_pending\{peer="instance:b\.test"\} 1\n/);
      assert.match(body, /svc_federation_replay_detected_total\{peer="instance:b\.test"\} 0\n/);
      await syncWithPeer(a.service.operator(), b.id);
      const [gauge] = await a.service.deps.db.system(listPeerGauges, { readOnly: true });
      assert.deepEqual([gauge!.peer, gauge!.erasuresPending], [b.id, 0]);
    });

    await t.step(
      "a key seals half of what its nonces are good for, and is told to be replaced long before",
      async () => {
        later(60);
        const { sealKey } = secretsOf(a.service.deps, (await entryOf(a, b))!);
        const add = (items: number) =>
          a.service.deps.db.system(async (sql) => {
            const [{ hash }] = await sql<[{ hash: Uint8Array }]>`
            select sha256(convert_to(${"svc-fed-seal-key-v1\n"}, 'UTF8') || ${sealKey!}::bytea) as hash`;
            const [row] = await sql<[{ items: number }]>`
            select svc_system.count_sealed_items(${hash}, ${items}, ${SEALED_MAX})::float8 as items`;
            return row.items;
          });
        assert.ok(await add(0) >= 2, "what was served before was counted");
        assert.ok((await step(a, b, "sealing")).isOk);
        await add(SEALED_WORN - await add(0) - 1);
        assert.equal(events.filter((event) => event === "federation.seal_key_worn").length, 0);
        await createFact(a, "The valve of plant Nord is closed.");
        assert.equal((await syncWithPeer(b.service.operator(), a.id))?.error, null);
        assert.equal(events.filter((event) => event === "federation.seal_key_worn").length, 1);
        const { isOk, says } = await step(a, b, "sealing");
        assert.equal(isOk, false);
        assert.match(says, /name another one, first as symmetricKeyNext in the entry over there/);
        await add(SEALED_MAX - await add(0));
        const id = await createFact(a, "The gate of plant Nord is open.");
        const report = await syncWithPeer(b.service.operator(), a.id);
        assert.deepEqual([report?.received, report?.error?.code], [0, "unavailable"]);
        assert.equal((await b.service.get(`/v1/memory/facts/${id}`)).status, 404);
        assert.equal(events.filter((event) => event === "federation.seal_key_used_up").length > 0, true);
        assert.equal(await add(0), SEALED_MAX, "what is refused is not counted");
        const [row] = await a.service.deps.db.system((sql) =>
          sql<[{ reads: boolean }]>`select has_table_privilege('svc_sealed_items', 'select') as reads`
        );
        assert.equal(row.reads, false, "requests reach the counts by a function alone");
      },
    );
  },
});
