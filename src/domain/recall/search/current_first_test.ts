import assert from "node:assert/strict";
import type { Prescored, StoredData } from "../../../retrieval/mod.ts";
import { type Placed, putNewerFirst } from "./current_first.ts";

interface Said {
  readonly docNo: number;
  readonly words: number;
  readonly relevance?: number;
  readonly trust?: number;
  readonly status?: string;
  /** In hours after an arbitrary time; default: in the order of the document numbers. */
  readonly recorded?: number;
  readonly session?: number;
  /** What the graph adds to its score. */
  readonly graph?: number;
  readonly occurredAt?: number;
  readonly validTo?: number;
  readonly denies?: boolean;
}

const ASKED = new Date("2026-06-01T00:00:00Z");

/** The document numbers after `putNewerFirst`, of results whose order so far is that of the list. */
function order(said: readonly Said[], asksDenial = false): number[] {
  const candidates = {
    groups: Uint32Array.from(said, ({ session }) => session ?? 0),
    matched: Uint32Array.from(said, ({ words }) => words),
  } as unknown as Prescored;
  const stored = said.map(({ docNo, occurredAt, validTo }): StoredData => ({
    doc: docNo,
    bits: 0,
    occurredAt,
    validTo,
  }));
  const sorted = said.map(({ docNo, relevance = 0.5, graph = 0 }, row): Placed => ({
    docNo,
    row,
    relevance,
    fusion: 10 - row,
    gains: { graph, current: 0 },
    support: 0,
    linked: 0,
  }));
  const units = new Map(
    said.map(({ docNo, trust = 50, status = "active", recorded = docNo, denies = false }) => [docNo, {
      status,
      denies,
      trustScore: trust,
      recordedAt: new Date(Date.UTC(2026, 3) + recorded * 3_600_000),
    }]),
  );
  const results = putNewerFirst(sorted, candidates, {
    stored,
    unitOf: (docNo) => units.get(docNo),
    asOf: ASKED,
    asksDenial,
  });
  for (const [place, { fusion, gains, row }] of results.entries()) {
    assert.equal(fusion, 10 - place, "the scores of the places stay");
    assert.equal(10 - row + gains.current, fusion);
  }
  return results.map(({ docNo }) => docNo);
}

Deno.test("a denial comes behind what is so, however new it is, unless the query asks for it", () => {
  const said = [{ docNo: 2, words: 3, denies: true }, { docNo: 1, words: 3 }];
  assert.deepEqual(order(said), [1, 2]);
  assert.deepEqual(order(said, true), [2, 1]);
  assert.deepEqual(order([{ docNo: 1, words: 3 }, { docNo: 2, words: 3, denies: true }]), [1, 2]);
  assert.deepEqual(order([{ docNo: 2, words: 3, denies: true, relevance: 0.8 }, { docNo: 1, words: 3 }]), [2, 1]);
});

Deno.test("of units with the same words of the query the newer comes first", () => {
  assert.deepEqual(order([{ docNo: 1, words: 3 }, { docNo: 2, words: 3 }]), [2, 1]);
  assert.deepEqual(order([{ docNo: 2, words: 3 }, { docNo: 3, words: 3 }, { docNo: 1, words: 3 }]), [3, 2, 1]);
  // The results between them keep their places.
  assert.deepEqual(order([{ docNo: 1, words: 3 }, { docNo: 9, words: 1 }, { docNo: 2, words: 3 }]), [2, 9, 1]);
});

Deno.test("units with other words, units without any, and turns stay where they are", () => {
  assert.deepEqual(order([{ docNo: 1, words: 3 }, { docNo: 2, words: 1 }]), [1, 2]);
  assert.deepEqual(order([{ docNo: 1, words: 0 }, { docNo: 2, words: 0 }]), [1, 2]);
  assert.deepEqual(order([{ docNo: 1, words: 3, session: 7 }, { docNo: 2, words: 3, session: 7 }]), [1, 2]);
});

Deno.test("a newer unit that is clearly less likely relevant, less near or trusted less stays behind", () => {
  const older = { docNo: 1, words: 3 };
  assert.deepEqual(order([older, { docNo: 2, words: 3, relevance: 0.46 }]), [2, 1]);
  assert.deepEqual(order([older, { docNo: 2, words: 3, relevance: 0.44 }]), [1, 2]);
  assert.deepEqual(order([{ ...older, graph: 3 }, { docNo: 2, words: 3 }]), [1, 2]);
  assert.deepEqual(order([{ ...older, graph: 3 }, { docNo: 2, words: 3, graph: 2.6 }]), [2, 1]);
  assert.deepEqual(order([older, { docNo: 2, words: 3, trust: 49 }]), [1, 2]);
  assert.deepEqual(order([older, { docNo: 2, words: 3, trust: 51 }]), [2, 1]);
});

Deno.test("a unit begins at the time that it has, and otherwise when it was recorded", () => {
  const [march, may] = [Date.UTC(2026, 2), Date.UTC(2026, 4)];
  assert.deepEqual(order([{ docNo: 2, words: 3, occurredAt: march }, { docNo: 1, words: 3, occurredAt: may }]), [1, 2]);
  assert.deepEqual(order([{ docNo: 1, words: 3, occurredAt: may }, { docNo: 2, words: 3, occurredAt: march }]), [1, 2]);
  assert.deepEqual(order([{ docNo: 1, words: 3, occurredAt: march }, { docNo: 2, words: 3 }]), [2, 1]);
  assert.deepEqual(order([{ docNo: 1, words: 3, occurredAt: may }, { docNo: 2, words: 3 }]), [1, 2]);
  // Indexing an old unit again does not make it newer.
  assert.deepEqual(order([{ docNo: 2, words: 3, recorded: 2 }, { docNo: 9, words: 3, recorded: 1 }]), [2, 9]);
});

Deno.test("units of different statuses stay where they are", () => {
  assert.deepEqual(order([{ docNo: 1, words: 3 }, { docNo: 2, words: 3, status: "contested" }]), [1, 2]);
});

Deno.test("turns before them take no places from units", () => {
  const turns = Array.from({ length: 80 }, (_, i): Said => ({ docNo: 100 + i, words: 3, session: 1 }));
  assert.deepEqual(order([...turns, { docNo: 1, words: 3 }, { docNo: 2, words: 3 }]).slice(-2), [2, 1]);
});

Deno.test("what has ended by the time asked about, or is still to come, does not come first for being newer", () => {
  const older = { docNo: 1, words: 3 };
  assert.deepEqual(order([older, { docNo: 2, words: 3, validTo: ASKED.getTime() - 1 }]), [1, 2]);
  assert.deepEqual(order([older, { docNo: 2, words: 3, validTo: ASKED.getTime() + 1 }]), [2, 1]);
  assert.deepEqual(order([older, { docNo: 2, words: 3, occurredAt: Date.UTC(2999) }]), [1, 2]);
});
