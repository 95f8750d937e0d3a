/** Answers for the service as a whole: whether it is ready, and the metrics of all workers. */
import { jsonOf, refusalOf } from "./reply.ts";
import { OWN_PREFIX, PEER_HEADER, type RequestHead } from "./head.ts";
import type { Peer } from "./placement.ts";
import type { WorkerProcess } from "./worker_process.ts";
import { ServiceError } from "../errors.ts";

const DEADLINE_MS = 5_000;

/** Sends a request to one worker on behalf of a caller. */
export async function askWorker(
  worker: WorkerProcess,
  head: RequestHead,
  peer: Peer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const passed = new Headers({ [PEER_HEADER]: `${peer.hostname} ${peer.port}`, ...headers });
  for (const name of ["authorization", "x-forwarded-for", "x-request-id"]) {
    const value = head.header(name);
    if (value !== null && !name.startsWith(OWN_PREFIX)) passed.set(name, value);
  }
  return await fetch(`http://svc${head.target}`, {
    headers: passed,
    client: worker.client,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}

interface Readiness {
  readonly status: string;
  readonly checks: Record<string, string>;
}

/**
 * Whether the service is ready: when every worker is up and ready. A caller may exclude the check `workers`. Each check
 * shows its worst result among the workers.
 */
export async function readyOf(workers: readonly WorkerProcess[], head: RequestHead, peer: Peer): Promise<Response> {
  const excluded = new URL(head.target, "http://svc").searchParams.get("exclude")?.split(",") ?? [];
  const up = workers.filter(({ isUp }) => isUp);
  const replies = await Promise.allSettled(up.map((worker) => askWorker(worker, head, peer)));
  const answered = replies.flatMap((reply) => reply.status === "fulfilled" ? [reply.value] : []);
  const refusal = answered.find(({ status }) => status !== 200 && status !== 503);
  if (refusal !== undefined) return refusal;
  const all = await Promise.all(answered.map(async (reply) => await reply.json() as Readiness));
  const checks: Record<string, string> = {};
  for (const one of all) {
    for (const [name, check] of Object.entries(one.checks)) {
      if (checks[name] === undefined || checks[name] === "ok") checks[name] = check;
    }
  }
  const areAll = answered.length === workers.length;
  checks["workers"] = areAll ? "ok" : "starting";
  const isReady = all.length > 0 && all.every(({ status }) => status === "ok") &&
    (areAll || excluded.includes("workers"));
  return jsonOf(head, { status: isReady ? "ok" : "unavailable", checks }, isReady ? 200 : 503);
}

/**
 * The metrics of all workers on one page, each sample with its worker's number as the label `worker`, and the front's
 * own metrics.
 */
export async function metricsOf(workers: readonly WorkerProcess[], head: RequestHead, peer: Peer): Promise<Response> {
  const up = workers.filter(({ isUp }) => isUp);
  const replies = await Promise.allSettled(up.map((worker) => askWorker(worker, head, peer)));
  const pages: { worker: number; text: string }[] = [];
  let headers: Headers | undefined;
  for (const [i, reply] of replies.entries()) {
    if (reply.status === "rejected") continue;
    if (reply.value.status !== 200) return reply.value;
    headers ??= new Headers(reply.value.headers);
    pages.push({ worker: up[i]!.index, text: await reply.value.text() });
  }
  if (headers === undefined) {
    return refusalOf(new ServiceError("unavailable", "Cannot show the metrics: no worker answers"), head);
  }
  // The merged page has another length.
  headers.delete("content-length");
  return new Response(mergePages([...pages, ownPage(workers)]), { headers });
}

function ownPage(workers: readonly WorkerProcess[]): { text: string } {
  const lines = (name: string, value: (worker: WorkerProcess) => number) =>
    workers.map((worker) => `${name}{worker="${worker.index}"} ${value(worker)}\n`).join("");
  return {
    text: "# HELP svc_worker_up Whether the process of this worker is up\n# TYPE svc_worker_up gauge\n" +
      lines("svc_worker_up", ({ isUp }) => isUp ? 1 : 0) +
      "# HELP svc_worker_restarts_total How often the process of this worker was started again\n" +
      "# TYPE svc_worker_restarts_total counter\n" + lines("svc_worker_restarts_total", ({ restarts }) => restarts),
  };
}

/**
 * Merges pages of the Prometheus text format: writes each metric's description once, before the samples of all pages.
 * Samples of a page with a worker get the label `worker`.
 */
export function mergePages(pages: readonly { readonly worker?: number; readonly text: string }[]): string {
  const families = new Map<string, { about: string[]; samples: string[] }>();
  for (const { worker, text } of pages) {
    let family: { about: string[]; samples: string[] } | undefined;
    let isFirst = true;
    for (const line of text.split("\n")) {
      const described = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (described !== undefined) {
        isFirst = !families.has(described) || (family === families.get(described) && isFirst);
        family = families.get(described) ?? { about: [], samples: [] };
        families.set(described, family);
        if (isFirst) family.about.push(line);
      } else if (line !== "" && family !== undefined) {
        family.samples.push(worker === undefined ? line : labelled(line, worker));
      }
    }
  }
  return [...families.values()].map(({ about, samples }) => `${[...about, ...samples].join("\n")}\n`).join("\n");
}

function labelled(sample: string, worker: number): string {
  const end = sample.search(/[{\s]/);
  const [name, rest] = [sample.slice(0, end), sample.slice(end)];
  const label = `worker="${worker}"`;
  if (!rest.startsWith("{")) return `${name}{${label}}${rest}`;
  return `${name}{${label}${rest.startsWith("{}") ? "" : ","}${rest.slice(1)}`;
}
