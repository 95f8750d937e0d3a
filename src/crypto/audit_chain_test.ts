import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type AuditRecord, auditRecordText, commitToAddress, hashAuditRecord } from "./audit_chain.ts";
import { canonicalJson } from "./canonical_json.ts";

const RECORD: AuditRecord = {
  workspace_id: "01900000-0000-7000-8000-000000000001",
  seq: 7,
  id: "01900000-0000-7000-8000-000000000002",
  actor_id: "key:01900000-0000-7000-8000-000000000003",
  actor_type: "key",
  event_type: "read.recallHot",
  outcome: "ok",
  request_id: 'a"b\\ud800/<>\u007f',
  targets: ["01900000-0000-7000-8000-000000000004", "01900000-0000-7000-8000-000000000005"],
  target_count: 2,
  detail: {},
  created_at: "2026-01-02T03:04:05.678Z",
  ip_commitment: null,
};

Deno.test("the text of an audit row is its canonical JSON, whatever it holds", () => {
  const rows: AuditRecord[] = [
    RECORD,
    { ...RECORD, targets: [], ip_commitment: "ab".repeat(32), seq: 2 ** 53 - 1 },
    { ...RECORD, detail: { z: 1, a: { ä: [1.5, null, "é\u2028"] }, "": true } },
    { ...RECORD, request_id: "\u0000\t\n é € 😀 \ufeff" },
    // In another order of members.
    Object.fromEntries(Object.entries(RECORD).reverse()) as unknown as AuditRecord,
  ];
  for (const row of rows) assert.equal(auditRecordText(row), canonicalJson(row));
  assert.throws(() => auditRecordText({ ...RECORD, request_id: "\ud800" }), { code: "validation_failed" });
});

Deno.test("the hash of a row is SHA-256 of the hash before it and its text, however long", () => {
  const previous = new Uint8Array(32).fill(9);
  const long = { ...RECORD, targets: Array.from({ length: 100 }, () => "é".repeat(100)) };
  for (const row of [RECORD, long, RECORD]) {
    const expected = createHash("sha256").update(previous).update(canonicalJson(row)).digest("hex");
    assert.equal(hashAuditRecord(previous, row).toHex(), expected);
  }
  const salt = new Uint8Array(16).fill(3);
  const { commitment } = commitToAddress("192.0.2.1", salt);
  assert.equal(commitment, createHash("sha256").update(salt).update("192.0.2.1").digest("hex"));
});
