/**
 * Says how the scores of facts must be read where a question in another language than English is answered by its words
 * alone (`OTHER_LANGUAGE` in `src/retrieval/ranking/relevance.ts`): the model was fitted to English.
 *
 *     deno run -A scripts/train/languages.ts
 *
 * Each question is asked twice in a store of its language: with its fact, and without it. The sets are `tests/data/languages`
 * and the half of `tests/data/newer` to fit on. It prints, for thresholds of the score as the model gives it, how often the
 * best result is right, is another one although the right one is there, and is shown although there is none; and what
 * added to the log-odds makes the scores most likely.
 */
import { estimateRelevance, type MemoryIndex, planQuery, prescore, rank, RELEVANCE } from "../../src/retrieval/mod.ts";
import { indexStatements, LANGUAGES, readPairs } from "../../tests/recall/_languages.ts";
import { formatTable } from "../bench/_bench.ts";
import { type NewerPair, readNewerSet, type Side } from "../bench/_newer_set.ts";

/** So often counts a page in people's words, so that both sets count alike. */
const PEOPLES = 4;
const THRESHOLDS = [0.05, 0.1, 0.14, 0.18, 0.22, 0.26, 0.3, 0.4, 0.5];
const LIMIT = 20, SHIFT_MAX = 3, STEP = 0.05;

interface Page {
  readonly weight: number;
  readonly right: readonly number[];
  readonly results: readonly { readonly doc: number; readonly odds: number }[];
}

function oddsOf(chance: number): number {
  return Math.log(chance / (1 - chance));
}

/** The results with the log-odds that the model gives them; undefined: the question seems to be in English. */
function search(index: MemoryIndex, query: string): Page["results"] | undefined {
  const plan = planQuery(query, { referenceMs: Date.UTC(2026, 0, 1) });
  if (plan.isEnglish) return undefined;
  const input = index.input(plan);
  const candidates = prescore({ ...plan, isEnglish: true }, {
    ...input,
    lists: index.lists(plan.keys),
    substitutes: new Map(),
  });
  const ranked = rank(candidates, index.stored(candidates));
  const chances = estimateRelevance(candidates, ranked, RELEVANCE.words);
  return ranked.slice(0, LIMIT).map(({ doc }, i) => ({ doc, odds: oddsOf(chances[i]!) }));
}

/** A question with and without the statements that answer it, by their places. */
function ask(statements: readonly string[], question: string, right: readonly number[], weight: number): Page[] {
  const results = search(indexStatements(statements), question);
  if (results === undefined) return [];
  const others = statements.filter((_, place) => !right.includes(place));
  return [
    { weight, right: right.map((place) => place + 1), results },
    { weight, right: [], results: search(indexStatements(others), question)! },
  ];
}

function textOf(pair: NewerPair, side: Side): string {
  if (pair.told === "facts") return pair[side].text;
  const [session, turn] = pair[side];
  return pair.sessions[session]!.turns[turn]!.content;
}

async function readPages(): Promise<Page[]> {
  const pages: Page[] = [];
  for (const language of LANGUAGES) {
    const pairs = await readPairs(language), facts = pairs.map(({ fact }) => fact);
    pages.push(...pairs.flatMap(({ question }, place) => ask(facts, question, [place], 1)));
  }
  const told = await readNewerSet(new URL("../../tests/data/newer/fit.json", import.meta.url));
  for (const pairs of Map.groupBy(told, ({ language }) => language).values()) {
    const statements = pairs.flatMap((pair) => [textOf(pair, "older"), textOf(pair, "newer")]);
    pages.push(...pairs.flatMap(({ question }, i) => ask(statements, question, [2 * i, 2 * i + 1], PEOPLES)));
  }
  return pages;
}

/** How likely the labels are if something is added to all log-odds. */
function likelihoodOf(pages: readonly Page[], added: number): number {
  return pages.reduce((sum, { weight, right, results }) =>
    sum + weight * results.reduce((own, { doc, odds }) => {
        const chance = 1 / (1 + Math.exp(-odds - added));
        return own + Math.log(right.includes(doc) ? chance : 1 - chance);
      }, 0), 0);
}

const pages = await readPages();
const answered = pages.filter(({ right }) => right.length > 0);
const rows = THRESHOLDS.map((least) => {
  const shown = pages.filter(({ results: [best] }) => best !== undefined && best.odds >= oddsOf(least));
  const isRight = ({ right, results }: Page) => right.includes(results[0]!.doc);
  const there = shown.filter(({ right }) => right.length > 0), found = there.filter(isRight);
  return [least, found.length, there.length - found.length, shown.length - there.length, answered.length];
});
console.log(formatTable(["score from", "right", "another one", "although none is there", "questions"], rows));
const shifts = Array.from({ length: 2 * SHIFT_MAX / STEP + 1 }, (_, i) => i * STEP - SHIFT_MAX);
const best = shifts.reduce((a, b) => likelihoodOf(pages, b) > likelihoodOf(pages, a) ? b : a);
console.log(`likeliest with ${best.toFixed(2)} added to the log-odds`);
