/**
 * The built-in embeddings: all-MiniLM-L6-v2 in this process, and a table of word pieces that is fitted to it, in
 * microseconds. No network, no key. Both make vectors of one space, so a text has one vector, which may first be the
 * table's.
 *
 * The components of a vector are whole numbers: a unit vector times 256. Sums of their products are exact, so the
 * database and this process compute the same cosine.
 */
import type { EmbeddingProvider, EmbedOptions, MadeAtOnce } from "../embeddings.ts";
import type { SentenceEncoderMode } from "../../schema/memory_variables.ts";
import { EmbeddingError } from "../provider_error.ts";
import { Slices } from "../../pause.ts";
import { cutIntoChunks } from "./chunks.ts";
import { checkEncoderFiles, ENCODER_FOLDER } from "./files.ts";
import { PieceTable } from "./piece_table.ts";
import { Transformer, type Urgency } from "./transformer.ts";
import { COMPONENTS, normalise } from "./vectors.ts";

export const ENCODER_MODEL = "svc-minilm-256-v1";
export const TABLE_MODEL = "svc-minilm-256-v1-table";

/** A component is a whole number of this part of the vector's length. */
const SCALE = 256;
const COMPONENT_MAX = 127;
/** A question that would wait longer than this many milliseconds before it is read is looked up in the table. */
const QUERY_WAIT_MAX_MS = 20;
/** A write waits for the transformer for at most this many chunks, and only if nothing else does. */
const WRITE_CHUNKS_MAX = 4;
/** Questions whose vectors are kept, because agents ask the same again. */
const KEPT_QUERIES_MAX = 1_000;

export interface SentenceEncoderOptions {
  /** Components of the deployment's vectors, at least 256; the further ones are 0. */
  readonly dimension: number;
  /** `table`: the table alone makes all vectors. `off`: the same, and questions get none. */
  readonly mode: SentenceEncoderMode;
  /** Called once for each part that cannot be used: the transformer, the table. */
  readonly onFault?: ((error: EmbeddingError) => void) | undefined;
  /** The files' folder, with a slash at its end. Default: the ones that the program brings. */
  readonly folder?: URL | undefined;
}

/** The transformer, and the table that cuts texts into its pieces. */
interface Reader {
  readonly transformer: Transformer;
  readonly table: PieceTable;
}

/** What has become of the transformer. A failure stays until the process starts anew. */
export type EncoderState = "off" | "not_loaded" | "ready" | "failed";

export class SentenceEncoder implements EmbeddingProvider {
  readonly dimension: number;
  readonly inProcess = true;
  readonly isEnglish = true;
  readonly cosineScale = { slope: 1, offset: 0 };
  readonly comparable = [ENCODER_MODEL, TABLE_MODEL];
  readonly #options: SentenceEncoderOptions;
  readonly #kept = new Map<string, Promise<Float32Array>>();
  #table: Promise<PieceTable> | undefined;
  #loadedTable: PieceTable | undefined;
  #transformer: Promise<Transformer | undefined> | undefined;
  #loaded: Transformer | undefined;
  #state: EncoderState;
  /** Why the table or the transformer cannot be used. */
  #fault: EmbeddingError | undefined;

  constructor(options: SentenceEncoderOptions) {
    this.#options = options;
    this.dimension = options.dimension;
    this.#state = options.mode === "on" ? "not_loaded" : "off";
  }

  get state(): EncoderState {
    return this.#state;
  }

  get isDegraded(): boolean {
    return this.#fault !== undefined;
  }

  get model(): string {
    return this.#usesTransformer ? ENCODER_MODEL : TABLE_MODEL;
  }

  /** A vector of the transformer is never replaced by one of the table. */
  get current(): readonly string[] {
    return this.#usesTransformer ? [ENCODER_MODEL] : this.comparable;
  }

  get #usesTransformer(): boolean {
    return this.#state === "not_loaded" || this.#state === "ready";
  }

  /** Loads both, so that the first question does not wait for it. */
  async warmUp(): Promise<void> {
    await Promise.allSettled([this.#loadTable(), this.#loadTransformer()]);
  }

  async check(): Promise<void> {
    await checkEncoderFiles(this.#options.folder ?? ENCODER_FOLDER);
    await this.warmUp();
    if (this.#fault !== undefined) throw this.#fault;
  }

  async embed(texts: readonly string[], { purpose, signal }: EmbedOptions): Promise<Float32Array[]> {
    if (purpose === "query" && this.#options.mode === "off") {
      throw new EmbeddingError("off", "Cannot embed a question: the sentence encoder is switched off");
    }
    const transformer = await this.#loadTransformer();
    if (transformer === undefined) return await this.#lookUp(texts, signal);
    const reader: Reader = { transformer, table: await this.#loadTable() };
    if (purpose === "query") return await this.#embedQueries(reader, texts);
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      if (signal?.aborted) throw new EmbeddingError("aborted", "Cannot embed the texts: the call was aborted");
      vectors.push(await this.#encode(reader, text, "later"));
    }
    return vectors;
  }

  async embedAtOnce(texts: readonly string[], signal?: AbortSignal): Promise<MadeAtOnce> {
    const table = await this.#loadTable(), transformer = this.#loaded;
    const isIdle = transformer !== undefined && transformer.backlog === 0;
    if (isIdle && texts.length <= WRITE_CHUNKS_MAX) {
      const chunks = texts.reduce((sum, text) => sum + cutIntoChunks(text).length, 0);
      if (chunks <= WRITE_CHUNKS_MAX) {
        const vectors = await Promise.all(texts.map((text) => this.#encode({ transformer, table }, text, "now")));
        return { model: ENCODER_MODEL, vectors };
      }
    }
    return { model: TABLE_MODEL, vectors: await this.#lookUp(texts, signal) };
  }

  embedNow(text: string): { readonly model: string; readonly vector: Float32Array } | undefined {
    const table = this.#loadedTable;
    return table && { model: TABLE_MODEL, vector: this.#quantise(table.lookUp(text)) };
  }

  async lookUpQuery(text: string): Promise<Float32Array | undefined> {
    return this.#options.mode === "off" ? undefined : await this.#lookUpOne(text);
  }

  async #lookUpOne(text: string): Promise<Float32Array> {
    const table = await this.#loadTable();
    return this.#quantise(table.lookUp(text));
  }

  async #lookUp(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const table = await this.#loadTable();
    const slices = new Slices();
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      await slices.yieldIfDue();
      if (signal?.aborted) throw new EmbeddingError("aborted", "Cannot embed the texts: the call was aborted");
      vectors.push(this.#quantise(table.lookUp(text)));
    }
    return vectors;
  }

  /** The questions of one call wait together. They are in the queue at once, so that the next call sees them there. */
  #embedQueries(reader: Reader, texts: readonly string[]): Promise<Float32Array[]> {
    const isLate = reader.transformer.queryWaitMs > QUERY_WAIT_MAX_MS;
    return Promise.all(
      texts.map((text) => this.#kept.get(text) ?? (isLate ? this.#lookUpOne(text) : this.#embedQuery(reader, text))),
    );
  }

  #embedQuery(reader: Reader, text: string): Promise<Float32Array> {
    const vector = this.#encode(reader, text, "now");
    if (this.#kept.size >= KEPT_QUERIES_MAX) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(text, vector);
    vector.catch(() => this.#kept.delete(text));
    return vector;
  }

  /** The vector of a text: the mean of its chunks' vectors. */
  async #encode({ transformer, table }: Reader, text: string, urgency: Urgency): Promise<Float32Array> {
    const chunks = cutIntoChunks(text).map((chunk) => table.listPieces(chunk));
    const vectors = await Promise.all(chunks.map((ids) => transformer.encode(ids, urgency)));
    if (vectors.length === 1) return this.#quantise(vectors[0]);
    const sum = new Float32Array(COMPONENTS);
    for (const vector of vectors) for (let i = 0; i < COMPONENTS; i++) sum[i] += vector[i];
    return this.#quantise(normalise(sum) ? sum : vectors[0]);
  }

  #quantise(unit: Float32Array): Float32Array {
    const vector = new Float32Array(this.dimension);
    for (let i = 0; i < COMPONENTS; i++) {
      vector[i] = Math.max(-COMPONENT_MAX, Math.min(COMPONENT_MAX, Math.round(unit[i] * SCALE)));
    }
    return vector;
  }

  #loadTable(): Promise<PieceTable> {
    return this.#table ??= tables.load(this.#options.folder ?? ENCODER_FOLDER).then((table) => {
      this.#loadedTable = table;
      return table;
    }, (error) => {
      this.#noteFault(error);
      throw error;
    });
  }

  #loadTransformer(): Promise<Transformer | undefined> {
    if (this.#options.mode !== "on") return Promise.resolve(undefined);
    return this.#transformer ??= transformers.load(this.#options.folder ?? ENCODER_FOLDER).then((transformer) => {
      this.#loaded = transformer;
      this.#state = "ready";
      return transformer;
    }, (error) => {
      this.#state = "failed";
      this.#noteFault(error);
      return undefined;
    });
  }

  #noteFault(error: EmbeddingError): void {
    this.#fault = error;
    this.#options.onFault?.(error);
  }
}

/** Loads each folder's files once for all services of this process, since they never change. A failure is not kept. */
class Shared<T> {
  readonly #loads = new Map<string, Promise<T>>();

  constructor(readonly read: (folder: URL) => Promise<T>) {}

  load(folder: URL): Promise<T> {
    const known = this.#loads.get(folder.href);
    if (known !== undefined) return known;
    const load = this.read(folder);
    this.#loads.set(folder.href, load);
    load.catch(() => this.#loads.delete(folder.href));
    return load;
  }
}

const tables = new Shared((folder) => PieceTable.load(folder));
const transformers = new Shared((folder) => Transformer.load(folder));
