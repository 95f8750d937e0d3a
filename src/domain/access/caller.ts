/**
 * Determines the caller's address and certificate, and when to trust what a proxy says about them. docs/reference/guarantees.md T19,
 * T20.
 */
import { certificatePin } from "../../crypto/certificate_pin.ts";
import { canonicalAddress } from "../../schema/cidr.ts";

/** The header in which the proxy passes on the client certificate that it verified. */
export const CERTIFICATE_HEADER = "x-svc-client-cert";

export interface Caller {
  /** The caller's address in canonical form; undefined if it is unknown. */
  readonly address: string | undefined;
  /** The pin of the caller's verified client certificate, `sha256/<base64>`. */
  readonly certificatePin: string | undefined;
  /** Why the service ignores a certificate that came with the request. */
  readonly certificateIgnored?: "untrusted_source" | "unreadable";
}

/**
 * Reads what is known about the caller. It reads `X-Forwarded-For`, which anybody may send and make long, only if the
 * TCP peer is the trusted proxy, and then only its first and last entries.
 *
 * The address is that of the TCP peer or, if the peer is the trusted proxy, the last entry of `X-Forwarded-For`, which
 * that proxy wrote; never an earlier one, which the caller may have written. The certificate is believed if both the
 * TCP peer and the first entry of `X-Forwarded-For` are the trusted proxy, or if no proxy is configured.
 */
export function readCaller(headers: Headers, peer: string | undefined, trustedProxy: string | undefined): Caller {
  const peerAddress = peer === undefined ? undefined : canonicalAddress(peer);
  const isProxy = trustedProxy !== undefined && peerAddress === trustedProxy;
  const forwarded = isProxy ? headers.get("x-forwarded-for") ?? "" : "";
  const isBelieved = trustedProxy === undefined || (isProxy && firstAddress(forwarded) === trustedProxy);
  // A header that was sent twice arrives joined by a comma, which no certificate contains.
  const certificate = headers.get(CERTIFICATE_HEADER);
  const pin = isBelieved && certificate !== null ? certificatePin(certificate) : undefined;
  return {
    address: isProxy ? lastAddress(forwarded) : peerAddress,
    certificatePin: pin,
    ...(certificate !== null && pin === undefined && {
      certificateIgnored: isBelieved ? "unreadable" : "untrusted_source",
    }),
  };
}

/** The longest entry that is read, with the spaces around it; an address has at most 45 characters. */
const ENTRY_CHARS_MAX = 64;

function firstAddress(list: string): string | undefined {
  const comma = list.indexOf(",");
  return readEntry(list, 0, comma === -1 ? list.length : comma);
}

function lastAddress(list: string): string | undefined {
  return readEntry(list, list.lastIndexOf(",") + 1, list.length);
}

function readEntry(list: string, from: number, to: number): string | undefined {
  return to - from > ENTRY_CHARS_MAX ? undefined : canonicalAddress(list.slice(from, to).trim());
}
