/**
 * The RPC surface: Connect and gRPC-Web on the port of HTTP. Interface §4.12.
 *
 * Classic gRPC needs trailers, which this server cannot send; it is answered 415.
 */
import { ConnectError, createConnectRouter, createContextKey, createContextValues } from "@connectrpc/connect";
import type { ConnectRouterOptions, HandlerContext } from "@connectrpc/connect";
import { type UniversalHandler, universalServerResponseToFetch } from "@connectrpc/connect/protocol";
import type { Deps, OperationContext } from "../context.ts";
import { admit } from "../edge/admit.ts";
import { readIdempotencyKey } from "../edge/input.ts";
import { observe, type Observed, toRefusal } from "../edge/observe.ts";
import { ServiceError } from "../errors.ts";
import { SvcService } from "../gen/svc/v1/svc_pb.ts";
import { checkedBody, readWireForm } from "./body.ts";
import { toConnectError } from "./errors.ts";
import { GZIP } from "./gzip.ts";
import { BINARY_OPTIONS, JSON_OPTIONS, toMessage, toPlain } from "./message.ts";
import { RPCS } from "./methods/mod.ts";
import type { UnaryRpc } from "./unary.ts";

/** One message, also after it is inflated. */
export const MESSAGE_BYTES_MAX = 1_048_576;
/** The longest `connect-timeout-ms` of a call with one request and one reply. */
const TIMEOUT_MAX_MS = 60_000;

export type FetchHandler = (request: Request, info?: Partial<Deno.ServeHandlerInfo>) => Promise<Response>;

/** One call, from its admission on. */
class Call {
  ctx: OperationContext | undefined;
  readonly #deadline = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  constructor(
    readonly deps: Deps,
    readonly rpc: UnaryRpc,
    readonly request: Request,
    readonly observed: Observed,
  ) {
    this.signal = AbortSignal.any([request.signal, this.#deadline.signal]);
  }

  /** The order of checks up to the body; runs before a byte of the body is read. */
  async admit(context: HandlerContext): Promise<void> {
    const { operation, scope } = this.rpc;
    const admission = { operationId: operation, scope, bodyBytesMax: MESSAGE_BYTES_MAX };
    try {
      this.ctx = await admit(this.deps, admission, this.observed, {
        headers: this.request.headers,
        signal: this.signal,
      });
      readIdempotencyKey(this.request.headers);
    } catch (error) {
      throw this.refuse(error);
    }
    const timeoutMs = context.timeoutMs();
    if (timeoutMs === undefined) return;
    const late = new ServiceError("deadline_exceeded", "Cannot finish the request: its timeout has passed");
    this.#timer = setTimeout(() => this.#deadline.abort(late), timeoutMs);
  }

  /** What the library sends for an error. Its own faults carry its own code. */
  refuse(error: unknown): ConnectError {
    if (error instanceof ConnectError) return error;
    const { deps, observed, signal } = this;
    return toConnectError(toRefusal(deps, observed, error, signal), observed.requestId);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

const CALL = createContextKey<Call | undefined>(undefined);

/** What every path of an RPC begins with. */
export const RPC_PREFIX = `/${SvcService.typeName}/`;

/** The calls by path, such as `/svc.v1.SvcService/Recall`. */
export function createRpcApp(deps: Deps): ReadonlyMap<string, FetchHandler> {
  const options: ConnectRouterOptions = {
    grpc: false,
    acceptCompression: [GZIP],
    readMaxBytes: MESSAGE_BYTES_MAX,
    maxTimeoutMs: TIMEOUT_MAX_MS,
    jsonOptions: JSON_OPTIONS,
    binaryOptions: BINARY_OPTIONS,
    requestGate: (context) => context.values.get(CALL)!.admit(context),
  };
  const router = createConnectRouter(options);
  for (const rpc of RPCS) router.rpc(rpc.method, implement(rpc));
  const paths = new Map<string, FetchHandler>();
  router.handlers.forEach((handler, i) => paths.set(handler.requestPath, serve(deps, RPCS[i]!, handler)));
  return paths;
}

function implement(rpc: UnaryRpc) {
  const { input, output } = rpc.method;
  return async (message: Parameters<typeof toPlain>[1], context: HandlerContext) => {
    const call = context.values.get(CALL)!;
    try {
      const { text, isReplay } = await rpc.answer(call.ctx!, toPlain(input, message), context.requestHeader);
      if (isReplay) context.responseHeader.set("idempotency-replayed", "true");
      return toMessage(output, text);
    } catch (error) {
      throw call.refuse(error);
    }
  };
}

function serve(deps: Deps, rpc: UnaryRpc, handler: UniversalHandler): FetchHandler {
  return (request, info) =>
    observe(deps, request, info, async (observed) => {
      observed.route = handler.requestPath;
      const call = new Call(deps, rpc, request, observed);
      try {
        const { method, url, headers: header, signal } = request;
        const contextValues = createContextValues().set(CALL, call);
        const universal = { httpVersion: "", method, url, header, signal, body: bodyOf(call), contextValues };
        return universalServerResponseToFetch(await handler(universal));
      } finally {
        call.end();
      }
    });
}

/** The checked body. It is read only after the call is admitted. */
async function* bodyOf(call: Call): AsyncGenerator<Uint8Array> {
  const { deps, rpc, request } = call;
  const form = readWireForm(request.headers);
  if (form === undefined) return;
  const limits = {
    bytesMax: MESSAGE_BYTES_MAX,
    messageBytesMax: MESSAGE_BYTES_MAX,
    messagesMax: 1,
    deadlineMs: deps.config.bodyDeadlineMs,
  };
  try {
    yield* checkedBody(request, rpc.method.input, form, limits);
  } catch (error) {
    const refusal = call.refuse(error);
    if (call.ctx !== undefined) {
      deps.audit.noteRequest(call.ctx, error instanceof ServiceError ? error.code : "internal");
    }
    throw refusal;
  }
}
