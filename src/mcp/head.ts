/** Refusals by a request's head, before its body is read. */
import { ServiceError } from "../errors.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export const refuseHead = {
  /**
   * A page may call from the service's own host and from the caller's own machine, but from nowhere else.
   * @throws ServiceError `origin_not_allowed`
   */
  origin({ headers, url }: Request): void {
    const origin = headers.get("origin");
    if (origin === null) return;
    const from = URL.parse(origin);
    const isKnown = from !== null && /^https?:$/.test(from.protocol) &&
      (from.host === new URL(url).host || LOOPBACK.has(from.hostname));
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
