/**
 * Embeds texts that have no embedding, or one of another model. After a failure it does not call the provider for a
 * while.
 */
import type { OperationContext } from "../../context.ts";
import * as queue from "../../db/queries/embedding_queue.ts";
import { readTurnTexts, readUnitTexts } from "../../db/queries/recall.ts";
import type { Tx } from "../../db/tx.ts";
import { EmbeddingError, type ProviderFailure } from "../../providers/provider_error.ts";
import { KINDS } from "../../schema/common.ts";
import { embeddingEndpointDown, embeddingEndpointRecovered, embeddingRefused } from "../../telemetry/events.ts";
import type { StepEnd } from "../common/activity.ts";
import { perService } from "../common/per_service.ts";
import { embedPendingGoals } from "../reasoning/vectors.ts";

/**
 * How long a failed provider is not called; the delay grows with each failure. Times are those of `performance.now()`.
 */
interface BackOff {
  readonly since: number;
  readonly delayMs: number;
  readonly until: number;
}

interface ProviderState {
  down: BackOff | undefined;
}

const providerOf = perService((): ProviderState => ({ down: undefined }));
/** Failures that one text can cause. */
const OF_A_TEXT: ReadonlySet<ProviderFailure> = new Set(["rejected", "not_finite", "zero_vector"]);
const DELAY_MS_MIN = 1_000;
const DELAY_MS_MAX = 60_000;
/** A workspace with a text that the provider refuses is tried again after so long. */
const REFUSED_MS = 60_000;

/** Embeds a batch of the workspace's texts; while the provider is down, later. */
export async function embedWorkspace(ctx: OperationContext): Promise<StepEnd> {
  const { deps, signal } = ctx;
  const { log } = deps.telemetry;
  const { model } = deps.embeddings;
  const provider = providerOf(deps);
  const { down } = provider;
  if (down !== undefined && performance.now() < down.until) return "later";
  try {
    const more = [await embedPending(ctx), await embedPendingGoals(ctx)].includes(true);
    if (down !== undefined) {
      provider.down = undefined;
      embeddingEndpointRecovered(log, { model, downMs: Math.round(performance.now() - down.since) });
    }
    return more;
  } catch (error) {
    if (signal.aborted) return "later";
    // A refusal by the database is not the provider's fault.
    if (!(error instanceof EmbeddingError)) throw error;
    if (OF_A_TEXT.has(error.reason)) {
      // The endpoint works, so the loop embeds the texts of other workspaces and tries this workspace again later.
      embeddingRefused(log, { model, workspaceId: ctx.workspaceId, error });
      return new Date(deps.clock().getTime() + REFUSED_MS);
    }
    if (down === undefined) embeddingEndpointDown(log, { model, error });
    const now = performance.now();
    const delayMs = Math.min(DELAY_MS_MAX, down === undefined ? DELAY_MS_MIN : 2 * down.delayMs);
    provider.down = { since: down?.since ?? now, delayMs, until: now + delayMs };
    return "later";
  }
}

/** Texts that one step embeds; one transaction stores them. */
const EMBED_MAX = 64;

interface Batch {
  readonly outdated: boolean;
  readonly docs: readonly number[];
  readonly texts: readonly { readonly docNo: number; readonly text: string }[];
}

/**
 * Embeds waiting texts of the context's workspace, then those whose embedding is another model's. Returns whether there
 * may be more.
 * @throws EmbeddingError when the provider is down; nothing is lost, the texts go on waiting.
 */
export async function embedPending(ctx: OperationContext): Promise<boolean> {
  const { embeddings: provider } = ctx.deps;
  const batch = await ctx.tx(async (tx) => {
    const pending = await queue.listPending(tx, provider.model, EMBED_MAX);
    const outdated = pending.length === 0;
    const listed = outdated ? await queue.listOutdated(tx, provider.current, EMBED_MAX) : pending;
    return {
      outdated,
      docs: listed.map(({ docNo }) => docNo),
      texts: await readTexts(tx, listed.filter((text) => !text.isEmbedded)),
    };
  }, { readOnly: true }) satisfies Batch;
  if (batch.docs.length === 0) return false;
  const found = batch.texts.length === 0
    ? []
    : await provider.embed(batch.texts.map(({ text }) => text), { purpose: "document", signal: ctx.signal });
  const vectors = batch.texts.map(({ docNo }, i) => ({ docNo, vector: found[i] }));
  const store = batch.outdated ? queue.replaceOutdated : queue.storePending;
  await ctx.tx((tx) => store(tx, provider.model, batch.docs, vectors));
  // The provider answers now, if it did not at the start.
  await provider.warmUp?.();
  // Texts of another model are looked for once no other text waits.
  return batch.docs.length === EMBED_MAX || !batch.outdated;
}

async function readTexts(tx: Tx, queued: readonly queue.QueuedText[]) {
  const [turns, units] = [true, false].map((isTurn) =>
    queued.filter(({ kind }) => (kind === KINDS.turn) === isTurn).map(({ docNo }) => docNo)
  ) as [number[], number[]];
  const read = await Promise.all([
    turns.length === 0 ? [] : readTurnTexts(tx, turns),
    units.length === 0 ? [] : readUnitTexts(tx, units),
  ]);
  return read.flat();
}
