/** What requests of the console's page have in common: who may send them, and as whom they enter. */
import type { Context } from "hono";
import type { z } from "@hono/zod-openapi";
import type { Deps, OperationContext } from "../context.ts";
import { isAdminSession } from "../domain/access/admin/console_sessions.ts";
import type { SessionCredentials } from "../domain/access/console_sessions.ts";
import { admit } from "../edge/admit.ts";
import { ServiceError } from "../errors.ts";
import { ONE } from "../operations/cost.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import { readJsonBody } from "./body.ts";
import type { ObservedEnv } from "./observed.ts";

/** Below it, and nowhere else, the cookie counts. */
export const API = "/console/api";
const COOKIE = "__Host-svc_console";
/**
 * The proof of the session, or anything before there is one. A page of another origin, and a form, cannot send it without
 * asking the service first, which never allows it.
 */
const HEADER = "x-svc-console";
const BODY_BYTES_MAX = 4_096;
/** Of requests that hold the query of a client. */
export const LONG_BODY_BYTES_MAX = 20_480;

/** What the page sends in the place of a key. */
export function readCredentials(request: Request): SessionCredentials {
  return { token: readCookie(request, COOKIE), proof: request.headers.get(HEADER) ?? "" };
}

/** The value of a cookie; empty without one. More than one of the name count as none. */
export function readCookie({ headers }: Request, wanted: string): string {
  const values = (headers.get("cookie") ?? "").split(";").flatMap((one) => {
    const [name, value] = one.trim().split("=");
    return name === wanted && value !== undefined ? [value] : [];
  });
  return values.length === 1 ? values[0]! : "";
}

/** @throws ServiceError `origin_not_allowed` unless the console's own page sends the request */
export function refuseOtherPages({ headers }: Request): void {
  if (headers.get("sec-fetch-site") === "same-origin" && headers.has(HEADER)) return;
  throw new ServiceError("origin_not_allowed", "Cannot serve this: only the console's own page calls here");
}

/** @throws ServiceError `invalid_request` for a session with a key beside it */
export function refuseKey({ headers }: Request): void {
  if (!headers.has("authorization")) return;
  throw new ServiceError("invalid_request", "Cannot identify the caller: the console's session takes no key beside it");
}

/** Begins a request of the page that calls no operation. @returns the request */
export function begin(c: Context<ObservedEnv>, route: string): Request {
  c.var.observed.route = route;
  refuseOtherPages(c.req.raw);
  return c.req.raw;
}

/** Enters by the session, of either kind. `changes`: it changes more than the session, which its user must have allowed. */
export function enterBySession(
  deps: Deps,
  c: Context<ObservedEnv>,
  id: string,
  { changes = false, bodyBytesMax = BODY_BYTES_MAX } = {},
): Promise<OperationContext> {
  refuseKey(c.req.raw);
  const session = readCredentials(c.req.raw);
  return enter(deps, c, id, { session, changes, bodyBytesMax, bearer: isAdminSession(session) ? "admin" : "key" });
}

/** Enters by the key of a workspace that the request presents. */
export function enterByKey(deps: Deps, c: Context<ObservedEnv>, id: string): Promise<OperationContext> {
  return enter(deps, c, id, { bearer: "key" });
}

interface Entry {
  readonly bodyBytesMax?: number;
  readonly session?: SessionCredentials;
  readonly bearer: "key" | "admin";
  readonly changes?: boolean;
}

function enter(
  deps: Deps,
  c: Context<ObservedEnv>,
  id: string,
  { session, bearer, changes = false, bodyBytesMax = BODY_BYTES_MAX }: Entry,
): Promise<OperationContext> {
  const { headers, signal, url } = c.req.raw;
  const operation = { id, scope: "any", bearer, admits: [], cost: ONE, bodyBytesMax } as const;
  const idempotency = changes ? "kept" : "none";
  return admit(deps, { ...operation, idempotency }, c.var.observed, { headers, signal, url, session, via: "console" });
}

/** Reads a small body in JSON. @throws ServiceError `validation_failed` */
export async function readBody<T>(
  deps: Deps,
  request: Request,
  schema: z.ZodType<T>,
  bytesMax: number = BODY_BYTES_MAX,
): Promise<T> {
  const limits = { bytesMax, deadlineMs: deps.config.bodyDeadlineMs };
  return readInput(schema, await readJsonBody(request, limits));
}

/** @throws ServiceError `validation_failed` */
export function readInput<T>(schema: z.ZodType<T>, given: unknown): T {
  const { data, faults } = checkInput(schema, given);
  if (faults !== undefined) throw invalidInput(faults);
  return data as T;
}

/** The header that sets a cookie, by default that of the session, for some seconds; 0 takes it away. */
export function cookieOf(value: string, seconds: number, name = COOKIE): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

export function reply(body: object, status: number, ...cookies: readonly string[]): Response {
  const headers = new Headers({ "content-type": "application/json", "cache-control": "no-store" });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(JSON.stringify(body), { status, headers });
}
