/** The metadata of an issuer: RFC 8414, and OpenID Connect Discovery, which is older and more common. */
import type { Deps } from "../../../context.ts";
import type { TokenIssuerEntry } from "../../../schema/token_issuer.ts";
import { perService } from "../../common/per_service.ts";
import { isIssuersFault, IssuerError, readFromIssuer } from "./ask.ts";

export type IssuerMetadata = Readonly<Record<string, unknown>>;

/** Metadata is fetched again after this time; what failed is not tried again for the other. */
const KEPT_MS = 600_000;
const FAULT_KEPT_MS = 5_000;

interface KeptMetadata {
  readonly metadata: Promise<IssuerMetadata>;
  untilMs: number;
}

const keptOf = perService(() => new Map<string, KeptMetadata>());

/**
 * The metadata of an issuer, at most ten minutes old; all who ask at the same time share one question.
 * @throws OutboundError, IssuerError
 */
export function readMetadata(deps: Deps, entry: TokenIssuerEntry): Promise<IssuerMetadata> {
  const nowMs = deps.clock().getTime();
  const known = keptOf(deps).get(entry.issuer);
  if (known !== undefined && known.untilMs > nowMs) return known.metadata;
  const asked: KeptMetadata = { metadata: fetchMetadata(deps, entry), untilMs: nowMs + KEPT_MS };
  keptOf(deps).set(entry.issuer, asked);
  asked.metadata.catch(() => void (asked.untilMs = nowMs + FAULT_KEPT_MS));
  return asked.metadata;
}

/**
 * Where the metadata of an issuer may be, in the order in which the places are tried. OpenID Connect appends its name to
 * the issuer, RFC 8414 puts it before the path.
 */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/**
 * Fetches the metadata of an issuer. What names another issuer is not believed (RFC 8414).
 * @throws OutboundError, IssuerError of the last place
 */
export async function fetchMetadata(
  deps: Pick<Deps, "outbound" | "stopping">,
  entry: Pick<TokenIssuerEntry, "name" | "issuer">,
): Promise<IssuerMetadata> {
  let fault: unknown;
  for (const url of metadataUrls(entry.issuer)) {
    try {
      const metadata = await readFromIssuer(deps, entry, url);
      if (metadata["issuer"] === entry.issuer) return metadata;
      fault = new IssuerError(`${new URL(url).pathname} is the metadata of another issuer`);
    } catch (error) {
      if (!isIssuersFault(error)) throw error;
      fault = error;
    }
  }
  throw fault;
}
