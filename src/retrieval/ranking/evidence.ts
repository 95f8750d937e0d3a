/**
 * Signs of whether any result answers the query: how likely the best results are relevant, how much
 * of the query they hold together, and whether they are about the person whom the query names.
 *
 * In a conversation of two people many turns fit a question about one of them but speak of the
 * other. The ranking prefers turns of the named person and so hides this; the signals therefore use
 * the order by content alone.
 */
import { knownBits, type Prescored, weighTerms } from "./candidates.ts";
import { COLUMN, FEATURE_COUNT, FEATURE_NAMES, type FeatureName } from "./features.ts";
import { modelNameOf, type Ranked, WEIGHT_VECTORS } from "./ranker.ts";
import { fitSentence } from "./relevance_inputs.ts";

/** Inputs of the estimate of confidence, in the order of `readEvidence`. */
export const EVIDENCE_INPUTS = {
  surest: "The log-odds of the likeliest of the best five results, within ±6, as a part of 4.",
  anyOfFive: "The same of the chance that any of the best five is relevant.",
  termsTogether: "Weight of the query's terms in the best five results together, as a share of the query's.",
  sentenceTogether: "The same for the sentence of the query that they hold most of.",
  sentenceNearby: "The same within three turns of them.",
  bestTerms: "The greatest termsInTurn of the best five.",
  bestNearby: "The greatest termsNearby of the best five.",
  bestProximity: "The greatest proximityToQuery of the best five.",
  bestSession: "The greatest termsInSession of the best five.",
  bestScore: "The ranker's score of the best result, as a part of 20.",
  namesUnknown: "Weight of capitalised or quoted terms that no document holds, as a share of the query's.",
  namesMissing: "The share of that sentence that is names which the best five lack.",
  queryKnown: "Weight of the query's terms that some document holds, as a share of the query's.",
  logTerms: "ln(1 + terms of the query) / 4.",
  nearest: "The greatest meaning of the best five.",
  nearestOfAll: "The meaning of the nearest text.",
  nearestLead: "How far that is above the tenth nearest text's.",
  memorySize: "The inverse document frequency of a term that one document holds, as a part of 10.",
  nearestInSize: "nearest · memorySize: in a large memory some text is near to anything.",
  leadInSize: "nearestLead · memorySize.",
  peopleAbsent: "People are named, and not all of them take part in the session of the best result.",
  personNamed: "One person is named who takes part.",
  personMass:
    "The share of e^score, by content alone, of turns of the person who is named, less a half; 0 where not one is named.",
  personLead:
    "How far the best turn of that person is above the best of another by content alone, within ±4, as a part of 4.",
  personTerms: "Greatest share of the query in one turn of that person, less that of another's turns.",
  personNear: "The same of the sum over their two best turns' proximity to the query.",
  personMeaning: "The greatest meaning of that person's turns, less that of others' turns.",
  personTells: "The share of e^score of turns of that person that speak in the first person.",
  otherTells: "The same of turns of others.",
} as const;

export type EvidenceInput = keyof typeof EVIDENCE_INPUTS;
export const EVIDENCE_INPUT_NAMES = Object.keys(EVIDENCE_INPUTS) as EvidenceInput[];

/** Larger leads count as this one. */
const LEAD_MAX = 4;
/** Only this many of the best results count. */
const BEST = 5;
/** Marks the features that say who spoke; the order by content ignores them. */
const isAboutSpeaker = FEATURE_NAMES.map((name) => /^(?:list)?saidBy/i.test(name));

function scoreOf(weights: Float64Array, features: Float32Array, row: number): number {
  let score = 0;
  for (let f = 0, at = row * FEATURE_COUNT; f < FEATURE_COUNT; f++) score += weights[f] * features[at + f];
  return score;
}

function logOdds(probability: number): number {
  const p = Math.min(0.9999, Math.max(0.0001, probability));
  return Math.max(-6, Math.min(6, Math.log(p / (1 - p)))) / 4;
}

/**
 * The values of `EVIDENCE_INPUTS` for the ranked results of one kind (turns or documents), best
 * first; undefined if there are none. `relevance` runs parallel to `ranked`.
 */
export function readEvidence(
  candidates: Prescored,
  ranked: readonly Pick<Ranked, "row">[],
  relevance: ArrayLike<number>,
  weights: Float64Array = WEIGHT_VECTORS[modelNameOf(candidates)],
): Float64Array | undefined {
  if (ranked.length === 0) return undefined;
  const { query, people, features } = candidates;
  const total = query.total || 1;
  let surest = 0, none = 1, matched = 0, nearby = 0;
  for (let i = 0; i < Math.min(BEST, ranked.length); i++) {
    surest = Math.max(surest, relevance[i]);
    none *= 1 - relevance[i];
    matched |= candidates.matched[ranked[i].row];
    nearby |= candidates.nearby[ranked[i].row];
  }
  const best = ranked.slice(0, BEST);
  const greatest = (name: FeatureName) =>
    best.reduce((most, { row }) => Math.max(most, features[row * FEATURE_COUNT + COLUMN[name]]), 0);
  const known = knownBits(candidates);
  const together = fitSentence(query, matched);
  const present = features[ranked[0].row * FEATURE_COUNT + COLUMN.peoplePresent];
  const nearest = greatest("meaning"), size = query.rarest / 10;
  const lead = candidates.meaning === undefined ? 0 : candidates.meaning.best - candidates.meaning.tenth;
  const values: Record<EvidenceInput, number> = {
    surest: logOdds(surest),
    anyOfFive: logOdds(1 - none),
    termsTogether: weighTerms(query.terms, matched) / total,
    sentenceTogether: together.share,
    sentenceNearby: fitSentence(query, nearby).share,
    bestTerms: greatest("termsInTurn"),
    bestNearby: greatest("termsNearby"),
    bestProximity: greatest("proximityToQuery"),
    bestSession: greatest("termsInSession"),
    bestScore: scoreOf(weights, features, ranked[0].row) / 20,
    namesUnknown: weighTerms(query.terms, query.entities & ~known) / total,
    namesMissing: together.missing,
    queryKnown: weighTerms(query.terms, known) / total,
    logTerms: Math.log(1 + query.count) / 4,
    nearest,
    nearestOfAll: candidates.meaning?.best ?? 0,
    nearestLead: lead,
    memorySize: size,
    nearestInSize: nearest * size,
    leadInSize: lead * size,
    peopleAbsent: people.length > 0 && present < 1 ? 1 : 0,
    ...readPerson(candidates, ranked, weights),
  };
  return Float64Array.from(EVIDENCE_INPUT_NAMES, (name) => values[name]);
}

type PersonInputs = Pick<
  Record<EvidenceInput, number>,
  | "personNamed"
  | "personMass"
  | "personLead"
  | "personTerms"
  | "personNear"
  | "personMeaning"
  | "personTells"
  | "otherTells"
>;

const NOBODY: PersonInputs = {
  personNamed: 0,
  personMass: 0,
  personLead: 0,
  personTerms: 0,
  personNear: 0,
  personMeaning: 0,
  personTells: 0,
  otherTells: 0,
};

/** One side of a conversation: the person who is named, or the others. */
interface Side {
  mass: number;
  telling: number;
  best: number;
  terms: number;
  meaning: number;
  /** The two greatest proximities, the greatest first. */
  near: [number, number];
}

/**
 * Compares the turns of the named person with those of the others; all zeros unless one is named.
 */
function readPerson(
  candidates: Prescored,
  ranked: readonly Pick<Ranked, "row">[],
  weights: Float64Array,
): PersonInputs {
  const { features, people, groups } = candidates;
  if (people.length !== 1) return NOBODY;
  const content = weights.map((weight, f) => isAboutSpeaker[f] ? 0 : weight);
  const rows: number[] = [], scores: number[] = [];
  let top = -Infinity;
  for (let i = 0; i < ranked.length; i++) {
    const row = ranked[i].row;
    if (groups[row] === 0 || features[row * FEATURE_COUNT + COLUMN.peoplePresent] < 1) continue;
    const score = scoreOf(content, features, row);
    rows.push(row);
    scores.push(score);
    top = Math.max(top, score);
  }
  if (rows.length === 0) return NOBODY;
  const own: Side = { mass: 0, telling: 0, best: top - LEAD_MAX, terms: 0, meaning: 0, near: [0, 0] };
  const other: Side = { ...own, near: [0, 0] };
  for (let i = 0; i < rows.length; i++) {
    const at = rows[i] * FEATURE_COUNT;
    const side = features[at + COLUMN.saidByPerson] > 0 ? own : other;
    const mass = Math.exp(scores[i] - top);
    side.mass += mass;
    if (features[at + COLUMN.firstPersonWords] > 0) side.telling += mass;
    side.best = Math.max(side.best, scores[i]);
    side.terms = Math.max(side.terms, features[at + COLUMN.termsInTurn]);
    side.meaning = Math.max(side.meaning, features[at + COLUMN.meaning]);
    const near = features[at + COLUMN.proximityToQuery];
    if (near > side.near[0]) side.near = [near, side.near[0]];
    else if (near > side.near[1]) side.near[1] = near;
  }
  const all = own.mass + other.mass;
  return {
    personNamed: 1,
    personMass: own.mass / all - 0.5,
    personLead: (own.best - other.best) / LEAD_MAX,
    personTerms: own.terms - other.terms,
    personNear: own.near[0] + own.near[1] - other.near[0] - other.near[1],
    personMeaning: own.meaning - other.meaning,
    personTells: own.telling / all,
    otherTells: other.telling / all,
  };
}
