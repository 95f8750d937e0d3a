/**
 * The thread in which the transformer of the sentence encoder runs. `onnxruntime-node` computes on the thread that calls
 * it: on the service's own, nobody would get an answer while texts wait to be embedded.
 *
 * It is given the folder of its files, says whether it is ready, and then answers each list of pieces with a vector.
 */
import { parentPort, workerData } from "node:worker_threads";
import { EmbeddingError } from "../provider_error.ts";
import { readEncoderFile } from "./files.ts";
import { COMPONENTS, normalise } from "./vectors.ts";

/** What the thread says first: that it is ready, or why not. `damaged`: the file that a person has to mend. */
export type ThreadState = { readonly isReady: true } | { readonly damaged: string } | { readonly error: string };

/** The answer to pieces: the vector of length 1, or why there is none. */
export type ThreadReply = { readonly vector: Float32Array<ArrayBuffer> } | { readonly error: string };

/** The length of the vector that the transformer returns for a text, before it is reduced to `COMPONENTS`. */
const RAW_COMPONENTS = 384;

async function open(folder: URL): Promise<(ids: readonly number[]) => Promise<Float32Array<ArrayBuffer>>> {
  const [model, projection] = await Promise.all([
    readEncoderFile("model.onnx", folder),
    readEncoderFile("projection.bin", folder),
  ]);
  const mean = new Float32Array(projection.buffer, 0, RAW_COMPONENTS);
  const axes = new Float32Array(projection.buffer, 4 * RAW_COMPONENTS);
  const { default: { InferenceSession, Tensor } } = await import("onnxruntime-node");
  // Its warnings about the model would stand in the log among lines of JSON.
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
  const session = await InferenceSession.create(model, options);
  return async (ids) => {
    const shape = [1, ids.length];
    const output = await session.run({
      input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), shape),
    });
    return project(output["sentence_embedding"]!.data as Float32Array, mean, axes);
  };
}

function project(raw: Float32Array, mean: Float32Array, axes: Float32Array): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(COMPONENTS);
  for (let c = 0, at = 0; c < COMPONENTS; c++) {
    let sum = 0;
    for (let i = 0; i < RAW_COMPONENTS; i++, at++) sum += (raw[i] - mean[i]) * axes[at];
    vector[c] = sum;
  }
  if (!normalise(vector)) vector[0] = 1;
  return vector;
}

/** The type of `parentPort` is null for a program that is no thread. */
async function serve(port: NonNullable<typeof parentPort>, folder: URL): Promise<void> {
  const say = (message: ThreadState | ThreadReply) => port.postMessage(message);
  let encode: Awaited<ReturnType<typeof open>>;
  try {
    encode = await open(folder);
  } catch (error) {
    return say(error instanceof EmbeddingError ? { damaged: error.message } : { error: String(error) });
  }
  port.on("message", (ids: readonly number[]) => {
    encode(ids).then((vector) => say({ vector }), (error) => say({ error: String(error) }));
  });
  say({ isReady: true });
}

if (parentPort !== null) await serve(parentPort, new URL(workerData.folder));
