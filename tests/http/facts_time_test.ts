/** Facts and time: what a date in a query finds, planned and bounded states, what arrives late, what is outdated. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, test } from "./_facts.ts";

const FULL = "/v1/memory/recall";
const HOT = "/v1/memory/recall/hot";
const DAY_MS = 86_400_000;

async function results(service: TestService, path: string, body: Record<string, unknown>): Promise<Reply["body"][]> {
  const reply = await service.post(path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.results;
}

async function texts(service: TestService, path: string, body: Record<string, unknown>): Promise<string[]> {
  return (await results(service, path, body)).map((result) => result.text);
}

/** What both tiers find; they must agree. */
async function both(service: TestService, body: Record<string, unknown>): Promise<string[]> {
  const [full, hot] = [await texts(service, FULL, body), await texts(service, HOT, body)];
  assert.deepEqual(hot.toSorted(), full.toSorted(), `the tiers differ on ${JSON.stringify(body)}`);
  return full;
}

const UNDATED = [
  "Deployments go to the Helsinki cluster",
  "Caroline prefers tea to coffee",
  "Invoices are sent by Maria",
  "The printer on the second floor is out of paper",
  "Backups are kept for thirty days",
  "The mascot of the team is a heron",
  "Lunch is paid for by the company",
  "Passwords are rotated every quarter",
];

test("a word of time does not bring in what was merely stored then", async (service) => {
  for (const statement of UNDATED) await create(service, { statement });
  assert.deepEqual(await both(service, { query: "What does the weather look like today?" }), []);
  const plain = await both(service, { query: "Which cluster do we deploy to?" });
  assert.deepEqual(plain, [UNDATED[0]]);
  assert.deepEqual(await both(service, { query: "Which cluster do we deploy to today?" }), plain);
  assert.deepEqual(await both(service, { query: "What happened today?" }), []);
});

test("time alone finds what has that time, where the question is about the time", async (service, clock) => {
  const tomorrow = new Date(clock.now.getTime() + DAY_MS).toISOString();
  await create(service, { statement: "Dentist at noon", occurredAt: tomorrow });
  await create(service, { statement: "Vera is on leave", validFrom: tomorrow, validTo: "2026-06-20T00:00:00Z" });
  await create(service, { statement: "The lease was signed", occurredAt: "2026-05-04T10:00:00Z" });
  await create(service, { statement: "The boiler hums" });
  assert.deepEqual((await both(service, { query: "What is planned for tomorrow?" })).toSorted(), [
    "Dentist at noon",
    "Vera is on leave",
  ]);
  assert.deepEqual(await both(service, { query: "What happened in May 2026?" }), ["The lease was signed"]);
  assert.deepEqual(await both(service, { query: "How is the weather tomorrow?" }), []);
});

test("when something was recorded counts for questions about recording", async (service, clock) => {
  await create(service, { statement: "The heron is the mascot" });
  clock.step(DAY_MS);
  await create(service, { statement: "Lunch is free", occurredAt: "2026-06-01T09:00:00Z" });
  assert.deepEqual(await both(service, { query: "What did I tell you yesterday?" }), ["The heron is the mascot"]);
  assert.deepEqual(await both(service, { query: "What did you learn today?" }), ["Lunch is free"]);
  assert.deepEqual(await both(service, { query: "What happened yesterday?" }), ["Lunch is free"]);
});
