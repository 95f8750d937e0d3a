/** The audit log: who saw and changed what, in a chain. Interface §5.13, security T65 and T66. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import postgres from "postgres";
import { type AuditRecord, CHAIN_START, commitToAddress, hashAuditRecord } from "../../src/crypto/audit_chain.ts";
import { hashLeaf, verifyConsistency, verifyInclusion } from "../../src/crypto/merkle.ts";
import { isSignedBy } from "../../src/crypto/signed_note.ts";
import { getCheckpoint } from "../../src/domain/audit/checkpoints.ts";
import { checkChain } from "../../src/domain/audit/log.ts";
import { checkpointWorkspace } from "../../src/workers/audit.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

type Row = Omit<AuditRecord, "created_at" | "seq"> & { seq: string; created_at: Date; hash: Uint8Array };

function connectSuperuser(service: TestService) {
  const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end() };
}

async function readLog(sql: postgres.Sql, workspaceId: string): Promise<Row[]> {
  return await sql<Row[]>`select * from svc_audit_log where workspace_id = ${workspaceId} order by seq`;
}

function assertChain(rows: readonly Row[]): void {
  let previous = CHAIN_START;
  for (const [i, { hash, seq, created_at, ...row }] of rows.entries()) {
    assert.equal(Number(seq), i + 1, "no gap");
    previous = hashAuditRecord(previous, { ...row, seq: Number(seq), created_at: created_at.toISOString() });
    assert.deepEqual(new Uint8Array(hash), new Uint8Array(previous), `row ${seq}`);
  }
}

Deno.test({
  ...POSTGRES,
  name: "T65 every request leaves one row in an unbroken chain: what it changed, showed or was refused",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    await service.get(`/v1/facts/${fact.id}`);
    await service.post("/v1/memory/recall", { query: "two cores" });
    await service.post("/v1/memory/recall/hot", { query: "two cores" });
    await service.get(`/v1/facts/${crypto.randomUUID()}`);
    const narrow = await service.createKey({ scopes: ["memory:read"] });
    await service.post("/v1/memory/facts", { statement: "No" }, { key: narrow });
    await service.deps.audit.flush();
    const rows = (await readLog(superuser.sql, service.workspaceId)).filter((row) => row.actor_type === "key");
    const seen = rows.map((row) => [row.event_type, row.outcome, row.targets.includes(fact.id)]);
    // Writes stand in the log at once, what was only read a moment later.
    assert.deepEqual(seen, [
      ["write.createFact", "ok", true],
      ["read.getFactV2", "ok", true],
      ["read.recall", "ok", true],
      ["read.recallHot", "ok", true],
      ["refused.getFactV2", "not_found", false],
      ["refused.createFact", "insufficient_scope", false],
    ]);
    assertChain(await readLog(superuser.sql, service.workspaceId));
  },
});

Deno.test({
  ...POSTGRES,
  name: "what a reply shows is told wherever in it it stands: batches, graphs, profiles",
  async fn() {
    await using service = await startService();
    const statement = "The build runs on two cores";
    const { body: fact } = await service.post("/v1/memory/facts", { statement, factType: "preference", pinned: true });
    const { body: session } = await service.post("/v1/session", { title: "Build" });
    await service.post(`/v1/session/${session.id}/turns`, { role: "user", content: "How many cores has the build?" });
    const reads = [
      await service.post("/v1/memory/recall/batch", { queries: [{ query: "two cores" }] }),
      await service.get("/v1/graph"),
      await service.get(`/v1/session/${session.id}/context?query=two+cores`),
      await service.get("/v1/self/profile"),
    ];
    for (const { status, body } of reads) assert.equal(status, 200, JSON.stringify(body));
    await service.deps.audit.flush();
    const { body: page } = await service.get(`/v1/audit?target=${fact.id}&eventType=read.`);
    const holding = reads.filter(({ body }) => JSON.stringify(body).includes(fact.id));
    assert.ok(holding.length >= 3, "batch, graph and profile show it");
    assert.equal(page.data.length, holding.length, "as many rows name it as replies show it");
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 a hundred writers at once make one chain without a gap, two processes too",
  async fn() {
    await using service = await startService();
    await using other = await startService({ database: service.database! });
    await using superuser = connectSuperuser(service);
    await Promise.all(Array.from({ length: 100 }, async (_, i) => {
      const to = i % 2 === 0 ? service : other;
      const key = service.key;
      const reply = await to.post("/v1/memory/facts", { statement: `Item ${i} weighs ${i} grams` }, { key });
      assert.equal(reply.status, 201);
      await to.get(`/v1/facts/${reply.body.id}`, { key });
    }));
    await service.deps.audit.flush();
    await other.deps.audit.flush();
    const rows = await readLog(superuser.sql, service.workspaceId);
    assert.equal(rows.filter((row) => row.event_type === "write.createFact").length, 100);
    assert.equal(rows.filter((row) => row.event_type === "read.getFactV2").length, 100);
    assertChain(rows);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T66 what cannot be told to the audit log is not done: 503, and nothing changes",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    await superuser.sql`revoke insert on svc_audit_log from svc_app`;
    const refused = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    assert.equal(refused.status, 503);
    assert.equal(refused.body.code, "unavailable");
    assert.equal(refused.headers.get("retry-after"), "1");
    const [{ count }] = await superuser.sql`select count(*)::int from unit`;
    assert.equal(count, 0);
    await superuser.sql`grant insert on svc_audit_log to svc_app`;
    const done = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    assert.equal(done.status, 201);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 nobody changes, deletes or truncates a row, the tables' owner included",
  async fn() {
    await using service = await startService();
    await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    await service.deps.audit.flush();
    for (const url of [service.database!.requestUrl, service.database!.ownerUrl, service.database!.superuserUrl]) {
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      try {
        const attempts = [
          "update svc_audit_log set actor_id = 'nobody'",
          "delete from svc_audit_log",
          "truncate svc_audit_log",
          "delete from svc_audit_head",
          "truncate svc_audit_head",
        ];
        for (const attempt of attempts) {
          const refusal = sql.begin(async (tx) => {
            await tx`select set_config('app.workspace_id', ${service.workspaceId}, true)`;
            const rows = await tx.unsafe(`${attempt}`);
            // Forced policies of another role hide all rows from the owner: nothing is changed either.
            assert.equal(rows.count, 0);
            throw Object.assign(new Error("no row"), { code: "42501" });
          });
          await assert.rejects(refusal, { code: "42501" }, `${attempt} as ${new URL(url).username}`);
        }
      } finally {
        await sql.end();
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "an address stands beside its commitment, so that it can be forgotten with the chain intact",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { url } = service.listen();
    const reply = await fetch(`${url}/v1/session`, { headers: { authorization: `Bearer ${service.key}` } });
    await reply.body?.cancel();
    await service.deps.audit.flush();
    const [row] = await superuser.sql`
      select l.ip_commitment, a.ip_address, a.salt from svc_audit_log l join svc_audit_address a using (workspace_id, seq)
       where workspace_id = ${service.workspaceId}`;
    assert.equal(row.ip_address, "127.0.0.1");
    assert.equal(commitToAddress("127.0.0.1", row.salt).commitment, row.ip_commitment);
    await superuser.sql`delete from svc_audit_address`;
    assertChain(await readLog(superuser.sql, service.workspaceId));
  },
});

/** Writes and reads until the log has rows of several kinds. */
async function fillLog(service: TestService): Promise<void> {
  for (let i = 0; i < 6; i++) {
    const { body } = await service.post("/v1/memory/facts", { statement: `Item ${i} weighs ${i} grams` });
    await service.get(`/v1/facts/${body.id}`);
  }
  await service.deps.audit.flush();
}

/** Changes the log as an administrator of the database can: past policies and triggers. */
async function tamper(sql: postgres.Sql, work: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await work(tx);
  });
}

/** Copies the log before, and puts it back after. */
async function undone(sql: postgres.Sql, work: () => Promise<void>): Promise<void> {
  await sql`create table kept as select * from svc_audit_log`;
  await sql`create table kept_head as select * from svc_audit_head`;
  try {
    await work();
  } finally {
    await tamper(sql, async (tx) => {
      await tx`delete from svc_audit_log`;
      await tx`insert into svc_audit_log select * from kept`;
      await tx`delete from svc_audit_head`;
      await tx`insert into svc_audit_head select * from kept_head`;
    });
    await sql`drop table kept, kept_head`;
  }
}

Deno.test({
  ...POSTGRES,
  name: "T65 every kind of tampering is found and named, what is wholly rewritten against a checkpoint kept elsewhere",
  async fn(t) {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { sql } = superuser;
    const ws = service.workspaceId;
    await fillLog(service);
    const ctx = service.operator();
    const kept = await getCheckpoint(ctx);
    const head = { size: kept.size, root: Uint8Array.fromHex(kept.root) };
    const n = kept.size;
    const expectBad = async (problem: string, firstBadSeq: number | undefined) => {
      const check = await checkChain(ctx, { heads: [head] });
      assert.equal(check.ok, false);
      assert.equal(check.problem, problem);
      if (firstBadSeq !== undefined) assert.equal(check.firstBadSeq, firstBadSeq);
    };
    assert.ok((await checkChain(ctx, { heads: [head] })).ok);

    const columns: Record<string, string> = {
      id: "gen_random_uuid()",
      actor_id: "'key:other'",
      actor_type: "'admin'",
      event_type: "'read.other'",
      outcome: "'not_found'",
      request_id: "'other'",
      targets: "array[gen_random_uuid()]",
      target_count: "target_count + 1",
      detail: `'{"other": 1}'::jsonb`,
      created_at: "created_at + interval '1 millisecond'",
      ip_commitment: "repeat('0', 64)",
      hash: "decode(repeat('00', 32), 'hex')",
    };
    for (const seq of [1, Math.ceil(n / 2), n]) {
      for (const [column, value] of Object.entries(columns)) {
        await t.step(`${column} of row ${seq}`, () =>
          undone(sql, async () => {
            await tamper(sql, (tx) =>
              tx.unsafe(
                `update svc_audit_log set ${column} = ${value} where workspace_id = '${ws}' and seq = ${seq}`,
              ));
            await expectBad("altered", seq);
          }));
      }
      await t.step(`row ${seq} is deleted`, () =>
        undone(sql, async () => {
          await tamper(sql, (tx) => tx`delete from svc_audit_log where workspace_id = ${ws} and seq = ${seq}`);
          await expectBad(seq === n ? "truncated" : "missing", seq);
        }));
    }
    await t.step("two rows are swapped", () =>
      undone(sql, async () => {
        await tamper(sql, async (tx) => {
          await tx`update svc_audit_log set seq = 100000 where workspace_id = ${ws} and seq = 3`;
          await tx`update svc_audit_log set seq = 3 where workspace_id = ${ws} and seq = 4`;
          await tx`update svc_audit_log set seq = 4 where workspace_id = ${ws} and seq = 100000`;
        });
        await expectBad("altered", 3);
      }));
    for (let cut = 1; cut < n; cut += 4) {
      await t.step(`the last ${cut} rows are cut off, and the end says so too`, () =>
        undone(sql, async () => {
          await tamper(sql, async (tx) => {
            await tx`delete from svc_audit_log where workspace_id = ${ws} and seq > ${n - cut}`;
            await tx`
              update svc_audit_head h set seq = l.seq, hash = l.hash from svc_audit_log l
               where h.workspace_id = ${ws} and l.workspace_id = ${ws} and l.seq = ${n - cut}`;
            await tx`delete from svc_audit_checkpoint where workspace_id = ${ws}`;
          });
          await expectBad("truncated", n - cut + 1);
          const blind = await checkChain(ctx, {});
          assert.ok(blind.ok, "without a checkpoint a shorter log looks whole");
        }));
    }
    await t.step("the whole chain is written anew", () =>
      undone(sql, async () => {
        await rewrite(sql, ws);
        await expectBad("rewritten", n);
        assert.ok((await checkChain(ctx, {})).ok, "without a checkpoint another log looks whole");
      }));
    assert.ok((await checkChain(ctx, { heads: [head] })).ok, "put back, it is whole again");
  },
});

/** Hides who acted, with all hashes made to fit. */
async function rewrite(sql: postgres.Sql, workspaceId: string): Promise<void> {
  let hash: Uint8Array = CHAIN_START;
  const rows = await readLog(sql, workspaceId);
  await tamper(sql, async (tx) => {
    for (const { hash: _, seq, created_at, ...row } of rows) {
      const changed = { ...row, seq: Number(seq), created_at: created_at.toISOString(), actor_id: "key:nobody" };
      hash = hashAuditRecord(hash, changed);
      await tx`
        update svc_audit_log set actor_id = 'key:nobody', hash = ${hash}
         where workspace_id = ${workspaceId} and seq = ${seq}`;
    }
    await tx`update svc_audit_head set hash = ${hash} where workspace_id = ${workspaceId}`;
  });
}

Deno.test({
  ...POSTGRES,
  name: "T65 a row's proof and the proof between two checkpoints hold for a verifier that has nothing else",
  async fn() {
    await using service = await startService();
    await fillLog(service);
    const first = (await service.get("/v1/audit/checkpoint")).body;
    await fillLog(service);
    const { body: consistency } = await service.get(`/v1/audit/consistency?first=${first.size}`);
    assert.equal(consistency.firstRoot, first.root);
    const bytes = (hex: string) => Uint8Array.fromHex(hex);
    const { second, secondRoot, path } = consistency;
    assert.ok(verifyConsistency(first.size, bytes(first.root), second, bytes(secondRoot), path.map(bytes)));
    const { body: page } = await service.get("/v1/audit?eventType=write.createFact&order=asc&limit=3");
    for (const row of page.data) {
      const { body: proof } = await service.get(`/v1/audit/${row.seq}/proof?size=${second}`);
      assert.equal(proof.leafHash, hashLeaf(bytes(row.hash)).toHex());
      assert.ok(verifyInclusion(bytes(proof.leafHash), row.seq - 1, second, proof.path.map(bytes), bytes(secondRoot)));
    }
    assert.equal((await service.get("/v1/audit/999999/proof")).status, 404);
    assert.equal((await service.get(`/v1/audit/consistency?first=999999`)).status, 404);
    const { body: verified } = await service.get("/v1/audit/verify");
    assert.deepEqual([verified.ok, verified.problem, verified.firstBadSeq], [true, null, null]);
    assert.ok(verified.checkpointsChecked >= 1);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the log is listed by kind, actor, outcome, resource and time, each workspace's its own",
  async fn() {
    await using service = await startService();
    await fillLog(service);
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    const list = async (query: string, key?: string) => {
      const reply = await service.get(`/v1/audit?${query}`, key === undefined ? {} : { key });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body.data;
    };
    const [only] = await list(`target=${fact.id}`);
    assert.equal(only.event_type, "write.createFact");
    assert.match(only.actor_id, /^key:/);
    assert.equal(
      (await list("eventType=write.")).every((row: { event_type: string }) => /^write\./.test(row.event_type)),
      true,
    );
    assert.equal((await list(`requestId=${only.request_id}`)).length, 1);
    assert.equal((await list("outcome=not_found")).length, 0);
    assert.equal((await list("to=2000-01-01T00:00:00Z")).length, 0);
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace() });
    assert.equal((await list("eventType=write.", stranger)).length, 0);
    const seen = new Set<number>();
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body: page } = await service.get(`/v1/audit?limit=4&order=asc${cursor && `&cursor=${cursor}`}`);
      for (const row of page.data) seen.add(row.seq);
      cursor = page.nextCursor;
    }
    assert.deepEqual([...seen], Array.from({ length: seen.size }, (_, i) => i + 1));
  },
});

Deno.test({
  ...POSTGRES,
  name: "the worker gives out signed checkpoints: to the table, the log stream and the file; also of the system's log",
  async fn() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const file = await Deno.makeTempFile();
    const lines: string[] = [];
    await using service = await startService({
      env: {
        SVC_FEDERATION_PRIVATE_KEY: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
        SVC_AUDIT_CHECKPOINT_FILE: file,
        SVC_LOG_LEVEL: "info",
      },
      logSink: (line) => void lines.push(line),
    });
    await fillLog(service);
    await checkpointWorkspace(service.operator());
    await checkpointWorkspace(service.operator());
    const written = (await Deno.readTextFile(file)).trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(written.length, 1, "nothing was added, so none was made");
    const raw = publicKey.export({ format: "jwk" }).x!;
    assert.ok(isSignedBy(written[0].note, Uint8Array.fromBase64(raw, { alphabet: "base64url" })));
    assert.ok(lines.some((line) => line.includes("audit.checkpoint")));
    const { body } = await service.get("/v1/audit/checkpoint");
    assert.equal(body.note, written[0].note);
    assert.equal(body.signed, true);
    await Deno.remove(file);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a key that cannot be read is told at boot, and nothing is signed",
  async fn() {
    const lines: string[] = [];
    await using service = await startService({
      env: { SVC_FEDERATION_PRIVATE_KEY: "no key" },
      logSink: (line) => void lines.push(line),
    });
    assert.ok(lines.some((line) => line.includes("federation.serve_crypto_init_failed")));
    await fillLog(service);
    assert.equal((await service.get("/v1/audit/checkpoint")).body.signed, false);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T65 the command line verifies a dump without a database, with and without a checkpoint",
  async fn() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    await using service = await startService({
      env: { SVC_FEDERATION_PRIVATE_KEY: privateKey.export({ format: "pem", type: "pkcs8" }) as string },
    });
    await fillLog(service);
    const dir = await Deno.makeTempDir();
    const { note } = await getCheckpoint(service.operator());
    const dump = `${dir}/audit.jsonl`;
    const run = async (env: Record<string, string>, ...args: string[]) => {
      const script = new URL("../../src/cli.ts", import.meta.url).pathname;
      const options = { args: ["run", "-A", "--quiet", script, "audit", ...args], env, clearEnv: true };
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), options).output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, out: text(stdout), error: text(stderr) };
    };
    const home = { HOME: Deno.env.get("HOME") ?? "/root", PATH: Deno.env.get("PATH") ?? "" };
    const dumped = await run(
      { ...home, DATABASE_URL: service.database!.requestUrl },
      "dump",
      "--workspace",
      service.workspaceId,
    );
    assert.equal(dumped.code, 0, dumped.error);
    await Deno.writeTextFile(dump, dumped.out);
    await Deno.writeTextFile(`${dir}/checkpoint`, note);
    await Deno.writeTextFile(`${dir}/key.pem`, publicKey.export({ format: "pem", type: "spki" }) as string);
    const trusted = ["--checkpoint", `${dir}/checkpoint`, "--public-key", `${dir}/key.pem`];
    const whole = await run(home, "verify", "--dump", dump, ...trusted);
    assert.equal(whole.code, 0, whole.error + whole.out);
    assert.equal(JSON.parse(whole.out).headsChecked, 1);
    const rows = dumped.out.trim().split("\n");
    await Deno.writeTextFile(dump, rows.slice(0, -3).join("\n"));
    assert.equal((await run(home, "verify", "--dump", dump)).code, 0, "a shorter log looks whole by itself");
    const cut = await run(home, "verify", "--dump", dump, ...trusted);
    assert.equal(cut.code, 1);
    assert.equal(JSON.parse(cut.out).problem, "truncated");
    await Deno.writeTextFile(dump, dumped.out.replace("write.createFact", "write.createTask"));
    const altered = await run(home, "verify", "--dump", dump);
    assert.equal(altered.code, 1);
    assert.equal(JSON.parse(altered.out).problem, "altered");
    await Deno.remove(dir, { recursive: true });
  },
});

Deno.test({
  ...POSTGRES,
  name: "a chain that cannot be written holds up no other, and gets its rows when it can be again",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const other = await service.createWorkspace("other");
    const key = await service.createKey({ workspaceId: other });
    await service.deps.audit.flush();
    const count = async (workspaceId: string) => {
      const [row] = await superuser.sql`
        select count(*)::int as n from svc_audit_log where workspace_id = ${workspaceId}
           and event_type = 'read.listFactsV2'`;
      return row!["n"];
    };
    await superuser.sql.unsafe(`
      create function refuse_here() returns trigger language plpgsql as $$ begin
        if new.workspace_id = '${service.workspaceId}' then raise exception 'not here'; end if;
        return new;
      end $$;
      create trigger refuse_here before insert on svc_audit_log for each row execute function refuse_here()`);
    await service.get("/v1/facts");
    await service.get("/v1/facts", { key });
    await assert.rejects(service.deps.audit.flush());
    assert.deepEqual([await count(service.workspaceId), await count(other)], [0, 1]);
    await superuser.sql`drop trigger refuse_here on svc_audit_log`;
    await service.deps.audit.flush();
    assert.deepEqual([await count(service.workspaceId), await count(other)], [1, 1]);
  },
});
