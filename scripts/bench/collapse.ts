/**
 * Measures what the rules keep of the conversations of `tests/data/collapse/`, without a database.
 *
 *     deno run -A scripts/bench/collapse.ts [--half tune|held] [--file <name>] [--id <session>]
 *       [--show missed|wrong|dangling|claims|all]
 *
 * `tests/data/collapse/README.md` says what each figure counts.
 */
import { parseArgs } from "node:util";
import { readCollapseSet } from "./_collapse_set.ts";
import { addScores, describeScore, emptyScore, scoreSession } from "./_collapse_score.ts";

const { values } = parseArgs({
  options: { half: { type: "string" }, file: { type: "string" }, id: { type: "string" }, show: { type: "string" } },
});
const sessions = (await readCollapseSet()).filter((session) =>
  (["half", "file", "id"] as const).every((name) => values[name] === undefined || session[name] === values[name])
);
const started = performance.now();
const scored = sessions.map((session) => ({ session, score: scoreSession(session) }));
const tookMs = performance.now() - started;
for (const { session, score } of scored) {
  for (const { kind, text } of score.notes) {
    if (values.show === kind || values.show === "all") console.log(`${session.id}\t${kind}\t${text}`);
  }
}
for (const half of ["tune", "held"] as const) {
  const own = scored.filter(({ session }) => session.half === half);
  if (own.length === 0) continue;
  console.log(`${half}: ${own.length} sessions`);
  console.log(describeScore(own.map(({ score }) => score).reduce(addScores, emptyScore())));
}
console.log(`${Math.round(tookMs)} ms`);
