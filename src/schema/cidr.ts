/** CIDR ranges and the addresses in them, IPv4 and IPv6. docs/reference/guarantees.md T20. */
import { BlockList, isIPv4, isIPv6, SocketAddress } from "node:net";
import { z } from "zod";

/** A range in its own notation: no host bits set, no leading zeros, no zone. */
export const Cidr = z.string().max(43).refine(isCidr, "must be a CIDR range such as 10.0.0.0/8, without host bits")
  .meta({ id: "Cidr", description: "A range of addresses, such as `10.0.0.0/8` or `2001:db8::/32`" });

/** Whether a text is a range: a strict address, a prefix length, and nothing but zeros behind it. */
export function isCidr(text: string): boolean {
  const [, address, digits] = /^([0-9A-Fa-f.:]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  if (address === undefined) return false;
  const bits = toBits(address);
  const prefix = Number(digits);
  return bits !== undefined && prefix <= bits.length && !bits.slice(prefix).includes("1");
}

/**
 * Whether an address lies in one of the ranges. An IPv4 address that is mapped into IPv6 counts as the IPv4 address. What
 * is no address lies in none, so that an unknown caller is refused.
 */
export function isInCidrs(ranges: readonly string[], address: string | undefined): boolean {
  const plain = address === undefined ? undefined : canonicalAddress(address);
  if (plain === undefined) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const [network, prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), isIPv4(network) ? "ipv4" : "ipv6");
  }
  const family = isIPv4(plain) ? "ipv4" : "ipv6";
  return list.check(new SocketAddress({ address: plain, family }));
}

/** One text for an address however it was written; a mapped IPv4 address as IPv4. Undefined: it is no address. */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bits = toBits(text)!;
  if (bits.startsWith(MAPPED)) return fromIPv4Bits(bits.slice(MAPPED.length));
  // The URL parser writes an address in its one canonical form.
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

const MAPPED = "0".repeat(80) + "1".repeat(16);

function fromIPv4Bits(bits: string): string {
  return [0, 8, 16, 24].map((at) => parseInt(bits.slice(at, at + 8), 2)).join(".");
}

/** One customer has a whole /64 of IPv6 addresses, so the network counts; a mapped IPv4 address is that IPv4 address. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  const plain = address.split("%")[0];
  if (!isIPv6(plain)) return address;
  // The URL parser writes an address in its one canonical form, at most one run of zeros as "::".
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head, tail = ""] = canonical.split("::").map((part) => part === "" ? [] : part.split(":"));
  const groups = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

/** The address as text of its bits, 32 or 128; undefined where it is none. */
function toBits(address: string): string | undefined {
  if (isIPv4(address)) return address.split(".").map((part) => Number(part).toString(2).padStart(8, "0")).join("");
  if (!isIPv6(address) || address.includes("%")) return undefined;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head, tail = ""] = canonical.split("::").map((part) => part === "" ? [] : part.split(":"));
  const groups = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return groups.map((group) => parseInt(group, 16).toString(2).padStart(16, "0")).join("");
}
