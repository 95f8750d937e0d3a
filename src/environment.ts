/** The variables of the environment that the service reads: their possible values and their meaning. */
import { z } from "zod";
import {
  adminSecret,
  clusterList,
  headerList,
  hostList,
  httpUrl,
  int,
  originList,
  postgresUrl,
  textList,
} from "./schema/environment_values.ts";
import { canonicalAddress, isCidr } from "./schema/cidr.ts";
import { InstanceId } from "./schema/federation_peer.ts";
import { federationVariables } from "./schema/federation_variables.ts";
import { memoryVariables } from "./schema/memory_variables.ts";
import { oauthVariables } from "./schema/oauth_variables.ts";
import { REGIONS } from "./schema/regions.ts";

/** The values of `OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_PROTOCOL` that the service supports. */
export const TRACES_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export const EXPORT_PROTOCOLS = ["http/json", "http/protobuf"] as const;

/** A break-glass grant ends after a day at the latest. */
const GRANT_MS_MAX = 86_400_000;

/**
 * The variables of clients, with their meaning. A shell may export them beside those of the service: commands that call
 * a service read them, and the service and the operator's commands ignore them.
 */
export const CLIENT_VARIABLES: Readonly<Record<string, string>> = {
  SVC_URL: "Address of the service. Unset: that of the credentials file, or `http://127.0.0.1:8787`",
  SVC_KEY: "API key of a workspace. Unset: that of the credentials file",
  SVC_MEMORY: "`off` switches the hooks of coding agents off",
  SVC_HOOK_TIMEOUT_MS: "Longest run of a hook, in milliseconds",
};

/**
 * Every variable with its default and what it means, by `section`: the first variable of a section names it.
 * `secret` says what of its value may leave the process through no log line and no span: all of it, the password in a URL,
 * the values of headers, the passwords of a list of clusters, or the secrets of a list of issuers. `docs/reference/configuration.md` is made from this.
 * What the service remembers, its exchange with other instances and OAuth have lists of their own.
 */
export const Environment = z.object({
  DATABASE_URL: postgresUrl.optional().meta({
    secret: "password",
    section: "Database",
    description:
      "Postgres for requests. Its role is a member of `svc_app` and nothing more. Append `?prepare=false` to send statements without names. Several hosts: `postgres://…@a:5432,b:5432/svc?target_session_attrs=read-write`; the same goes for the other addresses. Unset: the embedded database",
  }),
  SVC_DATABASE_DIRECT_URL: postgresUrl.optional().meta({
    secret: "password",
    description:
      "The same database and role, past a pooler in transaction mode; notifications need it. Required behind such a pooler",
  }),
  SVC_DATABASE_REPLICA_URL: postgresUrl.optional().meta({
    secret: "password",
    description:
      "A streaming replica of `DATABASE_URL`'s server, with the same database and role. Reads that allow it use it while it has everything that was acknowledged before them. Of several hosts, `target_session_attrs` is `prefer-standby`, `standby` or `any`. Unset: all reads use the primary",
  }),
  SVC_OWNER_DATABASE_URL: postgresUrl.optional().meta({
    secret: "password",
    description:
      "Connection of the role that owns the tables, used only to migrate. When set, every start migrates first",
  }),
  SVC_CLUSTERS: clusterList.optional().meta({
    secret: "clusters",
    description:
      "Further Postgres clusters that workspaces can be placed on: `b=postgres://… c=postgres://…`. `DATABASE_URL` is the one named `home`. The same in every process. Unset: there is one",
  }),
  SVC_CLUSTERS_DIRECT: clusterList.optional().meta({
    secret: "clusters",
    description: "What `SVC_DATABASE_DIRECT_URL` is, of the further clusters that stand behind a pooler",
  }),
  SVC_OWNER_CLUSTERS: clusterList.optional().meta({
    secret: "clusters",
    description:
      "What `SVC_OWNER_DATABASE_URL` is, of the further clusters. Needed to migrate them and to move workspaces",
  }),
  SVC_NEW_WORKSPACES_CLUSTER: z.string().min(1).default("home").meta({
    description: "The cluster that new workspaces are placed on unless told",
  }),
  SVC_DATA_DIR: z.string().min(1).default("./data").meta({
    description: "Folder of the embedded database",
  }),
  SVC_DB_POOL_MAX: int(10, 1, 200).meta({
    description: "Database connections for requests, per process",
  }),
  SVC_DB_PER_WORKSPACE_MAX: z.coerce.number().int().min(0).max(200).optional().meta({
    description: "How many of these connections one workspace may use at once; 0 = all. Unset: half of them",
  }),
  SVC_DB_SECONDS_PER_KEY: int(180, 0, 1_000_000).meta({
    description:
      "Seconds per minute for which one API key's transactions may hold connections, per process; above that requests get 429; 0 = no limit",
  }),
  SVC_DB_SECONDS_PER_WORKSPACE: int(240, 0, 1_000_000).meta({
    description: "The same for all keys of a workspace together",
  }),
  SVC_DB_DEADLINE_MS: int(5_000, 100, 600_000).meta({
    description: "Longest statement, and longest wait for the database, in milliseconds",
  }),
  SVC_DB_CONNECT_TIMEOUT_SECONDS: int(2, 1, 60).meta({
    description: "Longest wait for a new connection, in seconds",
  }),
  SVC_HOST: z.string().min(1).default("127.0.0.1").meta({
    section: "Service",
    description: "Address to listen on",
  }),
  SVC_PORT: int(8787, 1, 65535).meta({
    description: "Port to listen on",
  }),
  SVC_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info").meta({
    description: "`debug`, `info`, `warn` or `error`",
  }),
  SVC_REGION: z.enum(REGIONS).optional().meta({
    description:
      "The region that this instance serves: `us-east-1`, `eu-west-1` or `ap-southeast-1`. It refuses workspaces of other regions with `wrong_region`. Unset: it serves all",
  }),
  SVC_INSTANCE_ID: InstanceId.default("instance:localhost").meta({
    description:
      "`instance:<host>`. Units created here carry it as their origin; keep it for as long as you keep the data",
  }),
  SVC_FEDERATION_PRIVATE_KEY: z.string().min(1).max(4_000).optional().meta({
    secret: "value",
    description:
      "The instance's Ed25519 private key in PEM (PKCS #8). It signs audit checkpoints, erasure receipts, and the tokens and pages for peers",
  }),
  SVC_AUDIT_CHECKPOINT_FILE: z.string().min(1).optional().meta({
    description:
      "The service appends audit checkpoints to this file. Keep it where the database's administrators cannot write",
  }),
  SVC_ADMIN_TOKEN: adminSecret.optional().meta({
    secret: "value",
    section: "Access",
    description:
      "Bearer token for `/v1/admin/*`, for the first setup; at least 32 visible characters. It cannot ask for break-glass access",
  }),
  SVC_ADMIN_TOTP_KEY: adminSecret.optional().meta({
    secret: "value",
    description:
      "Secret that encrypts the admins' TOTP secrets in the database; at least 32 visible characters. Unset: no admin can enrol and nobody can ask for break-glass access",
  }),
  SVC_SECRETS_KEY: adminSecret.optional().meta({
    secret: "value",
    description:
      "Secret that seals the secrets of peers and webhooks in the database; at least 32 visible characters. Unset: they cannot be stored. With the embedded database the service makes a key in its folder, `secrets.key`",
  }),
  SVC_SECRETS_KEY_PREVIOUS: adminSecret.optional().meta({
    secret: "value",
    description: "The previous `SVC_SECRETS_KEY`: opens what was sealed under it",
  }),
  ADMIN_MAX_TTL_MS: z.coerce.number().int().min(60_000).max(Number.MAX_SAFE_INTEGER).default(GRANT_MS_MAX).transform((
    ms,
  ) => Math.min(ms, GRANT_MS_MAX)).meta({
    description: "Longest break-glass grant, in milliseconds; at most 24 hours, more counts as 24 hours",
  }),
  SVC_TRUSTED_PROXY_IP: z.string().transform((text) => canonicalAddress(text)).pipe(
    z.string("must be an IP address"),
  ).optional().meta({
    description:
      "Address of the TLS proxy. `X-Forwarded-For` and `x-svc-client-cert` are accepted only from there. If unset: `X-Forwarded-For` is ignored; WARNING: `x-svc-client-cert` is accepted from any caller",
  }),
  ...oauthVariables,
  SVC_HOSTS: hostList.optional().meta({
    description:
      "Names under which clients call `/mcp`, apart by commas or spaces, without ports: `memory.example`. It also answers under addresses, `localhost`, and the hosts of `SVC_PUBLIC_URL`, `SVC_INSTANCE_ID` and `SVC_FEDERATION_ENDPOINT`, and refuses a browser that calls it by any other name",
  }),
  SVC_CORS_ORIGINS: originList.optional().meta({
    description:
      "Origins whose pages may call the service from a browser: `https://app.example http://localhost:5173`. Administration is never open to them. Unset: no page of another origin may",
  }),
  SVC_ARGON2_WORKERS: int(1, 1, 16).meta({
    description: "Threads that verify the secrets of keys",
  }),
  SVC_RATE_LIMIT_PER_MINUTE: int(600, 0, 1_000_000).meta({
    section: "Limits of callers",
    description: "Requests per minute of an API key without a limit of its own; 0 = no limit",
  }),
  SVC_RATE_LIMIT_BURST: int(120, 1, 1_000_000).meta({
    description: "How many of them may come at once",
  }),
  SVC_REQUESTS_PER_KEY_MAX: int(32, 0, 100_000).meta({
    description:
      "Requests that one API key may have in progress, per process; further ones wait; 0 = no limit. Streams do not count",
  }),
  SVC_REQUESTS_PER_WORKSPACE_MAX: int(64, 0, 100_000).meta({
    description: "The same for all keys of a workspace together",
  }),
  SVC_HEAVY_PER_WORKSPACE_MAX: int(2, 0, 100_000).meta({
    description: "How many of these may be heavy (batches, graphs, exports, imports and the like); 0 = no limit",
  }),
  SVC_REQUESTS_WAIT_MS: int(5_000, 0, 60_000).meta({
    description:
      "How long a request waits for its turn in all of these queues together, in milliseconds; then it gets 429",
  }),
  SVC_BODY_DEADLINE_MS: int(30_000, 100, 600_000).meta({
    description:
      "Longest time to receive a request body, in milliseconds; then 504. The proxy has to refuse slower senders",
  }),
  SVC_STREAMS_MAX: int(1_000, 0, 100_000).meta({
    description: "Open streams, per process",
  }),
  SVC_STREAMS_PER_KEY_MAX: int(20, 0, 100_000).meta({
    description: "How many of them one API key may have",
  }),
  SVC_SHUTDOWN_GRACE_MS: int(8_000, 0, 60_000).meta({
    description: "After SIGTERM, how long running requests may take to finish, in milliseconds",
  }),
  ...memoryVariables,
  SVC_OUTBOUND_ALLOW_CIDRS: textList.pipe(
    z.array(z.string().refine(isCidr, "must be CIDR ranges such as 10.0.0.0/8, without host bits, joined by commas")),
  ).default([]).meta({
    section: "Calls to other servers",
    description:
      "Ranges of private addresses that federation, webhooks and questions to issuers may call, such as `10.1.0.0/16,fd00::/8`. Unset: only addresses of the internet",
  }),
  SVC_OUTBOUND_PORTS: textList.pipe(
    z.array(
      z.string().regex(/^[1-9]\d{0,4}$/, "must be ports joined by commas").transform(Number).pipe(z.int().max(65_535)),
    )
      .min(1),
  ).default([443, 8443]).meta({
    description: "Ports that federation, webhooks and questions to issuers may call",
  }),
  SVC_FEDERATION_CA_FILE: z.string().min(1).optional().meta({
    description:
      "PEM file of certificate authorities that federation, webhooks and questions to issuers trust, besides those of the runtime",
  }),
  SVC_FEDERATION_CLIENT_CERT_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the client certificate that the service presents to its peers; needs its key",
  }),
  SVC_FEDERATION_CLIENT_KEY_FILE: z.string().min(1).optional().meta({
    description: "PEM file of the private key of `SVC_FEDERATION_CLIENT_CERT_FILE`",
  }),
  SVC_UPSTASH_REDIS_REST_URL: httpUrl.optional().meta({
    secret: "password",
    section: "Several processes",
    description:
      "Redis over REST (Upstash or a compatible front) for the state that processes share. Unset: each process counts for itself",
  }),
  SVC_UPSTASH_REDIS_REST_TOKEN: z.string().min(1).max(1_000).optional().meta({
    secret: "value",
    description: "Token for Redis; required with the URL",
  }),
  ...federationVariables,
  SVC_METRICS_TOKEN: z.string().min(16).max(256).optional().meta({
    secret: "value",
    section: "Metrics and traces",
    description: "Bearer token that `/metrics` requires, at least 16 characters. Unset: no token",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().meta({
    secret: "password",
    description: "Base URL of an OTLP collector; turns tracing on",
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional().meta({
    secret: "password",
    description: "The collector's URL for traces, instead of the base URL",
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(EXPORT_PROTOCOLS).default("http/json").meta({
    description: "`http/json` or `http/protobuf`",
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.enum(EXPORT_PROTOCOLS).optional().meta({
    description: "The same, for traces only",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.optional().meta({
    secret: "headers",
    description: "Headers sent to the collector, such as credentials: `name=value,name=value`, values percent-encoded",
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headerList.optional().meta({
    secret: "headers",
    description: "The same, for traces only",
  }),
  OTEL_TRACES_SAMPLER: z.enum(TRACES_SAMPLERS).default("parentbased_always_on").meta({
    description: "Which traces to keep, by OpenTelemetry's names",
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).meta({
    description: "Share of traces that the ratio samplers keep, 0 to 1",
  }),
  OTEL_SERVICE_NAME: z.string().min(1).max(200).default("svc").meta({
    description: "Name of the service in traces",
  }),
});
