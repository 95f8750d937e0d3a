/**
 * Vectors of sentences from a table of word pieces, in microseconds: the sum of the pieces' vectors, made length 1. The
 * table is fitted to the transformer's vectors, so both lie in one space and can be compared.
 */
import { Tokenizer } from "@huggingface/tokenizers";
import { foldLetters } from "../../language/letters.ts";
import { EmbeddingError } from "../provider_error.ts";
import { cutIntoChunks } from "./chunks.ts";
import { readEncoderFile, readEncoderJson } from "./files.ts";
import { COMPONENTS, normalise } from "./vectors.ts";

/** The piece for what the vocabulary does not have. */
const UNKNOWN_PIECE = "[UNK]";
/** Folds a chunk to lower case and plain letters. The tokenizer drops accents by itself, but not the stroke of "Łukasz". */
const readable = (chunk: string) => foldLetters(chunk.toLowerCase());

/** The transformer reads at most this many pieces, its two markers included. */
const PIECES_MAX = 256;

export class PieceTable {
  readonly #tokenizer: Tokenizer;
  readonly #scales: Float32Array;
  readonly #values: Int8Array;
  readonly #unknown: number;

  private constructor(tokenizer: Tokenizer, table: Uint8Array<ArrayBuffer>) {
    const pieces = table.length / (COMPONENTS + 4);
    this.#tokenizer = tokenizer;
    this.#scales = new Float32Array(table.buffer, 0, pieces);
    this.#values = new Int8Array(table.buffer, 4 * pieces);
    this.#unknown = tokenizer.token_to_id(UNKNOWN_PIECE)!;
  }

  /** @throws EmbeddingError `damaged` */
  static async load(folder: URL): Promise<PieceTable> {
    const [table, vocabulary, config] = await Promise.all([
      readEncoderFile("table.bin", folder),
      readEncoderJson("tokenizer.json", folder),
      readEncoderJson("tokenizer_config.json", folder),
    ]);
    return new PieceTable(new Tokenizer(vocabulary, config), table);
  }

  /** The numbers of a chunk's pieces, with the markers at both ends that the transformer expects. */
  listPieces(chunk: string): number[] {
    const { ids } = this.#tokenizer.encode(readable(chunk));
    return ids.length <= PIECES_MAX ? ids : [...ids.slice(0, PIECES_MAX - 1), ids.at(-1)!];
  }

  /** The vector of a text, of length 1. */
  lookUp(text: string): Float32Array {
    const sum = new Float32Array(COMPONENTS);
    for (const chunk of cutIntoChunks(text)) {
      for (const id of this.#tokenizer.encode(readable(chunk), { add_special_tokens: false }).ids) this.#add(sum, id);
    }
    if (!normalise(sum)) {
      this.#add(sum, this.#unknown);
      normalise(sum);
    }
    return sum;
  }

  #add(sum: Float32Array, id: number): void {
    const scale = this.#scales[id];
    if (scale === undefined) {
      throw new EmbeddingError("damaged", "Cannot use the sentence encoder: a piece has no vector");
    }
    for (let i = 0, at = id * COMPONENTS; i < COMPONENTS; i++) sum[i] += scale * this.#values[at + i];
  }
}
