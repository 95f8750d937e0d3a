import assert from "node:assert/strict";
import { nameTopic } from "./ellipsis.ts";

Deno.test("what was done to a thing is told of the thing, without what takes its place or when it was", () => {
  const told: Record<string, string> = {
    "They've postponed my marathon to May.": "My marathon has been postponed to May.",
    "They've replaced my boss with Ana.": "My boss has been replaced with Ana.",
    "They've raised my rent at the worst time to 900 euros.": "My rent has been raised at the worst time to 900 euros.",
    "They've rescheduled my interview at Bosch to Thursday.": "My interview at Bosch has been rescheduled to Thursday.",
  };
  for (const [said, as] of Object.entries(told)) assert.equal(nameTopic(said), as);
});

Deno.test("only what lasts is counted", () => {
  assert.equal(nameTopic("That's my fifth pottery lesson."), "I've had my fifth pottery lesson now.");
  for (
    const said of [
      "This is my fourth attempt at this question.",
      "That's my third session with you today.",
      "That was my first interview in years",
    ]
  ) assert.equal(nameTopic(said), said);
});
