/** The rows of the audit log in its table. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { type AuditRecord, CHAIN_START, hashAuditRecord } from "../../src/crypto/audit_chain.ts";
import type { TestService } from "../_service.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

export type Row = Omit<AuditRecord, "created_at" | "seq"> & { seq: string; created_at: Date; hash: Uint8Array };

export function connectSuperuser(service: TestService) {
  const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) };
}

export async function readLog(sql: postgres.Sql | postgres.TransactionSql, workspaceId: string): Promise<Row[]> {
  return await sql<Row[]>`select * from svc_audit_log where workspace_id = ${workspaceId} order by seq`;
}

export function assertChain(rows: readonly Row[]): void {
  let previous = CHAIN_START;
  for (const [i, { hash, seq, created_at, ...row }] of rows.entries()) {
    assert.equal(Number(seq), i + 1, "no gap");
    previous = hashAuditRecord(previous, { ...row, seq: Number(seq), created_at: created_at.toISOString() });
    assert.deepEqual(new Uint8Array(hash), new Uint8Array(previous), `row ${seq}`);
  }
}

/** Writes and reads `times` times, for rows of several kinds. */
export async function fillLog(service: TestService, times = 6): Promise<void> {
  for (let i = 0; i < times; i++) {
    const { body } = await service.post("/v1/memory/facts", { statement: `Item ${i} weighs ${i} grams` });
    await service.get(`/v1/facts/${body.id}`);
  }
  await auditTrailOf(service.deps).flush();
}
