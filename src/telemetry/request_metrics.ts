/** The metrics of requests. An endpoint is its route template; a path without a route is `unmatched`. */
import { Counter, Histogram, type Registry } from "prom-client";
import { methodLabel, seconds, statusLabel, word } from "./metric_labels.ts";

/** A finished request. `endpoint` is the route template, undefined when no route matched. */
export interface RequestObservation {
  readonly method: string;
  readonly endpoint: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  /** The error code of the reply, when it is an error. */
  readonly errorCode?: string | undefined;
}

const UNMATCHED = "unmatched";
/** The service has about 160 endpoints; more distinct values than this can only be a fault, and become `unmatched`. */
const ENDPOINTS_MAX = 1_000;
/** Paths in the form of routes: `/v1/facts/:id`, `/v1/facts/{id}`, `/svc.v1.SvcService/Recall`. */
const TEMPLATE = /^\/[\w./:{}*-]{0,199}$/;
/** The buckets of the durations of requests, and of recalls, which are parts of them. */
export const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class RequestMetrics {
  readonly #endpoints = new Set<string>();
  readonly #requests: Counter<"method" | "endpoint" | "status">;
  readonly #errors: Counter<"method" | "endpoint" | "type">;
  readonly #seconds: Histogram<"method" | "endpoint">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "svc_requests_total",
      help: "Requests answered, by method, route template and status.",
      labelNames: ["method", "endpoint", "status"],
      registers,
    });
    this.#errors = new Counter({
      name: "svc_errors_total",
      help: "Requests answered with an error, by method, route template and error code.",
      labelNames: ["method", "endpoint", "type"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "svc_request_duration_seconds",
      help: "Time from a request's arrival to its reply's head.",
      labelNames: ["method", "endpoint"],
      buckets: REQUEST_SECONDS,
      registers,
    });
  }

  /** Counts a request with its duration and, when it failed, its error. */
  observe(request: RequestObservation): void {
    const method = methodLabel(request.method);
    const endpoint = this.#endpoint(request.endpoint);
    this.#requests.inc({ method, endpoint, status: statusLabel(request.status) });
    this.#seconds.observe({ method, endpoint }, seconds(request.durationMs));
    if (request.errorCode !== undefined) this.#errors.inc({ method, endpoint, type: word(request.errorCode) });
  }

  /** Counts an error that no reply carries. */
  countError(error: { method: string; endpoint: string | undefined; type: string }): void {
    const { method, endpoint, type } = error;
    this.#errors.inc({ method: methodLabel(method), endpoint: this.#endpoint(endpoint), type: word(type) });
  }

  #endpoint(endpoint: string | undefined): string {
    if (endpoint === undefined) return UNMATCHED;
    if (this.#endpoints.has(endpoint)) return endpoint;
    if (this.#endpoints.size >= ENDPOINTS_MAX || !TEMPLATE.test(endpoint)) return UNMATCHED;
    this.#endpoints.add(endpoint);
    return endpoint;
  }
}
