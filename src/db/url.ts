/** A `postgres://` URL as options of the driver, so that native and embedded connections are given in one form. */
import { type Host, Hosts, type Target, TARGETS } from "./hosts.ts";
import type { PostgresOptions } from "./pool.ts";

/** A database URL cannot be used. The message has no part of it that may be secret. */
export class DatabaseUrlError extends TypeError {
  constructor(readonly reason: string) {
    super(`Cannot use the database URL: ${reason}`);
  }
}

const SSL_MODES = ["disable", "prefer", "require", "verify-full"];
const PORT = "5432";

/**
 * Takes a URL apart. `host` may be a folder with a Unix socket (`?host=/var/run/postgresql`), `sslmode` is honoured, and
 * `prepare=false` asks for statements without names. Several hosts are written as libpq has them, `a:5432,b:5432` or
 * `?host=a,b&port=5432`, and `target_session_attrs` says which of them a connection goes to.
 * @throws DatabaseUrlError for a URL that cannot be read, or for a parameter that would be ignored
 */
export function parseDatabaseUrl(text: string): PostgresOptions {
  const { url, authority } = splitDatabaseUrl(text);
  const { host, port, sslmode, prepare, target_session_attrs: target, ...rest } = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(rest);
  if (unknown.length > 0) throw refusal(`unknown parameter ${unknown.join(", ")}`);
  refuseUnlessIn("sslmode", sslmode, SSL_MODES);
  refuseUnlessIn("prepare", prepare, ["true", "false"]);
  refuseUnlessIn("target_session_attrs", target, TARGETS);
  return {
    ...wayTo(
      host?.startsWith("/") ? folderOf(host, port, authority) : listHosts(authority, host, port),
      target as Target,
    ),
    database: decode(url.pathname.slice(1)),
    username: decode(url.username),
    password: decode(url.password),
    ...(prepare !== undefined && { prepare: prepare === "true" }),
    ...(sslmode !== undefined && sslmode !== "disable" ? { ssl: sslmode as "require" | "prefer" | "verify-full" } : {}),
  };
}

/**
 * A database URL without its hosts, and these as they are written: `new URL` cannot read several with ports.
 * @throws DatabaseUrlError
 */
export function splitDatabaseUrl(text: string): { readonly url: URL; readonly authority: string } {
  const [, scheme, user = "", authority = "", rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s.exec(text) ??
    [];
  const url = scheme === undefined ? null : URL.parse(`${scheme}${user}${user && "host"}${rest}`);
  if (url === null) throw refusal("it cannot be read");
  // What follows would count as a parameter, and a refusal would name it.
  if (/[?#].*@/s.test(rest!)) throw refusal("a ? or # in a password is written as %3F or %23");
  return { url, authority };
}

/** Whether connections go to a server that may take writes, as far as the URL says. */
export function isForWrites(text: string): boolean {
  const { url, authority } = splitDatabaseUrl(text);
  const target = url.searchParams.get("target_session_attrs");
  const isOne = !`${authority}${url.searchParams.get("host") ?? ""}`.includes(",");
  return target === "read-write" || target === "primary" || (isOne && target === null);
}

function wayTo(found: Host[] | string, target: Target = "any"): PostgresOptions {
  if (typeof found === "string") return { path: found };
  const [first] = found as [Host, ...Host[]];
  if (found.length === 1 && target === "any") return { ...first };
  // The driver passes its own options to `socket`, which its types do not have.
  return { ...first, socket: new Hosts(found, target).socket } as PostgresOptions;
}

function folderOf(folder: string, port: string | undefined, authority: string): string {
  if (folder.includes(",")) throw refusal("a folder with a socket cannot be one of several hosts");
  return `${folder}/.s.PGSQL.${readPort(port ?? /:(\d+)$/.exec(authority)?.[1] ?? PORT)}`;
}

/** The hosts of the URL, or those of its parameter `host`, with their ports. */
function listHosts(authority: string, names?: string, numbers?: string): Host[] {
  const parts = authority.split(",").map((part) => {
    const [, name, port] = /^(\[[^\]]*\]|[^:[\]]*)(?::([^:]*))?$/.exec(part) ?? [];
    if (name === undefined) throw refusal("an address with colons stands in brackets, as in [::1]:5432");
    return { name, port };
  });
  const hosts = (names?.split(",") ?? parts.map(({ name }) => name))
    .map((name) => name.replace(/^\[(.*)\]$/, "$1").toLowerCase());
  if (hosts.includes("")) throw refusal("a host is empty");
  const ports = numbers?.split(",") ?? parts.flatMap(({ port }) => port ?? []);
  // libpq gives those without a port the default one, which is seldom what was meant.
  const areSome = numbers === undefined && ports.length > 0 && ports.length < parts.length;
  if (areSome || (ports.length > 1 && ports.length !== hosts.length)) {
    throw refusal(
      `${hosts.length} hosts and ${ports.length} ports; give each host its port, none, or all the same as ?port=`,
    );
  }
  const list = hosts.map((host, n) => ({ host, port: readPort((ports.length > 1 ? ports[n] : ports[0]) ?? PORT) }));
  if (new Set(list.map(({ host, port }) => `${host} ${port}`)).size < list.length) {
    throw refusal("a host is in it twice");
  }
  return list;
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw refusal("a port is no number from 1 to 65535");
  return port;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal("a % in it begins no encoded character; write it as %25");
  }
}

function refuseUnlessIn(name: string, value: string | undefined, values: readonly string[]): void {
  if (value === undefined || values.includes(value)) return;
  throw refusal(`${name} is ${value}, expected ${values.join(", ")}`);
}

function refusal(reason: string): DatabaseUrlError {
  return new DatabaseUrlError(reason);
}
