/** The Merkle tree over an audit chain, read from the database block by block. */
import { hashLeaf, hashNode, type SubtreeSource } from "../../crypto/merkle.ts";
import * as queries from "../../db/queries/audit_log.ts";
import type { Tx } from "../../db/tx.ts";

/** Rows of a block; a power of two. The nodes above whole blocks are stored. */
const BLOCK = 1_024;

/**
 * Subtrees of the log's first `size` rows. With `store`, nodes of blocks that are computed for the first time are kept.
 */
export function treeOf(tx: Tx, size: number, { store = false } = {}): SubtreeSource {
  const leaves = new Map<number, Promise<Uint8Array[]>>();
  let nodes: Promise<Map<number, Uint8Array>> | undefined;
  const readLeaves = (block: number) => {
    const known = leaves.get(block) ??
      queries.readAuditHashes(tx, block * BLOCK, Math.min(size, (block + 1) * BLOCK))
        .then((hashes) => hashes.map(hashLeaf));
    leaves.set(block, known);
    return known;
  };
  const readNode = async (block: number) => {
    nodes ??= queries.readAuditNodes(tx, 0, Math.floor(size / BLOCK))
      .then((rows) => new Map(rows.map((row) => [row.block, row.hash])));
    const known = (await nodes).get(block);
    if (known !== undefined) return known;
    const hash = join(await readLeaves(block), 0, BLOCK);
    leaves.delete(block);
    if (store) await queries.insertAuditNode(tx, block, hash);
    return hash;
  };
  const source: SubtreeSource = async (from, to) => {
    const width = to - from;
    const block = Math.floor(from / BLOCK);
    if (width === BLOCK) return await readNode(block);
    if (width < BLOCK) return join(await readLeaves(block), from % BLOCK, width);
    const middle = from + width / 2;
    return hashNode(await source(from, middle), await source(middle, to));
  };
  return source;
}

function join(leaves: readonly Uint8Array[], from: number, width: number): Uint8Array {
  if (width === 1) return leaves[from]!;
  return hashNode(join(leaves, from, width / 2), join(leaves, from + width / 2, width / 2));
}
