/** Vectors of the built-in sentence encoder for training, kept in a file between runs. */
import { sha256Hex } from "../../src/crypto/hash.ts";
import { cutIntoChunks } from "../../src/providers/sentence_encoder/chunks.ts";
import { COMPONENTS } from "../../src/providers/sentence_encoder/vectors.ts";
import { ENCODER_MODEL, SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";

const KEY_BYTES = 8;
/** The length of a vector of the built-in embeddings. */
const VECTOR_LENGTH = 256;

export class TrainingVectors {
  readonly #encoder = new SentenceEncoder({ dimension: COMPONENTS, mode: "on" });
  readonly #known = new Map<string, Int8Array>();
  readonly #path: string | undefined;

  /** @param path of the file that keeps vectors; absent: nothing is kept */
  constructor(path?: string) {
    this.#path = path;
    const size = KEY_BYTES + COMPONENTS;
    const bytes = path === undefined ? new Uint8Array() : readIfThere(path);
    for (let at = 0; at + size <= bytes.length; at += size) {
      const key = toHex(bytes.subarray(at, at + KEY_BYTES));
      this.#known.set(key, new Int8Array(bytes.slice(at + KEY_BYTES, at + size).buffer));
    }
  }

  /** Encodes those chunks of some texts that are not known. */
  async encode(texts: Iterable<string>): Promise<void> {
    let made = 0;
    for (const chunk of new Set([...texts].flatMap(cutIntoChunks))) {
      const key = keyOf(chunk);
      if (this.#known.has(key)) continue;
      const [vector] = await this.#encoder.embed([chunk], { purpose: "document" });
      const kept = Int8Array.from(vector);
      this.#known.set(key, kept);
      if (this.#path !== undefined) {
        const row = new Uint8Array([
          ...key.match(/../g)!.map((hex) => parseInt(hex, 16)),
          ...new Uint8Array(kept.buffer),
        ]);
        Deno.writeFileSync(this.#path, row, { append: true });
      }
      if (++made % 1_000 === 0) console.error(`${made} chunks encoded`);
    }
  }

  /** The vectors of a text's chunks, which were encoded before. */
  chunksOf(text: string): Int8Array[] {
    return cutIntoChunks(text).map((chunk) => this.#known.get(keyOf(chunk))!);
  }

  /** A text's vector: the mean of its chunks', of the same length. */
  of(text: string): Int8Array {
    const chunks = this.chunksOf(text);
    if (chunks.length === 1) return chunks[0]!;
    const sum = new Float64Array(COMPONENTS);
    for (const chunk of chunks) for (let i = 0; i < COMPONENTS; i++) sum[i] += chunk[i];
    const length = Math.sqrt(sum.reduce((squares, x) => squares + x * x, 0)) || 1;
    return Int8Array.from(sum, (x) => Math.max(-127, Math.min(127, Math.round(VECTOR_LENGTH * x / length))));
  }

  /** A question's vector from the table. */
  async lookUp(text: string): Promise<Float32Array> {
    return (await this.#encoder.lookUpQuery(text))!;
  }
}

function keyOf(text: string): string {
  return sha256Hex(`${ENCODER_MODEL} ${text}`).slice(0, 2 * KEY_BYTES);
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readIfThere(path: string): Uint8Array<ArrayBuffer> {
  try {
    return Deno.readFileSync(path);
  } catch {
    return new Uint8Array();
  }
}
