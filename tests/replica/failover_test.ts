/** The primary dies under load and its standby is promoted: nothing that was acknowledged is lost. docs/guides/failover.md. */
import assert from "node:assert/strict";
import { createTestDeps } from "../_deps.ts";
import { POSTGRES } from "../_postgres.ts";
import { startRelay } from "../_relay.ts";
import { waitFor } from "../_wait.ts";
import { checkLedger, checkLiveness, Clients, createTenant } from "../fault/_ledger.ts";
import { ServiceProcess } from "../fault/_process.ts";
import { parseMetrics } from "../http/_metrics.ts";
import { atHosts, atPort, movedTo, ReplicaPair } from "./_pair.ts";

async function outcomesAt({ url }: ServiceProcess): Promise<Record<string, number>> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const samples = parseMetrics(page).get("svc_replica_reads_total")?.samples ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [labels["outcome"]!, value]));
}

/** What an operator has between the service and the servers. */
interface Way {
  readonly env: Readonly<Record<string, string>>;
  /** Leads to the standby from now on, if that is not found by itself. */
  readonly move?: () => void;
  /** Whether there is a standby left that follows the promoted one, and reads go there. */
  readonly hasReplica?: boolean;
}

/** A pooler, or an address that moves. */
function movingAddress({ primary, standby, database, stack, replicaUrl }: ReplicaPair): Way {
  const address = stack.use(startRelay({ hostname: "127.0.0.1", port: primary.port }));
  return {
    env: { DATABASE_URL: atPort(database.requestUrl, address.port), SVC_DATABASE_REPLICA_URL: replicaUrl },
    move: () => address.moveTo({ hostname: "127.0.0.1", port: standby.port }),
  };
}

/** All hosts in every URL. */
async function hostsInUrl(pair: ReplicaPair, { direct = false } = {}): Promise<Way> {
  const { primary, standby, database } = pair;
  const third = await pair.addStandby(standby);
  return {
    env: {
      DATABASE_URL: atHosts(database.requestUrl, [primary, standby], "read-write"),
      ...(direct && { SVC_DATABASE_DIRECT_URL: atHosts(database.requestUrl, [standby, primary], "primary") }),
      SVC_OWNER_DATABASE_URL: atHosts(database.ownerUrl, [standby, primary], "read-write"),
      SVC_DATABASE_REPLICA_URL: atHosts(database.requestUrl, [standby, third], "prefer-standby"),
      SVC_DB_CONNECT_TIMEOUT_SECONDS: "2",
    },
    hasReplica: true,
  };
}

/** Two processes write while the primary ends as `end` says; then the standby is promoted. */
async function failOver(
  pair: ReplicaPair,
  { env, move, hasReplica = false }: Way,
  end: () => Promise<void> | void,
): Promise<void> {
  const { primary, standby, database, stack } = pair;
  await pair.look(primary, async (sql) => {
    await sql.unsafe("alter system set synchronous_standby_names = '*'");
    await sql`select pg_reload_conf()`;
    await waitFor(
      "the standby is synchronous",
      async () => (await sql`select sync_state from pg_stat_replication`)[0]?.["sync_state"] === "sync",
    );
  });
  const nodes: ServiceProcess[] = [];
  for (let n = 0; n < 2; n++) nodes.push(stack.use(await ServiceProcess.start(env)));
  const before = stack.use(await createTestDeps(database));
  const tenants = [];
  for (const mark of ["MARK_ADA", "MARK_BO"]) tenants.push(await createTenant(before, nodes[0]!.url, mark));
  let turn = 0;
  const clients = new Clients(tenants, 3, { url: () => nodes[turn++ % nodes.length]!.url });
  await clients.progress(60);
  await waitFor("reads go to the replica", async () => ((await outcomesAt(nodes[0]!))["replica"] ?? 0) > 0);

  const diedAt = performance.now();
  await end();
  await standby.promote();
  move?.();
  const promotedMs = performance.now() - diedAt;
  await waitFor("every process is ready", async () => {
    const codes = await Promise.all(nodes.map((node) => node.status("/health/ready")));
    return codes.every((code) => code === 200);
  });
  const readyMs = performance.now() - diedAt;
  await clients.progress(60);
  const replicaReads = async () => Promise.all(nodes.map(async (node) => (await outcomesAt(node))["replica"] ?? 0));
  const counted = await replicaReads();
  if (hasReplica) {
    await waitFor(
      "reads go to the replica that is left",
      async () => (await replicaReads()).every((count, n) => count > counted[n]!),
    );
  }
  await clients.stop();
  console.log(`promoted after ${Math.round(promotedMs)} ms, ready after ${Math.round(readyMs)} ms`);
  assert.ok((clients.refused.get(503) ?? 0) + (clients.refused.get(504) ?? 0) > 0, "the failover was noticed");

  await checkLiveness(nodes.map((node) => node.url), tenants);
  if (!hasReplica) assert.deepEqual(await replicaReads(), counted, "the new primary is not its own replica");
  const after = movedTo(database, standby.port);
  await checkLedger(stack.use(await createTestDeps(after)), after, tenants);
  for (const node of nodes) assert.equal(await node.stop(), 0, node.output);
}

Deno.test({
  ...POSTGRES,
  name:
    "F2 the primary dies under load: with a synchronous standby that is promoted nothing acknowledged is lost, and all are ready again",
  async fn() {
    await using pair = await ReplicaPair.start();
    await failOver(pair, movingAddress(pair), () => pair.primary.kill());
  },
});

Deno.test({
  ...POSTGRES,
  name: "F2 the primary dies under load and the URLs name both hosts: no address moves, and all are ready again",
  async fn() {
    await using pair = await ReplicaPair.start();
    await failOver(pair, await hostsInUrl(pair, { direct: true }), () => pair.primary.kill());
  },
});

Deno.test({
  ...POSTGRES,
  name: "F2 the primary halts under load, with its connections open, and the URLs name both hosts: all are ready again",
  async fn() {
    await using pair = await ReplicaPair.start();
    try {
      await failOver(pair, await hostsInUrl(pair), () => pair.primary.halt());
    } finally {
      // A halted server cannot stop by itself.
      await pair.primary.kill();
    }
  },
});
