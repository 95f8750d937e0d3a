/**
 * The transformer of the built-in sentence encoder, in this process but outside its event loop.
 *
 * It reads one chunk at a time: its numbers are scaled by what it reads together, so that only a chunk read alone has
 * always the same vector. Questions go before texts that wait.
 */
import { EmbeddingError } from "../provider_error.ts";
import { readEncoderFile } from "./files.ts";
import { COMPONENTS, normalise } from "./piece_table.ts";

/** Components of a vector as the transformer gives it. */
const RAW_COMPONENTS = 384;

type Runtime = typeof import("onnxruntime-node");
type Session = Awaited<ReturnType<Runtime["InferenceSession"]["create"]>>;

export type Urgency = "query" | "document";

interface Waiting {
  readonly ids: readonly number[];
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

export class Transformer {
  readonly #runtime: Runtime;
  readonly #session: Session;
  readonly #mean: Float32Array;
  readonly #axes: Float32Array;
  readonly #waiting: Record<Urgency, Waiting[]> = { query: [], document: [] };
  #running = false;

  private constructor(runtime: Runtime, session: Session, projection: Uint8Array<ArrayBuffer>) {
    this.#runtime = runtime;
    this.#session = session;
    this.#mean = new Float32Array(projection.buffer, 0, RAW_COMPONENTS);
    this.#axes = new Float32Array(projection.buffer, 4 * RAW_COMPONENTS);
  }

  /** @throws EmbeddingError `damaged`; `unsupported` where this platform has no library for it */
  static async load(folder: URL): Promise<Transformer> {
    const [model, projection] = await Promise.all([
      readEncoderFile("model.onnx", folder),
      readEncoderFile("projection.bin", folder),
    ]);
    try {
      const { default: runtime } = await import("onnxruntime-node");
      // Its warnings about the model would stand in the log among lines of JSON.
      const session = await runtime.InferenceSession.create(model, {
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        logSeverityLevel: 3,
      });
      return new Transformer(runtime, session, projection);
    } catch (cause) {
      throw new EmbeddingError("unsupported", "Cannot use the sentence encoder: onnxruntime-node does not load here", {
        cause,
      });
    }
  }

  /** How many chunks wait or are being read. */
  get backlog(): number {
    return this.#waiting.query.length + this.#waiting.document.length + Number(this.#running);
  }

  /** The vector of a chunk's pieces, of length 1. @throws EmbeddingError */
  encode(ids: readonly number[], urgency: Urgency): Promise<Float32Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    this.#waiting[urgency].push({ ids, resolve, reject });
    if (!this.#running) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#running = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      try {
        next.resolve(this.#project(await this.#run(next.ids)));
      } catch (cause) {
        next.reject(new EmbeddingError("server_error", "Cannot embed a text: the sentence encoder failed", { cause }));
      }
    }
    this.#running = false;
  }

  #next(): Waiting | undefined {
    return this.#waiting.query.shift() ?? this.#waiting.document.shift();
  }

  async #run(ids: readonly number[]): Promise<Float32Array> {
    const { Tensor } = this.#runtime;
    const shape = [1, ids.length];
    const output = await this.#session.run({
      input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), shape),
    });
    return output["sentence_embedding"]!.data as Float32Array;
  }

  #project(raw: Float32Array): Float32Array {
    const vector = new Float32Array(COMPONENTS);
    for (let c = 0, at = 0; c < COMPONENTS; c++) {
      let sum = 0;
      for (let i = 0; i < RAW_COMPONENTS; i++, at++) sum += (raw[i] - this.#mean[i]) * this.#axes[at];
      vector[c] = sum;
    }
    if (!normalise(vector)) vector[0] = 1;
    return vector;
  }
}
