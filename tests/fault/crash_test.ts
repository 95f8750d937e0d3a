/** A process that dies between what it did and what it says about it. Security F11, F12, decisions §1 "Idempotency". */
import assert from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import type { Piece } from "../_relay.ts";
import { waitFor } from "../_wait.ts";
import { send, type ServiceProcess } from "./_process.ts";
import { Stage } from "./_stage.ts";

const decoder = new TextDecoder("latin1");

/**
 * Whether a piece commits the transaction in which `mark` was written. The driver prepares COMMIT as any statement: later
 * it is sent by its name alone.
 */
function commitOf(mark: string): (piece: Piece) => boolean {
  const marked = new Set<number>();
  const names = new Map<number, string>();
  return ({ connection, direction, bytes }) => {
    if (direction !== "up") return false;
    const text = decoder.decode(bytes);
    const prepared = /P[^]{4}([^\0]*)\0commit\0/.exec(text)?.[1];
    if (prepared !== undefined) names.set(connection, prepared);
    if (text.includes(mark)) marked.add(connection);
    return marked.has(connection) && text.includes(`\0${names.get(connection)}\0`);
  };
}

/** Sends one fact with a key of its own; `hot` recall is how another process hears of it. */
function write(node: ServiceProcess, key: string, mark: string) {
  const body = { statement: `The ${mark} stands on the northern terrace` };
  return send(node.url, key, "POST", "/memory/facts", body, { "idempotency-key": `key-${mark}` });
}

for (const committed of [true, false]) {
  Deno.test({
    ...POSTGRES,
    name: committed
      ? "F11 F12 SIGKILL after the commit and before the reply: the retry gets the reply, others hear of the write"
      : "F12 SIGKILL before the commit: nothing of the write is there, and the retry carries it out once",
    async fn() {
      await using stage = await Stage.open();
      const [doomed, other] = stage.nodes;
      const [{ key, workspaceId }] = stage.tenants;
      const sql = postgres(stage.database.superuserUrl, { max: 1, onnotice: () => {} });
      stage.stack.defer(() => sql.end());
      const countFacts = async (mark: string) => {
        const rows = await sql`
          select id from unit where workspace_id = ${workspaceId} and type = 'fact' and text like ${`%${mark}%`}`;
        return rows.length;
      };
      // The other process holds the workspace in memory, so that it has to be told.
      const recall = async () =>
        JSON.stringify((await send(other.url, key, "POST", "/memory/recall/hot", { query: "the heliograph" })).body);
      assert.doesNotMatch(await recall(), /heliograph stands/);

      const isCommit = commitOf("heliograph");
      const held = Promise.withResolvers<void>();
      let held1: number | undefined;
      stage.way.onPiece = (piece) => {
        if (held1 === undefined && isCommit(piece)) {
          held1 = piece.connection;
          held.resolve();
          // Before the commit: it never gets to Postgres.
          if (!committed) return new Promise(() => {});
        }
        // After it: Postgres' answer never gets back.
        if (committed && piece.connection === held1 && piece.direction === "down") return new Promise(() => {});
      };
      // New connections, on which nothing is prepared yet.
      stage.way.cut();
      await waitFor("readiness", () => stage.isReady());
      const cut = write(doomed, key, "heliograph");
      await Promise.race([held.promise, cut.then(({ body }) => assert.fail(JSON.stringify(body)))]);
      if (committed) await waitFor("the commit", async () => await countFacts("heliograph") === 1);
      else assert.equal(await countFacts("heliograph"), 0);
      await doomed.kill();
      assert.equal((await cut).status, 0, "the client has no reply");
      stage.way.onPiece = undefined;
      // The machine closes the connections of a process that has ended; the relay holds this one.
      stage.way.cut(held1);

      if (committed) {
        await waitFor("the other process hears of it", async () => /heliograph stands/.test(await recall()));
      }
      const retried = await waitFor("the retry's reply", async () => {
        const answer = await write(other, key, "heliograph");
        // As long as Postgres has not noticed that the process died.
        return answer.status === 409 ? undefined : answer;
      });
      assert.equal(retried.status, 201, JSON.stringify(retried.body));
      assert.equal(retried.isReplay, committed);
      assert.equal(await countFacts("heliograph"), 1);
      assert.equal(retried.body.corroborationCount, 0);
      const again = await write(other, key, "heliograph");
      assert.equal(again.body.id, retried.body.id);
      assert.equal(again.isReplay, true);
      await stage.restart(0);
      await stage.check();
    },
  });
}
