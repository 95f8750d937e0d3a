/** What tests of turns between two services do over and over. */
import assert from "node:assert/strict";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import type { Pair, Side } from "./_pair.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

export async function ok(reply: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await reply;
  assert.ok(status < 300, JSON.stringify(body));
  return body;
}

export function create(side: Side, statement: string, more: Json = {}): Promise<Json> {
  return ok(side.service.post("/v1/memory/facts", { statement, ...more }));
}

export async function recalled(side: Side, query: string): Promise<Json[]> {
  return (await ok(side.service.post("/v1/memory/recall", { query }))).results;
}

/** A turn of one side with the other, that has to come to its end. */
export async function turn(side: Side, other: Side, options: Parameters<typeof syncWithPeer>[2] = {}) {
  const report = await syncWithPeer(side.service.operator(side.service.workspaceId), other.id, options);
  assert.ok(report, "nobody else has the turn");
  assert.equal(report.error, null, JSON.stringify(report.error));
  return report;
}

/** Rows that a statement finds; `:ws` is the workspace of the side. */
export async function rows(side: Side, query: string): Promise<Json[]> {
  const { workspaceId } = side.service;
  return await side.service.operator(workspaceId).tx(async (tx) => [
    ...await tx.sql.unsafe(query.replaceAll(":ws", `'${workspaceId}'`)),
  ]);
}

export function later(pair: Pair, seconds: number): void {
  pair.now = new Date(pair.now.getTime() + seconds * 1_000);
}
