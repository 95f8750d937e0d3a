/**
 * Orders candidates: adds the gains of the other arms to the ranker's score, estimates how likely
 * each result is relevant. Pure; recall from the database and from memory share it.
 */
import type { Successor } from "../../../db/queries/recall_slots.ts";
import {
  asksOnlyOf,
  asksOnlyOfTime,
  COLUMN,
  countTokens,
  estimateRelevance,
  evidenceConfidence,
  FEATURE_COUNT,
  type FeatureName,
  isNamed,
  type Meaning,
  type NearText,
  type Prescored,
  rank,
  readMeaning,
  type StoredData,
  TEXT_FEATURE_COUNT,
} from "../../../retrieval/mod.ts";
import type { RecallTier } from "../../../schema/recall.ts";
import { type Competing, type KnownUnit, putCurrentFirst, putNewerFirst } from "./current_first.ts";
import { cut, type Fused, type FusedResult, type SemanticHit, smoothRelevance, TEMPORAL_RELEVANCE } from "./cut.ts";
import type { GraphArm, GraphHit } from "./graph.ts";

/** The gain of the graph's surest text on the ranker's scale, if some text covers the rest of the query. */
const GRAPH_GAIN = 3;
/** The probability that the graph alone makes it relevant. */
const GRAPH_RELEVANCE = 0.8;
/** This many of the best results are checked for how much of the query they cover. */
const COVER_DEPTH = 20;
/** Shared by the many results that only the ranker found. */
const NO_GAINS = Object.freeze({ graph: 0, current: 0 });

/** The texts nearest in meaning. */
export interface SemanticArm {
  readonly hits: ReadonlyMap<number, SemanticHit>;
  readonly meaning: Meaning;
}

/**
 * @param found the nearest texts, and further ones that their meaning found
 * @param by see `readMeaning`
 * @param compared the other candidates
 */
export function toSemanticArm(
  [nearest, further]: readonly [readonly NearText[], readonly NearText[]],
  by: Parameters<typeof readMeaning>[1],
  compared: readonly NearText[],
): SemanticArm {
  const hits = [...nearest, ...further].map(({ docNo, similarity }, i) =>
    [docNo, { rank: i + 1, similarity }] as const
  );
  return { hits: new Map(hits), meaning: readMeaning(nearest, by, [...compared, ...further]) };
}

/** A document that no word of the query found. */
interface Unmatched {
  readonly docNo: number;
  readonly groupNo: number;
  readonly position: number;
  readonly speaker: string | undefined;
}

/** Adds documents that other arms found to the candidates; they have no words in common with the query, near or in them. */
export function extendCandidates(base: Prescored, extra: readonly Unmatched[]): Prescored {
  if (extra.length === 0) return base;
  const size = base.size + extra.length;
  const copy = (from: Uint32Array, value: (candidate: Unmatched) => number) => {
    const to = new Uint32Array(size);
    to.set(from.subarray(0, base.size));
    for (const [i, candidate] of extra.entries()) to[base.size + i] = value(candidate);
    return to;
  };
  const features = new Float32Array(size * FEATURE_COUNT);
  features.set(base.features.subarray(0, base.size * FEATURE_COUNT));
  for (const [i, { speaker }] of extra.entries()) {
    const named = speaker !== undefined && base.people.some((person) => isNamed(speaker, person.name));
    features[(base.size + i) * FEATURE_COUNT + COLUMN.peoplePresent] = base.people.length === 0 ? 0.5 : named ? 1 : 0;
  }
  return {
    ...base,
    size,
    features,
    docs: copy(base.docs, (candidate) => candidate.docNo),
    groups: copy(base.groups, (candidate) => candidate.groupNo),
    positions: copy(base.positions, (candidate) => candidate.position),
    matched: copy(base.matched, () => 0),
    nearby: copy(base.nearby, () => 0),
  };
}

/** Gives successors among the candidates the matches of the units that they replaced. */
export function inheritMatches(candidates: Prescored, successors: readonly Successor[]): void {
  if (successors.length === 0) return;
  const { features, matched, nearby } = candidates;
  const rowOf = new Map<number, number>();
  for (let row = 0; row < candidates.size; row++) {
    if (candidates.groups[row] === 0) rowOf.set(candidates.docs[row]!, row);
  }
  // Older units first, so that matches pass along a whole chain, whatever the order in which its members were found.
  for (
    const { docNo, successorNo } of successors.toSorted((a, b) => a.docNo - b.docNo || a.successorNo - b.successorNo)
  ) {
    const from = rowOf.get(docNo), to = rowOf.get(successorNo);
    if (from === undefined || to === undefined) continue;
    matched[to]! |= matched[from]!;
    nearby[to]! |= nearby[from]!;
    for (let column = 0; column < TEXT_FEATURE_COUNT; column++) {
      const at = to * FEATURE_COUNT + column;
      features[at] = Math.max(features[at]!, features[from * FEATURE_COUNT + column]!);
    }
  }
}

/** Inputs of `fuse` beside the candidates: the other arms, and which results the caller wants. */
interface FuseOptions {
  readonly semantic?: SemanticArm;
  readonly graph?: GraphArm;
  /** Least probability of being relevant; undefined: the cut of each kind decides. */
  readonly minScore?: number;
  /**
   * Documents of the same slot, with their ranks. The one with the first rank comes first.
   */
  readonly competing?: readonly Competing[];
  /** Returns the columns of a unit that its order depends on; undefined for a turn. */
  readonly unitOf: (docNo: number) => KnownUnit | undefined;
  /** The time that the query asks about. */
  readonly asOf: Date;
}

/** The candidates with what is known of their meaning. A successor is at least as near as what it replaced. */
export function withMeaning(
  candidates: Prescored,
  semantic: SemanticArm | undefined,
  successors: readonly Successor[],
): Prescored {
  if (semantic === undefined) return candidates;
  const { meaning } = semantic, nearness = new Map(meaning.nearness);
  for (const { docNo, successorNo } of successors) {
    const near = meaning.nearness.get(docNo);
    if (near !== undefined && near > (nearness.get(successorNo) ?? 0)) nearness.set(successorNo, near);
  }
  return { ...candidates, meaning: { ...meaning, nearness } };
}

/** Ranks the eligible candidates: those that `stored` has. Exact ties go to the newer. */
export function fuse(
  candidates: Prescored,
  stored: readonly (StoredData | undefined)[],
  { semantic, graph, minScore, competing = [], unitOf, asOf }: FuseOptions,
): Fused {
  const ranked = rank(candidates, stored);
  const relevance = estimateRelevance(candidates, ranked);
  const names = graph === undefined ? 0 : nameBits(candidates, graph);
  const cover = graph === undefined ? 0 : coverOf(candidates, ranked, graph);
  const timely = asksOnlyOfTime(candidates.plan, ({ word }) => isOneOfPeople(candidates, word));
  const sorted = ranked.map(({ doc, row, score }, index): FusedResult => {
    const hit = semantic?.hits.get(doc);
    const linked = graph?.hits.get(doc);
    const link = linkOf(candidates, row, linked);
    const tier = tierOf(candidates, row, hit, linked);
    // The estimate already counts that the candidate holds a name from the query.
    const led = linked !== undefined && linked.path.length <= 1 && (candidates.matched[row] & names) !== 0 ? 0 : link;
    const dated = tier === "lexical" && !timely ? 0 : TEMPORAL_RELEVANCE * datedFit(candidates, row, timely);
    const gains = linked === undefined ? NO_GAINS : { graph: GRAPH_GAIN * link, current: 0 };
    return {
      docNo: doc,
      row,
      tier,
      fusion: score + gains.graph,
      lexical: { rank: index + 1, score },
      semantic: hit,
      graph: linked,
      gains,
      support: anyOf(dated, GRAPH_RELEVANCE * led),
      linked: GRAPH_RELEVANCE * led * cover,
      estimated: relevance[index],
      relevance: anyOf(relevance[index], dated),
      ...(isQuoted(candidates, row) && { isQuoted: true }),
    };
  }).sort((a, b) =>
    a.isQuoted !== b.isQuoted
      ? a.isQuoted ? -1 : 1
      : a.fusion > b.fusion
      ? -1
      : a.fusion < b.fusion
      ? 1
      : b.docNo - a.docNo
  );
  const results = putCurrentFirst(
    putNewerFirst(sorted, candidates, {
      ...{ stored, unitOf, asOf },
      asksDenial: candidates.plan.cues.denial,
    }),
    competing,
  );
  const confidence = confidenceOf(candidates, results);
  for (const result of results) result.relevance = anyOf(result.relevance, result.linked);
  const relevant = minScore === undefined
    ? cut(candidates, results, graph !== undefined && asksOnlyOf(candidates.plan, graph.named))
    : results.filter((result) => result.relevance >= minScore);
  smoothRelevance(relevant);
  return { results, relevant, evidenceConfidence: confidence };
}

/** Whether a candidate holds all words of the query, and none besides. */
function isQuoted(candidates: Prescored, row: number): boolean {
  const { features, query } = candidates;
  return featureOf(candidates, row, "termsInTurn") > 0.999 && Math.round(countTokens(features, row)) <= query.count;
}

/** Whether a word of the query belongs to the name of a participant of sessions. */
function isOneOfPeople({ people }: Prescored, word: string): boolean {
  return people.some(({ name }) => name.split(" ").includes(word));
}

/**
 * How well the time of a candidate fits, if that may be a reason to return it: the query asks for nothing but events of
 * that time, or names the people who talk there. 0 if the query names people and the candidate is not about them.
 */
function datedFit(candidates: Prescored, row: number, timely: boolean): number {
  const { people, groups } = candidates;
  const isAboutPeople = people.length > 0 && featureOf(candidates, row, "peoplePresent") === 1;
  if (people.length > 0 ? !isAboutPeople : !timely) return 0;
  return timely || groups[row] !== 0 ? Math.min(1, temporalFit(candidates, row)) : 0;
}

/** The chance that at least one of two independent signals is right. */
export function anyOf(a: number, b: number): number {
  return 1 - (1 - a) * (1 - b);
}

/**
 * The share of the query that some result covers, or that names known entities, whichever is greater. If no text says
 * what the query asks about a named entity, a path over the graph does not replace it.
 */
function coverOf(candidates: Prescored, ranked: readonly { readonly row: number }[], { named }: GraphArm): number {
  const { terms } = candidates.plan;
  const weigh = (some: typeof terms) => some.reduce((sum, term) => sum + term.weight, 0);
  const names = terms.length === 0 ? 0 : weigh(terms.filter((term) => named.has(term.word))) / weigh(terms);
  return Math.max(names, ...ranked.slice(0, COVER_DEPTH).map(({ row }) => featureOf(candidates, row, "termsNearby")));
}

/** Bits of the scored terms that are names of the entities from which the graph was walked. */
function nameBits({ plan, scored }: Prescored, { named }: GraphArm): number {
  const terms = new Set(plan.terms.filter(({ word }) => named.has(word)).map(({ term }) => term));
  return scored.reduce((bits, term, t) => terms.has(term) ? bits | 1 << t : bits, 0);
}

/**
 * How surely the graph leads to a candidate. If the query names a text itself, the text answers only the part of the
 * query that is its name: all of "who is Bob?", a part of "where did Bob move the backup?".
 */
function linkOf(candidates: Prescored, row: number, hit: GraphHit | undefined): number {
  if (hit === undefined) return 0;
  return hit.path.length > 0 ? hit.score : hit.score * featureOf(candidates, row, "termsInTurn");
}

/**
 * The confidence in the answer. Texts near the same entities are no independent evidence, so only
 * the surest signal of the graph counts.
 */
function confidenceOf(candidates: Prescored, results: readonly FusedResult[]): number {
  const best = results.slice(0, 5);
  const said = evidenceConfidence(candidates, results, results.map((result) => result.relevance));
  return Math.round(anyOf(said, Math.max(0, ...best.map((result) => result.linked))) * 1_000) / 1_000;
}

function tierOf(
  candidates: Prescored,
  row: number,
  hit: SemanticHit | undefined,
  linked: GraphHit | undefined,
): RecallTier {
  if (isLexical(candidates, row)) return "lexical";
  if (temporalFit(candidates, row) > 0) return "temporal";
  if (linked !== undefined) return "graph";
  return hit === undefined ? "temporal" : "semantic";
}

/** Whether the candidate or the turns around it contain a word of the query. */
export function isLexical(candidates: Prescored, row: number): boolean {
  return candidates.matched[row] !== 0 || candidates.features[row * FEATURE_COUNT + COLUMN.proximityToBest] > 0;
}

function featureOf({ features }: Prescored, row: number, name: FeatureName): number {
  return features[row * FEATURE_COUNT + COLUMN[name]];
}

/** How well the candidate's time fits the dates of the query: 1 if it is on the named day or in the named month. */
export function temporalFit({ features }: Prescored, row: number): number {
  return Math.max(
    features[row * FEATURE_COUNT + COLUMN.onNamedDay],
    features[row * FEATURE_COUNT + COLUMN.inNamedPeriod],
  );
}
