import assert from "node:assert/strict";
import {
  type ComparedFact,
  contradicts,
  endOf,
  isNewer,
  judge,
  overlaps,
  restates,
  restatesEnded,
  winnerColumns,
} from "./conflicts.ts";
import { excludes, nests } from "../../unit/slots.ts";
import { derivedColumns, foldTriple, tripleKeyOf } from "./fields.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const day = (text: string) => new Date(`${text}T00:00:00.000Z`);
let serial = 0;

interface Given {
  readonly object?: string;
  readonly predicate?: string;
  readonly statement?: string;
  readonly trust?: number;
  readonly status?: "active" | "contested";
  readonly from?: string;
  readonly to?: string;
  readonly occurred?: string;
  readonly recorded?: Date;
  readonly factType?: "fact" | "observation";
  readonly exclusive?: boolean;
}

function claim(given: Given = {}): ComparedFact {
  const columns = derivedColumns({
    statement: given.statement ?? `Caroline lives in ${given.object ?? "Rome"}`,
    subject: "Caroline",
    predicate: given.predicate ?? "lives in",
    object: given.object ?? "Rome",
    factType: given.factType ?? "fact",
    supersedes: null,
    supersededBy: null,
    citations: [],
    ...(given.exclusive !== undefined && { exclusive: given.exclusive }),
  });
  return {
    attribution: "agent_stated",
    createdBy: "key:one",
    id: `fact-${++serial}`,
    sensitivity: "internal",
    status: given.status ?? "active",
    trustScore: given.trust ?? 60,
    validFrom: given.from ? day(given.from) : null,
    validTo: given.to ? day(given.to) : null,
    occurredAt: given.occurred ? day(given.occurred) : null,
    recordedAt: given.recorded ?? NOW,
    updatedAt: given.recorded ?? NOW,
    ...columns,
  };
}

Deno.test("intervals are half-open: one that ends where the other begins does not overlap it", () => {
  assert.equal(overlaps(claim({ from: "2020-01-01", to: "2021-01-01" }), claim({ from: "2021-01-01" })), false);
  assert.equal(overlaps(claim({ from: "2020-01-01", to: "2021-01-02" }), claim({ from: "2021-01-01" })), true);
  assert.equal(overlaps(claim({ from: "2020-01-01", to: "2020-01-01" }), claim({ from: "2019-01-01" })), false);
  assert.equal(overlaps(claim(), claim()), true);
});

Deno.test("a fact without a beginning holds since it was recorded, so closed history does not contradict it", () => {
  assert.equal(overlaps(claim({ from: "2019-01-01", to: "2020-01-01" }), claim()), false);
  assert.equal(overlaps(claim({ from: "2019-01-01" }), claim()), true);
  assert.equal(overlaps(claim({ to: "2020-01-01" }), claim()), false);
});

Deno.test("only another object of the same subject and predicate contradicts; spelling does not", () => {
  assert.equal(contradicts(claim({ object: "Paris" }), claim({ object: "Rome" })), true);
  assert.equal(contradicts(claim({ object: "ROME" }), claim({ object: " rome " })), false);
  assert.equal(contradicts(claim({ object: "Paris", predicate: "visited" }), claim({ object: "Rome" })), false);
  const same = claim();
  assert.equal(
    contradicts(same, { ...same, body: { ...same.body, folded: { ...same.body.folded, object: "x" } } }),
    false,
  );
});

Deno.test("a fact without a whole triple contradicts nothing", () => {
  assert.equal(tripleKeyOf(foldTriple({ subject: "a", predicate: "b", object: null })), null);
  assert.equal(contradicts({ ...claim({ object: "Paris" }), tripleKey: null }, { ...claim(), tripleKey: null }), false);
});

Deno.test("newer is what speaks of a later time, or what is said later about no time", () => {
  assert.equal(isNewer(claim({ from: "2026-01-01" }), claim(), NOW), true);
  assert.equal(isNewer(claim({ from: "2019-01-01" }), claim({ from: "2020-01-01" }), NOW), false);
  assert.equal(isNewer(claim({ from: "2020-01-01" }), claim({ from: "2020-01-01" }), NOW), true);
  assert.equal(isNewer(claim(), claim({ from: "2027-01-01" }), NOW), false);
  assert.equal(isNewer(claim({ occurred: "2020-01-02" }), claim({ occurred: "2020-01-01" }), NOW), true);
});

Deno.test("a newer fact of equal or higher trust supersedes, one of lower trust is contested", () => {
  const known = claim({ object: "Paris", trust: 60 });
  assert.equal(judge(claim({ trust: 60 }), [known], NOW).outcome, "superseded");
  assert.equal(judge(claim({ trust: 90 }), [known], NOW).outcome, "superseded");
  assert.equal(judge(claim({ trust: 59 }), [known], NOW).outcome, "contested");
  assert.equal(judge(claim({ object: "Paris", trust: 10 }), [known], NOW).outcome, "none");
});

Deno.test("what is stated after another was written supersedes it, though the other's clock was ahead", () => {
  const later = new Date(NOW.getTime() + 5_000);
  const ahead = { ...claim({ object: "Paris", recorded: later }), validFrom: later };
  const judged = judge(claim(), [ahead], NOW);
  assert.equal(judged.outcome, "superseded");
  assert.deepEqual(endOf(ahead, judged.closesAt), later);
  assert.equal(restates(claim({ object: "Paris" }), ahead, NOW), true);
});

Deno.test("an older fact that arrives late holds until the known one begins, however trusted, and nothing is closed", () => {
  const known = claim({ object: "Paris", from: "2020-01-01" });
  const last = claim({ object: "Berlin", from: "2024-01-01" });
  for (const trust of [10, 100]) {
    const judged = judge(claim({ from: "2019-01-01", trust }), [last, known], NOW);
    assert.deepEqual([judged.outcome, judged.rivals, judged.next], [
      "ordered",
      [known],
      { fact: known, begins: day("2020-01-01") },
    ]);
  }
  const contested = claim({ object: "Paris", from: "2020-01-01", status: "contested" });
  assert.equal(judge(claim({ from: "2019-01-01" }), [contested], NOW).outcome, "none", "it may never have begun");
});

Deno.test("what is said of now holds until what is planned begins, and ends what holds now", () => {
  const planned = claim({ object: "Paris", from: "2027-01-01" });
  const present = claim({ object: "Berlin", from: "2020-01-01", to: "2027-01-01", recorded: day("2026-01-01") });
  const judged = judge(claim(), [planned, present], NOW);
  assert.deepEqual([judged.outcome, judged.rivals, judged.next?.fact], ["superseded", [present], planned]);
});

Deno.test("a bounded fact lies within one that lasts longer, told before or after", () => {
  const bounded = claim({ from: "2027-07-01", to: "2027-08-01" });
  const lasting = claim({ object: "Paris" });
  assert.equal(nests(bounded, lasting), true);
  assert.equal(nests(lasting, bounded), false);
  assert.equal(nests(bounded, claim({ from: "2027-07-01" })), true);
  assert.equal(nests(bounded, claim({ from: "2027-07-02" })), false);
  assert.equal(nests(bounded, claim({ from: "2027-07-01", to: "2027-08-01" })), false, "neither lasts longer");
  assert.deepEqual(
    [judge(bounded, [lasting], NOW), judge(lasting, [bounded], NOW)].map(({ outcome, rivals }) => [outcome, rivals]),
    [["interrupts", [lasting]], ["none", []]],
  );
  assert.equal(contradicts(bounded, lasting), false);
});

Deno.test("a bounded fact that is trusted less than what it would interrupt is contested", () => {
  const bounded = claim({ from: "2027-07-01", to: "2027-08-01", trust: 45 });
  const lasting = claim({ object: "Paris" });
  assert.equal(judge(bounded, [lasting], NOW).outcome, "contested");
  assert.equal(contradicts(bounded, lasting), true);
});

Deno.test("what is said of now within a bounded time ends what was bounded", () => {
  const bounded = claim({ object: "Paris", from: "2026-05-15", to: "2026-07-01", recorded: day("2026-05-01") });
  const judged = judge(claim(), [bounded], NOW);
  assert.deepEqual([judged.outcome, judged.rivals], ["superseded", [bounded]]);
});

Deno.test("values of a predicate that has several stand beside each other", () => {
  const spoken = (object: string, exclusive?: boolean) =>
    claim({ predicate: "speaks", object, ...(exclusive !== undefined && { exclusive }) });
  assert.equal(judge(spoken("Greek"), [spoken("Danish")], NOW).outcome, "none");
  assert.equal(judge(spoken("Greek", true), [spoken("Danish", true)], NOW).outcome, "superseded");
  assert.equal(judge(claim({ exclusive: false }), [claim({ object: "Paris" })], NOW).outcome, "none");
});

Deno.test("a predicate of which nobody says how many values it has excludes none", () => {
  const { body } = claim({ predicate: "guards" });
  const unsure = { body };
  const one = { body: { ...body, folded: { ...body.folded, exclusive: true } } };
  const several = { body: { ...body, folded: { ...body.folded, exclusive: false } } };
  assert.equal(excludes(unsure, unsure), false);
  assert.equal(excludes(unsure, one), true, "it is said of one of them");
  assert.equal(excludes(several, one), false);
  assert.equal(excludes({ body: { ...several.body, exclusive: true } }, one), true, "the author's word counts first");
});

Deno.test("a late statement that was superseded as it came is known when it comes again", () => {
  const ended = { ...claim({ from: "2019-01-01" }), validTo: day("2020-01-01"), status: "superseded" };
  assert.equal(restatesEnded(claim({ from: "2019-01-01" }), ended), true);
  assert.equal(restatesEnded(claim({ from: "2019-01-01", to: "2020-01-01" }), ended), true);
  assert.equal(restatesEnded(claim({ from: "2018-01-01" }), ended), false);
  assert.equal(restatesEnded(claim(), ended), false, "who lives there again says so without a date");
});

Deno.test("a fact wins over all that it contradicts or over none", () => {
  const weak = claim({ object: "Paris", trust: 10 });
  const strong = claim({ object: "Berlin", trust: 90 });
  const judged = judge(claim({ trust: 60 }), [weak, strong], NOW);
  assert.equal(judged.outcome, "contested");
  assert.equal(judged.rivals.length, 2);
});

Deno.test("a winner says that it supersedes what was in force, not what contested it later", () => {
  const known = claim({ object: "Paris", from: "2020-01-01" });
  const contested = claim({ object: "Berlin", trust: 45, status: "contested" });
  const winner = claim();
  assert.equal(winnerColumns(winner, judge(winner, [known, contested], NOW)).body.supersedes, known.id);
});

Deno.test("the winner begins where the loser ends, unless it states its beginning", () => {
  const known = claim({ object: "Paris" });
  const unstated = claim();
  assert.deepEqual(winnerColumns(unstated, judge(unstated, [known], NOW)).validFrom, NOW);
  const stated = claim({ from: "2026-02-01" });
  const judged = judge(stated, [known], NOW);
  assert.deepEqual(judged.closesAt, day("2026-02-01"));
  assert.deepEqual(winnerColumns(stated, judged).validFrom, day("2026-02-01"));
  assert.equal(winnerColumns(stated, judged).body.supersedes, known.id);
});

Deno.test("a statement without bounds restates what holds at its time, and not what has ended", () => {
  assert.equal(restates(claim(), claim({ from: "2026-01-01" }), NOW), true);
  assert.equal(restates(claim(), claim({ from: "2019-01-01", to: "2020-01-01" }), NOW), false);
  assert.equal(restates(claim({ occurred: "2019-06-01" }), claim({ from: "2019-01-01", to: "2020-01-01" }), NOW), true);
  assert.equal(restates(claim({ object: "Paris" }), claim(), NOW), false);
});

Deno.test("a statement that states its bounds restates only what has the same", () => {
  assert.equal(restates(claim({ from: "2026-01-01" }), claim({ from: "2026-01-01" }), NOW), true);
  assert.equal(restates(claim({ from: "2026-01-01" }), claim(), NOW), false);
  assert.equal(restates(claim({ to: "2027-01-01" }), claim({ from: "2026-01-01" }), NOW), false);
});

Deno.test("an observation made at another time is another observation", () => {
  const monday = claim({ factType: "observation", occurred: "2026-05-04" });
  assert.equal(restates(claim({ factType: "observation", occurred: "2026-05-05" }), monday, NOW), false);
  assert.equal(restates(claim({ factType: "observation", occurred: "2026-05-04" }), monday, NOW), true);
  assert.equal(restates(claim({ occurred: "2026-05-05" }), claim({ occurred: "2026-05-04" }), NOW), true);
});
