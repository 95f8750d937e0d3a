/** How to reach each Postgres, as the configuration says: the home cluster first, then the others by their names. */
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { HOME } from "./database.ts";
import { settingsOf } from "./opening.ts";
import type { PostgresOptions } from "./pool.ts";
import { DatabaseUrlError, isForWrites, parseDatabaseUrl } from "./url.ts";

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

/**
 * How requests connect to each cluster, by its name.
 * @throws ServiceError `validation_failed` for a URL that cannot be used
 */
export function connectionsOf({ database }: Pick<Config, "database">): ReadonlyMap<string, ConnectionOptions> {
  const { url, directUrl, replicaUrl, clusters, poolMax, deadlineMs } = database;
  const common = commonOf(database);
  const wayOf = (requests: NamedUrl, direct: NamedUrl, replica?: NamedUrl): ConnectionOptions => ({
    connection: { ...toPrimary(requests), ...common, max: poolMax },
    ...(replica?.url !== undefined && { replica: { ...read(replica), ...common, max: poolMax } }),
    ...(direct.url !== undefined && { direct: { ...toPrimary(direct), ...common } }),
    settings: settingsOf({ deadlineMs }),
  });
  const home = () =>
    wayOf(
      { name: "DATABASE_URL", url },
      { name: "SVC_DATABASE_DIRECT_URL", url: directUrl },
      { name: "SVC_DATABASE_REPLICA_URL", url: replicaUrl },
    );
  const further = clusters.map(({ name, url, directUrl }) =>
    [
      name,
      wayOf({ name: `${name} in SVC_CLUSTERS`, url }, { name: `${name} in SVC_CLUSTERS_DIRECT`, url: directUrl }),
    ] as const
  );
  return new Map([...(url === undefined ? [] : [[HOME, home()] as const]), ...further]);
}

/**
 * How to connect to each cluster as its owner, for those whose owner URL is configured.
 * @throws ServiceError `validation_failed` for a URL that cannot be used
 */
export function ownerConnectionsOf({ database }: Pick<Config, "database">): ReadonlyMap<string, PostgresOptions> {
  const all = [
    { cluster: HOME, name: "SVC_OWNER_DATABASE_URL", url: database.ownerUrl },
    ...database.clusters.map(({ name, ownerUrl }) => ({
      cluster: name,
      name: `${name} in SVC_OWNER_CLUSTERS`,
      url: ownerUrl,
    })),
  ];
  return new Map(
    all.flatMap(({ cluster, ...one }) =>
      one.url === undefined ? [] : [[cluster, { ...toPrimary(one), ...commonOf(database) }] as const]
    ),
  );
}

/** A URL, and the variable that has it. */
interface NamedUrl {
  readonly name: string;
  readonly url: string | undefined;
}

function read({ name, url = "" }: NamedUrl): PostgresOptions {
  try {
    return parseDatabaseUrl(url);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    throw new ServiceError("validation_failed", `Cannot use ${name}: ${error.reason}`);
  }
}

/** A connection for writes: its URL may not lead to a standby. */
function toPrimary(named: NamedUrl): PostgresOptions {
  const connection = read(named);
  if (isForWrites(named.url ?? "")) return connection;
  const reason = "it may lead to a standby, where nothing can be written; append target_session_attrs=read-write";
  throw new ServiceError("validation_failed", `Cannot use ${named.name}: ${reason}`);
}

function commonOf({ connectTimeoutSeconds, clusters }: Config["database"]): PostgresOptions {
  // Only the name: a pooler refuses clients that send more parameters as they connect.
  const name = clusters.length > 0 ? CLUSTERS_APPLICATION_NAME : APPLICATION_NAME;
  return { connect_timeout: connectTimeoutSeconds, connection: { application_name: name } };
}
