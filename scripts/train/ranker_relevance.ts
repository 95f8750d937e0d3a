/**
 * Fits the estimates of src/retrieval/ranking/relevance.ts, and chooses where to cut.
 *
 * Turns: questions about conversations, each scored by weights that were trained without its conversation, as they are
 * and (every third) inside a message about other things; with the same questions asked of the corpus without their
 * conversation ("strangers"). Documents: the hand-written cases of the half that is not held, their short ones once more
 * inside such a message, and cases of other stores. What is reported of conversations comes from fits without the
 * conversation; of documents, from the held half.
 */

import {
  estimateRelevance,
  EVIDENCE_INPUT_NAMES,
  evidenceConfidence,
  type KindModel,
  type Logistic,
  type ModelName,
  rank,
  readEvidence,
  readInputs,
  RELEVANCE_INPUT_COUNT,
  RELEVANCE_INPUT_NAMES,
} from "../../src/retrieval/mod.ts";
import { fitLogistic, type Sample } from "./logistic.ts";
import type { AskedCase } from "./precision_data.ts";
import {
  type AskedQuery,
  both,
  type FittedRelevance,
  type Judged,
  keep,
  LIMIT,
  mean,
  NO_CUT,
  NOTHING,
  type Ready,
  recallOf,
  reportDocuments,
  reportTurns,
  round,
} from "./relevance_report.ts";

/** Results of a question that the fit looks at. */
const DEPTH = 40;
/** The folds are left out a part at a time. */
const PARTS = 6;
const RIDGE = { turn: 2, document: 8, confidence: 5 };
/** Most recall at 10 and at 20 that the cut of turns may cost, in points. */
const LOSS_MAX = { at10: 0.2, at20: 3 };
/** Turns that the cut spares: conversations answer a question in many places, and the tenth may be one of them. */
const SPARED = 10;
/** What a query counts in the fits; a question counts 1. */
const WEIGHTS = { stranger: 0.25, strangerCase: 0.1, longConfidence: 0.3, wrapped: 0.25, talk: 2 };
/** What a question counts in the fit of confidence: of small talks there are few, and of abstention questions fewer. */
const CONFIDENCE = { talk: 5, abstention: 4 };

function prepare(query: AskedQuery): Ready {
  const ranked = rank(query.candidates, query.stored, query.weights);
  return {
    ...query,
    ranked,
    labels: ranked.map(({ doc }) => query.wanted.has(doc) ? 1 : 0),
    inputs: readInputs(query.candidates, ranked),
  };
}

function toLogistic<Input extends string>(
  samples: readonly Sample[],
  ridge: number,
  names: readonly Input[],
  used: (name: Input) => boolean = () => true,
): Logistic<Input> {
  const masked = samples.map((sample) => ({ ...sample, inputs: sample.inputs.map((x, i) => used(names[i]) ? x : 0) }));
  const { bias, weights } = fitLogistic(masked, ridge);
  const kept = names.map((name, i) => [name, round(weights[i])] as const).filter(([, weight]) => weight !== 0);
  return { bias: round(bias), weights: Object.fromEntries(kept) as Partial<Record<Input, number>> };
}

function fitEstimate(queries: readonly Ready[], ridge: number): KindModel["relevance"] {
  const samples = queries.flatMap(({ ranked, labels, inputs, kind, weight }) =>
    ranked.slice(0, DEPTH).map((_, i): Sample => ({
      inputs: inputs.subarray(i * RELEVANCE_INPUT_COUNT, (i + 1) * RELEVANCE_INPUT_COUNT),
      label: labels[i],
      weight: weight ?? (kind === "stranger" ? WEIGHTS.stranger : 1),
    }))
  );
  return toLogistic(samples, ridge, RELEVANCE_INPUT_NAMES);
}

function estimate(query: Ready, relevance: KindModel["relevance"]): Float64Array {
  return estimateRelevance(
    query.candidates,
    query.ranked,
    both({ relevance, confidence: { matter: NOTHING }, cut: NO_CUT }),
  );
}

const ABOUT_PERSON = /^(?:person|other)[A-Z]/;
/** Stores of documents are of few sizes. */
const OF_SIZE = /[sS]ize$/;

/**
 * Fits whether the matter stands there at all, on strangers, and whether it is of the person who is named, on questions
 * about another person.
 */
function fitConfidence(
  queries: readonly Ready[],
  relevance: KindModel["relevance"],
  people: boolean,
): KindModel["confidence"] {
  const samples = queries.flatMap((query) => {
    const inputs = readEvidence(query.candidates, query.ranked, estimate(query, relevance), query.weights);
    const few = query.kind === "abstention" ? CONFIDENCE.abstention : query.isTalk ? CONFIDENCE.talk : 1;
    const weight = few * (query.long ? WEIGHTS.longConfidence : 1);
    // An answer that was not found gives the results no more to rest on than one that is not there.
    const isFound = query.labels.slice(0, LIMIT).includes(1);
    return inputs === undefined ? [] : [{ kind: query.kind, inputs, weight, label: isFound ? 1 : 0 }];
  }) as (Sample & { kind: AskedQuery["kind"] })[];
  const matter = samples.filter(({ kind }) => kind !== "adversarial");
  const named = EVIDENCE_INPUT_NAMES.indexOf("personNamed");
  const person = samples.filter(({ kind, inputs }) =>
    kind !== "stranger" && kind !== "abstention" && inputs[named] > 0
  );
  const isPersonal = (name: string) => ABOUT_PERSON.test(name);
  return {
    matter: toLogistic(
      matter,
      RIDGE.confidence,
      EVIDENCE_INPUT_NAMES,
      (name) => !isPersonal(name) && (people || !OF_SIZE.test(name)),
    ),
    ...(people && { person: toLogistic(person, RIDGE.confidence, EVIDENCE_INPUT_NAMES, isPersonal) }),
  };
}

function fitKind(
  queries: readonly Ready[],
  kind: "turn" | "document",
  scale: Scale = { factor: 1, shift: 0 },
): Omit<KindModel, "cut"> {
  const relevance = scaleModel(fitEstimate(queries, RIDGE[kind]), scale);
  return { relevance, confidence: fitConfidence(queries, relevance, kind === "turn") };
}

function judge(query: Ready, model: Omit<KindModel, "cut">): Judged {
  const relevance = estimate(query, model.relevance);
  const whole = both({ ...model, cut: NO_CUT });
  return {
    query,
    relevance,
    confidence: evidenceConfidence(query.candidates, query.ranked, relevance, whole, query.weights),
  };
}

function judgeWithout(queries: readonly Ready[], always: readonly Ready[], kind: "turn" | "document"): Judged[] {
  const folds = [...new Set(queries.map(({ fold }) => fold))];
  const partOf = new Map(folds.map((fold, i) => [fold, i % PARTS]));
  return Array.from({ length: PARTS }, (_, part) => {
    const model = fitKind([...queries.filter(({ fold }) => partOf.get(fold) !== part), ...always], kind);
    return queries.filter(({ fold }) => partOf.get(fold) === part).map((query) => judge(query, model));
  }).flat();
}

/** What a probability's log-odds are multiplied by, and what is added to them. */
interface Scale {
  readonly factor: number;
  readonly shift: number;
}

/**
 * What makes the estimates of queries that the fit did not see say what was so: a fit on few cases is too sure, and
 * strangers make it too doubtful.
 */
function fitScale(judged: readonly Judged[]): Scale {
  const { bias, weights } = fitLogistic(
    judged.flatMap(({ query, relevance }) =>
      Array.from(relevance.subarray(0, LIMIT), (p, i): Sample => ({
        inputs: Float64Array.of(oddsOf(p)),
        label: query.labels[i],
        weight: 1,
      }))
    ),
    0.1,
  );
  return { factor: weights[0], shift: bias };
}

function oddsOf(p: number): number {
  return Math.log(Math.max(1e-9, p) / Math.max(1e-9, 1 - p));
}

function scaleModel({ bias, weights }: KindModel["relevance"], { factor, shift }: Scale): KindModel["relevance"] {
  const scaled = Object.entries(weights).map(([name, weight]) => [name, round(weight * factor)]);
  return { bias: round(bias * factor + shift), weights: Object.fromEntries(scaled) };
}

function scaleJudged({ query, relevance, confidence }: Judged, { factor, shift }: Scale): Judged {
  return { query, confidence, relevance: relevance.map((p) => 1 / (1 + Math.exp(-factor * oddsOf(p) - shift))) };
}

/** The strictest cut within `LOSS_MAX`: first of what is returned at all, then of what stands behind the spared ones. */
function chooseTurnCut(judged: readonly Judged[]): KindModel["cut"] {
  const answered = judged.filter(({ query }) => query.kind === "answered" && !query.long);
  const recall = (cut: KindModel["cut"], k: number) =>
    100 * mean(answered.map((one) => recallOf(one, keep(one, cut), k)));
  const uncut = { least: 0, knee: 0, spared: LIMIT };
  let cut = { least: 0, knee: 0, spared: SPARED };
  for (let least = 0.005; least <= 0.2; least += 0.005) {
    const next = { ...uncut, least: round(least) };
    if (recall(uncut, 10) - recall(next, 10) > LOSS_MAX.at10) break;
    cut = { ...cut, least: round(least) };
  }
  for (let knee = 0.01; knee <= 0.5; knee += 0.01) {
    const next = { ...cut, knee: round(knee) };
    if (recall(uncut, 20) - recall(next, 20) > LOSS_MAX.at20) break;
    cut = next;
  }
  return cut;
}

/**
 * Less likely lists are not begun. The worth of the cut hardly changes between 0.25 and 0.5: what is lost below is silence
 * where nothing answers, and above it are answers in other words. Where meaning is known, the fact that alone answers a
 * question in other words is below 0.4 ("How does Ada want to be told?").
 */
const LEAST: Readonly<Record<ModelName, number>> = { words: 0.3, table: 0.25, encoder: 0.36 };
/** What a list that begins wrongly costs; one that begins rightly is worth 1, and 1 more each if it passes and is exact. */
const WRONG_COST = 0.6;

/** The cut that serves most cases, less what wrong lists cost. */
function chooseDocumentCut(judged: readonly Judged[], least: number): KindModel["cut"] {
  let cut = { least, knee: 0, spared: 0 }, most = -Infinity;
  for (let knee = 0.3; knee < 0.675; knee += 0.05) {
    const next = { ...cut, knee: round(knee, 2) };
    const { exact, passed, begunRightly, begunWrongly } = reportDocuments(judged, next);
    const worth = exact + passed + begunRightly - WRONG_COST * begunWrongly;
    if (worth > most) most = worth, cut = next;
  }
  return cut;
}

/** The hand-written cases: those to fit on and those to report on. */
export interface CaseSets {
  readonly own: readonly AskedCase[];
  readonly wrapped: readonly AskedCase[];
  readonly strangers: readonly Pick<AskedCase, "store" | "asked">[];
}

function readyCases({ own, wrapped, strangers }: CaseSets, weights: Float64Array): { all: Ready[]; own: Ready[] } {
  const isTalk = ({ store }: Pick<AskedCase, "store">) => store.sessions !== undefined;
  const make = (one: Pick<AskedCase, "store" | "asked">, kind: AskedQuery["kind"], long: boolean, weight?: number) =>
    prepare({
      ...{ ...one.asked, kind, long, fold: one.store.id, weights, weight },
      isTalk: isTalk(one),
    });
  const kindOf = ({ asked }: AskedCase) => asked.wanted.size > 0 ? "answered" : "stranger";
  const mine = own.map((one) => make(one, kindOf(one), false, isTalk(one) ? WEIGHTS.talk : 1));
  const inside = wrapped.map((one) => make(one, kindOf(one), true, isTalk(one) ? 1 : WEIGHTS.wrapped));
  const away = strangers.map((one) => make(one, "stranger", false, WEIGHTS.strangerCase));
  return { all: [...mine, ...inside, ...away], own: mine };
}

const isTurns = ({ candidates }: Ready) => candidates.groups.some((group) => group !== 0);

/** Fits both kinds and reports on what the fits did not see. */
export function fitRelevance(
  conversations: readonly AskedQuery[],
  fitted: CaseSets,
  held: CaseSets,
  weights: Float64Array,
  name: ModelName,
): FittedRelevance {
  const asked = conversations.map(prepare);
  const cases = readyCases(fitted, weights);
  const talks = cases.all.filter(isTurns), stores = cases.all.filter((one) => !isTurns(one));
  const rawTurns = judgeWithout(asked, talks, "turn");
  const turnScale = fitScale(rawTurns.filter(({ query }) => query.kind !== "stranger"));
  const judgedTurns = rawTurns.map((one) => scaleJudged(one, turnScale));
  const turnModel = fitKind([...asked, ...talks], "turn", turnScale);
  // Small talks are few, so that the fit saw them; but it must not cut what is first in them.
  const judgedTalks = talks.filter((one) => cases.own.includes(one)).map((one) => judge(one, turnModel));
  const turn = { ...turnModel, cut: chooseTurnCut([...judgedTurns, ...judgedTalks]) };
  const own = new Set(cases.own);
  const rawCases = judgeWithout(stores, [], "document").filter(({ query }) => own.has(query));
  const scale = fitScale(rawCases);
  const judgedCases = rawCases.map((one) => scaleJudged(one, scale));
  const document = { ...fitKind(stores, "document", scale), cut: chooseDocumentCut(judgedCases, LEAST[name]) };
  const reported = readyCases(held, weights).own.filter((one) => !isTurns(one)).map((one) => judge(one, document));
  return {
    model: { turn, document },
    turns: reportTurns(judgedTurns, turn.cut),
    documents: { fitted: reportDocuments(judgedCases, document.cut), held: reportDocuments(reported, document.cut) },
  };
}
