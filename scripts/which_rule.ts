/**
 * Says which rule makes which claim of a statement, and where the rule stands.
 *
 *     deno run -A scripts/which_rule.ts "I live in Oslo now."
 *
 * A rule that reads a clause and claims nothing is listed too: it keeps the rules behind it from reading the clause.
 */
import { believe } from "../src/language/claims/sound.ts";
import { listReadings } from "../src/language/claims/read.ts";

const FOLDER = "src/language/claims";

/** The file and the line of each row's name. */
async function findRows(): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for await (const { name: file } of Deno.readDir(new URL(`../${FOLDER}`, import.meta.url))) {
    if (!file.endsWith("_rules.ts")) continue;
    const lines = (await Deno.readTextFile(new URL(`../${FOLDER}/${file}`, import.meta.url))).split("\n");
    for (const [i, line] of lines.entries()) {
      const name = /^\s*name: "(.+)",$/.exec(line)?.[1];
      if (name !== undefined) places.set(name, `${FOLDER}/${file}:${i + 1}`);
    }
  }
  return places;
}

const statement = Deno.args.join(" ").trim();
if (statement === "") {
  console.error('Give a statement: deno run -A scripts/which_rule.ts "I live in Oslo now."');
  Deno.exit(2);
}
const places = await findRows();
let count = 0;
for (const { row, claims } of listReadings(statement)) {
  count++;
  console.log(`${places.get(row.name) ?? FOLDER}: ${row.name}`);
  for (const claim of claims) {
    const isBelieved = believe(claim, row.isLoose === true) !== null;
    const text = [claim.subject, claim.polarity ? "" : "not", claim.predicate, claim.value].filter(
      Boolean,
    );
    console.log(
      `  → ${text.join(" ")} (${claim.respect})${isBelieved ? "" : "; refused by src/language/claims/sound.ts"}`,
    );
  }
}
if (count === 0) {
  console.log("No rule reads it: see listSentences in src/language/claims/read.ts for what is left out before.");
}
