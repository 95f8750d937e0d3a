/** The shared form of an item, which is the same on all instances, and its hash. */
import assert from "node:assert/strict";
import type { UnitRow } from "../../src/db/queries/unit_columns.ts";
import {
  hashItem,
  namedByUnit,
  readUnitForm,
  referencesOf,
  type SharedForm,
  unitForm,
} from "../../src/domain/federation/register/shared_form.ts";
import { REGISTRY } from "../../src/domain/kinds/registry.ts";
import { type ItemName, writeReference } from "../../src/schema/federation_item.ts";
import { UNIT_TYPES, type UnitType } from "../../src/schema/unit.ts";

const HERE = "instance:a.example";
const ID = "01990000-0000-7000-8000-0000000000f1";
const SESSION = "01990000-0000-7000-8000-0000000000a1";
const [ONE, TWO] = ["01990000-0000-7000-8000-0000000000e1", "01990000-0000-7000-8000-0000000000e2"];

const write = (id: string) => writeReference({ instance: HERE, id });
const read = ({ id }: ItemName) => id;

const BODIES: Readonly<Record<UnitType, object>> = {
  fact: {
    statement: "Acme keeps backups for ninety days.",
    subject: "Acme",
    predicate: "backup retention",
    object: "ninety days",
    factType: "fact",
    supersedes: ONE,
    supersededBy: null,
    citations: [{ messageId: "m3", sessionId: SESSION, quote: "ninety days" }],
    folded: { subject: "acme", predicate: "backup retention", object: "ninety days" },
    before: { validTo: null },
  },
  decision: {
    ...{
      title: "Database",
      decision: "We use Postgres.",
      rationale: null,
      alternatives: ["MySQL"],
      consequences: null,
    },
    ...{
      decidedBy: "Ada",
      decidedAt: "2026-03-01T00:00:00.000Z",
      reviewAt: null,
      supersedes: null,
      supersededBy: null,
    },
    evidenceIds: [TWO, ONE],
  },
  strategy: {
    name: "Bisect",
    situation: "It broke",
    pattern: "Bisect",
    outcome: null,
    successCount: 4,
    failureCount: 1,
  },
  workflow: { name: "Release", goal: null, steps: ["Tag", "Build"], preconditions: [] },
  skill: {
    ...{
      name: "Sort",
      description: "Sorts",
      instructions: "Sort it.",
      parameters: { sessionId: "a word" },
      examples: [],
    },
    ...{ reliability: 0.9, successCount: 8, failureCount: 0 },
  },
  episode: {
    ...{ title: "Launch", summary: "We launched.", kind: "meeting", startedAt: "2026-03-01T00:00:00.000Z" },
    ...{ endedAt: null, participants: ["Ada"], factIds: [TWO, ONE], sessionId: SESSION, outcome: null },
  },
  entity: {
    ...{
      canonicalName: "Acme",
      entityType: "organization",
      aliases: ["Acme Inc", "ACME"],
      attributes: {},
      drawers: [],
    },
    mergedInto: null,
  },
};
const STATUS: Partial<Record<UnitType, string>> = { decision: "accepted", skill: "probationary" };

function rowOf(type: UnitType, changes: Partial<UnitRow> = {}): UnitRow {
  const time = new Date("2026-03-01T00:00:00.000Z");
  const { text, contentHash, body, tripleKey } = REGISTRY[type].transfer.derive(BODIES[type]);
  return {
    ...{ id: ID, type, version: 3, status: STATUS[type] ?? "active", attribution: "user_stated", trustScore: 90 },
    ...{ trustCap: 100, confidence: 0.8, sensitivity: "internal", tags: ["b", "a"], metadata: { k: 1 }, worth: 0.5 },
    ...{ pinned: true, contentHash, originInstance: HERE, originId: ID, derivedFrom: [TWO, ONE], stale: false, text },
    ...{ docNo: 7, body: { ...BODIES[type], ...body }, tripleKey: tripleKey ?? null, validFrom: time, validTo: null },
    ...{ recordedAt: time, retractedAt: null, occurredAt: null, expiresAt: null, entityIds: [ONE, TWO] },
    ...{ corroborationCount: 2, createdAt: time, updatedAt: time, createdBy: "key:1" },
    ...changes,
  };
}

function hashOf(row: UnitRow): string {
  return hashItem(row.type, { instance: HERE, id: ID }, unitForm(row, [ONE], write));
}

Deno.test("an instance's own members change no hash: standing, use, order, counts, its own judgement", () => {
  for (const type of UNIT_TYPES) {
    const row = rowOf(type);
    const own: Partial<UnitRow>[] = [
      { version: 9, attribution: "federation_received", trustScore: 20, trustCap: 20, worth: 0.1, pinned: false },
      { stale: true, corroborationCount: 40, createdBy: "peer:x", docNo: 8, entityIds: [], tags: ["a", "b", "a"] },
      { derivedFrom: [ONE, TWO], recordedAt: new Date(), createdAt: new Date(), updatedAt: new Date() },
    ];
    for (const changes of own) assert.equal(hashOf({ ...row, ...changes }), hashOf(row), type);
  }
  assert.equal(hashOf(rowOf("fact", { status: "contested" })), hashOf(rowOf("fact")));
  assert.equal(hashOf(rowOf("fact", { status: "expired" })), hashOf(rowOf("fact")));
  const outcomes = { ...rowOf("skill").body, successCount: 99, reliability: 1 };
  assert.equal(hashOf(rowOf("skill", { body: outcomes })), hashOf(rowOf("skill")));
});

Deno.test("a change by an author changes the hash, also the end of a validity and archiving", () => {
  for (const type of UNIT_TYPES) {
    const said: Partial<UnitRow>[] = [
      { status: "archived" },
      { confidence: 0.7 },
      { sensitivity: "public" },
      { tags: ["a"] },
      { metadata: {} },
      { validTo: new Date("2026-04-01T00:00:00Z") },
      { expiresAt: new Date("2027-04-01T00:00:00Z") },
      { derivedFrom: [ONE] },
      { body: { ...rowOf(type).body, aliases: ["another name"] } },
    ];
    const hashes = said.map((changes) => hashOf(rowOf(type, changes)));
    assert.equal(new Set([...hashes, hashOf(rowOf(type))]).size, said.length + 1, type);
  }
});

Deno.test("aliases travel in no order, each once, and a unit without any has the form that it had before there were any", () => {
  for (const type of UNIT_TYPES) {
    if (type === "entity") continue;
    const row = rowOf(type);
    const named = (...aliases: string[]) => ({ ...row, body: { ...row.body, aliases } });
    assert.equal(hashOf(named("b", "a")), hashOf(named("a", "b")), type);
    assert.ok(!Object.hasOwn(unitForm(row, [ONE], write), "aliases"), type);
    const form = unitForm(named("b", "a"), [ONE], write);
    const told = readUnitForm(type, { ...form, aliases: [" b", "B", "a  c"] }, read);
    assert.deepEqual(told.body["aliases"], ["b", "a c"], type);
    assert.equal(told.contentHash, readUnitForm(type, form, read).contentHash, type);
    assert.ok(!Object.hasOwn(readUnitForm(type, { ...form, aliases: [] }, read).body, "aliases"), type);
  }
});

Deno.test("the name that callers of one workspace have for a fact is not told to peers, nor taken from them", () => {
  const row = rowOf("fact");
  const named = { ...row, body: { ...row.body, externalId: "crm/4711" } };
  const form = unitForm(named, [ONE], write);
  assert.ok(!JSON.stringify(form).includes("crm/4711"));
  assert.equal(hashOf(named), hashOf(row));
  assert.throws(() => readUnitForm("fact", { ...form, externalId: "crm/4711" }, read), { code: "validation_failed" });
});

Deno.test("every type is read back as it was sent, without sessions and local counters", () => {
  for (const type of UNIT_TYPES) {
    const row = rowOf(type);
    const form = unitForm(row, [ONE], write);
    const text = JSON.stringify(form);
    assert.ok(!text.includes(SESSION), `${type} tells a session`);
    assert.ok(!/successCount|reliability|folded|"before"/.test(text), `${type} tells what is its own`);
    const columns = readUnitForm(type, form, read);
    // The content of an episode includes its session here.
    if (type !== "episode") assert.equal(columns.contentHash, row.contentHash);
    assert.deepEqual([...columns.derivedFrom], [ONE, TWO]);
    const { docNo: _, ...again } = { ...row, ...columns };
    assert.deepEqual(unitForm({ ...again, docNo: 1 }, columns.entityIds, write), form, type);
    assert.deepEqual(
      referencesOf(type, form).map(({ id }) => id).sort(),
      namedByUnit(row, [ONE]).sort(),
      `${type} names the same on the wire`,
    );
  }
});

Deno.test("T37 a form with a member of another type, a foreign state or an invalid reference is refused", () => {
  const form = unitForm(rowOf("fact"), [], write);
  const lies: Readonly<Record<string, SharedForm>> = {
    "a trust score": { ...form, trustScore: 100 },
    "an attribution": { ...form, attribution: "verified" },
    "a pin": { ...form, pinned: true },
    "what is its own": { ...form, before: { validTo: null } },
    "a session": { ...form, citations: [{ messageId: "m", sessionId: SESSION }] },
    "a state that nobody sends": { ...form, state: "contested" },
    "a state of another type": { ...form, state: "accepted" },
    "an id in the place of a reference": { ...form, supersedes: ONE },
    "a reference to no instance": { ...form, derivedFrom: [`https://evil.example/${ONE}`] },
    "a validity that ends before it begins": { ...form, validTo: "2020-01-01T00:00:00.000Z" },
    "no statement": { ...form, statement: " " },
    "a statement that is too long": { ...form, statement: "x".repeat(16_385) },
    "an alias that is too long": { ...form, aliases: ["x".repeat(201)] },
    "an alias that nobody sees": { ...form, aliases: ["\u200b"] },
    "too many aliases": { ...form, aliases: Array.from({ length: 21 }, (_, i) => `a${i}`) },
    "metadata that is too long": { ...form, metadata: { x: "x".repeat(16_385) } },
  };
  for (const [name, lie] of Object.entries(lies)) {
    assert.throws(() => readUnitForm("fact", lie, read), { code: "validation_failed" }, name);
  }
  const skill = unitForm(rowOf("skill"), [], write);
  assert.throws(() => readUnitForm("skill", { ...skill, reliability: 1 }, read), { code: "validation_failed" });
  assert.throws(() => readUnitForm("skill", { ...skill, name: "x".repeat(16_385) }, read), {
    code: "validation_failed",
  });
});
