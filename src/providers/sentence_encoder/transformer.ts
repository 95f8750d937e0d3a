/**
 * The transformer of the built-in sentence encoder, in a thread of its own.
 *
 * It reads one chunk at a time: its numbers are scaled by what it reads together, so that only a chunk read alone has
 * always the same vector. What somebody waits for goes before the backlog, which also leaves the next question its way: who
 * asks often asks again at once.
 */
import { Worker } from "node:worker_threads";
import { EmbeddingError } from "../provider_error.ts";
import type { ThreadReply, ThreadState } from "./transformer_thread.ts";

/** `now`: somebody waits for it, who asks or writes. `later`: the backlog. */
export type Urgency = "now" | "later";

interface Waiting {
  readonly ids: readonly number[];
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** The backlog waits until nothing has been urgent for so long, in milliseconds, but for one chunk in `LATER_EVERY_MS`. */
const QUIET_MS = 20;
export const LATER_EVERY_MS = 60;
/** How much of what is known of the pace a chunk's time replaces. */
const PACE_SHARE = 0.1;

export class Transformer {
  readonly #folder: URL;
  readonly #waiting: Record<Urgency, Waiting[]> = { now: [], later: [] };
  #thread: Thread;
  #isWorking = false;
  /** When something urgent came or was ready last, and when a chunk of the backlog was read last. */
  #urgentAt = -Infinity;
  #laterAt = -Infinity;
  /** Ends the rest of the backlog. */
  #wake: (() => void) | undefined;
  #running: { readonly pieces: number; readonly since: number } | undefined;
  /** Milliseconds for a piece, of the latest chunks; 0 before the first one. */
  #pace = 0;

  private constructor(folder: URL, thread: Thread) {
    this.#folder = folder;
    this.#thread = thread;
  }

  /** @throws EmbeddingError `damaged`; `unsupported` where this platform has no library for it */
  static async load(folder: URL): Promise<Transformer> {
    return new Transformer(folder, await Thread.start(folder));
  }

  /** How many chunks wait or are being read. */
  get backlog(): number {
    return this.#waiting.now.length + this.#waiting.later.length + Number(this.#running !== undefined);
  }

  /**
   * How long the first chunk of a question would wait, in milliseconds: for the questions before it, and for the chunk that
   * is being read. One that takes longer than its pieces should is taken to need as long again.
   */
  get queryWaitMs(): number {
    const pieces = this.#waiting.now.reduce((sum, { ids }) => sum + ids.length, 0);
    const running = this.#running;
    const rest = running === undefined
      ? 0
      : Math.abs(running.pieces * this.#pace - (performance.now() - running.since));
    return pieces * this.#pace + rest;
  }

  /** The vector of a chunk's pieces, of length 1. @throws EmbeddingError */
  encode(ids: readonly number[], urgency: Urgency): Promise<Float32Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    this.#waiting[urgency].push({ ids, resolve, reject });
    if (urgency === "now") {
      this.#urgentAt = performance.now();
      this.#wake?.();
    }
    if (!this.#isWorking) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.backlog > 0) {
      const restMs = this.#restMs();
      if (restMs > 0) {
        await this.#rest(restMs);
        continue;
      }
      const isUrgent = this.#waiting.now.length > 0;
      const next = (this.#waiting.now.shift() ?? this.#waiting.later.shift())!;
      this.#running = { pieces: next.ids.length, since: performance.now() };
      try {
        if (this.#thread.hasEnded) this.#thread = await Thread.start(this.#folder);
        next.resolve(await this.#thread.encode(next.ids));
        this.#notePace(this.#running);
      } catch (cause) {
        next.reject(new EmbeddingError("server_error", "Cannot embed a text: the sentence encoder failed", { cause }));
      }
      this.#running = undefined;
      if (isUrgent) this.#urgentAt = performance.now();
      else this.#laterAt = performance.now();
    }
    this.#isWorking = false;
  }

  /** How long the backlog has to wait, in milliseconds; 0 where something is urgent. */
  #restMs(): number {
    if (this.#waiting.now.length > 0) return 0;
    return Math.min(this.#urgentAt + QUIET_MS, this.#laterAt + LATER_EVERY_MS) - performance.now();
  }

  async #rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
    clearTimeout(timer);
  }

  #notePace({ pieces, since }: { readonly pieces: number; readonly since: number }): void {
    const pace = (performance.now() - since) / pieces;
    this.#pace = this.#pace === 0 ? pace : (1 - PACE_SHARE) * this.#pace + PACE_SHARE * pace;
  }
}

interface Listener {
  readonly resolve: (message: ThreadState | ThreadReply) => void;
  readonly reject: (cause: unknown) => void;
}

/** A thread of `transformer_thread.ts`. It has one question at a time, and holds no process that has nothing to do. */
class Thread {
  readonly #worker: Worker;
  #listener: Listener | undefined;
  hasEnded = false;

  private constructor(folder: URL) {
    const program = new URL("./transformer_thread.ts", import.meta.url);
    this.#worker = new Worker(program, { workerData: { folder: folder.href } });
    const end = (cause: unknown) => {
      this.hasEnded = true;
      this.#listener?.reject(cause);
    };
    this.#worker.on("message", (message) => this.#listener?.resolve(message));
    this.#worker.on("error", end);
    this.#worker.on("exit", (code) => end(new Error(`The thread has ended with ${code}`)));
  }

  /** @throws EmbeddingError `damaged`, `unsupported` */
  static async start(folder: URL): Promise<Thread> {
    const thread = new Thread(folder);
    const state = await thread.#hear<ThreadState>().catch((error) => ({ error: String(error) }));
    if ("isReady" in state) return thread;
    void thread.#worker.terminate();
    if ("damaged" in state) throw new EmbeddingError("damaged", state.damaged);
    throw new EmbeddingError("unsupported", "Cannot use the sentence encoder: onnxruntime-node does not load here", {
      cause: state.error,
    });
  }

  /** @throws Error when the library fails or the thread ends */
  async encode(ids: readonly number[]): Promise<Float32Array> {
    this.#worker.postMessage(ids);
    const reply = await this.#hear<ThreadReply>();
    if ("vector" in reply) return reply.vector;
    throw new Error(reply.error);
  }

  /** The next thing that the thread says. */
  async #hear<T extends ThreadState | ThreadReply>(): Promise<T> {
    this.#worker.ref();
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#listener = { resolve: resolve as Listener["resolve"], reject };
      });
    } finally {
      this.#listener = undefined;
      this.#worker.unref();
    }
  }
}
