/** The parts that all RPC declarations share, and the limits of each kind. */
import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
} from "@bufbuild/protobuf";
import type { z } from "zod";
import type { OperationContext } from "../context.ts";
import type { Presented } from "../domain/federation/peers/caller.ts";
import type { OpenStream } from "../domain/feed/open_stream.ts";
import type { Operation } from "../operations/operation.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import type { BoundOperation, CommonRpc, RpcSchemas, UnaryRpc } from "./spec.ts";

/** The longest message, also after it is inflated. */
export const MESSAGE_BYTES_MAX = 1_048_576;
/** The most bytes of all messages of one stream, also after they are inflated. */
const STREAM_BYTES_MAX = 33_554_432;
const STREAM_MESSAGES_MAX = 10_000;

interface StreamSpec<B, R> extends Pick<CommonRpc, "writesAsItReads"> {
  /** One request. */
  readonly body: B;
  /** One reply. */
  readonly reply: R;
}

type Plain = Record<string, unknown>;

/** An open call: its stream, and contexts with the present rights of its key. */
export interface Conversation {
  readonly stream: OpenStream;
  /**
   * Makes a context for the next piece of work: under the call's row in the audit log, or, given an operation's id,
   * under a row of its own.
   * @throws ServiceError when the key has lost its right
   */
  readonly enter: (operationId?: string) => Promise<OperationContext>;
  /**
   * Runs an operation with input that arrived in pieces and is validated already. If the call has an `idempotency-key`, the
   * operation runs once for it. `fingerprint`: the parts of the call that a repetition must have unchanged.
   */
  readonly answer: <I, O>(
    ctx: OperationContext,
    operation: Operation<I, O>,
    input: I,
    fingerprint: readonly unknown[],
  ) => Promise<O>;
  /** The caller's credentials, if another instance opened the stream. */
  readonly presented: Presented | undefined;
}

export interface ServerRpc extends CommonRpc {
  readonly kind: "server_streaming";
  readonly method: DescMethodServerStreaming<DescMessage, DescMessage>;
  readonly schemas: RpcSchemas;
  readonly answer: (conversation: Conversation, input: Plain) => AsyncIterable<object>;
}

export interface ClientRpc extends CommonRpc {
  readonly kind: "client_streaming";
  readonly method: DescMethodClientStreaming<DescMessage, DescMessage>;
  readonly schemas: RpcSchemas;
  readonly answer: (conversation: Conversation, inputs: AsyncIterable<Plain>) => Promise<object>;
}

export interface BidiRpc extends CommonRpc {
  readonly kind: "bidi_streaming";
  readonly method: DescMethodBiDiStreaming<DescMessage, DescMessage>;
  readonly schemas: RpcSchemas;
  readonly answer: (conversation: Conversation, inputs: AsyncIterable<Plain>) => AsyncIterable<object>;
}

export type Rpc = UnaryRpc | ServerRpc | ClientRpc | BidiRpc;

interface RpcLimits {
  readonly messageBytesMax: number;
  readonly bytesMax: number;
  readonly messagesMax: number;
  /** How long the caller may pause; default: the deadline of a body. */
  readonly pauseMs?: number;
}

const SINGLE_LIMITS: RpcLimits = {
  messageBytesMax: MESSAGE_BYTES_MAX,
  // The head of an enveloped message does not count.
  bytesMax: MESSAGE_BYTES_MAX + 5,
  messagesMax: 1,
};

const STREAM_LIMITS: RpcLimits = {
  messageBytesMax: MESSAGE_BYTES_MAX,
  bytesMax: STREAM_BYTES_MAX,
  messagesMax: STREAM_MESSAGES_MAX,
};

const LIMITS: Readonly<Record<Rpc["kind"], RpcLimits>> = {
  unary: SINGLE_LIMITS,
  server_streaming: SINGLE_LIMITS,
  client_streaming: STREAM_LIMITS,
  // People think before they speak.
  bidi_streaming: { ...STREAM_LIMITS, pauseMs: 600_000 },
};

/** The limits on reading a body. */
export function limitsOf({ kind }: Rpc): RpcLimits {
  return LIMITS[kind];
}

/** The longest timeout that a caller may name, in milliseconds. */
export function timeoutMaxOf({ kind }: Rpc): number {
  return kind === "unary" ? 60_000 : 86_400_000;
}

/** Binds an operation with one request that is answered by a stream. */
export function serverStream<B extends z.ZodType, R extends z.ZodType>(
  method: DescMethodServerStreaming<DescMessage, DescMessage>,
  operation: BoundOperation,
  spec: StreamSpec<B, R>,
  run: (conversation: Conversation, body: z.output<B>) => AsyncIterable<z.input<R> & object>,
): ServerRpc {
  const { body, reply, ...common } = spec;
  return {
    ...common,
    kind: "server_streaming",
    method,
    operation,
    schemas: { body, reply },
    answer: (conversation, input) => run(conversation, readPlain(body, input)),
  };
}

/** Binds an operation that takes a stream of messages and sends one reply. */
export function clientStream<B extends z.ZodType, R extends z.ZodType>(
  method: DescMethodClientStreaming<DescMessage, DescMessage>,
  operation: BoundOperation,
  spec: StreamSpec<B, R>,
  run: (conversation: Conversation, inputs: AsyncIterable<Plain>) => Promise<z.input<R> & object>,
): ClientRpc {
  const { body, reply, ...common } = spec;
  return { ...common, kind: "client_streaming", method, operation, schemas: { body, reply }, answer: run };
}

/** Binds an operation that begins a conversation: a stream of requests, answered by a stream. */
export function bidiStream<B extends z.ZodType, R extends z.ZodType>(
  method: DescMethodBiDiStreaming<DescMessage, DescMessage>,
  operation: BoundOperation,
  spec: StreamSpec<B, R>,
  run: (conversation: Conversation, inputs: AsyncIterable<Plain>) => AsyncIterable<z.input<R> & object>,
): BidiRpc {
  const { body, reply, ...common } = spec;
  return { ...common, kind: "bidi_streaming", method, operation, schemas: { body, reply }, answer: run };
}

/** @throws ServiceError `validation_failed` */
export function readPlain<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const { data, faults } = checkInput(schema, input);
  if (faults) throw invalidInput(faults);
  return data;
}
