/**
 * The console: its page at `/console/`, its sessions, and the operations of `/v1` once more below `/console/api/`, where
 * the cookie of a session takes the place of a key. The cookie counts nowhere else.
 */
import type { Context, Hono } from "hono";
import { getPath, getPathNoStrict } from "hono/utils/url";
import { z } from "@hono/zod-openapi";
import type { Deps, OperationContext } from "../context.ts";
import {
  ADMIN_AGE_SECONDS,
  closeAdminSession,
  isAdminSession,
  openAdminSession,
  setAdminWriting,
  useAdminSession,
} from "../domain/access/admin/console_sessions.ts";
import { readCaller } from "../domain/access/caller.ts";
import {
  AGE_SECONDS,
  closeConsoleSession,
  openConsoleSession,
  setConsoleWriting,
  useConsoleSession,
} from "../domain/access/console_sessions.ts";
import { redeemConsoleTicket } from "../domain/access/console_tickets.ts";
import { addConsoleKeys } from "./console_keys.ts";
import { addConsoleSignIn, openForSignedIn } from "./console_sign_in.ts";
import { addConsoleOAuth } from "./console_oauth.ts";
import {
  API,
  begin,
  cookieOf,
  enterByKey,
  enterBySession,
  readBody,
  readCredentials,
  refuseKey,
  refuseOtherPages,
  reply,
} from "./console_request.ts";
import { consoleFiles, CONTENT_SECURITY_POLICY, versionOf } from "./console_ui.ts";
import type { ObservedEnv } from "./observed.ts";
import type { SharedFile, SharedFiles } from "./shared_file.ts";

const SESSION = `${API}/session`;

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
  addConsoleKeys(app, parts.deps);
  addConsoleSignIn(app, parts.deps);
  addConsoleOAuth(app, parts.deps);
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

const OpenBody = z.strictObject({
  /** The ticket of the link that the start prints. */
  ticket: z.string().max(200).optional(),
  /** The one-time code of an admin, beside the admin's key in `Authorization`. */
  totp: z.string().max(20).optional(),
  /** The query with which an issuer sent the browser back to the page. */
  signedIn: z.string().min(1).max(3_800).optional(),
});

/**
 * Opens a session: by a workspace's key in `Authorization`, an admin's key there and a code, a ticket of the terminal, or what
 * an issuer says of who signed in there.
 */
async function openSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const request = begin(c, SESSION);
  const { ticket, totp, signedIn } = await readBody(deps, request, OpenBody);
  if (signedIn !== undefined) return await openForSignedIn(deps, c, signedIn);
  if (totp !== undefined) return await openForAdmin(deps, c, totp);
  const ctx = ticket === undefined
    ? await enterByKey(deps, c, "openConsoleSession")
    : await enterByTicket(deps, c, ticket);
  const { token, proof, session } = await openConsoleSession(ctx, { managesKeys: ticket !== undefined });
  return reply({ ...session, proof }, 201, cookieOf(token, AGE_SECONDS));
}

async function openForAdmin(deps: Deps, c: Context<ObservedEnv>, totp: string): Promise<Response> {
  const { headers, signal } = c.req.raw;
  const { requestId, remoteAddress } = c.var.observed;
  const { token, proof, session } = await openAdminSession(deps, {
    ...{ headers, signal, requestId, operationId: "openConsoleSession", via: "console" },
    address: readCaller(headers, remoteAddress, deps.config.trustedProxyIp).address,
  }, totp.replaceAll(" ", ""));
  return reply({ ...session, proof }, 201, cookieOf(token, ADMIN_AGE_SECONDS));
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
  const credentials = readCredentials(begin(c, SESSION));
  await enterBySession(deps, c, "getConsoleSession");
  const use = isAdminSession(credentials) ? useAdminSession : useConsoleSession;
  return reply((await use(deps, credentials)).session, 200);
}

const ChangeBody = z.strictObject({ writing: z.boolean() });

/** Lets the session change something for a while, or ends that. */
async function changeSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const request = begin(c, SESSION), credentials = readCredentials(request);
  const ctx = await enterBySession(deps, c, "setConsoleWriting");
  const { writing } = await readBody(deps, request, ChangeBody);
  const set = isAdminSession(credentials) ? setAdminWriting : setConsoleWriting;
  return reply(await set(ctx, credentials, writing), 200);
}

async function endSession({ deps }: Parts, c: Context<ObservedEnv>): Promise<Response> {
  const credentials = readCredentials(begin(c, SESSION));
  const ctx = await enterBySession(deps, c, "closeConsoleSession");
  await (isAdminSession(credentials) ? closeAdminSession : closeConsoleSession)(ctx, credentials);
  return reply({}, 200, cookieOf("", 0));
}
