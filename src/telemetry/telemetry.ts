/** Log, metrics and tracer of one running service, created and ended together. */
import { metricsSourceFailed, traceExportFailed, traceExportRecovered } from "./events.ts";
import { createLog, type Log, type LogOptions, noopLog } from "./log.ts";
import type { MetricsOptions } from "./metric_sources.ts";
import { Metrics } from "./metrics.ts";
import { createRedact } from "./redact.ts";
import { createTracer, noopTracer, type Tracer, type TracingOptions } from "./tracing.ts";

export interface Telemetry extends AsyncDisposable {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** Exports the waiting spans. Never throws; may be called twice. */
  shutdown(): Promise<void>;
}

export interface TelemetryOptions {
  readonly log?: Omit<LogOptions, "secrets">;
  readonly metrics?: Omit<MetricsOptions, "onSourceError">;
  readonly tracing?: Omit<TracingOptions, "redact" | "onExport">;
  /** Configured secrets, which are removed from log lines and spans wherever they occur. */
  readonly secrets?: readonly (string | undefined)[];
}

/**
 * Creates the telemetry of a service.
 * @throws ServiceError `validation_failed` when a tracing option cannot be used.
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const log = createLog({ ...options.log, secrets: options.secrets ?? [] });
  const metrics = new Metrics({
    ...options.metrics,
    onSourceError: (source, error) => metricsSourceFailed(log, { source, error }),
  });
  const tracer = createTracer({
    ...options.tracing,
    redact: createRedact(options.secrets),
    onExport: ({ ok, spansLost, error }) =>
      ok ? traceExportRecovered(log, { spansLost }) : traceExportFailed(log, { spansLost, error }),
  });
  return bundle(log, metrics, tracer);
}

/** Telemetry that writes and sends nothing; its metrics count, so that a test can read them. */
export function noopTelemetry(): Telemetry {
  return bundle(noopLog, new Metrics(), noopTracer);
}

function bundle(log: Log, metrics: Metrics, tracer: Tracer): Telemetry {
  let stopped: Promise<void> | undefined;
  const shutdown = () => stopped ??= tracer.shutdown();
  return { log, metrics, tracer, shutdown, [Symbol.asyncDispose]: shutdown };
}
