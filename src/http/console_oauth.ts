/** Where a person decides what a client gets: the requests of clients, and the grants that were given. */
import type { Context, Hono } from "hono";
import { z } from "@hono/zod-openapi";
import type { Deps, OperationContext } from "../context.ts";
import { useConsoleSession } from "../domain/access/console_sessions.ts";
import { allowDevice, denyDevice, findDeviceRequest } from "../domain/access/oauth/device.ts";
import { giveGrant, listGrants, revokeGrant } from "../domain/access/oauth/grants.ts";
import { hostOf } from "../domain/access/oauth/redirects.ts";
import { type AuthorizationRequest, readAuthorizationRequest } from "../domain/access/oauth/requests.ts";
import { requireIssuer } from "../domain/access/oauth/server.ts";
import { ServiceError } from "../errors.ts";
import { audited } from "../operations/answer.ts";
import { Sensitivity } from "../schema/common.ts";
import { ScopeList } from "../schema/admin_key.ts";
import {
  API,
  begin,
  enterBySession,
  LONG_BODY_BYTES_MAX,
  readBody,
  readCredentials,
  reply,
} from "./console_request.ts";
import type { ObservedEnv } from "./observed.ts";

const REQUEST = `${API}/oauth/request`;
const DEVICE = `${API}/oauth/device`;
const GRANTS = `${API}/oauth/grants`;
const QUERY_CHARS_MAX = 8_192;

/** The query of the authorization request, as the client sent it. */
const Query = z.string().min(1).max(QUERY_CHARS_MAX);
const ReadBody = z.strictObject({ query: Query });
const GiveBody = z.strictObject({ query: Query, scopes: ScopeList, maxSensitivity: Sensitivity });
/** The code that a person typed. */
const DeviceBody = z.strictObject({ code: z.string().min(1).max(40) });
const GiveDeviceBody = DeviceBody.extend({ scopes: ScopeList, maxSensitivity: Sensitivity });
const DenyBody = z.strictObject({ query: Query });

interface Person {
  readonly ctx: OperationContext;
  readonly request: Request;
  readonly issuer: string;
  readonly managesKeys: boolean;
}

/** Adds the routes to the app. */
export function addConsoleOAuth(app: Hono<ObservedEnv>, deps: Deps): void {
  const run = async <T extends object>(
    c: Context<ObservedEnv>,
    { route, id, changes = false }: { readonly route: string; readonly id: string; readonly changes?: boolean },
    work: (person: Person) => Promise<T>,
  ) => {
    const request = begin(c, route);
    const ctx = await enterBySession(deps, c, id, { changes, bodyBytesMax: LONG_BODY_BYTES_MAX });
    return await audited(ctx, async () => {
      const issuer = requireIssuer(deps, request, c.var.observed.remoteAddress);
      if (!ctx.actor.startsWith("key:")) {
        throw new ServiceError("insufficient_scope", "Cannot give a grant: log in with the key of a workspace");
      }
      const { managesKeys } = (await useConsoleSession(deps, readCredentials(request))).session;
      return reply(await work({ ctx, request, issuer, managesKeys }), 200);
    });
  };
  app.post(REQUEST, (c) => run(c, { route: REQUEST, id: "readGrantRequest" }, (person) => describe(deps, person)));
  // The button is the person's word: the switch that allows changes is not asked for, too.
  app.post(
    `${REQUEST}/allow`,
    (c) => run(c, { route: `${REQUEST}/allow`, id: "giveGrant" }, (person) => allow(deps, person)),
  );
  app.post(
    `${REQUEST}/deny`,
    (c) => run(c, { route: `${REQUEST}/deny`, id: "denyGrant" }, (person) => deny(deps, person)),
  );
  app.post(DEVICE, (c) => run(c, { route: DEVICE, id: "readDeviceRequest" }, (person) => describeDevice(deps, person)));
  app.post(`${DEVICE}/allow`, (c) => {
    const give = { route: `${DEVICE}/allow`, id: "giveDeviceGrant" };
    return run(c, give, async ({ ctx, request, managesKeys }) => {
      const { code, ...allowed } = await readBody(deps, request, GiveDeviceBody);
      await allowDevice(ctx, code, allowed, { managesKeys });
      return {};
    });
  });
  app.post(`${DEVICE}/deny`, (c) => {
    const deny = { route: `${DEVICE}/deny`, id: "denyDeviceGrant" };
    return run(c, deny, async ({ ctx, request }) => {
      await denyDevice(ctx, (await readBody(deps, request, DeviceBody)).code);
      return {};
    });
  });
  app.get(
    GRANTS,
    (c) =>
      run(c, { route: GRANTS, id: "listConsoleGrants" }, ({ ctx, managesKeys }) => listGrants(ctx, { managesKeys })),
  );
  app.post(`${GRANTS}/:id/revoke`, (c) => {
    const revoke = { route: `${GRANTS}/{id}/revoke`, id: "revokeConsoleGrant", changes: true };
    return run(c, revoke, ({ ctx, managesKeys }) => revokeGrant(ctx, c.req.param("id"), { managesKeys }));
  });
}

async function describe(deps: Deps, { ctx, request, issuer }: Person) {
  const { query } = await readBody(deps, request, ReadBody, LONG_BODY_BYTES_MAX);
  const asked = await readAuthorizationRequest(deps, query, issuer);
  return {
    client: asked.client.name,
    publisher: asked.client.publisher,
    redirectHost: hostOf(asked.redirectUri),
    resource: asked.resource,
    scopes: asked.scopes.filter((scope) => ctx.scopes.has(scope)),
    maxSensitivity: ctx.maxSensitivity,
  };
}

async function describeDevice(deps: Deps, { ctx, request }: Person) {
  const asked = await findDeviceRequest(ctx, (await readBody(deps, request, DeviceBody)).code);
  return {
    client: asked.client.name,
    publisher: asked.client.publisher,
    redirectHost: null,
    resource: asked.resource,
    scopes: asked.scopes.filter((scope) => ctx.scopes.has(scope)),
    maxSensitivity: ctx.maxSensitivity,
  };
}

async function allow(deps: Deps, { ctx, request, issuer, managesKeys }: Person) {
  const { query, ...allowed } = await readBody(deps, request, GiveBody, LONG_BODY_BYTES_MAX);
  const asked = await readAuthorizationRequest(deps, query, issuer);
  const { redirectUri, challenge } = asked;
  const delivery = { kind: "code", redirectUri, redirectHost: hostOf(redirectUri), challenge } as const;
  const code = await giveGrant(ctx, asked, allowed, delivery, { managesKeys });
  return { redirect: answerTo(asked, issuer, { code }) };
}

async function deny(deps: Deps, { request, issuer }: Person) {
  const { query } = await readBody(deps, request, DenyBody, LONG_BODY_BYTES_MAX);
  const asked = await readAuthorizationRequest(deps, query, issuer);
  return { redirect: answerTo(asked, issuer, { error: "access_denied" }) };
}

/** Where the browser goes with the answer: it says which service answers, too (RFC 9207). */
function answerTo(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state !== undefined && { state }), iss: issuer })) {
    url.searchParams.set(name, value);
  }
  return url.href;
}
