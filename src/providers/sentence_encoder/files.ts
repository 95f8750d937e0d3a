/**
 * The files of the built-in sentence encoder, which `scripts/gen/sentence_encoder.py` makes. Each is read when it is first
 * needed and checked by its SHA-256.
 */
import CHECKSUMS from "../../gen/sentence_encoder/checksums.json" with { type: "json" };
import { EmbeddingError } from "../provider_error.ts";

export type EncoderFile = keyof typeof CHECKSUMS;

export const ENCODER_FOLDER = new URL("../../gen/sentence_encoder/", import.meta.url);

/** @throws EmbeddingError `damaged` when the file is missing, or is not the one that the generator wrote */
export async function readEncoderFile(name: EncoderFile, folder: URL): Promise<Uint8Array<ArrayBuffer>> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await Deno.readFile(new URL(name, folder));
  } catch {
    throw new EmbeddingError("damaged", `Cannot use the sentence encoder: its file ${name} cannot be read`);
  }
  // Outside the event loop: the largest has 23 MB.
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  if (hash.toHex() === CHECKSUMS[name]) return bytes;
  throw new EmbeddingError("damaged", `Cannot use the sentence encoder: its file ${name} is damaged`);
}

/** @throws EmbeddingError `damaged` */
export async function readEncoderJson(name: EncoderFile, folder: URL): Promise<object> {
  return JSON.parse(new TextDecoder().decode(await readEncoderFile(name, folder)));
}

/** Checks all files as they are now. @throws EmbeddingError `damaged` */
export async function checkEncoderFiles(folder: URL): Promise<void> {
  for (const name of Object.keys(CHECKSUMS) as EncoderFile[]) await readEncoderFile(name, folder);
}
