/** Explains why a result has its rank, in numbers and in words; and why other units are not among the results. */
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/recall.ts";
import { readEntityNames as readNames } from "../../db/queries/recall_graph.ts";
import { COLUMN, FEATURE_COUNT, findMatchedWords, type QueryPlan } from "../../retrieval/mod.ts";
import { isCleared, type Kind } from "../../schema/common.ts";
import type { RecallResult, ScoreDetails, WhyNot } from "../../schema/recall.ts";
import { RECALL_SIGNS, type RecallSign } from "../../schema/recall_signs.ts";
import { type FusedResult, isLexical, temporalFit } from "./fusion.ts";
import type { NamedBy } from "./named.ts";
import type { RecallRequest } from "./request.ts";
import type { Searched } from "./search.ts";
import { readSigns } from "./signs.ts";

/** Results behind this place among the nearest in meaning are not said to be similar. */
const NEAR_RANK_MAX = 10;

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Describes rank and score in each arm, and the contribution of each sign. */
export function describeScore(searched: Searched, result: FusedResult): ScoreDetails {
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
  const signs: { readonly sign: RecallSign; readonly part: number }[] = [
    ...readSigns(candidates, result.row),
    { sign: "graph", part: graph },
    { sign: "current", part: current },
  ];
  const boosts = Object.fromEntries(
    signs.map(({ sign, part }) => [sign, round(part)]).filter(([, part]) => part !== 0),
  );
  const path = result.graph?.path.map(({ from, via, to }) => ({ from, via, to }));
  return { arms, fusion: round(result.fusion), boosts, ...(path !== undefined && { path }) };
}

/** The names of the units on the paths to results, as far as the reader may see them. */
export async function readPathNames(tx: Tx, results: readonly FusedResult[]): Promise<ReadonlyMap<string, string>> {
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
  { candidates, heirs }: Searched,
  { terms }: QueryPlan,
  { row, docNo }: FusedResult,
  text: string,
): string[] {
  const scored = new Set(candidates.scored.filter((_, t) => candidates.matched[row] & 1 << t));
  const matched = findMatchedWords(text, terms.filter(({ term }) => scored.has(term)));
  const isHeir = heirs.some(({ heirNo }) => heirNo === docNo);
  const asked = (list: typeof matched) => list.map(({ asked }) => asked).join(", ");
  const elsewhere = matched.filter(({ same }) => same.length === 0);
  const same = matched.filter((one) => one.same.length > 0 || isHeir && elsewhere.includes(one));
  const parts: string[] = [];
  if (same.length > 0) {
    const who = isHeir && elsewhere.length > 0 ? "it or what it replaced" : "it";
    const list = same.map((one) => one.same.join(", ") || one.asked).join(", ");
    parts.push(`${who} contains ${same.length} of the query's ${candidates.scored.length} words (${list})`);
  }
  if (elsewhere.length > 0 && !isHeir) {
    parts.push(`it matches ${asked(elsewhere)} by another of its names or in another spelling`);
  }
  return parts;
}

/** One or two sentences for people. */
export function describeWhy(
  searched: Searched,
  plan: QueryPlan,
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
  const [strongest] = readSigns(candidates, result.row);
  if (parts.length === 0) parts.push("nothing is nearer");
  const sign = strongest && strongest.part > 0 ? ` What raised it most: ${RECALL_SIGNS[strongest.sign]}.` : "";
  const warning = stale ? " It is stale: something that it rests on is no longer in force." : "";
  return `Found because ${parts.join("; ")}.${sign}${warning}`;
}

/** The outcome for documents, by document number. */
export interface Outcome {
  readonly returned: ReadonlySet<number>;
  readonly pinned: ReadonlySet<number>;
  /** Documents that ranked high enough, but did not fit into the token budget. */
  readonly noRoom: ReadonlySet<number>;
  /** For documents that a bounded unit interrupts at the time asked about: the id of that unit. */
  readonly interrupted: ReadonlyMap<number, string>;
}

/** Explains for each id why it is not among the results, or says that it is. */
export async function explainAbsence(
  tx: Tx,
  ids: readonly string[],
  request: RecallRequest,
  searched: Searched,
  outcome: Outcome,
): Promise<WhyNot[]> {
  if (ids.length === 0) return [];
  const found = await queries.findSubjects(tx, ids, request.rows);
  const subjects = new Map(found.map((subject) => [subject.id, subject]));
  const { results, relevant } = searched.fused;
  const ranks = new Map(results.map((result, index) => [result.docNo, index + 1]));
  const kept = new Set(relevant.map((result) => result.docNo));
  return ids.map((id) => {
    const subject = subjects.get(id);
    if (subject === undefined) {
      return { id, reason: "not_found" as const, explanation: "There is no such turn or unit that this key may see." };
    }
    const rank = ranks.get(subject.docNo);
    if (searched.naming !== undefined && !ranks.has(subject.docNo) && listRefusals(subject, request).length === 0) {
      const explanation = "The query names neither it, by its name, an alias or a tag, nor an entity that it mentions.";
      if (!outcome.pinned.has(subject.docNo)) return { id, reason: "not_named" as const, explanation };
    }
    return {
      id,
      ...explainOne(
        subject,
        request,
        outcome,
        rank,
        kept.has(subject.docNo) ? undefined : describeCut(searched, rank),
      ),
    };
  });
}

function explainOne(
  subject: queries.SubjectRow,
  request: RecallRequest,
  outcome: Outcome,
  rank: number | undefined,
  cut: string | undefined,
): Omit<WhyNot, "id"> {
  if (outcome.pinned.has(subject.docNo)) return { reason: "pinned", explanation: "It is among the pinned units." };
  if (outcome.returned.has(subject.docNo)) {
    return { reason: "returned", explanation: "It is among the results.", ...(rank !== undefined && { rank }) };
  }
  const instead = outcome.interrupted.get(subject.docNo);
  const refusals = listRefusals(subject, request);
  if (instead !== undefined) refusals.push(`${instead} is true instead at that time`);
  if (refusals.length > 0) return { reason: "filtered", explanation: `Filtered out: ${refusals.join("; ")}.` };
  if (rank === undefined) {
    return {
      reason: "not_matched",
      explanation:
        "No tier found it: neither it nor its surroundings contain a word of the query, no date fits, its meaning is not " +
        "similar, and no entity of the query leads to it.",
    };
  }
  if (cut !== undefined) return { reason: "cut", explanation: cut, rank };
  if (outcome.noRoom.has(subject.docNo)) {
    return { reason: "no_room", explanation: `Ranked ${rank}; it did not fit into maxTokens.`, rank };
  }
  return { reason: "beyond_limit", explanation: `Ranked ${rank}, beyond the limit of ${request.limit}.`, rank };
}

function describeCut({ fused }: Searched, rank: number | undefined): string | undefined {
  if (rank === undefined) return undefined;
  const relevance = round(fused.results[rank - 1].relevance);
  return `Ranked ${rank}, below the relevance cut that ${fused.relevant.length} results passed (its relevance is ${relevance}).`;
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
