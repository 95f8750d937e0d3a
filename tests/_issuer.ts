/** A small issuer of tokens on loopback: real HTTP, real keys. It answers as well or as badly as a test wants. */
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

export const PUBLIC_URL = "http://svc.test";

interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** What it answers in the place of metadata or keys. */
type Answer = (request: Request) => Response | Promise<Response>;

export class TestIssuer implements AsyncDisposable {
  /** Overrides by path. */
  readonly answers = new Map<string, Answer>();
  /** The requests by path. */
  readonly asked = new Map<string, number>();
  /** All that was sent to it: heads and bodies. */
  readonly received: string[] = [];
  keys: SigningKey[] = [];
  /** The codes that nobody has used yet, with what was asked for. */
  readonly codes = new Map<string, URLSearchParams>();
  /** The claims of the person who signs in; and what ID tokens have besides or otherwise. */
  person: Record<string, unknown> = {};
  idClaims: Record<string, unknown> = {};
  /** Makes ID tokens in its place; undefined: there is none. */
  signId: ((claims: Record<string, unknown>) => Promise<string | undefined>) | undefined;
  /** Whether a code counts more than once, as with a careless issuer. */
  takesCodesAgain = false;
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;
  #port = 0;

  constructor(readonly path = "") {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.path}`;
  }

  /** Its path without the slash at the end, which some issuers have. */
  get #base(): string {
    return this.path.replace(/\/$/, "");
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Begins to answer, again on the same port after `stop`. */
  start(): void {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: this.#port, onListen: () => {} },
      (request) => this.#answer(request),
    );
    this.#port = this.#server.addr.port;
  }

  async stop(): Promise<void> {
    await this.#server?.shutdown();
    this.#server = undefined;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.asked.set(pathname, (this.asked.get(pathname) ?? 0) + 1);
    const head = [...request.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    this.received.push(`${request.method} ${request.url}\n${head}\n\n${await request.clone().text()}`);
    const own = this.answers.get(pathname);
    if (own !== undefined) return await own(request);
    if (pathname === `${this.#base}/.well-known/openid-configuration`) return Response.json(this.metadata());
    if (pathname === `${this.#base}/authorize`) return this.#authorize(new URL(request.url).searchParams);
    if (pathname === `${this.#base}/token`) return await this.#issue(request);
    if (pathname === `${this.#base}/keys`) return Response.json({ keys: this.keys.map(({ jwk }) => jwk) });
    return new Response("not here", { status: 404 });
  }

  /** Lets the person agree at once, and sends the browser back with a code. */
  #authorize(query: URLSearchParams): Response {
    const code = crypto.randomUUID();
    this.codes.set(code, query);
    const back = new URL(query.get("redirect_uri")!);
    back.searchParams.set("code", code);
    if (query.has("state")) back.searchParams.set("state", query.get("state")!);
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  /** Takes a code once, from who has its verifier (RFC 7636). */
  async #issue(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const asked = this.codes.get(form.get("code") ?? "");
    if (!this.takesCodesAgain) this.codes.delete(form.get("code") ?? "");
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    if (asked === undefined || asked.get("code_challenge") !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const client = asked.get("client_id")!;
    const access = await this.sign({ ...this.person, aud: asked.get("resource") ?? "account", client_id: client });
    const own = { scope: undefined, client_id: undefined, aud: client, nonce: asked.get("nonce") ?? undefined };
    const claims = { ...this.person, ...own, ...this.idClaims };
    const id = this.signId === undefined
      ? await this.sign(claims, { head: { typ: "JWT" } })
      : await this.signId(claims);
    return Response.json({
      access_token: access,
      token_type: "Bearer",
      expires_in: 600,
      ...(asked.get("scope")?.split(" ").includes("openid") && id !== undefined && { id_token: id }),
    });
  }

  metadata(): Record<string, unknown> {
    return {
      issuer: this.url,
      jwks_uri: `${this.origin}${this.#base}/keys`,
      authorization_endpoint: `${this.origin}${this.#base}/authorize`,
      token_endpoint: `${this.origin}${this.#base}/token`,
      end_session_endpoint: `${this.origin}${this.#base}/logout`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  /** How often it was asked for its keys. */
  get keysAsked(): number {
    return this.asked.get(`${this.#base}/keys`) ?? 0;
  }

  /** Makes a key; it signs from now on. `isKnown`: it is among the keys that the issuer shows. */
  async addKey(alg = "ES256", { isKnown = true } = {}): Promise<SigningKey> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = crypto.randomUUID();
    const key = { alg, kid, privateKey, jwk: { ...await exportJWK(publicKey), kid, alg, use: "sig" } };
    if (isKnown) this.keys.unshift(key);
    return key;
  }

  /** The claims of a good token, for the whole service. */
  claims(more: Record<string, unknown> = {}): Record<string, unknown> {
    const now = Math.floor(Date.now() / 1_000);
    const times = { iat: now, exp: now + 600 };
    return { iss: this.url, aud: PUBLIC_URL, sub: "ada", client_id: "claude", scope: "memory:read", ...times, ...more };
  }

  /** Signs a token. A member that is undefined is left out. */
  sign(
    more: Record<string, unknown> = {},
    { key = this.keys[0]!, head = {} }: { key?: SigningKey; head?: Record<string, unknown> } = {},
  ): Promise<string> {
    const claims = JSON.parse(JSON.stringify(this.claims(more)));
    return new SignJWT(claims).setProtectedHeader({
      ...JSON.parse(JSON.stringify({ typ: "at+jwt", kid: key.kid, ...head })),
      alg: key.alg,
    }).sign(key.privateKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

export async function startIssuer(path?: string): Promise<TestIssuer> {
  const issuer = new TestIssuer(path);
  issuer.start();
  await issuer.addKey();
  return issuer;
}

/** A port of loopback that nobody listens on: for a service whose configuration names its own address. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** The environment of a service that trusts issuers. */
export function trusting(...entries: readonly Record<string, unknown>[]): Record<string, string> {
  return { SVC_PUBLIC_URL: PUBLIC_URL, SVC_OAUTH_ISSUERS: JSON.stringify(entries) };
}

/** The entry of an issuer with one rule, which gives every token the rights of a writer in a workspace. */
export function entryOf(
  { url }: Pick<TestIssuer, "url">,
  workspace: unknown,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  const rule = { workspace, scopes: ["memory:read", "memory:write"], maxSensitivity: "confidential" };
  return { name: "test", issuer: url, rules: [rule], ...more };
}
