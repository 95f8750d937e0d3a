/** What bounds peers of a service, and what they may ask for. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { addPeer, approvePeer } from "../../src/domain/federation/peers/manage_peers.ts";
import { AddPeerBody } from "../../src/schema/federation_peer_resource.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

const entry = (id: string) => AddPeerBody.parse({ id: `instance:${id}.example`, endpoint: `https://${id}.example` });

Deno.test({
  ...POSTGRES,
  name: "T42 a service has 256 peers in all its workspaces together; one that several have counts once",
  async fn() {
    await using service = await startService({ env: { SVC_DB_DEADLINE_MS: "600000" } });
    const other = await service.createWorkspace("other");
    const ctx = service.operator();
    const third = service.operator(await service.createWorkspace("third"));
    const sql = postgres(service.database!.superuserUrl, { max: 2, onnotice: () => {} });
    let outcomes: PromiseSettledResult<unknown>[];
    try {
      await sql`
        insert into federation_peer (
          workspace_id, id, uid, source, endpoint, state, approved_at, remote_workspace_id, created_at, updated_at)
        select ${other}, 'instance:p' || n || '.example', gen_random_uuid(), 'stored', 'https://p.example', 'ACTIVE', now(),
               ${other}, now(), now()
          from generate_series(1, 255) as n`;
      outcomes = await sql.begin(async (holder) => {
        // It holds up whoever has counted and is about to take the place, and nobody who counts.
        await holder`lock table federation_peer in share mode`;
        const adding = Promise.allSettled([addPeer(ctx, entry("one")), addPeer(third, entry("two"))]);
        await waitFor("both wait, for the place or for whoever takes it", async () => {
          const [row] = await sql`
            select count(distinct pid)::int as n from pg_locks join pg_stat_activity using (pid)
             where not granted and datname = current_database()
               and (query like '%insert into federation_peer%' or query like '%count_other_peers%')`;
          return row!["n"] === 2;
        });
        return { adding };
      }).then(({ adding }) => adding);
    } finally {
      await sql.end({ timeout: 5 });
    }
    const refused = outcomes.flatMap((outcome) => outcome.status === "rejected" ? [outcome.reason] : []);
    assert.equal(refused.length, 1, "two at once do not both take the last place");
    assert.deepEqual([refused[0].code, refused[0].message], ["conflict", "Cannot add the peer: this service has 256"]);
    await assert.rejects(addPeer(ctx, entry("three")), { code: "conflict" });
    assert.equal((await addPeer(ctx, entry("p7"))).state, "HANDSHAKE", "another workspace has it already");
    // Whoever has no command line adds a peer that waits; approving it takes a place.
    const { body, status } = await service.post("/v1/memory/federation/peers", {
      ...{ id: "instance:four.example", endpoint: "https://four.example" },
    });
    assert.deepEqual([status, body.state], [201, "DISCOVERED"], JSON.stringify(body));
    await assert.rejects(approvePeer(ctx, "instance:four.example", {}), /this service has 256/);
  },
});

Deno.test("T42 a reader asks for six roots of the digest a minute, and for what is below them as often as it wants", async () => {
  let now = new Date("2026-09-21T14:00:00.000Z");
  await using service = await startService({ embedded: true, clock: () => now });
  const ask = (query = "") => service.get(`/v1/memory/federation/digest?side=served${query}`);
  for (let i = 0; i < 6; i++) assert.equal((await ask()).status, 200, `${i}`);
  const seventh = await ask();
  assert.deepEqual([seventh.status, seventh.body.code], [429, "rate_limited"]);
  assert.equal(seventh.headers.get("retry-after"), "10");
  assert.equal((await ask("&prefix=7a")).status, 200);
  const other = await service.inNewWorkspace();
  assert.equal(
    (await other.get("/v1/memory/federation/digest?side=served")).status,
    200,
    "another reader's are its own",
  );
  now = new Date(now.getTime() + 10_000);
  assert.deepEqual([(await ask()).status, (await ask()).status], [200, 429]);
});
