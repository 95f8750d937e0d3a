/** FederationSync: exchange with another instance over one connection. */
import type { OperationContext } from "../../context.ts";
import { requestLoadOf } from "../../domain/access/request_load.ts";
import { admitMessage, followCaller, proveAnswer } from "../../domain/federation/protocol/stream_messages.ts";
import type { ReplyTo } from "../../domain/federation/peers/token.ts";
import { withCost } from "../../edge/admit.ts";
import { ERROR_CODES, type ErrorCode, ServiceError } from "../../errors.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { audited } from "../../operations/answer.ts";
import { SYNC_FORMS, syncFederation } from "../../operations/federation_stream.ts";
import { type SyncAsked, SyncHead, SyncMessage, SyncMessageId } from "../../schema/federation_stream.ts";
import { invalidInput } from "../../schema/field_errors.ts";
import { toSent } from "../message.ts";
import { bidiStream, type Conversation, readPlain } from "../rpc.ts";

type Plain = Record<string, unknown>;

/** Errors after which the stream ends: the sender, or the signer of the content, is not proven. */
const ENDS_STREAM: ReadonlySet<ErrorCode> = new Set([
  "unauthenticated",
  "federation_token_invalid",
  "replay_detected",
  "federation_verify_failed",
  "federation_decrypt_failed",
]);

/** Answers the messages of a peer, one by one. */
export const federationSync = bidiStream(SvcService.method.federationSync, syncFederation, {
  body: SyncMessage,
  reply: SyncMessage,
  writesAsItReads: true,
}, async function* (conversation, messages) {
  const { stream } = conversation;
  // The stream ends when the entry of the peer changes or is removed, in whichever process.
  using followed = followCaller(stream.subject);
  const end = () => stream.finish("access", followed!.signal.reason);
  followed?.signal.addEventListener("abort", end, { once: true });
  for await (const message of messages) {
    const { answer, refusal } = await respond(conversation, message);
    if (stream.end === "access") stream.signal.throwIfAborted();
    yield answer;
    if (refusal !== undefined && ENDS_STREAM.has(refusal.code)) throw refusal;
  }
});

interface Responded {
  readonly answer: SyncMessage;
  readonly refusal: ServiceError | undefined;
}

/** Answers a message; a refusal is an answer, too. */
async function respond(conversation: Conversation, message: Plain): Promise<Responded> {
  const { stream } = conversation;
  await stream.check();
  const { token = null, ...said } = message;
  let to: ReplyTo | undefined;
  const onProven = (proven: ReplyTo) => void (to = proven);
  let answer: SyncMessage;
  let refusal: ServiceError | undefined;
  try {
    answer = await answerMessage(conversation, said, { token: token as string | null, onProven });
  } catch (error) {
    // The reason for the end of the stream is no answer to a message.
    if (!(error instanceof ServiceError) || error.code === "internal" || error === stream.signal.reason) throw error;
    const { code, message, errors, headers } = refusal = error;
    const retryAfterSeconds = Number(headers["retry-after"] ?? 0);
    answer = {
      error: {
        code,
        message,
        ...(errors && { errors: [...errors] }),
        ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
      },
    };
  }
  const id = SyncMessageId.safeParse(said.id).data;
  const sent = toSent(SvcService.method.federationSync.output, { ...(id !== undefined && { id }), ...answer });
  const status = refusal === undefined ? 200 : ERROR_CODES[refusal.code].status;
  const proof = await proveAnswer(stream, to, status, sent);
  return { answer: { ...sent, ...(proof !== undefined && { token: proof }) }, refusal };
}

/** Checks a message in the order of a request: rate of the key, token, rate of the peer, turn, content. */
async function answerMessage(
  { stream, enter, presented }: Conversation,
  { id, ...said }: Plain,
  proof: { readonly token: string | null; readonly onProven: (to: ReplyTo) => void },
): Promise<SyncMessage> {
  const [kind, value] = Object.entries(said)[0] ?? [];
  const form = SYNC_FORMS[kind as SyncAsked];
  const cost = form?.operation.cost ?? syncFederation.cost;
  // A caller without a key is limited by the rate of its peer alone.
  if (stream.credential !== undefined) await stream.takeMessage(cost.tokens);
  if (form === undefined) throw invalidInput({ path: "", message: "must say what is asked" });
  const { id: operationId, admits } = form.operation;
  const message = { said: { id, ...said }, admits, cost: cost.tokens, ...proof };
  const ctx = await admitMessage(await enter(operationId), presented!, message);
  using turns = new DisposableStack();
  return await audited(ctx, async () => {
    const inTurn = await takeTurn(ctx, turns, cost);
    readPlain(SyncHead, { id });
    return await form.answer(inTurn, value as Plain);
  });
}

/** Takes a turn for a message, as for a request. */
async function takeTurn(
  ctx: OperationContext,
  turns: DisposableStack,
  cost: (typeof syncFederation)["cost"],
): Promise<OperationContext> {
  const load = requestLoadOf(ctx.deps);
  const budget = load.budget();
  turns.use(await load.enter(ctx, ctx.signal, budget));
  return withCost(ctx, cost, async () => void turns.use(await load.enterHeavy(ctx, ctx.signal, budget)));
}
