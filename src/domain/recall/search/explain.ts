/** Explains why a result has its rank, in numbers and in words; and why other units are not among the results. */
import * as queries from "../../../db/queries/recall.ts";
import { readEntityNames as readNames } from "../../../db/queries/recall_graph.ts";
import type { Tx } from "../../../db/tx.ts";
import {
  COLUMN,
  explainScore,
  FEATURE_COUNT,
  type FeatureName,
  findMatchedWords,
  type Prescored,
  type QueryPlan,
} from "../../../retrieval/mod.ts";
import { isCleared, type Kind } from "../../../schema/common.ts";
import type { ExplainedResult, RecallResult, ScoreDetails, WhyNot } from "../../../schema/recall.ts";
import { RECALL_SIGNALS, type RecallSignal } from "../../../schema/recall_signals.ts";
import type { FusedResult } from "./cut.ts";
import { isLexical, temporalFit } from "./fusion.ts";
import type { NamedBy } from "./named_texts.ts";
import type { RecallRequest } from "./request.ts";
import type { CompletedSearch, Searched } from "./search.ts";

/** Results behind this place among the nearest in meaning are not said to be similar. */
const NEAR_RANK_MAX = 10;

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Explains a search by what it found: each of its results, and for each of some ids why it is not among them. */
export async function explain(tx: Tx, outcome: CompletedSearch, ids: readonly string[]) {
  const { results } = outcome.shown;
  const [whyNot, names] = await Promise.all([
    explainAbsence(tx, ids, outcome),
    readPathNames(tx, results.map(({ fused }) => fused)),
  ]);
  const explained = results.map(({ result, fused }): ExplainedResult => ({
    ...result,
    scoreDetails: describeScore(outcome.searched, fused),
    why: describeWhy(outcome, fused, result, names),
  }));
  return { results: explained, whyNot };
}

/** Describes rank and score in each arm, and the contribution of each signal. */
function describeScore(searched: Searched, result: FusedResult): ScoreDetails {
  const { candidates, fused } = searched;
  const arms: ScoreDetails["arms"] = [];
  if (isLexical(candidates, result.row)) {
    arms.push({ arm: "lexical", rank: result.lexical.rank, score: round(result.lexical.score) });
  }
  if (result.semantic !== undefined) {
    arms.push({ arm: "semantic", rank: result.semantic.rank, score: round(result.semantic.similarity) });
  }
  if (result.graph !== undefined) {
    arms.push({ arm: "graph", rank: result.graph.rank, score: round(result.graph.score) });
  }
  const fit = temporalFit(candidates, result.row);
  if (fit > 0) {
    const before = fused.results.filter((other) => temporalFit(candidates, other.row) > fit).length;
    arms.push({ arm: "temporal", rank: before + 1, score: round(fit) });
  }
  const { graph, current } = result.gains;
  const signals: { readonly signal: RecallSignal; readonly part: number }[] = [
    ...readSignals(candidates, result.row),
    { signal: "graph", part: graph },
    { signal: "current", part: current },
  ];
  const boosts = Object.fromEntries(
    signals.map(({ signal, part }) => [signal, round(part)]).filter(([, part]) => part !== 0),
  );
  const path = result.graph?.path.map(({ from, via, to }) => ({ from, via, to }));
  return { arms, fusion: round(result.fusion), boosts, ...(path !== undefined && { path }) };
}

/** The names of the units on the paths to results, as far as the reader may see them. */
async function readPathNames(tx: Tx, results: readonly FusedResult[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(results.flatMap(({ graph }) => graph?.path.flatMap(({ from, to }) => [from, to ?? from]) ?? []));
  const rows = await readNames(tx, [...ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Describes a path, such as `Maria → related_to → Dan Brown → mention → this`. */
function describePath(result: FusedResult, names: ReadonlyMap<string, string>): string {
  const nameOf = (id: string | null) => id === null ? "this" : names.get(id) ?? "something";
  const path = result.graph?.path ?? [];
  return path.map(({ from, via, to }, i) => `${i === 0 ? `${nameOf(from)} ` : ""}→ ${via} → ${nameOf(to)}`).join(" ");
}

/** How to say by which name the query names a result. */
const CALLED: Readonly<Record<NamedBy, string>> = {
  name: "it",
  alias: "it by an alias",
  tag: "a tag of it",
  entity: "an entity that it mentions",
};

/** The words by which a result matches: those of its text, and the query's where its text has none. */
function describeWords(
  { candidates, successors }: Searched,
  { terms }: QueryPlan,
  { row, docNo }: FusedResult,
  text: string,
): string[] {
  const scored = new Set(candidates.scored.filter((_, t) => candidates.matched[row] & 1 << t));
  const matched = findMatchedWords(text, terms.filter(({ term }) => scored.has(term)));
  const isSuccessor = successors.some(({ successorNo }) => successorNo === docNo);
  const asked = (list: typeof matched) => list.map(({ asked }) => asked).join(", ");
  const elsewhere = matched.filter(({ same }) => same.length === 0);
  const same = matched.filter((one) => one.same.length > 0 || isSuccessor && elsewhere.includes(one));
  const parts: string[] = [];
  if (same.length > 0) {
    const who = isSuccessor && elsewhere.length > 0 ? "it or what it replaced" : "it";
    const list = same.map((one) => one.same.join(", ") || one.asked).join(", ");
    parts.push(`${who} contains ${same.length} of the query's ${candidates.scored.length} words (${list})`);
  }
  if (elsewhere.length > 0 && !isSuccessor) {
    parts.push(`it matches ${asked(elsewhere)} by another of its names or in another spelling`);
  }
  return parts;
}

/** One or two sentences for people. */
function describeWhy(
  { searched, plan }: CompletedSearch,
  result: FusedResult,
  { text, stale }: Pick<RecallResult, "text" | "stale">,
  names: ReadonlyMap<string, string>,
): string {
  const { candidates } = searched;
  const at = result.row * FEATURE_COUNT;
  const parts = describeWords(searched, plan, result, text);
  if (parts.length === 0 && candidates.features[at + COLUMN.proximityToBest] > 0) {
    parts.push("the turns around it contain the query's words");
  }
  if (candidates.features[at + COLUMN.saidByPerson] > 0) {
    parts.push(`it was said by ${candidates.people[0].name}, whom the query names`);
  } else if (candidates.features[at + COLUMN.personInText] > 0) parts.push("it names somebody whom the query names");
  if (candidates.features[at + COLUMN.onNamedDay] > 0) parts.push("it dates from a day that the query names");
  else if (candidates.features[at + COLUMN.inNamedPeriod] > 0) parts.push("it dates from a time that the query names");
  const named = searched.naming?.docs.get(result.docNo);
  if (named !== undefined) parts.push(`the query names ${[...named.by].map((by) => CALLED[by]).join(" and ")}`);
  if (result.semantic !== undefined && result.semantic.rank <= NEAR_RANK_MAX) {
    parts.push(
      `its meaning is similar (similarity ${round(result.semantic.similarity)}, rank ${result.semantic.rank})`,
    );
  }
  if (result.graph !== undefined) {
    const way = describePath(result, names);
    parts.push(way === "" ? "the query names it" : `the query's entities lead to it (${way})`);
  }
  const [strongest] = readSignals(candidates, result.row);
  if (parts.length === 0) parts.push("it is among the texts nearest in meaning to the query");
  const signal = strongest && strongest.part > 0 ? ` What raised it most: ${RECALL_SIGNALS[strongest.signal]}.` : "";
  const warning = stale ? " It is stale: something that it rests on is no longer in force." : "";
  return `Found because ${parts.join("; ")}.${signal}${warning}`;
}

/** Explains for each id why it is not among the results, or says that it is. */
async function explainAbsence(tx: Tx, ids: readonly string[], outcome: CompletedSearch): Promise<WhyNot[]> {
  if (ids.length === 0) return [];
  const found = await queries.findSubjects(tx, ids, outcome.request.rows);
  const subjects = new Map(found.map((subject) => [subject.id, subject]));
  return ids.map((id) => ({ id, ...explainOne(subjects.get(id), outcome) }));
}

function explainOne(
  subject: queries.SubjectRow | undefined,
  { request, searched: { fused, naming }, shown }: CompletedSearch,
): Omit<WhyNot, "id"> {
  if (subject === undefined) {
    return { reason: "not_found", explanation: "There is no such turn or unit that this key may see." };
  }
  const { docNo } = subject;
  const isIn = (list: readonly { readonly docNo: number }[]) => list.some((one) => one.docNo === docNo);
  if (isIn(shown.pinned)) return { reason: "pinned", explanation: "It is among the pinned units." };
  const ranked = fused.results.find((result) => result.docNo === docNo);
  const rank = ranked && fused.results.indexOf(ranked) + 1;
  if (isIn(shown.results)) {
    return { reason: "returned", explanation: "It is among the results.", ...(rank !== undefined && { rank }) };
  }
  const refusals = listRefusals(subject, request);
  if (naming !== undefined && rank === undefined && refusals.length === 0) {
    const explanation = "The query names neither it, by its name, an alias or a tag, nor an entity that it mentions.";
    return { reason: "not_named", explanation };
  }
  const instead = shown.interrupted.get(docNo);
  if (instead !== undefined) refusals.push(`${instead} is true instead at that time`);
  if (refusals.length > 0) return { reason: "filtered", explanation: `Filtered out: ${refusals.join("; ")}.` };
  if (ranked === undefined) {
    return {
      reason: "not_matched",
      explanation:
        "No tier found it: neither it nor its surroundings contain a word of the query, no date fits, its meaning is not " +
        "similar, and no entity of the query leads to it.",
    };
  }
  if (!fused.relevant.includes(ranked)) {
    const passed = `${fused.relevant.length} results passed (its relevance is ${round(ranked.relevance)})`;
    return { reason: "cut", explanation: `Ranked ${rank}, below the relevance cut that ${passed}.`, rank };
  }
  if (shown.noRoom.has(docNo)) {
    return { reason: "no_room", explanation: `Ranked ${rank}; it did not fit into maxTokens.`, rank };
  }
  return { reason: "beyond_limit", explanation: `Ranked ${rank}, beyond the limit of ${request.limit}.`, rank };
}

function listRefusals(subject: queries.SubjectRow, request: RecallRequest): string[] {
  const { rows } = request;
  const refusals: string[] = [];
  if (!request.kinds.includes(subject.type as Kind)) refusals.push(`its type is ${subject.type}`);
  if (!isCleared(subject.sensitivity, request.maxSensitivity)) {
    refusals.push(`its sensitivity is ${subject.sensitivity}`);
  }
  if (!subject.told) refusals.push("only its name is known; ask for entities by `types`");
  if (!subject.known) refusals.push("it was not known at knownAt");
  if (!subject.inForce) {
    refusals.push(
      rows.historic ? "it was not in force at that time" : `its status is ${subject.status} or its validity is over`,
    );
  }
  if (!subject.inSession) refusals.push("it is not part of the session");
  if (!subject.inWindow) {
    refusals.push(
      "it neither happened in the window nor holds at a time in it (without a time of its own: it was not recorded in it)",
    );
  }
  if (!subject.trusted) refusals.push(`its trust is ${subject.trustScore}, below ${rows.minTrust}`);
  if (!subject.tagged) refusals.push("it lacks the tags");
  if (!subject.satisfies) refusals.push("it does not satisfy the filters");
  return refusals;
}

/** The ranker's features as signals for people: several features measure one signal. No reply holds the names of features. */
const FEATURES_OF = {
  closeWords: [
    "proximityToBest",
    "proximityToQuery",
    "proximityToBestSquared",
    "listProximityToQuery",
    "saidByPersonProximity",
  ],
  ownWords: [
    "termsInTurn",
    "termsInTurnSquared",
    "listTermsInTurn",
    "saidByPersonTerms",
    "bm25",
    "unitTelling",
    "unitTellingSquared",
    "unitTellsAll",
    "unitTerms",
  ],
  surroundings: ["termsNearby"],
  neighbours: ["bm25OneBefore", "bm25TwoBefore", "bm25OneAfter"],
  names: ["entitiesNearby", "entitiesInSession", "personInText"],
  session: ["sessionBm25", "localTermsInSession", "termsInSession", "bestTurnsOfSession", "listSessionBm25"],
  participants: ["peoplePresent", "allPeoplePresent"],
  speaker: ["saidByPerson", "saidByFirstPerson", "listSaidByPerson", "saidByAssistant"],
  afterQuestion: ["bm25OfQuestionBefore", "questionBefore"],
  question: ["endsInQuestion"],
  substance: ["logLength", "newTerms", "capitalsInside", "holdsNumber", "isUnit"],
  firstPerson: ["firstPersonWords"],
  opening: ["opensSession"],
  timeTold: ["whenWithTime", "whenWithoutTime"],
  title: ["titleLike"],
  place: ["placeLike"],
  number: ["countWithNumber"],
  date: ["onNamedDay", "inNamedPeriod"],
  meaning: [
    "meaning",
    "meaningToBest",
    "meaningLead",
    "meaningNearby",
    "unitMeaning",
    "unitMeaningToBest",
    "unitMeaningLead",
  ],
} as const satisfies Partial<Record<RecallSignal, readonly FeatureName[]>>;
type Signed = (typeof FEATURES_OF)[keyof typeof FEATURES_OF][number];
const SIGNAL_OF = Object.fromEntries(
  Object.entries(FEATURES_OF).flatMap(([signal, features]) => features.map((feature) => [feature, signal])),
) as Readonly<Record<Signed, RecallSignal>>;

/** The contribution of each signal to the ranker's score of a candidate, the strongest first. */
function readSignals(candidates: Prescored, row: number): { readonly signal: RecallSignal; readonly part: number }[] {
  const parts = new Map<RecallSignal, number>();
  for (const { feature, part } of explainScore(candidates, row)) {
    const signal = SIGNAL_OF[feature];
    parts.set(signal, (parts.get(signal) ?? 0) + part);
  }
  return [...parts].map(([signal, part]) => ({ signal, part })).sort((a, b) => Math.abs(b.part) - Math.abs(a.part));
}
