/** The port of embedding providers: texts in, vectors of one fixed dimension out, which are compared by their cosine. */

import type { CosineScale } from "./cosine_scale.ts";

export interface EmbedOptions {
  /** A query has a short deadline and is never retried; a document may take its time. */
  readonly purpose: "query" | "document";
  readonly signal?: AbortSignal | undefined;
}

/** Vectors that a write stores in its own transaction, without waiting for a slow model, and the model that made them. */
export interface MadeAtOnce {
  readonly model: string;
  readonly vectors: Float32Array[];
}

export interface EmbeddingProvider {
  /** Name and version of what makes documents' vectors. */
  readonly model: string;
  /** The models whose vectors lie in one space, this one's among them; vectors of other models are never compared. */
  readonly comparable: readonly string[];
  /** The models whose vectors stay as they are: a text that has one of another model is embedded again. */
  readonly current: readonly string[];
  readonly dimension: number;
  /** Whether it reads English alone. */
  readonly isEnglish?: boolean | undefined;
  /** Whether this process computes it within a fraction of a millisecond, so that the hot tier may wait for it. */
  readonly inProcess?: boolean | undefined;
  /**
   * One vector for each text, in order; never a zero vector, also for an empty text.
   * @throws EmbeddingError for all texts together: no part of a batch is returned.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /**
   * Vectors for texts of any number that are being written, in a fraction of a millisecond each. They may be of a lesser
   * model than `model`, which embeds the texts again later. Undefined: only `embed` makes vectors.
   * @throws EmbeddingError
   */
  embedAtOnce?(texts: readonly string[], signal?: AbortSignal): Promise<MadeAtOnce>;
  /**
   * The vector of a text that is written inside a transaction, where nothing may be awaited; undefined while the table is
   * not loaded, or where it cannot be used.
   */
  embedNow?(text: string): { readonly model: string; readonly vector: Float32Array } | undefined;
  /**
   * A question's vector in some microseconds, of one of the comparable models; undefined where questions are answered by
   * their words. @throws EmbeddingError
   */
  lookUpQuery?(text: string): Promise<Float32Array | undefined>;
  /** How its cosines are read; undefined where that is not known, or not yet. */
  readonly cosineScale?: CosineScale | undefined;
  /** Whether it works with a part of what it should have, such as the table without the transformer. */
  readonly isDegraded?: boolean;
  /** Loads or measures what it needs beside the vectors, unless it has it. It fails in silence and may be called again. */
  warmUp?(): Promise<void>;
  /** Checks that nothing of it is missing or damaged, also what it has loaded before. @throws EmbeddingError */
  check?(): Promise<void>;
}

/** Counts tokens, for `svc_llm_tokens_used_total{model,operation}`. */
export type CountTokens = (model: string, operation: string, tokens: number) => void;

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Runs a function inside a tracing span. */
export type RunInSpan = <T>(name: string, attributes: SpanAttributes, run: () => Promise<T>) => Promise<T>;

/** Is told how long texts took that were embedded together; a failure is not among them. */
export type NoteEmbedded = (model: string, purpose: EmbedOptions["purpose"], texts: number, durationMs: number) => void;

/** Puts a `svc.embed` span around each call of a provider that embeds texts, and notes how long it took. */
export function watchEmbeddings(
  provider: EmbeddingProvider,
  { span, onEmbedded }: { readonly span: RunInSpan; readonly onEmbedded: NoteEmbedded },
): EmbeddingProvider {
  const watched = async <T>(
    purpose: EmbedOptions["purpose"],
    texts: readonly string[],
    run: () => Promise<T>,
    modelOf: (made: T) => string,
  ): Promise<T> => {
    const startedAt = performance.now();
    const made = await span("svc.embed", { model: provider.model, purpose, texts: texts.length }, run);
    onEmbedded(modelOf(made), purpose, texts.length, performance.now() - startedAt);
    return made;
  };
  const embed = provider.embed.bind(provider), embedAtOnce = provider.embedAtOnce?.bind(provider);
  return Object.assign(provider, {
    embed: (texts: readonly string[], options: EmbedOptions) =>
      watched(options.purpose, texts, () => embed(texts, options), () => provider.model),
    ...embedAtOnce && {
      embedAtOnce: (texts: readonly string[], signal?: AbortSignal) =>
        watched("document", texts, () => embedAtOnce(texts, signal), ({ model }) => model),
    },
  });
}
