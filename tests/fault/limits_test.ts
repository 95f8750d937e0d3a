/** A process that may not have what it wants: file descriptors, a newer database. docs/reference/guarantees.md F25, F17. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import { send, ServiceProcess } from "./_process.ts";
import { Stage } from "./_stage.ts";

/** Connections that say nothing. */
async function openIdle(port: number, count: number): Promise<Deno.TcpConn[]> {
  const opened = await Promise.allSettled(
    Array.from({ length: count }, () => Deno.connect({ hostname: "127.0.0.1", port })),
  );
  return opened.flatMap((result) => result.status === "fulfilled" ? [result.value] : []);
}

Deno.test({
  ...POSTGRES,
  name: "F25 with 64 file descriptors and 200 idle connections the process lives, and serves again when they have gone",
  async fn() {
    await using stage = await Stage.open({ nodes: 1 });
    const [{ key }] = stage.tenants;
    const env = { ...stage.env, SVC_DB_POOL_MAX: "5" };
    const node = await ServiceProcess.start(env, { filesMax: 64 });
    stage.nodes.push(node);
    const write = () => send(node.url, key, "POST", "/memory/events", { type: "descriptors" });
    assert.equal((await write()).status, 201);
    const idle = await openIdle(node.port, 200);
    try {
      await waitFor(
        "accepting fails",
        () => node.output.includes('"server.accept_failed"') || node.exitCode !== undefined,
      );
      assert.equal(node.exitCode, undefined, node.output);
    } finally {
      for (const connection of idle) connection.close();
    }
    // Connections from before, which the client has kept, may break once; new ones are accepted and served.
    await waitFor("it is served again", async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, write));
      return answers.every(({ status }) => status === 201);
    });
    await waitFor("readiness", async () => await node.status("/health/ready") === 200);
    await stage.check();
    await stage.stop();
  },
});

Deno.test({
  ...POSTGRES,
  name: "F17 a newer build migrates under a running older one: it goes on rightly, and is refused when it starts again",
  async fn() {
    await using stage = await Stage.open({ nodes: 1 });
    const { nodes: [old], tenants: [{ key }] } = stage;
    const write = (type: string) => send(old.url, key, "POST", "/memory/events", { type });
    assert.equal((await write("before")).status, 201);
    const sql = postgres(stage.database.ownerUrl, { max: 1, onnotice: () => {} });
    try {
      // What a migration does: it adds, in one transaction, and is noted.
      await sql.begin(async (tx) => {
        await tx`alter table event add column newer text not null default ''`;
        await tx`alter table unit add column newer text not null default ''`;
        await tx`create table newer (workspace_id uuid not null references workspace, id uuid not null)`;
        await tx`insert into schema_migration (name, digest) values ('9999_newer', 'x')`;
      });
    } finally {
      await sql.end({ timeout: 5 });
    }
    await stage.check();
    await assert.rejects(ServiceProcess.start(stage.env), (error: Error) => {
      assert.match(error.message, /the database has 9999_newer, which this build does not know/);
      return true;
    });
    assert.equal((await write("after")).status, 201);
    await stage.stop();
  },
});
