/** How to reach each Postgres, as the configuration says: the home cluster first, then the others by their names. */
import type { Config } from "../config.ts";
import { HOME } from "./database.ts";
import { settingsOf } from "./opening.ts";
import type { PostgresOptions } from "./pool.ts";
import { isForWrites, parseDatabaseUrl } from "./url.ts";

/**
 * The application name of the service's connections, as `pg_stat_activity` shows it. A process that is configured with
 * several clusters uses another name than one without.
 */
export const APPLICATION_NAME = "svc";
const CLUSTERS_APPLICATION_NAME = "svc clusters";

/** How to reach one database. */
export interface ConnectionOptions {
  readonly connection: PostgresOptions;
  /** A direct connection, for when `connection` leads through a pooler. */
  readonly direct?: PostgresOptions;
  /** Options for a streaming replica of the database. */
  readonly replica?: PostgresOptions;
  readonly settings?: Readonly<Record<string, string>>;
}

/** How requests connect to each cluster, by its name. */
export function connectionsOf({ database }: Pick<Config, "database">): ReadonlyMap<string, ConnectionOptions> {
  const { url, directUrl, replicaUrl, clusters, poolMax, deadlineMs } = database;
  const common = commonOf(database);
  const wayOf = (requests: string, direct: string | undefined, replica?: string): ConnectionOptions => ({
    connection: { ...toPrimary(requests), ...common, max: poolMax },
    ...(replica !== undefined && { replica: { ...parseDatabaseUrl(replica), ...common, max: poolMax } }),
    ...(direct !== undefined && { direct: { ...toPrimary(direct), ...common } }),
    settings: settingsOf({ deadlineMs }),
  });
  const further = clusters.map((one) => [one.name, wayOf(one.url, one.directUrl)] as const);
  return new Map([...(url === undefined ? [] : [[HOME, wayOf(url, directUrl, replicaUrl)] as const]), ...further]);
}

/** How to connect to each cluster as its owner, for those whose owner URL is configured. */
export function ownerConnectionsOf({ database }: Pick<Config, "database">): ReadonlyMap<string, PostgresOptions> {
  const all = [{ name: HOME, ownerUrl: database.ownerUrl }, ...database.clusters];
  return new Map(
    all.flatMap(({ name, ownerUrl }) =>
      ownerUrl === undefined ? [] : [[name, { ...toPrimary(ownerUrl), ...commonOf(database) }] as const]
    ),
  );
}

/** @throws TypeError for a URL that may lead to a server that takes no writes */
function toPrimary(url: string): PostgresOptions {
  const connection = parseDatabaseUrl(url);
  if (isForWrites(url)) return connection;
  throw new TypeError(
    "Cannot use the database URL: it may lead to a standby, where nothing can be written; append target_session_attrs=read-write",
  );
}

function commonOf({ connectTimeoutSeconds, clusters }: Config["database"]): PostgresOptions {
  // Only the name: a pooler refuses clients that send more parameters as they connect.
  const name = clusters.length > 0 ? CLUSTERS_APPLICATION_NAME : APPLICATION_NAME;
  return { connect_timeout: connectTimeoutSeconds, connection: { application_name: name } };
}
