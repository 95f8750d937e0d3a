/** Shared parts of tests of facts: a service whose clock only the test moves, and short ways to make and read facts. */
import assert from "node:assert/strict";
import { DATABASE, POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

export const FACTS = "/v1/memory/facts";
export const LIVES_IN = { subject: "Caroline", predicate: "lives in" };
export const UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

export interface Clock {
  now: Date;
  /** Steps forward, in milliseconds. */
  step(ms: number): Date;
}

function createClock(): Clock {
  return {
    now: new Date("2026-06-01T12:00:00.000Z"),
    step(ms) {
      return this.now = new Date(this.now.getTime() + ms);
    },
  };
}

/**
 * A test with a clock that only the test moves. The tests of a file share one service, where each has a workspace of its own;
 * `own`: the test has a service and a native database of its own, because it reads more than its workspace; `env`: more
 * variables for that service.
 */
export function test(
  name: string,
  run: (service: TestService, clock: Clock) => Promise<void>,
  { own, env }: { readonly own?: true; readonly env?: Readonly<Record<string, string>> } = {},
): void {
  if (!own) return testOnShared(name, run);
  Deno.test({
    ...POSTGRES,
    name,
    async fn() {
      const clock = createClock();
      await using service = await startService({ clock: () => clock.now, ...env && { env } });
      await run(service, clock);
    },
  });
}

let shared: Promise<TestService> | undefined;
let sharedClock = createClock();

function testOnShared(name: string, run: (service: TestService, clock: Clock) => Promise<void>): void {
  Deno.test({
    ...DATABASE,
    name,
    // The service outlives the test that starts it.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const clock = sharedClock = createClock();
      if (shared === undefined) {
        shared = startService({ clock: () => sharedClock.now });
        globalThis.addEventListener("unload", () => void shared?.then((service) => service[Symbol.asyncDispose]()));
      }
      await run(await (await shared).inNewWorkspace(), clock);
    },
  });
}

export async function create(
  service: TestService,
  body: Record<string, unknown>,
  status = 201,
): Promise<Reply["body"]> {
  const reply = await service.post(FACTS, { statement: `A statement ${crypto.randomUUID()}`, ...body });
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}

export async function livesIn(service: TestService, object: string, body: Record<string, unknown> = {}, status = 201) {
  return await create(service, { statement: `Caroline lives in ${object}.`, ...LIVES_IN, object, ...body }, status);
}

export async function read(service: TestService, id: string): Promise<Reply["body"]> {
  const reply = await service.get(`${FACTS}/${id}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

export async function listIds(service: TestService, query: string): Promise<string[]> {
  const reply = await service.get(`${FACTS}?${query}`);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data.map((fact: { id: string }) => fact.id);
}

/** Waits until a condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  await waitFor("the condition", holds, { everyMs: 1 });
}
