/** Which addresses and URLs the service may call when a person, a peer or a name server names them. No I/O. */
import { isIPv4, isIPv6 } from "node:net";
import { canonicalAddress, isInCidrs } from "../schema/cidr.ts";
import { OutboundError } from "./failure.ts";

/** Not addresses of anybody on the internet: private, of one's own machine, of documentation, of many at once, reserved. */
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
  "::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001:db8::/32",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/9",
  "ff00::/8",
];
/** IPv6 ranges whose addresses hold an IPv4 address, and at which of their eight groups it begins. */
const HOLDING_IPV4 = [{ range: "64:ff9b::/96", at: 6 }, { range: "2002::/16", at: 1 }];
/** Teredo holds the IPv4 addresses of a server and of a client, the second one inverted; nobody serves from there. */
const TEREDO = "2001::/32";

/** Where a request goes. */
export interface Target {
  /** The URL as it was written: nothing in it had to be mended. */
  readonly url: URL;
  /** A name in lower case, or an address in its canonical form without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** False: `http:`, which only an address of an allowed range may be called by. */
  readonly isTls: boolean;
}

export interface TargetRules {
  /** Ports that may be called. */
  readonly ports: readonly number[];
  /** Whether `http:` will do, for addresses of the allowed ranges. Default false. */
  readonly allowsHttp?: boolean | undefined;
  /** Whether any port that the URL names may be called, because the operator wrote the URL. Default false. */
  readonly anyPort?: boolean | undefined;
}

/**
 * Whether an address may be called: it is one of the internet, or the operator allows its range. An address that holds
 * an IPv4 address is judged by that one as well.
 */
export function isCallable(address: string, allowed: readonly string[]): boolean {
  const plain = canonicalAddress(address);
  if (plain === undefined) return false;
  if (isInCidrs(allowed, plain)) return true;
  if (isInCidrs([...REFUSED, TEREDO], plain)) return false;
  const inner = innerIPv4(plain);
  return inner === undefined || isCallable(inner, allowed);
}

/** The IPv4 address that an IPv6 address of a translation range stands for. */
function innerIPv4(address: string): string | undefined {
  const holding = isIPv6(address) ? HOLDING_IPV4.find(({ range }) => isInCidrs([range], address)) : undefined;
  if (holding === undefined) return undefined;
  const [head, tail = ""] = address.split("::").map((part) => part === "" ? [] : part.split(":"));
  const groups = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.slice(holding.at, holding.at + 2)
    .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]).join(".");
}

/**
 * Reads a URL that somebody else wrote. It has to be written as it is read: a host in its canonical form, no user name,
 * no password, no fragment, no backslash, so that nobody who looks at it is misled.
 * @throws OutboundError `target_refused` saying what is wrong; the URL is not shown
 */
export function parseTarget(text: string, rules: TargetRules): Target {
  const refuse = (why: string): never => {
    throw new OutboundError("target_refused", `Cannot call the URL: ${why}`);
  };
  const [, scheme, authority] = /^(https?):\/\/([^/?#\\]*)/.exec(text) ?? refuse("it is no https:// URL");
  if (scheme === "http" && !rules.allowsHttp) refuse("it is no https:// URL");
  if (!/^[!-~]+$/.test(text) || text.includes("\\")) {
    refuse("it has spaces, backslashes or characters outside of ASCII");
  }
  if (text.includes("#")) refuse("it has a fragment");
  if (authority.includes("@")) refuse("it has a user name or a password");
  const url = URL.canParse(text) ? new URL(text) : refuse("it cannot be read");
  const [, written, digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? refuse("its host cannot be read");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (written.toLowerCase() !== url.hostname) refuse("its host is not in its canonical form");
  const isAddress = isIPv4(host) || isIPv6(host);
  if (!isAddress && !isHostName(host)) refuse("its host is no name and no address");
  const port = digits === undefined ? (scheme === "https" ? 443 : 80) : Number(digits);
  const isNamed = digits !== undefined && rules.anyPort === true && port > 0;
  if (!isNamed && !rules.ports.includes(port)) refuse(`port ${port} is not in SVC_OUTBOUND_PORTS`);
  return { url, host, isAddress, port, isTls: scheme === "https" };
}

/** A name of DNS: labels of letters, digits and hyphens, the last one not of digits alone; no dot at the end. */
export function isHostName(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split(".");
  return labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label)) &&
    !/^\d+$/.test(labels.at(-1)!);
}
