import assert from "node:assert/strict";
import { readDecision } from "./decisions.ts";

const PARTS: readonly (readonly [string, string, string | null, readonly string[]])[] = [
  [
    "Nora and others decided to use Postgres for the job queue instead of RabbitMQ, mostly because nobody wants another server.",
    "Use Postgres for the job queue instead of RabbitMQ",
    "Nobody wants another server.".replace(/\.$/, "."),
    ["RabbitMQ"],
  ],
  ["Nora decided against a status page.", "Not a status page", null, []],
  ["Maria and others agreed that the house is sold, not rented.", "The house is sold, not rented", null, ["rented"]],
  ["Daan decided to take the DJ", "Take the DJ", null, []],
  ["Helen has chosen oak over pine.", "Chosen oak over pine", null, ["pine"]],
  ["The decision is to ship on Monday", "The decision is to ship on Monday", null, []],
];

for (const [statement, title, rationale, alternatives] of PARTS) {
  Deno.test(`the parts of: ${statement}`, () => {
    assert.deepEqual(readDecision(statement), { title, rationale, alternatives });
  });
}

Deno.test("a long title is cut between words, and an empty statement has parts, too", () => {
  const { title } = readDecision(`Ann decided to ${"buy a very long boat ".repeat(20)}`);
  assert.ok(title.length <= 160 && title.endsWith("…"));
  assert.deepEqual(readDecision("decided"), { title: "Decided", rationale: null, alternatives: [] });
});
