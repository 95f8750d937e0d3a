/**
 * The vectors of the texts that the hot tier holds. Those of an endpoint's model stay in the database, which has an index
 * over them.
 */
import type { OperationContext } from "../../context.ts";
import { readVectors, readVectorsOf, type StoredVector } from "../../db/queries/embeddings.ts";
import type { Tx } from "../../db/tx.ts";
import type { EmbeddingProvider } from "../../providers/embeddings.ts";
import type { HotIndex } from "./hot_index.ts";
import type { RestRows } from "./hot_rest.ts";

/** Vectors that one statement reads. */
const READ_MAX = 1_000;
/** How long the tier waits before it looks again for vectors that the embedding worker has made, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** Texts with what the database holds of their vectors. */
export interface TextVectors {
  readonly docNos: readonly number[];
  readonly found: readonly StoredVector[];
}

/** The document numbers of rows. */
export function docNosOf(rows: readonly { readonly docNo: number }[], rest?: RestRows): number[] {
  return [...rows, ...rest?.units ?? [], ...rest?.former ?? []].map(({ docNo }) => docNo);
}

/** Reads the vectors of some turns and units. */
export async function readVectorsOfUnits(
  tx: Tx,
  { inProcess, comparable }: EmbeddingProvider,
  ids: { readonly turns: readonly string[]; readonly units: readonly string[] },
): Promise<readonly StoredVector[]> {
  return inProcess && ids.turns.length + ids.units.length > 0 ? await readVectorsOf(tx, ids, comparable) : [];
}

/** Puts vectors of texts that an index holds. A text whose vector is still to come is looked up again later. */
export function putVectors(
  index: HotIndex,
  { docNos, found }: TextVectors,
  { current, inProcess }: EmbeddingProvider,
): void {
  if (!inProcess) return;
  const { vectors } = index;
  const isHeld = (docNo: number) => index.documents.has(docNo) || index.rest?.index.has(docNo) === true;
  for (const docNo of docNos) if (isHeld(docNo)) vectors.expect(docNo);
  for (const { docNo, kind, model, vector } of found) {
    if (isHeld(docNo)) vectors.set(docNo, kind, vector, !current.includes(model));
  }
}

/** Reads the vectors of all texts of an index, some at a time. */
export async function loadVectors(ctx: OperationContext, index: HotIndex): Promise<void> {
  if (!ctx.deps.embeddings.inProcess) return;
  const all = [...index.documents.keys(), ...index.rest?.docsOf() ?? []];
  for (let at = 0; at < all.length; at += READ_MAX) await readSome(ctx, index, all.slice(at, at + READ_MAX));
}

/** Looks for the vectors that an index still expects, now and then, without anybody waiting for it. */
export class VectorLooks {
  #after = 0;

  /** @param ctx not bound to a request */
  lookIfDue(ctx: () => OperationContext, index: HotIndex): void {
    const { expected } = index.vectors;
    if (expected.size === 0 || performance.now() < this.#after) return;
    this.#after = Infinity;
    // The embedding worker, too, begins with the latest texts.
    const latest = [...expected].sort((a, b) => b - a).slice(0, READ_MAX);
    readSome(ctx(), index, latest).catch(() => {}).finally(() => this.#after = performance.now() + LOOK_AGAIN_MS);
  }
}

async function readSome(ctx: OperationContext, index: HotIndex, docNos: readonly number[]): Promise<void> {
  const { embeddings } = ctx.deps;
  const found = await ctx.tx((tx) => readVectors(tx, docNos, embeddings.comparable), { readOnly: true });
  putVectors(index, { docNos, found }, embeddings);
}
