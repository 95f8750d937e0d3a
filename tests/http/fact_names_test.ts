/** Names in the triples of facts follow the same rule as all names, even in facts that an earlier build stored. */
import assert from "node:assert/strict";
import { listOldNamed, listOldVersions } from "../../src/db/queries/fact_names.ts";
import { hashFact } from "../../src/domain/kinds/facts/fields.ts";
import { participantKey } from "../../src/language/names.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { type Clock, create, FACTS, listIds, read, test } from "./_facts.ts";

const PREDICATE = "lives in";
const SAME_NAMES = [
  ["O’Brien", "O'Brien"],
  ["Straße", "STRASSE"],
  ["Ada\u200bLovelace", "AdaLovelace"],
  ["Ｚｏｅ\u00ad", "Zoe"],
] as const;

test("names that are the same name make one triple, so that what contradicts is found", async (service) => {
  for (const [first, second] of SAME_NAMES) {
    const older = await create(service, { subject: first, predicate: PREDICATE, object: "Cork" });
    const newer = await create(service, { subject: second, predicate: PREDICATE, object: "Rome" });
    assert.deepEqual([newer.conflict.outcome, newer.conflict.factIds], ["superseded", [older.id]], first);
    const query = `subject=${encodeURIComponent(first)}&status=active&status=superseded&order=asc`;
    assert.deepEqual(await listIds(service, query), [older.id, newer.id]);
  }
  const who = { subject: "The shop", predicate: "is owned by" };
  await create(service, { ...who, object: "O’Brien" });
  const said = await create(service, { ...who, object: "O'Brien" });
  assert.equal(said.conflict.outcome, "none", "the same object is no contradiction");
});

test("a possessive is a part of the name, and a name of which nothing is seen is none", async (service) => {
  for (const [one, other] of [["McDonald's", "McDonald"], ["\u200b", "\u00ad"]]) {
    await create(service, { subject: one, predicate: PREDICATE, object: "Cork" });
    const fact = await create(service, { subject: other, predicate: PREDICATE, object: "Rome" });
    assert.equal(fact.conflict.outcome, "none", one);
  }
});

interface Stored {
  readonly subject: string;
  readonly object: string;
  readonly attribution?: string;
}

/**
 * Facts as the earlier build stored them: its rule was the one that recall still uses for participants. Each is stated
 * under a name of its own, so that no rule but the earlier one has judged it; those of one `as` contest each other.
 */
async function storeAsBefore(
  service: TestService,
  clock: Clock | undefined,
  facts: readonly (Stored & { as?: string })[],
) {
  const rows: { readonly fact: Stored; readonly row: Reply["body"] }[] = [];
  for (const { as, ...fact } of facts) {
    clock?.step(1_000);
    const subject = as ?? `name ${crypto.randomUUID()}`;
    rows.push({ fact, row: await create(service, { ...fact, subject, predicate: PREDICATE }) });
  }
  await service.operator().tx(async (tx) => {
    for (const { fact: { subject, object }, row } of rows) {
      const folded = { subject: participantKey(subject), predicate: PREDICATE, object: participantKey(object) };
      const key = JSON.stringify([folded.subject, folded.predicate]);
      const contentHash = hashFact({ ...row, subject });
      await tx.sql`
        update unit set body = body || ${
        tx.sql.json({ subject, folded })
      }, triple_key = ${key}, content_hash = ${contentHash}
         where workspace_id = ${tx.workspaceId} and id = ${row.id}`;
      await tx.sql`
        update unit_revision set snapshot = snapshot ||
                 jsonb_build_object('triple_key', ${key}::text, 'body', snapshot -> 'body' || ${
        tx.sql.json({ subject, folded })
      })
         where workspace_id = ${tx.workspaceId} and id = ${row.id}`;
    }
  });
  return rows.map(({ row }) => row);
}

/** How many facts and versions of facts wait with names of an earlier rule. */
async function countWaiting(service: TestService): Promise<{ facts: number; versions: number }> {
  return await service.operator().tx(async (tx) => ({
    facts: (await listOldNamed(tx, { limit: 1_000 })).length,
    versions: (await listOldVersions(tx, { limit: 1_000 })).length,
  }));
}

async function refold(service: TestService): Promise<void> {
  while (await service.step("fact_names"));
}

/** Checks the same guarantees on both databases. */
async function checkRefolding(service: TestService, run: () => Promise<void>, clock?: Clock): Promise<void> {
  const [early, late] = await storeAsBefore(service, clock, [
    { subject: "O’Brien", object: "Cork" },
    { subject: "O'Brien", object: "Rome" },
  ]);
  const [trusted, weak] = await storeAsBefore(service, clock, [
    { subject: "Straße", object: "Köln", attribution: "user_stated" },
    { subject: "STRASSE", object: "Bonn", attribution: "agent_stated" },
  ]);
  const [hidden, seen] = await storeAsBefore(service, clock, [
    { subject: "Ada\u200bLovelace", object: "London" },
    { subject: "AdaLovelace", object: "London" },
  ]);
  const [shop, man] = await storeAsBefore(service, clock, [
    { as: "one name", subject: "McDonald's", object: "Chicago", attribution: "user_stated" },
    { as: "one name", subject: "McDonald", object: "Perth", attribution: "agent_stated" },
  ]);
  assert.equal(man.status, "contested");
  await run();
  const statusOf = async ({ id }: { id: string }) => (await read(service, id)).status;
  const statuses = async (...facts: { id: string }[]) => await Promise.all(facts.map(statusOf));
  assert.deepEqual(await statuses(early, late), ["superseded", "active"], "the later one is trusted as much");
  assert.deepEqual(await statuses(trusted, weak), ["active", "contested"], "the later one is trusted less");
  assert.deepEqual(await statuses(hidden, seen), ["active", "active"], "both say the same");
  assert.deepEqual(await statuses(shop, man), ["active", "active"], "two names contradict nothing");
  const { body } = await service.get("/v1/review?status=open&limit=100");
  assert.deepEqual(
    body.data.map((item: { kind: string; subjectId: string }) => [item.kind, item.subjectId]),
    [["contested_fact", weak.id]],
  );
  const won = await read(service, late.id);
  assert.deepEqual([won.supersedes, won.validFrom], [early.id, late.recordedAt], "as if it had been found then");
  const stated = await create(service, { subject: "O\u2019BRIEN", predicate: PREDICATE, object: "Oslo" });
  assert.deepEqual(stated.conflict.factIds, [late.id]);
}

test(
  "facts that an earlier build stored are judged by today's names before the first request",
  async (service, clock) => {
    await checkRefolding(service, async () => {
      await using booted = await startService({ database: service.database!, clock: () => clock.now });
      assert.ok(booted.workspaceId);
    }, clock);
    const { versions, facts } = await countWaiting(service);
    assert.ok(versions > 0);
    assert.equal(facts, 0);
    const at = clock.now.toISOString();
    clock.step(1_000);
    await refold(service);
    assert.deepEqual(await countWaiting(service), { facts: 0, versions: 0 });
    assert.equal((await listIds(service, `subject=strasse&knownAt=${at}`)).length, 2);
  },
);

test(
  "a fact that an older build stores while a newer one runs is judged by the worker, and when it is changed",
  async (service, clock) => {
    const known = await create(service, { subject: "O'Brien", predicate: PREDICATE, object: "Cork" });
    const [first] = await storeAsBefore(service, clock, [{ subject: "O’Brien", object: "Rome" }]);
    await refold(service);
    assert.deepEqual([(await read(service, known.id)).status, (await read(service, first.id)).status], [
      "superseded",
      "active",
    ]);
    const [second] = await storeAsBefore(service, clock, [{ subject: "O’Brien", object: "Oslo" }]);
    const changed = await service.patch(`${FACTS}/${second.id}`, { tags: ["home"] }, {
      headers: { "if-match": '"1"' },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.deepEqual(changed.body.conflict.factIds, [first.id]);
  },
);

Deno.test("facts that an earlier build stored in the embedded database are judged by today's names", async () => {
  await using service = await startService({ embedded: true });
  await checkRefolding(service, () => refold(service));
  await refold(service);
  assert.deepEqual(await countWaiting(service), { facts: 0, versions: 0 });
});
