/** Questions to an issuer. The operator named it, but what its metadata names is as much a stranger's as a webhook's URL. */
import type { Deps } from "../../../context.ts";
import { OutboundError } from "../../../outbound/failure.ts";
import type { OutboundReply } from "../../../outbound/request.ts";
import { parseJson } from "../../../schema/json_text.ts";
import type { TokenIssuerEntry } from "../../../schema/token_issuer.ts";

/** The keys and the metadata of an issuer have some kilobytes. */
const REPLY_BYTES_MAX = 524_288;
const DEADLINE_MS = 5_000;

/** Why an issuer's answer cannot be used; the message is for the operator. */
export class IssuerError extends Error {
  override name = "IssuerError";
}

interface Question {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/**
 * Asks an issuer. Like all calls to other servers it follows no redirect and is bounded in time and size. It goes to any
 * port of the issuer's own host, and elsewhere to those of `SVC_OUTBOUND_PORTS`; without TLS only if the issuer has none.
 * @throws OutboundError
 */
export function askIssuer(
  { outbound, stopping }: Pick<Deps, "outbound" | "stopping">,
  { name, issuer }: Pick<TokenIssuerEntry, "name" | "issuer">,
  url: string,
  { method = "GET", headers, body }: Question = {},
): Promise<OutboundReply> {
  const own = new URL(issuer);
  return outbound.request({
    use: "issuer",
    method,
    url,
    headers: { accept: "application/json", ...headers },
    body,
    replyBytesMax: REPLY_BYTES_MAX,
    deadlineMs: DEADLINE_MS,
    party: `issuer ${name} ${URL.parse(url)?.origin}`,
    rules: { allowsHttp: own.protocol === "http:", anyPort: URL.parse(url)?.hostname === own.hostname },
    isRepeatable: method === "GET",
    signal: stopping,
  });
}

/** Reads a JSON object of an issuer. @throws OutboundError, IssuerError */
export async function readFromIssuer(
  deps: Pick<Deps, "outbound" | "stopping">,
  entry: Pick<TokenIssuerEntry, "name" | "issuer">,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await askIssuer(deps, entry, url);
  if (status !== 200) throw new IssuerError(`${new URL(url).pathname} answers with ${status}`);
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (cause) {
    throw new IssuerError(`${new URL(url).pathname} holds no JSON`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new IssuerError(`${new URL(url).pathname} holds no object`);
}

/** Whether an error is the issuer's: that it cannot be reached, or answers what cannot be used. */
export function isIssuersFault(error: unknown): boolean {
  return error instanceof OutboundError || error instanceof IssuerError;
}
