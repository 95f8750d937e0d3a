/** The digest by which instances find the items that differ. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { bucketDigest, itemKey, itemLeaf, RangeTree } from "../../src/crypto/range_tree.ts";
import { DATA } from "../_data.ts";

const hex = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};
const EMPTY = "0".repeat(64);

Deno.test("the root of one entry is that of its bucket, folded four times among empty ones", () => {
  const reference = "instance:b.example/01990000-0000-7000-8000-0000000000f1";
  const key = itemKey(reference);
  assert.equal(key, hex(reference).slice(0, 16));
  const leaf = itemLeaf(reference, 2, "ab".repeat(32));
  assert.equal(leaf, hex("\0", `${reference}\n2\n${"ab".repeat(32)}`));
  const digest = bucketDigest([Uint8Array.fromHex(leaf)]);
  assert.equal(digest.toHex(), hex("\0", Uint8Array.fromHex(leaf)));
  const tree = new RangeTree([{ no: Number.parseInt(key.slice(0, 4), 16), count: 1, digest }]);
  let expected = digest.toHex();
  for (let digits = 3; digits >= 0; digits--) {
    const children = Array.from({ length: 16 }, (_, i) => i === Number.parseInt(key[digits]!, 16) ? expected : EMPTY);
    expected = hex("\x01", Uint8Array.fromHex(children.join("")));
    assert.deepEqual(tree.node(key.slice(0, digits)), { prefix: key.slice(0, digits), count: 1, digest: expected });
  }
  assert.deepEqual(tree.below("", 2).map(({ prefix }) => prefix), [key.slice(0, 2)]);
  assert.deepEqual(
    tree.below(key.slice(0, 3), 2).map(({ prefix }) => prefix),
    [key.slice(0, 4)],
    "no deeper than buckets",
  );
  assert.deepEqual(new RangeTree([]).node(""), { prefix: "", count: 0, digest: EMPTY });
});

Deno.test("entries that are swapped, moved or changed have another root: nothing is summed", () => {
  const leaves = [1, 2].map((n) => new Uint8Array(32).fill(n));
  const at = (no: number, ...own: Uint8Array[]) => ({ no, count: own.length, digest: bucketDigest(own) });
  const root = (...buckets: ReturnType<typeof at>[]) => new RangeTree(buckets).node("").digest;
  const roots = [
    root(at(1, ...leaves)),
    root(at(1, ...leaves.toReversed())),
    root(at(2, ...leaves)),
    root(at(1, leaves[0]!), at(2, leaves[1]!)),
    root(at(1, leaves[1]!), at(2, leaves[0]!)),
  ];
  assert.equal(new Set(roots).size, roots.length);
});

Deno.test({
  ignore: DATA === undefined,
  name: "the published digest of one item is the one that another program made",
  async fn() {
    const { digest, item } = JSON.parse(await Deno.readTextFile(`${DATA}/federation/vectors.json`));
    const { origin, version } = item.body;
    const reference = `${origin.instance}/${origin.id}`;
    assert.equal(itemKey(reference), digest.keyHex);
    const leaf = itemLeaf(reference, version, item.hash);
    assert.equal(leaf, digest.leafHex);
    const bucket = bucketDigest([Uint8Array.fromHex(leaf)]);
    assert.equal(bucket.toHex(), digest.bucketHex);
    const tree = new RangeTree([{ no: Number.parseInt(digest.bucketPrefix, 16), count: 1, digest: bucket }]);
    assert.equal(tree.node("").digest, digest.rootOfThisOneItemHex);
  },
});
