/** Signing in to the console by an issuer: which there are, the way there, and the session at the way back. */
import type { Context, Hono } from "hono";
import { z } from "@hono/zod-openapi";
import type { Deps } from "../context.ts";
import { ADMIN_AGE_SECONDS } from "../domain/access/admin/console_sessions.ts";
import { readCaller } from "../domain/access/caller.ts";
import { AGE_SECONDS } from "../domain/access/console_sessions.ts";
import { openSignedInSession } from "../domain/access/issuers/console_sign_in.ts";
import { beginSignIn, listSignIns, SIGN_IN_SECONDS } from "../domain/access/issuers/sign_in.ts";
import { ServiceError } from "../errors.ts";
import { API, begin, cookieOf, readBody, readCookie, reply } from "./console_request.ts";
import type { ObservedEnv } from "./observed.ts";

const SIGN_IN = `${API}/sign-in`;
/** Holds, sealed, what the browser needs at the way back. It counts in the browser that began, and nowhere else. */
const COOKIE = "__Host-svc_sign_in";

const BeginBody = z.strictObject({ issuer: z.string().min(1).max(30) });

/** Adds the routes of signing in to the app. */
export function addConsoleSignIn(app: Hono<ObservedEnv>, deps: Deps): void {
  app.get(SIGN_IN, (c) => {
    begin(c, SIGN_IN);
    return reply({ data: listSignIns(deps) }, 200);
  });
  app.post(SIGN_IN, async (c) => {
    const { issuer } = await readBody(deps, begin(c, SIGN_IN), BeginBody);
    const { location, pending } = await beginSignIn(deps, issuer);
    return reply({ location }, 200, cookieOf(pending, SIGN_IN_SECONDS, COOKIE));
  });
}

/** Opens the session of who comes back from an issuer. @param query with which the issuer sent the browser back */
export async function openForSignedIn(deps: Deps, c: Context<ObservedEnv>, query: string): Promise<Response> {
  const { headers, signal } = c.req.raw;
  const { requestId, remoteAddress } = c.var.observed;
  const request = {
    ...{ signal, requestId, operationId: "openConsoleSession", via: "console" as const },
    address: readCaller(headers, remoteAddress, deps.config.trustedProxyIp).address,
  };
  const over = cookieOf("", 0, COOKIE);
  try {
    const opened = await openSignedInSession(deps, { sealed: readCookie(c.req.raw, COOKIE), query }, request);
    const { token, proof, session, isAdmin } = opened;
    const seconds = isAdmin ? ADMIN_AGE_SECONDS : AGE_SECONDS;
    return reply({ ...session, proof }, 201, cookieOf(token, seconds), over);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, cause } = error;
    // What the browser kept counts once, however it ends.
    throw new ServiceError(code, message, { cause, headers: { ...error.headers, "set-cookie": over } });
  }
}
