/**
 * Trains the weights of the recall ranker from labelled conversations, and says how good they are.
 *
 * Usage: deno run -A scripts/train/ranker.ts --data <folder with conversations.json> [--lexicon <name>] [--write] [--json <file>]
 *
 * The data has the LoCoMo form: conversations with sessions of turns, and questions with the turns that answer them.
 * All conversations stand in one corpus; the cross-validation trains on all conversations but one and measures on that one.
 * The same input gives the same weights, bit for bit. Each lexicon has weights of its own; --lexicon trains one alone.
 * With --write, src/retrieval/weights.json gets them.
 */

import { parseArgs } from "node:util";
import { LEXICONS } from "../../src/schema/memory_variables.ts";
import {
  FEATURE_COUNT,
  FEATURE_NAMES,
  type FeatureName,
  type Lexicon,
  type LexiconName,
  type MemoryIndex,
  openLexicon,
  toVector,
  WEIGHTS,
} from "../../src/retrieval/mod.ts";
import { fitWeights, scoreRows } from "./fit_weights.ts";
import { buildIndex, type Conversation, prepareQuestions, type Question } from "./ranker_data.ts";
import { fitRelevance } from "./ranker_relevance.ts";
import { type AskedQuery, printRelevance } from "./relevance_report.ts";
import {
  askIndex,
  askStores,
  isHeld,
  readCaseStores,
  readChatter,
  readTestStore,
  wrapQuery,
} from "./precision_data.ts";

/** Recall at 5, 10 and 20 and nDCG at 10 of evidence turns, in percent, means over questions. */
export interface Report {
  questions: number;
  r5: number;
  r10: number;
  r20: number;
  ndcg10: number;
  candidates: number;
}

export function measure(questions: Question[], weightsOf: (q: Question) => Float64Array): Record<string, Report> {
  const out: Record<string, Report> = {};
  for (const q of questions) {
    if (q.category > 4 || q.evidence.size === 0) continue;
    const scores = scoreRows(q, weightsOf(q));
    const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || q.docs[a] - q.docs[b]);
    const hits = order.map((i) => q.labels[i]);
    const recall = (k: number) => hits.slice(0, k).reduce((a, b) => a + b, 0) / q.evidence.size;
    let dcg = 0, ideal = 0;
    for (let i = 0; i < 10; i++) {
      if (hits[i]) dcg += 1 / Math.log2(i + 2);
      if (i < q.evidence.size) ideal += 1 / Math.log2(i + 2);
    }
    for (const key of ["all", CATEGORIES[q.category]]) {
      const r = out[key] ??= { questions: 0, r5: 0, r10: 0, r20: 0, ndcg10: 0, candidates: 0 };
      r.questions++;
      r.r5 += recall(5);
      r.r10 += recall(10);
      r.r20 += recall(20);
      r.ndcg10 += dcg / ideal;
      r.candidates += recall(q.rows);
    }
  }
  for (const r of Object.values(out)) {
    for (const k of ["r5", "r10", "r20", "ndcg10", "candidates"] as const) {
      r[k] = Math.round(r[k] / r.questions * 1000) / 10;
    }
  }
  return out;
}

/** How large the data is, and how fast it was analysed and ranked (up to the features). */
type Timing = Record<string, number>;

const CATEGORIES = ["", "multi-hop", "temporal", "open-domain", "single-hop"];

/** Weights by conversation, each trained without it. */
function fitFolds(questions: Question[], active: Uint8Array): ReadonlyMap<number, Float64Array> {
  const folds = [...new Set(questions.map((q) => q.conversation))];
  return new Map(folds.map((c) => [c, round(fitWeights(questions.filter((q) => q.conversation !== c), active))]));
}

function crossValidate(questions: Question[], active: Uint8Array): Record<string, Report> {
  const weights = fitFolds(questions, active);
  return measure(questions, (q) => weights.get(q.conversation)!);
}

function round(weights: Float64Array): Float64Array {
  return weights.map((w) => Math.round(w * 100) / 100);
}

function printReport(title: string, report: Record<string, Report>): void {
  console.log(`\n${title}`);
  console.table(report);
}

function ablate(questions: Question[], active: Uint8Array): void {
  for (let f = 0; f < FEATURE_COUNT; f++) {
    if (!active[f]) continue;
    const { all } = crossValidate(questions, Uint8Array.from(active, (a, i) => i === f ? 0 : a));
    console.log(
      `without ${FEATURE_NAMES[f].padEnd(24)} R@5 ${all.r5} R@10 ${all.r10} R@20 ${all.r20} nDCG@10 ${all.ndcg10}`,
    );
  }
}

/** Analyses and ranks twice: the first round warms the program up, the second is timed. */
function prepare(conversations: Conversation[], lexicon?: Lexicon): { questions: Question[]; timing: Timing } {
  prepareQuestions(conversations, buildIndex(conversations), lexicon);
  const built = buildIndex(conversations);
  const { questions, queryMs } = prepareQuestions(conversations, built, lexicon);
  queryMs.sort((a, b) => a - b);
  const timing = {
    turns: built.turns,
    turnsAnalysedPerSecond: Math.round(built.turns / built.analysisMs * 1000),
    indexBytes: built.index.bytes,
    queries: queryMs.length,
    queryMsP50: Math.round(queryMs[queryMs.length >> 1] * 100) / 100,
    queryMsP95: Math.round(queryMs[Math.floor(queryMs.length * 0.95)] * 100) / 100,
  };
  return { questions, timing };
}

/** Every so many questions are asked once more inside a message about other things. */
const WRAPPED_EVERY = 3;

/** Questions as the fit of relevance takes them: as they are, and some inside a message about other things. */
function askConversations(
  questions: readonly Question[],
  index: MemoryIndex,
  weightsOf: ReadonlyMap<number, Float64Array>,
  stranger: boolean,
  lexicon?: Lexicon,
): AskedQuery[] {
  const chatter = readChatter();
  return questions.filter(({ category, evidence }) => stranger || category === 5 || evidence.size > 0)
    .flatMap(({ text, category, evidence, candidates, stored, conversation }, i): AskedQuery[] => {
      const shared = {
        kind: stranger ? "stranger" as const : category === 5 ? "adversarial" as const : "answered" as const,
        fold: String(conversation),
        wanted: stranger || category === 5 ? new Set<number>() : evidence,
        weights: weightsOf.get(conversation)!,
      };
      const asked = [{ ...shared, long: false, candidates, stored }];
      if (i % WRAPPED_EVERY !== 0) return asked;
      const long = wrapQuery(text, chatter[i / WRAPPED_EVERY % chatter.length]);
      return [...asked, { ...shared, long: true, ...askIndex(index, long, lexicon) }];
    });
}

/**
 * All that the fit of relevance asks of conversations: the questions, and the same of a corpus from which their
 * conversation was taken away, where nothing answers them.
 */
function prepareRelevance(
  conversations: Conversation[],
  questions: readonly Question[],
  weightsOf: ReadonlyMap<number, Float64Array>,
  lexicon?: Lexicon,
): AskedQuery[] {
  const strangers = conversations.flatMap((_, c) => {
    const only = conversations.map((x, i) => i === c ? x : { ...x, qa: [] });
    const built = buildIndex(conversations, c);
    const asked = prepareQuestions(only, built, lexicon).questions;
    return askConversations(asked, built.index, weightsOf, true, lexicon);
  });
  return [
    ...askConversations(questions, buildIndex(conversations).index, weightsOf, false, lexicon),
    ...strangers,
  ];
}

/** Features that are always 0 without a lexicon, or the same as another. */
const LEXICON_FEATURES: readonly FeatureName[] = ["relatedToQuery", "relatedInTurn", "proximityWithRelated"];

/** Trains the weights of one lexicon, and reports on them. */
function train(name: LexiconName, conversations: Conversation[], dropped: readonly string[], ablated: boolean) {
  console.log(`\n=== lexicon: ${name}`);
  const lexicon = openLexicon(name);
  const { questions, timing } = prepare(conversations, lexicon);
  console.log(timing);
  const left: readonly string[] = name === "none" ? [...dropped, ...LEXICON_FEATURES] : dropped;
  const active = Uint8Array.from(FEATURE_NAMES, (n) => left.includes(n) ? 0 : 1);
  const shipped = measure(questions, () => toVector(WEIGHTS[name]));
  printReport("shipped weights, in sample", shipped);
  const folds = fitFolds(questions, active);
  const crossValidated = measure(questions, (q) => folds.get(q.conversation)!);
  printReport("leave one conversation out", crossValidated);
  const weights = round(fitWeights(questions, active));
  const inSample = measure(questions, () => weights);
  printReport("trained on all, in sample", inSample);
  if (ablated) ablate(questions, active);
  const stores = readCaseStores();
  const relevance = fitRelevance(
    prepareRelevance(conversations, questions, folds, lexicon),
    askStores([...stores.filter((store) => !isHeld(store)), readTestStore()], lexicon),
    askStores(stores.filter(isHeld), lexicon),
    weights,
  );
  printRelevance(relevance);
  const ranker = Object.fromEntries(FEATURE_NAMES.map((n, f) => [n, weights[f]]).filter(([, w]) => w !== 0));
  return { timing, crossValidated, inSample, shipped, ranker, relevance };
}

function main(): void {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      lexicon: { type: "string" },
      write: { type: "boolean" },
      json: { type: "string" },
      drop: { type: "string" },
      ablate: { type: "boolean" },
    },
  });
  if (values.data === undefined) throw new Error("Cannot train: --data <folder> is missing");
  const names = LEXICONS.filter((name) => values.lexicon === undefined || values.lexicon === name);
  if (names.length === 0) throw new Error(`Cannot train: --lexicon is none of ${LEXICONS.join(", ")}`);
  const conversations: Conversation[] = JSON.parse(Deno.readTextFileSync(`${values.data}/conversations.json`));
  const dropped = values.drop?.split(",") ?? [];
  const reports = new Map(names.map((name) => [name, train(name, conversations, dropped, values.ablate ?? false)]));
  if (values.write) {
    const path = new URL("../../src/retrieval/weights.json", import.meta.url);
    const kept = JSON.parse(Deno.readTextFileSync(path));
    for (const [name, { ranker, relevance }] of reports) kept[name] = { ranker, relevance: relevance.model };
    Deno.writeTextFileSync(path, JSON.stringify(kept, null, 2) + "\n");
  }
  if (values.json !== undefined) {
    Deno.writeTextFileSync(values.json, JSON.stringify(Object.fromEntries(reports), null, 2) + "\n");
  }
}

if (import.meta.main) main();
