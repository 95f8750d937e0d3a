/**
 * People sign in to the console by an issuer: the authorization code flow of OpenID Connect with PKCE, state and nonce. The
 * protocol is that of `oauth4webapi`; the calls go by the outbound client, and the ID token is held against the issuer's keys
 * as access tokens are.
 */
import { compactVerify } from "jose";
import type * as Library from "oauth4webapi";
import type { Deps } from "../../../context.ts";
import { sha256 } from "../../../crypto/hash.ts";
import { claimJti } from "../../../db/queries/federation_replay.ts";
import { ServiceError } from "../../../errors.ts";
import type { TokenIssuerEntry } from "../../../schema/token_issuer.ts";
import { signInFailed } from "../../../telemetry/events.ts";
import { openSecret, sealSecret } from "../../common/stored_secrets.ts";
import { refusedCredentials } from "../credentials.ts";
import { askIssuer, IssuerError } from "./ask.ts";
import type { Claims } from "./claims.ts";
import { keysOf } from "./keys.ts";
import { readMetadata } from "./metadata.ts";

/** A person has so long to sign in at the issuer. */
export const SIGN_IN_SECONDS = 600;
const CONTEXT = "console sign-in";

/** What the browser keeps, sealed, while its user is at the issuer. */
interface Pending {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly until: number;
}

type SignInEntry = TokenIssuerEntry & { readonly signIn: NonNullable<TokenIssuerEntry["signIn"]> };

/** The issuers by which people sign in, as the login page names them. */
export function listSignIns(deps: Deps): { readonly name: string; readonly label: string }[] {
  return entriesOf(deps).map(({ name, signIn }) => ({ name, label: signIn.label ?? name }));
}

function entriesOf({ config }: Deps): readonly SignInEntry[] {
  return config.oauth.issuers.filter((entry): entry is SignInEntry => entry.signIn !== undefined);
}

/** Where the issuer sends the browser back to: the console's page. */
function redirectUri({ config }: Deps): string {
  return `${config.publicUrl}/console/`;
}

/**
 * Begins a sign-in.
 * @returns where the page sends its user, and what the browser keeps until then
 * @throws ServiceError `not_found`; `unavailable` when the issuer does not answer, or there is no `SVC_SECRETS_KEY`
 */
export async function beginSignIn(
  deps: Deps,
  name: string,
): Promise<{ readonly location: string; readonly pending: string }> {
  const entry = entriesOf(deps).find((one) => one.name === name);
  if (entry === undefined) throw new ServiceError("not_found", "Cannot sign in: there is no issuer of this name");
  const library = await import("oauth4webapi");
  const { authorization_endpoint: endpoint } = await describe(deps, entry);
  const [state, nonce, verifier] = [
    library.generateRandomState(),
    library.generateRandomNonce(),
    library.generateRandomCodeVerifier(),
  ];
  const location = new URL(endpoint!);
  const query = {
    response_type: "code",
    client_id: entry.signIn.clientId,
    redirect_uri: redirectUri(deps),
    scope: entry.signIn.scopes.join(" "),
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...{ state, nonce },
  };
  for (const [member, value] of Object.entries(query)) location.searchParams.set(member, value);
  const until = Math.floor(deps.clock().getTime() / 1_000) + SIGN_IN_SECONDS;
  const pending: Pending = { issuer: entry.issuer, state, nonce, verifier, until };
  return { location: location.href, pending: sealSecret(deps, JSON.stringify(pending), CONTEXT) };
}

/** Who signed in, by the claims of the ID token. */
export interface SignedIn {
  readonly entry: SignInEntry;
  readonly subject: string;
  readonly claims: Claims;
}

/**
 * Completes a sign-in, once: the code is exchanged for an ID token, whose claims are returned.
 * @param sealed what the browser kept; it alone completes what it began
 * @param query with which the issuer sent it back
 * @param source the address of the caller
 * @throws ServiceError `unauthenticated`, in the same words whatever is wrong; the log has the reason. `rate_limited` after
 *   too many failures of the source; `unavailable` when the issuer does not answer
 */
export async function completeSignIn(
  deps: Deps,
  sealed: string,
  query: string,
  source: string,
): Promise<SignedIn> {
  const pending = open(deps, sealed);
  const entry = pending && entriesOf(deps).find(({ issuer }) => issuer === pending.issuer);
  if (pending === undefined || entry === undefined) throw notCompleted();
  const hash = sha256(`${CONTEXT} ${pending.state}`);
  const attempt = await deps.failedAttempts.begin(source, hash.toHex());
  let claims: Claims;
  try {
    if (!await deps.db.system((sql) => claimJti(sql, hash, SIGN_IN_SECONDS * 2))) {
      throw new IssuerError("the answer was used before");
    }
    claims = await exchange(deps, entry, pending, new URLSearchParams(query));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "unavailable") {
      await attempt.giveBack();
      throw error;
    }
    attempt.fail();
    signInFailed(deps.telemetry.log, { issuer: entry.name, error });
    throw notCompleted();
  }
  await attempt.giveBack();
  const subject = claims["sub"];
  if (typeof subject !== "string" || !/^[ -~]{1,255}$/.test(subject)) throw notCompleted();
  return { entry, subject, claims };
}

function open(deps: Deps, sealed: string): Pending | undefined {
  try {
    const pending: Pending = JSON.parse(openSecret(deps, sealed, CONTEXT));
    return pending.until * 1_000 > deps.clock().getTime() ? pending : undefined;
  } catch {
    return undefined;
  }
}

function notCompleted(): ServiceError {
  return refusedCredentials("the sign-in was not completed; begin it again");
}

/** Exchanges the code of an answer that this browser asked for. */
async function exchange(
  deps: Deps,
  entry: SignInEntry,
  { state, nonce, verifier }: Pending,
  query: URLSearchParams,
): Promise<Claims> {
  const library = await import("oauth4webapi");
  const server = await describe(deps, entry);
  const client: Library.Client = { client_id: entry.signIn.clientId };
  const answer = library.validateAuthResponse(server, client, query, state);
  const response = await library.authorizationCodeGrantRequest(
    server,
    client,
    authenticationOf(library, server, entry),
    answer,
    redirectUri(deps),
    verifier,
    {
      [library.customFetch]: (url, { method, headers, body }) => send(deps, entry, url, { method, headers, body }),
      // Without TLS only if the operator named such an issuer; the outbound client sees to the addresses.
      [library.allowInsecureRequests]: entry.issuer.startsWith("http:"),
    },
  );
  const tokens = await library.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await compactVerify(tokens.id_token!, keysOf(deps, entry).find, { algorithms: [...entry.algorithms] });
  return library.getValidatedIdTokenClaims(tokens)!;
}

function authenticationOf(
  library: typeof Library,
  { token_endpoint_auth_methods_supported: methods }: Library.AuthorizationServer,
  { signIn: { clientSecret } }: SignInEntry,
): Library.ClientAuth {
  if (clientSecret === undefined) return library.None();
  const isPosted = methods !== undefined && !methods.includes("client_secret_basic");
  return isPosted ? library.ClientSecretPost(clientSecret) : library.ClientSecretBasic(clientSecret);
}

async function send(
  deps: Deps,
  entry: SignInEntry,
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
): Promise<Response> {
  const bytes = body === undefined || body === null ? undefined : new TextEncoder().encode(String(body));
  const sent = { method: method === "POST" ? "POST" as const : "GET" as const, headers, body: bytes };
  const reply = await askIssuer(deps, entry, url, sent);
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}

/**
 * The metadata of an issuer, with endpoints that may be called and shown.
 * @throws ServiceError `unavailable`
 */
async function describe(deps: Deps, entry: SignInEntry): Promise<Library.AuthorizationServer> {
  try {
    const metadata = await readMetadata(deps, entry);
    const own = new URL(entry.issuer).protocol;
    for (const name of ["authorization_endpoint", "token_endpoint"]) {
      const protocol = URL.parse(String(metadata[name]))?.protocol;
      if (protocol !== "https:" && protocol !== own) throw new IssuerError(`its metadata names no ${name}`);
    }
    return metadata as unknown as Library.AuthorizationServer;
  } catch (error) {
    signInFailed(deps.telemetry.log, { issuer: entry.name, error });
    throw new ServiceError("unavailable", "Cannot sign in: the issuer does not answer as it should", { cause: error });
  }
}
