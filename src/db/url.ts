/** A `postgres://` URL as options of the driver, so that native and embedded connections are given in one form. */
import type { PostgresOptions } from "./pool.ts";

const SSL_MODES = new Set(["disable", "prefer", "require", "verify-full"]);

/**
 * Takes a URL apart. `host` may be a folder with a Unix socket (`?host=/var/run/postgresql`), `sslmode` is honoured, and
 * `prepare=false` asks for statements without names.
 * @throws TypeError for a URL that cannot be read, or for a parameter that would be ignored.
 */
export function parseDatabaseUrl(text: string): PostgresOptions {
  const url = new URL(text);
  const { host, sslmode, prepare, ...rest } = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(rest);
  if (unknown.length > 0) throw new TypeError(`Cannot use the database URL: unknown parameter ${unknown.join(", ")}`);
  if (sslmode !== undefined && !SSL_MODES.has(sslmode)) {
    throw new TypeError(`Cannot use the database URL: sslmode is ${sslmode}, expected ${[...SSL_MODES].join(", ")}`);
  }
  if (prepare !== undefined && prepare !== "true" && prepare !== "false") {
    throw new TypeError(`Cannot use the database URL: prepare is ${prepare}, expected true, false`);
  }
  const port = Number(url.port || 5432);
  return {
    ...(host?.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host: host ?? url.hostname, port }),
    database: decodeURIComponent(url.pathname.slice(1)),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ...(prepare !== undefined && { prepare: prepare === "true" }),
    ...(sslmode !== undefined && sslmode !== "disable" ? { ssl: sslmode as "require" | "prefer" | "verify-full" } : {}),
  };
}

/** Postgres' own name for the service's connections, as `pg_stat_activity` shows it. */
export const APPLICATION_NAME = "svc";

/** The owner's connection, which migrates and builds indexes; undefined where the configuration has none. */
export function ownerConnectionOf(
  { ownerUrl, connectTimeoutSeconds }: {
    readonly ownerUrl?: string | undefined;
    readonly connectTimeoutSeconds: number;
  },
): PostgresOptions | undefined {
  return ownerUrl === undefined ? undefined : {
    ...parseDatabaseUrl(ownerUrl),
    connect_timeout: connectTimeoutSeconds,
    connection: { application_name: APPLICATION_NAME },
  };
}
