/** Shared parts of tests of self-edits. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";

export type Operation = Record<string, unknown>;

export interface EditOptions {
  readonly mode?: "atomic" | "per_item";
  readonly key?: string;
  readonly agentId?: string;
  readonly idempotencyKey?: string;
}

export async function edit(service: TestService, operations: Operation[], more: EditOptions = {}): Promise<Reply> {
  const { mode = "atomic", key, agentId, idempotencyKey } = more;
  const body = { reason: "tidying up", mode, operations, ...(agentId !== undefined && { agentId }) };
  const headers: Record<string, string> = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  return await service.post("/v1/self/edit", body, { headers, ...(key !== undefined && { key }) });
}

export async function applied(
  service: TestService,
  operations: Operation[],
  more: EditOptions = {},
): Promise<Reply["body"]> {
  const reply = await edit(service, operations, more);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

export async function reverted(service: TestService, id: string, body: object = {}): Promise<Reply["body"]> {
  const reply = await service.post(`/v1/self/edits/${id}/revert`, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

export async function readEdit(service: TestService, id: string): Promise<Reply["body"]> {
  const reply = await service.get(`/v1/self/edits/${id}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

export function outcomes(body: { readonly operations: readonly { readonly outcome: string }[] }): string[] {
  return body.operations.map(({ outcome }) => outcome);
}

export const FACT = (statement: string, more: object = {}) => ({
  op: "add",
  type: "fact",
  body: { statement, ...more },
});
