import { deepEqual, ok } from "node:assert/strict";
import { type ImportOutcome, summarise } from "./summary.ts";

const NOTHING = { created: 0, updated: 0, unchanged: 0, failed: 0 };
const BARE: ImportOutcome = { ...NOTHING, kinds: {}, withheld: {}, omitted: {}, errors: [], errorsOmitted: 0 };

Deno.test("an import is told in a line, and what is unusual in one more each", () => {
  deepEqual(
    summarise({
      ...BARE,
      created: 1_204,
      unchanged: 3,
      kinds: { session: { ...NOTHING, created: 4 }, turn: { ...NOTHING, created: 1_200, unchanged: 3 } },
    }),
    ["Imported: 1,204 new, 3 known already.", "  session: 4, turn: 1,203"],
  );
  deepEqual(
    summarise({
      ...BARE,
      ...{ dryRun: true, files: 3, created: 2, updated: 1, failed: 1, limited: true },
      omitted: { "tool results": 12, "files that hold no memories": 1 },
      withheld: { author: 2 },
      errors: [{ file: "a.json", line: 12, message: "Cannot import: the line is too long" }],
      samples: [{ kind: "fact", text: "The boat\n is moored." }, { kind: "task", text: null }, {
        kind: "fact",
        text: "x".repeat(300),
      }],
    }),
    [
      "Would import from 3 files: 2 new, 1 changed, 0 known already, 1 refused.",
      "Left out: tool results (12), files that hold no memories (1).",
      "Imported without: author (2).",
      "Stopped at --limit: the files hold more.",
      "Refused:",
      "  a.json, line 12: Cannot import: the line is too long",
      "Such as:",
      "  fact: The boat is moored.",
      `  fact: ${"x".repeat(99)}…`,
    ],
  );
});

Deno.test("however much was refused, it stays short and names where the rest stands", () => {
  const errors = Array.from({ length: 400 }, (_, i) => ({ line: i + 1, message: "Cannot import: no" }));
  const lines = summarise({ ...BARE, failed: 1_400, errors, errorsOmitted: 1_000 });
  ok(lines.length < 10, `${lines.length}`);
  deepEqual(lines.at(-1), "  and 1,395 more; --json lists them");
});
