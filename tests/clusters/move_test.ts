/** A workspace moves from one cluster to another while it is used, and nothing is lost, whenever the move is killed. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { ROW_MAKERS, seed } from "../db/_rows.ts";
import type { TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { TwoClusters } from "./_two.ts";

/** Writes facts one after another until it is stopped, and checks that the other service can read each at once. */
class Writer implements AsyncDisposable {
  readonly acknowledged: string[] = [];
  #isStopped = false;
  #count = 0;
  readonly done: Promise<void>;

  constructor(readonly name: string, readonly by: TestService, readonly reader: TestService, readonly key: string) {
    this.done = this.#run();
    this.done.catch(() => {});
  }

  /** Waits until so many more writes are acknowledged. */
  async goesOn(count: number): Promise<void> {
    const { length } = this.acknowledged;
    while (this.acknowledged.length < length + count) {
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 20)), this.done]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    await this.done.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.done;
  }

  async #run(): Promise<void> {
    const { key } = this;
    while (!this.#isStopped) {
      const statement = `Machine ${this.name}${++this.#count} stands in hall ${this.#count}.`;
      const reply = await this.by.post("/v1/memory/facts", { statement }, { key });
      // The service refused it for now, so it has not acknowledged it.
      if (reply.status === 503 || reply.status === 504) continue;
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      this.acknowledged.push(reply.body.id);
      const read = await this.reader.get(`/v1/memory/facts/${reply.body.id}`, { key });
      assert.equal(read.status, 200, `another process reads what was acknowledged: ${JSON.stringify(read.body)}`);
    }
  }
}

async function fill(service: TestService, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const reply = await service.post("/v1/memory/facts", { statement: `Shelf ${i} holds box ${i * 7}.` });
    assert.equal(reply.status, 201);
  }
}

/** Checks that the feed has every sequence number once, from 1 on, and that the audit chain is whole. */
async function assertWhole(two: TwoClusters, name: "home" | "b", service: TestService): Promise<void> {
  const { workspaceId } = service;
  const seqs = await two.look(
    name,
    async (sql) =>
      (await sql`select seq::int as seq from change where workspace_id = ${workspaceId} order by seq`).map((row) =>
        row["seq"]
      ),
  );
  assert.deepEqual(seqs, Array.from(seqs, (_, i) => i + 1));
  const { body } = await service.get("/v1/audit/verify");
  assert.equal(body.ok, true, JSON.stringify(body));
}

Deno.test({
  ...POSTGRES,
  name:
    "a workspace that is written to moves, and every acknowledged write is there, also those of a process that hears nothing",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service();
    // It gets the notifications of the wrong database, so it keeps its cached placements.
    await using deaf = await two.service({
      env: { SVC_DATABASE_DIRECT_URL: two.b.requestUrl, SVC_CLUSTERS_DIRECT: `b=${two.home.requestUrl}` },
    });
    const { workspaceId, key } = service;
    await fill(service, 20);
    await using stack = new AsyncDisposableStack();
    const writers = [
      stack.use(new Writer("a", service, deaf, key)),
      stack.use(new Writer("b", deaf, service, key)),
      stack.use(new Writer("c", service, service, key)),
    ];
    await using mover = two.mover();
    const moved = await mover.move(workspaceId, "b");
    assert.deepEqual([moved.source, moved.target], ["home", "b"]);
    await Promise.all(writers.map((writer) => writer.goesOn(3)));
    await Promise.all(writers.map((writer) => writer.stop()));
    for (const id of writers.flatMap(({ acknowledged }) => acknowledged)) {
      for (const by of [service, deaf]) assert.equal((await by.get(`/v1/memory/facts/${id}`, { key })).status, 200);
    }
    await assertWhole(two, "b", service);
    const left = await two.rows("home", workspaceId);
    const here = await two.rows("b", workspaceId);
    assert.ok(here["unit"]!.length > left["unit"]!.length, "what was written since is at the target alone");
    for (const row of left["change"]!) assert.ok(here["change"]!.includes(row));

    await mover.purge(workspaceId, 0);
    assert.deepEqual(await two.rows("home", workspaceId), {});
    for (const by of [service, deaf]) {
      assert.equal((await by.post("/v1/memory/recall", { query: "Machine a1" }, { key })).status, 200);
    }
    // Move it back to a cluster that it has left.
    await mover.move(workspaceId, "home");
    assert.equal((await service.post("/v1/memory/facts", { statement: "It is home again." })).status, 201);
    await assertWhole(two, "home", service);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a row of every table with a workspace arrives as it was, and nobody else's is touched",
  async fn() {
    await using two = await TwoClusters.start();
    const { own, other } = await two.look("home", (sql) => sql.begin((tx) => seed(tx)));
    const before = { own: await two.rows("home", own), other: await two.rows("home", other) };
    assert.deepEqual(Object.keys(before.own).sort(), Object.keys(ROW_MAKERS).sort());
    await using mover = two.mover();
    await mover.move(own, "b");
    assert.deepEqual(await two.rows("b", own), before.own);
    await mover.purge(own, 0);
    assert.deepEqual(await two.rows("home", own), {});
    assert.deepEqual(await two.rows("home", other), before.other);
    assert.deepEqual(await two.rows("b", other), {});
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "what is deleted and what changes keys during a move is so at the target, and its sequences give no number twice",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service();
    const { workspaceId } = service;
    await fill(service, 30);
    // The source's numbers are higher than any that the target has given out.
    await two.look("home", (sql) => sql`select setval('doc_no', 1000)`);
    let isFirst = true;
    await using mover = two.mover({
      tell: async ({ step }) => {
        if (step !== "copied" || !isFirst) return;
        isFirst = false;
        // The mover has copied all of this already. The two keys swap a value that must be unique.
        await two.look("home", async (sql) => {
          const gone = await sql`
            delete from posting where ctid in (select ctid from posting where workspace_id = ${workspaceId} limit 5)
            returning 1`;
          assert.equal(gone.length, 5);
          const keys = await sql`select key_id, public_id from api_key where workspace_id = ${workspaceId}`;
          assert.equal(keys.length, 2);
          const [one, two] = keys as unknown as { key_id: string; public_id: string }[];
          await sql`update api_key set public_id = 'AAAAAAAAAAAA' where key_id = ${one!.key_id}`;
          await sql`update api_key set public_id = ${one!.public_id} where key_id = ${two!.key_id}`;
          await sql`update api_key set public_id = ${two!.public_id} where key_id = ${one!.key_id}`;
        });
      },
    });
    await mover.move(workspaceId, "b");
    assert.deepEqual(await two.rows("b", workspaceId), await two.rows("home", workspaceId));
    const key = await service.createKey();
    for (let i = 0; i < 3; i++) {
      assert.equal((await service.post("/v1/memory/facts", { statement: `Box ${i} is sealed.` }, { key })).status, 201);
    }
    const numbers = await two.look(
      "b",
      async (sql) =>
        (await sql`select doc_no::int as n from unit where workspace_id = ${workspaceId}`).map((row) => row["n"]),
    );
    assert.equal(new Set(numbers).size, 33);
    assert.equal(numbers.filter((n) => n > 1000).length, 3);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a move that is killed at any point goes on when it is run again, and holds nobody up meanwhile",
  async fn() {
    await using two = await TwoClusters.start();
    await using service = await two.service();
    const { workspaceId, key } = service;
    await fill(service, 10);
    await using writer = new Writer("k", service, service, key);
    await two.look("b", (sql) =>
      sql.unsafe(`
        create function wait_for_lock() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(${LOCK}); return null; end $$;
        create trigger wait_for_lock before insert on feed_head execute function wait_for_lock();
        alter table feed_head enable always trigger wait_for_lock`));
    for (const where of ["copying", "paused"] as const) {
      await killedWhile(two, workspaceId, where);
      await writer.goesOn(2);
    }
    // The move is killed after the source has let go and before `home` is updated: no cluster serves the workspace
    // until a later run continues the move.
    const refuse = (sql: { unsafe(text: string): Promise<unknown> }) =>
      sql.unsafe(`
        create function refuse_placement() returns trigger language plpgsql as $$ begin raise 'killed'; end $$;
        create trigger refuse_placement before insert on placement execute function refuse_placement()`);
    await two.look("home", refuse);
    await using mover = two.mover();
    await assert.rejects(mover.move(workspaceId, "b"), /killed/);
    await two.look("home", (sql) => sql.unsafe("drop trigger refuse_placement on placement"));
    const moved = await two.run("workspace", "move", workspaceId, "--to", "b");
    assert.equal(moved.code, 0, moved.stderr);
    await writer.stop();
    for (const id of writer.acknowledged) assert.equal((await service.get(`/v1/memory/facts/${id}`)).status, 200);
    await assertWhole(two, "b", service);
    assert.equal(await service.deps.db.clusterOf(workspaceId), "b");
    await assert.rejects(mover.purge(workspaceId, 3_600), /has not been at its new place for long enough/);
    await mover.purge(workspaceId, 0);
    assert.deepEqual(await two.rows("home", workspaceId), {});
  },
});

/** The test holds this lock, and a statement that the move runs at the target in each pass waits for it. */
const LOCK = 7_305_417;

/** Runs the move in a process of its own and kills it while it copies, or while writes are paused for it. */
async function killedWhile(two: TwoClusters, workspaceId: string, where: "copying" | "paused"): Promise<void> {
  await two.look("b", async (sql) => {
    await sql`select pg_advisory_lock(${LOCK})`;
    const child = two.svc("workspace", "move", workspaceId, "--to", "b", "--pause-seconds", "5");
    const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    await waitFor(`a move that is ${where}`, async () => {
      const [lock] = await sql`
        select exists (select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted) as waits`;
      if (!lock!["waits"]) return false;
      if (where === "copying") return true;
      const marks = await two.look("home", (home) => home`select from placement_mark where state = 'paused'`);
      if (marks.length > 0) return true;
      // It is still copying: let it continue until it waits here again.
      await sql`select pg_advisory_unlock(${LOCK})`;
      await sql`select pg_advisory_lock(${LOCK})`;
      return false;
    }, { deadlineMs: 180_000 });
    child.kill("SIGKILL");
    const { signal } = await child.status;
    assert.equal(signal, "SIGKILL", (await output).join("\n"));
  });
}
