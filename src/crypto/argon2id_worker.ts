/**
 * The program of one Argon2id worker thread. It is bundled with its dependency into `src/gen/argon2id_worker.js.txt`
 * by `scripts/gen_argon2id_worker.ts`; the service starts that text, never this file.
 */
/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { argon2id } from "hash-wasm";
import type { Argon2idReply, Argon2idRequest } from "./argon2id.ts";

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
