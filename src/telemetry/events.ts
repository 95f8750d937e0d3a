/**
 * One helper for each notable event: one log line with a stable `event` name.
 *
 * The names are for alerts and searches, so they do not change. Fields are ids, counts and durations; never a key, a
 * name that a caller chose, or content.
 */
import type { Log } from "./log.ts";

/** The service accepts requests. */
export function serverStarted(
  log: Log,
  fields: {
    host: string;
    port: number;
    version: string;
    database: "embedded" | "postgres";
    tracing: boolean;
  },
): void {
  log.info("server.started", fields);
}

/**
 * `SVC_TRUSTED_PROXY_IP` is not set: anybody who reaches the port may present any client certificate in a header, and
 * all callers behind a proxy have its address.
 */
export function trustedProxyUnset(log: Log): void {
  log.warn("server.trusted_proxy_unset", {});
}

/** An admin's bearer created, rotated or widened a key of a workspace that is in use: its holder can enter there. */
export function adminOpenedWorkspace(
  log: Log,
  fields: {
    requestId: string;
    actor: string;
    workspaceId: string;
    how: "created" | "rotated" | "widened";
    keyId: string;
  },
): void {
  log.warn("access.admin_opened_workspace", fields);
}

/**
 * A client certificate that came with a request is ignored: it did not come through the trusted proxy, or is no
 * certificate at all. The first may be an attack, the second is a misconfigured proxy.
 */
export function clientCertificateIgnored(
  log: Log,
  fields: { requestId: string; reason: "untrusted_source" | "unreadable" },
): void {
  log.warn("access.client_certificate_ignored", fields);
}

/**
 * The service has disabled a webhook: its URL is gone, every attempt failed for days, too much was waiting, or the key that
 * answers for it has lost its rights.
 */
export function webhookDisabled(
  log: Log,
  fields: { workspaceId: string; webhookId: string; reason: "gone" | "failing" | "backlog" | "key" },
): void {
  log.warn("webhook.disabled", fields);
}

/** A webhook was not called because of its host. Its owner is not told which of the reasons it was. */
export function webhookHostRefused(
  log: Log,
  fields: { workspaceId: string; webhookId: string; reason: string },
): void {
  log.info("webhook.host_refused", fields);
}

/** The configuration or the database forbids a start; the process ends. */
export function bootRefused(log: Log, fields: { error: unknown }): void {
  log.error("server.boot_refused", fields);
}

/** No connection could be accepted, such as for lack of file descriptors; it is tried again. */
export function acceptFailed(log: Log, fields: { error: unknown; retryMs: number }): void {
  log.error("server.accept_failed", fields);
}

/** The service stops: from here on it is not ready, and it finishes open requests. */
export function shutdownBegun(log: Log, fields: { signal: string; openRequests?: number; graceMs: number }): void {
  log.info("server.shutdown_begun", fields);
}

/** The service has stopped. `drained` is false when the grace ran out with requests open. */
export function shutdownFinished(log: Log, fields: { durationMs: number; drained: boolean }): void {
  if (fields.drained) log.info("server.stopped", fields);
  else log.warn("server.stopped", fields);
}

/** The instance's keys cannot be read: nothing is signed or sealed. */
export function serveCryptoInitFailed(log: Log, fields: { error: unknown }): void {
  log.error("federation.serve_crypto_init_failed", fields);
}

/**
 * The token of a request between instances was refused. `check` names the check that failed; the sender does not learn
 * it.
 */
export function federationTokenRefused(
  log: Log,
  fields: { requestId: string; workspaceId: string; check: string; peer: string | undefined },
): void {
  log.warn("federation.token_refused", fields);
}

/**
 * The clocks of two instances are too far apart to accept a token. `skewSeconds`: by how much the peer's clock is
 * ahead.
 */
export function federationClockSkew(
  log: Log,
  fields: { workspaceId: string; peer: string; skewSeconds: number },
): void {
  log.warn("federation.clock_skew", fields);
}

/** The configuration names a peer that somebody had added to the workspace; from now on the configured entry counts. */
export function configuredPeerTakesOver(log: Log, fields: { workspaceId: string; peer: string }): void {
  log.warn("federation.configured_peer_takes_over", fields);
}

/** The configuration names a peer that a person removed; it stays removed until somebody adds it again. */
export function removedPeerIsConfigured(log: Log, fields: { workspaceId: string; peer: string }): void {
  log.warn("federation.removed_peer_is_configured", fields);
}

/** No exchange with a peer has succeeded for a day. This is logged once, until an exchange succeeds. */
export function peerStale(log: Log, fields: { workspaceId: string; peer: string; since: string | null }): void {
  log.error("federation.peer_stale", fields);
}

/** A peer can be reached, and more trust in it is possible. */
export function peerTrustIncomplete(
  log: Log,
  fields: { workspaceId: string; peer: string; warnings: readonly string[] },
): void {
  log.warn("federation.peer_trust_incomplete", fields);
}

/** A peer was not called because of its host. Who sees the peer is not told which of the reasons it was. */
export function peerHostRefused(log: Log, fields: { workspaceId: string; peerId: string; reason: string }): void {
  log.info("federation.host_refused", fields);
}

/** The DNS lookup of peers failed; the known peers stay. */
export function discoveryFailed(log: Log, fields: { error: unknown }): void {
  log.warn("federation.discovery_failed", fields);
}

/** A key has sealed half of the items that it may; set another one. Logged once. `to` is the reader that was served. */
export function sealKeyWorn(log: Log, fields: { workspaceId: string; to: string; items: number; max: number }): void {
  log.warn("federation.seal_key_worn", fields);
}

/** A key has sealed as many items as it may; the service serves nothing under it. */
export function sealKeyUsedUp(log: Log, fields: { workspaceId: string; to: string; max: number }): void {
  log.error("federation.seal_key_used_up", fields);
}

/** A turn with a peer failed; the next turn continues. */
export function turnFailed(log: Log, fields: { workspaceId: string; peer: string; error: unknown }): void {
  log.warn("federation.turn_failed", fields);
}

/** A checkpoint of an audit log; the note is what proves a rewrite later. */
export function auditCheckpointMade(
  log: Log,
  fields: { workspaceId: string; size: number; root: string; note: string },
): void {
  log.info("audit.checkpoint", fields);
}

/** Reads and refusals wait for the audit log, which is tried again; if too many wait, reads are refused. */
export function auditWriteFailed(log: Log, fields: { error: unknown; waiting: number }): void {
  log.error("audit.write_failed", fields);
}

/** Recalls wait for the recall diary, which is tried again; if too many wait, further ones are lost. */
export function diaryWriteFailed(log: Log, fields: { error: unknown; waiting: number }): void {
  log.error("recall_diary.write_failed", fields);
}

/**
 * A workspace could not be loaded into the hot tier. Recall answers from the database, and a later request tries again.
 */
export function hotLoadFailed(log: Log, fields: { workspaceId: string; error: unknown; retryMs: number }): void {
  log.error("recall.hot_load_failed", fields);
}

/** An error that no reply explains: the caller saw `internal` and this request id. */
export function requestFailed(
  log: Log,
  fields: { requestId: string; method: string; route: string | undefined; error: unknown },
): void {
  log.error("http.request_failed", { ...fields, route: fields.route ?? "unmatched" });
}

/** An export broke off; the caller saw the reply end early. */
export function exportBroken(log: Log, fields: { requestId: string; error: unknown }): void {
  log.error("export.broken_off", fields);
}

/** A stream ended by an unexpected error; its reader saw `internal`. */
export function streamFailed(log: Log, fields: { requestId: string; channel: string; error: unknown }): void {
  log.error("stream.failed", fields);
}

/** An error outside of any request, which the last handler caught. */
export function processFault(log: Log, fields: { origin: string; error: unknown }): void {
  log.error("process.fault", fields);
}

export function migrationApplied(log: Log, fields: { migration: string; durationMs: number }): void {
  log.info("database.migration_applied", fields);
}

/** Rows of an earlier build are converted to this build's rules before requests are answered. */
export function upgradeBegun(log: Log, fields: { workspaces: number }): void {
  log.info("database.upgrade_begun", fields);
}

/** The nearest-neighbour index over an embedding model's vectors is missing or broken, and a build starts. */
export function vectorIndexBegun(log: Log): void {
  log.info("database.vector_index_begun", {});
}

export function vectorIndexBuilt(log: Log, fields: { durationMs: number }): void {
  log.info("database.vector_index_built", fields);
}

/** A connection died, so the whole pool was retired, so that none of its handles can reach another workspace's rows. */
export function databasePoolReplaced(log: Log, fields: { generation: number; error: unknown }): void {
  log.warn("database.pool_replaced", fields);
}

/**
 * Whether notifications arrive that this process sent to itself on the connections of requests. They do not if the
 * listening connection leads through a pooler, to another database, or nowhere.
 */
export function notificationsHeard(log: Log, { isHearing, error }: { isHearing: boolean; error: unknown }): void {
  if (isHearing) log.info("notifications.heard", {});
  else log.error("notifications.deaf", { error });
}

/** A pooler lends sessions for one transaction at a time. */
export function databasePooled(log: Log, fields: { statements: "prepared" | "unnamed" }): void {
  log.info("database.pooled", fields);
}

/** The driver threw outside of any call because of a dead connection, whose pool has been replaced already. */
export function databaseDriverFault(log: Log, fields: { error: unknown }): void {
  log.warn("database.driver_fault", fields);
}

export function databaseDown(log: Log, fields: { error: unknown }): void {
  log.error("database.down", fields);
}

export function databaseRecovered(log: Log, fields: { downMs: number }): void {
  log.info("database.recovered", fields);
}

/**
 * A cluster other than the home cluster cannot be used: requests for its workspaces are refused, all others are served.
 */
export function clusterAway(log: Log, fields: { cluster: string; error: unknown }): void {
  log.error("cluster.away", fields);
}

export function clusterBack(log: Log, fields: { cluster: string; awayMs: number }): void {
  log.info("cluster.back", fields);
}

/** Reads for a replica run on the primary: the replica is away, behind, promoted or belongs to another primary. */
export function replicaUnused(log: Log, fields: { state: string; error: unknown }): void {
  log.warn("replica.unused", fields);
}

export function replicaUsed(log: Log, fields: { unusedMs: number }): void {
  log.info("replica.used", fields);
}

/** Redis does not answer: nothing waits for it, and each process counts for itself until it takes a write again. */
export function cacheDown(log: Log, fields: { error: unknown }): void {
  log.warn("cache.down", fields);
}

export function cacheRecovered(log: Log, fields: { downMs: number }): void {
  log.info("cache.recovered", fields);
}

/** The keys of an issuer of tokens cannot be fetched. `known`: earlier ones go on counting. */
export function issuerAway(log: Log, fields: { issuer: string; known: boolean; error: unknown }): void {
  log.warn("issuer.away", fields);
}

/** The built-in sentence encoder cannot be used: recall goes on by words and the table of word pieces. */
export function sentenceEncoderFailed(log: Log, fields: { error: unknown }): void {
  log.warn("embedding.encoder_failed", fields);
}

/** The embedding endpoint fails: items are stored and embedded later, recall goes on without the semantic tier. */
export function embeddingEndpointDown(log: Log, fields: { model: string; error: unknown; pending?: number }): void {
  log.warn("embedding.endpoint_down", fields);
}

/** The endpoint refuses a text, or returns no usable vector: the text is tried again after longer and longer pauses. */
export function embeddingRefused(log: Log, fields: { model: string; workspaceId: string; error: unknown }): void {
  log.warn("embedding.refused", fields);
}

export function embeddingEndpointRecovered(log: Log, fields: { model: string; downMs: number }): void {
  log.info("embedding.endpoint_recovered", fields);
}

/** A background worker's step failed; it goes on after `retryMs`. */
export function workerFailed(log: Log, fields: { worker: string; error: unknown; retryMs: number }): void {
  log.error("worker.failed", fields);
}

/** The embedded database could not be vacuumed or its log truncated; it is tried again in 15 s. */
export function embeddedUpkeepFailed(log: Log, fields: { error: unknown }): void {
  log.error("database.upkeep_failed", fields);
}

/**
 * The running service takes no commands of the command line: the socket in its data folder could not be made. It serves
 * all the same.
 */
export function operatorSocketFailed(log: Log, fields: { error: unknown }): void {
  log.warn("server.operator_socket_failed", fields);
}

/** A row whose retention is over could not be erased; the others are, and it is tried again in a minute. */
export function retentionFailed(
  log: Log,
  fields: { workspaceId: string; resourceId: string; resourceType: string; error: unknown },
): void {
  log.error("retention.failed", fields);
}

/** A worker waited too long for a lock that somebody else holds, and tries again later. */
export function workerGaveWay(log: Log, fields: { worker: string; workspaceId: string; retryMs: number }): void {
  log.info("worker.gave_way", fields);
}

/** A job ended in an error; its row holds only the message. */
export function jobFailed(log: Log, fields: { jobId: string; kind: string; error: unknown }): void {
  log.error("job.failed", fields);
}

export function traceExportFailed(log: Log, fields: { spansLost: number; error: unknown }): void {
  log.warn("tracing.export_failed", fields);
}

export function traceExportRecovered(log: Log, fields: { spansLost: number }): void {
  log.info("tracing.export_recovered", fields);
}

/** A gauge of /metrics has no numbers because its source failed. */
export function metricsSourceFailed(log: Log, fields: { source: string; error: unknown }): void {
  log.warn("metrics.source_failed", fields);
}
