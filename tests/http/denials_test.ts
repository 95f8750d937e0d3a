/** What is so comes before what is not, in full and hot recall. */
import assert from "node:assert/strict";
import { create, test } from "./_facts.ts";
import { post } from "./_units.ts";

const ROWS: readonly (readonly [said: string, denied: string, question: string, denial?: string])[] = [
  ["is allergic to peanuts", "is not allergic to shellfish", "What is @ allergic to?", "What is @ not allergic to?"],
  ["likes jazz", "does not like opera", "What music does @ like?"],
  ["speaks Danish", "doesn't speak Finnish", "Which language does @ speak?"],
  ["uses Vim", "never uses Emacs", "Which editor does @ use?"],
  ["eats fish", "does not eat pork", "What does @ eat?", "What does @ never eat?"],
  ["plays the piano", "does not play football", "What does @ play?"],
  ["drinks tea", "doesn't drink beer", "What does @ drink?"],
  ["drives a van", "does not drive a motorbike", "What does @ drive?"],
];

test("what is so comes before an unrelated denial, however new, and behind it where the question asks for that", async (service) => {
  for (const [i, [said, denied, question, denial]] of ROWS.entries()) {
    const name = `Pia${"abcdefgh"[i]}ro Tolmezzo`;
    const positive = await create(service, { statement: `${name} ${said}.` });
    const negative = await create(service, { statement: `${name} ${denied}.` });
    for (const path of ["/v1/memory/recall", "/v1/memory/recall/hot"]) {
      const first = async (asked: string) =>
        (await post(service, path, { query: asked.replace("@", name), types: ["fact"] }, 200)).results[0]?.id;
      assert.equal(await first(question), positive.id, `${path} ${question}`);
      if (denial !== undefined) assert.equal(await first(denial), negative.id, `${path} ${denial}`);
    }
  }
});
