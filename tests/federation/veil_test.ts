/** A peer learns nothing of items above its clearance: it is answered as about ids that are not here. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, factForm, itemOf, type Json, type Node } from "./_exchange.ts";

const A = "instance:a.example";
const D = "instance:d.example";

type Name = { readonly instance: string; readonly id: string };

/** What a peer is told about an item, whatever it says of it. The items are of this instance or of a third one. */
const PROBES: readonly (readonly [string, (node: Node, origin: Name) => Promise<Json>])[] = [
  [
    "a notice of its erasure",
    (node, origin) =>
      node.notify(A, [{ ...origin, type: "fact:deleted", version: 2, erasedAt: "2026-05-01T10:00:00.000Z" }]),
  ],
  [
    "a notice of another type",
    (node, origin) =>
      node.notify(A, [{ ...origin, type: "decision:deleted", version: 2, erasedAt: "2026-05-01T10:00:00.000Z" }]),
  ],
  [
    "a notice with a far version",
    (node, origin) =>
      node.notify(A, [{ ...origin, type: "fact:deleted", version: 101, erasedAt: "2026-05-01T10:00:00.000Z" }]),
  ],
  ["its tombstone in a page", (node, origin) => node.takePush(A, [itemOf(A, { origin, version: 3 }, "fact:deleted")])],
  ["a notice, twice", async (node, origin) => {
    const notice = [{
      ...origin,
      type: "fact:deleted",
      version: 2,
      erasedAt: "2026-05-01T10:00:00.000Z",
    }] as const;
    return [await node.notify(A, notice), await node.notify(A, notice)];
  }],
  ["a relation to it", async (node, origin) => {
    const own = { instance: A, id: crypto.randomUUID() };
    const ends = [{ role: "source", id: `${A}/${own.id}` }, { role: "target", id: `${origin.instance}/${origin.id}` }];
    const { state, sensitivity, confidence, tags, metadata, validFrom, validTo } = factForm("");
    const unit = {
      ...{ state, sensitivity, confidence, tags, metadata, validFrom, validTo },
      ...{ verb: "related_to", isHyper: false, weight: 1, ends, evidenceIds: [] },
    };
    const relation = itemOf(A, { origin: { instance: A, id: crypto.randomUUID() }, unit }, "relation");
    const told = await node.takePush(A, [itemOf(A, { origin: own, unit: factForm("The mole is long") }), relation]);
    return told.map(({ outcome }) => outcome);
  }],
];

/** What a peer says of an item that can only be known from here. */
const OF_OURS: typeof PROBES = [
  [
    "a version",
    (node, origin) => node.takePush(A, [itemOf(A, { origin, version: 2, unit: factForm("The quay is long") })]),
  ],
  [
    "a version with knowledge of ours",
    (node, origin) =>
      node.takePush(A, [itemOf(A, { origin, version: 4, seen: { [node.id]: 3 }, unit: factForm("The quay is long") })]),
  ],
  ["versions of another type, and far ahead", async (node, origin) => [
    await node.takePush(A, [itemOf(A, { origin, version: 101, unit: factForm("The quay is long") })]),
    await node.takePush(A, [itemOf(A, { origin, version: 2, unit: { ...factForm("x"), unknown: 1 } })]),
  ]],
  ["two versions and its tombstone", async (node, origin) => [
    await node.takePush(A, [itemOf(A, { origin, version: 2, unit: factForm("The quay is long") })]),
    await node.takePush(A, [itemOf(A, { origin, version: 2, unit: factForm("The quay is long") })]),
    await node.takePush(A, [itemOf(A, { origin, version: 3, unit: factForm("The quay is short") })]),
    await node.takePush(A, [itemOf(A, { origin, version: 4 }, "fact:deleted")]),
  ]],
];

const openReviews = (node: Node) =>
  node.rows("select detail, subject_id from review_item where workspace_id = :ws and status = 'open'");

Deno.test({
  ...POSTGRES,
  name: "items above a peer's clearance",
  async fn(t) {
    await using exchange = await Exchange.open(["b"]);

    for (const [what, probe] of [...PROBES, ...OF_OURS]) {
      await t.step(
        `T39 a peer that sends ${what} is told the same, whether the id is that of a restricted item or of none`,
        async () => {
          const told: Json[] = [];
          for (const isThere of [true, false]) {
            const [b] = await exchange.play(1);
            await b!.addPeer(A);
            const { id } = await b!.createFact({ statement: "The quay is mined", sensitivity: "restricted" });
            // Its version number is above those of the probes.
            for (let i = 0; i < 3; i++) await b!.patchFact(id, { statement: `The quay is mined ${i} times` });
            const origin = { instance: b!.id, id: isThere ? id : crypto.randomUUID() };
            const said = await probe(b!, origin);
            told.push(JSON.parse(JSON.stringify(said).replaceAll(origin.id, "the id")));
            if (isThere) assert.deepEqual(await openReviews(b!), []);
            const { statement, status } = await b!.fact(id);
            assert.deepEqual([statement, status], ["The quay is mined 2 times", "active"]);
            assert.equal((await b!.rows("select 1 from federation_conflict where workspace_id = :ws")).length, 0);
          }
          assert.deepEqual(told[0], told[1]);
        },
      );
    }

    for (const [what, probe] of PROBES) {
      await t.step(`T39 the same holds of another instance's item, for ${what}`, async () => {
        const told: Json[] = [];
        for (const isThere of [true, false]) {
          const [b] = await exchange.play(1);
          await b!.addPeer(A);
          await b!.addPeer(D);
          const known = { instance: D, id: crypto.randomUUID() };
          await b!.receive(D, [itemOf(D, { origin: known, unit: factForm("The pier is mined") })]);
          await b!.patchFact(known.id, { sensitivity: "restricted" });
          const origin = { instance: D, id: isThere ? known.id : crypto.randomUUID() };
          const said = await probe(b!, origin);
          told.push(JSON.parse(JSON.stringify(said).replaceAll(origin.id, "the id")));
          assert.equal((await b!.fact(known.id)).statement, "The pier is mined");
          assert.deepEqual(await openReviews(b!), []);
        }
        assert.deepEqual(told[0], told[1]);
      });
    }

    await t.step("T39 what a peer said of an item counts as soon as the peer may know of it", async () => {
      const [b] = await exchange.play(1);
      await b!.addPeer(A);
      const { id } = await b!.createFact({ statement: "The bell rings at six", sensitivity: "restricted" });
      const origin = { instance: b!.id, id };
      await b!.receive(A, [itemOf(A, { origin, version: 2, unit: factForm("The bell rings at nine") })]);
      await b!.patchFact(id, { sensitivity: "internal" });
      await b!.receive(A, []);
      const open = await b!.rows(
        "select writer from federation_conflict where workspace_id = :ws and state = 'contested'",
      );
      assert.deepEqual(open, [{ writer: A }]);
    });

    await t.step(
      "T39 a person is asked about an item that was offered to the peer before it became restricted",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const { id } = await b!.createFact({ statement: "The bell rings at six" });
        await b!.serve(A);
        await b!.patchFact(id, { sensitivity: "restricted" });
        const buried = itemOf(A, { origin: { instance: b!.id, id }, version: 5 }, "fact:deleted");
        assert.deepEqual((await b!.takePush(A, [buried])).map(({ outcome }) => outcome), ["review_opened"]);
      },
    );
  },
});
