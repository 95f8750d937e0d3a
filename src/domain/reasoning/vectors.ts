/** Embeds goals: for a search, and later in a worker if the provider was down or the model has changed. */
import type { OperationContext } from "../../context.ts";
import { listOutdatedGoals, storeGoalVectors } from "../../db/queries/reasoning_search.ts";

export interface EmbeddedGoal {
  readonly model: string;
  readonly vector: Float32Array;
}

/** Goals embedded in one step. */
const EMBED_MAX = 64;

/** The goal's embedding; undefined while the provider is down. */
export async function embedGoal(
  ctx: OperationContext,
  goal: string,
  purpose: "query" | "document",
): Promise<EmbeddedGoal | undefined> {
  const { embeddings } = ctx.deps;
  try {
    const [vector] = await embeddings.embed([goal], { purpose, signal: ctx.signal });
    return { model: embeddings.model, vector: vector! };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return undefined;
  }
}

/**
 * Embeds goals of the context's workspace that wait or have another model's vector. Returns whether there may be more.
 * @throws EmbeddingError when the provider is down; the goals go on waiting.
 */
export async function embedPendingGoals(ctx: OperationContext): Promise<boolean> {
  const { embeddings } = ctx.deps;
  const { model } = embeddings;
  const goals = await ctx.tx((tx) => listOutdatedGoals(tx, model, EMBED_MAX), { readOnly: true });
  if (goals.length === 0) return false;
  const vectors = await embeddings.embed(goals.map(({ goal }) => goal), { purpose: "document", signal: ctx.signal });
  const rows = goals.map(({ id }, i) => ({ id, vector: vectors[i]! }));
  await ctx.tx((tx) => storeGoalVectors(tx, model, rows));
  return goals.length === EMBED_MAX;
}
