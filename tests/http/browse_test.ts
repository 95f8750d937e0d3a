/** The list of units of all types, the list of agents, and the filters of sessions. */
import assert from "node:assert/strict";
import type { TestService } from "../_service.ts";
import { UNIT_FACES } from "./_lifecycle.ts";
import { create, FACTS, test } from "./_facts.ts";
import { get, listIds, patch, post, refusal } from "./_units.ts";

const UNITS = "/v1/memory/units";
const AGENTS = "/v1/memory/agents";

/** All pages of a list, in order. */
async function walk(service: TestService, path: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ""; cursor !== "end";) {
    const page = await get(service, `${path}&limit=${limit}${cursor}`);
    assert.ok(page.data.length <= limit);
    found.push(...page.data.map((item: { id?: string; agentId?: string }) => item.id ?? item.agentId));
    cursor = page.nextCursor === null ? "end" : `&cursor=${page.nextCursor}`;
  }
  return found;
}

test("one list holds the units of all types, sorted in both directions, page by page", async (service, clock) => {
  const made: string[] = [(await create(service, {})).id];
  for (const { path, body } of UNIT_FACES) {
    clock.step(1_000);
    made.push((await post(service, path, body)).id);
  }
  clock.step(1_000);
  await patch(service, `${FACTS}/${made[0]}`, { statement: "The first one was changed last." });
  const changed = [...made.slice(1), made[0]!];
  await service.operator().tx(async (tx) => {
    for (const [i, id] of made.entries()) {
      // 0.1 and the like are not the same number in single precision.
      await tx.sql`update unit set worth = ${0.1 * (i + 1)} where workspace_id = ${tx.workspaceId} and id = ${id}`;
    }
  });
  for (const [sort, expected] of Object.entries({ updatedAt: changed, createdAt: made, worth: made })) {
    assert.deepEqual(await walk(service, `${UNITS}?sort=${sort}&order=asc`, 2), expected, sort);
    assert.deepEqual(await walk(service, `${UNITS}?sort=${sort}`, 3), expected.toReversed(), sort);
  }
  assert.deepEqual(await listIds(service, UNITS), changed.toReversed());
  const { data: [{ id, type, unit }] } = await get(service, `${UNITS}?type=decision`);
  assert.deepEqual([type, unit], ["decision", await get(service, `/v1/memory/decisions/${id}`)]);
});

test("each filter narrows the list of units, and all hold together", async (service, clock) => {
  const session = await post(service, "/v1/session", { agentId: "ada" });
  await post(service, `/v1/session/${session.id}/turns`, { role: "user", content: "Hello.", messageId: "m1" });
  const cited = await create(service, {
    statement: "The harbour is 100% deep.",
    tags: ["sea", "map"],
    attribution: "user_stated",
    citations: [{ messageId: "m1", sessionId: session.id }],
  });
  const before = clock.now.toISOString();
  clock.step(60_000);
  const other = await create(service, { statement: "The road is long.", tags: ["sea"], pinned: true });
  const gone = await create(service, { statement: "The mill is old." });
  await service.delete(`${FACTS}/${gone.id}`);
  const skill = UNIT_FACES.find(({ type }) => type === "skill")!;
  const learnt = await post(service, skill.path, skill.body);
  const after = clock.now.toISOString();
  clock.step(60_000);
  await patch(service, `${FACTS}/${cited.id}`, { tags: ["sea", "map", "deep"] });
  const only = async (query: string, expected: readonly string[]) =>
    assert.deepEqual(await listIds(service, `${UNITS}?sort=createdAt&order=asc&${query}`), expected, query);
  await only("", [cited.id, other.id, learnt.id]);
  await only("status=archived", [gone.id]);
  await only("status=archived&status=probationary", [gone.id, learnt.id]);
  await only("type=skill", [learnt.id]);
  await only("type=skill&type=fact", [cited.id, other.id, learnt.id]);
  await only("q=HARBOUR+is", [cited.id]);
  await only("q=100%25", [cited.id]);
  await only("q=%25", [cited.id]);
  await only("q=_", []);
  await only("tags=map&tags=sea", [cited.id, other.id]);
  await only("tags=map&tags=sea&tagsMatch=all", [cited.id]);
  await only("attribution=user_stated", [cited.id]);
  await only("minTrust=90", [cited.id]);
  await only("maxTrust=89", [other.id, learnt.id]);
  await only("pinned=true", [other.id]);
  await only("stale=true", []);
  await only(`sessionId=${session.id}`, [cited.id]);
  await only("agentId=ada", [cited.id]);
  await only("agentId=bob", []);
  await only(`createdTo=${after}`, [cited.id]);
  await only(`createdFrom=${after}`, [other.id, learnt.id]);
  await only(`updatedFrom=${before}&updatedTo=${clock.now.toISOString()}`, [other.id, learnt.id]);
  await only("q=road&tags=sea&pinned=true&type=fact&minTrust=50", [other.id]);
});

test("what is asked for wrongly of the list of units is refused, naming it", async (service) => {
  const { id } = await create(service, {});
  const faults: [string, string][] = [
    ["colour=red", "colour"],
    ["sort=size", "sort"],
    ["order=up", "order"],
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["type=turn", "type.0"],
    ["status=gone", "status.0"],
    ["minTrust=60&maxTrust=50", "maxTrust"],
    ["createdFrom=2026-02-01T00:00:00Z&createdTo=2026-01-01T00:00:00Z", "createdTo"],
    ["updatedFrom=2026-02-01T00:00:00Z&updatedTo=2026-01-01T00:00:00Z", "updatedTo"],
    ["tagsMatch=all", "tagsMatch"],
    ["knownAt=2026-01-01T00:00:00Z", "knownAt"],
    [`id=${id}&sort=worth`, "sort"],
    [`id=${id}&limit=5`, "limit"],
    ["cursor=abc", "cursor"],
    ["q=%00", "q"],
  ];
  for (const [query, path] of faults) {
    const reply = await service.get(`${UNITS}?${query}`);
    assert.deepEqual(refusal(reply), [422, "validation_failed"], query);
    assert.deepEqual(reply.body.errors.map((error: { path: string }) => error.path), [path], query);
  }
  await create(service, { statement: "Another one." });
  const { nextCursor } = await get(service, `${UNITS}?limit=1`);
  for (const query of ["sort=createdAt", "sort=worth", "order=asc"]) {
    assert.equal((await service.get(`${UNITS}?${query}&cursor=${nextCursor}`)).status, 422, query);
  }
  for (const key of [["1e400", id], ["NaN", id], ["0.5", "x"], ["2026-01-01T00:00:00.000Z", id, "x"]]) {
    for (const sort of ["worth", "updatedAt"]) {
      const cursor = btoa(JSON.stringify([`units by ${sort}`, "desc", key.join(" ")]));
      assert.equal((await service.get(`${UNITS}?sort=${sort}&cursor=${cursor}`)).status, 422);
    }
  }
});

test(
  "a unit that is changed while pages are read is not lost from the end nor met twice before it",
  async (service, clock) => {
    const made: string[] = [];
    for (let i = 0; i < 4; i++) {
      clock.step(1_000);
      made.push((await create(service, { statement: `Fact number ${i}.` })).id);
    }
    const first = async (query: string) => {
      const page = await get(service, `${UNITS}?limit=2&${query}`);
      return {
        ids: page.data.map((one: { id: string }) => one.id),
        next: `${query}&limit=10&cursor=${page.nextCursor}`,
      };
    };
    const [rising, falling, steady] = [
      await first("order=asc"),
      await first("order=desc"),
      await first("sort=createdAt"),
    ];
    clock.step(1_000);
    await patch(service, `${FACTS}/${made[0]}`, { tags: ["changed"] });
    await patch(service, `${FACTS}/${made[3]}`, { tags: ["changed"] });
    assert.deepEqual([rising.ids, await listIds(service, `${UNITS}?${rising.next}`)], [
      [made[0], made[1]],
      [made[2], ...[made[0]!, made[3]!].toSorted()],
    ]);
    assert.deepEqual([falling.ids, await listIds(service, `${UNITS}?${falling.next}`)], [[made[3], made[2]], [
      made[1],
    ]]);
    assert.deepEqual([steady.ids, await listIds(service, `${UNITS}?${steady.next}`)], [
      [made[3], made[2]],
      [made[1], made[0]],
    ]);
  },
);

test("the list of units shows nothing above the key's clearance and nothing of another workspace", async (service) => {
  const open = await create(service, {});
  const secret = await create(service, { statement: "The code is 1234.", sensitivity: "restricted" });
  const low = await service.createKey({ maxSensitivity: "internal", scopes: ["memory:read"] });
  const ids = async (key: string, query = "") => {
    const reply = await service.get(`${UNITS}?sort=createdAt&order=asc${query}`, { key });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data.map((one: { id: string }) => one.id);
  };
  assert.deepEqual(await ids(service.key), [open.id, secret.id]);
  assert.deepEqual(await ids(service.key, "&sensitivity=restricted"), [secret.id]);
  assert.deepEqual(await ids(low), [open.id]);
  assert.deepEqual(await ids(low, "&q=1234"), []);
  assert.deepEqual(await ids(low, "&sensitivity=restricted"), []);
  const elsewhere = await service.inNewWorkspace();
  assert.deepEqual(await ids(elsewhere.key), []);
  const without = await service.createKey({ scopes: ["session:write"] });
  assert.deepEqual(refusal(await service.get(UNITS, { key: without })), [403, "insufficient_scope"]);
});

test("sessions are found by their title, by what was said and by who spoke", async (service) => {
  const one = await post(service, "/v1/session", { title: "Weekly 100% call" });
  const two = await post(service, "/v1/session", {});
  const secret = await post(service, "/v1/session", { title: "Weekly secret", sensitivity: "restricted" });
  const say = (id: string, name: string, content: string) =>
    post(service, `/v1/session/${id}/turns`, { role: "user", name, content, messageId: crypto.randomUUID() });
  await say(one.id, "Caroline", "I adopted a dog.");
  await say(two.id, "Melanie", "The HARBOUR is deep.");
  await say(two.id, "ZOË", "Weekly, you say?");
  const list = async (query: string, key = service.key) => {
    const reply = await service.get(`/v1/session?order=asc&${query}`, { key });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.data.map((session: { id: string }) => session.id);
  };
  assert.deepEqual(await list("q=weekly"), [one.id, two.id, secret.id]);
  assert.deepEqual(await list("q=harbour"), [two.id]);
  assert.deepEqual(await list("q=%25"), [one.id]);
  assert.deepEqual(await list("participant=caroline"), [one.id]);
  assert.deepEqual(await list("participant=zo%C3%AB&q=deep"), [two.id]);
  assert.deepEqual(await list("participant=Carol"), []);
  assert.deepEqual(await list("q=weekly", await service.createKey({ maxSensitivity: "internal" })), [one.id, two.id]);
  for (const query of ["q=", "participant=", `q=${"x".repeat(257)}`, "speaker=Caroline"]) {
    assert.equal((await service.get(`/v1/session?${query}`)).status, 422, query);
  }
});

test(
  "the agents are listed by name with what names each, as far as the key sees it and may read it",
  async (service, clock) => {
    const start = clock.now.toISOString();
    await post(service, "/v1/session", { agentId: "ada" });
    await post(service, "/v1/session", { agentId: "ada", sensitivity: "restricted" });
    await post(service, "/v1/memory/tasks", { title: "Sweep", agentId: "bob" });
    clock.step(60_000);
    await post(service, "/v1/memory/events", {
      type: "build.done",
      agentId: "ada",
      occurredAt: clock.now.toISOString(),
    });
    await post(service, "/v1/memory/events", {
      type: "build.done",
      agentId: "Zoë",
      occurredAt: clock.now.toISOString(),
    });
    await post(service, "/v1/session", { agentId: "hidden", sensitivity: "restricted" });
    await post(service, "/v1/session", {});
    const { data } = await get(service, AGENTS);
    const none = { sessions: 0, tasks: 0, events: 0, reasoning: 0, playbooks: 0, selfEdits: 0 };
    const named = new Map(data.map((agent: { agentId: string }) => [agent.agentId, agent]));
    assert.equal(named.size, 4);
    assert.deepEqual(named.get("ada"), {
      agentId: "ada",
      counts: { ...none, sessions: 2, events: 1 },
      firstSeenAt: start,
      lastSeenAt: clock.now.toISOString(),
    });
    assert.deepEqual(named.get("bob"), {
      agentId: "bob",
      counts: { ...none, tasks: 1 },
      firstSeenAt: start,
      lastSeenAt: start,
    });
    const all = data.map((agent: { agentId: string }) => agent.agentId);
    assert.deepEqual(await walk(service, `${AGENTS}?order=asc`, 1), all);
    assert.deepEqual(await walk(service, `${AGENTS}?order=desc`, 3), all.toReversed());
    const low = await service.createKey({ maxSensitivity: "internal", scopes: ["memory:read", "tasks:read"] });
    const seen = (await service.get(AGENTS, { key: low })).body.data as { agentId: string; counts: object }[];
    assert.deepEqual(seen.map(({ agentId }) => agentId), all.filter((name: string) => name !== "hidden"));
    assert.deepEqual(seen.find(({ agentId }) => agentId === "ada")!.counts, { ...none, sessions: 1, events: 1 });
    const blind = await service.createKey({ scopes: ["memory:read"] });
    assert.deepEqual((await service.get(AGENTS, { key: blind })).body.data, [
      { agentId: "ada", counts: { ...none, sessions: 2 }, firstSeenAt: start, lastSeenAt: start },
      named.get("hidden"),
    ]);
    assert.deepEqual(await get(await service.inNewWorkspace(), AGENTS), { data: [], nextCursor: null });
    assert.equal((await service.get(`${AGENTS}?name=ada`)).status, 422);
  },
);
