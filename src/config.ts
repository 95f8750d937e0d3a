/**
 * The configuration: read once from the environment, validated, frozen and passed on.
 *
 * Nothing else in the service reads the environment. Every variable is declared in `environment.ts`, or in a list that is
 * part of it; the boot refuses a value that it cannot read and names the variable.
 */
import type { z } from "zod";
import { type PeerList, readPeerList } from "./configured_peers.ts";
import { CLIENT_VARIABLES, Environment } from "./environment.ts";
import { ServiceError } from "./errors.ts";
import { findNearNames } from "./schema/near_names.ts";
import { sayIssue } from "./schema/plain_words.ts";

/** The environment, with the checks of variables that need each other. */
const CheckedEnvironment = Environment.superRefine((env, issues) => {
  const needs = (name: keyof typeof env, other: keyof typeof env) => {
    if (env[name] !== undefined && env[other] === undefined) {
      issues.addIssue({ code: "custom", path: [other], message: `is required when ${name} is set` });
    }
  };
  needs("SVC_DATABASE_DIRECT_URL", "DATABASE_URL");
  needs("SVC_DATABASE_REPLICA_URL", "DATABASE_URL");
  needs("SVC_EMBEDDINGS_URL", "SVC_EMBEDDINGS_MODEL");
  needs("SVC_EMBEDDINGS_MODEL", "SVC_EMBEDDINGS_URL");
  needs("SVC_EMBEDDINGS_API_KEY", "SVC_EMBEDDINGS_URL");
  needs("SVC_LLM_URL", "SVC_LLM_MODEL");
  needs("SVC_LLM_MODEL", "SVC_LLM_URL");
  needs("SVC_LLM_API_KEY", "SVC_LLM_URL");
  needs("SVC_UPSTASH_REDIS_REST_URL", "SVC_UPSTASH_REDIS_REST_TOKEN");
  needs("SVC_UPSTASH_REDIS_REST_TOKEN", "SVC_UPSTASH_REDIS_REST_URL");
  needs("SVC_OWNER_DATABASE_URL", "DATABASE_URL");
  needs("SVC_CLUSTERS", "DATABASE_URL");
  const clusters = new Set(["home", ...(env.SVC_CLUSTERS ?? []).map(({ name }) => name)]);
  for (const list of ["SVC_CLUSTERS_DIRECT", "SVC_OWNER_CLUSTERS"] as const) {
    for (const { name } of env[list] ?? []) {
      if (!clusters.has(name)) {
        issues.addIssue({ code: "custom", path: [list], message: `names ${name}, which SVC_CLUSTERS does not` });
      }
    }
  }
  if (!clusters.has(env.SVC_NEW_WORKSPACES_CLUSTER)) {
    issues.addIssue({ code: "custom", path: ["SVC_NEW_WORKSPACES_CLUSTER"], message: "is not in SVC_CLUSTERS" });
  }
  needs("SVC_OAUTH_ISSUERS", "SVC_PUBLIC_URL");
  needs("SVC_SECRETS_KEY_PREVIOUS", "SVC_SECRETS_KEY");
  needs("SVC_FEDERATION_SRV", "SVC_FEDERATION_SRV_WORKSPACES");
  needs("SVC_FEDERATION_SRV_WORKSPACES", "SVC_FEDERATION_SRV");
  if (env.SVC_FEDERATION_PEERS !== undefined && env.SVC_FEDERATION_PEERS_FILE !== undefined) {
    issues.addIssue({
      code: "custom",
      path: ["SVC_FEDERATION_PEERS_FILE"],
      message: "is set beside SVC_FEDERATION_PEERS",
    });
  }
  needs("SVC_FEDERATION_CLIENT_CERT_FILE", "SVC_FEDERATION_CLIENT_KEY_FILE");
  needs("SVC_FEDERATION_CLIENT_KEY_FILE", "SVC_FEDERATION_CLIENT_CERT_FILE");
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
  const parsed = CheckedEnvironment.safeParse(present, { error: sayIssue });
  if (!parsed.success) {
    const errors = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    const list = errors.map((error) => `${error.path} ${error.message}`).join("; ");
    throw new ServiceError("validation_failed", `Cannot read the configuration: ${list}`, { errors });
  }
  const e = parsed.data;
  const { peers, secrets: secretsOfPeers } = readPeers(e);
  return Object.freeze({
    /** Secret texts that no log line and no span may contain. */
    secrets: Object.freeze([...listSecrets(e), ...secretsOfPeers]),
    database: Object.freeze({
      url: e.DATABASE_URL,
      directUrl: e.SVC_DATABASE_DIRECT_URL,
      replicaUrl: e.SVC_DATABASE_REPLICA_URL,
      ownerUrl: e.SVC_OWNER_DATABASE_URL,
      clusters: Object.freeze(readClusters(e)),
      newWorkspacesCluster: e.SVC_NEW_WORKSPACES_CLUSTER,
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
    outbound: Object.freeze({
      allowed: e.SVC_OUTBOUND_ALLOW_CIDRS,
      ports: e.SVC_OUTBOUND_PORTS,
      authoritiesFile: e.SVC_FEDERATION_CA_FILE,
      clientCertificateFile: e.SVC_FEDERATION_CLIENT_CERT_FILE,
      clientKeyFile: e.SVC_FEDERATION_CLIENT_KEY_FILE,
    }),
    auditCheckpointFile: e.SVC_AUDIT_CHECKPOINT_FILE,
    admin: Object.freeze({
      token: e.SVC_ADMIN_TOKEN,
      totpKey: e.SVC_ADMIN_TOTP_KEY,
      grantSecondsMax: Math.floor(e.ADMIN_MAX_TTL_MS / 1_000),
    }),
    secretsKey: e.SVC_SECRETS_KEY,
    secretsKeyPrevious: e.SVC_SECRETS_KEY_PREVIOUS,
    federation: Object.freeze({
      endpoint: e.SVC_FEDERATION_ENDPOINT,
      symmetricKey: e.SVC_FEDERATION_SYMMETRIC_KEY,
      requireCrypto: e.SVC_FEDERATION_REQUIRE_CRYPTO === "on",
      peers,
      srv: e.SVC_FEDERATION_SRV,
      srvWorkspaces: Object.freeze(e.SVC_FEDERATION_SRV_WORKSPACES ?? []),
      intervalSeconds: e.SVC_FEDERATION_INTERVAL_SECONDS,
      reconcileHours: e.SVC_FEDERATION_RECONCILE_HOURS,
      perMinute: e.SVC_FEDERATION_PER_MINUTE,
      selfWeight: e.SVC_FEDERATION_SELF_WEIGHT,
      tenantPeers: e.SVC_FEDERATION_TENANT_PEERS === "on",
    }),
    trustedProxyIp: e.SVC_TRUSTED_PROXY_IP,
    publicUrl: e.SVC_PUBLIC_URL,
    oauth: Object.freeze({
      isServer: e.SVC_OAUTH_SERVER === "on",
      issuers: Object.freeze(e.SVC_OAUTH_ISSUERS ?? []),
    }),
    hosts: Object.freeze(listHosts(e)),
    corsOrigins: Object.freeze(e.SVC_CORS_ORIGINS ?? []),
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
    postingsBytesMax: e.SVC_POSTINGS_BYTES_MAX,
    semanticExactMax: e.SVC_SEMANTIC_EXACT_MAX,
    embeddings: Object.freeze({
      sentenceEncoder: e.SVC_SENTENCE_ENCODER,
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
      webhooksDays: e.SVC_WEBHOOK_KEPT_DAYS,
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

/**
 * Reads the peers of the variable, or of the file that the other variable names.
 * @throws ServiceError `validation_failed`
 */
function readPeers(e: z.infer<typeof Environment>): PeerList {
  const { SVC_FEDERATION_PEERS: own, SVC_FEDERATION_PEERS_FILE: file } = e;
  const name = file === undefined ? "SVC_FEDERATION_PEERS" : "SVC_FEDERATION_PEERS_FILE";
  const text = file === undefined ? own : readFile(file);
  if (text === undefined) return { peers: [], secrets: [] };
  return readPeerList(text, {
    name,
    ownId: e.SVC_INSTANCE_ID,
    requireCrypto: e.SVC_FEDERATION_REQUIRE_CRYPTO === "on",
  });
}

function readFile(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (cause) {
    const message = "Cannot read the configuration: SVC_FEDERATION_PEERS_FILE names a file that cannot be read";
    throw new ServiceError("validation_failed", message, { cause });
  }
}

/** What to do instead of setting a variable that an earlier version had. */
const REMOVED: Readonly<Record<string, string>> = {
  SVC_WORKERS:
    "svc serve is one process. Unset it, and start several on ports of their own behind the proxy of deploy/haproxy.cfg " +
    "(docs/guides/processes.md)",
};

/**
 * A misspelt variable is an option that is silently ignored, so every `SVC_` name must be known. Those of clients are:
 * one shell may run the service, its operator's commands and a client.
 */
function refuseUnknown(env: Readonly<Record<string, unknown>>): void {
  for (const [name, instead] of Object.entries(REMOVED)) {
    if (name in env) {
      throw new ServiceError("validation_failed", `Cannot read the configuration: ${name} is no more: ${instead}`);
    }
  }
  const known = new Set([...Object.keys(Environment.shape), ...Object.keys(CLIENT_VARIABLES)]);
  const unknown = Object.keys(env).filter((name) =>
    name.startsWith("SVC_") && !name.startsWith("SVC_TEST_") && !known.has(name)
  );
  if (unknown.length > 0) {
    const names = unknown.map((name) => {
      const near = findNearNames(name, known);
      return near.length === 0 ? name : `${name} (did you mean ${near.join(" or ")}?)`;
    });
    throw new ServiceError("validation_failed", `Cannot read the configuration: unknown ${names.join(", ")}`);
  }
}

type ClusterList = NonNullable<z.infer<typeof Environment>["SVC_CLUSTERS"]>;
type IssuerList = NonNullable<z.infer<typeof Environment>["SVC_OAUTH_ISSUERS"]>;

/** The clusters other than the home cluster, each with its direct and its owner's URL. */
function readClusters(e: z.infer<typeof Environment>) {
  const urlIn = (list: ClusterList | undefined, wanted: string) => list?.find(({ name }) => name === wanted)?.url;
  return (e.SVC_CLUSTERS ?? []).map(({ name, url }) => ({
    name,
    url,
    directUrl: urlIn(e.SVC_CLUSTERS_DIRECT, name),
    ownerUrl: urlIn(e.SVC_OWNER_CLUSTERS, name),
  }));
}

/** The names under which clients reach the service, in lower case: those that are set, and those that other variables hold. */
function listHosts(values: z.infer<typeof Environment>): string[] {
  const instance = URL.parse(`http://${values.SVC_INSTANCE_ID.slice("instance:".length)}`)?.hostname;
  const endpoint = values.SVC_FEDERATION_ENDPOINT && new URL(values.SVC_FEDERATION_ENDPOINT).hostname;
  const own = values.SVC_PUBLIC_URL && new URL(values.SVC_PUBLIC_URL).hostname;
  return [...values.SVC_HOSTS ?? [], instance, endpoint, own].filter((name) => name !== undefined);
}

/** The secret parts of the values of all variables that are declared as secret. */
function listSecrets(values: z.infer<typeof Environment>): string[] {
  return Object.entries(Environment.shape).flatMap(([name, schema]) => {
    const kind = schema.meta()?.["secret"];
    const value = values[name as keyof typeof values];
    if (kind === undefined || value === undefined) return [];
    if (kind === "password") return passwordOf(String(value)) ?? [];
    if (kind === "clusters") return (value as ClusterList).flatMap(({ url }) => passwordOf(url) ?? []);
    if (kind === "issuers") return (value as IssuerList).flatMap(({ signIn }) => signIn?.clientSecret ?? []);
    // A header such as "Basic abc" is one secret with its scheme, and one without.
    if (kind === "headers") return Object.values(value).map(String).flatMap((text) => [text, text.split(" ").at(-1)!]);
    return [String(value)];
  });
}

/** The decoded password of a URL, also of one with several hosts; undefined if it has none. */
function passwordOf(url: string): string | undefined {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^:/?#]*:([^/?#]*)@/i.exec(url) ?? [];
  if (!password) return undefined;
  try {
    return decodeURIComponent(password);
  } catch {
    // The password is not encoded, so it occurs elsewhere in the same form.
    return password;
  }
}
