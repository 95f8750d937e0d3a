/** Embeddings from an OpenAI-compatible `/embeddings` endpoint. */
import { z } from "zod";
import { CircuitBreaker } from "../circuit_breaker.ts";
import { type CosineScale, measureUnrelated, scaleOf } from "./cosine_scale.ts";
import type { EmbeddingProvider, EmbedOptions } from "./embeddings.ts";
import { OpenAiClient, type OpenAiProviderOptions, type PostReply } from "./openai_client.ts";
import { EmbeddingError } from "./provider_error.ts";

/** `url` is `SVC_EMBEDDINGS_URL`; `cooldownMs` is 5,000 by default. */
export interface OpenAiEmbeddingsOptions extends OpenAiProviderOptions {
  /** Every vector must have exactly this length. */
  readonly dimension: number;
  /** The deadline of one attempt for a batch of documents, in milliseconds; default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** The deadline of a query's whole call, after which recall goes on without it, in milliseconds; default 300. */
  readonly queryTimeoutMs?: number | undefined;
  /** Attempts for each batch of documents; default 3. */
  readonly attemptsMax?: number | undefined;
}

const BATCH_TEXTS_MAX = 96;
const BATCH_TOKENS_MAX = 8_000;
/** Longer texts are cut: models read 512 to about 8,000 tokens, and the beginning shows what a text is about. */
const TEXT_TOKENS_MAX = 8_000;
/** A refused text is halved, in case it is too long for the model, until it is this short. */
const HALVED_CHARS_MIN = 1_000;
const BATCHES_AT_ONCE = 4;

const Reply = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: z.array(z.unknown()) })),
  usage: z.object({ prompt_tokens: z.number().nonnegative().optional(), total_tokens: z.number().optional() })
    .nullish(),
});

export class OpenAiEmbeddings implements EmbeddingProvider {
  readonly model: string;
  readonly comparable: readonly string[];
  readonly current: readonly string[];
  readonly dimension: number;
  readonly #options: OpenAiEmbeddingsOptions;
  readonly #client: OpenAiClient;
  /** Separate, so that an endpoint that is too slow for queries still embeds documents. */
  readonly #breakers: { readonly query: CircuitBreaker; readonly document: CircuitBreaker };
  #scale: Promise<CosineScale | undefined> | undefined;
  #cosineScale: CosineScale | undefined;
  /** Whether the endpoint takes the `dimensions` parameter; models of one fixed size refuse it. */
  #takesDimensions: boolean | undefined;

  /** @throws ServiceError `validation_failed` when the URL or the key cannot be used. */
  constructor(options: OpenAiEmbeddingsOptions) {
    this.model = options.model;
    this.comparable = this.current = [options.model];
    this.dimension = options.dimension;
    this.#options = options;
    this.#client = new OpenAiClient("embeddings", EmbeddingError, options);
    const cooldown = { cooldownMs: options.cooldownMs ?? 5_000, cooldownMsMax: 60_000 };
    this.#breakers = {
      query: new CircuitBreaker({ failuresMax: 3, ...cooldown }),
      document: new CircuitBreaker({ failuresMax: 8, ...cooldown }),
    };
  }

  get cosineScale(): CosineScale | undefined {
    return this.#cosineScale;
  }

  /** Measures the scale of the model's cosines. */
  async warmUp(): Promise<void> {
    const embed = (texts: readonly string[]) => this.embed(texts, { purpose: "document" });
    this.#scale ??= measureUnrelated(embed).then(scaleOf);
    try {
      this.#cosineScale = await this.#scale;
    } catch {
      // The endpoint is away, which others tell.
      this.#scale = undefined;
    }
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const batches = splitBatches(texts.map(prepareText));
    const vectors: Float32Array[][] = new Array(batches.length);
    // The first failure ends the other batches, and a query's deadline covers all of them.
    const stop = new AbortController();
    const signal = options.signal ? AbortSignal.any([stop.signal, options.signal]) : stop.signal;
    const deadline = options.purpose === "query" ? setTimeout(timeOut, this.#queryTimeoutMs, stop) : undefined;
    let next = 0;
    let failure: unknown;
    const work = async () => {
      while (next < batches.length && failure === undefined) {
        const mine = next++;
        try {
          vectors[mine] = await this.#embedBatch(batches[mine]!, options.purpose, signal);
        } catch (error) {
          failure ??= error;
          stop.abort();
        }
      }
    };
    // An open circuit lets one probe through, which the refusal of parallel batches must not end.
    const lanes = this.#breakers[options.purpose].closed ? BATCHES_AT_ONCE : 1;
    await Promise.all(Array.from({ length: Math.min(lanes, batches.length) }, work));
    clearTimeout(deadline);
    if (failure !== undefined) throw failure;
    return vectors.flat();
  }

  get #queryTimeoutMs(): number {
    return this.#options.queryTimeoutMs ?? 300;
  }

  /** A refused batch is split until the refused text is alone; a long text alone is halved: it may be too long. */
  async #embedBatch(
    texts: readonly string[],
    purpose: EmbedOptions["purpose"],
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const reply = await this.#request(texts, purpose, signal);
    if (reply.kind === "ok") return reply.value;
    if (texts.length > 1) {
      const middle = texts.length >> 1;
      const left = await this.#embedBatch(texts.slice(0, middle), purpose, signal);
      return [...left, ...await this.#embedBatch(texts.slice(middle), purpose, signal)];
    }
    const [text] = texts as [string];
    if (text.length <= HALVED_CHARS_MIN) {
      throw new EmbeddingError("rejected", `Cannot embed the text: the endpoint refuses it with ${reply.status}`);
    }
    return this.#embedBatch([cutText(text, text.length >> 1)], purpose, signal);
  }

  async #request(
    texts: readonly string[],
    purpose: EmbedOptions["purpose"],
    signal: AbortSignal,
  ): Promise<PostReply<Float32Array[]>> {
    const body = { model: this.model, input: texts, encoding_format: "float" };
    const post = (extra: object) =>
      this.#client.post({ ...body, ...extra }, (reply) => this.#readReply(reply, texts), {
        timeoutMs: purpose === "query" ? this.#queryTimeoutMs : this.#options.timeoutMs ?? 10_000,
        attemptsMax: purpose === "query" ? 1 : this.#options.attemptsMax ?? 3,
        replyBytesMax: 65_536 + texts.length * (256 + this.dimension * 40),
        breaker: this.#breakers[purpose],
        signal,
      });
    if (this.#takesDimensions === false) return post({});
    const reply = await post({ dimensions: this.dimension });
    if (reply.kind === "ok") this.#takesDimensions = true;
    if (reply.kind === "ok" || this.#takesDimensions) return reply;
    const plain = await post({});
    if (plain.kind === "ok") this.#takesDimensions = false;
    return plain;
  }

  #readReply(reply: unknown, texts: readonly string[]): Float32Array[] {
    const parsed = Reply.safeParse(reply);
    if (!parsed.success) {
      throw new EmbeddingError("malformed", "Cannot read the embeddings: the reply has an unexpected shape");
    }
    const { data, usage } = parsed.data;
    if (data.length !== texts.length) {
      throw new EmbeddingError(
        "wrong_count",
        `Cannot use the embeddings: the reply has ${data.length} of ${texts.length}`,
      );
    }
    const vectors: Float32Array[] = new Array(texts.length);
    for (const [position, item] of data.entries()) {
      const index = item.index ?? position;
      if (index < 0 || index >= texts.length || vectors[index] !== undefined) {
        throw new EmbeddingError("wrong_count", "Cannot use the embeddings: their indexes do not match the texts");
      }
      vectors[index] = this.#readVector(item.embedding);
    }
    const tokens = usage?.prompt_tokens ?? usage?.total_tokens ?? texts.reduce((sum, t) => sum + countTokens(t), 0);
    this.#options.onTokens?.(this.model, "embed", tokens);
    return vectors;
  }

  /** Checks every number and normalises to length 1. */
  #readVector(numbers: readonly unknown[]): Float32Array {
    if (numbers.length !== this.dimension) {
      const message = `Cannot use the embedding: it has ${numbers.length} dimensions, expected ${this.dimension}`;
      throw new EmbeddingError("wrong_dimension", message);
    }
    let squares = 0;
    for (const number of numbers) {
      if (typeof number !== "number" || !Number.isFinite(number)) {
        throw new EmbeddingError("not_finite", "Cannot use the embedding: it holds something that is no finite number");
      }
      squares += number * number;
    }
    const norm = Math.sqrt(squares);
    if (!Number.isFinite(norm)) {
      throw new EmbeddingError("not_finite", "Cannot use the embedding: its length is infinite");
    }
    if (norm < 1e-12) throw new EmbeddingError("zero_vector", "Cannot use the embedding: it is a zero vector");
    return Float32Array.from(numbers as readonly number[], (number) => number / norm);
  }
}

function timeOut(controller: AbortController): void {
  controller.abort(new DOMException("The deadline passed", "TimeoutError"));
}

/** A rough number of tokens of a text: four bytes each in English, fewer in other scripts, so three to be safe. */
function countTokens(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
  }
  return Math.ceil(bytes / 3);
}

/** Endpoints refuse an empty text, so it is sent as a full stop; one that is too long is cut. */
function prepareText(text: string): string {
  const trimmed = text.trim().toWellFormed();
  if (trimmed === "") return ".";
  const tokens = countTokens(trimmed);
  return tokens <= TEXT_TOKENS_MAX ? trimmed : cutText(trimmed, Math.floor(trimmed.length * TEXT_TOKENS_MAX / tokens));
}

/** The first `length` UTF-16 units, without half a surrogate pair at the end. */
function cutText(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function splitBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = countTokens(text);
    if (batch.length === BATCH_TEXTS_MAX || (batch.length > 0 && tokens + more > BATCH_TOKENS_MAX)) {
      batches.push(batch);
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += more;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
