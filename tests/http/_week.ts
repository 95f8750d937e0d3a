/** What the days of the scenario share: the service, a clock that only the story moves, and what was made so far. */
import assert from "node:assert/strict";
import { type Reply, startService, type TestService } from "../_service.ts";

// deno-lint-ignore no-explicit-any -- replies are looked into
export type Json = any;

/** Monday morning. */
const BEGIN = "2026-06-01T08:00:00.000Z";
const DAY_MS = 86_400_000;

export class Week {
  /** What a day made that a later day speaks of. */
  readonly made: Record<string, string> = {};
  /** Moments that a later day looks back at. */
  readonly then: Record<string, string> = {};

  private constructor(readonly service: TestService, readonly clock: { now: Date }) {}

  static async begin(options: { readonly embedded?: boolean }): Promise<Week> {
    const clock = { now: new Date(BEGIN) };
    return new Week(await startService({ ...options, clock: () => clock.now }), clock);
  }

  /** Time goes on, by minutes unless said. */
  pass(minutes = 1): string {
    this.clock.now = new Date(this.clock.now.getTime() + minutes * 60_000);
    return this.clock.now.toISOString();
  }

  /** The next day at eight. */
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

  /** What a question brings to light, the best first. */
  async recall(query: string, more: Record<string, unknown> = {}): Promise<Json[]> {
    return (await accept(await this.service.post("/v1/memory/recall", { query, ...more }), 200)).results;
  }

  fact(statement: string, more: Record<string, unknown> = {}): Promise<Json> {
    return this.post("/v1/memory/facts", { statement, ...more });
  }

  /** What asks for a person, by kind. */
  async asked(kind: string, unitId: string): Promise<Json[]> {
    return (await this.get(`/v1/review?kind=${kind}&unitId=${unitId}`)).data;
  }
}

function accept(reply: Reply, status: number): Json {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  return reply.body;
}
