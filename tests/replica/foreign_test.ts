/** Standbys that are no replica of the service's primary, or of a workspace that it serves, are not read. docs/guides/scale.md. */
import assert from "node:assert/strict";
import { connectionOf, type NativePostgres } from "../../scripts/gate/native_postgres.ts";
import { nameCluster } from "../../src/db/migrations.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import type { TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { atPort, movedTo, outcomesOf, ReplicaPair, untilReplica } from "./_pair.ts";

const FACTS = "/v1/memory/facts";
const FACT = { statement: "The first fact." };

async function listed(service: TestService): Promise<string[]> {
  const { status, body } = await service.get(FACTS);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map((fact: { statement: string }) => fact.statement);
}

/** Takes a server's log and its mark far ahead of any other one's, as long use does, and its standby with it. */
async function runAhead(pair: ReplicaPair, server: NativePostgres, standby: NativePostgres): Promise<void> {
  await pair.look(server, async (sql) => {
    await sql`update replica_mark set beat = beat + 100`;
    await sql`create table ballast as select repeat('x', 100) from generate_series(1, 100000)`;
  });
  await waitFor(
    "the standby has it",
    () => pair.look(standby, async (sql) => (await sql`select to_regclass('ballast') as t`)[0]!["t"] !== null),
  );
}

async function assertForeign(service: TestService): Promise<void> {
  assert.deepEqual(await listed(service), [FACT.statement]);
  const { replica = 0, foreign = 0 } = await outcomesOf(service);
  assert.deepEqual({ replica, foreign }, { replica: 0, foreign: 1 });
  const { status, body } = await service.get("/health/ready?exclude=notifications", { key: null });
  assert.deepEqual([status, body.checks.replica], [200, "foreign"]);
}

Deno.test({
  ...POSTGRES,
  name: "a standby of another primary is not read, though it has a database and a role of the same names",
  async fn() {
    await using pair = await ReplicaPair.start();
    await using other = await ReplicaPair.start();
    const password = decodeURIComponent(new URL(pair.database.requestUrl).password);
    await using elsewhere = await other.service();
    assert.equal((await elsewhere.post(FACTS, { statement: "It is another service's." })).status, 201);
    await untilReplica(elsewhere, () => elsewhere.get(FACTS));
    await elsewhere[Symbol.asyncDispose]();
    await other.look(other.primary, (sql) => sql.unsafe(`alter role svc_test_request password '${password}'`));
    await runAhead(other, other.primary, other.standby);
    await other.renameDatabase(pair.database.name);
    const url = atPort(pair.database.requestUrl, other.standby.port);
    await using service = await pair.service({ env: { SVC_DATABASE_REPLICA_URL: url } });
    assert.equal((await service.post(FACTS, FACT)).status, 201);
    await assertForeign(service);
  },
});

Deno.test({
  ...POSTGRES,
  name: "after a failover a standby that stayed with the old primary is not read, and one that follows the new one is",
  async fn() {
    await using pair = await ReplicaPair.start();
    const straggler = await pair.addStandby(pair.primary);
    const follower = await pair.addStandby(pair.standby);
    await using before = await pair.service();
    assert.equal((await before.post(FACTS, { statement: "What was known before." })).status, 201);
    await untilReplica(before, () => before.get(FACTS));
    await before[Symbol.asyncDispose]();
    await pair.standby.promote();
    // Nobody has told the old primary that it is one no more.
    await runAhead(pair, pair.primary, straggler);
    const database = movedTo(pair.database, pair.standby.port);
    const on = (server: NativePostgres) =>
      pair.service({ database, env: { SVC_DATABASE_REPLICA_URL: atPort(pair.database.requestUrl, server.port) } });
    await using service = await on(straggler);
    await using good = await on(follower);
    const workspace = await service.inNewWorkspace();
    assert.equal((await workspace.post(FACTS, FACT)).status, 201);
    await assertForeign(workspace);
    const key = { key: workspace.key };
    const found = await untilReplica(good, () => good.get(FACTS, key));
    assert.equal(found.body.data.length, 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the replica of a cluster does not show a workspace that has moved to another one",
  async fn() {
    await using pair = await ReplicaPair.start();
    const b = await createDatabase({ cluster: pair.primary.url() });
    await nameCluster(connectionOf(pair.database.ownerUrl), "home");
    await nameCluster(connectionOf(b.ownerUrl), "b");
    await using service = await pair.service({ env: { SVC_CLUSTERS: `b=${b.requestUrl}` } });
    assert.equal((await service.post(FACTS, FACT)).status, 201);
    assert.deepEqual(await untilReplica(service, () => listed(service)), [FACT.statement]);
    // As a move leaves it, before any process has heard.
    const { workspaceId } = service;
    await pair.look(pair.primary, (sql) =>
      sql.begin(async (tx) => {
        await tx`insert into placement (id, cluster) values (${workspaceId}, 'b')`;
        await tx`insert into placement_mark (id, state, mover) values (${workspaceId}, 'left', gen_random_uuid())`;
      }));
    assert.deepEqual(await listed(service), [], "the other cluster answers, to which nothing was copied");
  },
});
