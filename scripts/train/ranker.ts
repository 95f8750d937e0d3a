/**
 * Trains the weights of the recall ranker from labelled data of several kinds, and says how good they are.
 *
 * Usage: deno run -A scripts/train/ranker.ts --data <folder with locomo and beam> [--model <name>] [--cache <file>]
 *          [--kept] [--write] [--json <file>]
 *
 * The data: conversations between people (LoCoMo), which stand in one corpus; conversations with an assistant (BEAM), each a
 * corpus of its own, once with its own sessions and once in sessions of ten turns; and hand-written stores of facts and of
 * talk with questions, half of those of the tests and all of scripts/train/stores, also of both in one corpus. The cross-validation leaves conversations out, a fifth at a time. The same input gives the same
 * weights. There is a model for each way to search: by words alone, or also by meaning, with a question's vector from the
 * table or from the encoder. `--cache` keeps the texts' vectors between runs. --kept also reports on
 * conversations beside the facts and episodes that the service keeps of them, on which nothing is fitted. With --write, src/retrieval/weights.json gets
 * the models.
 */

import { parseArgs } from "node:util";
import { FEATURE_NAMES, type ModelName, toVector, WEIGHTS } from "../../src/retrieval/mod.ts";
import { type ConversationSet, readBeam, readLocomo } from "./conversations.ts";
import type { AskOptions } from "./corpus.ts";
import { collapseSet } from "./kept.ts";
import { fitWeights, scoreRows } from "./fit_weights.ts";
import {
  buildCorpus,
  type Evidence,
  foldOf,
  listTexts,
  prepareQuestions,
  type Question,
  toQuestion,
} from "./ranker_data.ts";
import { fitRelevance } from "./ranker_relevance.ts";
import { type AskedQuery, printRelevance } from "./relevance_report.ts";
import {
  type AskedCase,
  askMixed,
  askStores,
  type CaseStore,
  isHeld,
  listStoreTexts,
  readCaseStores,
  readChatter,
  readOwnStores,
  readParaphraseStores,
  readTestStore,
  wrapQuery,
} from "./precision_data.ts";
import { TrainingVectors } from "./vectors.ts";

/** Parts of the cross-validation. */
const FOLDS = 5;
/** When the questions are asked. */
const REFERENCE_MS = Date.UTC(2026, 0, 1);
/** One question in this many is asked once more inside a message about other things. */
const WRAPPED_EVERY = 3;
/** What each question counts in the fit, by its set. */
const COUNTS: Readonly<Record<string, number>> = {
  locomo: 1,
  beam: 0.5,
  "beam-10": 0.5,
  stores: 3,
  mixed: 0.04,
};
const MEANING_FEATURES: readonly string[] = FEATURE_NAMES.filter((name) => /meaning/i.test(name));

const MODELS: readonly ModelName[] = ["words", "table", "encoder"];

/**
 * Of a set's questions in percent, means: how often the first result is right and one of the first three, recall at 5, 10
 * and 20, nDCG at 10, and what is among the candidates.
 */
export interface Report {
  questions: number;
  first: number;
  three: number;
  r5: number;
  r10: number;
  r20: number;
  ndcg10: number;
  candidates: number;
}

export function measure(questions: Question[], weightsOf: (q: Question) => Float64Array): Record<string, Report> {
  const out: Record<string, Report> = {};
  for (const q of questions) {
    if (q.evidence.size === 0) continue;
    const scores = scoreRows(q, weightsOf(q));
    const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || q.docs[a] - q.docs[b]);
    const found = order.map((i) => q.evidence.get(q.docs[i]));
    // A turn and a fact that cites it are one piece of evidence.
    const hits = found.map((one, i) => one !== undefined && found.indexOf(one) === i ? 1 : 0);
    const size = new Set(q.evidence.values()).size;
    const recall = (k: number) => hits.slice(0, k).reduce<number>((a, b) => a + b, 0) / size;
    let dcg = 0, ideal = 0;
    for (let i = 0; i < 10; i++) {
      if (hits[i]) dcg += 1 / Math.log2(i + 2);
      if (i < size) ideal += 1 / Math.log2(i + 2);
    }
    for (const key of [q.set, `${q.set}: ${q.kind}`]) {
      const r = out[key] ??= { questions: 0, first: 0, three: 0, r5: 0, r10: 0, r20: 0, ndcg10: 0, candidates: 0 };
      r.questions++;
      r.first += recall(1) > 0 ? 1 : 0;
      r.three += recall(3) > 0 ? 1 : 0;
      r.r5 += recall(5);
      r.r10 += recall(10);
      r.r20 += recall(20);
      r.ndcg10 += dcg / ideal;
      r.candidates += recall(q.rows);
    }
  }
  for (const r of Object.values(out)) {
    for (const k of ["first", "three", "r5", "r10", "r20", "ndcg10", "candidates"] as const) {
      r[k] = Math.round(r[k] / r.questions * 1000) / 10;
    }
  }
  return out;
}

/** Weights by fold, each trained without it. */
function fitFolds(questions: readonly Question[], active: Uint8Array): ReadonlyMap<string, Float64Array> {
  const names = [...new Set(questions.map(({ fold }) => fold))];
  const partOf = new Map(names.map((name, i) => [name, i % FOLDS]));
  const parts = Array.from(
    { length: FOLDS },
    (_, part) => round(fitWeights(questions.filter(({ fold }) => partOf.get(fold) !== part), active)),
  );
  return new Map(names.map((name) => [name, parts[partOf.get(name)!]]));
}

function round(weights: Float64Array): Float64Array {
  return weights.map((w) => Math.round(w * 100) / 100);
}

function printReport(title: string, report: Record<string, Report>): void {
  console.log(`\n${title}`);
  console.table(report);
}

/** Questions as the fit of relevance takes them: as they are, and some inside a message about other things. */
async function askConversations(
  set: ConversationSet,
  questions: readonly Question[],
  vectors: TrainingVectors,
  weightsOf: ReadonlyMap<string, Float64Array>,
  options: AskOptions,
): Promise<AskedQuery[]> {
  const chatter = readChatter();
  const out: AskedQuery[] = [];
  for (const [c, conversation] of set.conversations.entries()) {
    const fold = foldOf(set, conversation);
    const shared = { fold, weights: weightsOf.get(fold)! };
    // Without the conversation nothing answers its questions.
    const elsewhere = set.conversations.filter((_, i) =>
      set.isOneCorpus ? i !== c : i === (c + 1) % set.conversations.length
    );
    const stranger = buildCorpus(elsewhere, vectors), none: ReadonlySet<number> = new Set();
    const own = buildCorpus(set.isOneCorpus ? set.conversations : [conversation], vectors);
    for (const [i, { text, kind }] of conversation.questions.entries()) {
      const known = questions.find((one) => one.fold === fold && one.text === text)!;
      const wanted = new Set(known.evidence.keys()), isAnswered = wanted.size > 0;
      if (!isAnswered && kind !== "adversarial" && kind !== "abstention") continue;
      const as = isAnswered
        ? "answered" as const
        : kind === "adversarial"
        ? "adversarial" as const
        : "abstention" as const;
      const { candidates, stored } = known;
      out.push({ ...shared, kind: as, wanted, long: false, candidates, stored, weight: 1 });
      out.push({ ...shared, kind: "stranger", wanted: none, long: false, ...await stranger.ask(text, options) });
      if (i % WRAPPED_EVERY !== 0) continue;
      const long = wrapQuery(text, chatter[i / WRAPPED_EVERY % chatter.length]);
      out.push({ ...shared, kind: as, wanted, long: true, ...await own.ask(long, options), weight: 1 });
    }
  }
  return out;
}

function toEvidence(wanted: ReadonlySet<number>): Evidence {
  return new Map([...wanted].map((doc) => [doc, doc]));
}

/** The cases of a store that have an answer, as the fit of weights takes them. */
function toQuestions(cases: readonly AskedCase[], weight: number, set = "stores"): Question[] {
  return cases.filter(({ asked }) => asked.wanted.size > 0).map(({ store, one, asked }) =>
    toQuestion(
      { text: one.query, set, kind: store.id, fold: store.id, weight, evidence: toEvidence(asked.wanted) },
      asked,
    )
  );
}

interface Data {
  readonly sets: readonly ConversationSet[];
  readonly fitted: readonly CaseStore[];
  readonly held: readonly CaseStore[];
  readonly vectors: TrainingVectors;
}

/** Trains the weights of one model, and reports on them. */
async function train(name: ModelName, { sets, fitted, held, vectors }: Data) {
  console.log(`\n=== ${name}`);
  const options: AskOptions = { model: name, referenceMs: REFERENCE_MS };
  const bySet = new Map<string, Question[]>();
  for (const set of sets) bySet.set(set.name, await prepareQuestions(set, vectors, options, COUNTS[set.name] ?? 0));
  const questions = [...bySet.values()].flat();
  const cases = await askStores(fitted, vectors, options), heldCases = await askStores(held, vectors, options);
  const mixed = toQuestions(await askMixed(fitted, vectors, options), COUNTS["mixed"], "mixed");
  const all = [...questions, ...toQuestions(cases.own, COUNTS["stores"]), ...mixed];
  const left = name === "words" ? MEANING_FEATURES : [];
  const active = Uint8Array.from(FEATURE_NAMES, (n) => left.includes(n) ? 0 : 1);
  const shipped = measure(all, () => toVector(WEIGHTS[name]));
  printReport("shipped weights", shipped);
  const counted = all.filter(({ weight }) => weight > 0);
  const folds = fitFolds(counted, active);
  const crossValidated = measure(all, (q) => folds.get(q.fold)!);
  printReport("each fifth left out in turn", crossValidated);
  const weights = round(fitWeights(counted, active));
  const asked: AskedQuery[] = [];
  for (const set of sets) {
    if (set.name.includes("-") || set.name.includes("+")) continue;
    asked.push(...await askConversations(set, bySet.get(set.name)!, vectors, folds, options));
  }
  const relevance = fitRelevance(asked, cases, heldCases, weights, name);
  printRelevance(relevance);
  printReport("stores that are held, trained on all else", measure(toQuestions(heldCases.own, 1), () => weights));
  const ranker = Object.fromEntries(FEATURE_NAMES.map((n, f) => [n, weights[f]]).filter(([, w]) => w !== 0));
  return { crossValidated, shipped, ranker, relevance };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      model: { type: "string" },
      cache: { type: "string" },
      kept: { type: "boolean" },
      write: { type: "boolean" },
      json: { type: "string" },
    },
  });
  if (values.data === undefined) throw new Error("Cannot train: --data <folder> is missing");
  const models = MODELS.filter((name) => values.model === undefined || values.model.split(",").includes(name));
  if (models.length === 0) {
    throw new Error(`Cannot train: --model is none of ${MODELS.join(", ")}`);
  }
  const beam = `${values.data}/beam`;
  const told = [readLocomo(`${values.data}/locomo/conversations.json`), readBeam(beam), readBeam(beam, 10)];
  const sets = values.kept ? [...told, await collapseSet(told[0]!), await collapseSet(told[2]!)] : told;
  const stores = readCaseStores(), paraphrases = readParaphraseStores();
  const fitted = [...stores.filter((store) => !isHeld(store)), readTestStore(), ...readOwnStores(), paraphrases.fitted];
  const held = [...stores.filter(isHeld), paraphrases.held];
  const vectors = new TrainingVectors(values.cache);
  await vectors.encode([...listTexts(sets), ...listStoreTexts([...fitted, ...held])]);
  const reports = new Map<ModelName, Awaited<ReturnType<typeof train>>>();
  for (const model of models) reports.set(model, await train(model, { sets, fitted, held, vectors }));
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

if (import.meta.main) await main();
