/** What holds for every RPC, checked from the service's definition: a new RPC is covered the moment it is there. */
import assert from "node:assert/strict";
import type { DescMessage } from "@bufbuild/protobuf";
import { z } from "zod";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { RPCS } from "../../src/rpc/methods/mod.ts";
import { startService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { callRpc, clientOf, detailOf, invoke, PREFIX } from "./_client.ts";
import { REQUESTS } from "./_requests.ts";

Deno.test("every RPC of the definition is served, and has a request that a test sends", () => {
  assert.deepEqual(RPCS.map(({ method }) => method.name).sort(), SvcService.methods.map(({ name }) => name).sort());
  assert.deepEqual(Object.keys(REQUESTS).sort(), SvcService.methods.map(({ name }) => name).sort());
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
  name: "every RPC keeps the order of checks, and its own scope opens it",
  async fn(t) {
    await using service = await startService();
    for (const { method, operation: { scope } } of RPCS) {
      const { name } = method;
      const request = await REQUESTS[name]!(service);
      await t.step(`T16 ${name}: its own scope alone opens it`, async () => {
        const reply = await invoke(
          clientOf(service, { key: await service.createKey({ scopes: scope === "any" ? [] : [scope] }) }),
          method,
          request,
        );
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
        `${name}: the key comes before the body`,
        async () => {
          const nobody = await callRpc(service, name, "{", { key: null });
          assert.equal(detailOf(nobody.body).code, "unauthenticated");
          assert.equal(nobody.headers.get("www-authenticate"), "Bearer");
          assert.equal(detailOf(nobody.body).requestId, nobody.headers.get("x-request-id"));
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
