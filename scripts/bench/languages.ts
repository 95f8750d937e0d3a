/**
 * Measures how recall finds facts in other languages than English, on the development set in `tests/data/languages/`.
 *
 *     deno run -A scripts/bench/languages.ts [--misses]
 *
 * All facts of all languages stand in one index in memory; each question is asked once, and so is its query of one to three
 * words. No word is replaced by one that is spelled nearly like it, which in a large memory happens to few.
 *
 * - first, first 3: share of the queries whose fact is the first result, and among the first three. What recall cuts away as
 *   irrelevant counts as not found.
 * - `--misses` also lists what is not the first result.
 */
import { parseArgs } from "node:util";
import { indexStatements, LANGUAGES, type Pair, type Part, readPairs, search } from "../../tests/recall/_languages.ts";
import { formatTable, round } from "./_bench.ts";

const PARTS: readonly Part[] = ["tune", "held", "unseen"];
const FIRST = 3;

const { values: { misses } } = parseArgs({ options: { misses: { type: "boolean", default: false } } });

const sets = await Promise.all(LANGUAGES.map(async (language) => ({ language, pairs: await readPairs(language) })));
const all = sets.flatMap(({ pairs }) => pairs);
const index = indexStatements(all.map(({ fact }) => fact));

/** The position of a pair's fact among the results, from 0; -1 if it is not there. */
function placeOf(query: string, pair: Pair): number {
  const place = search(index, query).indexOf(all.indexOf(pair) + 1);
  if (misses && place !== 0) {
    console.log(`${place === -1 ? "not found" : `place ${place + 1}`}: ${query} | ${pair.fact}`);
  }
  return place;
}

function cellsOf(pairs: readonly Pair[], form: "question" | "short"): string[] {
  const places = pairs.map((pair) => placeOf(pair[form], pair));
  const share = (isWanted: (place: number) => boolean) =>
    `${round(100 * places.filter(isWanted).length / places.length, 0)} %`;
  return [share((place) => place === 0), share((place) => place >= 0 && place < FIRST)];
}

for (const form of ["question", "short"] as const) {
  const header = [form, ...PARTS.flatMap((part) => [`${part}: first`, `first ${FIRST}`])];
  const rowOf = (name: string, pairs: readonly Pair[]) => [
    name,
    ...PARTS.flatMap((part) => cellsOf(pairs.filter((pair) => pair.part === part), form)),
  ];
  console.log(formatTable(header, sets.map(({ language, pairs }) => rowOf(language, pairs))));
  console.log();
}
