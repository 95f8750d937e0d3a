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

/** An admin's bearer created, rotated or widened a key of a workspace that is in use, or got a token: its holder can enter there. */
export function adminOpenedWorkspace(
  log: Log,
  fields: {
    requestId: string;
    actor: string;
    workspaceId: string;
    how: "created" | "rotated" | "widened" | "token";
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

/** The keys of an issuer of tokens cannot be fetched. `known`: earlier ones go on counting. */
export function issuerAway(log: Log, fields: { issuer: string; known: boolean; error: unknown }): void {
  log.warn("issuer.away", fields);
}

/** A person did not get into the console by an issuer; the person is not told why. */
export function signInFailed(log: Log, fields: { issuer: string; error: unknown }): void {
  log.warn("sign_in.failed", fields);
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
