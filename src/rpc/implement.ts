/** Turns the declaration of an RPC into the function that the library calls. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { ConnectRouter, ConnectRouterOptions, HandlerContext } from "@connectrpc/connect";
import { createContext } from "../context.ts";
import type { Held } from "../domain/feed/open_stream.ts";
import { openStream } from "../domain/feed/watch.ts";
import { answerWithin, audited } from "../operations/answer.ts";
import { type Call, callOf } from "./call.ts";
import { toMessage, toPlain } from "./message.ts";
import type { BidiRpc, ClientRpc, Conversation, Rpc, ServerRpc } from "./rpc.ts";
import type { UnaryRpc } from "./spec.ts";
import { keptOf } from "./unary.ts";

type Message = MessageShape<DescMessage>;

/** Stands for a reply that has no place in a feed. */
const HELD: Held = { headAtGiving: 0, headNow: () => 0 };

export function addRpc(router: ConnectRouter, rpc: Rpc): void {
  // gRPC is on unless it is turned off for each method, whatever is set for all.
  const options: Partial<ConnectRouterOptions> = { grpc: false };
  switch (rpc.kind) {
    case "unary":
      return void router.rpc(rpc.method, implementUnary(rpc), options);
    case "server_streaming":
      return void router.rpc(rpc.method, implementServer(rpc), options);
    case "client_streaming":
      return void router.rpc(rpc.method, implementClient(rpc), options);
    case "bidi_streaming":
      return void router.rpc(rpc.method, implementBidi(rpc), options);
  }
}

function implementUnary(rpc: UnaryRpc) {
  const { input, output } = rpc.method;
  return async (message: Message, context: HandlerContext): Promise<Message> => {
    const call = callOf(context);
    try {
      const { text, isReplay } = await rpc.answer(call.ctx, toPlain(input, message), context.requestHeader);
      if (isReplay) context.responseHeader.set("idempotency-replayed", "true");
      return toMessage(output, text);
    } catch (error) {
      throw call.refuse(error);
    }
  };
}

function implementServer(rpc: ServerRpc) {
  const { input } = rpc.method;
  return (message: Message, context: HandlerContext): AsyncGenerator<Message> =>
    replies(rpc, callOf(context), (conversation) => rpc.answer(conversation, toPlain(input, message)));
}

function implementBidi(rpc: BidiRpc) {
  return (messages: AsyncIterable<Message>, context: HandlerContext): AsyncGenerator<Message> => {
    const call = callOf(context);
    return replies(rpc, call, (conversation) => rpc.answer(conversation, plainly(rpc, call, messages)));
  };
}

function implementClient(rpc: ClientRpc) {
  return async (messages: AsyncIterable<Message>, context: HandlerContext): Promise<Message> => {
    const call = callOf(context);
    try {
      return await audited(call.ctx, async () => {
        using conversation = await converse(rpc, call, context.responseHeader);
        const reply = await rpc.answer(conversation, plainly(rpc, call, messages));
        return toMessage(rpc.method.output, JSON.stringify(reply));
      });
    } catch (error) {
      throw call.refuse(error);
    }
  };
}

async function* replies(
  rpc: ServerRpc | BidiRpc,
  call: Call,
  answer: (conversation: Conversation) => AsyncIterable<object>,
): AsyncGenerator<Message> {
  try {
    using conversation = await open(rpc, call);
    for await (const reply of answer(conversation)) {
      // Held until the next reply is asked for, so that a caller who takes nothing is cut off.
      using _ = conversation.stream.hold(HELD);
      yield toMessage(rpc.method.output, JSON.stringify(reply));
    }
  } catch (error) {
    throw call.refuse(error);
  }
}

/** The audit log records a watch here; it records the messages of a conversation one by one. */
async function open(rpc: ServerRpc | BidiRpc, call: Call): Promise<Conversation & Disposable> {
  if (rpc.kind === "server_streaming") return await audited(call.ctx, () => converse(rpc, call));
  try {
    return await converse(rpc, call);
  } catch (error) {
    call.noteRefused(error);
    throw error;
  }
}

async function converse(rpc: Rpc, call: Call, replyHeaders?: Headers): Promise<Conversation & Disposable> {
  const { ctx } = call;
  const stream = await openStream(ctx, rpc.operation.scope);
  call.follow(stream);
  return {
    stream,
    async enter(operationId) {
      await stream.check();
      // The caller's own signal: work that has begun when the service stops is finished.
      const { requestId, address, certificatePin, federation, signal } = ctx;
      const own = operationId === undefined ? { operationId: ctx.operationId, trail: ctx.trail } : { operationId };
      return createContext(ctx.deps, stream.context(), {
        requestId,
        address,
        certificatePin,
        federation,
        signal,
        ...own,
      });
    },
    async answer(inner, operation, input, parts) {
      const { reply, isReplay } = await answerWithin(inner, operation, input, {
        ...keptOf(rpc.method, call.request.headers),
        fingerprint: () => parts,
        present: ({ body }) => ({ status: 200, headers: {}, body: JSON.stringify(body) }),
      });
      if (isReplay) replyHeaders?.set("idempotency-replayed", "true");
      return JSON.parse(reply.body);
    },
    presented: call.observed.presented,
    [Symbol.dispose]: () => stream[Symbol.dispose](),
  };
}

async function* plainly(rpc: Rpc, call: Call, messages: AsyncIterable<Message>) {
  try {
    for await (const message of messages) yield toPlain(rpc.method.input, message);
  } catch (error) {
    throw call.readFault(error);
  }
}
