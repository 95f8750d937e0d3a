/** The address under which a client reaches the service. In OAuth it names the service, as issuer and as resource. */
import type { Config } from "../../config.ts";
import type { Resource } from "../../context.ts";
import { canonicalAddress } from "../../schema/cidr.ts";

/** The names of the caller's own machine, as URLs have them. */
export const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

type Named = Pick<Config, "publicUrl" | "hosts" | "trustedProxyIp">;

/**
 * The service's own address as the request has it: `SVC_PUBLIC_URL`, or the origin that the client called, unless that is a
 * name which the service does not know as its own (DNS rebinding, a forged `Host`).
 * @param remoteAddress of the TCP peer: the trusted proxy says whether the client came by https
 * @returns such as `https://memory.example`; undefined for a name that the service does not know
 */
export function publicAddress(
  config: Named,
  { url, headers }: Pick<Request, "url" | "headers">,
  remoteAddress: string | undefined,
): string | undefined {
  if (config.publicUrl !== undefined) return config.publicUrl;
  const { host, hostname } = new URL(url);
  if (!isKnownHost(hostname, config)) return undefined;
  const isHttps = isProxied(headers, config, remoteAddress) && headers.get("x-forwarded-proto") === "https";
  return `${isHttps ? "https" : "http"}://${host}`;
}

/** Whether a URL is one of this service: below `SVC_PUBLIC_URL`, or, if that is not set, at a host that it knows as its own. */
export function isOwnUrl(config: Named, text: string): boolean {
  return ownPath(config, text) !== undefined;
}

/** The path of a URL of this service below its own address, without a slash at its end; undefined for another one's URL. */
export function ownPath({ publicUrl, ...rules }: Named, text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.includes("@") || /[?#]/.test(text)) return undefined;
  const own = publicUrl ?? (isKnownHost(url.hostname, rules) ? url.origin : undefined);
  const plain = url.href.replace(/\/$/, "");
  return own !== undefined && (plain === own || plain.startsWith(`${own}/`)) ? plain.slice(own.length) : undefined;
}

/** The part of the service that a path names: the MCP server, everything else, or the whole by no path. */
export function resourceOf(path: string): Resource {
  return path === "" ? "all" : /^\/mcp(\/|$)/.test(path) ? "mcp" : "api";
}

/** Whether a host is the service's own. An address cannot be made to lead elsewhere. */
export function isKnownHost(hostname: string, { hosts }: Pick<Config, "hosts">): boolean {
  return LOOPBACK.has(hostname) || hosts.includes(hostname) ||
    canonicalAddress(hostname.replace(/^\[(.*)\]$/, "$1")) !== undefined;
}

/** Whether the trusted proxy passes the request on. */
export function isProxied(
  headers: Headers,
  { trustedProxyIp }: Pick<Config, "trustedProxyIp">,
  remoteAddress: string | undefined,
): boolean {
  return trustedProxyIp !== undefined && remoteAddress !== undefined && headers.has("x-forwarded-for") &&
    canonicalAddress(remoteAddress) === trustedProxyIp;
}
