import assert from "node:assert/strict";
import { keepsMeaning } from "./wording.ts";

Deno.test("a wording keeps numbers and denials, adds nothing, and is not longer", () => {
  const lesson = "You should always make sure to wait 30 seconds before you retry the upload.";
  assert.ok(keepsMeaning(lesson, "Wait 30 seconds before retrying the upload."));
  for (
    const wording of [
      "",
      "Wait 3 seconds before retrying the upload.",
      "Do not wait 30 seconds before retrying the upload.",
      "Delete 30 customers from the database.",
      `${lesson} Then wait.`,
      "Wait 30 seconds\0",
    ]
  ) assert.ok(!keepsMeaning(lesson, wording), wording);
});
