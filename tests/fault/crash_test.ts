/** A process that dies between what it did and what it says about it. docs/reference/guarantees.md F11, F12. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import type { Piece } from "../_relay.ts";
import { waitFor } from "../_wait.ts";
import { type Answer, send, type ServiceProcess } from "./_process.ts";
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

/** What each step kills and puts back. */
interface Scene {
  readonly stage: Stage;
  readonly key: string;
  readonly sql: postgres.Sql;
  countFacts(mark: string): Promise<number>;
}

/** Sends the write to the other process until it is not held up by what is left of the first attempt. */
function retry({ stage, key }: Scene, mark: string) {
  return waitFor("the retry's reply", async () => {
    const answer = await write(stage.nodes[1], key, mark);
    // As long as Postgres has not noticed that the process died.
    return answer.status === 409 ? undefined : answer;
  });
}

/** The write is there once, whoever asks. */
async function assertOnce(scene: Scene, mark: string, isReplay: boolean): Promise<void> {
  const { stage, key } = scene;
  const retried = await retry(scene, mark);
  assert.equal(retried.status, 201, JSON.stringify(retried.body));
  assert.equal(retried.isReplay, isReplay);
  assert.equal(await scene.countFacts(mark), 1);
  assert.equal(retried.body.corroborationCount, 0);
  const again = await write(stage.nodes[1], key, mark);
  assert.equal(again.body.id, retried.body.id);
  assert.equal(again.isReplay, true);
}

/** The backend of a write of units that waits for a lock. */
async function findWaitingInsert(sql: postgres.Sql): Promise<{ pid: number; begun: Date } | undefined> {
  const [row] = await sql<{ pid: number; begun: Date }[]>`
    select a.pid, a.backend_start as begun from pg_stat_activity a
     where a.datname = current_database() and a.query ilike '%insert into unit %'
       and exists (select from pg_locks l where l.pid = a.pid and not l.granted and l.relation = 'unit'::regclass)`;
  return row;
}

/**
 * Kills the first process at the commit of what `act` asks of it: before it arrives at Postgres, or before its answer is
 * back.
 */
async function killAtCommit(
  scene: Scene,
  mark: string,
  committed: boolean,
  act: (node: ServiceProcess) => Promise<Answer> = (node) => write(node, scene.key, mark),
): Promise<void> {
  const { stage, countFacts } = scene;
  const [doomed] = stage.nodes;
  const isCommit = commitOf(mark);
  const held = Promise.withResolvers<void>();
  let connection: number | undefined;
  stage.way.onPiece = (piece) => {
    if (connection === undefined && isCommit(piece)) {
      connection = piece.connection;
      held.resolve();
      if (!committed) return new Promise(() => {});
    }
    if (committed && piece.connection === connection && piece.direction === "down") return new Promise(() => {});
  };
  // New connections, on which nothing is prepared yet.
  stage.way.cut();
  await waitFor("readiness", () => stage.isReady());
  const cut = act(doomed);
  await Promise.race([held.promise, cut.then(({ body }) => assert.fail(JSON.stringify(body)))]);
  if (committed) await waitFor("the commit", async () => await countFacts(mark) === 1);
  else assert.equal(await countFacts(mark), 0);
  await doomed.kill();
  assert.equal((await cut).status, 0, "the client has no reply");
  stage.way.onPiece = undefined;
  // The machine closes the connections of a process that has ended; the relay holds this one.
  stage.way.cut(connection);
}

/** A session of three turns, one of them to be kept. */
async function tell({ stage: { nodes: [node] }, key }: Scene, mark: string): Promise<string> {
  const { body: { id } } = await send(node.url, key, "POST", "/session", {});
  const turns = [
    { role: "user", content: "I moved to Lisbon in March." },
    { role: "assistant", content: "Noted." },
    // The last: a statement may quote the sentences before it, and the mark stands in one statement alone.
    { role: "user", content: `The ${mark} stands on the northern terrace`, pinned: true },
  ];
  assert.equal((await send(node.url, key, "POST", `/session/${id}/turns`, { turns })).status, 201);
  return id;
}

function collapse(node: ServiceProcess, key: string, id: string): Promise<Answer> {
  return send(node.url, key, "POST", `/session/${id}/collapse`, {});
}

/** Everything that came of a session is there once, whoever asks and however often. */
async function assertCollapsedOnce(scene: Scene, id: string, mark: string): Promise<void> {
  const { stage: { nodes }, key, sql } = scene;
  const [first, ...others] = await waitFor("the replies", async () => {
    const answers = await Promise.all([...nodes, ...nodes].map((node) => collapse(node, key, id)));
    // As long as Postgres has not noticed that the process died.
    return answers.every(({ status }) => status === 200) ? answers : undefined;
  });
  for (const other of others) assert.deepEqual(other.body, first.body);
  const told = [...first.body.facts.map(({ factId }: { factId: string }) => factId), first.body.episode.id];
  assert.ok(told.length >= 2, JSON.stringify(first.body));
  assert.equal(await scene.countFacts(mark), 1);
  const [{ n }] = await sql<[{ n: number }]>`
    select count(*)::int as n from unit where type = 'episode' and body ->> 'sessionId' = ${id}`;
  assert.equal(n, 1);
  const turns = await send(nodes[0].url, key, "GET", `/session/${id}/turns`);
  assert.equal(turns.body.data.length, 3, JSON.stringify(turns.body));
}

Deno.test({
  ...POSTGRES,
  name: "a process is killed between what it does and what it says about it",
  async fn(t) {
    // So long that nothing ends because its time is over.
    await using stage = await Stage.open({ env: { SVC_DB_DEADLINE_MS: "600000" } });
    const [{ key, workspaceId }] = stage.tenants;
    const sql = postgres(stage.database.superuserUrl, { max: 2, onnotice: () => {} });
    stage.stack.defer(() => sql.end({ timeout: 5 }));
    const scene: Scene = {
      ...{ stage, key, sql },
      async countFacts(mark) {
        const rows = await sql`
          select id from unit where workspace_id = ${workspaceId} and type = 'fact' and text like ${`%${mark}%`}`;
        return rows.length;
      },
    };
    const step = (name: string, fn: () => Promise<void>) =>
      t.step(name, async () => {
        await fn();
        if (stage.nodes[0].exitCode !== undefined) await stage.restart(0);
        await stage.check();
      });

    await step(
      "T59 F11 F12 SIGKILL after the commit and before the reply: the retry gets the reply, others hear of the write",
      async () => {
        // The other process holds the workspace in memory, so that it has to be told.
        const recall = async () => {
          const query = { query: "the heliograph" };
          return JSON.stringify((await send(stage.urls[1], key, "POST", "/memory/recall/hot", query)).body);
        };
        await waitFor("the hot tier to hold it", async () => (await recall()).includes('"tier":"hot"'));
        assert.doesNotMatch(await recall(), /heliograph stands/);
        await killAtCommit(scene, "heliograph", true);
        await waitFor("the other process hears of it", async () => /heliograph stands/.test(await recall()));
        await assertOnce(scene, "heliograph", true);
      },
    );

    await step(
      "T59 F12 SIGKILL before the commit: nothing of the write is there, and the retry carries it out once",
      async () => {
        await killAtCommit(scene, "sundial", false);
        await assertOnce(scene, "sundial", false);
      },
    );

    for (const committed of [false, true]) {
      const mark = committed ? "gyroscope" : "telescope";
      await step(
        `F12 SIGKILL ${committed ? "after" : "before"} the commit of a collapse: repeated, it is carried out once`,
        async () => {
          const id = await tell(scene, mark);
          await killAtCommit(scene, mark, committed, (node) => collapse(node, key, id));
          await stage.restart(0);
          await assertCollapsedOnce(scene, id, mark);
        },
      );
    }

    await step("F12 collapses of one session at the same time, in two processes, make its knowledge once", async () => {
      const id = await tell(scene, "astrolabe");
      await assertCollapsedOnce(scene, id, "astrolabe");
    });

    await step(
      "F12 SIGKILL while a statement waits for a lock: Postgres lets go of it, and the retry carries it out once",
      async () => {
        const locker = postgres(stage.database.superuserUrl, { max: 1, onnotice: () => {} });
        await using _ = { [Symbol.asyncDispose]: () => locker.end({ timeout: 1 }) };
        await locker.begin(async (lock) => {
          await lock`lock table unit in share mode`;
          const cut = write(stage.nodes[0], key, "barometer");
          // The write's own backend: workers of both processes wait for the same lock.
          const { pid, begun } = await waitFor("a write that waits", () => findWaitingInsert(sql));
          await stage.nodes[0].kill();
          assert.equal((await cut).status, 0);
          // The lock is still held: only that its client has gone ends the wait.
          await waitFor("the backend of the write has gone", async () => {
            const left = await sql`select from pg_stat_activity where pid = ${pid} and backend_start = ${begun}`;
            return left.length === 0;
          });
        });
        await assertOnce(scene, "barometer", false);
      },
    );
  },
});
