/** Session: one conversation over one connection. Interface §4.1, §4.12. */
import type { OperationContext } from "../../context.ts";
import { collapseSession } from "../../domain/sessions/collapse.ts";
import { readContext } from "../../domain/sessions/context.ts";
import { readSession, startSession } from "../../domain/sessions/session.ts";
import { addTurns } from "../../domain/sessions/turns.ts";
import { audited } from "../../edge/admit.ts";
import { noteShown } from "../../edge/shown.ts";
import { ServiceError } from "../../errors.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { SessionMessage, SessionResponse } from "../../schema/rpc.ts";
import type { AddedTurn } from "../../schema/session.ts";
import { bidiStream, type Conversation, readPlain } from "../rpc.ts";

/** Carries a session turn by turn. */
export const session = bidiStream({
  method: SvcService.method.session,
  operation: "startSession",
  scope: "session:write",
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

/** A message that is refused is answered so; the conversation goes on, unless the key may no longer. */
async function respond(
  { stream, enter }: Conversation,
  input: Record<string, unknown>,
  sessionId: string | undefined,
): Promise<SessionResponse> {
  await stream.check();
  try {
    await stream.takeMessage();
    const [kind] = Object.keys(input);
    const ctx = await enter(OPERATIONS[kind as keyof SessionMessage] ?? OPERATIONS.start);
    return await audited(ctx, async () => {
      const response = await handle(ctx, readPlain(SessionMessage, input), sessionId);
      noteShown(ctx, response);
      return response;
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === "internal") throw error;
    const { code, message, errors } = error;
    return { error: { code, message, ...(errors && { errors: [...errors] }) } };
  }
}

/** Under whose name the audit log tells of a message. */
const OPERATIONS: Readonly<Record<keyof SessionMessage, string>> = {
  start: "startSession",
  resume: "getSession",
  turn: "addTurns",
  context: "getSessionContext",
  collapse: "collapseSession",
};

async function handle(
  ctx: OperationContext,
  { start, resume, turn, context }: SessionMessage,
  sessionId: string | undefined,
): Promise<SessionResponse> {
  if (start || resume) {
    if (sessionId !== undefined) {
      throw new ServiceError("invalid_request", "Cannot start a session: the stream has one already");
    }
    if (start) return { session: await startSession(ctx, start) };
    requireScope(ctx);
    return { session: await readSession(ctx, resume!.sessionId) };
  }
  if (sessionId === undefined) {
    throw new ServiceError("invalid_request", "Cannot go on: the stream has no session; start or resume one first");
  }
  if (turn) return { turn: (await addTurns(ctx, sessionId, turn)).reply as AddedTurn };
  if (context) {
    requireScope(ctx);
    return { context: await readContext(ctx, sessionId, context) };
  }
  return { collapsed: await collapseSession(ctx, sessionId) };
}

/** What is read needs `memory:read`, as on HTTP. */
function requireScope(ctx: OperationContext): void {
  if (ctx.scopes.has("memory:read")) return;
  throw new ServiceError("insufficient_scope", "Cannot read the session: the key lacks the scope memory:read");
}
