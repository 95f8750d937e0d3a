/** Days are those of the people who ask and write: by an offset, or by the zone of a request, session or workspace. */
import assert from "node:assert/strict";
import type { TestService } from "../_service.ts";
import { ADMIN_TOKEN } from "../_service.ts";
import { create, test } from "./_facts.ts";
import { exportAll } from "./_transfer.ts";
import { post } from "./_units.ts";

const FULL = "/v1/memory/recall", HOT = "/v1/memory/recall/hot";

interface Asked {
  readonly referenceDate?: string;
  readonly timezone?: string;
}

/** When something happened, and whether it is of the day that a question names. */
type Row = readonly [query: string, asked: Asked, occurredAt: string, isFound: boolean];

const YESTERDAY = "What happened yesterday?";
const ROWS: readonly Row[] = [
  [YESTERDAY, { referenceDate: "2026-06-11T12:00:00-07:00" }, "2026-06-10T21:00:00-07:00", true],
  [YESTERDAY, { referenceDate: "2026-06-11T12:00:00-07:00" }, "2026-06-09T23:00:00-07:00", false],
  [YESTERDAY, { referenceDate: "2026-11-28T01:00:00+09:00" }, "2026-11-27T00:30:00+09:00", true],
  [YESTERDAY, { referenceDate: "2026-11-28T01:00:00+09:00" }, "2026-11-26T20:00:00+09:00", false],
  ["What happened on June 10?", { referenceDate: "2026-06-20T12:00:00+05:30" }, "2026-06-10T03:00:00+05:30", true],
  ["What happened on 10 June 2026?", { referenceDate: "2026-06-20T12:00:00-05:00" }, "2026-06-10T23:30:00-05:00", true],
  ["What happened on 2026-06-10?", { referenceDate: "2026-06-20T12:00:00-05:00" }, "2026-06-11T00:30:00-05:00", false],
  ["What happened today?", { referenceDate: "2026-06-11T00:30:00+02:00" }, "2026-06-10T22:15:00Z", true],
  ["What happened last Friday?", { referenceDate: "2026-06-15T08:00:00+10:00" }, "2026-06-12T07:00:00+10:00", true],
  ["What happened two days ago?", { referenceDate: "2026-06-15T23:00:00-08:00" }, "2026-06-13T23:30:00-08:00", true],
  ["What happened in May 2026?", { referenceDate: "2026-06-15T23:00:00-08:00" }, "2026-05-31T23:30:00-08:00", true],
  ["What happened in May 2026?", { referenceDate: "2026-06-15T23:00:00+09:00" }, "2026-06-01T03:00:00+09:00", false],
  // "Z" says when, and not where.
  [
    YESTERDAY,
    { referenceDate: "2026-06-11T03:00:00Z", timezone: "America/New_York" },
    "2026-06-09T22:00:00-04:00",
    true,
  ],
  [YESTERDAY, { referenceDate: "2026-06-11T03:00:00Z" }, "2026-06-10T02:00:00Z", true],
  [YESTERDAY, { referenceDate: "2026-06-11T03:00:00Z", timezone: "Asia/Kolkata" }, "2026-06-10T00:10:00+05:30", true],
  [YESTERDAY, { referenceDate: "2026-06-11" }, "2026-06-10", true],
  // A name counts before an offset; the clocks changed on the day before, which had 23 hours.
  [
    YESTERDAY,
    { referenceDate: "2026-03-30T10:00:00+00:00", timezone: "Europe/Berlin" },
    "2026-03-29T23:30:00+02:00",
    true,
  ],
  [
    YESTERDAY,
    { referenceDate: "2026-03-30T10:00:00+00:00", timezone: "Europe/Berlin" },
    "2026-03-28T23:30:00+01:00",
    false,
  ],
];

async function isFound(service: TestService, path: string, query: string, more: Record<string, unknown>) {
  const { results } = await post(service, path, { query, ...more }, 200);
  return results.length > 0;
}

test("a day of a query is that of the asker: by the offset of the reference date or a named zone, in full and hot recall", async (service) => {
  for (const [i, [query, asked, occurredAt, wanted]] of ROWS.entries()) {
    const tags = [`row${i}`];
    await create(service, { statement: `The dinner of group ${i} took place.`, occurredAt, tags });
    for (const path of [FULL, HOT]) {
      assert.equal(await isFound(service, path, query, { tags, ...asked }), wanted, `${path} ${query} ${occurredAt}`);
    }
  }
});

test("a zone that is none is refused", async (service) => {
  for (const timezone of ["Mars/Olympus", "+09:00", "", "UTC+1", "Europe/Berlin; drop"]) {
    const recalled = await service.post(FULL, { query: "What happened?", timezone });
    assert.deepEqual([recalled.status, recalled.body.errors[0].path], [422, "timezone"], timezone);
    assert.equal((await service.post("/v1/session", { timezone })).status, 422, timezone);
  }
});

/** Collapses a session of one turn; returns the statements. */
async function tell(service: TestService, content: string, occurredAt: string, timezone?: string): Promise<string[]> {
  const session = await post(service, "/v1/session", timezone === undefined ? {} : { timezone });
  const turn = await post(service, `/v1/session/${session.id}/turns`, {
    role: "user",
    name: "Mia",
    content,
    occurredAt,
  });
  assert.equal(turn.occurredAt, new Date(occurredAt).toISOString());
  const { facts } = await post(service, `/v1/session/${session.id}/collapse`, {}, 200);
  return facts.map(({ statement }: { statement: string }) => statement);
}

const MOVED = "I moved to Porto yesterday.";
const TOLD: readonly (readonly [occurredAt: string, timezone: string | undefined, day: string])[] = [
  ["2026-06-11T23:30:00-07:00", undefined, "10 June 2026"],
  ["2026-06-11T08:00:00+09:00", undefined, "10 June 2026"],
  ["2026-06-11T00:30:00+02:00", undefined, "10 June 2026"],
  ["2026-06-12T06:30:00Z", "America/Los_Angeles", "10 June 2026"],
  ["2026-06-10T23:00:00Z", "Asia/Tokyo", "10 June 2026"],
  ["2026-06-10T23:00:00Z", undefined, "9 June 2026"],
  // A day alone is that day.
  ["2026-06-11", "America/Los_Angeles", "10 June 2026"],
  // The offset of the time is nearer to the writer than the zone of the session.
  ["2026-06-11T23:30:00-07:00", "Asia/Tokyo", "10 June 2026"],
];

test("a relative day in a turn is that of its writer, by the offset of the turn or the session's zone", async (service) => {
  for (const [occurredAt, timezone, day] of TOLD) {
    const statements = await tell(service, MOVED, occurredAt, timezone);
    assert.ok(statements.some((statement) => statement.includes(day)), `${occurredAt} ${timezone}: ${statements}`);
  }
  const [birthday] = await tell(service, "My birthday is on June 10.", "2026-11-28T01:00:00+09:00");
  assert.match(birthday!, /June 10/);
  assert.doesNotMatch(birthday!, /20\d\d/);
});

test("a collapsed fact has the time at which its turn says that it happened, by the writer's day", async (service) => {
  const timeOf = async (content: string, occurredAt: string, timezone?: string) => {
    const session = await post(service, "/v1/session", timezone === undefined ? {} : { timezone });
    await post(service, `/v1/session/${session.id}/turns`, { role: "user", name: "Mia", content, occurredAt });
    const { facts } = await post(service, `/v1/session/${session.id}/collapse`, {}, 200);
    assert.ok(facts.length > 0, content);
    return (await service.get(`/v1/memory/facts/${facts[0].factId}`)).body.occurredAt;
  };
  for (const [occurredAt, timezone, day] of TOLD) {
    const time = await timeOf("We sold our boat yesterday.", occurredAt, timezone);
    assert.equal(time.slice(0, 10), new Date(`${day} UTC`).toISOString().slice(0, 10), `${occurredAt} ${timezone}`);
  }
  const told = "2026-06-11T08:00:00+09:00";
  const HAPPENED = [
    ["On 3 May 2026 we signed the lease.", "2026-05-03T03:00:00.000Z"],
    // Whoever names a day without its year may mean another one.
    ["On 3 May we signed the lease.", "2026-06-10T23:00:00.000Z"],
    ["I broke my leg in March 2025 while skiing.", "2025-03-01T03:00:00.000Z"],
    ["Two weeks ago I met Bob at the harbour.", "2026-05-25T03:00:00.000Z"],
    // The bound of a state, and what is not over yet, say nothing of when something happened.
    ["I have lived in Portugal since 2019.", "2026-06-10T23:00:00.000Z"],
    // A year beside the matter, and the time of a cause.
    ["My pump, a 2024 model, broke.", "2026-06-10T23:00:00.000Z"],
    ["I sold my car because a tree fell on it in May 2024.", "2026-06-10T23:00:00.000Z"],
    ["I finished my thesis this morning.", "2026-06-10T23:00:00.000Z"],
    ["I will fly to Rome next Friday.", "2026-06-10T23:00:00.000Z"],
    ["I prefer tea to coffee.", "2026-06-10T23:00:00.000Z"],
  ] as const;
  for (const [content, time] of HAPPENED) assert.equal(await timeOf(content, told), time, content);
});

test("a turn keeps its offset, and a session its zone, also in an export", async (service) => {
  const session = await post(service, "/v1/session", { timezone: "Asia/Tokyo" });
  assert.equal(session.timezone, "Asia/Tokyo");
  const turns = `/v1/session/${session.id}/turns`;
  const add = (occurredAt: string) =>
    post(service, turns, { role: "user", content: `said at ${occurredAt}`, occurredAt });
  assert.equal((await add("2026-06-11T23:30:00-07:00")).utcOffset, "-07:00");
  assert.equal((await add("2026-06-11T23:30:00Z")).utcOffset, "+09:00");
  const { body: { data } } = await service.get(turns);
  assert.deepEqual(data.map(({ utcOffset }: { utcOffset: string }) => utcOffset), ["-07:00", "+09:00"]);
  const { lines } = await exportAll(service);
  assert.deepEqual(lines.filter(({ kind }) => kind === "turn").map(({ utcOffset }) => utcOffset), ["-07:00", "+09:00"]);
  assert.equal(lines.find(({ kind }) => kind === "session").timezone, "Asia/Tokyo");
  const plain = await post(service, "/v1/session", {});
  const told = await post(service, `/v1/session/${plain.id}/turns`, { role: "user", content: "said" });
  assert.equal("utcOffset" in told || "timezone" in plain, false);
});

test("the workspace's zone counts where nothing else says where somebody is", async (service) => {
  const path = `/v1/admin/workspaces/${service.workspaceId}`;
  const set = await service.patch(path, { settings: { timezone: "America/Los_Angeles" } }, { key: ADMIN_TOKEN });
  assert.deepEqual([set.status, set.body.settings.timezone], [200, "America/Los_Angeles"]);
  await create(service, { statement: "The dinner took place.", occurredAt: "2026-06-10T21:00:00-07:00" });
  const referenceDate = "2026-06-11T19:00:00Z";
  for (const recall of [FULL, HOT]) {
    assert.equal(await isFound(service, recall, YESTERDAY, { referenceDate }), true, recall);
  }
  assert.equal(await isFound(service, FULL, YESTERDAY, { referenceDate, timezone: "Europe/Lisbon" }), false);
  const statements = await tell(service, MOVED, "2026-06-12T06:30:00Z");
  assert.ok(statements.some((statement) => statement.includes("10 June 2026")), String(statements));
  const bad = await service.patch(path, { settings: { timezone: "Nowhere" } }, { key: ADMIN_TOKEN });
  assert.equal(bad.status, 422);
});
