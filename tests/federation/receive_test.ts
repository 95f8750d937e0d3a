/** Receiving items of peers, on real databases: what is stored, shown and refused, and what a person is asked. */
import assert from "node:assert/strict";
import { publish } from "../../src/domain/federation/register/publish.ts";
import { recall } from "../../src/domain/recall/recall.ts";
import { listReviewItems } from "../../src/domain/review/queue.ts";
import { listTasks } from "../../src/domain/tasks/tasks.ts";
import { RecallBody } from "../../src/schema/recall.ts";
import { ListReviewQuery } from "../../src/schema/review.ts";
import { ListTasksQuery } from "../../src/schema/task.ts";
import { POSTGRES } from "../_postgres.ts";
import { Exchange, exchangeAll, factForm, itemOf, type Json, registerOf } from "./_exchange.ts";

const A = "instance:a.example";
const B = "instance:b.example";
const ID = "01990000-0000-7000-8000-0000000000f1";

Deno.test({
  ...POSTGRES,
  name: "items that two instances send each other",
  async fn(t) {
    await using exchange = await Exchange.open(["a", "b"]);

    await t.step(
      "T37 a fact of a peer is stored as received, trusted at 20 whatever it says, and recalled",
      async () => {
        const [a, b] = await exchange.play(2);
        const made = await a!.createFact({
          statement: "The ferry to Capri leaves at nine",
          attribution: "user_stated",
        });
        assert.deepEqual((await b!.pull(a!)).map(({ outcome }) => outcome), ["applied"]);
        const got = await b!.fact(made.id);
        assert.deepEqual(
          [got.statement, got.attribution, got.trustScore, got.sensitivity, got.origin],
          [made.statement, "federation_received", 20, "internal", { instance: A, id: made.id }],
        );
        assert.ok((await b!.recall("ferry to Capri")).has(made.id));
        assert.deepEqual((await b!.pull(a!)).map(({ outcome }) => outcome), ["duplicate"]);
        await exchangeAll([a!, b!]);
        assert.deepEqual(await registerOf(b!), await registerOf(a!));
      },
    );

    await t.step(
      "an edit of the origin is an update of the copy, and its retraction makes stale what rests on it",
      async () => {
        const [a, b] = await exchange.play(2);
        const made = await a!.createFact({ statement: "The harbour opens at seven" });
        await b!.pull(a!);
        const resting = await b!.createFact({ statement: "Come before seven", derivedFrom: [made.id] });
        await a!.patchFact(made.id, { statement: "The harbour opens at six" });
        await b!.pull(a!);
        assert.equal((await b!.fact(made.id)).statement, "The harbour opens at six");
        assert.equal((await b!.rows("select 1 from federation_conflict where workspace_id = :ws")).length, 0);
        await a!.patchFact(made.id, { status: "retracted" });
        await b!.pull(a!);
        assert.equal((await b!.fact(made.id)).status, "retracted");
        assert.equal((await b!.fact(resting.id)).stale, true);
      },
    );

    await t.step(
      "aliases are exchanged: the copy is found by those that the origin has now, and a changed list is an update",
      async () => {
        const [a, b] = await exchange.play(2);
        const made = await a!.createFact({ statement: "The lift holds six people", aliases: ["elevator", "Aufzug"] });
        await b!.pull(a!);
        assert.deepEqual((await b!.fact(made.id)).aliases.toSorted(), ["Aufzug", "elevator"]);
        assert.ok((await b!.recall("elevator")).has(made.id));
        await a!.patchFact(made.id, { aliases: ["hoist"] });
        assert.deepEqual((await b!.pull(a!)).map(({ outcome }) => outcome), ["applied"]);
        assert.deepEqual((await b!.fact(made.id)).aliases, ["hoist"]);
        assert.deepEqual([(await b!.recall("elevator")).has(made.id), (await b!.recall("hoist")).has(made.id)], [
          false,
          true,
        ]);
        await exchangeAll([a!, b!]);
        assert.deepEqual(await registerOf(b!), await registerOf(a!));
      },
    );

    await t.step(
      "publication passes over what only a peer changed, and publishes what a caller changed in the same stretch of the feed",
      async () => {
        const [a, b] = await exchange.play(2);
        const [kept, edited, erased] = [
          await a!.createFact({ statement: "The dock has four gates" }),
          await a!.createFact({ statement: "The mast is nine metres high" }),
          await a!.createFact({ statement: "The keel is of oak" }),
        ];
        await b!.pull(a!);
        await b!.patchFact(edited.id, { statement: "The mast is eight metres high" });
        await b!.erase(erased.id);
        const mine = await b!.createFact({ statement: "The sail is of linen" });
        while (await publish(b!.ctx));
        const own = (await registerOf(b!)).filter(({ writer }: Json) => writer === b!.id);
        assert.deepEqual(
          own.map(({ item, version }: Json) => `${item} ${version}`).sort(),
          [`${A}/${edited.id} 2`, `${A}/${erased.id} 2`, `${B}/${mine.id} 1`].sort(),
        );
        assert.ok(!own.some(({ item }: Json) => item === `${A}/${kept.id}`));
      },
    );

    await t.step("a fact rests on what its source is called here, where another item has the source's id", async () => {
      const [, b] = await exchange.play(2);
      const taken = await b!.createFact({ statement: "The buoy is green" });
      const source = { instance: A, id: taken.id };
      const origin = { instance: A, id: crypto.randomUUID() };
      const resting = { ...factForm("Ships pass the mark on the left"), derivedFrom: [`${A}/${taken.id}`] };
      await b!.receive(A, [
        itemOf(A, { origin: source, unit: factForm("The buoy is red") }),
        itemOf(A, { origin, unit: resting }),
      ]);
      const [{ statement }, [sourceId]] = [await b!.fact(taken.id), (await b!.fact(origin.id)).derivedFrom];
      assert.equal(statement, "The buoy is green");
      assert.notEqual(sourceId, taken.id);
      assert.equal((await b!.fact(sourceId!)).statement, "The buoy is red");
    });

    await t.step(
      "a version that contradicts what was said here is contested: two texts, one review, one task",
      async () => {
        const [a, b] = await exchange.play(2);
        const made = await a!.createFact({ statement: "The museum closes at five on Sundays" });
        await b!.pull(a!);
        await b!.patchFact(made.id, { statement: "The museum closes at four on Sundays", attribution: "agent_stated" });
        for (let i = 0; i < 10; i++) {
          await a!.patchFact(made.id, { statement: `The museum closes at five on Sundays, edition ${i}` });
          const [{ outcome }] = (await b!.pull(a!)).filter(({ id }) => id === made.id) as [Json];
          assert.equal(outcome, "contested");
        }
        const found = [...(await b!.recall("museum closes Sundays")).values()];
        assert.deepEqual(found.map(({ contested }) => contested), [true, true]);
        assert.equal((await b!.fact(made.id)).statement, "The museum closes at four on Sundays");
        const reviews = await listReviewItems(b!.ctx, ListReviewQuery.parse({ kind: "federation_conflict" }));
        assert.equal(reviews.data.length, 1);
        const tasks = await listTasks(b!.ctx, ListTasksQuery.parse({ kind: "conflict_review" }));
        assert.deepEqual(tasks.data.map(({ status }) => status), ["pending"]);
      },
    );

    await t.step(
      "T36 a version may jump by 100 at most, also at first sight, and may not name versions that we have yet to publish",
      async () => {
        const [, b] = await exchange.play(2);
        const origin = { instance: A, id: ID };
        const said = (version: number, more: Json = {}) => itemOf(A, { origin, version, unit: factForm("x"), ...more });
        const take = async (item: Json) =>
          (await b!.receive(A, [item])).map(({ outcome, base }) => ({ outcome, base }));
        assert.deepEqual(await take(said(101)), [{ outcome: "VERSION_JUMP_REJECTED", base: 0 }]);
        assert.deepEqual(await take(said(100)), [{ outcome: "applied", base: undefined }]);
        assert.deepEqual(await take(said(201, { unit: factForm("y") })), [{
          outcome: "VERSION_JUMP_REJECTED",
          base: 100,
        }]);
        assert.deepEqual(await take(said(200, { seen: { [B]: 7 }, unit: factForm("y") })), [
          { outcome: "validation_failed", base: undefined },
        ]);
        assert.deepEqual(await take(said(99)), [{ outcome: "unchanged", base: undefined }]);
        assert.deepEqual(await take(said(100, { unit: factForm("z") })), [{ outcome: "conflict", base: undefined }]);
        assert.deepEqual((await registerOf(b!)).map(({ version }: Json) => version), [100]);
      },
    );

    await t.step("an item that a restore lost comes back, though its peer has seen versions of ours", async () => {
      const [, b] = await exchange.play(2);
      const take = async (version: number) => {
        const origin = { instance: A, id: crypto.randomUUID() };
        const [{ outcome }] = await b!.receive(A, [
          itemOf(A, { origin, version, seen: { [B]: 3 }, unit: factForm(`The quay is ${version} fathoms deep`) }),
        ]);
        return outcome;
      };
      assert.equal(await take(3), "validation_failed", "a version is above all that it has seen");
      assert.equal(await take(4), "applied");
    });

    for (const order of ["as they were told", "the other way round"]) {
      await t.step(`planned and bounded states are read alike by a peer that gets them ${order}`, async () => {
        const [a, b] = await exchange.play(2);
        const tell = (subject: string, object: string, more: Json = {}) =>
          a!.createFact({ statement: `The ${subject} is ${object}`, subject, predicate: "contact", object, ...more });
        await tell("office", "Faro");
        await tell("office", "Porto", { validFrom: "2999-01-01T00:00:00Z" });
        await tell("project", "Vera");
        await tell("project", "Wim", { validFrom: "2998-07-01T00:00:00Z", validTo: "2998-08-01T00:00:00Z" });
        await tell("ship", "Rome", { validFrom: "2024-01-01T00:00:00Z" });
        await tell("ship", "Paris", { validFrom: "2019-01-01T00:00:00Z" });
        const items = await a!.serve(b!.id);
        await b!.receive(a!.id, order === "as they were told" ? items : items.toReversed());
        for (const asOf of ["2020-01-01", "2998-01-01", "2998-07-10", "2998-09-01", "2999-06-01"]) {
          const read = async ({ ctx }: typeof a & object) => {
            const query = "office project ship contact Faro Porto Vera Wim Rome Paris";
            const reply = await recall(ctx, RecallBody.parse({ query, asOf: `${asOf}T00:00:00Z`, types: ["fact"] }));
            return reply.results.map(({ text }) => text).sort();
          };
          assert.deepEqual(await read(b!), await read(a!), asOf);
        }
        await exchangeAll([a!, b!]);
        assert.deepEqual(await registerOf(b!), await registerOf(a!));
        assert.equal((await b!.rows("select 1 from federation_conflict where workspace_id = :ws")).length, 0);
      });
    }

    await t.step("a page with another instance's version leaves no row", async () => {
      const [, b] = await exchange.play(2);
      const origin = { instance: A, id: ID };
      const items = [
        itemOf(A, { origin, unit: factForm("mine") }),
        itemOf("instance:c.example", { origin: { ...origin, id: crypto.randomUUID() }, unit: factForm("another's") }),
      ];
      await assert.rejects(b!.receive(A, items), { code: "validation_failed" });
      assert.deepEqual(await registerOf(b!), []);
    });
  },
});
