/** Decides which URLs and addresses the service may call when a person, a peer or a name server names them. No I/O. */
import { isIPv4, isIPv6 } from "node:net";
import { canonicalAddress, isInCidrs } from "../schema/cidr.ts";
import { OutboundError } from "./failure.ts";

/** Addresses that no host on the internet has: private, loopback, documentation, multicast and reserved ranges. */
const REFUSED = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Teredo (2001::/32), benchmarks and other assignments of protocols.
  "2001::/23",
  "2001:db8::/32",
  "3fff::/20",
];
/** The only IPv6 ranges that hosts on the internet are reached by: global unicast, and NAT64 for hosts with IPv4. */
const IPV6_OF_HOSTS = ["2000::/3", "64:ff9b::/96"];
/** IPv6 ranges whose addresses contain an IPv4 address, and at which of the eight groups it begins. */
const HOLDING_IPV4 = [{ range: "64:ff9b::/96", at: 6 }, { range: "2002::/16", at: 1 }];

/** Where a request goes. */
export interface Target {
  /** The URL exactly as it was written: the parser had nothing to correct. */
  readonly url: URL;
  /** A name in lower case, or an address in its canonical form without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** False for `http:`, which the service uses only for addresses in ranges that the operator allows. */
  readonly isTls: boolean;
}

/** Which URLs a caller of the outbound client accepts. */
export interface TargetRules {
  /** The ports that the service may call. */
  readonly ports: readonly number[];
  /** Whether `http:` is accepted, for addresses in ranges that the operator allows. Default false. */
  readonly allowsHttp?: boolean | undefined;
  /** Whether the URL may name any port, because the operator wrote it. Default false. */
  readonly anyPort?: boolean | undefined;
}

/**
 * Whether the service may call an address: the operator allows its range, or a host on the internet can have it. If an
 * IPv6 address contains an IPv4 address, the service must be allowed to call this one as well.
 */
export function isCallable(address: string, allowed: readonly string[]): boolean {
  const plain = canonicalAddress(address);
  if (plain === undefined) return false;
  if (isInCidrs(allowed, plain)) return true;
  if (isIPv6(plain) && !isInCidrs(IPV6_OF_HOSTS, plain)) return false;
  if (isInCidrs(REFUSED, plain)) return false;
  const inner = innerIPv4(plain);
  return inner === undefined || isCallable(inner, allowed);
}

/** The IPv4 address that an IPv6 address contains, if its range is one of `HOLDING_IPV4`. */
function innerIPv4(address: string): string | undefined {
  const holding = isIPv6(address) ? HOLDING_IPV4.find(({ range }) => isInCidrs([range], address)) : undefined;
  if (holding === undefined) return undefined;
  const [head, tail = ""] = address.split("::").map((part) => part === "" ? [] : part.split(":"));
  const groups = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.slice(holding.at, holding.at + 2)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]).join(".");
}

/**
 * Reads a URL that somebody else wrote. The host must be in its canonical form, and the URL may hold no user name, no
 * password, no fragment and no backslash: a person who reads the URL must see the host that the service calls.
 * @throws OutboundError `target_refused`; the message says what is wrong and does not show the URL
 */
export function parseTarget(text: string, rules: TargetRules): Target {
  const refuse = (why: string): never => {
    throw new OutboundError("target_refused", `Cannot call the URL: ${why}`);
  };
  const [, scheme, authority] = /^(https?):\/\/([^/?#\\]*)/.exec(text) ?? refuse("it is not an https:// URL");
  if (scheme === "http" && !rules.allowsHttp) refuse("it is not an https:// URL");
  if (!/^[!-~]+$/.test(text) || text.includes("\\")) {
    refuse("it has spaces, backslashes or characters outside of ASCII");
  }
  if (text.includes("#")) refuse("it has a fragment");
  if (authority.includes("@")) refuse("it has a user name or a password");
  const url = URL.canParse(text) ? new URL(text) : refuse("it is not a URL");
  const [, written, digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? refuse("its host cannot be read");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (written.toLowerCase() !== url.hostname) refuse("its host is not in its canonical form");
  const isAddress = isIPv4(host) || isIPv6(host);
  if (!isAddress && !isHostName(host)) refuse("its host is neither a name nor an address");
  const port = digits === undefined ? (scheme === "https" ? 443 : 80) : Number(digits);
  const isNamed = digits !== undefined && rules.anyPort === true && port > 0;
  if (!isNamed && !rules.ports.includes(port)) refuse(`port ${port} is not in SVC_OUTBOUND_PORTS`);
  return { url, host, isAddress, port, isTls: scheme === "https" };
}

/**
 * Whether a text is a DNS name: labels of letters, digits, hyphens and underscores, the last one not only digits, and no dot
 * at the end.
 */
export function isHostName(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split(".");
  return labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label)) &&
    !/^\d+$/.test(labels.at(-1)!);
}
