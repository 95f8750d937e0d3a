/** `Idempotency-Key` on HTTP: which operations take it, what makes two requests the same, how a reply is kept. */
import type { OperationContext } from "../context.ts";
import { answerAfter, answerOnce, type KeptReply } from "../domain/access/idempotency.ts";
import { readIdempotencyKey } from "../edge/input.ts";
import { readBytes } from "../edge/read_bytes.ts";
import type { Endpoint, OperationRequest } from "./endpoint.ts";

/**
 * Handles a request, once for each `Idempotency-Key` where it has one and the operation changes something.
 * @throws ServiceError `invalid_request` for a key that is empty, too long or not visible ASCII.
 */
export async function handleOnce(
  ctx: OperationContext,
  endpoint: Endpoint,
  request: OperationRequest,
): Promise<Response> {
  const { raw } = request;
  const key = readIdempotencyKey(raw.headers);
  if (key === undefined || endpoint.idempotency === "none") return await endpoint.handle(ctx, request);
  const bytes = await readBytes(raw, request.bodyLimits);
  const { method, url, headers, signal } = raw;
  const body = bytes.byteLength === 0 ? null : bytes as Uint8Array<ArrayBuffer>;
  const again = () => new Request(url, { method, headers, body, signal });
  const { pathname, search } = new URL(url);
  const parts = [pathname, search, headers.get("if-match"), await digestOf(bytes)];
  // Admins share the place where their replies are kept; none is served another's.
  const fingerprint = JSON.stringify(endpoint.bearer === "admin" ? [...parts, ctx.actor] : parts);
  const once = { operationId: endpoint.route.operationId, key, fingerprint, ...sealing(endpoint, headers) };
  const answer = endpoint.idempotency === "kept" ? answerOnce : answerAfter;
  const { reply, isReplay } = await answer(
    ctx,
    once,
    async (held) => await toKept(await endpoint.handle(held, { ...request, raw: again() })),
  );
  return new Response(reply.status === 204 ? null : reply.body, {
    status: reply.status,
    headers: { ...reply.headers, ...(isReplay && { "idempotency-replayed": "true" }) },
  });
}

function sealing(endpoint: Endpoint, headers: Headers): { sealedUnder?: string } {
  return endpoint.repliesSecret ? { sealedUnder: headers.get("authorization") ?? "" } : {};
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toBase64();
}

async function toKept(response: Response): Promise<KeptReply> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
