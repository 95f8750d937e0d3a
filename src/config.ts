/**
 * The configuration: read once from the environment, validated, frozen and passed on.
 *
 * Nothing else in the service reads the environment. Every variable that the README lists stands here, with its
 * default and its unit; an unknown value is refused at boot with the name of the variable.
 */
import { z } from "zod";
import { ServiceError } from "./errors.ts";
import { canonicalAddress } from "./schema/cidr.ts";
import { REGIONS } from "./schema/regions.ts";

export { type Region, REGIONS } from "./schema/regions.ts";

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
export const LEXICONS = ["wordnet", "none"] as const;
export const EXPORT_PROTOCOLS = ["http/json", "http/protobuf"] as const;

const int = (fallback: number, min: number, max: number) => z.coerce.number().int().min(min).max(max).default(fallback);
const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL");
const httpUrl = z.url({ protocol: /^https?$/ });
/** Not of the form of keys: the prefix of a token decides who checks it. */
const adminSecret = z.string().regex(/^(?!svc_live_|mk_admin_)[!-~]{32,200}$/, "must be 32 to 200 visible characters");
/** A break-glass grant ends after a day at the latest. */
const GRANT_MS_MAX = 86_400_000;
/** `name=value,name=value`, values percent-encoded, as OpenTelemetry writes headers. */
const headerList = z.string().refine((text) => readHeaderList(text) !== undefined, "must be name=value,name=value")
  .transform((text) => readHeaderList(text)!);

/** Every variable with its default and what it means; the README's table is made from this. */
export const Environment = z.object({
  DATABASE_URL: postgresUrl.optional().meta({
    description:
      "Postgres for requests: a plain role that is a member of `svc_app`, with `?prepare=false` for statements without names. Without it the embedded database is used",
  }),
  SVC_DATABASE_DIRECT_URL: postgresUrl.optional().meta({
    description:
      "The same database for the same role past a pooler in transaction mode: for notifications; required behind one",
  }),
  SVC_OWNER_DATABASE_URL: postgresUrl.optional().meta({
    description: "The owner's connection, used only to migrate; when set, every start migrates first",
  }),
  SVC_DATA_DIR: z.string().min(1).default("./data").meta({
    description: "Folder of the embedded database",
  }),
  SVC_HOST: z.string().min(1).default("127.0.0.1").meta({
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
      "The region served: `us-east-1`, `eu-west-1` or `ap-southeast-1`; workspaces of another are refused with `wrong_region`. Without it there is no region lock",
  }),
  SVC_INSTANCE_ID: z.string().regex(/^instance:[a-z0-9][a-z0-9.:-]{0,252}$/, "must be instance:<host>").default(
    "instance:localhost",
  ).meta({
    description: "`instance:<host>`, the origin of what is created here; keep it for as long as the data",
  }),
  SVC_FEDERATION_PRIVATE_KEY: z.string().min(1).max(4_000).optional().meta({
    description: "The instance's Ed25519 private key in PEM (PKCS #8): signs audit checkpoints and erasure receipts",
  }),
  SVC_AUDIT_CHECKPOINT_FILE: z.string().min(1).optional().meta({
    description:
      "File that audit checkpoints are appended to; keep it where the database's administrators cannot write",
  }),
  SVC_ADMIN_TOKEN: adminSecret.optional().meta({
    description:
      "Bearer token for `/v1/admin/*` beside the keys of admins, 32 visible characters or more: for setting up. It asks for no grant",
  }),
  SVC_ADMIN_TOTP_KEY: adminSecret.optional().meta({
    description:
      "Secret that the TOTP secrets of admins are sealed under in the database, 32 visible characters or more; without it no admin can be enrolled and no grant be asked for",
  }),
  ADMIN_MAX_TTL_MS: z.coerce.number().int().min(60_000).max(Number.MAX_SAFE_INTEGER).default(GRANT_MS_MAX).transform((
    ms,
  ) => Math.min(ms, GRANT_MS_MAX)).meta({
    description: "Longest break-glass grant in milliseconds; what is above 24 hours counts as 24 hours",
  }),
  SVC_TRUSTED_PROXY_IP: z.string().transform((text) => canonicalAddress(text)).pipe(
    z.string("must be an IP address"),
  ).optional().meta({
    description:
      "Address of the TLS proxy in front: only from there `X-Forwarded-For` and `x-svc-client-cert` are believed. Without it the latter is believed from anyone",
  }),
  SVC_RATE_LIMIT_PER_MINUTE: int(600, 0, 1_000_000).meta({
    description: "Requests a minute of one API key that has no limit of its own; 0 = no limit",
  }),
  SVC_RATE_LIMIT_BURST: int(120, 1, 1_000_000).meta({
    description: "Of these, how many may come at once",
  }),
  SVC_REQUESTS_PER_KEY_MAX: int(32, 0, 100_000).meta({
    description:
      "Requests of one API key that may be under way at once, each process; others wait their turn; 0 = any number. Streams are not counted here",
  }),
  SVC_REQUESTS_PER_WORKSPACE_MAX: int(64, 0, 100_000).meta({
    description: "The same of all keys of a workspace together",
  }),
  SVC_HEAVY_PER_WORKSPACE_MAX: int(2, 0, 100_000).meta({
    description: "Of these, how many may be heavy (batches, graphs, exports, imports and the like); 0 = any number",
  }),
  SVC_REQUESTS_WAIT_MS: int(5_000, 0, 60_000).meta({
    description: "Longest wait of a request for such turns, all of them together, in milliseconds; then 429",
  }),
  SVC_METRICS_TOKEN: z.string().min(16).max(256).optional().meta({
    description: "Bearer token that `/metrics` asks for, 16 characters or more",
  }),
  SVC_DB_POOL_MAX: int(10, 1, 200).meta({
    description: "Connections for requests, each process",
  }),
  SVC_DB_PER_WORKSPACE_MAX: z.coerce.number().int().min(0).max(200).optional().meta({
    description: "Of these, how many one workspace may have at once; 0 = all. Half of them unless told",
  }),
  SVC_DB_SECONDS_PER_KEY: int(180, 0, 1_000_000).meta({
    description:
      "Seconds a minute for which the transactions of one API key may have connections, each process; beyond it 429; 0 = no limit",
  }),
  SVC_DB_SECONDS_PER_WORKSPACE: int(240, 0, 1_000_000).meta({
    description: "The same of all keys of a workspace together",
  }),
  SVC_DB_DEADLINE_MS: int(5_000, 100, 600_000).meta({
    description: "Longest statement, and longest wait for the database, in milliseconds",
  }),
  SVC_DB_CONNECT_TIMEOUT_SECONDS: int(2, 1, 60).meta({
    description: "Longest wait for a connection, in seconds",
  }),
  SVC_HOT_BYTES_MAX: int(268_435_456, 0, 68_719_476_736).meta({
    description: "Memory of the hot tier, each process, in bytes; 0 turns it off",
  }),
  SVC_HOT_UNITS_MAX: int(20_000, 0, 10_000_000).meta({
    description: "Texts of one workspace in the hot tier",
  }),
  SVC_SEMANTIC_EXACT_MAX: int(5_000, 0, 1_000_000).meta({
    description: "Up to this many embeddings a workspace is scanned exactly, above it the HNSW index is used",
  }),
  SVC_LEXICON: z.enum(LEXICONS).default("wordnet").meta({
    description: "Where recall's related terms come from: `wordnet`, or `none`",
  }),
  SVC_EMBEDDINGS_URL: httpUrl.optional().meta({
    description: "Base URL of an OpenAI-compatible API (`…/v1`) for embeddings",
  }),
  SVC_EMBEDDINGS_MODEL: z.string().min(1).max(200).optional().meta({
    description: "Model name for it; required with the URL",
  }),
  SVC_EMBEDDINGS_API_KEY: z.string().min(1).max(1_000).optional().meta({
    description: "Bearer key for it",
  }),
  SVC_EMBEDDINGS_DIMENSION: int(384, 8, 2_000).meta({
    description: "Dimensions of the deployment's embeddings; fixed at the first migration",
  }),
  SVC_EMBEDDINGS_TIMEOUT_MS: int(10_000, 100, 120_000).meta({
    description: "Longest wait for a batch of documents, in milliseconds (a query waits 300 ms)",
  }),
  SVC_LLM_URL: httpUrl.optional().meta({
    description: "Base URL of an OpenAI-compatible API for text generation; never called by a read",
  }),
  SVC_LLM_MODEL: z.string().min(1).max(200).optional().meta({
    description: "Model name for it; required with the URL",
  }),
  SVC_LLM_API_KEY: z.string().min(1).max(1_000).optional().meta({
    description: "Bearer key for it",
  }),
  SVC_LLM_TIMEOUT_MS: int(30_000, 100, 600_000).meta({
    description: "Longest wait for one attempt, in milliseconds",
  }),
  SVC_WORTH_HALF_LIFE_DAYS: int(30, 1, 3_650).meta({
    description: "Days without a write or a use after which the recency of a unit, a part of its worth, is one half",
  }),
  SVC_GATE_NEW_FACTS_MIN: int(20, 0, 1_000_000).meta({
    description: "The consolidation gate opens with so many facts stored since the last run",
  }),
  SVC_GATE_CONTESTED_MAX: int(50, 0, 1_000_000).meta({
    description: "It is closed above so many open reviews of contested facts",
  }),
  SVC_GATE_DRIFT_MAX: z.coerce.number().min(0).max(100).default(0.25).meta({
    description: "It is closed above this drift index against the snapshot of a day ago",
  }),
  SVC_GATE_QUIET_SECONDS: int(60, 0, 86_400).meta({
    description: "It is closed for so many seconds after knowledge was written",
  }),
  SVC_CONSOLIDATION_ARCHIVE_WORTH_MAX: z.coerce.number().min(0).max(1).default(0.25).meta({
    description: "Consolidation archives what is worth less than this",
  }),
  SVC_CONSOLIDATION_ARCHIVE_AGE_DAYS: int(90, 0, 36_500).meta({
    description: "and was neither written nor used for so many days",
  }),
  SVC_SNAPSHOT_INTERVAL_SECONDS: int(3_600, 60, 604_800).meta({
    description: "Seconds between two snapshots of a workspace's health and make-up",
  }),
  SVC_SNAPSHOTS_KEPT: int(720, 2, 100_000).meta({
    description: "Snapshots kept of a workspace; older ones are deleted",
  }),
  SVC_JOBS_KEPT_DAYS: int(90, 0, 36_500).meta({
    description:
      "Days after which a job that ended is removed with its steps, and can no longer be reverted; 0 = never. The last consolidation stays, and so does what was reverted",
  }),
  SVC_REASONING_KEPT_DAYS: int(90, 0, 36_500).meta({
    description: "Days after which a chain of reasoning that expired or was retired is removed; 0 = never",
  }),
  SVC_TRAJECTORIES_KEPT_DAYS: int(365, 0, 36_500).meta({
    description: "Days after which an agent's trajectory is removed; 0 = never. Rules learnt from it stay",
  }),
  SVC_BREAK_GLASS_KEPT_DAYS: int(400, 0, 36_500).meta({
    description: "Days after which a break-glass request that ended is removed; 0 = never. The audit log keeps it",
  }),
  SVC_ARGON2_WORKERS: int(1, 1, 16).meta({
    description: "Threads that verify keys",
  }),
  SVC_BODY_DEADLINE_MS: int(30_000, 100, 600_000).meta({
    description: "A request body that takes longer is given up with 504; slower senders are the proxy's to refuse",
  }),
  SVC_STREAMS_MAX: int(1_000, 0, 100_000).meta({
    description: "Streams that may be open, each process",
  }),
  SVC_STREAMS_PER_KEY_MAX: int(20, 0, 100_000).meta({
    description: "Of these, how many of one API key",
  }),
  SVC_SHUTDOWN_GRACE_MS: int(8_000, 0, 60_000).meta({
    description: "After SIGTERM, the longest time for what still runs, in milliseconds",
  }),
  SVC_UPSTASH_REDIS_REST_URL: httpUrl.optional().meta({
    description:
      "Redis over REST (Upstash, or a compatible front) for what processes share; without it each keeps its own",
  }),
  SVC_UPSTASH_REDIS_REST_TOKEN: z.string().min(1).max(1_000).optional().meta({
    description: "Token for it; required with the URL",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().meta({
    description: "Collector's base URL; turns tracing on",
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional().meta({
    description: "Collector's URL for traces, instead of the base URL",
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(EXPORT_PROTOCOLS).default("http/json").meta({
    description: "`http/json` or `http/protobuf`",
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.enum(EXPORT_PROTOCOLS).optional().meta({
    description: "The same for traces alone",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.optional().meta({
    description:
      "Headers sent to the collector, such as its credentials: `name=value,name=value`, values percent-encoded",
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headerList.optional().meta({ description: "The same for traces alone" }),
  OTEL_TRACES_SAMPLER: z.enum(TRACES_SAMPLERS).default("parentbased_always_on").meta({
    description: "Which traces are kept, by OpenTelemetry's names",
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1).meta({
    description: "Share of traces for the ratio samplers, 0 to 1",
  }),
  OTEL_SERVICE_NAME: z.string().min(1).max(200).default("svc").meta({
    description: "Name of the service in traces",
  }),
}).superRefine((env, issues) => {
  const needs = (name: keyof typeof env, other: keyof typeof env) => {
    if (env[name] !== undefined && env[other] === undefined) {
      issues.addIssue({ code: "custom", path: [other], message: `is required when ${name} is set` });
    }
  };
  needs("SVC_DATABASE_DIRECT_URL", "DATABASE_URL");
  needs("SVC_EMBEDDINGS_URL", "SVC_EMBEDDINGS_MODEL");
  needs("SVC_EMBEDDINGS_MODEL", "SVC_EMBEDDINGS_URL");
  needs("SVC_EMBEDDINGS_API_KEY", "SVC_EMBEDDINGS_URL");
  needs("SVC_LLM_URL", "SVC_LLM_MODEL");
  needs("SVC_LLM_MODEL", "SVC_LLM_URL");
  needs("SVC_LLM_API_KEY", "SVC_LLM_URL");
  needs("SVC_UPSTASH_REDIS_REST_URL", "SVC_UPSTASH_REDIS_REST_TOKEN");
  needs("SVC_UPSTASH_REDIS_REST_TOKEN", "SVC_UPSTASH_REDIS_REST_URL");
  needs("SVC_OWNER_DATABASE_URL", "DATABASE_URL");
});

/** The frozen configuration. Names say their unit. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/**
 * Reads and validates the environment.
 * @throws ServiceError `validation_failed` naming every variable that is wrong; values are never shown.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = Deno.env.toObject()) {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  refuseUnknown(present);
  const parsed = Environment.safeParse(present);
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    const list = errors.map((error) => `${error.path} ${error.message}`).join("; ");
    throw new ServiceError("validation_failed", `Cannot read the configuration: ${list}`, { errors });
  }
  const e = parsed.data;
  return Object.freeze({
    database: Object.freeze({
      url: e.DATABASE_URL,
      directUrl: e.SVC_DATABASE_DIRECT_URL,
      ownerUrl: e.SVC_OWNER_DATABASE_URL,
      dataDir: e.SVC_DATA_DIR,
      poolMax: e.SVC_DB_POOL_MAX,
      perWorkspaceMax: e.SVC_DB_PER_WORKSPACE_MAX,
      deadlineMs: e.SVC_DB_DEADLINE_MS,
      connectTimeoutSeconds: e.SVC_DB_CONNECT_TIMEOUT_SECONDS,
    }),
    host: e.SVC_HOST,
    port: e.SVC_PORT,
    logLevel: e.SVC_LOG_LEVEL,
    region: e.SVC_REGION,
    instanceId: e.SVC_INSTANCE_ID,
    signingKeyPem: e.SVC_FEDERATION_PRIVATE_KEY,
    auditCheckpointFile: e.SVC_AUDIT_CHECKPOINT_FILE,
    admin: Object.freeze({
      token: e.SVC_ADMIN_TOKEN,
      totpKey: e.SVC_ADMIN_TOTP_KEY,
      grantSecondsMax: Math.floor(e.ADMIN_MAX_TTL_MS / 1_000),
    }),
    trustedProxyIp: e.SVC_TRUSTED_PROXY_IP,
    rateLimit: Object.freeze({ perMinute: e.SVC_RATE_LIMIT_PER_MINUTE, burst: e.SVC_RATE_LIMIT_BURST }),
    load: Object.freeze({
      perKeyMax: e.SVC_REQUESTS_PER_KEY_MAX,
      perWorkspaceMax: e.SVC_REQUESTS_PER_WORKSPACE_MAX,
      heavyPerWorkspaceMax: e.SVC_HEAVY_PER_WORKSPACE_MAX,
      waitMs: e.SVC_REQUESTS_WAIT_MS,
      databaseSecondsPerKey: e.SVC_DB_SECONDS_PER_KEY,
      databaseSecondsPerWorkspace: e.SVC_DB_SECONDS_PER_WORKSPACE,
    }),
    metricsToken: e.SVC_METRICS_TOKEN,
    hot: Object.freeze({ bytesMax: e.SVC_HOT_BYTES_MAX, unitsMax: e.SVC_HOT_UNITS_MAX }),
    semanticExactMax: e.SVC_SEMANTIC_EXACT_MAX,
    lexicon: e.SVC_LEXICON,
    embeddings: Object.freeze({
      url: e.SVC_EMBEDDINGS_URL,
      model: e.SVC_EMBEDDINGS_MODEL,
      apiKey: e.SVC_EMBEDDINGS_API_KEY,
      dimension: e.SVC_EMBEDDINGS_DIMENSION,
      timeoutMs: e.SVC_EMBEDDINGS_TIMEOUT_MS,
    }),
    llm: Object.freeze({
      url: e.SVC_LLM_URL,
      model: e.SVC_LLM_MODEL,
      apiKey: e.SVC_LLM_API_KEY,
      timeoutMs: e.SVC_LLM_TIMEOUT_MS,
    }),
    governance: Object.freeze({
      halfLifeDays: e.SVC_WORTH_HALF_LIFE_DAYS,
      newFactsMin: e.SVC_GATE_NEW_FACTS_MIN,
      contestedMax: e.SVC_GATE_CONTESTED_MAX,
      driftMax: e.SVC_GATE_DRIFT_MAX,
      quietSeconds: e.SVC_GATE_QUIET_SECONDS,
      archiveWorthMax: e.SVC_CONSOLIDATION_ARCHIVE_WORTH_MAX,
      archiveAgeDays: e.SVC_CONSOLIDATION_ARCHIVE_AGE_DAYS,
      snapshotIntervalSeconds: e.SVC_SNAPSHOT_INTERVAL_SECONDS,
      snapshotsKept: e.SVC_SNAPSHOTS_KEPT,
    }),
    kept: Object.freeze({
      jobsDays: e.SVC_JOBS_KEPT_DAYS,
      reasoningDays: e.SVC_REASONING_KEPT_DAYS,
      trajectoriesDays: e.SVC_TRAJECTORIES_KEPT_DAYS,
      breakGlassDays: e.SVC_BREAK_GLASS_KEPT_DAYS,
    }),
    argon2Workers: e.SVC_ARGON2_WORKERS,
    bodyDeadlineMs: e.SVC_BODY_DEADLINE_MS,
    streams: Object.freeze({ max: e.SVC_STREAMS_MAX, perKeyMax: e.SVC_STREAMS_PER_KEY_MAX }),
    shutdownGraceMs: e.SVC_SHUTDOWN_GRACE_MS,
    redis: Object.freeze({ restUrl: e.SVC_UPSTASH_REDIS_REST_URL, restToken: e.SVC_UPSTASH_REDIS_REST_TOKEN }),
    otel: Object.freeze({
      endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
      tracesEndpoint: e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
      protocol: e.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? e.OTEL_EXPORTER_OTLP_PROTOCOL,
      headers: Object.freeze({ ...e.OTEL_EXPORTER_OTLP_HEADERS, ...e.OTEL_EXPORTER_OTLP_TRACES_HEADERS }),
      sampler: e.OTEL_TRACES_SAMPLER,
      samplerArg: e.OTEL_TRACES_SAMPLER_ARG,
      serviceName: e.OTEL_SERVICE_NAME,
    }),
  });
}

function readHeaderList(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",")) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([!-~ ]*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name.toLowerCase()] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return headers;
}

/** A misspelt variable is an option that is silently ignored, so every `SVC_` name must be known. */
function refuseUnknown(env: Readonly<Record<string, unknown>>): void {
  const known = new Set(Object.keys(Environment.shape));
  const unknown = Object.keys(env).filter((name) =>
    name.startsWith("SVC_") && !name.startsWith("SVC_TEST_") && !known.has(name)
  );
  if (unknown.length > 0) {
    throw new ServiceError("validation_failed", `Cannot read the configuration: unknown ${unknown.join(", ")}`);
  }
}
