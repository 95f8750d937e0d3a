/** The variables of the environment about what the service remembers: recall, the models, and upkeep. */
import { z } from "zod";
import { httpUrl, int } from "./environment_values.ts";

/** What the built-in embeddings read with. */
export const SENTENCE_ENCODERS = ["on", "table", "off"] as const;
export type SentenceEncoderMode = (typeof SENTENCE_ENCODERS)[number];

/** Part of `Environment`, which says what `section` and `secret` mean. */
export const memoryVariables = {
  SVC_HOT_BYTES_MAX: int(268_435_456, 0, 68_719_476_736).meta({
    section: "Recall",
    description: "Memory of the hot tier, per process, in bytes; 0 turns it off, and the database answers hot requests",
  }),
  SVC_HOT_UNITS_MAX: int(20_000, 0, 10_000_000).meta({
    description: "Texts of one workspace that the hot tier holds; 0 turns it off",
  }),
  SVC_POSTINGS_BYTES_MAX: int(67_108_864, 0, 68_719_476_736).meta({
    description: "Memory for postings of frequent words, per process, in bytes; 0: each full recall reads them anew",
  }),
  SVC_SEMANTIC_EXACT_MAX: int(5_000, 0, 1_000_000).meta({
    description:
      "Up to this many texts, semantic search compares all of a workspace; above, it uses the nearest-neighbour index",
  }),
  SVC_SENTENCE_ENCODER: z.enum(SENTENCE_ENCODERS).default("on").meta({
    section: "Models",
    description:
      "How the built-in embeddings read: `on`, a sentence encoder in this process; `table`, its table of word pieces alone, which is faster and finds less; `off`, not at all: questions are answered by their words. Without effect where `SVC_EMBEDDINGS_URL` is set",
  }),
  SVC_EMBEDDINGS_URL: httpUrl.optional().meta({
    secret: "password",
    description: "Base URL of an OpenAI-compatible API (`…/v1`) for embeddings. Unset: the built-in embeddings",
  }),
  SVC_EMBEDDINGS_MODEL: z.string().min(1).max(200).optional().meta({
    description: "Name of the embedding model; required with the URL",
  }),
  SVC_EMBEDDINGS_API_KEY: z.string().min(1).max(1_000).optional().meta({
    secret: "value",
    description: "Bearer key for the embedding API",
  }),
  SVC_EMBEDDINGS_DIMENSION: int(384, 8, 2_000).meta({
    description: "Dimensions of the embeddings, 256 or more for the built-in ones; fixed by the first migration",
  }),
  SVC_EMBEDDINGS_TIMEOUT_MS: int(10_000, 100, 120_000).meta({
    description: "Longest wait for the embeddings of a batch of documents, in milliseconds (a query waits 300 ms)",
  }),
  SVC_LLM_URL: httpUrl.optional().meta({
    secret: "password",
    description:
      "Base URL of an OpenAI-compatible API for text generation; no read ever calls it. Unset: rules do its work",
  }),
  SVC_LLM_MODEL: z.string().min(1).max(200).optional().meta({
    description: "Name of the language model; required with the URL",
  }),
  SVC_LLM_API_KEY: z.string().min(1).max(1_000).optional().meta({
    secret: "value",
    description: "Bearer key for the text API",
  }),
  SVC_LLM_TIMEOUT_MS: int(30_000, 100, 600_000).meta({
    description: "Longest wait for one attempt, in milliseconds",
  }),
  SVC_WORTH_HALF_LIFE_DAYS: int(30, 1, 3_650).meta({
    section: "Upkeep",
    description: "After this many days without a write or a use, the recency part of a unit's worth is one half",
  }),
  SVC_GATE_NEW_FACTS_MIN: int(20, 0, 1_000_000).meta({
    description: "The consolidation gate needs this many new facts since the last run",
  }),
  SVC_GATE_CONTESTED_MAX: int(50, 0, 1_000_000).meta({
    description: "The gate closes when more reviews of contested facts than this are open",
  }),
  SVC_GATE_DRIFT_MAX: z.coerce.number().min(0).max(100).default(0.25).meta({
    description: "The gate closes when the drift index against the snapshot of a day ago is higher than this",
  }),
  SVC_GATE_QUIET_SECONDS: int(60, 0, 86_400).meta({
    description: "The gate stays closed for this many seconds after the last write of knowledge",
  }),
  SVC_CONSOLIDATION_ARCHIVE_WORTH_MAX: z.coerce.number().min(0).max(1).default(0.25).meta({
    description: "Consolidation archives units with a worth below this …",
  }),
  SVC_CONSOLIDATION_ARCHIVE_AGE_DAYS: int(90, 0, 36_500).meta({
    description: "… that nobody has written or used for this many days",
  }),
  SVC_SNAPSHOT_INTERVAL_SECONDS: int(3_600, 60, 604_800).meta({
    description: "Seconds between two snapshots of a workspace's health and composition, while something happens in it",
  }),
  SVC_SNAPSHOTS_KEPT: int(720, 2, 100_000).meta({
    description: "Snapshots kept per workspace; older ones are deleted",
  }),
  SVC_JOBS_KEPT_DAYS: int(90, 0, 36_500).meta({
    description:
      "A finished job is deleted with its steps after this many days and can then no longer be reverted; 0 = never. The last consolidation and reverted jobs stay",
  }),
  SVC_REASONING_KEPT_DAYS: int(90, 0, 36_500).meta({
    description: "An expired or retired chain of reasoning is deleted after this many days; 0 = never",
  }),
  SVC_TRAJECTORIES_KEPT_DAYS: int(365, 0, 36_500).meta({
    description: "An agent's trajectory is deleted after this many days; 0 = never. Rules learnt from it stay",
  }),
  SVC_BREAK_GLASS_KEPT_DAYS: int(400, 0, 36_500).meta({
    description: "A closed break-glass request is deleted after this many days; 0 = never. The audit log keeps it",
  }),
  SVC_WEBHOOK_KEPT_DAYS: int(30, 1, 36_500).meta({
    description:
      "Deliveries stay in a webhook's log for this many days after they ended; dead ones, which could not be delivered, three times as long",
  }),
};
