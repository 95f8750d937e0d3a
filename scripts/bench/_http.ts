/** A lean HTTP/1.1 client for load: `fetch` costs more than some of the measured replies. */
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { Progress, round, summarise } from "./_bench.ts";
import { Child, findFreePort, waitUntilReady } from "./_service.ts";

/** Encodes a request as bytes, once for many sends. */
export function encodeRequest(
  url: string,
  method: "GET" | "POST",
  path: string,
  options: { readonly key?: string; readonly body?: unknown } = {},
): Uint8Array {
  const body = new TextEncoder().encode(options.body === undefined ? "" : JSON.stringify(options.body));
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    ...(options.key === undefined ? [] : [`authorization: Bearer ${options.key}`]),
    ...(options.body === undefined ? [] : ["content-type: application/json", `content-length: ${body.length}`]),
  ].join("\r\n") + "\r\n\r\n";
  const bytes = new TextEncoder().encode(head);
  const request = new Uint8Array(bytes.length + body.length);
  request.set(bytes);
  request.set(body, bytes.length);
  return request;
}

export interface Reply {
  readonly status: number;
  readonly body: Uint8Array;
}

/** One kept-alive connection; one request at a time. */
export class HttpConnection implements Disposable {
  readonly #conn: Deno.Conn;
  #buffer = new Uint8Array(65_536);
  #length = 0;

  private constructor(conn: Deno.Conn) {
    this.#conn = conn;
  }

  /** @param authority PEM of the authority that the certificate of an `https` URL is of */
  static async open(url: string, authority?: string): Promise<HttpConnection> {
    const { protocol, hostname, port } = new URL(url);
    const at = { hostname, port: Number(port) };
    if (protocol === "https:") {
      return new HttpConnection(await Deno.connectTls({ ...at, caCerts: authority === undefined ? [] : [authority] }));
    }
    const conn = await Deno.connect(at);
    conn.setNoDelay(true);
    return new HttpConnection(conn);
  }

  async send(request: Uint8Array): Promise<Reply> {
    for (let at = 0; at < request.length;) at += await this.#conn.write(request.subarray(at));
    this.#length = 0;
    let headEnd = -1;
    while ((headEnd = this.#findHeadEnd()) < 0) await this.#read();
    const head = new TextDecoder().decode(this.#buffer.subarray(0, headEnd));
    const status = Number(head.slice(9, 12));
    const declared = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, body: await this.#readChunks(headEnd + 4) };
    const end = headEnd + 4 + Number(declared?.[1] ?? 0);
    while (this.#length < end) await this.#read();
    return { status, body: this.#buffer.slice(headEnd + 4, end) };
  }

  [Symbol.dispose](): void {
    this.#conn.close();
  }

  async #readChunks(start: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let at = start;;) {
      let lineEnd = -1;
      while ((lineEnd = this.#indexOfLine(at)) < 0) await this.#read();
      const size = Number.parseInt(new TextDecoder().decode(this.#buffer.subarray(at, lineEnd)), 16);
      const next = lineEnd + 2 + size + 2;
      while (this.#length < next) await this.#read();
      if (size === 0) return Buffer.concat(parts);
      parts.push(this.#buffer.slice(lineEnd + 2, lineEnd + 2 + size));
      at = next;
    }
  }

  async #read(): Promise<void> {
    if (this.#length === this.#buffer.length) {
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    const n = await this.#conn.read(this.#buffer.subarray(this.#length));
    if (n === null) throw new Error("Cannot read the reply: the service closed the connection");
    this.#length += n;
  }

  /** Where the empty line after the headers begins. */
  #findHeadEnd(): number {
    const b = this.#buffer;
    for (let i = 0; i + 3 < this.#length; i++) {
      if (b[i] === 13 && b[i + 1] === 10 && b[i + 2] === 13 && b[i + 3] === 10) return i;
    }
    return -1;
  }

  #indexOfLine(from: number): number {
    for (let i = from; i + 1 < this.#length; i++) if (this.#buffer[i] === 13 && this.#buffer[i + 1] === 10) return i;
    return -1;
  }
}

export interface LoadOptions {
  readonly label: string;
  readonly url: string;
  /** PEM of the authority that the certificate of an `https` URL is of. */
  readonly authority?: string;
  /** Sent in turn. */
  readonly requests: readonly Uint8Array[];
  /** The number of connections, each with one request at a time (closed loop). */
  readonly concurrency: number;
  readonly count: number;
  /** Requests before the measurement begins. */
  readonly warmUp?: number;
  /** The answering process: its CPU time per request is reported, if the system shows it. */
  readonly pid?: number;
}

export interface LoadResult extends ReturnType<typeof summarise> {
  readonly concurrency: number;
  readonly requestsPerSecond: number;
  /** CPU time of the answering process, which shows its speed even if the client is the bottleneck. */
  readonly serverCpuMs?: number;
}

/** A measurement before it is summarised; several runs can be combined. */
export interface RawLoad {
  readonly durationsMs: readonly number[];
  readonly seconds: number;
  readonly serverCpuMs: number | undefined;
}

/** Sends requests over kept-alive connections. @throws Error at the first unsuccessful reply. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  return summariseLoads([await sendAll(options)], options.concurrency);
}

export function summariseLoads(loads: readonly RawLoad[], concurrency: number): LoadResult {
  const durations = loads.flatMap((load) => load.durationsMs);
  const sum = (pick: (load: RawLoad) => number) => loads.reduce((total, load) => total + pick(load), 0);
  const hasCpu = loads.every((load) => load.serverCpuMs !== undefined);
  return {
    ...summarise(durations),
    concurrency,
    requestsPerSecond: round(durations.length / sum((load) => load.seconds), 1),
    ...(hasCpu && { serverCpuMs: round(sum((load) => load.serverCpuMs!) / durations.length, 4) }),
  };
}

/** Like `runLoad`, without the summary. */
export async function sendAll(options: LoadOptions): Promise<RawLoad> {
  const { url, authority, requests, concurrency, count, warmUp = 0, pid } = options;
  const open = () => HttpConnection.open(url, authority);
  const connections = await Promise.all(Array.from({ length: concurrency }, open));
  const progress = new Progress(options.label, count + warmUp);
  const durations: number[] = [];
  let started = performance.now(), cpu = pid === undefined ? undefined : readCpuMs(pid), next = 0;
  const work = async (connection: HttpConnection, total: number, timed: boolean) => {
    while (next < total) {
      const index = next++;
      const sent = performance.now();
      const reply = await connection.send(requests[index % requests.length]!);
      if (timed) durations.push(performance.now() - sent);
      if (reply.status >= 300) {
        throw new Error(`Cannot measure: ${reply.status} ${new TextDecoder().decode(reply.body)}`);
      }
      progress.add();
    }
  };
  try {
    await Promise.all(connections.map((connection) => work(connection, warmUp, false)));
    next = 0;
    started = performance.now();
    cpu = pid === undefined ? undefined : readCpuMs(pid);
    await Promise.all(connections.map((connection) => work(connection, count, true)));
  } finally {
    for (const connection of connections) connection[Symbol.dispose]();
  }
  const seconds = (performance.now() - started) / 1_000;
  progress.end();
  const used = cpu === undefined ? undefined : readCpuMs(pid!);
  return { durationsMs: durations, seconds, serverCpuMs: used === undefined ? undefined : used - cpu! };
}

/** `p50 p95 p99 requests/s CPU` as a table's cells. */
export function loadCells(result: LoadResult): string[] {
  return [
    ...[result.p50Ms, result.p95Ms, result.p99Ms].map((ms) => ms.toFixed(2)),
    result.requestsPerSecond.toFixed(0),
    result.serverCpuMs?.toFixed(3) ?? "–",
  ];
}
export const LOAD_COLUMNS = ["p50 ms", "p95 ms", "p99 ms", "requests/s", "CPU ms/request"];

const TICKS_PER_SECOND = 100;

/** User and system time of a process so far, in steps of 10 ms; undefined if there is no /proc. */
export function readCpuMs(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 1_000 / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** The resident set of a process in MiB, now or at its highest. */
export function readRss(pid: number, name: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? NaN) / 1_024;
}

/** The reference: a validated JSON echo on the same stack, in a process of its own. */
export async function startEcho(): Promise<AsyncDisposable & { readonly url: string; readonly pid: number }> {
  const port = findFreePort();
  const script = new URL("./_echo.ts", import.meta.url).pathname;
  const child = new Child(["serve", "-A", "--quiet", "--host", "127.0.0.1", "--port", String(port), script], {});
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(`${url}/healthz`, child);
  return { url, pid: child.pid, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
