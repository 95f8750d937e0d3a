import { deepEqual, ok } from "node:assert/strict";
import { planQuery } from "./plan.ts";
import { findMatchedWords } from "./terms.ts";

const matched = (query: string, text: string) =>
  Object.fromEntries(
    findMatchedWords(text, planQuery(query, { referenceMs: 0 }).terms).map(({ asked, same }) => [asked, same]),
  );

Deno.test("a match is told by words that stand in the text, never by a stem or by the query's word", () => {
  const cases: readonly (readonly [string, string, Record<string, string[]>])[] = [
    ["How long are backups kept?", "Backups are kept for ninety days since the audit.", {
      long: [],
      backups: ["Backups"],
      kept: ["kept"],
    }],
    ["Who is running the deployments?", "Ana runs each deployment. A run takes an hour.", {
      running: ["runs", "run"],
      deployments: ["deployment"],
    }],
    ["Where is Zoe?", "Zoë called.", { zoe: ["Zoë"] }],
    ["a kubernetes upgrade", "k8s was upgraded", {
      kubernetes: ["k8s"],
      upgrade: ["upgraded"],
    }],
    ["the pelican archive", "The heron's nest.", {
      pelican: [],
      archive: [],
    }],
  ];
  for (const [query, text, expected] of cases) {
    const found = matched(query, text);
    deepEqual(found, expected, query);
    for (const word of Object.values(found).flat()) {
      ok(text.includes(word), word);
    }
  }
});
