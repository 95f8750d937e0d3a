/** Forms and replies of the authorization server, which has a language of its own (RFC 6749). */
import type { Context } from "hono";
import type { Deps, OperationRequest } from "../../context.ts";
import { readCaller } from "../../domain/access/caller.ts";
import { oauthFault } from "../../domain/access/oauth/faults.ts";
import { readParameters } from "../../domain/access/oauth/requests.ts";
import { toRefusal } from "../../edge/observe.ts";
import { ServiceError } from "../../errors.ts";
import { readTypedBytes } from "../body.ts";
import type { ObservedEnv } from "../observed.ts";

const BODY_BYTES_MAX = 16_384;

/** Reads a form. @throws ServiceError */
export async function readForm(deps: Deps, request: Request): Promise<ReadonlyMap<string, string>> {
  const limits = { bytesMax: BODY_BYTES_MAX, deadlineMs: deps.config.bodyDeadlineMs };
  const bytes = await readTypedBytes(request, ["application/x-www-form-urlencoded"], limits);
  return readParameters(new TextDecoder().decode(bytes));
}

/** A member of a form that has to be there. @throws ServiceError with `invalid_request` */
export function requireMember(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name);
  if (value !== undefined && value !== "") return value;
  throw oauthFault("invalid_request", `Cannot read the request: it has no ${name}`);
}

/** What the domain has to know of a request that comes with no key. */
export function requestOf(deps: Deps, c: Context<ObservedEnv>, operationId: string): OperationRequest {
  const { headers, signal } = c.req.raw;
  const { requestId, remoteAddress } = c.var.observed;
  const { address } = readCaller(headers, remoteAddress, deps.config.trustedProxyIp);
  return { requestId, operationId, signal, address };
}

/** Answers a request of a client; a refusal becomes `{ error, error_description }`. */
export async function answerClient(
  deps: Deps,
  c: Context<ObservedEnv>,
  route: string,
  work: () => Promise<Response>,
): Promise<Response> {
  c.var.observed.route = route;
  try {
    if (!deps.isPrepared() || deps.stopping.aborted) {
      throw new ServiceError("unavailable", "Cannot serve now: the service is starting or stopping");
    }
    return await work();
  } catch (error) {
    const refusal = toRefusal(deps, c.var.observed, error, c.req.raw.signal);
    const code = refusal.extra["error"] ?? codeOf(refusal);
    return Response.json({ error: code, error_description: refusal.message.replaceAll(/["\\]/g, "'") }, {
      status: refusal.status,
      headers: { ...refusal.headers, "cache-control": "no-store" },
    });
  }
}

function codeOf({ status }: ServiceError): string {
  return status >= 500 ? (status === 503 ? "temporarily_unavailable" : "server_error") : "invalid_request";
}
