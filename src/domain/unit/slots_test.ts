import assert from "node:assert/strict";
import { findOutdating, rankCurrency, type Spoken } from "./slots.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
let serial = 0;

function spoken(
  object: string,
  given: Partial<Spoken> & { readonly inferred?: true; readonly predicate?: string } = {},
) {
  const { inferred, predicate = "uses", ...more } = given;
  return {
    id: `id-${++serial}`,
    status: "active",
    attribution: "agent_stated",
    tripleKey: `team ${predicate}`,
    validFrom: null,
    validTo: null,
    occurredAt: null,
    recordedAt: new Date(NOW.getTime() - 1_000_000 + serial),
    body: { predicate, folded: { object, ...(inferred && { inferred }) } },
    ...more,
  } satisfies Spoken;
}

const outdatedBy = (one: Spoken, ...others: Spoken[]) => findOutdating(one, [one, ...others], NOW);

Deno.test("where nobody says how many values a predicate has, a newer one likely outdates an older one", () => {
  const vim = spoken("vim", { inferred: true });
  const emacs = spoken("emacs", { inferred: true });
  const ed = spoken("ed", { inferred: true });
  assert.equal(outdatedBy(vim, emacs, ed), ed.id, "the newest");
  assert.equal(outdatedBy(ed, vim, emacs), undefined);
  assert.equal(outdatedBy(vim, spoken("vim", { inferred: true })), undefined, "it says the same");
  assert.equal(outdatedBy(vim, spoken("ed", { inferred: true, status: "contested" })), undefined);
  assert.deepEqual([vim, emacs, ed].map((one) => rankCurrency(one, [vim, emacs, ed], NOW)), [1, 1, 0]);
});

Deno.test("values that stand beside each other for sure outdate nothing", () => {
  const [greek, danish] = [spoken("Greek", { predicate: "speaks" }), spoken("Danish", { predicate: "speaks" })];
  assert.equal(outdatedBy(greek, danish), undefined);
  assert.equal(rankCurrency(greek, [greek, danish], NOW), undefined);
  const [one, other] = [spoken("Rome", { predicate: "lives in" }), spoken("Paris", { predicate: "lives in" })];
  assert.equal(outdatedBy(one, other), undefined, "a person let both stand");
  assert.deepEqual([one, other].map((each) => rankCurrency(each, [one, other], NOW)), [0, 0]);
});

Deno.test("what was replaced is outdated from then on, and not before", () => {
  const porto = spoken("Porto", { validFrom: new Date("2027-01-01") });
  const base = spoken("Faro");
  const faro = { ...base, validTo: new Date("2027-01-01"), body: { ...base.body, supersededBy: porto.id } };
  assert.equal(outdatedBy(faro, porto), undefined);
  assert.equal(findOutdating(faro, [faro, porto], new Date("2027-01-01")), porto.id);
  assert.deepEqual([rankCurrency(faro, [porto], NOW), rankCurrency(porto, [faro], NOW)], [0, 2]);
});
