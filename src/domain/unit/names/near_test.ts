import assert from "node:assert/strict";
import { blocksOf } from "./blocks.ts";
import { editDistance, isPlain, nearness, shapeOf } from "./near.ts";

const OTHERS: [string, string] = ["other", "other"];

/** Names, types, and the rule by which they are near; null: they are not. */
const CASES: [a: string, b: string, rule: string | null, types?: [string, string]][] = [
  ["Acme", "ACME", "same_name"],
  ["Mercury", "Mercury", "same_name", ["place", "product"]],
  ["Acme, Inc.", "Acme Inc", "spelling"],
  ["Björk Guðmundsdóttir", "Bjork Guðmundsdottir", "spelling"],
  ["İstanbul", "Istanbul", "spelling"],
  ["post gres", "Post-Gres", "spelling"],
  ["Smith, John", "John Smith", "spelling"],
  ["Jon Smith", "John Smith", "spelling"],
  ["Micheal", "Michael", "spelling"],
  ["Kubernetes", "Kubernets", "spelling"],
  ["University of California, Berkeley", "University of California at Berkeley", "spelling"],
  ["Acme", "Acme Corp", "contained"],
  ["The Acme Company", "Acme GmbH", "contained"],
  ["Dr. Caroline Smith", "Caroline Smith", "contained"],
  ["Mr. Smithson", "Mrs. Smithson", null],
  ["Caroline", "Caroline Smith", "contained", ["person", "person"]],
  ["Caroline", "Caroline Smith", null],
  ["Apple", "Apple Pie", null],
  ["J. Smith", "John Smith", "initials"],
  ["J. R. Tolkien", "John Ronald Tolkien", "initials"],
  ["J. Smith", "Peter Smith", null],
  ["J. Smith", "John Smith", null, ["organization", "organization"]],
  ["John Smith", "Jane Smith", null],
  ["IBM", "International Business Machines", "acronym"],
  ["NASA", "National Aeronautics and Space Administration", "acronym"],
  ["Sam", "Some Angry Man", null],
  ["Cal", "Calvin", "short_form", ["person", "person"]],
  ["Mel", "Melanie", "short_form", ["person", "other"]],
  ["Java", "JavaScript", null],
  ["Jo", "Joanna", null, ["person", "person"]],
  ["RPG", "RPGs", "plural"],
  ["NGO", "NGOs", "plural", ["organization", "other"]],
  ["Jame", "James", null, ["person", "person"]],
  ["k8s", "Kubernetes", "numeronym"],
  ["i18n", "Internationalization", "numeronym"],
  ["k8s", "Kotlin", null],
  ["iPhone 12", "iPhone 13", null],
  ["Version 1.2", "Version 12", null],
  ["Team A", "Team B", null],
  ["GPT-4", "GPT-5", null],
  ["Al", "Ali", null],
  ["aaaa", "aaaaa", null],
  ["Berlin", "Merlin", null],
  ["Maria", "Marie", null],
  ["Paris", "Pars", null],
  ["Postgres", "Postgres Replica", null],
  ["University of California Berkeley", "University of California Davis", null],
  ["東京", "東京都", null],
  ["Kubernetes", "Kubernets", null, ["technology", "person"]],
];

Deno.test("names are near by a rule, or not, whichever is compared with which", () => {
  for (const [a, b, rule, types = OTHERS] of CASES) {
    const [left, right] = [shapeOf(a), shapeOf(b)];
    const near = nearness(left, right, types);
    assert.equal(near?.rule ?? null, rule, `${a} | ${b}: ${JSON.stringify(near)}`);
    assert.deepEqual(nearness(right, left, [types[1], types[0]]), near, `${b} | ${a}`);
  }
});

Deno.test("whatever is near shares a block, whichever is kept and which is asked for", () => {
  for (const [a, b, rule, types = OTHERS] of CASES) {
    if (rule === null || rule === "same_name") continue;
    const [left, right] = [blocksOf(shapeOf(a), types[0]), blocksOf(shapeOf(b), types[1])];
    assert.ok(left.asked.some((block) => right.kept.includes(block)), `${a} asks for ${b}`);
    assert.ok(right.asked.some((block) => left.kept.includes(block)), `${b} asks for ${a}`);
  }
});

Deno.test("every spelling within two edits of a long name shares a block with it", () => {
  const name = "constantinople";
  const kept = new Set(blocksOf(shapeOf(name), "place").kept);
  for (let i = 1; i < name.length; i++) {
    for (let j = i; j < name.length; j++) {
      for (const edit of ["", "x"]) {
        const mistyped = name.slice(0, i) + edit + name.slice(i + 1, j) + (j > i ? edit : "") +
          name.slice(Math.max(j, i) + 1);
        if (editDistance(name, mistyped, 2) > 2) continue;
        assert.ok(blocksOf(shapeOf(mistyped), "place").asked.some((block) => kept.has(block)), mistyped);
      }
    }
  }
});

Deno.test("edits are counted with swaps of neighbours as one", () => {
  assert.deepEqual(
    [["abcd", "abdc"], ["abc", "abc"], ["abc", ""], ["kitten", "sitting"]].map(([a, b]) => editDistance(a!, b!, 2)),
    [1, 0, 3, 3],
  );
  assert.deepEqual(["Al", "aaaa", "abab", "acme"].map((name) => isPlain(name)), [true, true, true, false]);
});
