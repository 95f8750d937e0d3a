/** The ends of knowledge units of every kind, their versions, and batches of them. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { canonicalJson } from "../../src/crypto/canonical_json.ts";
import { verifySignature } from "../../src/crypto/ed25519.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { LIFECYCLE_FACES as FACES } from "./_lifecycle.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { feedOf, get, listIds, post, recall, refusal } from "./_units.ts";

for (const { type, path, many, body, faces, status } of FACES) {
  test(`a forgotten ${type} leaves lists and recall, and is restored as it was`, async (service) => {
    const unit = await post(service, path, body);
    for (const face of faces) {
      const reply = await post(service, `${face}/${unit.id}/forget`, { mode: "archive", reason: "done with" }, 200);
      assert.deepEqual([reply.mode, reply[type].status], ["archive", "archived"]);
      const again = await post(service, `${face}/${unit.id}/forget`, { mode: "archive" }, 200);
      assert.equal(again[type].version, reply[type].version, "twice changes nothing");
      assert.deepEqual(await listIds(service, path), []);
      assert.deepEqual(await listIds(service, `${path}?status=archived`), [unit.id]);
      assert.deepEqual(await recall(service, "harbour", [type]), []);
      const restored = await service.post(`${face}/${unit.id}/restore`);
      assert.deepEqual([restored.status, restored.body.status], [200, status]);
      assert.deepEqual(refusal(await service.post(`${face}/${unit.id}/restore`)), [409, "invalid_transition"]);
    }
    assert.equal((await recall(service, "harbour", [type])).length, 1);
    const archived = await service.delete(`${path}/${unit.id}`);
    assert.deepEqual([archived.status, archived.body.status], [200, "archived"]);
  });

  test(`an erased ${type} is gone for ever, with a receipt`, async (service) => {
    const unit = await post(service, path, body);
    const dependant = await create(service, { derivedFrom: [unit.id] });
    await post(service, `${path}/${unit.id}/forget`, { mode: "archive" }, 200);
    const stale = await service.post(`${path}/${unit.id}/forget`, { mode: "erase" }, {
      headers: { "if-match": '"9"' },
    });
    assert.deepEqual(refusal(stale), [412, "version_mismatch"]);
    const { receipt, mode } = await post(service, `${path}/${unit.id}/forget`, { mode: "erase", reason: "asked" }, 200);
    assert.deepEqual([mode, receipt.id, receipt.resourceType, receipt.reason, receipt.staleDependants], [
      "erase",
      unit.id,
      type,
      "asked",
      1,
    ]);
    assert.equal((await get(service, `/v1/memory/facts/${dependant.id}`)).stale, true);
    for (const call of ["", "/revisions"]) {
      assert.deepEqual(refusal(await service.get(`${path}/${unit.id}${call}`)), [410, "erased"]);
    }
    for (const call of ["forget", "restore"]) {
      const reply = await service.post(`${path}/${unit.id}/${call}`, call === "forget" ? { mode: "archive" } : {});
      assert.deepEqual(refusal(reply), [410, "erased"]);
    }
    assert.deepEqual(await recall(service, "harbour", [type]), []);
    assert.equal((await feedOf(service, unit.id)).at(-1), `${type}.erased`);
    const rows = await service.operator().tx((tx) =>
      tx.sql`select from unit_revision where workspace_id = ${tx.workspaceId} and id = ${unit.id}`
    );
    assert.equal(rows.length, 0);
  });

  test(`every version of a ${type} is listed, whole, with who and why`, async (service, clock) => {
    const unit = await post(service, path, body);
    clock.step(1_000);
    await post(service, `${path}/${unit.id}/forget`, { mode: "archive", reason: "done with" }, 200);
    clock.step(1_000);
    await service.post(`${path}/${unit.id}/restore`);
    const page = await get(service, `${path}/${unit.id}/revisions?limit=2`);
    assert.deepEqual(
      page.data.map((row: { version: number; event: string }) => [row.version, row.event]),
      [[3, "restored"], [2, "archived"]],
    );
    assert.deepEqual([page.data[1].reason, page.data[1][type].status], ["done with", "archived"]);
    const rest = await get(service, `${path}/${unit.id}/revisions?limit=2&cursor=${page.nextCursor}`);
    assert.deepEqual([rest.data[0].event, rest.data[0][type], rest.nextCursor], ["created", unit, null]);
  });

  test(`a batch of ${many} stores what is valid, each with its outcome`, async (service) => {
    const { results, ...counts } = await post(service, `${path}/batch`, {
      [many]: [
        body,
        { ...body, derivedFrom: [UNKNOWN_ID] },
        { ...body, sensitivity: "confidential" },
        { ...body, attribution: "federation_received" },
      ],
    }, 200);
    assert.deepEqual(counts, { created: 2, refused: 2 });
    assert.deepEqual(results.map((result: { status: number }) => result.status), [201, 422, 201, 422]);
    assert.deepEqual(results[1].error.errors, [{ path: "derivedFrom.0", message: "is not known" }]);
    assert.deepEqual(results[3].error.errors, [{ path: "attribution", message: "cannot be claimed" }]);
    assert.deepEqual(
      (await listIds(service, `${path}?order=asc`)).sort(),
      [results[0][type].id, results[2][type].id].sort(),
    );
    assert.equal((await recall(service, "harbour", [type])).length, 2, "they are indexed");
    const wrong = await service.post(`${path}/batch`, { [many]: [body, { ...body, colour: "red" }] });
    assert.deepEqual([wrong.status, wrong.body.errors[0].path], [422, `${many}.1.colour`]);
    assert.equal((await service.post(`${path}/batch`, { [many]: [] })).status, 422);
    assert.equal((await service.post(`${path}/batch`, { [many]: Array(501).fill(body) })).status, 422);
  });

  test(`another workspace and a key without the scope forget no ${type}`, async (service) => {
    const unit = await post(service, path, { ...body, sensitivity: "confidential" });
    const other = await service.createKey({ workspaceId: await service.createWorkspace() });
    const low = await service.createKey({ maxSensitivity: "internal" });
    const writer = await service.createKey({ scopes: ["memory:read", "memory:write"] });
    for (const key of [other, low]) {
      const calls = [
        service.post(`${path}/${unit.id}/forget`, { mode: "erase" }, { key }),
        service.post(`${path}/${unit.id}/restore`, {}, { key }),
        service.get(`${path}/${unit.id}/revisions`, { key }),
      ];
      assert.deepEqual((await Promise.all(calls)).map(refusal), Array(3).fill([404, "not_found"]));
    }
    const refused = await service.post(`${path}/${unit.id}/forget`, { mode: "archive" }, { key: writer });
    assert.deepEqual(refusal(refused), [403, "insufficient_scope"]);
    assert.equal((await get(service, `${path}/${unit.id}`)).version, 1);
  });
}

test("500 decisions are stored at once, in order", async (service) => {
  const decisions = Array.from({ length: 500 }, (_, i) => ({ title: `Decision ${i}`, decision: `We do ${i}.` }));
  const reply = await post(service, "/v1/memory/decisions/batch", { decisions }, 200);
  assert.equal(reply.created, 500);
  const ids = reply.results.map((result: { decision: { id: string } }) => result.decision.id);
  assert.deepEqual(ids, ids.toSorted());
});

test("a superseded decision that is restored is in force beside its successor", async (service, clock) => {
  const DECISIONS = "/v1/memory/decisions";
  const first = await post(service, DECISIONS, { title: "T", decision: "Postgres." });
  const fact = await create(service, { derivedFrom: [first.id] });
  clock.step(1_000);
  const next = await post(service, `${DECISIONS}/${first.id}/supersede`, { title: "T", decision: "Files." });
  await post(service, `${DECISIONS}/${first.id}/forget`, { mode: "archive" }, 200);
  assert.equal((await service.post(`${DECISIONS}/${first.id}/restore`)).body.status, "superseded");
  assert.equal((await get(service, `/v1/memory/facts/${fact.id}`)).stale, true);
  const { body } = await service.post(`${DECISIONS}/${first.id}/restore`);
  assert.deepEqual([body.status, body.supersededBy], ["accepted", null]);
  const successor = await get(service, `${DECISIONS}/${next.id}`);
  assert.deepEqual([successor.status, successor.supersedes], ["accepted", null]);
  assert.equal((await get(service, `/v1/memory/facts/${fact.id}`)).stale, false);
});

test("of forgetting and restoring at once the history tells one order", async (service) => {
  const [{ path, body }] = FACES;
  const unit = await post(service, path, body);
  await Promise.all([
    service.post(`${path}/${unit.id}/forget`, { mode: "archive" }),
    service.post(`${path}/${unit.id}/restore`),
    service.post(`${path}/${unit.id}/forget`, { mode: "archive" }),
  ]);
  const { data } = await get(service, `${path}/${unit.id}/revisions?order=asc`);
  const events = data.map((row: { event: string }) => row.event);
  assert.ok(
    ["created,archived", "created,archived,restored", "created,archived,restored,archived"].includes(events.join()),
  );
});

Deno.test({
  ...POSTGRES,
  name: "a receipt is signed where the instance has a key, and nothing in it can be altered",
  async fn() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const env = { SVC_FEDERATION_PRIVATE_KEY: privateKey.export({ format: "pem", type: "pkcs8" }) as string };
    await using service = await startService({ env });
    const { body: fact } = await service.post("/v1/memory/facts", { statement: "The build runs on two cores" });
    const { body } = await service.post(`/v1/facts/${fact.id}/forget`, { mode: "erase", reason: "asked" });
    const { signature, ...receipt } = body.receipt ?? assert.fail(JSON.stringify(body));
    const raw = Uint8Array.fromBase64(publicKey.export({ format: "jwk" }).x!, { alphabet: "base64url" });
    const value = Uint8Array.fromBase64(signature.value, { alphabet: "base64url" });
    const holds = (said: unknown) => verifySignature(value, new TextEncoder().encode(canonicalJson(said)), raw);
    assert.ok(holds(receipt));
    assert.ok(!holds({ ...receipt, reason: "another" }));
  },
});
