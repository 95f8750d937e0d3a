import assert from "node:assert/strict";
import { z } from "zod";
import { createContext, type OperationContext } from "../context.ts";
import { ServiceError } from "../errors.ts";
import type { Scope } from "../schema/scopes.ts";
import { operation, renamed, Replied } from "./operation.ts";

const Params = z.strictObject({ id: z.uuid() });
const ID = "01890000-0000-7000-8000-000000000000";

/** The caller. The operations here need no part of the service. */
function contextWith(scopes: readonly Scope[], begin?: () => Promise<void>): OperationContext {
  return createContext(
    {} as OperationContext["deps"],
    { actor: "test", workspaceId: ID, scopes: new Set(scopes), maxSensitivity: "internal" },
    { requestId: "1", operationId: "renameThing", signal: new AbortController().signal, begin },
  );
}

const done: string[] = [];
const renameThing = operation({
  id: "renameThing",
  summary: "Rename a thing",
  scope: "memory:write",
  params: Params,
  query: z.strictObject({ dryRun: z.stringbool().optional() }),
  body: z.strictObject({ name: z.string().min(1) }),
  reply: z.strictObject({ id: z.uuid(), name: z.string(), version: z.int() }),
  versioned: true,
}, async (_ctx, { params, body, expectedVersion = 1 }) => {
  done.push(body.name);
  return { id: params.id, name: body.name, version: expectedVersion + 1 };
});

Deno.test("an operation runs without a face: input is read, and what is shown is noted", async () => {
  const ctx = contextWith(["memory:write"]);
  const input = await renameThing.read({ params: { id: ID }, body: { name: "Ada" }, expectedVersion: 4 });
  const { body, status } = await renameThing.run(ctx, input);
  assert.deepEqual([status, body], [200, { id: ID, name: "Ada", version: 5 }]);
  assert.deepEqual(ctx.trail.shown, [ID]);
});

Deno.test("the faults of all parts of an input are told together, and what is not known is refused in each", async () => {
  const given = { params: { id: "1" }, query: { limit: "3" }, body: { name: "", more: true } };
  const refused = await renameThing.read(given).catch((error) => error);
  assert.ok(refused instanceof ServiceError);
  assert.equal(refused.code, "validation_failed");
  assert.deepEqual(refused.errors?.map(({ path }) => path).sort(), ["id", "limit", "more", "name"]);
});

Deno.test("an operation without a body or a query takes no member of either", async () => {
  const readThings = operation(
    { id: "readThings", summary: "Read things", scope: "memory:read", reply: z.strictObject({}) },
    async () => ({}),
  );
  assert.ok(await readThings.read({}));
  await assert.rejects(readThings.read({ body: { name: "Ada" } }), { code: "validation_failed" });
  await assert.rejects(readThings.read({ query: { name: "Ada" } }), { code: "validation_failed" });
});

Deno.test("T16 an operation runs for nobody without its scope, however it is reached, and not before its turn", async () => {
  const input = await renameThing.read({ params: { id: ID }, body: { name: "Grace" } });
  await assert.rejects(renameThing.run(contextWith(["memory:read"]), input), { code: "insufficient_scope" });
  const late = () => Promise.reject(new ServiceError("rate_limited", "Cannot begin: its turn did not come"));
  await assert.rejects(renameThing.run(contextWith(["memory:write"], late), input), { code: "rate_limited" });
  assert.ok(!done.includes("Grace"));
});

Deno.test("whether an operation changes something, and takes a version, follows from what it says", () => {
  const of = (more: object) =>
    operation(
      { id: "x", summary: "x", scope: "memory:write", reply: z.strictObject({}), ...more },
      async () => new Replied({}, 201),
    );
  assert.deepEqual([renameThing.idempotency, renameThing.takesVersion], ["kept", true]);
  assert.equal(of({ scope: "audit:read" }).idempotency, "none");
  assert.equal(of({ scope: "memory:read", changes: true }).idempotency, "kept");
  assert.equal(of({ changes: false }).idempotency, "none");
  assert.equal(of({ writesInParts: true }).idempotency, "kept_after");
  assert.equal(of({ versioned: true }).takesVersion, false, "it names no resource");
  assert.equal(of({ versioned: true, params: Params, expectsVersion: false }).takesVersion, false);
  assert.equal(of({ params: Params, errors: ["version_mismatch"] }).takesVersion, true);
  assert.deepEqual([renamed(renameThing, "older").id, renamed(renameThing, "older").scope], ["older", "memory:write"]);
});
