/** Refusals by a request's head, before its body is read. */
import type { Config } from "../config.ts";
import { isKnownHost, isProxied, LOOPBACK } from "../domain/access/public_address.ts";
import { ServiceError } from "../errors.ts";

/** What the configuration says of who may call. */
type Rules = Pick<Config, "hosts" | "corsOrigins" | "trustedProxyIp">;

export const refuseHead = {
  /**
   * A page may call from the service's own host, from the caller's own machine and from listed origins. The service has
   * to be called by an address or by a name that it knows: a page whose name was made to lead here (DNS rebinding) calls
   * its own host. Without a page, the trusted proxy vouches for the name, for which it has a certificate.
   * @param remoteAddress of the TCP peer
   * @throws ServiceError `origin_not_allowed`
   */
  origin({ headers, url }: Request, rules: Rules, remoteAddress: string | undefined): void {
    const origin = headers.get("origin");
    // A server always knows the header. Without it and without a page, nobody was led here.
    if (origin === null && headers.get("host") === null) return;
    const { host, hostname } = new URL(url);
    if (!isKnownHost(hostname, rules) && (origin !== null || !isProxied(headers, rules, remoteAddress))) {
      throw new ServiceError(
        "origin_not_allowed",
        "Cannot call MCP by this name: the service does not know it as its own; name it in SVC_HOSTS",
      );
    }
    if (origin === null || rules.corsOrigins.includes(origin)) return;
    const from = URL.parse(origin);
    const isKnown = from !== null && /^https?:$/.test(from.protocol) &&
      (from.host === host || LOOPBACK.has(from.hostname));
    if (!isKnown) throw new ServiceError("origin_not_allowed", "Cannot call from this origin: it is another host's");
  },

  /** @throws ServiceError `invalid_request` */
  query(url: string): void {
    if (new URL(url).search === "") return;
    throw new ServiceError("invalid_request", "Cannot read the address: MCP takes no query");
  },

  /** @throws ServiceError `invalid_request` */
  version(headers: Headers): void {
    const version = headers.get("if-match");
    if (version === null || version === "*") return;
    throw new ServiceError("invalid_request", "Cannot accept If-Match: MCP has no version to compare it with");
  },

  /** @throws ServiceError `unsupported_media_type` */
  mediaType(headers: Headers): void {
    const encoding = headers.get("content-encoding");
    if (encoding !== null && encoding.toLowerCase() !== "identity") {
      throw new ServiceError("unsupported_media_type", "Cannot read the body: Content-Encoding is not supported");
    }
    if (/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers.get("content-type") ?? "")) return;
    throw new ServiceError("unsupported_media_type", "Cannot read the body: Content-Type is not application/json");
  },
};
