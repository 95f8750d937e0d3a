/** What holds for every RPC, checked from the service's definition: a new RPC is covered the moment it is there. */
import assert from "node:assert/strict";
import type { DescMessage } from "@bufbuild/protobuf";
import { z } from "zod";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { RPCS } from "../../src/rpc/methods/mod.ts";
import { type Scope, SCOPES } from "../../src/schema/scopes.ts";
import { ADMIN_TOKEN, startService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { callRpc, clientOf, detailOf, errorOf, invoke, PREFIX } from "./_client.ts";
import { REQUESTS } from "./_requests.ts";

Deno.test("T16 every RPC of the definition is served, under the scope of the HTTP operation that does the same", () => {
  assert.deepEqual(RPCS.map(({ method }) => method.name).sort(), SvcService.methods.map(({ name }) => name).sort());
  assert.deepEqual(Object.keys(REQUESTS).sort(), SvcService.methods.map(({ name }) => name).sort());
  for (const { method, operation: { id, scope, bearer } } of RPCS) {
    const twin = ENDPOINTS.find((endpoint) => endpoint.id === id);
    assert.ok(twin, `${method.name}: no operation ${id}`);
    assert.equal(scope, twin.scope, method.name);
    assert.equal(bearer, "key");
  }
});

Deno.test("a message has the members that HTTP has: no more, no less", () => {
  for (const { method, schemas: { target, body, reply } } of RPCS) {
    const [shown, asked] = [schemaOf(reply, "output"), schemaOf(body, "input")];
    if (target) asked.members = new Map([...asked.members, ...schemaOf(target, "input").members]);
    compare(method.input, asked, method.input.name);
    compare(method.output, shown, method.output.name);
  }
});

Deno.test({
  ...POSTGRES,
  name: "every RPC keeps the order of checks",
  async fn(t) {
    await using service = await startService({ env: { SVC_REGION: "us-east-1" } });
    const elsewhere = await service.createKey({ workspaceId: await service.createWorkspace("far", "eu-west-1") });
    const keys = new Map<string, Promise<string>>();
    const keyWith = (scopes: readonly Scope[]) =>
      keys.getOrInsertComputed(scopes.join(), () => service.createKey({ scopes }));
    for (const { method, operation: { scope } } of RPCS) {
      const { name } = method;
      const request = await REQUESTS[name]!(service);
      const call = (key: string | null) => errorOf(invoke(clientOf(service, { key }), method, request));
      await t.step(`T17 T23 ${name}: a stranger is unauthenticated, and is told no region`, async () => {
        const altered = service.key.replace(/.$/, (c) => c === "A" ? "B" : "A");
        const errors = [];
        for (const key of [null, "", "nonsense", ADMIN_TOKEN, `${service.key}x`, altered]) errors.push(await call(key));
        for (const { code, message, detail } of errors) {
          assert.deepEqual([code, detail?.code, message], ["Unauthenticated", "unauthenticated", errors[0]!.message]);
          assert.equal(detail!.homeRegion, undefined);
        }
      });
      await t.step(`T23 ${name}: a key of a workspace elsewhere is told its region`, async () => {
        const { code, detail } = await call(elsewhere);
        assert.deepEqual(
          [code, detail?.code, detail?.homeRegion],
          ["FailedPrecondition", "wrong_region", "eu-west-1"],
        );
      });
      await t.step(`T16 ${name}: all scopes but its own do not open it`, async () => {
        const { code, detail } = await call(await keyWith(SCOPES.filter((other) => other !== scope)));
        assert.deepEqual([code, detail?.code], ["PermissionDenied", "insufficient_scope"]);
      });
      await t.step(`T16 ${name}: its own scope alone does`, async () => {
        const reply = await invoke(clientOf(service, { key: await keyWith([scope]) }), method, request);
        assert.ok(reply !== undefined);
      });
      await t.step(`T53 ${name}: too large comes before the key`, async () => {
        const type = method.methodKind === "unary" ? "application/json" : "application/connect+json";
        const headers = { "content-length": "33554433", "content-type": type };
        const request = new Request(`http://svc.test${PREFIX}/${name}`, { method: "POST", headers, body: "{}" });
        const text = await (await service.service.fetch(request)).text();
        const error = method.methodKind === "unary" ? JSON.parse(text) : JSON.parse(text.slice(5)).error;
        assert.deepEqual([error.code, detailOf(error).code], ["resource_exhausted", "payload_too_large"]);
      });
      if (method.methodKind !== "unary") continue;
      await t.step(
        `${name}: the key comes before the body; an unknown field and malformed JSON are refused`,
        async () => {
          const nobody = await callRpc(service, name, "{", { key: null });
          assert.equal(detailOf(nobody.body).code, "unauthenticated");
          assert.equal(nobody.headers.get("www-authenticate"), "Bearer");
          assert.equal(detailOf(nobody.body).requestId, nobody.headers.get("x-request-id"));
          const unknown = await callRpc(service, name, { ...request, noSuchField: 1 });
          assert.deepEqual([unknown.status, detailOf(unknown.body).code], [400, "validation_failed"]);
          assert.equal(detailOf(unknown.body).errors[0].path, "noSuchField");
          const malformed = await callRpc(service, name, "{");
          assert.deepEqual([malformed.status, detailOf(malformed.body).code], [400, "invalid_request"]);
        },
      );
    }
  },
});

interface Members {
  members: Map<string, unknown>;
  // deno-lint-ignore no-explicit-any
  readonly defs: any;
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Members {
  const json = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const defs = { ...json.$defs };
  return { members: membersOf(json, defs), defs };
}

// deno-lint-ignore no-explicit-any
function resolve(json: any, defs: any): any {
  return json?.$ref === undefined ? json : resolve(defs[json.$ref.split("/").at(-1)], defs);
}

/** The members of an object schema; of a union, those of all its variants; of a list, those of its items. */
// deno-lint-ignore no-explicit-any
function membersOf(json: any, defs: any): Map<string, unknown> {
  const schema = resolve(json, defs);
  const found = new Map<string, unknown>(Object.entries(schema?.properties ?? {}));
  for (const one of [...schema?.anyOf ?? [], ...schema?.oneOf ?? [], ...schema?.allOf ?? []]) {
    for (const [name, member] of membersOf(one, defs)) found.set(name, member);
  }
  if (schema?.items) { for (const [name, member] of membersOf(schema.items, defs)) found.set(name, member); }
  return found;
}

/** Members of a fact as its writer gets it. */
const WRITTEN = ["conflict", "duplicateOf"];

function compare(desc: DescMessage, { members, defs }: Members, where: string): void {
  const isRead = desc.name === "Fact" && !members.has("conflict");
  const expected = [...members.keys(), ...isRead ? WRITTEN : []].sort();
  assert.deepEqual(desc.fields.map(({ jsonName }) => jsonName).sort(), expected, where);
  for (const field of desc.fields) {
    const { message } = field;
    if (message === undefined || field.fieldKind === "map" || message.typeName.startsWith("google.protobuf.")) continue;
    if (!members.has(field.jsonName)) continue;
    compare(message, { members: membersOf(members.get(field.jsonName), defs), defs }, `${where}.${field.name}`);
  }
}
