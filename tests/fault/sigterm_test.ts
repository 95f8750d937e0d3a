/** An orderly stop of what `deno task start` started. docs/reference/guarantees.md F13. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { type StartedProcess, startProcess } from "../_process.ts";
import { StalledClient, StreamClient } from "../http/_stream.ts";
import { waitFor } from "../_wait.ts";

/** So long that only what the test does can end a request. */
const NO_DEADLINE = { SVC_DB_DEADLINE_MS: "600000", SVC_SHUTDOWN_GRACE_MS: "60000" };

interface Running {
  readonly started: StartedProcess;
  readonly key: string;
  /** A request that waits for the database until `release`. */
  readonly open: Promise<Response>;
  release(): Promise<void>;
}

/** Starts the service on a new database and leaves one request waiting in it. */
async function startWithOpenRequest(stack: AsyncDisposableStack, env: Record<string, string>): Promise<Running> {
  const database = stack.use(await createDatabase());
  const started = stack.use(await startProcess({ DATABASE_URL: database.requestUrl, ...env }));
  await started.listening();
  const key = await waitFor("the first key", () => /svc_live_\w{61}/.exec(started.output())?.[0]);
  const locker = postgres(database.superuserUrl, { max: 2, onnotice: () => {} });
  stack.defer(() => locker.end({ timeout: 1 }));
  const lock = await locker.reserve();
  await lock.unsafe("begin; lock table session in access exclusive mode");
  const open = fetch(`${started.url}/v1/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "kept" }),
  });
  open.catch(() => {});
  // Workers read this table too and may wait for the same lock.
  await waitFor("a request that waits for the lock", async () => {
    const [row] = await locker`
      select from pg_stat_activity a join pg_locks l using (pid)
       where a.datname = current_database() and a.query ilike '%insert into session %'
         and not l.granted and l.relation = 'session'::regclass`;
    return row !== undefined;
  });
  return {
    started,
    key,
    open,
    release: async () => {
      await lock.unsafe("rollback");
      lock.release();
    },
  };
}

/** A new connection is refused once the port is closed: for whoever asks that is "not ready" too. */
async function statusOf(url: string, headers: HeadersInit = {}): Promise<number | "refused"> {
  try {
    const reply = await fetch(url, { headers });
    await reply.body?.cancel();
    return reply.status;
  } catch {
    return "refused";
  }
}

/** SIGTERM, and waits until the process says that it stops. */
async function terminate(started: StartedProcess): Promise<void> {
  started.kill("SIGTERM");
  await waitFor("the begin of the stop", () => started.output().includes('"server.shutdown_begun"'));
}

Deno.test({
  ...POSTGRES,
  name: "F13 SIGTERM: not ready any more, no new work, the open request is finished, exit 0",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { started, key, open, release } = await startWithOpenRequest(stack, NO_DEADLINE);
    assert.equal(await statusOf(`${started.url}/health/ready`), 200);
    await terminate(started);
    const refusals = [503, "refused"];
    await waitFor("no readiness", async () => refusals.includes(await statusOf(`${started.url}/health/ready`)));
    const late = await statusOf(`${started.url}/v1/session`, { authorization: `Bearer ${key}` });
    assert.ok(refusals.includes(late), `late work: ${late}`);
    await release();
    const reply = await open;
    assert.equal(reply.status, 201);
    assert.equal((await reply.json()).title, "kept");
    assert.equal(await started.exitCode, 0, started.output());
    assert.match(started.output(), /"event":"server\.stopped"[^\n]*"drained":true/);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F13 a second SIGTERM ends the process at once, whatever is open",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { started, open } = await startWithOpenRequest(stack, NO_DEADLINE);
    await terminate(started);
    started.kill("SIGTERM");
    assert.equal(await started.exitCode, 1);
    await assert.rejects(open);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F13 what is still open when the grace is over does not hold the process: exit 0",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { started, open } = await startWithOpenRequest(stack, { SVC_DB_DEADLINE_MS: "600000" });
    started.kill("SIGTERM");
    assert.equal(await started.exitCode, 0, started.output());
    await assert.rejects(open);
    assert.match(started.output(), /"event":"server\.stopped"[^\n]*"drained":false/);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F13 with nothing open SIGTERM ends the process with 0; the database's sessions are gone",
  async fn() {
    await using database = await createDatabase();
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      await using started = await startProcess({ DATABASE_URL: database.requestUrl });
      await started.listening();
      started.kill("SIGTERM");
      assert.equal(await started.exitCode, 0, started.output());
      await waitFor("no session", async () => {
        const [{ n }] = await sql<[{ n: number }]>`
          select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'svc'`;
        return n === 0;
      });
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});

for (const program of [["scripts/start.ts"], ["src/cli/main.ts", "serve"]] as const) {
  Deno.test({
    ...POSTGRES,
    name: `F13 SIGTERM ends open streams with the reason that it stops, also where one takes nothing: exit 0 (${
      program[0]
    })`,
    async fn() {
      await using stack = new AsyncDisposableStack();
      const database = stack.use(await createDatabase());
      const started = stack.use(await startProcess({ DATABASE_URL: database.requestUrl }, program));
      await started.listening();
      const { url } = started;
      const key = await waitFor("the first key", () => /svc_live_\w{61}/.exec(started.output())?.[0]);
      const clients: StreamClient[] = [];
      for (const channel of [undefined, "memory", "tasks", "events", "health"]) {
        const client = stack.use(await StreamClient.open(url, { key }));
        clients.push(client);
        if (channel !== undefined) assert.equal((await client.subscribe(channel)).op, "subscribed");
      }
      const stalled = stack.use(await StalledClient.open(url, key));
      await stalled.send({ op: "subscribe", channel: "health" });
      await terminate(started);
      for (const client of clients) {
        const { code, reason } = await client.closed;
        assert.equal(code, 1001);
        const { op, code: told, retryable } = client.messages.at(-1);
        assert.deepEqual([reason, op, told, retryable], ["unavailable", "error", "unavailable", true]);
      }
      assert.equal(await started.exitCode, 0, started.output());
      assert.match(started.output(), /"event":"server\.stopped"[^\n]*"drained":true/);
    },
  });
}
