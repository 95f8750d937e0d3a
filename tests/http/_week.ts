/** Shared parts of the scenario's days: the service, a clock that only the story moves, and the ids made so far. */
import assert from "node:assert/strict";
import { type Reply, startService, type TestService } from "../_service.ts";

// deno-lint-ignore no-explicit-any -- replies are looked into
export type Json = any;

/** Monday morning. */
const BEGIN = "2026-06-01T08:00:00.000Z";
const DAY_MS = 86_400_000;

export class Week {
  /** The ids of things that a day made and a later day names. */
  readonly made: Record<string, string> = {};
  /** Moments for which a later day asks. */
  readonly then: Record<string, string> = {};

  private constructor(readonly service: TestService, readonly clock: { now: Date }) {}

  static async begin(options: { readonly embedded?: boolean }): Promise<Week> {
    const clock = { now: new Date(BEGIN) };
    return new Week(await startService({ ...options, clock: () => clock.now }), clock);
  }

  /** Moves the time on, by default by one minute. */
  pass(minutes = 1): string {
    this.clock.now = new Date(this.clock.now.getTime() + minutes * 60_000);
    return this.clock.now.toISOString();
  }

  /** Moves the time to the next day at eight. */
  nextDay(): string {
    const days = Math.floor((this.clock.now.getTime() - Date.parse(BEGIN)) / DAY_MS) + 1;
    this.clock.now = new Date(Date.parse(BEGIN) + days * DAY_MS);
    return this.clock.now.toISOString();
  }

  async post(path: string, body: unknown = {}, status = 201): Promise<Json> {
    this.pass();
    return accept(await this.service.post(path, body), status);
  }

  async patch(path: string, body: unknown): Promise<Json> {
    this.pass();
    return accept(await this.service.patch(path, body), 200);
  }

  async get(path: string): Promise<Json> {
    return accept(await this.service.get(path), 200);
  }

  async delete(path: string, status = 200): Promise<Json> {
    this.pass();
    return accept(await this.service.delete(path), status);
  }

  /** The refusal that a request gets. */
  async refused(path: string, body: unknown): Promise<[number, string]> {
    const reply = await this.service.post(path, body);
    return [reply.status, reply.body.code];
  }

  /** The results of a question, the best first. */
  async recall(query: string, more: Record<string, unknown> = {}): Promise<Json[]> {
    return (await accept(await this.service.post("/v1/memory/recall", { query, ...more }), 200)).results;
  }

  fact(statement: string, more: Record<string, unknown> = {}): Promise<Json> {
    return this.post("/v1/memory/facts", { statement, ...more });
  }

  /** The review items of a kind about a unit. */
  async asked(kind: string, unitId: string): Promise<Json[]> {
    return (await this.get(`/v1/review?kind=${kind}&unitId=${unitId}`)).data;
  }
}

function accept(reply: Reply, status: number): Json {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}
