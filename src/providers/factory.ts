/** Chooses the providers that the configuration names. */
import { type CountTokens, type EmbeddingProvider, watchEmbeddings } from "./embeddings.ts";
import type { TextGenerator } from "./generation.ts";
import { OpenAiEmbeddings } from "./openai_embeddings.ts";
import { OpenAiGeneration } from "./openai_generation.ts";
import type { EmbeddingError } from "./provider_error.ts";
import { COMPONENTS } from "./sentence_encoder/vectors.ts";
import { SentenceEncoder } from "./sentence_encoder/sentence_encoder.ts";
import { ServiceError } from "../errors.ts";
import type { SentenceEncoderMode } from "../schema/memory_variables.ts";

export interface CreateEmbeddingsOptions {
  /** Without it, the built-in embeddings are used. */
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  /** What the built-in embeddings read with. Default: on. */
  readonly sentenceEncoder?: SentenceEncoderMode | undefined;
  /** Called once, when the transformer cannot be used. */
  readonly onEncoderFault?: ((error: EmbeddingError) => void) | undefined;
  /** The one dimension of the deployment; the built-in embeddings need 256. */
  readonly dimension: number;
  readonly timeoutMs?: number | undefined;
  readonly queryTimeoutMs?: number | undefined;
  readonly onTokens?: CountTokens | undefined;
  /** Where each call is traced and its time noted. */
  readonly watch?: Parameters<typeof watchEmbeddings>[1] | undefined;
}

export interface CreateGeneratorOptions {
  /** Without it there is no generator, and the rules do its work. */
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onTokens?: CountTokens | undefined;
}

/** @throws ServiceError `validation_failed` when the options do not fit together. */
export function createEmbeddings(options: CreateEmbeddingsOptions): EmbeddingProvider {
  const provider = options.url === undefined ? createBuiltIn(options) : new OpenAiEmbeddings({
    ...options,
    url: options.url,
    model: requireModel(options.model, "embeddings"),
  });
  return options.watch ? watchEmbeddings(provider, options.watch) : provider;
}

/** The configured generator, or null. @throws ServiceError `validation_failed` when the options do not fit together. */
export function createGenerator(options: CreateGeneratorOptions): TextGenerator | null {
  if (options.url === undefined) return null;
  return new OpenAiGeneration({ ...options, url: options.url, model: requireModel(options.model, "generation") });
}

function createBuiltIn(
  { dimension, sentenceEncoder = "on", onEncoderFault }: CreateEmbeddingsOptions,
): EmbeddingProvider {
  if (dimension >= COMPONENTS) {
    return new SentenceEncoder({ dimension, mode: sentenceEncoder, onFault: onEncoderFault });
  }
  const message =
    `Cannot use the built-in embeddings: they need ${COMPONENTS} dimensions, the deployment has ${dimension}`;
  throw new ServiceError("validation_failed", message);
}

function requireModel(model: string | undefined, what: string): string {
  if (model !== undefined) return model;
  throw new ServiceError("validation_failed", `Cannot use the ${what} endpoint: no model is named`);
}
