/** The way of a client through the authorization server, step by step, and the person who agrees. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { Scope } from "../../src/schema/scopes.ts";
import { type Opened } from "../http/_console.ts";
import { readReply, type Reply, type TestService } from "../_service.ts";

/** The name under which tests call the service, for `SVC_HOSTS`. */
export const HOST = "svc.test";
export const ISSUER = `http://${HOST}`;
export const OAUTH_ENV = { SVC_HOSTS: HOST };
export const REDIRECT = "https://agent.test/callback";

/** The proof of a code (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Sends a form, as clients do. @param hostname the address from which it comes */
export async function sendForm(
  service: TestService,
  path: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
  hostname?: string,
): Promise<Reply> {
  const body = new URLSearchParams(form).toString();
  const request = new Request(ISSUER + path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
  if (hostname === undefined) return await readReply(await service.service.fetch(request));
  const remoteAddr = { transport: "tcp", hostname, port: 1 } as const;
  return await readReply(await service.service.fetch(request, { remoteAddr, completed: Promise.resolve() }));
}

export async function register(service: TestService, metadata: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await service.post("/oauth/register", {
    client_name: "Agent",
    redirect_uris: [REDIRECT],
    ...metadata,
  }, { key: null });
  assert.equal(status, 201, JSON.stringify(body));
  return body.client_id;
}

export interface Asked {
  readonly clientId: string;
  readonly query: string;
  readonly verifier: string;
}

/** An authorization request of a client. A member that is undefined is left out. */
export function ask(clientId: string, more: Readonly<Record<string, string | undefined>> = {}): Asked {
  const { verifier, challenge } = pkce();
  const members = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: "the state",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: `${ISSUER}/mcp`,
    ...more,
  };
  const given = Object.entries(members).filter((one): one is [string, string] => one[1] !== undefined);
  return { clientId, verifier, query: new URLSearchParams(given).toString() };
}

export interface Choice {
  readonly scopes?: readonly Scope[];
  readonly maxSensitivity?: string;
}

/** What the page of the console sends when the person agrees. */
export function agree(person: Opened, { query }: Pick<Asked, "query">, choice: Choice = {}): Promise<Reply> {
  const { scopes = ["memory:read", "memory:write"], maxSensitivity = "confidential" } = choice;
  return person.send("POST", "/console/api/oauth/request/allow", { query, scopes, maxSensitivity });
}

/** The code that the client gets once the person has agreed. */
export async function codeOf(person: Opened, asked: Asked, choice: Choice = {}): Promise<string> {
  const { status, body } = await agree(person, asked, choice);
  assert.equal(status, 200, JSON.stringify(body));
  return new URL(body.redirect).searchParams.get("code")!;
}

/** Changes a code for tokens. */
export function exchange(
  service: TestService,
  { clientId, verifier }: Asked,
  code: string,
  more: Record<string, string> = {},
): Promise<Reply> {
  return sendForm(service, "/oauth/token", {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    ...more,
  });
}

export function refresh(
  service: TestService,
  clientId: string,
  refreshToken: string,
  more: Record<string, string> = {},
): Promise<Reply> {
  const form = { grant_type: "refresh_token", client_id: clientId, refresh_token: refreshToken, ...more };
  return sendForm(service, "/oauth/token", form);
}

/** The tokens of a client to which a person has given a grant. */
export async function tokensOf(
  service: TestService,
  person: Opened,
  choice: Choice = {},
  more: Record<string, string> = {},
): Promise<{ readonly clientId: string; readonly access: string; readonly refresh: string }> {
  const asked = ask(await register(service), more);
  const { status, body } = await exchange(service, asked, await codeOf(person, asked, choice));
  assert.equal(status, 200, JSON.stringify(body));
  return { clientId: asked.clientId, access: body.access_token, refresh: body.refresh_token };
}
