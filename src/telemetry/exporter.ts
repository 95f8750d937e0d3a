/**
 * The span exporter: OTLP over HTTP, as JSON or protobuf, with failures logged once rather than for each batch.
 *
 * Headers, timeout, compression and certificates of `OTEL_EXPORTER_OTLP_*` are read by the official exporter.
 */
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { EXPORT_PROTOCOLS } from "../environment.ts";

export type ExportProtocol = (typeof EXPORT_PROTOCOLS)[number];

/** A change in exporting: it fails (for the first time, or still after a minute), or works again. */
export interface ExportReport {
  readonly ok: boolean;
  /** Spans lost since the last report. */
  readonly spansLost: number;
  readonly error?: unknown;
}

export interface ExporterOptions {
  readonly url: string;
  readonly protocol?: ExportProtocol | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly onExport?: ((report: ExportReport) => void) | undefined;
}

const REPORT_EVERY_MS = 60_000;

/** Creates the exporter for a full traces URL. */
export function createExporter(options: ExporterOptions): SpanExporter {
  const config = { url: options.url, headers: { ...options.headers }, timeoutMillis: options.timeoutMs };
  const inner = options.protocol === "http/protobuf" ? new ProtobufExporter(config) : new JsonExporter(config);
  return new ReportingExporter(inner, options.onExport ?? (() => {}));
}

class ReportingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #report: (report: ExportReport) => void;
  #spansLost = 0;
  #failing = false;
  #reportedAt = -Infinity;

  constructor(inner: SpanExporter, report: (report: ExportReport) => void) {
    this.#inner = inner;
    this.#report = report;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#inner.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded();
      else this.#failed(spans.length, result.error);
      done(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #succeeded(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#report({ ok: true, spansLost: this.#spansLost });
    this.#spansLost = 0;
    this.#reportedAt = -Infinity;
  }

  #failed(spans: number, error: unknown): void {
    this.#failing = true;
    this.#spansLost += spans;
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    this.#report({ ok: false, spansLost: this.#spansLost, error });
    this.#spansLost = 0;
  }
}
