/**
 * The program of one Argon2id worker thread. It is bundled with its dependency into `src/gen/argon2id_worker.js.txt`
 * by `scripts/gen/argon2id_worker.ts`; the service starts that text, never this file.
 */
/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { argon2id } from "hash-wasm";
import type { Argon2idReply, Argon2idRequest } from "./argon2id.ts";

/**
 * hash-wasm makes a new WebAssembly instance with 19 MiB of memory for every hash, and the engine frees them late: a
 * busy thread holds a quarter of a gigabyte. Here one instance of the Argon2 module serves all hashes of the thread,
 * which are computed one after the other. Its blocks are cleared before each, because the module adds to what it finds
 * there. hash-wasm asks for the memory again each time; the module then fails to grow and keeps what it has.
 */
const instantiate = WebAssembly.instantiate as (module: WebAssembly.Module) => Promise<WebAssembly.Instance>;
let argon2: Promise<WebAssembly.Instance> | undefined;
WebAssembly.instantiate = (async (module: WebAssembly.Module) => {
  // The other module, BLAKE2b, is small and takes its input in updates.
  if (WebAssembly.Module.exports(module).some(({ name }) => name === "Hash_Update")) return instantiate(module);
  const instance = await (argon2 ??= instantiate(module));
  const { memory, Hash_GetBuffer } = instance.exports as unknown as Argon2Exports;
  const start = Hash_GetBuffer();
  new Uint8Array(memory.buffer, start).fill(0);
  return instance;
}) as typeof WebAssembly.instantiate;

interface Argon2Exports {
  readonly memory: WebAssembly.Memory;
  /** The start of the blocks, which reach to the end of the memory. */
  readonly Hash_GetBuffer: () => number;
}

self.onmessage = async ({ data }: MessageEvent<Argon2idRequest>) => {
  const { secret, salt, memoryKib, iterations, parallelism, hashLength } = data;
  let reply: Argon2idReply;
  try {
    const cost = { memorySize: memoryKib, iterations, parallelism, hashLength };
    reply = { digest: await argon2id({ password: secret, salt, ...cost, outputType: "binary" }) };
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : "unknown" };
  }
  self.postMessage(reply);
};
