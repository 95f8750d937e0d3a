/**
 * Argon2id (RFC 9106) hashes of key secrets, computed in worker threads.
 *
 * One hash takes about 0.1 s of CPU and 19 MiB, so it never runs on the thread that answers requests. A bounded queue
 * holds the waiting ones: beyond it a request is refused, not delayed. A stored string with another cost than the
 * configured one is refused, so that a row cannot make the service compute something expensive.
 */
import { timingSafeEqual } from "node:crypto";
import { ServiceError } from "../errors.ts";
import workerProgram from "../gen/argon2id_worker.js.txt" with { type: "text" };

/** The cost of one hash. */
export interface Argon2idCost {
  readonly memoryKib: number;
  readonly iterations: number;
}

/** OWASP's minimum for Argon2id. Salt 16 bytes, digest 32 bytes, version 0x13. */
const COST: Argon2idCost = { memoryKib: 19_456, iterations: 2 };
const FORM = { parallelism: 1, hashLength: 32 } as const;
const SALT_BYTES = 16;
const PHC_TAIL = /^([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** A message to a worker thread. */
export interface Argon2idRequest extends Argon2idCost {
  readonly secret: string;
  readonly salt: Uint8Array;
  readonly parallelism: number;
  readonly hashLength: number;
}

/** A worker thread's answer. */
export type Argon2idReply = { readonly digest: Uint8Array } | { readonly error: string };

export interface Argon2idOptions {
  /** Default: OWASP's minimum. No setting of the service changes it; tests use less, because they hash all the time. */
  readonly cost?: Argon2idCost;
  /** Worker threads, started when they are first needed. Default 1. */
  readonly workers?: number;
  /** Hashes that may wait for a thread; further ones are refused. Default 32, about three seconds of one thread. */
  readonly queueMax?: number;
  /**
   * A thread that has not answered by then counts as dead. Default 20000: on a machine that is short of processor time a
   * hash may take seconds, and a new thread would only be slower.
   */
  readonly jobTimeoutMs?: number;
  /** Starts a thread; tests replace it to kill threads. */
  readonly spawn?: () => Worker;
}

interface Job {
  readonly request: Argon2idRequest;
  readonly resolve: (digest: Uint8Array) => void;
  readonly reject: (reason: unknown) => void;
}

interface Thread {
  worker: Worker | undefined;
  job: Job | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Hashes and verifies secrets. Dispose it: a running thread keeps the process alive. */
export class Argon2id implements Disposable {
  readonly #cost: Argon2idCost;
  readonly #phcHead: string;
  readonly #threads: Thread[];
  readonly #queue: Job[] = [];
  readonly #queueMax: number;
  readonly #jobTimeoutMs: number;
  readonly #spawn: () => Worker;
  #disposed = false;

  constructor(options: Argon2idOptions = {}) {
    const { cost = COST, workers = 1, queueMax = 32, jobTimeoutMs = 20_000, spawn = spawnWorker } = options;
    this.#cost = cost;
    this.#phcHead = `$argon2id$v=19$m=${cost.memoryKib},t=${cost.iterations},p=${FORM.parallelism}$`;
    this.#threads = Array.from({ length: workers }, () => ({ worker: undefined, job: undefined, timer: undefined }));
    this.#queueMax = queueMax;
    this.#jobTimeoutMs = jobTimeoutMs;
    this.#spawn = spawn;
  }

  /** Hashes that wait for a thread; for metrics. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * The PHC string of a secret, with a new random salt.
   * @throws ServiceError `unavailable` (with `retry-after`) when the queue is full or the thread died
   */
  async hash(secret: string, signal?: AbortSignal): Promise<string> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    const digest = await this.#compute(secret, salt, signal);
    return `${this.#phcHead}${salt.toBase64({ omitPadding: true })}$${digest.toBase64({ omitPadding: true })}`;
  }

  /**
   * Whether the secret is the one behind the stored PHC string. Digests are compared in constant time.
   * @throws ServiceError `unavailable` as `hash`; `internal` when the stored string is damaged or has another cost
   */
  async verify(secret: string, phc: string, signal?: AbortSignal): Promise<boolean> {
    const parts = phc.startsWith(this.#phcHead) ? PHC_TAIL.exec(phc.slice(this.#phcHead.length)) : null;
    if (parts === null) throw new ServiceError("internal", "Cannot verify secret: stored hash has an unknown form");
    const [, salt, expected] = parts;
    const digest = await this.#compute(secret, Uint8Array.fromBase64(salt), signal);
    return timingSafeEqual(digest, Uint8Array.fromBase64(expected));
  }

  /** Ends the threads; running and waiting jobs are refused. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const job of this.#queue.splice(0)) job.reject(unavailable("the service is stopping"));
    for (const thread of this.#threads) this.#discard(thread, "the service is stopping");
  }

  async #compute(secret: string, salt: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array> {
    signal?.throwIfAborted();
    if (this.#disposed) throw unavailable("the service is stopping");
    if (this.#queue.length >= this.#queueMax && this.#threads.every((thread) => thread.job !== undefined)) {
      throw unavailable(`${this.#queueMax} others are waiting`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const job: Job = { request: { secret, salt, ...this.#cost, ...FORM }, resolve, reject };
    const abort = () => this.#abort(job, signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#queue.push(job);
    this.#assign();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** A waiting job leaves the queue; a running one cannot be stopped, so its thread stays busy until it answers. */
  #abort(job: Job, reason: unknown): void {
    const at = this.#queue.indexOf(job);
    if (at !== -1) this.#queue.splice(at, 1);
    job.reject(reason);
  }

  #assign(): void {
    for (const thread of this.#threads) {
      if (thread.job !== undefined) continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.timer = setTimeout(() => this.#fail(thread, "a worker thread did not answer"), this.#jobTimeoutMs);
      try {
        thread.worker ??= this.#start(thread);
        thread.worker.postMessage(job.request);
      } catch {
        this.#fail(thread, "a worker thread could not be started");
      }
    }
  }

  #start(thread: Thread): Worker {
    const worker = this.#spawn();
    worker.onmessage = ({ data }: MessageEvent<Argon2idReply>) => this.#answer(thread, data);
    worker.onerror = (event) => {
      // If it is not prevented, the error of a worker ends the whole process.
      event.preventDefault();
      if (thread.worker === worker) this.#fail(thread, "a worker thread died");
    };
    return worker;
  }

  #answer(thread: Thread, reply: Argon2idReply): void {
    clearTimeout(thread.timer);
    const job = thread.job;
    thread.job = undefined;
    if ("digest" in reply) job?.resolve(reply.digest);
    else job?.reject(unavailable("a worker thread could not compute it"));
    this.#assign();
  }

  /** Gives up a thread and refuses its job; the next job starts a new worker. */
  #fail(thread: Thread, reason: string): void {
    this.#discard(thread, reason);
    if (!this.#disposed) this.#assign();
  }

  #discard(thread: Thread, reason: string): void {
    clearTimeout(thread.timer);
    const { worker, job } = thread;
    thread.worker = undefined;
    thread.job = undefined;
    if (worker !== undefined) {
      worker.onmessage = null;
      worker.terminate();
    }
    job?.reject(unavailable(reason));
  }
}

function unavailable(reason: string): ServiceError {
  return new ServiceError("unavailable", `Cannot check the key now: ${reason}`);
}

/** A `data:` URL needs no file at run time: it works alike in the checkout, a bundle and a compiled binary. */
function spawnWorker(): Worker {
  const url = `data:text/javascript;base64,${new TextEncoder().encode(workerProgram).toBase64()}`;
  return new Worker(url, { type: "module", name: "argon2id" });
}
