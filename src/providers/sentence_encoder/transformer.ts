/**
 * The transformer of the built-in sentence encoder, in a thread of its own.
 *
 * It reads one chunk at a time: its numbers are scaled by what it reads together, so that only a chunk read alone has
 * always the same vector. Questions go before texts that wait.
 */
import { Worker } from "node:worker_threads";
import { EmbeddingError } from "../provider_error.ts";
import type { ThreadReply, ThreadState } from "./transformer_thread.ts";

export type Urgency = "query" | "document";

interface Waiting {
  readonly ids: readonly number[];
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** How much of what is known of the pace a chunk's time replaces. */
const PACE_SHARE = 0.1;

export class Transformer {
  readonly #folder: URL;
  readonly #waiting: Record<Urgency, Waiting[]> = { query: [], document: [] };
  #thread: Thread;
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
    return this.#waiting.query.length + this.#waiting.document.length + Number(this.#running !== undefined);
  }

  /**
   * How long the first chunk of a question would wait, in milliseconds: for the questions before it, and for the chunk that
   * is being read. One that takes longer than its pieces should is taken to need as long again.
   */
  get queryWaitMs(): number {
    const pieces = this.#waiting.query.reduce((sum, { ids }) => sum + ids.length, 0);
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
    if (this.#running === undefined) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#running = { pieces: next.ids.length, since: performance.now() };
      try {
        if (this.#thread.hasEnded) this.#thread = await Thread.start(this.#folder);
        next.resolve(await this.#thread.encode(next.ids));
        this.#notePace(this.#running);
      } catch (cause) {
        next.reject(new EmbeddingError("server_error", "Cannot embed a text: the sentence encoder failed", { cause }));
      }
    }
    this.#running = undefined;
  }

  #notePace({ pieces, since }: { readonly pieces: number; readonly since: number }): void {
    const pace = (performance.now() - since) / pieces;
    this.#pace = this.#pace === 0 ? pace : (1 - PACE_SHARE) * this.#pace + PACE_SHARE * pace;
  }

  #next(): Waiting | undefined {
    return this.#waiting.query.shift() ?? this.#waiting.document.shift();
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
