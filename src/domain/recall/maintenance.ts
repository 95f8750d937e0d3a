/** Keeps the index small and complete in the background: embeds waiting texts, and joins scattered postings. */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import * as embeddings from "../../db/queries/embeddings.ts";
import * as postings from "../../db/queries/postings.ts";
import { KINDS } from "../../schema/common.ts";
import { SOURCES } from "./sources.ts";
import { activityOf } from "../common/activity.ts";
import { perService } from "../common/per_service.ts";

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
    const pending = await embeddings.listPending(tx, provider.model, EMBED_MAX);
    const outdated = pending.length === 0;
    const listed = outdated ? await embeddings.listOutdated(tx, provider.current, EMBED_MAX) : pending;
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
  const store = batch.outdated ? embeddings.replaceOutdated : embeddings.storePending;
  await ctx.tx((tx) => store(tx, provider.model, batch.docs, vectors));
  // The provider answers now, if it did not at the start.
  await provider.warmUp?.();
  // Texts of another model are looked for once no other text waits.
  return batch.docs.length === EMBED_MAX || !batch.outdated;
}

async function readTexts(tx: Tx, queued: readonly embeddings.QueuedText[]) {
  const reads = SOURCES.map((source) => {
    const kinds = new Set<number>(source.kinds.map((kind) => KINDS[kind]));
    const docs = queued.filter((text) => kinds.has(text.kind)).map(({ docNo }) => docNo);
    return docs.length === 0 ? [] : source.readTexts(tx, docs);
  });
  return (await Promise.all(reads)).flat();
}

/** Writes after which a workspace's postings are worth a pass. */
const WRITES_MIN = 64;
/** The rows of a stretch, besides the rest of its last term's. Erasures wait only while one stretch is joined. */
const ROWS_MAX = 4_000;
/** The approximate number of entries of a full row: 48 KiB. Rows with at least half as many are not joined further. */
const ENTRIES_MAX = 4_096;

/** The position of each workspace's pass over its terms. A pass that a restart interrupts begins anew. */
const passesOf = perService(() => new Map<string, string>());

/**
 * Does one stretch of a pass over the workspace's postings; the pass ends by folding the corpus sizes. Returns whether
 * the pass goes on. A running erasure has precedence.
 */
export async function compactPostings(ctx: OperationContext): Promise<boolean> {
  const running = passesOf(ctx.deps);
  const after = running.get(ctx.workspaceId);
  const reached = await ctx.tx(async (tx) => {
    if (after === undefined && await postings.countSizeDeltas(tx, WRITES_MIN) < WRITES_MIN) return undefined;
    const { end, scattered } = await postings.findStretch(tx, after ?? "", ROWS_MAX, ENTRIES_MAX);
    if (end === undefined) await postings.foldCorpusSizes(tx);
    else if (scattered.length > 0) {
      if (!await postings.tryLockPostings(tx)) {
        activityOf(ctx.deps).noteWaiting(ctx.workspaceId);
        return undefined;
      }
      await postings.mergePostings(tx, scattered, ENTRIES_MAX);
    }
    return end;
  });
  if (reached === undefined) running.delete(ctx.workspaceId);
  else running.set(ctx.workspaceId, reached);
  return reached !== undefined;
}
