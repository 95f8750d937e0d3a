/** The port of embedding providers: texts in, unit vectors of one fixed dimension out. */

export interface EmbedOptions {
  /** A query has a short deadline and is never retried; a document may take its time. */
  readonly purpose: "query" | "document";
  readonly signal?: AbortSignal | undefined;
}

export interface EmbeddingProvider {
  /** Name and version; vectors of different models are never compared. */
  readonly model: string;
  readonly dimension: number;
  /** The weight of the semantic arm in fusion, relative to the lexical arm's 1. */
  readonly fusionWeight: number;
  /** Whether this process computes it within a fraction of a millisecond, so that the hot tier may wait for it. */
  readonly inProcess?: boolean | undefined;
  /**
   * One L2-normalised vector for each text, in order; never a zero vector, also for an empty text.
   * @throws EmbeddingError for all texts together: no part of a batch is returned.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}

/** Counts tokens, for `svc_llm_tokens_used_total{model,operation}`. */
export type CountTokens = (model: string, operation: string, tokens: number) => void;

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Runs a function inside a tracing span. */
export type RunInSpan = <T>(name: string, attributes: SpanAttributes, run: () => Promise<T>) => Promise<T>;

/** The same provider, with a `svc.embed` span around each call. */
export function traceEmbeddings(provider: EmbeddingProvider, span: RunInSpan): EmbeddingProvider {
  return {
    model: provider.model,
    dimension: provider.dimension,
    fusionWeight: provider.fusionWeight,
    inProcess: provider.inProcess,
    embed(texts, options) {
      const attributes = { model: provider.model, purpose: options.purpose, texts: texts.length };
      return span("svc.embed", attributes, () => provider.embed(texts, options));
    },
  };
}
