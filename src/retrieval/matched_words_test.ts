import { deepEqual, ok } from "node:assert/strict";
import { findMatchedWords } from "./matched_words.ts";
import { planQuery } from "./query.ts";

const matched = (query: string, text: string) =>
  Object.fromEntries(
    findMatchedWords(text, planQuery(query, { referenceMs: 0 }).terms).map((
      { asked, same, instead },
    ) => [asked, { same, instead }]),
  );

Deno.test("a match is told by words that stand in the text, never by a stem or by the query's word", () => {
  const cases: readonly (readonly [string, string, Record<string, { same: string[]; instead: string[] }>])[] = [
    ["How long are backups kept?", "Backups are kept for ninety days since the audit.", {
      long: { same: [], instead: ["days"] },
      backups: { same: ["Backups"], instead: [] },
      kept: { same: ["kept"], instead: [] },
    }],
    ["Who is running the deployments?", "Ana runs each deployment. A run takes an hour.", {
      running: { same: ["runs", "run"], instead: [] },
      deployments: { same: ["deployment"], instead: [] },
    }],
    ["Where is Zoe?", "Zoë called.", { zoe: { same: ["Zoë"], instead: [] } }],
    ["a kubernetes upgrade", "k8s was upgraded", {
      kubernetes: { same: ["k8s"], instead: [] },
      upgrade: { same: ["upgraded"], instead: [] },
    }],
    ["the pelican archive", "The heron's nest.", {
      pelican: { same: [], instead: [] },
      archive: { same: [], instead: [] },
    }],
  ];
  for (const [query, text, expected] of cases) {
    const found = matched(query, text);
    deepEqual(found, expected, query);
    for (const word of Object.values(found).flatMap(({ same, instead }) => [...same, ...instead])) {
      ok(text.includes(word), word);
    }
  }
});
