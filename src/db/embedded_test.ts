import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import postgres from "postgres";
import { startEmbedded } from "./embedded.ts";
import { migrate, MIGRATIONS } from "./migrations.ts";

const OPTIONS = { embeddingDimension: 384 };
const folder = await Deno.makeTempDir({ prefix: "svc-embedded-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const embedded = await startEmbedded(`${folder}/shared`, OPTIONS);
const sql = postgres({ onnotice: () => {}, ...embedded.ownerConnection });
await sql`create table sample (id int primary key, body text, raw bytea, doc jsonb)`;

Deno.test("requests run as svc_app, the owner as superuser, and pgvector is there", async () => {
  const requests = postgres({ onnotice: () => {}, ...embedded.connection });
  const [row] = await requests`select current_user as role, '[1,2]'::vector <=> '[2,1]'::vector as distance`;
  equal(row.role, "svc_app");
  ok(row.distance > 0.19 && row.distance < 0.21);
  await rejects(requests`select * from sample`, /permission denied/);
  equal((await sql`select current_user as role`)[0].role, "postgres");
  equal((await requests`select current_user as role`)[0].role, "svc_app");
  await requests.end();
});

Deno.test("a commit is flushed to the disk", async () => {
  // The engine's fdatasync is empty; its fsync is the one that the folder's file system carries out.
  deepEqual(
    await sql`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'wal_sync_method')
    order by name`.then((rows) => rows.map((row) => row.setting)),
    ["on", "on", "fsync"],
  );
});

Deno.test("pipelined statements answer in their order, each with its own result", async () => {
  const results = await Promise.all(Array.from({ length: 200 }, (_, i) => sql`select ${i}::int as i, ${"ä" + i} as t`));
  deepEqual(results.map(([row]) => [row.i, row.t]), Array.from({ length: 200 }, (_, i) => [i, `ä${i}`]));
});

Deno.test("an error fails its own statement and leaves the connection usable", async () => {
  const outcomes = await Promise.allSettled([
    sql`select 1 as a`,
    sql`select ${0}::int / ${0}::int`,
    sql`select nothing from nowhere where x = ${1}`,
    sql`select 2 as a`,
  ]);
  deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "rejected", "fulfilled"]);
  const codes = outcomes.map((outcome) => outcome.status === "rejected" ? outcome.reason.code : undefined);
  deepEqual(codes, [undefined, "22012", "42P01", undefined]);
});

Deno.test("a prepared statement is used again, also after it failed", async () => {
  const divide = (by: number) => sql`select 10 / ${by}::int as result`;
  equal((await divide(2))[0].result, 5);
  await rejects(divide(0), /division by zero/);
  equal((await divide(5))[0].result, 2);
});

Deno.test("a transaction commits as a whole or not at all, with savepoints inside", async () => {
  await sql`truncate sample`;
  await sql.begin(async (tx) => {
    await tx`insert into sample (id, body) values (1, 'kept')`;
    await tx.savepoint((inner) => inner`insert into sample (id, body) values (1, 'again')`).catch(() => {});
    await tx`insert into sample (id, body) values (2, 'kept too')`;
  });
  await rejects(
    sql.begin(async (tx) => {
      await tx`insert into sample (id, body) values (3, 'lost')`;
      await tx`insert into sample (id, body) values (1, 'again')`;
    }),
    /duplicate key/,
  );
  deepEqual((await sql`select id from sample order by id`).map((row) => row.id), [1, 2]);
});

Deno.test("a statement in a failed transaction is refused until the rollback", async () => {
  await rejects(
    sql.begin(async (tx) => {
      await tx`select 1 / 0`.catch(() => {});
      await tx`select 1`;
    }),
    (error: { code?: string }) => error.code === "22012" || error.code === "25P02",
  );
  equal((await sql`select 1 as one`)[0].one, 1);
});

Deno.test("settings of a transaction end with it", async () => {
  await sql.begin(async (tx) => {
    const set = tx`select set_config('app.workspace_id', ${"w1"}, true)`.execute();
    equal((await tx`select current_setting('app.workspace_id', true) as w`)[0].w, "w1");
    await set;
  });
  equal((await sql`select current_setting('app.workspace_id', true) as w`)[0].w, "");
});

Deno.test("bytes, JSON, arrays, nulls and text of every kind come back as they went", async () => {
  const raw = crypto.getRandomValues(Buffer.alloc(60_000));
  const body = "quote ' backslash \\ emoji 🦕 line\nbreak";
  const doc = { deep: [1, null, { "ключ": "ä" }] };
  await sql`insert into sample ${sql({ id: 77, body, raw, doc })}`;
  const [row] = await sql`select * from sample where id = 77`;
  deepEqual({ ...row, raw: Buffer.from(row.raw) }, { id: 77, body, raw, doc });
  const [{ a, n }] = await sql`select ${sql.array(["x", "y,z"])}::text[] as a, ${null}::text as n`;
  deepEqual([a, n], [["x", "y,z"], null]);
});

Deno.test("a result of 30 MB arrives whole", async () => {
  const rows = await sql`select i, repeat(i::text, 1000) as t from generate_series(100000, 105000) i`;
  equal(rows.length, 5001);
  equal(rows.every((row) => row.t === String(row.i).repeat(1000)), true);
});

Deno.test("a cursor reads a result piece by piece", async () => {
  const sizes: number[] = [];
  for await (const rows of sql`select generate_series(1, 25) i`.cursor(10)) sizes.push(rows.length);
  deepEqual(sizes, [10, 10, 5]);
});

Deno.test("COPY works in both directions", async () => {
  await sql`truncate sample`;
  const { Readable } = await import("node:stream");
  const { pipeline } = await import("node:stream/promises");
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i}\ttext ${i}\n`);
  await pipeline(Readable.from(lines), await sql`copy sample (id, body) from stdin`.writable());
  equal((await sql`select count(*)::int as n from sample`)[0].n, 20_000);
  let out = "";
  for await (const chunk of await sql`copy (select id, body from sample order by id) to stdout`.readable()) {
    out += chunk;
  }
  equal(out, lines.join(""));
  await sql`truncate sample`;
});

Deno.test("another connection waits for the end of an open transaction, and each keeps its role", async () => {
  const requests = postgres({ onnotice: () => {}, ...embedded.connection });
  const order: string[] = [];
  const opened = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const first = sql.begin(async (tx) => {
    await tx`insert into sample (id) values (500)`;
    opened.resolve();
    await release.promise;
    order.push("first");
    equal((await tx`select current_user as role`)[0].role, "postgres");
  });
  await opened.promise;
  const second = requests`select current_user as role`.then(([row]) => {
    order.push("second");
    equal(row.role, "svc_app");
  });
  // The driver has connected and sent its first statement by now; it gets no answer while the transaction is open.
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  release.resolve();
  await Promise.all([first, second]);
  deepEqual(order, ["first", "second"]);
  await requests.end();
});

Deno.test("a connection that is closed inside a transaction is rolled back, and the next one is served", async () => {
  const doomed = postgres({ onnotice: () => {}, ...embedded.ownerConnection });
  const opened = Promise.withResolvers<void>();
  const outcome = doomed.begin(async (tx) => {
    await tx`insert into sample (id) values (900)`;
    opened.resolve();
    await new Promise(() => {});
  }).catch(() => "lost");
  await opened.promise;
  await doomed.end({ timeout: 0 });
  equal(await outcome, "lost");
  equal((await sql`select count(*)::int as n from sample where id = 900`)[0].n, 0);
});

Deno.test("a role that does not exist refuses the connection", async () => {
  const wrong = postgres({ onnotice: () => {}, ...embedded.connection, connection: { role: "nobody_such" } });
  await rejects(wrong`select 1`, /nobody_such/);
  await wrong.end({ timeout: 0 });
});

Deno.test("notices and a DO block with many statements go through", async () => {
  const notices: unknown[] = [];
  const noisy = postgres({ ...embedded.ownerConnection, onnotice: (notice) => notices.push(notice.message) });
  await noisy.unsafe(`do $$ begin raise notice 'hello'; end $$; select 1; select 2`);
  deepEqual(notices, ["hello"]);
  await noisy.end();
});

Deno.test("a client that leaves in the middle of a COPY takes nothing with it", async () => {
  const leaving = postgres({ onnotice: () => {}, ...embedded.ownerConnection });
  const stream = await leaving`copy sample (id) from stdin`.writable();
  stream.on("error", () => {});
  stream.write("1000\n");
  await leaving.end({ timeout: 0 });
  equal((await sql`select count(*)::int as n from sample where id = 1000`)[0].n, 0);
});

Deno.test("upkeep analyses what has changed, and cuts the log when it has grown", async () => {
  // The embedded database also does this by itself, now and then.
  const redo = async () => (await sql`select redo_lsn::text from pg_control_checkpoint()`)[0].redo_lsn;
  const before = await redo();
  await sql`create table worn (id int, body text)`;
  await sql`insert into worn select i, repeat('x', 400) from generate_series(1, 60000) i`;
  await sql`update worn set body = repeat('y', 400)`;
  for (let i = 0; i < 10; i++) embedded.upkeep();
  const [row] = await sql`
    select c.reltuples::int, s.n_dead_tup::int from pg_class c join pg_stat_user_tables s on s.relid = c.oid
     where c.relname = 'worn'`;
  deepEqual([row.reltuples, row.n_dead_tup], [60_000, 0]);
  notEqual(await redo(), before);
  await sql`drop table worn`;
});

Deno.test("a round of upkeep that fails is told, ends nothing, and is tried again", async () => {
  const path = `${folder}/upkeep`;
  const failed = Promise.withResolvers<unknown>();
  const options = { ...OPTIONS, upkeepMs: 5, onUpkeepFailed: failed.resolve };
  await using database = await startEmbedded(path, options);
  const control = `${path}/postgres/global/pg_control`;
  await Deno.rename(control, `${control}.away`);
  try {
    match(String(await failed.promise), /pg_control/);
  } finally {
    await Deno.rename(`${control}.away`, control);
  }
  database.upkeep();
});

interface Writer extends AsyncDisposable {
  /** Ids that the process printed until it was killed. */
  readonly acknowledged: number[];
  readonly opened: Promise<boolean>;
  readonly pid: number;
  /** Waits until this many rows are in, then kills the process. */
  killAfter(rows: number): Promise<void>;
}

function startWriter(path: string): Writer {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `${import.meta.dirname}/_embedded_writer.ts`, path],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const acknowledged: number[] = [];
  const opened = Promise.withResolvers<boolean>();
  const reached = Promise.withResolvers<void>();
  let target = Infinity;
  const reading = (async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) line === "open" ? opened.resolve(true) : acknowledged.push(Number(line));
      if (acknowledged.length >= target) reached.resolve();
    }
    opened.resolve(false);
  })();
  const stop = async () => {
    try {
      child.kill("SIGKILL");
    } catch { /* it has ended by itself */ }
    await Promise.all([child.status, reading]);
  };
  return {
    acknowledged,
    pid: child.pid,
    opened: opened.promise,
    async killAfter(rows) {
      target = rows;
      await reached.promise;
      await stop();
    },
    [Symbol.asyncDispose]: stop,
  };
}

Deno.test("after SIGKILL the folder opens again with every acknowledged row", async () => {
  const path = `${folder}/killed`;
  let last = 0;
  for (let round = 0; round < 3; round++) {
    await using writer = startWriter(path);
    equal(await writer.opened, true);
    await writer.killAfter(50 + 150 * round);
    await using again = await startEmbedded(path, OPTIONS);
    const reader = postgres({ onnotice: () => {}, ...again.ownerConnection });
    const present = new Set((await reader`select id::int from written`).map((row) => row.id));
    deepEqual(writer.acknowledged.filter((id) => !present.has(id)), []);
    ok(present.size > last);
    last = present.size;
    await reader.end();
  }
});

Deno.test("a second process on the same folder is refused with the first one's id", async () => {
  const path = `${folder}/taken`;
  await using writer = startWriter(path);
  equal(await writer.opened, true);
  await rejects(startEmbedded(path, OPTIONS), {
    code: "conflict",
    message: `Cannot open the data folder ${path}: process ${writer.pid} is using it. ` +
      "Stop that process, or set SVC_DATA_DIR to another folder",
  });
});

Deno.test("the same process may close a folder and open it again, with what is in it", async () => {
  const path = `${folder}/again`;
  for (let round = 1; round <= 2; round++) {
    await using database = await startEmbedded(path, OPTIONS);
    await rejects(startEmbedded(path, OPTIONS), { code: "conflict" });
    const owner = postgres({ onnotice: () => {}, ...database.ownerConnection });
    await owner`create table if not exists visit (n int)`;
    await owner`insert into visit values (${round})`;
    equal((await owner`select count(*)::int as n from visit`)[0].n, round);
    await owner.end();
  }
});

Deno.test("a plain owner can migrate under the role rules of Postgres 16 and later", async () => {
  await using database = await startEmbedded(`${folder}/plain`, OPTIONS);
  const superuser = postgres({ onnotice: () => {}, ...database.ownerConnection });
  ok(Number((await superuser`show server_version_num`)[0].server_version_num) >= 160_000);
  await superuser.unsafe(`
    drop schema public, svc_system cascade;
    drop owned by svc_app, svc_definer, svc_eraser cascade;
    drop role svc_app, svc_definer, svc_eraser;
    create role plain_owner createrole;
    create schema public authorization plain_owner;
    grant create on database postgres to plain_owner;
    create extension vector`);
  const owner = { ...database.ownerConnection, connection: { role: "plain_owner" } };
  const applied = await migrate(owner, OPTIONS);
  deepEqual(applied, MIGRATIONS.map(({ name }) => name));
  const [row] = await superuser`
    select count(*)::int as n from pg_proc p join pg_roles r on r.oid = p.proowner
     where p.pronamespace = 'svc_system'::regnamespace and r.rolname = 'svc_definer'`;
  ok(row.n > 0);
  await superuser.end();
});
