/** What a peer said that cannot be shown yet: it is kept, tried again, and shown when what it waits for has come. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, factForm, itemOf, type Json, type Node } from "./_exchange.ts";
import { hashItem } from "../../src/domain/federation/register/shared_form.ts";

const A = "instance:a.example";

const outcomesOf = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome);

function entryOf(node: Node, id: string): Promise<Json[]> {
  return node.rows(
    `select verdict, version, word is not null as kept from federation_version
      where workspace_id = :ws and origin_id = '${id}'`,
  );
}

Deno.test({
  ...POSTGRES,
  name: "words of peers that cannot be shown yet",
  async fn(t) {
    await using exchange = await Exchange.open(["b"]);

    await t.step(
      "a body of a later build is kept, holds up nothing, and is shown by the build that reads it",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const origin = { instance: A, id: crypto.randomUUID() };
        const readable = factForm("The canal of Odense is dredged in spring");
        const newer = itemOf(A, { origin, version: 3, unit: { ...readable, certainty: "high" } });
        const other = itemOf(A, { origin: { ...origin, id: crypto.randomUUID() }, unit: factForm("The lock is shut") });
        assert.deepEqual(outcomesOf(await b!.receive(A, [newer, other])), ["validation_failed", "applied"]);
        assert.deepEqual(await entryOf(b!, origin.id), [{ verdict: "deferred", version: 3, kept: true }]);
        await b!.receive(A, []);
        assert.deepEqual(await entryOf(b!, origin.id), [{ verdict: "deferred", version: 3, kept: true }]);
        // A build that reads it finds what this one left: here, what was kept becomes what this build reads.
        const hash = hashItem("fact", origin, readable);
        await b!.rows(
          `update federation_version set word = word - 'certainty', hash = decode('${hash}', 'hex')
          where workspace_id = :ws and origin_id = '${origin.id}'`,
        );
        await b!.receive(A, []);
        assert.equal((await b!.fact(origin.id)).statement, readable.statement);
        assert.equal((await entryOf(b!, origin.id))[0].verdict, "shown");
      },
    );

    await t.step(
      "an edit of what is shown by a later build leaves what is shown, until a word comes that is read",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const origin = { instance: A, id: crypto.randomUUID() };
        await b!.receive(A, [itemOf(A, { origin, unit: factForm("The quay has two cranes") })]);
        const unread = { ...factForm("The quay has three cranes"), certainty: "high" };
        assert.deepEqual(outcomesOf(await b!.receive(A, [itemOf(A, { origin, version: 2, unit: unread })])), [
          "validation_failed",
        ]);
        assert.equal((await b!.fact(origin.id)).statement, "The quay has two cranes");
        const read = itemOf(A, { origin, version: 3, unit: factForm("The quay has four cranes") });
        assert.deepEqual(outcomesOf(await b!.receive(A, [read])), ["applied"]);
        assert.equal((await b!.fact(origin.id)).statement, "The quay has four cranes");
        assert.deepEqual(await entryOf(b!, origin.id), [{ verdict: "shown", version: 3, kept: false }]);
      },
    );

    await t.step("what is erased meanwhile is not kept, and nothing of it comes back", async () => {
      const [b] = await exchange.play(1);
      await b!.addPeer(A);
      const origin = { instance: A, id: crypto.randomUUID() };
      const unread = { ...factForm("The buoy is red"), certainty: "high" };
      await b!.receive(A, [itemOf(A, { origin, unit: unread })]);
      const buried = itemOf(A, { origin, version: 2 }, "fact:deleted");
      assert.deepEqual(outcomesOf(await b!.receive(A, [buried])), ["erased"]);
      await b!.receive(A, []);
      assert.deepEqual(await entryOf(b!, origin.id), [{ verdict: "erased", version: 2, kept: false }]);
    });

    await t.step(
      "more words than are tried at once take turns: none waits behind those that wait for ever",
      async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const relation = (source: string, target: string): Json => ({
          ...{ state: "active", sensitivity: "internal", confidence: 1, tags: [], metadata: {} },
          ...{ validFrom: null, validTo: null, verb: "related_to", isHyper: false, weight: 1, evidenceIds: [] },
          ends: [{ role: "source", id: `${A}/${source}` }, { role: "target", id: `${A}/${target}` }],
        });
        const facts = [crypto.randomUUID(), crypto.randomUUID()];
        const waiting = Array.from({ length: 120 }, () => {
          const origin = { instance: A, id: crypto.randomUUID() };
          return itemOf(A, { origin, unit: relation(facts[0]!, crypto.randomUUID()) }, "relation");
        });
        const last = { instance: A, id: `ffffffff${crypto.randomUUID().slice(8)}` };
        await b!.receive(A, [
          ...waiting,
          itemOf(A, { origin: last, unit: relation(facts[0]!, facts[1]!) }, "relation"),
        ]);
        await b!.receive(
          A,
          facts.map((id, i) => itemOf(A, { origin: { instance: A, id }, unit: factForm(`Mole ${i} is of stone`) })),
        );
        for (let i = 0; i < 2; i++) await b!.receive(A, []);
        assert.equal((await entryOf(b!, last.id))[0].verdict, "shown");
      },
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "what stood for a peer's fact is erased or edited: the peer's fact is shown as one of its own",
  async fn(t) {
    await using exchange = await Exchange.open(["b"]);
    const end: Record<string, (b: Node, id: string) => Promise<unknown>> = {
      erased: (b, id) => b.erase(id),
      edited: (b, id) => b.patchFact(id, { statement: "The bridge opens at nine on weekdays" }),
      retracted: (b, id) => b.patchFact(id, { status: "retracted" }),
    };
    for (const [name, change] of Object.entries(end)) {
      await t.step(name, async () => {
        const [b] = await exchange.play(1);
        await b!.addPeer(A);
        const statement = "The bridge opens at seven every day of the year";
        const ours = await b!.createFact({ statement });
        const origin = { instance: A, id: crypto.randomUUID() };
        assert.deepEqual(outcomesOf(await b!.receive(A, [itemOf(A, { origin, unit: factForm(statement) })])), [
          "applied",
        ]);
        assert.equal((await b!.rows("select 1 from unit where workspace_id = :ws and type = 'fact'")).length, 1);
        await change(b!, ours.id);
        await b!.serve(A);
        await b!.receive(A, []);
        const fact = await b!.fact(origin.id);
        assert.deepEqual([fact.statement, fact.attribution], [statement, "federation_received"]);
        // And later versions of it are taken.
        const next = itemOf(A, { origin, version: 2, unit: factForm("The bridge opens at ten") });
        assert.deepEqual(outcomesOf(await b!.receive(A, [next])), ["applied"]);
        assert.equal((await b!.fact(origin.id)).statement, "The bridge opens at ten");
      });
    }
  },
});
