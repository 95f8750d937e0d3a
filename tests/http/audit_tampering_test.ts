/** Changes, cuts and rewritings of the audit log are detected. docs/reference/guarantees.md T65. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type postgres from "postgres";
import { CHAIN_START, hashAuditRecord } from "../../src/crypto/audit_chain.ts";
import { forgetAddresses, getCheckpoint } from "../../src/domain/audit/checkpoints.ts";
import { checkChain } from "../../src/domain/audit/log.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { connectSuperuser, fillLog, readLog } from "./_audit.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

/** Changes the log as an administrator of the database can: past policies and triggers. */
async function tamper(sql: postgres.Sql, work: (tx: postgres.TransactionSql) => Promise<unknown>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await work(tx);
  });
}

const TABLES = ["svc_audit_log", "svc_audit_head", "svc_audit_address", "svc_audit_checkpoint"] as const;

/** Copies the log as it is now, so that it can be restored after any change. */
async function keepLog(sql: postgres.Sql) {
  for (const table of TABLES) await sql.unsafe(`create table kept_${table} as select * from ${table}`);
  const putBack = (tables: readonly string[]) =>
    tamper(sql, async (tx) => {
      for (const table of tables) {
        await tx.unsafe(`delete from ${table}`);
        await tx.unsafe(`insert into ${table} select * from kept_${table}`);
      }
    });
  return {
    /** Changes the log, checks, and undoes the change. */
    async undone(change: (tx: postgres.TransactionSql) => Promise<unknown>, check: () => Promise<void>) {
      await tamper(sql, change);
      await check().finally(() => putBack(TABLES));
    },
    /** The same if only the log's rows change. */
    async undoneRows(change: string, check: () => Promise<void>) {
      await tamper(sql, (tx) => tx.unsafe(change));
      await check().finally(() => putBack(["svc_audit_log"]));
    },
  };
}

/** Every column of the log, with another value for it. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  workspace_id: "gen_random_uuid()",
  seq: "seq + 1000",
  id: "gen_random_uuid()",
  actor_id: "'key:other'",
  actor_type: "case actor_type when 'admin' then 'key' else 'admin' end",
  event_type: "'read.other'",
  outcome: "'other'",
  request_id: "'other'",
  targets: "targets || gen_random_uuid()",
  target_count: "target_count + 1",
  detail: `detail || '{"other": 1}'`,
  created_at: "created_at + interval '1 millisecond'",
  ip_commitment: "repeat('0', 64)",
  hash: "decode(repeat('00', 32), 'hex')",
};

Deno.test({
  ...POSTGRES,
  name: "T65 every kind of tampering is found and named, what is wholly rewritten against a checkpoint kept elsewhere",
  async fn(t) {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { sql } = superuser;
    const ws = service.workspaceId;
    await fillLog(service, 2);
    const ctx = service.operator();
    const kept = await getCheckpoint(ctx);
    const head = { size: kept.size, root: Uint8Array.fromHex(kept.root) };
    const n = kept.size;
    const { undone, undoneRows } = await keepLog(sql);
    const expectBad = async (problem: string, firstBadSeq: number, heads = [head]) => {
      const check = await checkChain(ctx, { heads });
      assert.deepEqual([check.ok, check.problem, check.firstBadSeq], [false, problem, firstBadSeq]);
    };
    assert.ok((await checkChain(ctx, { heads: [head] })).ok);

    const columns = await sql`select column_name as name from information_schema.columns
                               where table_schema = 'public' and table_name = 'svc_audit_log'`;
    assert.deepEqual(columns.map(({ name }) => name).sort(), Object.keys(OTHER_VALUES).sort());
    for (let seq = 1; seq <= n; seq++) {
      const here = `where workspace_id = '${ws}' and seq = ${seq}`;
      const gone = seq === n ? "truncated" : "missing";
      await t.step(`each column of row ${seq}, and the whole row`, async () => {
        for (const [column, value] of Object.entries(OTHER_VALUES)) {
          const problem = column === "workspace_id" || column === "seq" ? gone : "altered";
          // The same without anchors from outside.
          const check = () => expectBad(problem, seq, []);
          await undoneRows(`update svc_audit_log set ${column} = ${value} ${here}`, check);
        }
        await undoneRows(`delete from svc_audit_log ${here}`, () => expectBad(gone, seq, []));
      });
    }
    for (const [first, second] of [[3, 4], [1, n]] as const) {
      await t.step(`rows ${first} and ${second} are swapped`, () =>
        undone(async (tx) => {
          const move = (from: number, to: number) =>
            tx`update svc_audit_log set seq = ${to} where workspace_id = ${ws} and seq = ${from}`;
          for (const [from, to] of [[first, 100_000], [second, first], [100_000, second]]) await move(from!, to!);
        }, () => expectBad("altered", first, [])));
    }
    for (let left = n - 1; left >= 0; left--) {
      await t.step(
        `all but the first ${left} rows are cut off, and the end and the checkpoints agree`,
        () =>
          undone(async (tx) => {
            await tx`delete from svc_audit_log where workspace_id = ${ws} and seq > ${left}`;
            await tx`delete from svc_audit_checkpoint where workspace_id = ${ws}`;
            if (left === 0) return await tx`delete from svc_audit_head where workspace_id = ${ws}`;
            await tx`
            update svc_audit_head h set seq = l.seq, hash = l.hash from svc_audit_log l
             where h.workspace_id = ${ws} and l.workspace_id = ${ws} and l.seq = ${left}`;
          }, async () => {
            await expectBad("truncated", left + 1);
            const blind = await checkChain(ctx, {});
            assert.ok(blind.ok, "without a checkpoint a shorter log looks whole");
          }),
      );
    }
    await t.step("the whole chain is written anew", async () => {
      await undone((tx) => rewrite(tx, ws), () => expectBad("rewritten", n, []));
      await undone(async (tx) => {
        await rewrite(tx, ws);
        await tx`delete from svc_audit_checkpoint where workspace_id = ${ws}`;
      }, async () => {
        await expectBad("rewritten", n);
        assert.ok((await checkChain(ctx, {})).ok, "without a checkpoint another log looks whole");
      });
    });
    assert.ok((await checkChain(ctx, { heads: [head] })).ok, "put back, it is whole again");
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T65 an address beside its row that is not the one it was written with is found; one that was forgotten is none",
  async fn() {
    await using service = await startService();
    await using superuser = connectSuperuser(service);
    const { sql } = superuser;
    const { url } = service.listen();
    for (let n = 0; n < 3; n++) {
      const reply = await fetch(`${url}/v1/session`, { headers: { authorization: `Bearer ${service.key}` } });
      await reply.body?.cancel();
    }
    await auditTrailOf(service.deps).flush();
    const rows =
      await sql`select seq::int from svc_audit_address where workspace_id = ${service.workspaceId} order by seq`;
    assert.equal(rows.length, 3);
    const { undone } = await keepLog(sql);
    const ctx = service.operator();
    // Row 1 records the creation of the key, from the command line.
    for (const { seq } of rows) {
      for (const change of [`ip_address = '192.0.2.1'`, `salt = decode(repeat('00', 16), 'hex')`, `seq = 1`]) {
        await undone(
          (tx) => tx.unsafe(`update svc_audit_address set ${change} where seq = ${seq}`),
          async () => {
            const check = await checkChain(ctx, {});
            const expected = change === "seq = 1" ? 1 : seq;
            assert.deepEqual([check.ok, check.problem, check.firstBadSeq], [false, "altered", expected], change);
          },
        );
      }
    }
    assert.equal(await forgetAddresses(ctx, new Date(Date.now() + 60_000)), 3);
    assert.deepEqual((await service.get("/v1/audit/verify")).body.ok, true);
    const { body } = await service.get("/v1/audit?eventType=read.listSessions");
    assert.deepEqual(body.data.map((row: { ip_address: null }) => row.ip_address), [null, null, null]);
  },
});

/** Hides who acted, with all hashes made to fit. */
async function rewrite(tx: postgres.TransactionSql, workspaceId: string): Promise<void> {
  let hash: Uint8Array = CHAIN_START;
  for (const { hash: _, seq, created_at, ...row } of await readLog(tx, workspaceId)) {
    const changed = { ...row, seq: Number(seq), created_at: created_at.toISOString(), actor_id: "key:nobody" };
    hash = hashAuditRecord(hash, changed);
    await tx`
      update svc_audit_log set actor_id = 'key:nobody', hash = ${hash}
       where workspace_id = ${workspaceId} and seq = ${seq}`;
  }
  await tx`update svc_audit_head set hash = ${hash} where workspace_id = ${workspaceId}`;
}

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
      const script = new URL("../../src/cli/main.ts", import.meta.url).pathname;
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
