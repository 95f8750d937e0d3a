/** `/v1/relations` and `/v1/memory/relations`: verbs, ends, hyperedges, validity, clearance. */
import assert from "node:assert/strict";
import { VERB_NAMES } from "../../src/schema/relation.ts";
import type { TestService } from "../_service.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { erase, feedOf, get, patch, post, refusal } from "./_units.ts";

const RELATIONS = "/v1/memory/relations";

async function facts(service: TestService, count: number, body: Record<string, unknown> = {}) {
  const made: string[] = [];
  for (let i = 0; i < count; i++) made.push((await create(service, body)).id);
  return made;
}

async function relate(service: TestService, sourceId: string, verb: string, targetId: string, more: object = {}) {
  return await service.post(RELATIONS, { sourceId, verb, targetId, ...more });
}

async function listed(service: TestService, query: string, key?: string): Promise<string[]> {
  const reply = await service.get(`${RELATIONS}?${query}`, key === undefined ? {} : { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.map((relation: { id: string }) => relation.id);
}

test("the verbs come in pages, in their order or backwards", async (service) => {
  for (const [order, expected] of [["asc", VERB_NAMES], ["desc", VERB_NAMES.toReversed()]] as const) {
    const first = await get(service, `${RELATIONS}/verbs?order=${order}&limit=5`);
    const second = await get(service, `${RELATIONS}/verbs?order=${order}&limit=5&cursor=${first.nextCursor}`);
    const names = [...first.data, ...second.data].map(({ verb }: { verb: string }) => verb);
    assert.deepEqual([names, first.data.length, second.nextCursor], [expected, 5, null]);
    const other = order === "asc" ? "desc" : "asc";
    const reply = await service.get(`${RELATIONS}/verbs?order=${other}&cursor=${first.nextCursor}`);
    assert.deepEqual([reply.status, reply.body.code], [422, "validation_failed"]);
  }
});

test("each of the nine verbs relates two units, and both faces show it", async (service) => {
  const [a, b] = await facts(service, 2) as [string, string];
  const { data } = await get(service, "/v1/relations/verbs");
  assert.deepEqual(data.map((verb: { verb: string }) => verb.verb), VERB_NAMES);
  for (const verb of VERB_NAMES) {
    const { status, body, headers } = await relate(service, a, verb, b, { weight: 0.7, tags: ["x", "x"] });
    assert.deepEqual([status, headers.get("etag")], [201, '"1"'], JSON.stringify(body));
    const { id, createdAt: _c, updatedAt: _u, createdBy: _b, ...rest } = body;
    assert.deepEqual(rest, {
      version: 1,
      status: "active",
      verb,
      sourceId: a,
      targetId: b,
      participants: null,
      weight: 0.7,
      confidence: 0.8,
      attribution: "agent_stated",
      trustScore: 60,
      sensitivity: "internal",
      stale: false,
      validFrom: null,
      validTo: null,
      evidenceIds: [],
      tags: ["x"],
      metadata: {},
    });
    assert.deepEqual(await get(service, `/v1/relations/${id}`), await get(service, `${RELATIONS}/${id}`));
    assert.deepEqual(await listed(service, `verb=${verb}&id=${b}`), [id]);
    assert.deepEqual(await feedOf(service, id), ["relation.created"]);
  }
  assert.equal((await listed(service, `sourceId=${a}`)).length, 9);
  assert.equal((await listed(service, `sourceId=${b}`)).length, 0);
});

test("the same relation twice is one, with what is stronger of both; ends of a symmetric verb have no order", async (service) => {
  const [a, b, e] = await facts(service, 3) as [string, string, string];
  const first = await relate(service, a, "contradicts", b, { weight: 0.4, tags: ["p"], confidence: 0.9 });
  const again = await relate(service, b, "contradicts", a, {
    weight: 0.6,
    tags: ["q"],
    confidence: 0.1,
    attribution: "user_stated",
    evidenceIds: [e],
  });
  assert.deepEqual([first.status, again.status], [201, 200]);
  assert.equal(again.body.id, first.body.id);
  const { version, weight, confidence, tags, trustScore, evidenceIds } = again.body;
  assert.deepEqual([version, weight, confidence, tags, trustScore, evidenceIds], [2, 0.6, 0.9, ["p", "q"], 90, [e]]);
  const third = await relate(service, a, "contradicts", b, { weight: 0.1, confidence: 0.2 });
  assert.deepEqual([third.status, third.body.version], [200, 2]);
  // Another direction of a verb that has one is another relation.
  assert.equal((await relate(service, a, "supports", b)).status, 201);
  assert.equal((await relate(service, b, "supports", a)).status, 201);
});

test("what two relations say together is never cut: more than one may hold is refused", async (service) => {
  const [a, b, c] = await facts(service, 3) as [string, string, string];
  const tags = (from: number, count: number) => Array.from({ length: count }, (_, i) => `t${from + i}`);
  const { body: first } = await relate(service, a, "about", b, {
    tags: tags(0, 40),
    metadata: { a: "x".repeat(9_000) },
  });
  const refused = async (more: object, path: string) => {
    const reply = await relate(service, a, "about", b, more);
    assert.deepEqual([reply.status, reply.body.errors.map((error: { path: string }) => error.path)], [422, [path]]);
  };
  await refused({ tags: tags(35, 20) }, "tags");
  await refused({ metadata: { b: "x".repeat(9_000) } }, "metadata");
  assert.deepEqual(await get(service, `${RELATIONS}/${first.id}`), first);
  const batch = [{ tags: tags(35, 20) }, { tags: tags(35, 15) }].map((more) => ({
    verb: "about",
    sourceId: a,
    targetId: b,
    ...more,
  }));
  const { body } = await service.post(`${RELATIONS}/batch`, {
    relations: [...batch, { verb: "about", sourceId: a, targetId: c }],
  });
  assert.deepEqual(body.results.map((result: { status: number }) => result.status), [422, 200, 201]);
  assert.equal((await get(service, `${RELATIONS}/${first.id}`)).tags.length, 50);
});

test("two who relate the same at once make one relation, and two who would close a circle together do not", async (service) => {
  const [a, b] = await facts(service, 2) as [string, string];
  const made = await Promise.all(Array.from({ length: 6 }, () => relate(service, a, "supports", b)));
  assert.equal(new Set(made.map((reply) => reply.body.id)).size, 1);
  assert.deepEqual(made.map((reply) => reply.status).sort(), [200, 200, 200, 200, 200, 201]);
  const both = await Promise.all([relate(service, a, "precedes", b), relate(service, b, "precedes", a)]);
  assert.deepEqual(both.map((reply) => reply.status).sort(), [201, 422]);
});

test("a unit is not related to itself, nor to what is not known; each fault has its path", async (service) => {
  const [a, b, c] = await facts(service, 3) as [string, string, string];
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  const paths = async (body: object, key?: string) => {
    const reply = await service.post(RELATIONS, body, key === undefined ? {} : { key });
    assert.deepEqual(refusal(reply), [422, "validation_failed"], JSON.stringify(reply.body));
    return reply.body.errors.map((error: { path: string }) => error.path);
  };
  assert.deepEqual(await paths({ verb: "supports", sourceId: a, targetId: a }), ["targetId"]);
  assert.deepEqual(await paths({ verb: "supports", sourceId: a, targetId: UNKNOWN_ID }), ["targetId"]);
  assert.deepEqual(await paths({ verb: "supports", sourceId: a, targetId: b }, other), ["sourceId", "targetId"]);
  assert.deepEqual(await paths({ verb: "likes", sourceId: a, targetId: b }), ["verb"]);
  assert.deepEqual(await paths({ verb: "supports", sourceId: a }), ["targetId"]);
  assert.deepEqual(await paths({ verb: "supports", sourceId: a, targetId: b, evidenceIds: [c, UNKNOWN_ID] }), [
    "evidenceIds.1",
  ]);
  const participants = [a, b, UNKNOWN_ID].map((id) => ({ role: "member", id }));
  assert.deepEqual(await paths({ verb: "about", participants }), ["participants.2.id"]);
  assert.deepEqual(await paths({ verb: "about", participants: participants.slice(1) }), ["participants"]);
  assert.deepEqual(await paths({ verb: "about", participants: [...participants, { role: "x", id: a }] }), [
    "participants.3.id",
  ]);
  assert.deepEqual(await paths({ verb: "about", participants, sourceId: a }), ["sourceId"]);
  const span = { validFrom: "2026-02-01T00:00:00Z", validTo: "2026-01-01T00:00:00Z" };
  assert.deepEqual(await paths({ verb: "about", sourceId: a, targetId: b, ...span }), ["validTo"]);
  const made = await relate(service, a, "supports", b);
  for (const face of [RELATIONS, "/v1/relations"]) {
    assert.equal((await service.get(`${face}/${made.body.id}`, { key: other })).status, 404);
    assert.equal((await service.delete(`${face}/${made.body.id}`, { key: other })).status, 404);
  }
});

test("what orders closes no circle at any one time; causes may", async (service) => {
  const [a, b, c] = await facts(service, 3) as [string, string, string];
  for (const verb of ["supersedes", "derived_from", "precedes", "part_of"]) {
    assert.equal((await relate(service, a, verb, b)).status, 201);
    assert.equal((await relate(service, b, verb, c)).status, 201);
    assert.deepEqual(refusal(await relate(service, c, verb, a)), [422, "validation_failed"]);
  }
  for (const [x, y] of [[a, b], [b, c], [c, a]]) assert.equal((await relate(service, x!, "causes", y!)).status, 201);
  const [d, e] = await facts(service, 2) as [string, string];
  assert.equal((await relate(service, d, "part_of", e, { validTo: "2020-01-01T00:00:00Z" })).status, 201);
  const later = await relate(service, e, "part_of", d, { validFrom: "2020-01-01T00:00:00Z" });
  assert.equal(later.status, 201);
  // Moved in time, it would close one.
  const moved = await service.patch(`${RELATIONS}/${later.body.id}`, { validFrom: null });
  assert.deepEqual(refusal(moved), [422, "validation_failed"]);
});

test("a relation that is valid at another time is another one, and asOf shows what is valid then", async (service) => {
  const [a, b] = await facts(service, 2) as [string, string];
  const first = await relate(service, a, "part_of", b, {
    validFrom: "2020-01-01T00:00:00Z",
    validTo: "2021-01-01T00:00:00Z",
  });
  const second = await relate(service, a, "part_of", b, { validFrom: "2022-01-01T00:00:00+01:00" });
  assert.deepEqual([first.status, second.status], [201, 201]);
  assert.equal(second.body.validFrom, "2021-12-31T23:00:00.000Z");
  const at = (time: string) => listed(service, `id=${a}&asOf=${time}`);
  assert.deepEqual(await at("2019-06-01T00:00:00Z"), []);
  assert.deepEqual(await at("2020-06-01T00:00:00Z"), [first.body.id]);
  assert.deepEqual(await at("2021-01-01T00:00:00Z"), []);
  assert.deepEqual(await at("2023-01-01T00:00:00Z"), [second.body.id]);
  const wide = await service.patch(`${RELATIONS}/${first.body.id}`, { validTo: null });
  assert.deepEqual([...refusal(wide), wide.body.relationId], [409, "conflict", second.body.id]);
});

test("an archived relation leaves lists and comes back; versions are kept", async (service) => {
  const [a, b] = await facts(service, 2) as [string, string];
  const { body: { id } } = await relate(service, a, "supports", b);
  const at = `${RELATIONS}/${id}`;
  assert.equal((await service.delete(at, { headers: { "if-match": '"9"' } })).status, 412);
  const gone = await service.delete(at);
  assert.deepEqual([gone.status, gone.body.status, gone.body.version], [200, "archived", 2]);
  assert.deepEqual((await service.delete(at)).body.version, 2);
  assert.deepEqual(await listed(service, `id=${a}`), []);
  assert.deepEqual(await listed(service, `id=${a}&status=archived`), [id]);
  assert.deepEqual(refusal(await service.patch(at, { weight: 0.1 })), [409, "invalid_transition"]);
  const back = await patch(service, at, { status: "active", weight: 0.25 });
  assert.deepEqual([back.status, back.weight, back.version], ["active", 0.25, 3]);
  assert.equal((await patch(service, at, { weight: 0.25 })).version, 3);
  assert.deepEqual(await feedOf(service, id), ["relation.created", "relation.archived", "relation.restored"]);
  // Another relation has replaced it in the meantime, so it is not restored.
  await service.delete(at);
  const other = await relate(service, a, "supports", b);
  assert.equal(other.status, 201);
  assert.deepEqual(refusal(await service.patch(at, { status: "active" })), [409, "conflict"]);
});

test("a hyperedge relates three to sixteen units in roles, and is found in whatever order it is told", async (service) => {
  const ids = await facts(service, 16);
  const participants = ids.map((id, i) => ({ role: i === 0 ? "source" : "member", id }));
  const made = await post(service, RELATIONS, { verb: "causes", participants });
  assert.deepEqual([made.participants, made.sourceId, made.targetId], [participants, null, null]);
  const again = await post(service, "/v1/relations", { verb: "causes", participants: participants.toReversed() }, 200);
  assert.equal(again.id, made.id);
  const other = await post(service, RELATIONS, { verb: "causes", participants: participants.slice(0, 15) });
  assert.deepEqual(await listed(service, `id=${ids[3]}`), [other.id, made.id]);
  assert.deepEqual(await listed(service, `id=${ids[15]}`), [made.id]);
  assert.deepEqual(await listed(service, `sourceId=${ids[0]}`), [other.id, made.id]);
});

test("evidence that falls makes a relation stale, and stands again; a patch affirms it", async (service) => {
  const [a, b, e] = await facts(service, 3) as [string, string, string];
  const { body: { id } } = await relate(service, a, "supports", b, { evidenceIds: [e] });
  const isStale = async () => (await get(service, `${RELATIONS}/${id}`)).stale;
  await patch(service, `/v1/memory/facts/${e}`, { status: "retracted" });
  assert.equal(await isStale(), true);
  assert.deepEqual(await listed(service, "stale=true"), [id]);
  assert.equal((await patch(service, `${RELATIONS}/${id}`, { stale: false })).stale, false);
  const { body: late } = await relate(service, b, "supports", a, { evidenceIds: [e] });
  assert.equal(late.stale, true);
  assert.deepEqual((await feedOf(service, id)).slice(1), ["relation.stale", "relation.updated"]);
});

test("when an end is erased the relation goes too, also for who cannot see it", async (service) => {
  const [a, b] = await facts(service, 2) as [string, string];
  const secret = (await create(service, { sensitivity: "restricted" })).id;
  const episode = await post(service, "/v1/memory/episodes", { title: "Planning" });
  const { body: seen } = await relate(service, episode.id, "about", a);
  const { body: kept } = await relate(service, a, "about", b);
  const { body: hidden } = await relate(service, episode.id, "about", secret);
  assert.equal(hidden.sensitivity, "restricted");
  await erase(service, "episode", episode.id);
  assert.deepEqual(await listed(service, ""), [kept.id]);
  assert.equal((await service.get(`${RELATIONS}/${seen.id}`)).status, 404);
  assert.deepEqual((await feedOf(service, hidden.id)).at(-1), "relation.erased");
  const low = await service.createKey({ maxSensitivity: "internal" });
  const { body: above } = await relate(service, b, "supports", secret);
  const forgotten = await service.post(`/v1/facts/${b}/forget`, { mode: "erase" }, { key: low });
  assert.deepEqual([forgotten.status, forgotten.body.receipt.removed.relations], [200, 1]);
  assert.equal((await service.get(`${RELATIONS}/${above.id}`)).status, 404);
});

test("a relation is invisible to who may not see an end, also when that end became secret later", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const [a, b, c] = await facts(service, 3) as [string, string, string];
  const secret = (await create(service, { sensitivity: "confidential" })).id;
  const { body: hidden } = await relate(service, a, "supports", secret);
  const { body: shown } = await relate(service, a, "supports", b);
  const { body: hyper } = await service.post(RELATIONS, {
    verb: "about",
    participants: [a, b, c].map((id) => ({ role: "member", id })),
  });
  assert.deepEqual(await listed(service, `id=${a}`, low), [hyper.id, shown.id]);
  assert.equal((await service.get(`${RELATIONS}/${hidden.id}`, { key: low })).status, 404);
  const unknown = await service.post(RELATIONS, { verb: "supports", sourceId: a, targetId: secret }, { key: low });
  assert.deepEqual([...refusal(unknown), unknown.body.errors[0].path], [422, "validation_failed", "targetId"]);
  // A relation follows its end to a higher sensitivity and back. A caller cannot state one above its own clearance.
  await patch(service, `/v1/memory/facts/${b}`, { sensitivity: "confidential" });
  assert.deepEqual(await listed(service, `id=${a}`, low), []);
  assert.equal((await get(service, `${RELATIONS}/${shown.id}`)).sensitivity, "confidential");
  await patch(service, `/v1/memory/facts/${b}`, { sensitivity: "internal" });
  assert.deepEqual(await listed(service, `id=${a}`, low), [hyper.id, shown.id]);
  const high = await service.post(
    RELATIONS,
    { verb: "supports", sourceId: a, targetId: c, sensitivity: "restricted" },
    { key: low },
  );
  assert.deepEqual(refusal(high), [422, "validation_failed"]);
});

test("a batch answers each relation by itself, and refuses what a relation before it in the batch forbids", async (service) => {
  const [a, b, c] = await facts(service, 3) as [string, string, string];
  const part = (sourceId: string, targetId: string) => ({ verb: "part_of", sourceId, targetId });
  const relations = [
    part(a, b),
    part(b, c),
    part(c, a),
    part(a, b),
    { ...part(a, c), weight: 0.5 },
    part(a, UNKNOWN_ID),
  ];
  const reply = await post(service, `${RELATIONS}/batch`, { relations }, 200);
  assert.deepEqual(reply.results.map((result: { status: number }) => result.status), [201, 201, 422, 200, 201, 422]);
  assert.deepEqual([reply.created, reply.found, reply.refused], [3, 1, 2]);
  assert.equal(reply.results[3].relation.id, reply.results[0].relation.id);
  assert.deepEqual((await listed(service, "limit=2")).length, 2);
  const again = await post(service, `${RELATIONS}/batch`, { relations: relations.slice(0, 2) }, 200);
  assert.deepEqual([again.created, again.found], [0, 2]);
});

test("a list goes on where its page ended, in either order", async (service) => {
  const [hub, ...rest] = await facts(service, 6) as [string, ...string[]];
  for (const id of rest) await relate(service, id, "part_of", hub);
  for (const order of ["asc", "desc"]) {
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await get(service, `${RELATIONS}?targetId=${hub}&order=${order}&limit=2${cursor}`);
      seen.push(...page.data.map((relation: { sourceId: string }) => relation.sourceId));
      cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    assert.deepEqual(seen, order === "asc" ? rest : rest.toReversed());
  }
});
