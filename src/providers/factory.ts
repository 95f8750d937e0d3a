/** Chooses the providers that the configuration names. */
import { type CountTokens, type EmbeddingProvider, type RunInSpan, traceEmbeddings } from "./embeddings.ts";
import type { TextGenerator } from "./generation.ts";
import { HashedEmbeddings } from "./hashed_embeddings.ts";
import { OpenAiEmbeddings } from "./openai_embeddings.ts";
import { OpenAiGeneration } from "./openai_generation.ts";
import { ServiceError } from "../errors.ts";

export interface CreateEmbeddingsOptions {
  /** Without it, the built-in embeddings are used. */
  readonly url?: string | undefined;
  readonly model?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The one dimension of the deployment; the built-in embeddings have 384. */
  readonly dimension: number;
  readonly timeoutMs?: number | undefined;
  readonly queryTimeoutMs?: number | undefined;
  readonly onTokens?: CountTokens | undefined;
  readonly span?: RunInSpan | undefined;
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
  const provider = options.url === undefined ? createHashed(options.dimension) : new OpenAiEmbeddings({
    ...options,
    url: options.url,
    model: requireModel(options.model, "embeddings"),
  });
  return options.span ? traceEmbeddings(provider, options.span) : provider;
}

/** The configured generator, or null. @throws ServiceError `validation_failed` when the options do not fit together. */
export function createGenerator(options: CreateGeneratorOptions): TextGenerator | null {
  if (options.url === undefined) return null;
  return new OpenAiGeneration({ ...options, url: options.url, model: requireModel(options.model, "generation") });
}

function createHashed(dimension: number): EmbeddingProvider {
  const provider = new HashedEmbeddings();
  if (dimension === provider.dimension) return provider;
  const message =
    `Cannot use the built-in embeddings: they have ${provider.dimension} dimensions, expected ${dimension}`;
  throw new ServiceError("validation_failed", message);
}

function requireModel(model: string | undefined, what: string): string {
  if (model !== undefined) return model;
  throw new ServiceError("validation_failed", `Cannot use the ${what} endpoint: no model is named`);
}
