/**
 * Tracing: spans to an OTLP/HTTP collector.
 *
 * Tracing is on when an endpoint is given and costs a function call when it is not. Spans are batched in a bounded
 * queue and exported in the background; a collector that is slow or away costs spans, never a request. The context
 * runs in an own `AsyncLocalStorage` rather than in the process-wide one, so that two services in one process stay
 * apart and nothing is registered globally. Deno's built-in tracing is not used: it needs a second variable at start
 * and puts query strings into spans.
 *
 * No span carries a URL, a query, a header or an error's message. Attribute texts pass the redaction of the log.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as OtelTracer,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { ServiceError } from "../errors.ts";
import { createExporter, type ExportProtocol, type ExportReport } from "./exporter.ts";
import { type Redact, redactShapes } from "./redact.ts";
import { createSampler, type SamplerName } from "./sampler.ts";

export type SpanValue = string | number | boolean | undefined;
export type SpanAttributes = Readonly<Record<string, SpanValue>>;

/** The span of running work. All methods do nothing if the span is not recorded. */
export interface ActiveSpan {
  readonly recording: boolean;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed without an exception; `type` is an error code. */
  fail(type: string): void;
}

/** The span of a request; its name becomes `METHOD route`. */
export interface RequestSpan extends ActiveSpan {
  /** The route template, known once the router has matched. */
  setRoute(template: string): void;
  setStatus(status: number): void;
}

export interface RequestStart {
  readonly method: string;
  readonly requestId: string;
  /** Only `traceparent` and `tracestate` are read. */
  readonly headers: Headers;
}

export interface Tracer {
  readonly enabled: boolean;
  /** Runs `fn` inside a span. An error marks the span as failed, under its code or name, and is rethrown. */
  span<T>(name: string, attributes: SpanAttributes, fn: (span: ActiveSpan) => Promise<T>): Promise<T>;
  /**
   * Adds a finished child to the running span, for work that was done in pieces or in parallel. Times are those of
   * `performance.now()`. Outside of a span it does nothing.
   */
  record(name: string, attributes: SpanAttributes, startedMs: number, endedMs: number): void;
  /** Runs a request inside a server span that continues the caller's trace. */
  request<T>(start: RequestStart, fn: (span: RequestSpan) => Promise<T>): Promise<T>;
  /** Adds `traceparent` and `tracestate` to the headers of an outgoing request. */
  inject(headers: Headers): void;
  /** The running trace's id (32 hex digits); undefined when tracing is off or outside of a span. */
  traceId(): string | undefined;
  /** Exports queued spans. */
  flush(): Promise<void>;
  /** Exports queued spans within `shutdownTimeoutMs` and stops. Never throws. */
  shutdown(): Promise<void>;
}

export interface TracingOptions {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`: the collector's base URL; `/v1/traces` is appended. Without it tracing is off. */
  readonly endpoint?: string | undefined;
  /** `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`: the full URL for traces; takes precedence over `endpoint`. */
  readonly tracesEndpoint?: string | undefined;
  /** `OTEL_EXPORTER_OTLP_PROTOCOL`. Default `http/json`. */
  readonly protocol?: ExportProtocol | undefined;
  /** Headers besides those of `OTEL_EXPORTER_OTLP_HEADERS`, which the exporter reads itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly serviceName?: string | undefined;
  readonly serviceVersion?: string | undefined;
  readonly sampler?: SamplerName | undefined;
  /** The share from 0 to 1 for the ratio samplers; default 1. */
  readonly samplerArg?: number | undefined;
  readonly redact?: Redact;
  /** Called when exporting begins to fail, each minute while it fails, and when it works again. */
  readonly onExport?: (report: ExportReport) => void;
  /** The most finished spans that wait; further ones are dropped. Default 2,048. */
  readonly queueSpansMax?: number;
  /** Default 256, because the service's own thread encodes a batch. */
  readonly batchSpansMax?: number;
  /** Default 1,000. */
  readonly batchDelayMs?: number;
  /** Default 10,000. */
  readonly exportTimeoutMs?: number;
  /** Default 2,000. */
  readonly shutdownTimeoutMs?: number;
}

const ATTRIBUTE_CHARS_MAX = 1_024;
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Creates the tracer; without an endpoint it is `noopTracer`.
 * @throws ServiceError `validation_failed` when an option cannot be used.
 */
export function createTracer(options: TracingOptions): Tracer {
  const url = tracesUrl(options);
  return url === undefined ? noopTracer : new OtlpTracer(url, options);
}

const noopSpan: RequestSpan = { recording: false, set() {}, fail() {}, setRoute() {}, setStatus() {} };

/** The tracer that records nothing. */
export const noopTracer: Tracer = {
  enabled: false,
  span: (_name, _attributes, fn) => fn(noopSpan),
  record() {},
  request: (_start, fn) => fn(noopSpan),
  inject() {},
  traceId: () => undefined,
  flush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

class OtlpTracer implements Tracer {
  readonly enabled = true;
  readonly #exporter: SpanExporter;
  readonly #provider: TracerProvider;
  readonly #tracer: OtelTracer;
  readonly #context = new AsyncLocalStorage<Context>();
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #redact: Redact;
  readonly #shutdownTimeoutMs: number;

  constructor(url: string, options: TracingOptions) {
    const resource = defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({
        "service.name": options.serviceName ?? "svc",
        ...(options.serviceVersion === undefined ? {} : { "service.version": options.serviceVersion }),
      }));
    const queueSpansMax = options.queueSpansMax ?? 2_048;
    const timeoutMs = options.exportTimeoutMs ?? 10_000;
    this.#exporter = createExporter({ ...options, url, timeoutMs });
    this.#provider = new TracerProvider({
      resource,
      sampler: createSampler(options.sampler, options.samplerArg),
      spanLimits: { attributeValueLengthLimit: ATTRIBUTE_CHARS_MAX, attributeCountLimit: 64 },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: this.#exporter,
          maxQueueSize: queueSpansMax,
          maxExportBatchSize: Math.min(options.batchSpansMax ?? 256, queueSpansMax),
          scheduledDelayMillis: options.batchDelayMs ?? 1_000,
          exportTimeoutMillis: timeoutMs + 1_000,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer("svc", options.serviceVersion);
    this.#redact = options.redact ?? redactShapes;
    this.#shutdownTimeoutMs = options.shutdownTimeoutMs ?? 2_000;
  }

  span<T>(name: string, attributes: SpanAttributes, fn: (span: ActiveSpan) => Promise<T>): Promise<T> {
    const parent = this.#context.getStore() ?? ROOT_CONTEXT;
    const options = { kind: SpanKind.INTERNAL, attributes: cleanAttributes(attributes, this.#redact) };
    return this.#run(this.#tracer.startSpan(name, options, parent), parent, fn);
  }

  record(name: string, attributes: SpanAttributes, startedMs: number, endedMs: number): void {
    const parent = this.#context.getStore();
    if (parent === undefined) return;
    const options = { kind: SpanKind.INTERNAL, attributes: cleanAttributes(attributes, this.#redact) };
    this.#tracer.startSpan(name, { ...options, startTime: startedMs }, parent).end(endedMs);
  }

  request<T>(start: RequestStart, fn: (span: RequestSpan) => Promise<T>): Promise<T> {
    const parent = this.#propagator.extract(ROOT_CONTEXT, start.headers, HEADERS_GETTER);
    const method = METHODS.has(start.method) ? start.method : "_OTHER";
    const attributes = cleanAttributes(
      { "http.request.method": method, "svc.request_id": start.requestId },
      this.#redact,
    );
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    return this.#run(span, parent, (active) => fn(new RecordedRequest(active, span, method)));
  }

  inject(headers: Headers): void {
    const context = this.#context.getStore();
    if (context !== undefined) this.#propagator.inject(context, headers, HEADERS_SETTER);
  }

  traceId(): string | undefined {
    const span = trace.getSpanContext(this.#context.getStore() ?? ROOT_CONTEXT);
    return span !== undefined && isSpanContextValid(span) ? span.traceId : undefined;
  }

  async flush(): Promise<void> {
    // The exporter has reported a failure already.
    await this.#provider.forceFlush().catch(() => undefined);
  }

  async shutdown(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = new Promise<void>((resolve) => timer = setTimeout(resolve, this.#shutdownTimeoutMs));
    // The first failing batch ends the provider's own shutdown, while others may still be running.
    const stopped = this.#provider.shutdown().catch(() => this.#exporter.shutdown()).catch(() => undefined);
    await Promise.race([stopped, waited]);
    clearTimeout(timer);
  }

  async #run<T>(span: Span, parent: Context, fn: (span: ActiveSpan) => Promise<T>): Promise<T> {
    const active = new RecordedSpan(span, this.#redact);
    try {
      return await this.#context.run(trace.setSpan(parent, span), fn, active);
    } catch (error) {
      markThrown(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

class RecordedSpan implements ActiveSpan {
  readonly recording: boolean;
  readonly #span: Span;
  readonly #redact: Redact;

  constructor(span: Span, redact: Redact) {
    this.recording = span.isRecording();
    this.#span = span;
    this.#redact = redact;
  }

  set(attributes: SpanAttributes): void {
    if (this.recording) this.#span.setAttributes(cleanAttributes(attributes, this.#redact));
  }

  fail(type: string): void {
    if (!this.recording) return;
    this.set({ "error.type": type });
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

class RecordedRequest implements RequestSpan {
  readonly recording: boolean;
  readonly #active: ActiveSpan;
  readonly #span: Span;
  readonly #method: string;

  constructor(active: ActiveSpan, span: Span, method: string) {
    this.recording = active.recording;
    this.#active = active;
    this.#span = span;
    this.#method = method;
  }

  set(attributes: SpanAttributes): void {
    this.#active.set(attributes);
  }

  fail(type: string): void {
    this.#active.fail(type);
  }

  setRoute(template: string): void {
    if (!this.recording) return;
    this.#span.updateName(`${this.#method} ${template}`);
    this.set({ "http.route": template });
  }

  /** A reply below 500 is the caller's fault, so a server's span has no error status then. */
  setStatus(status: number): void {
    this.set({ "http.response.status_code": status });
    if (status >= 500) this.fail(String(status));
  }
}

/** A refusal is an answer, so it keeps the span's status; other errors, and all of 500 or above, fail it. */
function markThrown(span: Span, error: unknown): void {
  if (error instanceof ServiceError) {
    span.setAttribute("error.type", error.code);
    if (error.status < 500) return;
  } else {
    span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
  }
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function cleanAttributes(attributes: SpanAttributes, redact: Redact): Attributes {
  const clean: Attributes = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) clean[name] = typeof value === "string" ? redact(value) : value;
  }
  return clean;
}

function tracesUrl({ endpoint, tracesEndpoint }: TracingOptions): string | undefined {
  const given = tracesEndpoint ?? endpoint;
  if (given === undefined || given === "") return undefined;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ServiceError("validation_failed", "Cannot export traces: the endpoint is no http or https URL");
  }
  if (tracesEndpoint === undefined) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url.href;
}

const HEADERS_GETTER = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};
const HEADERS_SETTER = { set: (headers: Headers, name: string, value: string) => headers.set(name, value) };
