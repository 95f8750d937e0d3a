import assert from "node:assert/strict";
import {
  emptyHead,
  hashLeaf,
  hashNode,
  headOf,
  proveConsistency,
  proveInclusion,
  type SubtreeSource,
  TreeHead,
  verifyConsistency,
  verifyInclusion,
} from "./merkle.ts";

/** RFC 6962's reference tree: the leaves, and the heads after each. */
const LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const HEADS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

function sourceOf(leaves: readonly Uint8Array[]): SubtreeSource {
  const source: SubtreeSource = async (from, to) =>
    to - from === 1 ? leaves[from]! : hashNode(await source(from, (from + to) / 2), await source((from + to) / 2, to));
  return source;
}

Deno.test("T65 the heads are those of the reference tree, appended or read", async () => {
  const leaves = LEAVES.map((leaf) => hashLeaf(Uint8Array.fromHex(leaf)));
  const tree = new TreeHead();
  assert.equal(tree.head().toHex(), emptyHead().toHex());
  for (const [i, leaf] of leaves.entries()) {
    tree.append(leaf);
    assert.equal(tree.head().toHex(), HEADS[i]);
    assert.equal((await headOf(sourceOf(leaves), 0, i + 1)).toHex(), HEADS[i]);
  }
});

Deno.test("T65 every proof of every small tree holds, and none with anything altered", async () => {
  const leaves = Array.from({ length: 33 }, (_, i) => hashLeaf(new Uint8Array([i])));
  const source = sourceOf(leaves);
  const flip = (bytes: Uint8Array) => bytes.map((byte, i) => i === 7 ? byte ^ 1 : byte);
  for (let size = 1; size <= 33; size++) {
    const head = await headOf(source, 0, size);
    for (let index = 0; index < size; index++) {
      const path = await proveInclusion(source, index, size);
      assert.ok(verifyInclusion(leaves[index]!, index, size, path, head), `${index} of ${size}`);
      assert.ok(!verifyInclusion(flip(leaves[index]!), index, size, path, head));
      assert.ok(!verifyInclusion(leaves[index]!, index, size, path, flip(head)));
      assert.ok(!verifyInclusion(leaves[index]!, index, size, [...path, head], head));
      for (let at = 0; at < path.length; at++) {
        assert.ok(!verifyInclusion(leaves[index]!, index, size, path.with(at, flip(path[at]!)), head));
        assert.ok(!verifyInclusion(leaves[index]!, index, size, path.toSpliced(at, 1), head));
      }
    }
    for (let first = 1; first <= size; first++) {
      const firstHead = await headOf(source, 0, first);
      const path = await proveConsistency(source, first, size);
      assert.ok(verifyConsistency(first, firstHead, size, head, path), `${first} to ${size}`);
      assert.ok(!verifyConsistency(first, flip(firstHead), size, head, path));
      assert.ok(!verifyConsistency(first, firstHead, size, flip(head), path));
      assert.ok(!verifyConsistency(first, firstHead, size, head, [...path, head]));
      for (let at = 0; at < path.length; at++) {
        assert.ok(!verifyConsistency(first, firstHead, size, head, path.with(at, flip(path[at]!))));
      }
    }
  }
  assert.ok(!verifyConsistency(0, emptyHead(), 5, await headOf(source, 0, 5), []), "an empty tree proves nothing");
});
