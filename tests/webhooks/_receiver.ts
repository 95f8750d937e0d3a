/** A receiver of webhooks: it answers as a test tells it, and checks signatures with the library of the specification. */
import { Webhook } from "standardwebhooks";
import type { TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";
import { webhookSenderOf } from "../../src/domain/webhooks/sender.ts";
import { webhookContext } from "../../src/workers/mod.ts";

export interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly message: any;
}

type Answer = (received: Received) => Response | undefined | Promise<Response | undefined>;

export interface Receiver extends AsyncDisposable {
  readonly port: number;
  /** The configuration with which the service may call the receiver. */
  readonly env: Readonly<Record<string, string>>;
  url(path: string): string;
  /** The messages that came at a path, without challenges. */
  at(path: string): Received[];
  /** The messages that came at a path, with challenges. */
  all(path: string): Received[];
  /** Decides how a path answers from now on; undefined: it repeats challenges, and answers 200 to all else. */
  answer(path: string, answer: Answer | undefined): void;
}

export function startReceiver(): Receiver {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const text = await request.text();
    const path = new URL(request.url).pathname;
    const one: Received = { path, headers: request.headers, text, message: JSON.parse(text) };
    received.push(one);
    const told = await answers.get(path)?.(one);
    if (told !== undefined) return told;
    return one.message.type === "webhook.verification"
      ? Response.json({ challenge: one.message.data.challenge })
      : new Response("thanks");
  });
  const all = (path: string) => received.filter((one) => one.path === path);
  return {
    port: server.addr.port,
    env: { SVC_OUTBOUND_PORTS: `443,${server.addr.port}` },
    url: (path) => `http://127.0.0.1:${server.addr.port}${path}`,
    all,
    at: (path) => all(path).filter(({ message }) => message.type !== "webhook.verification"),
    answer(path, answer) {
      if (answer === undefined) answers.delete(path);
      else answers.set(path, answer);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Whether the library that the specification's authors publish takes a message for genuine. */
export function isGenuine({ text, headers }: Pick<Received, "text" | "headers">, secret: string): boolean {
  try {
    new Webhook(secret).verify(text, Object.fromEntries(headers));
    return true;
  } catch {
    return false;
  }
}

/** Sends what is due now, until nothing is. */
export async function sendDue(service: TestService): Promise<void> {
  const sender = webhookSenderOf(service.deps);
  do {
    await sender.look(webhookContext(service.deps));
    await sender.settled();
  } while (sender.isWoken);
}

/** Creates a webhook and waits until its URL has given its consent. */
export async function createEnabled(
  service: TestService,
  url: string,
  more: Record<string, unknown> = {},
  key?: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { status, body } = await service.post("/v1/webhooks", { url, ...more }, { key });
  if (status !== 201) throw new Error(`Cannot create the webhook: ${JSON.stringify(body)}`);
  await waitFor("the webhook is enabled", async () => {
    await sendDue(service);
    return (await service.get(`/v1/webhooks/${body.id}`)).body.status === "enabled";
  });
  return { id: body.id, secret: body.secret };
}
