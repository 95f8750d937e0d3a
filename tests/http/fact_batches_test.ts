/**
 * Batches of facts that affect each other: their cost, and that they give the same result as their items one by one.
 */
import assert from "node:assert/strict";
import type { Tx } from "../../src/db/tx.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { FACTS } from "./_facts.ts";

const REVIEW = "/v1/review";

type Body = Readonly<Record<string, unknown>>;

/** A word that is no near spelling of another one. */
function wordOf(index: number): string {
  return [...String(index)].map((digit) => "bcdfghklmn"[Number(digit)]).join("ao") + "eru";
}

/** A name that is near all others of its kind. */
function nearName(index: number): string {
  const letter = (at: number) => "abcdefghijklmnopqrstuvwxyz"[at % 26];
  return `Constantin${letter(index)}${letter(Math.floor(index / 26))}ople`;
}

/** Batches in which each item affects earlier ones, or stored facts. */
const SHAPES: Readonly<Record<string, { before?: (i: number) => Body; item: (i: number) => Body }>> = {
  rivals: { item: (i) => ({ statement: `Ada lives in ${wordOf(i)}.`, ...triple("Ada", "lives in", wordOf(i)) }) },
  "rivals of stored facts": {
    before: (i) => ({ ...closed(i), statement: `Bea lives in ${wordOf(i)}.`, ...triple("Bea", "lives in", wordOf(i)) }),
    item: (i) => ({
      statement: `Bea lives in ${wordOf(i)} now.`,
      ...triple("Bea", "lives in", wordOf(i + 7)),
      validFrom: closed(i).validFrom,
    }),
  },
  "contested facts": {
    before: (i) => ({
      statement: `Cleo likes ${wordOf(i)}.`,
      ...triple(`Cleo ${wordOf(i)}`, "likes", wordOf(i)),
      attribution: "user_stated",
    }),
    item: (i) => ({
      statement: `Cleo likes ${wordOf(i)} no more.`,
      ...triple(`Cleo ${wordOf(i)}`, "likes", wordOf(i + 1)),
      attribution: "unverified",
    }),
  },
  "similar statements": {
    item: (i) => ({ statement: `The backup runs at night after the shop has closed ${wordOf(i)}.` }),
  },
  "statements that are known": {
    before: (i) => ({ statement: `The crate ${wordOf(i)} is sealed.` }),
    item: (i) => ({
      statement: `The crate ${wordOf(i)} is sealed.`,
      attribution: "user_stated",
      citations: [{ messageId: wordOf(i) }],
    }),
  },
  "near names": {
    item: (i) => ({ statement: `${nearName(i)} is big.`, ...triple(nearName(i), "is", "big") }),
  },
};

function triple(subject: string, predicate: string, object: string) {
  return { subject, predicate, object };
}

/** The validity of one month for each, so that none contradicts another. */
function closed(i: number) {
  const month = (at: number) => new Date(Date.UTC(1900, at)).toISOString();
  return { validFrom: month(i), validTo: month(i + 1) };
}

async function writeBatch(service: TestService, key: string, facts: readonly Body[]) {
  const { status, body } = await service.post(`${FACTS}/batch`, { facts }, { key });
  assert.deepEqual([status, body.refused], [200, 0], JSON.stringify(body));
  return body.results as { status: number; fact: Record<string, unknown> }[];
}

/** The function in a statement that the driver calls to send it. */
interface Sendable {
  handler: (query: unknown) => void;
}

/** Counts the statements that transactions send. */
function countStatements(service: TestService): { sent: number } {
  const counts = { sent: 0 };
  const { db } = service.deps;
  const tx = db.tx.bind(db);
  const count = (sql: Tx["sql"]) =>
    new Proxy(sql, {
      apply(target, self, args) {
        const query = Reflect.apply(target as never, self, args) as Partial<Sendable>;
        const { handler } = query;
        if (handler !== undefined) query.handler = (sent) => (counts.sent++, handler(sent));
        return query;
      },
    });
  db.tx = (scope, work, options) =>
    tx(scope, (inner) => work(scope.actor === "system:audit" ? inner : { ...inner, sql: count(inner.sql) }), options);
  return counts;
}

Deno.test({
  ...POSTGRES,
  name: "a batch of facts takes as many statements when it is four times as large, whatever its items do to each other",
  async fn(t) {
    await using service = await startService();
    const counts = countStatements(service);
    for (const [name, { before, item }] of Object.entries(SHAPES)) {
      await t.step(name, async () => {
        const taken: number[] = [];
        // Larger than the sizes up to which texts are embedded immediately and names are looked up one by one.
        for (const size of [60, 240]) {
          const workspaceId = await service.createWorkspace();
          const key = await service.createKey({ workspaceId });
          const facts = (make: (i: number) => Body) => Array.from({ length: size }, (_, i) => make(i));
          if (before !== undefined) await writeBatch(service, key, facts(before));
          const already = counts.sent;
          await writeBatch(service, key, facts(item));
          taken.push(counts.sent - already);
        }
        assert.ok(taken[0]! > 0, "no statement was counted");
        assert.equal(taken[1], taken[0], "the number of statements grows with the batch");
      });
    }
  },
});

/** A stretch of pseudo-random numbers under 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Facts that supersede, contest, restate and resemble each other; some rest on stored ones, by their place. */
function mixedFacts(next: () => number, count: number, sources: readonly string[]): Body[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  return Array.from({ length: count }, () => {
    const [subject, predicate] = [pick(["Caroline", "Dora"]), pick(["lives in", "works in"])];
    const object = pick(["Rome", "Oslo", "Bern"]);
    const isPlain = next() < 0.25;
    const shared = {
      attribution: pick(["user_stated", "agent_stated", "unverified", "verified"]),
      citations: next() < 0.4 ? [{ messageId: pick(["m1", "m2", "m3"]) }] : [],
      derivedFrom: next() < 0.3 ? [pick(sources)] : [],
    };
    if (isPlain) {
      return { ...shared, statement: `The nightly backup of the shop goes to the cellar ${pick(["", "again"])}` };
    }
    return { ...shared, statement: `${subject} ${predicate} ${object}.`, subject, predicate, object };
  });
}

interface Left {
  readonly results: unknown[];
  readonly facts: unknown[];
  readonly reviews: unknown[];
}

/** Writes facts in a workspace of their own by `write`, and reads the result, with places instead of ids. */
async function leaves(
  service: TestService,
  seed: number,
  write: (key: string, facts: readonly Body[]) => Promise<{ status: number; fact: Record<string, unknown> }[]>,
): Promise<Left> {
  const workspaceId = await service.createWorkspace();
  const key = await service.createKey({ workspaceId });
  const next = random(seed);
  const stored = await write(key, [
    { statement: "Caroline lives in Lima.", ...triple("Caroline", "lives in", "Lima"), attribution: "agent_stated" },
    { statement: "Dora works in Lima.", ...triple("Dora", "works in", "Lima"), attribution: "user_stated" },
  ]);
  const sources = stored.map(({ fact }) => String(fact["id"]));
  const results = [...stored, ...await write(key, mixedFacts(next, 30, sources))];
  const ids = [...new Set(results.map(({ fact }) => String(fact["id"])))];
  const plain = (value: unknown) =>
    JSON.parse(ids.reduce((text, id, place) => text.replaceAll(id, `<${place}>`), JSON.stringify(value)));
  const facts: unknown[] = [];
  for (const id of ids) {
    const { worth: _, originId: __, ...fact } = (await service.get(`${FACTS}/${id}`, { key })).body;
    const revisions = (await service.get(`${FACTS}/${id}/revisions`, { key })).body.data;
    const versions = revisions.map((one: Record<string, unknown>) => [one["version"], one["event"], one["reason"]]);
    // The entities of its names belong to its own workspace.
    facts.push(plain({ ...fact, createdBy: "", entityIds: fact.entityIds.length, versions }));
  }
  const items = (await service.get(`${REVIEW}?status=open&status=resolved&limit=200`, { key })).body.data;
  return {
    results: results.map(({ status, fact }) => {
      const { outcome, factIds } = fact["conflict"] as { outcome: string; factIds: string[] };
      return plain({ status, id: fact["id"], version: outcome, factIds, isDuplicate: fact["duplicateOf"] !== null });
    }),
    facts,
    reviews: items.filter((item: Body) => item["kind"] === "contested_fact").map((item: Record<string, unknown>) =>
      plain({ status: item["status"], subject: item["subjectId"], other: item["otherId"], detail: item["detail"] })
    ).sort((a: unknown, b: unknown) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1),
  };
}

Deno.test({
  ...POSTGRES,
  name: "a batch of facts leaves what its items leave one by one: facts, versions, reviews and replies",
  async fn() {
    const now = new Date("2026-06-01T12:00:00.000Z");
    await using service = await startService({ clock: () => now });
    for (const seed of [1, 2, 3]) {
      const apart = await leaves(service, seed, async (key, facts) => {
        const replies: { status: number; fact: Record<string, unknown> }[] = [];
        for (const fact of facts) {
          const { status, body } = await service.post(FACTS, fact, { key });
          replies.push({ status, fact: body });
        }
        return replies;
      });
      const together = await leaves(service, seed, (key, facts) => writeBatch(service, key, facts));
      assert.deepEqual(together, apart, `seed ${seed}`);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "what a batch has rest on a fact that it closes is stale, in the reply and in the store, stated before or after",
  async fn() {
    await using service = await startService();
    const [old] = await writeBatch(service, service.key, [
      { statement: "Eve lives in Rome.", ...triple("Eve", "lives in", "Rome") },
    ]);
    const derivedFrom = [old!.fact["id"]];
    const results = await writeBatch(service, service.key, [
      { statement: "Eve speaks Italian.", derivedFrom },
      { statement: "Eve lives in Oslo.", ...triple("Eve", "lives in", "Oslo") },
      { statement: "Eve knows the Forum.", derivedFrom },
    ]);
    for (const [at, stale] of [true, false, true].entries()) {
      const { fact } = results[at]!;
      const stored = await service.get(`${FACTS}/${fact["id"]}`);
      assert.deepEqual([fact["stale"], stored.body.stale], [stale, stale], String(fact["statement"]));
    }

    // Contested by the first, until the third closes that one and says the same.
    const settled = await writeBatch(service, service.key, [
      { statement: "Flo lives in Rome.", ...triple("Flo", "lives in", "Rome"), attribution: "agent_stated" },
      { statement: "Flo may live in Oslo.", ...triple("Flo", "lives in", "Oslo"), attribution: "unverified" },
      { statement: "Flo lives in Oslo.", ...triple("Flo", "lives in", "Oslo"), attribution: "user_stated" },
    ]);
    const released = await service.get(`${FACTS}/${settled[1]!.fact["id"]}`);
    const shown = ({ status, version }: Body) => [status, version];
    assert.deepEqual([shown(settled[1]!.fact), shown(released.body)], [["active", 2], ["active", 2]]);
  },
});
