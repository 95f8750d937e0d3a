/** Session: one conversation over one connection. */
import type { OperationContext } from "../../context.ts";
import { requestLoadOf } from "../../domain/access/request_load.ts";
import { ServiceError } from "../../errors.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { audited } from "../../operations/answer.ts";
import type { OperationHead } from "../../operations/operation.ts";
import * as sessions from "../../operations/session.ts";
import { SessionMessage, SessionResponse } from "../../schema/rpc.ts";
import type { AddedTurn } from "../../schema/turn.ts";
import { bidiStream, type Conversation, readPlain } from "../rpc.ts";

/** Carries a session turn by turn. */
export const session = bidiStream(SvcService.method.session, sessions.startSession, {
  body: SessionMessage,
  reply: SessionResponse,
  writesAsItReads: true,
}, async function* (conversation, messages) {
  let sessionId: string | undefined;
  for await (const message of messages) {
    const response = await respond(conversation, message, sessionId);
    sessionId = response.session?.id ?? sessionId;
    yield response;
  }
});

/** Answers a message; a refusal is an answer, too, and the conversation goes on unless the key has lost its right. */
async function respond(
  { stream, enter }: Conversation,
  input: Record<string, unknown>,
  sessionId: string | undefined,
): Promise<SessionResponse> {
  await stream.check();
  try {
    const [kind] = Object.keys(input);
    const { id, cost } = OPERATIONS[kind as keyof SessionMessage] ?? OPERATIONS.start;
    // A message costs the same as over HTTP.
    await stream.takeMessage(cost.tokens);
    const ctx = await enter(id);
    using turns = new DisposableStack();
    const begin = async () => void turns.use(await requestLoadOf(ctx.deps).enterHeavy(ctx, ctx.signal));
    const inTurn = cost.isHeavy ? { ...ctx, begin } : ctx;
    return await audited(inTurn, () => run(inTurn, readPlain(SessionMessage, input), sessionId));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === "internal") throw error;
    const { code, message, errors } = error;
    return { error: { code, message, ...(errors && { errors: [...errors] }) } };
  }
}

/** Each message calls an operation, and the audit log records it under the operation's name. */
const OPERATIONS = {
  start: sessions.startSession,
  resume: sessions.getSession,
  turn: sessions.addTurns,
  context: sessions.getSessionContext,
  collapse: sessions.collapseSession,
} satisfies Readonly<Record<keyof SessionMessage, OperationHead>>;

async function run(
  ctx: OperationContext,
  { start, resume, turn, context }: SessionMessage,
  sessionId: string | undefined,
): Promise<SessionResponse> {
  if (start || resume) {
    if (sessionId !== undefined) {
      throw new ServiceError("invalid_request", "Cannot start a session: the stream already has one");
    }
    const { body } = start
      ? await OPERATIONS.start.run(ctx, { body: start })
      : await OPERATIONS.resume.run(ctx, { params: { id: resume!.sessionId } });
    return { session: body };
  }
  if (sessionId === undefined) {
    throw new ServiceError("invalid_request", "Cannot continue: the stream has no session; start or resume one first");
  }
  const params = { id: sessionId };
  if (turn) return { turn: (await OPERATIONS.turn.run(ctx, { params, body: turn })).body as AddedTurn };
  if (context) return { context: (await OPERATIONS.context.run(ctx, { params, query: context })).body };
  return { collapsed: (await OPERATIONS.collapse.run(ctx, { params })).body };
}
