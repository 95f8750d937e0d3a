/** The variables of the environment that the service reads: what each may be, and what it means. */
import { z } from "zod";
import {
  adminSecret,
  clusterList,
  headerList,
  httpUrl,
  int,
  onOff,
  postgresUrl,
  textList,
} from "./schema/environment_values.ts";
import { canonicalAddress, isCidr } from "./schema/cidr.ts";
import { Id } from "./schema/common.ts";
import { InstanceEndpoint, InstanceId } from "./schema/federation_peer.ts";
import { REGIONS } from "./schema/regions.ts";

/** The values of `OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_PROTOCOL` that the service carries. */
export const TRACES_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
/** Where recall's related terms come from. */
export const LEXICONS = ["vectors", "none"] as const;
export const EXPORT_PROTOCOLS = ["http/json", "http/protobuf"] as const;

const PEERS_CHARS_MAX = 1_048_576;
/** A break-glass grant ends after a day at the latest. */
const GRANT_MS_MAX = 86_400_000;

/**
 * Every variable with its default and what it means, by `section`: the first variable of a section names it.
 * `secret` says what of its value may leave the process through no log line and no span: all of it, the password in a URL,
 * the values of headers, or the passwords of a list of clusters. `docs/configuration.md` is made from this.
 */
export const Environment = z.object({
  DATABASE_URL: postgresUrl.optional().meta({
    secret: "password",
    section: "Database",
    description:
      "Postgres for requests. Its role is a member of `svc_app` and nothing more. Append `?prepare=false` to send statements without names. Unset: the embedded database",
  }),
  SVC_DATABASE_DIRECT_URL: postgresUrl.optional().meta({
    secret: "password",
    description:
      "The same database and role, past a pooler in transaction mode; notifications need it. Required behind such a pooler",
  }),
  SVC_DATABASE_REPLICA_URL: postgresUrl.optional().meta({
    secret: "password",
    description:
      "A streaming replica of `DATABASE_URL`'s server, with the same database and role. Reads that allow it use it while it has everything that was acknowledged before them. Unset: all reads use the primary",
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
  SVC_WORKERS: z.coerce.number().int().min(1).max(64).optional().meta({
    description:
      "Processes of `svc serve` on the port; each has the memory and the connections that are stated here per process. Unset: one for each core, at most 4, and 1 on the embedded database. `deno task start` runs one unless it is set",
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
      "Address of the TLS proxy. The service believes `X-Forwarded-For` and `x-svc-client-cert` only from there. Unset: it ignores the first and believes the second from everyone",
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
  SVC_HOT_BYTES_MAX: int(268_435_456, 0, 68_719_476_736).meta({
    section: "Recall",
    description: "Memory of the hot tier, per process, in bytes; 0 turns it off, and the database answers hot requests",
  }),
  SVC_HOT_UNITS_MAX: int(20_000, 0, 10_000_000).meta({
    description: "Texts of one workspace that the hot tier holds; 0 turns it off",
  }),
  SVC_POSTINGS_BYTES_MAX: int(67_108_864, 0, 68_719_476_736).meta({
    description: "Memory for postings of frequent words, per process, in bytes; 0: each full recall reads them anew",
  }),
  SVC_SEMANTIC_EXACT_MAX: int(5_000, 0, 1_000_000).meta({
    description:
      "Up to this many texts, semantic search compares all of a workspace; above, it uses the HNSW index of a model's embeddings, and of the built-in ones those of the best candidates",
  }),
  SVC_LEXICON: z.enum(LEXICONS).default("vectors").meta({
    description: "Source of related terms: `vectors` or `none`",
  }),
  SVC_EMBEDDINGS_URL: httpUrl.optional().meta({
    secret: "password",
    section: "Models",
    description: "Base URL of an OpenAI-compatible API (`…/v1`) for embeddings. Unset: the built-in embeddings",
  }),
  SVC_EMBEDDINGS_MODEL: z.string().min(1).max(200).optional().meta({
    description: "Name of the embedding model; required with the URL",
  }),
  SVC_EMBEDDINGS_API_KEY: z.string().min(1).max(1_000).optional().meta({
    secret: "value",
    description: "Bearer key for the embedding API",
  }),
  SVC_EMBEDDINGS_DIMENSION: int(384, 8, 2_000).meta({
    description: "Dimensions of the embeddings; fixed by the first migration",
  }),
  SVC_EMBEDDINGS_TIMEOUT_MS: int(10_000, 100, 120_000).meta({
    description: "Longest wait for the embeddings of a batch of documents, in milliseconds (a query waits 300 ms)",
  }),
  SVC_LLM_URL: httpUrl.optional().meta({
    secret: "password",
    description:
      "Base URL of an OpenAI-compatible API for text generation; no read ever calls it. Unset: rules do its work",
  }),
  SVC_LLM_MODEL: z.string().min(1).max(200).optional().meta({
    description: "Name of the language model; required with the URL",
  }),
  SVC_LLM_API_KEY: z.string().min(1).max(1_000).optional().meta({
    secret: "value",
    description: "Bearer key for the text API",
  }),
  SVC_LLM_TIMEOUT_MS: int(30_000, 100, 600_000).meta({
    description: "Longest wait for one attempt, in milliseconds",
  }),
  SVC_WORTH_HALF_LIFE_DAYS: int(30, 1, 3_650).meta({
    section: "Upkeep",
    description: "After this many days without a write or a use, the recency part of a unit's worth is one half",
  }),
  SVC_GATE_NEW_FACTS_MIN: int(20, 0, 1_000_000).meta({
    description: "The consolidation gate needs this many new facts since the last run",
  }),
  SVC_GATE_CONTESTED_MAX: int(50, 0, 1_000_000).meta({
    description: "The gate closes when more reviews of contested facts than this are open",
  }),
  SVC_GATE_DRIFT_MAX: z.coerce.number().min(0).max(100).default(0.25).meta({
    description: "The gate closes when the drift index against the snapshot of a day ago is higher than this",
  }),
  SVC_GATE_QUIET_SECONDS: int(60, 0, 86_400).meta({
    description: "The gate stays closed for this many seconds after the last write of knowledge",
  }),
  SVC_CONSOLIDATION_ARCHIVE_WORTH_MAX: z.coerce.number().min(0).max(1).default(0.25).meta({
    description: "Consolidation archives units with a worth below this …",
  }),
  SVC_CONSOLIDATION_ARCHIVE_AGE_DAYS: int(90, 0, 36_500).meta({
    description: "… that nobody has written or used for this many days",
  }),
  SVC_SNAPSHOT_INTERVAL_SECONDS: int(3_600, 60, 604_800).meta({
    description: "Seconds between two snapshots of a workspace's health and composition",
  }),
  SVC_SNAPSHOTS_KEPT: int(720, 2, 100_000).meta({
    description: "Snapshots kept per workspace; older ones are deleted",
  }),
  SVC_JOBS_KEPT_DAYS: int(90, 0, 36_500).meta({
    description:
      "A finished job is deleted with its steps after this many days and can then no longer be reverted; 0 = never. The last consolidation and reverted jobs stay",
  }),
  SVC_REASONING_KEPT_DAYS: int(90, 0, 36_500).meta({
    description: "An expired or retired chain of reasoning is deleted after this many days; 0 = never",
  }),
  SVC_TRAJECTORIES_KEPT_DAYS: int(365, 0, 36_500).meta({
    description: "An agent's trajectory is deleted after this many days; 0 = never. Rules learnt from it stay",
  }),
  SVC_BREAK_GLASS_KEPT_DAYS: int(400, 0, 36_500).meta({
    description: "A closed break-glass request is deleted after this many days; 0 = never. The audit log keeps it",
  }),
  SVC_WEBHOOK_KEPT_DAYS: int(30, 1, 36_500).meta({
    description:
      "Deliveries stay in a webhook's log for this many days after they ended; dead ones, which could not be delivered, three times as long",
  }),
  SVC_OUTBOUND_ALLOW_CIDRS: textList.pipe(
    z.array(z.string().refine(isCidr, "must be CIDR ranges such as 10.0.0.0/8, without host bits, joined by commas")),
  ).default([]).meta({
    section: "Calls to other servers",
    description:
      "Ranges of private addresses that federation and webhooks may call, such as `10.1.0.0/16,fd00::/8`. Unset: only addresses of the internet",
  }),
  SVC_OUTBOUND_PORTS: textList.pipe(
    z.array(
      z.string().regex(/^[1-9]\d{0,4}$/, "must be ports joined by commas").transform(Number).pipe(z.int().max(65_535)),
    )
      .min(1),
  ).default([443, 8443]).meta({
    description: "Ports that federation and webhooks may call",
  }),
  SVC_FEDERATION_CA_FILE: z.string().min(1).optional().meta({
    description: "PEM file of certificate authorities that federation and webhooks trust, besides those of the runtime",
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
  SVC_FEDERATION_ENDPOINT: InstanceEndpoint.optional().meta({
    secret: "password",
    section: "Federation",
    description:
      "The base URL at which peers reach this instance, `https://…`. The URL in a peer's token must begin with it. Unset: only path and query of that URL are checked, and invitations cannot be made",
  }),
  SVC_FEDERATION_SYMMETRIC_KEY: z.string().min(1).max(200).optional().meta({
    secret: "value",
    description:
      "Base64 of 32 random bytes: seals the pages for peers that have no key of their own. Without it or without the private key, pages are served in plaintext",
  }),
  SVC_FEDERATION_REQUIRE_CRYPTO: onOff("off").meta({
    description: "`on`: the service neither serves nor accepts plaintext, and does not start without valid keys",
  }),
  SVC_FEDERATION_PEERS: z.string().max(PEERS_CHARS_MAX).optional().meta({
    secret: "value",
    description:
      "Peers: a JSON array of entries (`id`, `endpoint`, `workspaces`, `certPin`, `signingPublicKey`, `symmetricKey`, `apiKey` …)",
  }),
  SVC_FEDERATION_PEERS_FILE: z.string().min(1).optional().meta({
    description: "A file with that array; use either this or `SVC_FEDERATION_PEERS`",
  }),
  SVC_FEDERATION_SRV: z.string().max(255).regex(
    /^_[a-z0-9-]{1,62}\._tcp(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){2,}$/,
    "must be _service._tcp.domain",
  ).optional().meta({
    description: "Name of the DNS SRV records by which the service discovers peers: `_svc-federation._tcp.example.com`",
  }),
  SVC_FEDERATION_SRV_WORKSPACES: z.string().transform((text) => text.split(",").map((id) => id.trim())).pipe(
    z.array(Id).min(1).max(1_000),
  ).optional().meta({
    description: "The workspaces in which discovered peers are offered for approval: ids, separated by commas",
  }),
  SVC_FEDERATION_INTERVAL_SECONDS: int(60, 1, 86_400).meta({
    description: "Seconds between two turns with a peer that announces nothing",
  }),
  SVC_FEDERATION_RECONCILE_HOURS: int(24, 1, 720).meta({
    description: "Hours between two comparisons of all items with a peer",
  }),
  SVC_FEDERATION_PER_MINUTE: int(600, 1, 1_000_000).meta({
    description: "Requests per minute that one peer may make",
  }),
  SVC_FEDERATION_SELF_WEIGHT: int(100, 0, 100).meta({
    description: "Weight of this instance's own vote when instances vote about an item, 0 to 100",
  }),
  SVC_FEDERATION_TENANT_PEERS: onOff("on").meta({
    description: "`off`: only the operator, and no workspace admin, adds and approves peers",
  }),
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
