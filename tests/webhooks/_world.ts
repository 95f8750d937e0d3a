/** What the tests of webhooks share: a service with a receiver, facts to tell of, and views of a webhook. */
import { equal } from "node:assert/strict";
import { type StartOptions, startService, type TestService } from "../_service.ts";
import { type Receiver, startReceiver } from "./_receiver.ts";

/** A service whose clock the test moves, and a receiver. */
export async function startWorld(env: Record<string, string> = {}, options: StartOptions = {}) {
  let now = Date.parse("2026-06-01T12:00:00Z");
  const receiver = startReceiver();
  const service = await startService({ clock: () => new Date(now), ...options, env: { ...receiver.env, ...env } });
  return {
    receiver,
    service,
    pass: (ms: number) => void (now += ms),
    now: () => now,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

let serial = 0;

/** Stores a fact; answers its id. */
export async function createFact(service: TestService, more: Record<string, unknown> = {}): Promise<string> {
  const statement = `Fact ${++serial} of the webhooks.`;
  const { status, body } = await service.post("/v1/memory/facts", { statement, ...more });
  equal(status, 201, JSON.stringify(body));
  return body.id;
}

/** The kinds of the messages that came at a path, in order. */
export function kindsAt(receiver: Receiver, path: string): string[] {
  return receiver.at(path).map(({ message }) => message.type);
}

/** Reads a webhook as its callers see it. */
export async function read(service: TestService, id: string) {
  return (await service.get(`/v1/webhooks/${id}`)).body;
}

/** Reads the newest deliveries of a webhook, as its callers see them. */
export async function logOf(service: TestService, id: string, query = "limit=200") {
  return (await service.get(`/v1/webhooks/${id}/deliveries?${query}`)).body.data;
}
