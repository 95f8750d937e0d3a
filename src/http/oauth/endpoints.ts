/** The endpoints of the authorization server that clients call: authorization, token, registration (OAuth 2.1, RFC 7591). */
import type { Context, Hono } from "hono";
import type { Deps } from "../../context.ts";
import { ClientMetadata, registerClient } from "../../domain/access/oauth/clients.ts";
import { oauthFault } from "../../domain/access/oauth/faults.ts";
import { askByDevice, refuseDevice } from "../../domain/access/oauth/device.ts";
import { isKnownSecret, redeem } from "../../domain/access/oauth/redeem.ts";
import { revokeToken } from "../../domain/access/oauth/revoke.ts";
import { DEVICE_GRANT, OAUTH_PATHS, requireIssuer } from "../../domain/access/oauth/server.ts";
import { readJsonBody } from "../body.ts";
import type { ObservedEnv } from "../observed.ts";
import { answerClient, readForm, requestOf, requireMember } from "./form.ts";

const REGISTRATION_BYTES_MAX = 16_384;
const QUERY_CHARS_MAX = 8_192;

/** Adds the endpoints to the app. */
export function addOAuth(app: Hono<ObservedEnv>, deps: Deps): void {
  app.get(OAUTH_PATHS.authorize, (c) => authorize(deps, c));
  app.post(OAUTH_PATHS.token, (c) => answerClient(deps, c, OAUTH_PATHS.token, () => giveTokens(deps, c)));
  app.post(OAUTH_PATHS.device, (c) => answerClient(deps, c, OAUTH_PATHS.device, () => beginDevice(deps, c)));
  app.post(OAUTH_PATHS.revoke, (c) => answerClient(deps, c, OAUTH_PATHS.revoke, () => revoke(deps, c)));
  app.post(OAUTH_PATHS.register, (c) => answerClient(deps, c, OAUTH_PATHS.register, () => register(deps, c)));
}

/**
 * Shows a person what a client asks for. The console checks the request, once the person has logged in: until then nothing is
 * fetched, stored or sent anywhere because of it.
 */
function authorize(deps: Deps, c: Context<ObservedEnv>): Promise<Response> {
  return answerClient(deps, c, OAUTH_PATHS.authorize, () => {
    requireIssuer(deps, c.req.raw, c.var.observed.remoteAddress);
    const { search } = new URL(c.req.raw.url);
    if (search.length > QUERY_CHARS_MAX) throw oauthFault("invalid_request", "Cannot read the request: it is too long");
    // Relative, so that a proxy may put the service below a path.
    const headers = { location: `../console/#/authorize${search}`, "cache-control": "no-store" };
    return Promise.resolve(new Response(null, { status: 302, headers }));
  });
}

async function giveTokens(deps: Deps, c: Context<ObservedEnv>): Promise<Response> {
  const issuer = requireIssuer(deps, c.req.raw, c.var.observed.remoteAddress);
  refuseSecret(c.req.raw);
  const form = await readForm(deps, c.req.raw);
  const common = {
    issuer,
    clientId: requireMember(form, "client_id"),
    resource: form.get("resource"),
    scope: form.get("scope"),
  };
  const request = requestOf(deps, c, "issueOAuthToken");
  const type = requireMember(form, "grant_type");
  if (type === "authorization_code") {
    return replyOf(
      await redeem(deps, request, {
        ...common,
        kind: "code",
        secret: requireMember(form, "code"),
        verifier: requireMember(form, "code_verifier"),
        redirectUri: form.get("redirect_uri"),
        scope: undefined,
      }),
    );
  }
  if (type === "refresh_token") {
    return replyOf(
      await redeem(deps, request, { ...common, kind: "refresh", secret: requireMember(form, "refresh_token") }),
    );
  }
  if (type === DEVICE_GRANT) {
    const secret = requireMember(form, "device_code");
    if (!await isKnownSecret(deps, secret, "device")) await refuseDevice(deps, secret, common.clientId);
    return replyOf(await redeem(deps, request, { ...common, kind: "device", secret }));
  }
  throw oauthFault("unsupported_grant_type", "Cannot give a token: the grant_type is not supported");
}

/** Clients have no secret: what they prove is that they made the request (PKCE), or have the last refresh token. */
function refuseSecret({ headers }: Request): void {
  if (!headers.has("authorization")) return;
  throw oauthFault(
    "invalid_client",
    "Cannot identify the client: clients here have no secret; send client_id in the form",
  );
}

function replyOf(body: object, status = 200): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

/** Begins a request of a program without a browser. RFC 8628. */
async function beginDevice(deps: Deps, c: Context<ObservedEnv>): Promise<Response> {
  const issuer = requireIssuer(deps, c.req.raw, c.var.observed.remoteAddress);
  refuseSecret(c.req.raw);
  const form = await readForm(deps, c.req.raw);
  const codes = await askByDevice(deps, form, { issuer, request: requestOf(deps, c, "beginDevice") });
  const page = `${issuer}/console/#/device`;
  return replyOf({
    ...codes,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${codes.user_code}`,
  });
}

/** Ends a grant at the wish of its client. RFC 7009. */
async function revoke(deps: Deps, c: Context<ObservedEnv>): Promise<Response> {
  requireIssuer(deps, c.req.raw, c.var.observed.remoteAddress);
  refuseSecret(c.req.raw);
  const form = await readForm(deps, c.req.raw);
  const presented = { token: requireMember(form, "token"), clientId: requireMember(form, "client_id") };
  await revokeToken(deps, requestOf(deps, c, "revokeOAuthToken"), presented);
  return replyOf({});
}

async function register(deps: Deps, c: Context<ObservedEnv>): Promise<Response> {
  requireIssuer(deps, c.req.raw, c.var.observed.remoteAddress);
  const limits = { bytesMax: REGISTRATION_BYTES_MAX, deadlineMs: deps.config.bodyDeadlineMs };
  const { data } = ClientMetadata.safeParse(await readJsonBody(c.req.raw, limits));
  if (data === undefined) {
    throw oauthFault(
      "invalid_client_metadata",
      "Cannot register the client: it needs redirect_uris, and client_name is a text",
    );
  }
  const { id, name, redirectUris } = registerClient(deps, data);
  return replyOf({
    client_id: id,
    client_id_issued_at: Math.floor(deps.clock().getTime() / 1_000),
    ...(name !== "" && { client_name: name }),
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  }, 201);
}
