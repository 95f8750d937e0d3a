/**
 * The RPC surface: Connect and gRPC-Web on the port of HTTP.
 *
 * Classic gRPC needs trailers, which this server cannot send; such requests get 415.
 */
import { createConnectRouter, createContextValues } from "@connectrpc/connect";
import { type UniversalHandler, universalServerResponseToFetch } from "@connectrpc/connect/protocol";
import type { Deps } from "../context.ts";
import { observe, toRefusal } from "../edge/observe.ts";
import { refuseWideQuery } from "../edge/query_limits.ts";
import { SvcService } from "../gen/svc/v1/svc_pb.ts";
import { CALL, Call, callOf } from "./call.ts";
import { toConnectError, toErrorResponse } from "./errors.ts";
import { GZIP } from "./gzip.ts";
import { addAcceptEncoding, headersForLibrary, readHead } from "./head.ts";
import { addRpc } from "./implement.ts";
import { BINARY_OPTIONS, JSON_OPTIONS } from "./message.ts";
import { RPCS } from "./methods/mod.ts";
import { MESSAGE_BYTES_MAX, type Rpc } from "./rpc.ts";

export type FetchHandler = (request: Request, info?: Partial<Deno.ServeHandlerInfo>) => Promise<Response>;

/** The beginning of every path of an RPC. */
export const RPC_PREFIX = `/${SvcService.typeName}/`;

/** The calls by path, such as `/svc.v1.SvcService/Recall`. */
export function createRpcApp(deps: Deps): ReadonlyMap<string, FetchHandler> {
  const router = createConnectRouter({
    acceptCompression: [GZIP],
    readMaxBytes: MESSAGE_BYTES_MAX,
    jsonOptions: JSON_OPTIONS,
    binaryOptions: BINARY_OPTIONS,
    requestGate: (context) => callOf(context).admit(),
  });
  for (const rpc of RPCS) addRpc(router, rpc);
  return new Map(router.handlers.map((handler, i) => [handler.requestPath, serve(deps, RPCS[i]!, handler)]));
}

function serve(deps: Deps, rpc: Rpc, handler: UniversalHandler): FetchHandler {
  return (request, info) =>
    observe(deps, request, info, async (observed) => {
      observed.route = handler.requestPath;
      // Checked before anybody parses the query.
      try {
        refuseWideQuery(request.url);
      } catch (error) {
        return toErrorResponse(toConnectError(toRefusal(deps, observed, error, request.signal), observed.requestId));
      }
      const head = readHead(request, rpc);
      if (head instanceof Response) return head;
      const call = new Call(deps, rpc, request, head, observed);
      try {
        const response = universalServerResponseToFetch(
          await handler({
            httpVersion: "",
            // The body holds what a GET has in its address.
            method: "POST",
            url: request.url,
            header: headersForLibrary(request.headers, head),
            signal: request.signal,
            body: call.body(),
            contextValues: createContextValues().set(CALL, call),
          }),
        );
        addAcceptEncoding(response.headers, head);
        if (rpc.kind === "unary" || response.body === null) {
          call.end();
          return response;
        }
        return new Response(breakable(response.body, call), response);
      } catch (error) {
        call.end();
        throw error;
      } finally {
        call.isAnswered = true;
      }
    });
}

/** A body that breaks off when its call is cut, even if nobody reads it. The call learns of its end in any case. */
function breakable(body: ReadableStream<Uint8Array>, call: Call): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const cut = call.cut.signal;
  return new ReadableStream({
    start(controller) {
      cut.addEventListener("abort", () => {
        call.end();
        controller.error(cut.reason);
        reader.cancel(cut.reason).catch(() => {});
      }, { once: true });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (cut.aborted) return;
      if (!done) return controller.enqueue(value);
      call.end();
      controller.close();
    },
    async cancel(reason) {
      call.leave(reason);
      await reader.cancel(reason).finally(() => call.end());
    },
  }, { highWaterMark: 0 });
}
