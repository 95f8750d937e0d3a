/** `download()` binds an operation that answers with a file to a method and a path. */
import type { OperationContext } from "../context.ts";
import { requestLoadOf } from "../domain/access/request_load.ts";
import { answerFile } from "../operations/answer.ts";
import type { Chunks, FileOperation } from "../operations/operation.ts";
import { exportBroken } from "../telemetry/events.ts";
import { describeRoute, type RoutePlace } from "./describe_route.ts";
import { readRequest } from "./input.ts";
import type { Endpoint } from "./route.ts";

/** Binds an operation whose reply is a file. */
export function download<I>(
  method: RoutePlace["method"],
  path: RoutePlace["path"],
  operation: FileOperation<I>,
  { deprecated = false }: { readonly deprecated?: boolean } = {},
): Endpoint {
  const { mediaType, description, nameOf } = operation.answers;
  const responses = {
    200: {
      description: "The file, streamed",
      content: { [mediaType]: { schema: { type: "string" as const, description } } },
    },
  };
  return {
    ...operation,
    operation: operation as FileOperation,
    route: describeRoute({ method, path, deprecated }, operation, responses),
    takesTicket: false,
    async answer(ctx, request) {
      const file = await answerFile(ctx, operation, readRequest(method, operation, request));
      return new Response(stream(ctx, file), {
        headers: { "content-type": mediaType, "content-disposition": `attachment; filename="${nameOf(ctx)}"` },
      });
    },
  };
}

/**
 * How long a page waits for its turn before the download fails, in milliseconds: as long as imports of others may take.
 */
const PAGE_WAIT_MS = 600_000;

/**
 * Makes the reply page by page while the client reads it. Each page takes its own turn: the request gives its turns back
 * with the head of the reply, so a client that pauses holds none. If a page fails, the service closes the connection, and
 * the file lacks its last line.
 */
function stream(ctx: OperationContext, file: Chunks): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { stopping, telemetry } = ctx.deps;
  const load = requestLoadOf(ctx.deps);
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, stopping]);
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        using _turn = await load.enterPiece(ctx, signal, { leftMs: PAGE_WAIT_MS });
        const { done, value } = await file.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        await file.return?.();
        if (!gone.signal.aborted) exportBroken(telemetry.log, { requestId: ctx.requestId, error });
        controller.error(error);
      }
    },
    async cancel() {
      gone.abort();
      await file.return?.();
    },
  }, { highWaterMark: 0 });
}
