/**
 * The console: its page at `/console/`, its sessions, and the operations of `/v1` once more below `/console/api/`, where
 * the cookie of a session takes the place of a key. The cookie counts nowhere else.
 */
import type { Context, Hono } from "hono";
import { getPath, getPathNoStrict } from "hono/utils/url";
import { z } from "@hono/zod-openapi";
import type { Deps, OperationContext } from "../context.ts";
import { readCaller } from "../domain/access/caller.ts";
import {
  AGE_SECONDS,
  closeConsoleSession,
  openConsoleSession,
  type SessionCredentials,
  setConsoleWriting,
  useConsoleSession,
} from "../domain/access/console_sessions.ts";
import { redeemConsoleTicket } from "../domain/access/console_tickets.ts";
import { admit } from "../edge/admit.ts";
import { ServiceError } from "../errors.ts";
import { ONE } from "../operations/cost.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import { readJsonBody } from "./body.ts";
import { consoleFiles, CONTENT_SECURITY_POLICY, versionOf } from "./console_ui.ts";
import type { ObservedEnv } from "./observed.ts";
import type { SharedFile, SharedFiles } from "./shared_file.ts";

const API = "/console/api";
const SESSION = `${API}/session`;
const COOKIE = "__Host-svc_console";
/**
 * The proof of the session, or anything before there is one. A page of another origin, and a form, cannot send it without
 * asking the service first, which never allows it.
 */
const HEADER = "x-svc-console";
const BODY_BYTES_MAX = 1_024;

interface Parts {
  readonly deps: Deps;
  readonly sharedFiles: SharedFiles;
}

/**
 * The path that the router sees. One with a slash at its end is the same path, because proxies and clients add one; an
 * operation has the same route below `/console/api/` as without it.
 */
export function routedPath(request: Request): string {
  const path = getPathNoStrict(request);
  return path.startsWith(`${API}/v1/`) ? path.slice(API.length) : path;
}

/**
 * Whether a request calls an operation with the session of the console.
 * @throws ServiceError `origin_not_allowed` when it does, and was not sent by the console's own page; `invalid_request`
 * when it has a key as well
 */
export function isConsoleCall(request: Request): boolean {
  if (!getPathNoStrict(request).startsWith(`${API}/v1/`)) return false;
  refuseOtherPages(request);
  refuseKey(request);
  return true;
}

/** What the page sends in the place of a key. More than one cookie counts as none. */
export function readCredentials({ headers }: Request): SessionCredentials {
  const values = (headers.get("cookie") ?? "").split(";").flatMap((one) => {
    const [name, value] = one.trim().split("=");
    return name === COOKIE && value !== undefined ? [value] : [];
  });
  return { token: values.length === 1 ? values[0]! : "", proof: headers.get(HEADER) ?? "" };
}

/** Adds the page and the sessions to the app. */
export function addConsole(app: Hono<ObservedEnv>, parts: Parts): void {
  app.get("/", (c, next) => {
    if (!/\btext\/html\b/.test(c.req.header("accept") ?? "")) return next();
    return new Response(null, { status: 302, headers: { location: "console/", vary: "accept" } });
  });
  app.get("/console", (c) => {
    c.var.observed.route = "/console/";
    // Relative, so that a proxy may put the service below a path.
    if (!getPath(c.req.raw).endsWith("/")) {
      return new Response(null, { status: 308, headers: { location: "console/" } });
    }
    return sendPage(parts, c);
  });
  app.get("/console/app.js", (c) => sendPart(parts, c, consoleFiles().script));
  app.get("/console/app.css", (c) => sendPart(parts, c, consoleFiles().styles));
  app.post(SESSION, (c) => openSession(parts, c));
  app.get(SESSION, (c) => readSession(parts, c));
  app.patch(SESSION, (c) => changeSession(parts, c));
  app.delete(SESSION, (c) => endSession(parts, c));
}

function sendPage({ sharedFiles, deps }: Parts, c: Context<ObservedEnv>): Response {
  const { page } = consoleFiles();
  const headers = {
    "cache-control": "no-cache, no-transform",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  };
  if (c.req.header("if-none-match") === page.etag) {
    return new Response(null, { status: 304, headers: { ...headers, etag: page.etag } });
  }
  return sharedFiles.reply(c.req.raw, page, { source: sourceOf(deps, c), headers });
}

/** A part under the name of another state of it is the same file, but is not kept. */
function sendPart({ sharedFiles, deps }: Parts, c: Context<ObservedEnv>, file: SharedFile): Response {
  c.var.observed.route = c.req.path;
  const isNamed = c.req.query("v") === versionOf(file);
  const cache = isNamed ? "public, max-age=31536000, immutable" : "no-cache";
  return sharedFiles.reply(c.req.raw, file, {
    source: sourceOf(deps, c),
    headers: { "cache-control": `${cache}, no-transform` },
  });
}

function sourceOf({ config }: Deps, c: Context<ObservedEnv>): string | undefined {
  return readCaller(c.req.raw.headers, c.var.observed.remoteAddress, config.trustedProxyIp).address;
}

const OpenBody = z.strictObject({ ticket: z.string().max(200).optional() });

/** Opens a session: by a key in `Authorization`, or by a ticket of the terminal in the body. */
async function openSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const request = begin(c);
  const body = readInput(
    OpenBody,
    await readJsonBody(request, { bytesMax: BODY_BYTES_MAX, deadlineMs: deps.config.bodyDeadlineMs }),
  );
  const ctx = body.ticket === undefined
    ? await enter(deps, c, "openConsoleSession")
    : await enterByTicket(deps, c, body.ticket);
  const { token, proof, session } = await openConsoleSession(ctx);
  return reply({ ...session, proof }, 201, cookieOf(token, AGE_SECONDS));
}

/** A ticket counts only for who is at the machine itself: no proxy stands between. */
async function enterByTicket(deps: Deps, c: Context<ObservedEnv>, ticket: string): Promise<OperationContext> {
  const { headers, signal } = c.req.raw;
  const { requestId, remoteAddress } = c.var.observed;
  const isForwarded = ["forwarded", "x-forwarded-for", "x-real-ip"].some((name) => headers.has(name));
  return await redeemConsoleTicket(deps, ticket, isForwarded ? undefined : remoteAddress, {
    ...{ requestId, signal, operationId: "openConsoleSession", via: "console" },
    address: remoteAddress,
  });
}

async function readSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const request = begin(c);
  await enterBySession(deps, c, "getConsoleSession");
  return reply((await useConsoleSession(deps, readCredentials(request))).session, 200);
}

const ChangeBody = z.strictObject({ writing: z.boolean() });

/** Lets the session change something for a while, or ends that. */
async function changeSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const request = begin(c);
  const ctx = await enterBySession(deps, c, "setConsoleWriting");
  const { writing } = readInput(
    ChangeBody,
    await readJsonBody(request, { bytesMax: BODY_BYTES_MAX, deadlineMs: deps.config.bodyDeadlineMs }),
  );
  return reply(await setConsoleWriting(ctx, readCredentials(request), writing), 200);
}

async function endSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const request = begin(c);
  const ctx = await enterBySession(deps, c, "closeConsoleSession");
  await closeConsoleSession(ctx, readCredentials(request));
  return reply({}, 200, cookieOf("", 0));
}

function begin(c: Context<ObservedEnv>): Request {
  c.var.observed.route = SESSION;
  refuseOtherPages(c.req.raw);
  return c.req.raw;
}

function enterBySession(deps: Deps, c: Context<ObservedEnv>, id: string): Promise<OperationContext> {
  refuseKey(c.req.raw);
  return enter(deps, c, id, readCredentials(c.req.raw));
}

function enter(
  deps: Deps,
  c: Context<ObservedEnv>,
  id: string,
  session?: SessionCredentials,
): Promise<OperationContext> {
  const { headers, signal, url } = c.req.raw;
  const operation = { id, scope: "any", bearer: "key", admits: [], cost: ONE, bodyBytesMax: BODY_BYTES_MAX } as const;
  // What a session may do to itself is no change of the workspace.
  return admit(deps, { ...operation, idempotency: "none" }, c.var.observed, {
    headers,
    signal,
    url,
    session,
    via: "console",
  });
}

/** @throws ServiceError `origin_not_allowed` unless the console's own page sends the request */
function refuseOtherPages({ headers }: Request): void {
  if (headers.get("sec-fetch-site") === "same-origin" && headers.has(HEADER)) return;
  throw new ServiceError("origin_not_allowed", "Cannot serve this: only the console's own page calls here");
}

function refuseKey({ headers }: Request): void {
  if (!headers.has("authorization")) return;
  throw new ServiceError("invalid_request", "Cannot identify the caller: the console's session takes no key beside it");
}

function readInput<T>(schema: z.ZodType<T>, given: unknown): T {
  const { data, faults } = checkInput(schema, given);
  if (faults !== undefined) throw invalidInput(faults);
  return data as T;
}

function cookieOf(value: string, seconds: number): string {
  return `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

function reply(body: object, status: number, cookie?: string): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...(cookie !== undefined && { "set-cookie": cookie }) },
  });
}
