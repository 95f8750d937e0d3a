/** `/v1/decisions` and `/v1/memory/decisions`: states, supersession, chains, evidence. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create as createFact, read as readFact, test, UNKNOWN_ID } from "./_facts.ts";
import { erase, feedOf, get, listIds, patch, post, recall, refusal, versionsOf } from "./_units.ts";

const V2 = "/v1/decisions";
const V3 = "/v1/memory/decisions";

async function decide(service: TestService, body: Record<string, unknown> = {}): Promise<Reply["body"]> {
  return await post(service, V3, { title: "Database", decision: "We use Postgres.", ...body });
}

test("a decision is shown with its defaults, its trust and its origin, on both faces", async (service, clock) => {
  const decision = await decide(service, { rationale: "One system to run.", attribution: "user_stated" });
  assert.deepEqual(
    [decision.type, decision.version, decision.status, decision.trustScore, decision.sensitivity, decision.stale],
    ["decision", 1, "accepted", 90, "internal", false],
  );
  assert.equal(decision.decidedAt, clock.now.toISOString());
  assert.deepEqual([decision.alternatives, decision.supersedes, decision.supersededBy], [[], null, null]);
  assert.deepEqual(decision.origin, { instance: "instance:localhost", id: decision.id });
  for (const face of [V2, V3]) {
    const reply = await service.get(`${face}/${decision.id}`);
    assert.deepEqual([reply.body, reply.headers.get("etag")], [decision, '"1"']);
    assert.deepEqual((await get(service, face)).data, [decision]);
  }
  assert.deepEqual(await feedOf(service, decision.id), ["decision.created"]);
});

test(
  "a proposed decision is accepted, or rejected and proposed again; other ways are 409 with the legal ones",
  async (service, clock) => {
    const { id, decidedAt } = await decide(service, { status: "proposed" });
    assert.equal(decidedAt, null);
    clock.step(1_000);
    const rejected = await patch(service, `${V3}/${id}`, { status: "rejected", reason: "too dear" });
    assert.deepEqual([rejected.status, rejected.version], ["rejected", 2]);
    const refused = await service.patch(`${V3}/${id}`, { status: "accepted" });
    assert.deepEqual(refusal(refused), [409, "invalid_transition"]);
    assert.match(refused.body.message, /proposed/);
    assert.deepEqual(refusal(await service.patch(`${V3}/${id}`, { tags: ["x"] })), [409, "invalid_transition"]);
    assert.equal((await patch(service, `${V3}/${id}`, { status: "proposed", rationale: "cheaper now" })).version, 3);
    clock.step(1_000);
    const accepted = await patch(service, `${V2}/${id}`, { status: "accepted" });
    assert.deepEqual([accepted.status, accepted.decidedAt], ["accepted", clock.now.toISOString()]);
    assert.deepEqual(refusal(await service.patch(`${V3}/${id}`, { status: "proposed" })), [409, "invalid_transition"]);
    assert.deepEqual(await versionsOf(service, id), [
      ["created", null],
      ["rejected", "too dear"],
      ["proposed", null],
      ["accepted", null],
    ]);
  },
);

test("a patch that changes nothing makes no version, null clears, If-Match is honoured", async (service) => {
  const { id } = await decide(service, { rationale: "r", reviewAt: "2027-01-01T00:00:00Z", tags: ["a"] });
  assert.equal((await patch(service, `${V3}/${id}`, { rationale: "r", tags: ["a"], reason: "again" })).version, 1);
  const cleared = await patch(service, `${V3}/${id}`, { rationale: null, reviewAt: null });
  assert.deepEqual([cleared.rationale, cleared.reviewAt, cleared.version], [null, null, 2]);
  const headers = { "if-match": '"1"' };
  assert.deepEqual(refusal(await service.patch(`${V3}/${id}`, { tags: [] }, { headers })), [412, "version_mismatch"]);
  assert.deepEqual(
    refusal(await service.post(`${V3}/${id}/supersede`, { title: "t", decision: "d" }, { headers })),
    [412, "version_mismatch"],
  );
  assert.equal((await service.patch(`${V3}/${id}`, { reason: "only" })).status, 422);
});

test("a decision in the future is refused, and one that is proposed has no time yet", async (service, clock) => {
  const decidedAt = new Date(clock.now.getTime() + 1_000).toISOString();
  const reply = await service.post(V3, { title: "t", decision: "d", decidedAt });
  assert.deepEqual([reply.status, reply.body.errors[0].path], [422, "decidedAt"]);
  const past = { decidedAt: "2026-01-01T00:00:00Z" };
  assert.equal((await service.post(V3, { title: "t", decision: "d", status: "proposed", ...past })).status, 422);
  const { id } = await decide(service, { status: "proposed" });
  assert.equal((await service.patch(`${V3}/${id}`, past)).status, 422);
  const accepted = await patch(service, `${V3}/${id}`, { ...past, status: "accepted" });
  assert.equal(accepted.decidedAt, "2026-01-01T00:00:00.000Z");
});

test(
  "superseding closes the old decision where the new one begins, and what rested on it is stale",
  async (service, clock) => {
    const old = await decide(service, { decidedAt: "2026-01-01T00:00:00Z", sensitivity: "confidential" });
    const fact = await createFact(service, { derivedFrom: [old.id] });
    clock.step(1_000);
    const reply = await service.post(`${V2}/${old.id}/supersede`, {
      title: "Database",
      decision: "We use files.",
      decidedAt: "2026-03-01T00:00:00Z",
      reason: "simpler",
    });
    assert.deepEqual([reply.status, reply.headers.get("etag")], [201, '"1"']);
    const next = reply.body;
    assert.deepEqual([next.status, next.supersedes, next.sensitivity], ["accepted", old.id, "confidential"]);
    const closed = await get(service, `${V3}/${old.id}`);
    assert.deepEqual([closed.status, closed.supersededBy, closed.version], ["superseded", next.id, 2]);
    assert.deepEqual(await versionsOf(service, old.id), [["created", null], ["superseded", "simpler"]]);
    assert.equal((await readFact(service, fact.id)).stale, true);
    const again = await service.post(`${V3}/${old.id}/supersede`, { title: "t", decision: "d" });
    assert.deepEqual(refusal(again), [409, "invalid_transition"]);
    assert.match(again.body.message, new RegExp(next.id));
    assert.deepEqual(refusal(await service.patch(`${V3}/${old.id}`, { pinned: true })), [409, "invalid_transition"]);
    assert.deepEqual(await feedOf(service, old.id), ["decision.created", "decision.superseded"]);
    const ids = async (more: object) => (await recall(service, "database", ["decision"], more)).map(({ id }) => id);
    assert.deepEqual(await ids({}), [next.id]);
    assert.deepEqual(await ids({ asOf: "2026-02-01T00:00:00Z" }), [old.id]);
    assert.deepEqual((await ids({ include: ["superseded"] })).sort(), [old.id, next.id].sort());
  },
);

test("the chain tells all decisions in their order, from any of them, by pages and both ways", async (service) => {
  const ids: string[] = [(await decide(service)).id];
  for (let i = 1; i < 5; i++) {
    const path = `${V3}/${ids.at(-1)}/supersede`;
    ids.push((await post(service, path, { title: "Database", decision: `Choice ${i}` })).id);
  }
  for (const id of ids) {
    const chain = await get(service, `${V2}/${id}/chain`);
    assert.deepEqual(chain.data.map((decision: { id: string }) => decision.id), ids);
    assert.deepEqual([chain.decisionId, chain.currentId, chain.nextCursor], [id, ids.at(-1), null]);
  }
  const seen: string[] = [];
  for (let cursor = "";;) {
    const page = await get(service, `${V3}/${ids[2]}/chain?order=desc&limit=2${cursor}`);
    seen.push(...page.data.map((decision: { id: string }) => decision.id));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(seen, ids.toReversed());
  await patch(service, `${V3}/${ids.at(-1)}`, { status: "rejected" });
  assert.equal((await get(service, `${V3}/${ids[0]}/chain`)).currentId, null);
});

test("of concurrent successors one takes the place, the others are 409", async (service) => {
  const { id } = await decide(service);
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, i) => service.post(`${V3}/${id}/supersede`, { title: "t", decision: `d${i}` })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409, 409, 409, 409]);
  assert.equal((await listIds(service, V3)).length, 1);
});

test("a decision is stale while a piece of its evidence or a source has fallen; evidence does not bound trust", async (service) => {
  const fact = await createFact(service, { attribution: "unverified" });
  const source = await createFact(service, { attribution: "agent_inferred" });
  const decision = await decide(service, {
    attribution: "user_stated",
    evidenceIds: [fact.id, fact.id],
    derivedFrom: [source.id],
  });
  assert.deepEqual([decision.trustScore, decision.evidenceIds, decision.stale], [45, [fact.id], false]);
  const further = await decide(service, { title: "Further", derivedFrom: [decision.id] });
  await service.patch(`/v1/memory/facts/${fact.id}`, { status: "retracted" });
  assert.deepEqual(
    [(await get(service, `${V3}/${decision.id}`)).stale, (await get(service, `${V3}/${further.id}`)).stale],
    [true, true],
  );
  assert.deepEqual((await listIds(service, `${V3}?stale=true`)).sort(), [decision.id, further.id].sort());
  assert.ok((await recall(service, "database", ["decision"])).every((result) => result.stale));
  const affirmed = await patch(service, `${V3}/${decision.id}`, { stale: false, reason: "still right" });
  assert.equal(affirmed.stale, false);
  assert.equal((await get(service, `${V3}/${further.id}`)).stale, false, "what rested on it stands again");
  await patch(service, `${V3}/${decision.id}`, { evidenceIds: [] });
  await service.post(`/v1/facts/${source.id}/forget`, { mode: "erase" });
  assert.equal((await get(service, `${V3}/${decision.id}`)).stale, true);
  const born = await decide(service, { title: "Born stale", evidenceIds: [fact.id] });
  assert.equal(born.stale, true);
});

test("rejecting a decision makes what rests on it stale, proposing it again freshens it", async (service) => {
  const { id } = await decide(service);
  const fact = await createFact(service, { derivedFrom: [id] });
  await patch(service, `${V3}/${id}`, { status: "rejected" });
  assert.equal((await readFact(service, fact.id)).stale, true);
  await patch(service, `${V3}/${id}`, { status: "proposed" });
  assert.equal((await readFact(service, fact.id)).stale, false);
});

test("sources and evidence have to be known and visible, and are as sensitive as what rests on them", async (service) => {
  const secret = await createFact(service, { sensitivity: "restricted" });
  const key = await service.createKey({ maxSensitivity: "internal" });
  for (const member of ["derivedFrom", "evidenceIds"]) {
    const body = { title: "t", decision: "d", [member]: [secret.id] };
    const reply = await service.post(V3, body, { key });
    assert.deepEqual([reply.status, reply.body.errors[0].path], [422, `${member}.0`]);
    assert.equal((await decide(service, { [member]: [secret.id] })).sensitivity, "restricted");
  }
  const { id } = await decide(service, { sensitivity: "restricted" });
  assert.equal((await service.get(`${V3}/${id}`, { key })).status, 404);
  assert.equal((await service.patch(`${V3}/${id}`, { tags: [] }, { key })).status, 404);
  assert.equal((await service.post(V3, { title: "t", decision: "d", sensitivity: "restricted" }, { key })).status, 422);
  const own = await decide(service);
  assert.equal((await service.patch(`${V3}/${own.id}`, { derivedFrom: [own.id] })).status, 422, "not of itself");
});

test("verified is claimed, reworded and superseded with memory:admin alone", async (service) => {
  const key = await service.createKey({ scopes: ["memory:read", "memory:write"] });
  const body = { title: "t", decision: "d" };
  assert.deepEqual(
    refusal(await service.post(V3, { ...body, attribution: "verified" }, { key })),
    [403, "insufficient_scope"],
  );
  assert.equal((await service.post(V3, { ...body, attribution: "federation_received" })).status, 422);
  const { id } = await decide(service, { attribution: "verified" });
  for (const change of [{ decision: "other" }, { status: "rejected" }]) {
    assert.equal((await service.patch(`${V3}/${id}`, change, { key })).status, 403);
  }
  assert.equal((await service.post(`${V3}/${id}/supersede`, body, { key })).status, 403);
  assert.equal((await service.patch(`${V3}/${id}`, { tags: ["seen"] }, { key })).status, 200);
});

test("lists are filtered and paged, and read as they were known", async (service, clock) => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const body = {
      decidedBy: i % 2 === 0 ? "Caroline" : "Ada",
      tags: [`t${i}`],
      reviewAt: `2027-0${i + 1}-01T00:00:00Z`,
    };
    ids.push((await decide(service, { ...body, title: `Decision ${i}` })).id);
    clock.step(10);
  }
  const then = clock.now.toISOString();
  clock.step(10);
  assert.deepEqual(await listIds(service, `${V3}?order=asc`), ids);
  const first = await get(service, `${V3}?limit=2`);
  assert.deepEqual(first.data.map((unit: { id: string }) => unit.id), [ids[4], ids[3]]);
  assert.deepEqual(await listIds(service, `${V2}?limit=3&cursor=${first.nextCursor}`), [ids[2], ids[1], ids[0]]);
  assert.deepEqual(await listIds(service, `${V3}?decidedBy=Ada&order=asc`), [ids[1], ids[3]]);
  assert.deepEqual(await listIds(service, `${V3}?tags=t1&tags=t2&order=asc`), [ids[1], ids[2]]);
  assert.deepEqual(await listIds(service, `${V3}?reviewBefore=2027-02-01T00:00:00Z`), [ids[0]]);
  await patch(service, `${V3}/${ids[0]}`, { status: "rejected", decidedBy: "Ada" });
  assert.deepEqual(await listIds(service, `${V3}?status=rejected`), [ids[0]]);
  assert.equal((await listIds(service, V3)).length, 4);
  assert.deepEqual(await listIds(service, `${V3}?decidedBy=Caroline&order=asc&knownAt=${then}`), [
    ids[0],
    ids[2],
    ids[4],
  ]);
  assert.equal((await get(service, `${V3}/${ids[0]}?knownAt=${then}`)).status, "accepted");
  assert.equal((await service.get(`${V3}/${ids[0]}?knownAt=2020-01-01T00:00:00Z`)).status, 404);
  assert.equal((await service.get(`${V3}?status=expired`)).status, 422);
});

test("a decision is recalled by what it says, by its rationale and by who decided, and by its new words", async (service) => {
  const { id } = await decide(service, {
    rationale: "Transactions across everything.",
    alternatives: ["A document store called Quokka"],
    decidedBy: "Caroline",
  });
  for (const query of ["which database", "why transactions", "quokka", "what did Caroline decide"]) {
    const [hit] = await recall(service, query, ["decision"]);
    assert.deepEqual([hit?.id, hit?.type, hit?.status], [id, "decision", "accepted"], query);
  }
  await patch(service, `${V3}/${id}`, { decision: "We use flamingos." });
  const [hit] = await recall(service, "flamingos", ["decision"]);
  assert.match(hit!.text, /^Database\nWe use flamingos\.\nRationale: Transactions/);
  assert.deepEqual(await recall(service, "flamingos", ["fact"]), []);
});

test("an erased decision is 410 for ever, an unknown one 404", async (service) => {
  const { id } = await decide(service);
  await erase(service, "decision", id);
  for (
    const reply of [
      await service.get(`${V2}/${id}`),
      await service.get(`${V3}/${id}/chain`),
      await service.patch(`${V3}/${id}`, { tags: [] }),
      await service.post(`${V3}/${id}/supersede`, { title: "t", decision: "d" }),
    ]
  ) assert.deepEqual(refusal(reply), [410, "erased"]);
  assert.equal((await service.get(`${V2}/${UNKNOWN_ID}`)).status, 404);
  assert.equal((await service.get(`${V2}/${UNKNOWN_ID}/chain`)).status, 404);
  const fact = await createFact(service, {});
  assert.equal((await service.get(`${V2}/${fact.id}`)).status, 404, "a fact is no decision");
});
