/** Shared parts of tests of knowledge units: short ways to make, read, list and recall them, whatever their kind. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";

export async function post(
  service: TestService,
  path: string,
  body: unknown,
  status = 201,
): Promise<Reply["body"]> {
  const reply = await service.post(path, body);
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

export async function patch(service: TestService, path: string, body: unknown): Promise<Reply["body"]> {
  const reply = await service.patch(path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

export async function get(service: TestService, path: string): Promise<Reply["body"]> {
  const reply = await service.get(path);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

export async function listIds(service: TestService, path: string): Promise<string[]> {
  return (await get(service, path)).data.map((unit: { id: string }) => unit.id);
}

/** The refusal that a request gets. */
export function refusal(reply: Reply): [number, string] {
  return [reply.status, reply.body.code];
}

/** The units of some types that a query recalls, as `[type, id]`. */
export async function recall(service: TestService, query: string, types: string[], more: object = {}) {
  const { results } = await post(service, "/v1/memory/recall", { query, types, ...more }, 200);
  return results as { id: string; type: string; text: string; status: string; stale: boolean }[];
}

/** The kinds of the change feed's entries about a resource, in order. */
export async function feedOf(service: TestService, id: string): Promise<string[]> {
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ kind: string }[]>`
    select kind from change where workspace_id = ${tx.workspaceId} and resource_id = ${id} order by seq`
  );
  return rows.map((row) => row.kind);
}

/** The events of a unit's versions, with their reasons. */
export async function versionsOf(service: TestService, id: string): Promise<[string, string | null][]> {
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ event: string; reason: string | null }[]>`
    select event, reason from unit_revision where workspace_id = ${tx.workspaceId} and id = ${id} order by version`
  );
  return rows.map((row) => [row.event, row.reason]);
}

/** Erases a unit for ever, as an administrator of the memory does. */
export async function erase(service: TestService, type: "decision" | "strategy" | "skill" | "episode", id: string) {
  const { eraseUnit } = await import("../../src/domain/unit/erase.ts");
  const { requireUnit } = await import("../../src/domain/unit/store.ts");
  const ctx = service.operator();
  await ctx.tx(async (tx) => {
    await eraseUnit(ctx, tx, await requireUnit(tx, type, id, { lock: "update" }), null);
  });
}
