/** `/v1/timeline`, `/v1/memory/timeline` and an episode's own: order, windows, counts. */
import assert from "node:assert/strict";
import { startService, type TestService } from "../_service.ts";
import { create, test, UNKNOWN_ID } from "./_facts.ts";
import { get, post, refusal } from "./_units.ts";

const TIMELINE = "/v1/memory/timeline";

interface Item {
  readonly type: string;
  readonly id: string;
  readonly at: string;
}

async function pages(service: TestService, query: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = "";
  do {
    const page = await get(service, `${TIMELINE}?${query}&limit=${limit}${cursor}`);
    items.push(...page.data);
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  return items;
}

/** Things of every kind, many of them at the same times. */
async function seed(service: TestService): Promise<Item[]> {
  const made: Item[] = [];
  const times = ["2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z", "2026-03-02T09:00:00.000Z"];
  const session = await post(service, "/v1/session", { title: "Planning", agentId: "agent-1" });
  for (const [i, at] of times.entries()) {
    for (let n = 0; n < 3; n++) {
      made.push({ type: "fact", id: (await create(service, { occurredAt: at, tags: ["t"] })).id, at });
      const event = await post(service, "/v1/memory/events", { type: `tool.${n}`, occurredAt: at, agentId: "agent-1" });
      made.push({ type: "event", id: event.id, at });
    }
    const episode = await post(service, "/v1/memory/episodes", {
      title: `Meeting ${i}`,
      startedAt: at,
      ...(i === 0 && { sessionId: session.id }),
    });
    made.push({ type: "episode", id: episode.id, at });
    const turns = await post(service, `/v1/session/${session.id}/turns`, {
      role: "user",
      messageId: `m${i}`,
      content: `Turn ${i} about 100% of_it`,
      occurredAt: at,
    });
    made.push({ type: "turn", id: turns.data?.[0]?.id ?? turns.id ?? turns.turns[0].id, at });
  }
  const task = await post(service, "/v1/memory/tasks", { title: "Book a room", agentId: "agent-1" });
  made.push({ type: "task", id: task.id, at: task.createdAt });
  return made.sort((a, b) => a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1);
}

const isTurn = ({ type }: Item) => type === "turn";
const short = ({ type, id, at }: Item) => `${at} ${id} ${type}`;

test("pages of a timeline have no gap and nothing twice, over all types and equal times, in either order", async (service) => {
  const made = await seed(service);
  for (const limit of [1, 2, 3, 7, 200]) {
    assert.deepEqual((await pages(service, "order=asc", limit)).map(short), made.map(short));
    assert.deepEqual((await pages(service, "order=desc", limit)).map(short), made.toReversed().map(short));
  }
});

test("before, after, between, first and last, by time or by what happened", async (service) => {
  const made = await seed(service);
  const ids = async (query: string) => (await pages(service, query, 3)).map((item) => item.id);
  const [first, fifth, tenth] = [made[0]!, made[4]!, made[9]!];
  const of = (items: Item[]) => items.map((item) => item.id);
  assert.deepEqual(await ids(`order=asc&after=${fifth.id}`), of(made.slice(5)));
  assert.deepEqual(await ids(`order=asc&before=${fifth.id}`), of(made.slice(0, 4)));
  assert.deepEqual(await ids(`order=desc&after=${fifth.id}&before=${tenth.id}`), of(made.slice(5, 9)).toReversed());
  assert.deepEqual(await ids(`order=asc&after=${fifth.at}`), of(made.filter((item) => item.at > fifth.at)));
  assert.deepEqual(
    await ids("order=asc&from=2026-03-01T10:00:00Z&to=2026-03-02T10:00:00%2B01:00"),
    of(made.filter((item) => item.at === "2026-03-01T10:00:00.000Z")),
  );
  assert.deepEqual(of((await get(service, `${TIMELINE}?order=asc&limit=1`)).data), [first.id]);
  assert.deepEqual(of((await get(service, `${TIMELINE}?order=desc&limit=1`)).data), [made.at(-1)!.id]);
  const unknown = await service.get(`${TIMELINE}?before=${UNKNOWN_ID}`);
  assert.deepEqual([...refusal(unknown), unknown.body.errors[0].path], [422, "validation_failed", "before"]);
});

test("a timeline is narrowed by type, text, tag, agent, session and trust", async (service) => {
  const made = await seed(service);
  const types = async (query: string) => {
    const items = await pages(service, query, 50);
    return Object.fromEntries(
      [...Map.groupBy(items, (item) => item.type)].map(([type, all]) => [type, all.length]).sort(),
    );
  };
  assert.deepEqual(await types("types=fact&types=task"), { fact: 9, task: 1 });
  assert.deepEqual(await types("q=ABOUT%20100%25%20of_i"), { turn: 3 });
  assert.deepEqual(await types("q=about%20100%25%20of%25"), {});
  assert.deepEqual(await types("q=tool.1"), { event: 3 });
  assert.deepEqual(await types("tags=t"), { fact: 9 });
  assert.deepEqual(await types("agentId=agent-1"), { event: 9, task: 1, turn: 3 });
  const session = (await pages(service, "types=turn", 1) as (Item & { sessionId: string })[])[0]!.sessionId;
  assert.deepEqual(await types(`sessionId=${session}`), { episode: 1, turn: 3 });
  assert.deepEqual(await types("minTrust=61"), {});
  const page = await get(service, "/v1/timeline?limit=200");
  const both = made.filter(({ type }) => ["event", "episode"].includes(type));
  assert.deepEqual(page.data.map((item: Item) => item.id), both.toReversed().map(({ id }) => id));
  assert.equal((await service.get("/v1/timeline?types=fact")).status, 422);
  const fact = made.find(({ type }) => type === "fact")!;
  await service.delete(`/v1/memory/facts/${fact.id}`);
  assert.deepEqual(await types("types=fact"), { fact: 8 });
});

test("what is counted over time is what lies there, also on days of 23 and 25 hours", async (service) => {
  const events: { type: string; occurredAt: string }[] = [];
  for (let i = 0; i < 300; i++) {
    const at = Date.parse("2026-03-27T00:00:00Z") + i * 1_234_567;
    events.push({ type: `kind.${i % 3}`, occurredAt: new Date(at).toISOString() });
  }
  for (let i = 0; i < 100; i++) {
    const at = Date.parse("2026-10-24T12:00:00Z") + i * 1_234_567;
    events.push({ type: "late", occurredAt: new Date(at).toISOString() });
  }
  await post(service, "/v1/memory/events/batch", { events });
  await create(service, { occurredAt: "2026-03-28T23:30:00Z" });
  const local = new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Rome", dateStyle: "short" });
  for (const [from, to] of [["2026-03-26", "2026-04-02"], ["2026-10-23", "2026-10-28"]] as const) {
    const query = `from=${from}T00:00:00Z&to=${to}T00:00:00Z&bucket=day&timeZone=Europe/Rome`;
    const counts = await get(service, `${TIMELINE}/counts?${query}&types=event`);
    const inside = events.filter(({ occurredAt: at }) => at >= from && at < to);
    const expected = Map.groupBy(inside, ({ occurredAt }) => local.format(new Date(occurredAt)));
    assert.equal(counts.total, inside.length);
    assert.ok(inside.length > 50);
    for (const { start, end, total } of counts.data) {
      assert.equal(total, expected.get(local.format(new Date(start)))?.length ?? 0, start);
      const hours = (Date.parse(end) - Date.parse(start)) / 3_600_000;
      const date = local.format(new Date(start));
      assert.equal(hours, date === "2026-03-29" ? 23 : date === "2026-10-25" ? 25 : 24);
    }
  }
  const both = await get(
    service,
    `${TIMELINE}/counts?from=2026-03-29T00:00:00%2B01:00&to=2026-03-30T00:00:00Z&timeZone=%2B01:00`,
  );
  assert.deepEqual(both.data[0].counts.fact, 1);
  assert.deepEqual(both.data.map((bucket: { start: string }) => bucket.start), [
    "2026-03-28T23:00:00.000Z",
    "2026-03-29T23:00:00.000Z",
  ]);
  const month = await get(service, `${TIMELINE}/counts?bucket=month&from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z`);
  assert.deepEqual(month.data.map((bucket: { total: number }) => bucket.total).filter(Boolean), [301, 100]);
  assert.equal(month.data.length, 12);
  assert.equal((await get(service, `${TIMELINE}/counts`)).data.length, 30);
  for (const [query, path] of [["timeZone=Mars", "timeZone"], ["bucket=hour&from=2020-01-01T00:00:00Z", "from"]]) {
    const refused = await service.get(`${TIMELINE}/counts?${query}`);
    assert.deepEqual([...refusal(refused), refused.body.errors[0].path], [422, "validation_failed", path]);
  }
});

test("a timeline and its counts hold nothing above the key's clearance and nothing of other workspaces", async (service) => {
  const low = await service.createKey({ maxSensitivity: "internal" });
  const secret = await create(service, { sensitivity: "confidential" });
  await post(service, "/v1/memory/events", { type: "secret", sensitivity: "restricted" });
  const open = await create(service, {});
  const items = await service.get(TIMELINE, { key: low });
  assert.deepEqual(items.body.data.map((item: Item) => item.id), [open.id]);
  const counts = await service.get(`${TIMELINE}/counts?to=2027-01-01T00:00:00Z&bucket=month`, { key: low });
  assert.equal(counts.body.total, 1);
  assert.equal((await service.get(`${TIMELINE}?after=${secret.id}`, { key: low })).status, 422);
  const other = await service.createKey({ workspaceId: await service.createWorkspace() });
  assert.deepEqual((await service.get(TIMELINE, { key: other })).body.data, []);
});

test("T16 a key without tasks:read is shown no tasks and events, in the lists, the counts and the bounds", async (service) => {
  const made = await seed(service);
  const key = await service.createKey({ scopes: ["memory:read"] });
  const read = async (path: string) => {
    const reply = await service.get(path, { key });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const isHidden = ({ type }: Item) => type === "event" || type === "task";
  const shown = made.filter((item) => !isHidden(item));
  const of = (items: Item[]) => items.map(short);
  assert.deepEqual(of((await read(`${TIMELINE}?order=asc&limit=200`)).data), of(shown));
  const episodes = shown.filter(({ type }) => type === "episode");
  assert.deepEqual(of((await read("/v1/timeline?order=asc&limit=200")).data), of(episodes));
  const some = await read(`${TIMELINE}?types=event&types=episode&types=task&order=asc`);
  assert.deepEqual(of(some.data), of(episodes));
  assert.deepEqual((await read(`${TIMELINE}?q=tool.1`)).data, []);
  assert.deepEqual(of((await read(`${TIMELINE}?agentId=agent-1&order=asc`)).data), of(shown.filter(isTurn)));
  const span = "bucket=month&from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z";
  assert.equal((await read(`${TIMELINE}/counts?${span}`)).total, shown.length);
  assert.equal((await read(`/v1/timeline/counts?${span}`)).total, episodes.length);
  for (const path of [TIMELINE, `${TIMELINE}/counts`, "/v1/timeline", "/v1/timeline/counts"]) {
    for (const types of path.startsWith(TIMELINE) ? ["types=event", "types=task&types=event"] : ["types=event"]) {
      assert.deepEqual(refusal(await service.get(`${path}?${types}`, { key })), [403, "insufficient_scope"], path);
    }
  }
  const bounds = [...made.filter(isHidden), { id: UNKNOWN_ID }].map(({ id }) => `${TIMELINE}?after=${id}`);
  for (const path of [...bounds, `/v1/memory/episodes/${episodes[0]!.id}/timeline?after=${made.find(isHidden)!.id}`]) {
    assert.deepEqual(refusal(await service.get(path, { key })), [422, "validation_failed"], path);
  }
});

test("an episode's timeline has the same windows and counts", async (service) => {
  const facts: string[] = [];
  for (const day of [1, 2, 2, 3]) {
    facts.push((await create(service, { occurredAt: `2026-03-0${day}T10:00:00Z` })).id);
  }
  const [first, , third] = facts as [string, string, string];
  const episode = await post(service, "/v1/memory/episodes", { title: "Trip", factIds: facts });
  const at = `/v1/memory/episodes/${episode.id}/timeline`;
  const ids = async (query: string) =>
    (await get(service, `${at}?${query}`)).data.map((moment: { fact: { id: string } }) => moment.fact.id);
  assert.deepEqual(await ids(`after=${first}`), facts.slice(1));
  assert.deepEqual(await ids(`before=${third}`), facts.slice(0, 2));
  assert.deepEqual(await ids(`after=${first}&before=2026-03-03T00:00:00Z`), facts.slice(1, 3));
  assert.deepEqual(await ids("order=desc&limit=1"), [facts[3]]);
  assert.deepEqual(await ids("from=2026-03-02T10:00:00Z&to=2026-03-03T10:00:00Z"), facts.slice(1, 3));
  const counts = await get(service, `${at}/counts?bucket=day`);
  assert.deepEqual(counts.data.map((bucket: { counts: unknown }) => bucket.counts), [{ fact: 1 }, { fact: 2 }, {
    fact: 1,
  }]);
  const empty = await post(service, "/v1/memory/episodes", { title: "Nothing" });
  const none = await get(service, `/v1/memory/episodes/${empty.id}/timeline/counts`);
  assert.deepEqual([none.from, none.to, none.data], [null, null, []]);
});

Deno.test("relations, walks and timelines work on the embedded database", async () => {
  await using service = await startService({ embedded: true });
  const [a, b] = await Promise.all([create(service, {}), create(service, {})]);
  await post(service, "/v1/memory/relations", {
    verb: "supports",
    sourceId: a.id,
    targetId: b.id,
    evidenceIds: [b.id],
  });
  const walked = await post(service, "/v1/memory/relations/traverse", { startIds: [b.id] }, 200);
  assert.equal(walked.results[0].node.id, a.id);
  assert.equal((await get(service, `${TIMELINE}?types=fact`)).data.length, 2);
  const to = new Date(Date.now() + 60_000).toISOString();
  assert.equal((await get(service, `${TIMELINE}/counts?timeZone=Europe/Rome&types=fact&to=${to}`)).total, 2);
  const forgotten = await post(service, `/v1/facts/${b.id}/forget`, { mode: "erase" }, 200);
  assert.equal(forgotten.receipt.removed.relations, 1);
  assert.deepEqual((await get(service, "/v1/relations")).data, []);
});
