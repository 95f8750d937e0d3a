/** Session: one conversation over one connection. */
import assert from "node:assert/strict";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { SessionMessageSchema, type SessionResponse } from "../../src/gen/svc/v1/svc_pb.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { within } from "../_wait.ts";
import { clientOf, type ClientOptions, errorOf, next, revoke } from "./_client.ts";
import { requestLoadOf } from "../../src/domain/access/request_load.ts";
import { auditTrailOf } from "../../src/domain/audit/trail.ts";

type Say = MessageInitShape<typeof SessionMessageSchema>["message"];

/** A conversation whose next message is sent when the last was answered. */
class Conversation {
  readonly #queue: PromiseWithResolvers<Say | undefined>[] = [Promise.withResolvers()];
  readonly #replies: AsyncIterator<SessionResponse>;

  constructor(service: TestService, options: ClientOptions = {}) {
    const queue = this.#queue;
    const requests = async function* () {
      for (let i = 0;; i++) {
        const message = await queue[i]!.promise;
        if (message === undefined) return;
        yield create(SessionMessageSchema, { message });
      }
    };
    this.#replies = clientOf(service, options).session(requests())[Symbol.asyncIterator]();
  }

  async say(message: Say): Promise<SessionResponse["response"]> {
    this.#send(message);
    return (await next(this.#replies)).response;
  }

  /** Ends it; answers whether the service ended it, too. */
  async end(): Promise<boolean> {
    this.#send(undefined);
    return await this.reply().then(({ done }) => done === true);
  }

  reply() {
    return within("a reply", this.#replies.next());
  }

  #send(message: Say | undefined): void {
    const place = this.#queue.at(-1)!;
    this.#queue.push(Promise.withResolvers());
    place.resolve(message);
  }
}

const turn = (content: string, more: object = {}): Say => ({
  case: "turn",
  value: { role: "user", name: "Ada", content, ...more },
});
const collapse = { case: "collapse", value: {} } as const;

function errorCode(response: SessionResponse["response"]): string | undefined {
  return response.case === "error" ? response.value.code : undefined;
}

Deno.test({
  ...POSTGRES,
  name: "a session is started, spoken, read and collapsed over one connection; what is refused does not end it",
  async fn() {
    await using service = await startService();
    const talk = new Conversation(service);
    assert.equal(errorCode(await talk.say(turn("Too early."))), "invalid_request");
    const started = await talk.say({ case: "start", value: { title: "Planning", agentId: "a" } });
    assert.ok(started.case === "session");
    const { id } = started.value;
    assert.equal(errorCode(await talk.say({ case: "start", value: {} })), "invalid_request", "one has begun");
    const said = await talk.say(turn("We decided to ship on Friday.", { messageId: "m1", pinned: true }));
    assert.ok(said.case === "turn");
    assert.deepEqual([said.value.content, said.value.duplicate, said.value.position], [
      "We decided to ship on Friday.",
      false,
      0,
    ]);
    const again = await talk.say(turn("We decided to ship on Friday.", { messageId: "m1", pinned: true }));
    assert.ok(again.case === "turn" && again.value.duplicate);
    assert.equal(errorCode(await talk.say(turn("Another.", { messageId: "m1" }))), "conflict");
    assert.equal(errorCode(await talk.say(turn("x".repeat(70_000)))), "validation_failed");
    const context = await talk.say({ case: "context", value: { maxTokens: 500 } });
    assert.ok(context.case === "context");
    assert.deepEqual(context.value.turns.map(({ messageId }) => messageId), ["m1"]);

    const other = new Conversation(service, { json: true, protocol: "grpc-web" });
    const resumed = await other.say({ case: "resume", value: { sessionId: id } });
    assert.ok(resumed.case === "session" && resumed.value.turnCount === 1);
    assert.equal((await other.say(turn("On second thoughts, on Monday."))).case, "turn");
    assert.ok(await other.end());

    const collapsed = await talk.say(collapse);
    assert.ok(collapsed.case === "collapsed");
    assert.deepEqual([collapsed.value.sessionId, collapsed.value.turns], [id, 2]);
    assert.ok(collapsed.value.facts.some(({ statement }) => statement?.includes("ship on Friday")));
    assert.equal(errorCode(await talk.say(turn("Too late."))), "invalid_transition");
    assert.ok(await talk.end());
    assert.equal((await service.get(`/v1/session/${id}`)).body.status, "collapsed");

    await auditTrailOf(service.deps).flush();
    const { data } = (await service.get("/v1/audit?limit=200")).body;
    const types = new Set(data.map((row: { event_type: string }) => row.event_type));
    for (const type of ["write.startSession", "write.addTurns", "read.getSessionContext", "refused.addTurns"]) {
      assert.ok(types.has(type), `${type} in ${[...types]}`);
    }
    const outcomes = data.filter((row: { event_type: string }) => row.event_type === "refused.addTurns")
      .map((row: { outcome: string }) => row.outcome);
    assert.deepEqual(outcomes.toSorted(), ["conflict", "invalid_request", "invalid_transition", "validation_failed"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T1 T10 T16 a session's stream sees no other workspace, reads with memory:read alone, and ends with its key",
  async fn() {
    await using service = await startService();
    const { id } = (await service.post("/v1/session", { title: "Planning" })).body;
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    const foreign = new Conversation(service, { key: stranger });
    const resume = (sessionId: string) => ({ case: "resume", value: { sessionId } }) as const;
    assert.equal(errorCode(await foreign.say(resume(id))), "not_found");
    assert.ok(await foreign.end());

    const key = await service.createKey({ scopes: ["session:write"], rateLimit: { perMinute: 1, burst: 6 } });
    const writer = new Conversation(service, { key });
    assert.equal(errorCode(await writer.say(resume(id))), "insufficient_scope");
    assert.equal((await writer.say({ case: "start", value: {} })).case, "session");
    assert.equal(errorCode(await writer.say({ case: "context", value: {} })), "insufficient_scope");
    const replies = [];
    for (let i = 0; i < 4; i++) replies.push(errorCode(await writer.say(turn(`Turn ${i}.`))));
    assert.ok(replies.includes("rate_limited"), "a message counts as a request");
    const late = new Conversation(service, { headers: { "connect-timeout-ms": "300" } });
    await late.say({ case: "start", value: {} });
    assert.equal((await errorOf(late.reply())).detail?.code, "deadline_exceeded");
    const page = (await service.get("/metrics", { key: null })).body;
    assert.match(page, /svc_errors_total\{[^}]*Session[^}]*type="deadline_exceeded"\} 1\n/, "counted once");
    const ended = errorOf(writer.reply());
    await revoke(service, key);
    assert.deepEqual([(await ended).code, (await ended).detail?.code], ["Unauthenticated", "unauthenticated"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a message of a session costs what it costs over HTTP, and has the heavy turn where that is heavy",
  async fn() {
    const now = new Date("2026-03-01T12:00:00Z");
    await using service = await startService({
      clock: () => now,
      env: { SVC_HEAVY_PER_WORKSPACE_MAX: "1", SVC_REQUESTS_WAIT_MS: "50" },
    });
    // One to come in, one to start it, one for the turn, five for each try to collapse it.
    const key = await service.createKey({ rateLimit: { perMinute: 1, burst: 13 } });
    const talk = new Conversation(service, { key });
    const started = await talk.say({ case: "start", value: {} });
    assert.ok(started.case === "session");
    assert.equal((await talk.say(turn("We ship on Friday."))).case, "turn");
    const owner = { actor: "key:another", workspaceId: service.workspaceId };
    const heavy = await requestLoadOf(service.deps).enterHeavy(owner, new AbortController().signal);
    assert.equal(errorCode(await talk.say(collapse)), "rate_limited", "another's heavy request is under way");
    heavy[Symbol.dispose]();
    assert.equal((await talk.say(collapse)).case, "collapsed");
    assert.equal(errorCode(await talk.say(collapse)), "rate_limited", "its rate is used up");
    assert.ok(await talk.end());
    using _again = await requestLoadOf(service.deps).enterHeavy(owner, new AbortController().signal);
  },
});
