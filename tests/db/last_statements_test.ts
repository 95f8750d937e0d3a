/**
 * Changes, words and audit rows are written by the last statements of a transaction, and COMMIT is sent behind them
 * without waiting.
 */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type Door, openDoor, outcomeOf, readRows, writeRow } from "./_door.ts";
import type { AuditEvent, ChangeInput, Tx } from "../../src/db/tx.ts";
import { CHAIN_START, hashAuditRecord } from "../../src/crypto/audit_chain.ts";

const subject = { actor: "key:1", operationId: "test", requestId: "r", address: "192.0.2.7" };

function changeOf(more: Partial<ChangeInput> = {}): ChangeInput {
  const resourceId = crypto.randomUUID();
  return { kind: "test.written", resourceType: "test", resourceId, version: 1, sensitivity: "public", ...more };
}

/** Writes a row, and its entries in the feed and the log. */
function write(door: Door, name: string, change: ChangeInput, event: Partial<AuditEvent> = {}, word = name) {
  return outcomeOf(door.db.tx(door.a, async (tx: Tx) => {
    await writeRow(tx, name);
    tx.record(change);
    tx.noteWords({ sensitivity: "public", gained: [word] });
    tx.audit({ eventType: "write.test", ...event });
  }, { subject }));
}

Deno.test({
  ...POSTGRES,
  name: "T66 when a change cannot be told to the feed or the log, nothing of it is there and the connection serves on",
  async fn() {
    // With one connection, the next transaction gets the one on which the last was rolled back.
    await using door = await openDoor({ max: 1 });
    const faults = {
      "a payload that is no JSON": [changeOf({ payload: { n: 1n } }), {}],
      "a change of something without an id": [changeOf({ resourceId: "none" }), {}],
      "a detail without a canonical form": [changeOf(), { detail: { text: "\ud800" } }],
      "a target that is no id": [changeOf(), { targets: ["none"] }],
      "a word that Postgres cannot store": [changeOf(), {}, "\0"],
    } as const;
    for (const [name, [change, event, word]] of Object.entries(faults)) {
      assert.notEqual((await write(door, name, change, event, word)).code, undefined, name);
    }
    assert.equal((await write(door, "whole", changeOf())).code, undefined);
    const { rows, feed, words, log } = await door.db.tx(door.a, async (tx) => ({
      rows: (await readRows(tx)).map((row) => row.name),
      feed: (await tx.sql`select seq::int from change where workspace_id = ${tx.workspaceId}`).map((row) => row.seq),
      words: (await tx.sql`select term from vocabulary where workspace_id = ${tx.workspaceId}`).map((row) => row.term),
      log: (await tx.sql`select seq::int from svc_audit_log where workspace_id = ${tx.workspaceId}`).map((row) =>
        row.seq
      ),
    }));
    assert.deepEqual([rows, feed, words, log], [["whole"], [1], ["whole"], [1]]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the chain that Postgres links is the one that is checked, whatever a row says",
  async fn() {
    await using door = await openDoor();
    const texts = ['"seq":0,"seq":7', "é \u0001 \\ 🦜", "\u2028", '{"seq":1}'];
    await Promise.all(texts.map((text, n) => write(door, `row ${n}`, changeOf(), { detail: { text, seq: n } })));
    await door.db.tx(door.a, (tx) => {
      for (const text of texts) tx.audit({ eventType: "write.test", detail: { text }, targets: [crypto.randomUUID()] });
      return Promise.resolve();
    }, { subject: { ...subject, via: "test", requestId: '","seq":3' } });
    const rows = await door.superuser`
      select workspace_id, seq::int, id, actor_id, actor_type, event_type, outcome, request_id, targets, target_count,
             detail, created_at, ip_commitment, hash
        from svc_audit_log where workspace_id = ${door.a.workspaceId} order by seq`;
    assert.deepEqual(rows.map((row) => row.seq), [1, 2, 3, 4, 5, 6, 7, 8]);
    let previous = CHAIN_START;
    for (const { hash, created_at, ...row } of rows) {
      previous = hashAuditRecord(previous, { ...row, created_at: created_at.toISOString() } as never);
      assert.equal(hash.toString("hex"), previous.toHex(), `row ${row.seq}`);
    }
    const [head] = await door.superuser`
      select seq::int, hash from svc_audit_head where workspace_id = ${door.a.workspaceId}`;
    assert.deepEqual([head.seq, head.hash.toString("hex")], [8, previous.toHex()]);
    const [addresses] = await door.superuser`
      select count(*)::int as n from svc_audit_address where workspace_id = ${door.a.workspaceId} and ip_address = '192.0.2.7'`;
    assert.equal(addresses.n, 8);
  },
});
