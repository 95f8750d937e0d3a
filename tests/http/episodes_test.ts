/** `/v1/episodes` and `/v1/memory/episodes`: their contents, their facts, their timelines. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create as createFact, test, UNKNOWN_ID } from "./_facts.ts";
import { erase, feedOf, get, listIds, post, recall, refusal } from "./_units.ts";

const V2 = "/v1/episodes";
const V3 = "/v1/memory/episodes";

async function tell(service: TestService, body: Record<string, unknown> = {}): Promise<Reply["body"]> {
  return await post(service, V3, { title: "Planning of the launch", ...body });
}

type Moment = { type: string; at: string; fact?: { id: string }; turn?: { id: string; content: string } };
const idsOf = (moments: Moment[]) => moments.map((moment) => moment.fact?.id ?? moment.turn?.content);

test("an episode is shown with its defaults on both faces", async (service, clock) => {
  const episode = await tell(service);
  assert.deepEqual(
    [episode.type, episode.status, episode.kind, episode.summary, episode.startedAt, episode.endedAt],
    ["episode", "active", "event", "", clock.now.toISOString(), null],
  );
  assert.deepEqual([episode.participants, episode.factIds, episode.sessionId, episode.outcome], [[], [], null, null]);
  for (const face of [V2, V3]) {
    const reply = await service.get(`${face}/${episode.id}`);
    assert.deepEqual([reply.body, reply.headers.get("etag")], [episode, '"1"']);
    assert.deepEqual((await get(service, face)).data, [episode]);
  }
  const second = await post(service, V2, {
    title: "Launch",
    startedAt: "2026-03-01T10:00:00+01:00",
    endedAt: "2026-03-01T10:00:00Z",
  });
  assert.deepEqual([second.startedAt, second.endedAt], ["2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z"]);
});

test("an episode names facts and a session that are known, and does not end before it starts", async (service) => {
  const episode = await tell(service);
  const refused: [object, string][] = [
    [{ factIds: [UNKNOWN_ID] }, "factIds.0"],
    [{ factIds: [episode.id] }, "factIds.0"],
    [{ sessionId: UNKNOWN_ID }, "sessionId"],
    [{ startedAt: "2026-03-02T00:00:00Z", endedAt: "2026-03-01T00:00:00Z" }, "endedAt"],
  ];
  for (const [body, path] of refused) {
    const reply = await service.post(V3, { title: "t", ...body });
    assert.deepEqual([reply.status, reply.body.errors[0].path], [422, path]);
  }
});

test("facts are linked once, with a version each time that there are new ones", async (service) => {
  const [a, b, c] = [await createFact(service, {}), await createFact(service, {}), await createFact(service, {})];
  const { id } = await tell(service, { factIds: [a.id] });
  const linked = await post(service, `${V2}/${id}/facts`, { factIds: [b.id, a.id, b.id], reason: "agreed there" }, 200);
  assert.deepEqual([linked.factIds, linked.version], [[a.id, b.id], 2]);
  assert.equal((await post(service, `${V3}/${id}/facts`, { factIds: [a.id] }, 200)).version, 2);
  assert.deepEqual(await listIds(service, `${V3}?factId=${b.id}`), [id]);
  assert.deepEqual(await listIds(service, `${V3}?factId=${c.id}`), []);
  assert.deepEqual(await feedOf(service, id), ["episode.created", "episode.linked"]);
  const unknown = await service.post(`${V3}/${id}/facts`, { factIds: [c.id, UNKNOWN_ID] });
  assert.deepEqual([unknown.status, unknown.body.errors[0].path], [422, "factIds.1"]);
  const headers = { "if-match": '"1"' };
  const late = await service.post(`${V3}/${id}/facts`, { factIds: [c.id] }, { headers });
  assert.deepEqual(refusal(late), [412, "version_mismatch"]);
  await Promise.all([c, a].map((fact) => service.post(`${V3}/${id}/facts`, { factIds: [fact.id] })));
  assert.deepEqual((await get(service, `${V3}/${id}`)).factIds, [a.id, b.id, c.id]);
});

test("the timeline tells facts and turns in order of time, by pages and both ways", async (service) => {
  const session = (await post(service, "/v1/session", {})).id;
  const at = (minute: number) => `2026-03-01T09:${String(minute).padStart(2, "0")}:00.000Z`;
  for (const minute of [1, 3, 5, 50]) {
    const turn = { role: "user", content: `turn ${minute}`, messageId: `m${minute}`, occurredAt: at(minute) };
    await post(service, `/v1/session/${session}/turns`, turn);
  }
  const early = await createFact(service, { occurredAt: at(0) });
  const middle = await createFact(service, { validFrom: at(4) });
  const late = await createFact(service, { statement: "Known when it was told." });
  const { id } = await tell(service, {
    sessionId: session,
    startedAt: at(1),
    endedAt: at(30),
    factIds: [late.id, middle.id, early.id],
  });
  const timeline = await get(service, `${V3}/${id}/timeline`);
  const expected = [early.id, "turn 1", "turn 3", middle.id, "turn 5", late.id];
  assert.deepEqual([timeline.episode.id, timeline.nextCursor], [id, null]);
  assert.deepEqual(idsOf(timeline.data), expected, "the turn after its end is not a part of it");
  assert.deepEqual(timeline.data.map((moment: Moment) => moment.at).slice(0, 5), [0, 1, 3, 4, 5].map(at));
  for (const order of ["asc", "desc"]) {
    const seen: Moment[] = [];
    for (let cursor = "";;) {
      const page = await get(service, `${V3}/${id}/timeline?limit=2&order=${order}${cursor}`);
      seen.push(...page.data);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(idsOf(seen), order === "asc" ? expected : expected.toReversed(), order);
  }
  await service.post(`/v1/facts/${middle.id}/forget`, { mode: "erase" });
  assert.equal(idsOf((await get(service, `${V3}/${id}/timeline`)).data).includes(middle.id), false);
  const open = await tell(service, { sessionId: session, startedAt: at(5) });
  assert.deepEqual(idsOf((await get(service, `${V3}/${open.id}/timeline`)).data), ["turn 5", "turn 50"]);
});

test("the timeline leaves out what is above the key's clearance", async (service) => {
  const secret = await createFact(service, { sensitivity: "restricted" });
  const plain = await createFact(service, {});
  const { id } = await tell(service, { factIds: [secret.id, plain.id] });
  const key = await service.createKey({ maxSensitivity: "internal" });
  const { body } = await service.get(`${V3}/${id}/timeline`, { key });
  assert.deepEqual(idsOf(body.data), [plain.id]);
  assert.equal((await service.post(`${V3}/${id}/facts`, { factIds: [secret.id] }, { key })).status, 422);
});

test("moments of one instant are each told once", async (service) => {
  const facts = [];
  for (let i = 0; i < 5; i++) facts.push((await createFact(service, { occurredAt: "2026-03-01T00:00:00Z" })).id);
  const { id } = await tell(service, { factIds: facts });
  const seen: Moment[] = [];
  for (let cursor = "";;) {
    const page = await get(service, `${V3}/${id}/timeline?limit=2${cursor}`);
    seen.push(...page.data);
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  assert.deepEqual(idsOf(seen), facts.toSorted());
  const other = await service.get(`${V3}/${id}/timeline?cursor=bm8`);
  assert.deepEqual(refusal(other), [422, "validation_failed"]);
});

test("lists are filtered by kind, session, participant, time and tags", async (service) => {
  const session = (await post(service, "/v1/session", {})).id;
  const a = await tell(service, { kind: "meeting", participants: ["Ada"], startedAt: "2026-01-01T00:00:00Z" });
  const b = await tell(service, { kind: "incident", participants: ["Ada", "Bob"], startedAt: "2026-02-01T00:00:00Z" });
  const c = await tell(service, { sessionId: session, tags: ["x"], startedAt: "2026-03-01T00:00:00Z" });
  const list = (query: string) => listIds(service, `${V3}?order=asc&${query}`);
  assert.deepEqual(await list("kind=meeting"), [a.id]);
  assert.deepEqual(await list("participant=Ada"), [a.id, b.id]);
  assert.deepEqual(await list(`sessionId=${session}`), [c.id]);
  assert.deepEqual(await list("from=2026-02-01T00:00:00Z"), [b.id, c.id]);
  assert.deepEqual(await list("from=2026-01-15T00:00:00Z&to=2026-03-01T00:00:00Z"), [b.id]);
  assert.deepEqual(await list("tags=x"), [c.id]);
  assert.deepEqual(await list("status=archived"), []);
  const page = await get(service, `${V3}?limit=2`);
  assert.deepEqual(await listIds(service, `${V3}?limit=2&cursor=${page.nextCursor}`), [a.id]);
});

test("an episode is recalled by its title, summary and outcome, and by when it happened", async (service) => {
  const { id } = await tell(service, {
    summary: "Caroline brought a walrus.",
    outcome: "Everyone was delighted.",
    startedAt: "2026-03-01T09:00:00Z",
  });
  for (const query of ["planning the launch", "walrus", "who was delighted"]) {
    const [hit] = await recall(service, query, ["episode"]);
    assert.deepEqual([hit?.id, hit?.type], [id, "episode"], query);
  }
  const inWindow = async (from: string, to: string) =>
    (await recall(service, "walrus", ["episode"], { window: { from, to } })).length;
  assert.equal(await inWindow("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"), 1);
  assert.equal(await inWindow("2026-04-01T00:00:00Z", "2026-04-02T00:00:00Z"), 0);
});

test("the episode that a session collapses to is an episode like any other", async (service) => {
  const session = (await post(service, "/v1/session", { title: "Launch talk" })).id;
  for (const [i, content] of ["We decided to ship on Friday.", "Caroline lives in Rome."].entries()) {
    await post(service, `/v1/session/${session}/turns`, { role: "user", name: "Ada", content, messageId: `m${i}` });
  }
  const collapsed = await post(service, `/v1/session/${session}/collapse`, {}, 200);
  const episode = await get(service, `${V3}/${collapsed.episode.id}`);
  assert.deepEqual([episode.kind, episode.sessionId, episode.title], ["session", session, "Launch talk"]);
  assert.deepEqual([...episode.factIds].sort(), collapsed.facts.map((fact: { factId: string }) => fact.factId).sort());
  const { data } = await get(service, `${V3}/${episode.id}/timeline`);
  assert.deepEqual(
    data.filter((moment: Moment) => moment.type === "turn").map((moment: Moment) => moment.turn!.content),
    [
      "We decided to ship on Friday.",
      "Caroline lives in Rome.",
    ],
  );
  assert.equal(data.length, 2 + episode.factIds.length);
});

test("an erased episode is 410 on every path, an unknown one 404", async (service) => {
  const { id } = await tell(service);
  const fact = await createFact(service, {});
  await erase(service, "episode", id);
  for (
    const reply of [
      await service.get(`${V2}/${id}`),
      await service.get(`${V3}/${id}/timeline`),
      await service.post(`${V3}/${id}/facts`, { factIds: [fact.id] }),
    ]
  ) assert.deepEqual(refusal(reply), [410, "erased"]);
  assert.equal((await service.get(`${V3}/${UNKNOWN_ID}/timeline`)).status, 404);
  assert.equal((await service.get(`${V3}/${fact.id}`)).status, 404, "a fact is no episode");
});
