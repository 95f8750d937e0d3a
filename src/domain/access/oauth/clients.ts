/**
 * The clients of the authorization server. The service stores none of them: a client is a document that its maker publishes
 * (client id metadata documents), or what it said at its registration (RFC 7591), which its id holds under a seal. So a flood
 * of registrations leaves nothing behind, and every process knows every client.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";
import { z } from "zod";
import type { Deps } from "../../../context.ts";
import { OutboundError } from "../../../outbound/failure.ts";
import { parseJson } from "../../../schema/json_text.ts";
import { perService } from "../../common/per_service.ts";
import { oauthFault } from "./faults.ts";
import { isRedirectUri } from "./redirects.ts";

export interface OAuthClient {
  readonly id: string;
  /** What it calls itself. Anybody may call themselves anything. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host that publishes its document, and so vouches for it; null: nobody does. */
  readonly publisher: string | null;
}

const NAME_CHARS_MAX = 100;
const REDIRECTS_MAX = 10;
const PREFIX = "svc_client_";
const INFO = "svc oauth client v1";
const MAC_BYTES = 16;

/** What a client says of itself. It may say more, which the service does not need. */
export const ClientMetadata = z.object({
  client_name: z.string().max(1_000).optional(),
  redirect_uris: z.array(z.string()).min(1).max(REDIRECTS_MAX),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});
export type ClientMetadata = z.infer<typeof ClientMetadata>;

/** The command line of this service, which knows itself. */
export const COMMAND_LINE: OAuthClient = {
  id: "svc",
  name: "svc, the command line",
  redirectUris: [],
  publisher: null,
};

/**
 * Registers a client: its id holds its name and its addresses.
 * @throws ServiceError with `invalid_redirect_uri`
 */
export function registerClient(
  deps: Deps,
  { client_name: name, redirect_uris: redirectUris }: ClientMetadata,
): OAuthClient {
  const shown = plainName(name ?? "");
  requireRedirects(redirectUris, "invalid_redirect_uri");
  const body = Buffer.from(JSON.stringify([shown, ...redirectUris])).toString("base64url");
  const [key] = sealsOf(deps);
  return { id: `${PREFIX}${body}.${macOf(key!, body)}`, name: shown, redirectUris, publisher: null };
}

/**
 * Finds a client by its id. If the id is an address, the service fetches the document there, so only a person who has logged
 * in makes it do so.
 * @throws ServiceError with `invalid_client`
 */
export async function findClient(deps: Deps, id: string): Promise<OAuthClient> {
  if (id === COMMAND_LINE.id) return COMMAND_LINE;
  if (id.startsWith("https://")) return await fetchClient(deps, id);
  const [, body = "", mac = ""] = /^svc_client_([\w-]{1,4000})\.([\w-]{22})$/.exec(id) ?? [];
  const isSealed = sealsOf(deps).some((key) =>
    timingSafeEqual(Buffer.from(macOf(key, body)), Buffer.from(mac.padEnd(22)))
  );
  if (!isSealed) throw oauthFault("invalid_client", "Cannot find the client: it is not registered here");
  const [name, ...redirectUris] = JSON.parse(Buffer.from(body, "base64url").toString()) as [string, ...string[]];
  return { id, name, redirectUris, publisher: null };
}

const sealsOf = perService(({ secretsKeys }: Deps) =>
  secretsKeys.map((secret) => new Uint8Array(hkdfSync("sha256", secret, "", INFO, 32)))
);

function macOf(key: Uint8Array, body: string): string {
  return createHmac("sha256", key).update(body).digest().subarray(0, MAC_BYTES).toString("base64url");
}

function requireRedirects(redirectUris: readonly string[], code: "invalid_redirect_uri" | "invalid_client"): void {
  if (redirectUris.every(isRedirectUri)) return;
  throw oauthFault(
    code,
    "Cannot accept the client: a redirect_uri is not https, http on the person's own machine, or a program's own scheme",
  );
}

/** A name on one line, without what a reader does not see. */
function plainName(name: string): string {
  return name.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim().slice(0, NAME_CHARS_MAX).trim();
}

const DOCUMENT_BYTES_MAX = 10_240;
const FETCH_MS = 5_000;
const KEPT_MS = 300_000;
const FAILURE_KEPT_MS = 15_000;
const DOCUMENTS_MAX = 500;

interface Fetched {
  readonly client: Promise<OAuthClient>;
  untilMs: number;
}

const fetchedOf = perService(() => new Map<string, Fetched>());

/** The client that a document describes, fetched once in five minutes for all who ask: it outlasts the request that began it. */
async function fetchClient(deps: Deps, id: string): Promise<OAuthClient> {
  const fetched = fetchedOf(deps), now = deps.clock().getTime();
  const known = fetched.get(id);
  if (known !== undefined && known.untilMs > now) return await known.client;
  fetched.delete(id);
  for (const [old] of fetched) if (fetched.size >= DOCUMENTS_MAX) fetched.delete(old);
  const entry: Fetched = { client: readDocument(deps, id), untilMs: now + KEPT_MS };
  fetched.set(id, entry);
  entry.client.catch(() => entry.untilMs = now + FAILURE_KEPT_MS);
  return await entry.client;
}

const Document = ClientMetadata.extend({ client_id: z.string() });

async function readDocument(deps: Deps, id: string): Promise<OAuthClient> {
  const refuse = (why: string, cause?: unknown) =>
    oauthFault("invalid_client", `Cannot read the client's document: ${why}`, cause);
  const url = URL.parse(id);
  if (url === null || url.pathname === "/" || /[?#]/.test(id) || url.href !== id) {
    throw refuse("its address has no path, or a query, or is not in its standard form");
  }
  let body: unknown;
  try {
    const reply = await deps.outbound.request({
      use: "oauth",
      method: "GET",
      url: id,
      headers: { accept: "application/json" },
      replyBytesMax: DOCUMENT_BYTES_MAX,
      deadlineMs: FETCH_MS,
      party: `oauth:${url.host}`,
      signal: deps.stopping,
    });
    if (reply.status !== 200) throw refuse(`its server answers with status ${reply.status}`);
    if (!/^application\/([\w.-]+\+)?json\b/i.test(reply.headers.get("content-type") ?? "")) {
      throw refuse("it is not JSON");
    }
    body = parseJson(reply.body);
  } catch (error) {
    if (error instanceof OutboundError) throw refuse("it cannot be fetched", error);
    throw error;
  }
  const { data } = Document.safeParse(body);
  if (data === undefined) throw refuse("it lacks client_id or redirect_uris");
  if (data.client_id !== id) throw refuse("its client_id is not its address");
  requireRedirects(data.redirect_uris, "invalid_client");
  return { id, name: plainName(data.client_name ?? ""), redirectUris: data.redirect_uris, publisher: url.host };
}
