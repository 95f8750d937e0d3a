/**
 * The inputs of the relevance estimate: numbers about one ranked result that mean the same for a
 * short question and a long message, for a store of ten facts and one of ten thousand turns.
 *
 * A long message names much that the wanted text does not hold, so a share of the whole query says
 * little. The inputs measure instead how much of the best fitting sentence the result holds, how
 * rare the shared words are, and how much of the result they make up.
 */
import { countBits } from "../terms/bits.ts";
import { knownBits, type Prescored, type QueryWeights, TellingTerms, weighTerms } from "./candidates.ts";
import { COLUMN, countTokens, FEATURE_COUNT } from "./features.ts";
import type { Ranked } from "./ranker.ts";

/** Inputs of the estimate, in the order of the columns of `readInputs`. */
export const RELEVANCE_INPUTS = {
  closenessToBest: "e^((score - best score) / 2), among results of the same kind: turns, or units.",
  closenessToBestSquared: "closenessToBest squared.",
  leadOverNext: "How far the score is above that of the next result of the same kind, at most 4, as a part of 4.",
  termsInTurn: "Weight of the query's terms in the result, as a share of the query's.",
  sentenceInTurn:
    "The same for the sentence of the query that the result holds most of; a sentence counts as weighing at least as two of the rarest terms, or as the query where that weighs less.",
  sentenceNearby: "The same within three turns.",
  termsNearby: "Weight of the query's terms within three turns, as a share of the query's.",
  rarityInTurn: "ln(1 + weight of the query's terms in the result, in terms that a single document holds).",
  rarityToBest: "That weight as a share of the greatest among the results of the same kind.",
  rarestInTurn: "The rarest of the query's terms in the result, as a share of a term that a single document holds.",
  shareOfText: "Distinct terms of the query in the result, as a share of its content tokens (at least 3).",
  namesMissing:
    "Weight of the capitalised or quoted terms that the result lacks, as a share of the weight of the query's best fitting sentence.",
  queryKnown: "Weight of the query's terms that some document holds, as a share of the query's.",
  tellingInTurn:
    "Weight of the query's terms in the result, as a share of those that some document holds and that do more than frame the question.",
  allTelling: "The same as a share of all terms that do more than frame the question, squared.",
  logTerms: "ln(1 + terms of the query) / 4.",
  longTermsInTurn: "termsInTurn · logTerms.",
  longSentence: "sentenceInTurn · logTerms.",
  longRarity: "rarityInTurn · logTerms.",
  longCloseness: "closenessToBest · logTerms.",
  proximityToQuery: "The feature.",
  termsInSession: "The feature.",
  answerKind:
    "The query asks when, where, for a title or for a number: 1 where the text holds such a thing, -1 where not.",
  saidByPerson: "The feature.",
  peopleAbsent: "People who take part in sessions are named, and not all of them take part or are named in the text.",
  meaning: "The feature.",
  meaningToBest: "The feature.",
  meaningLead: "The feature.",
  longMeaning: "meaning · logTerms.",
  meaningWithoutWords: "meaning · (1 - tellingInTurn).",
  dated: "The text is of the day or the period that the query names.",
} as const;

export type RelevanceInput = keyof typeof RELEVANCE_INPUTS;
export const RELEVANCE_INPUT_NAMES = Object.keys(RELEVANCE_INPUTS) as RelevanceInput[];
export const RELEVANCE_INPUT_COUNT = RELEVANCE_INPUT_NAMES.length;
const AT = Object.fromEntries(RELEVANCE_INPUT_NAMES.map((name, i) => [name, i])) as Record<RelevanceInput, number>;

/** A greater lead over the next result counts as this one. */
const LEAD_MAX = 4;
/** Shorter texts count as this long, so that one shared word in a text of one word is no answer. */
const TEXT_TOKENS_MIN = 3;

function rarestOf(weights: Float64Array, bits: number): number {
  let rarest = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) {
    rarest = Math.max(rarest, weights[31 - Math.clz32(rest & -rest)]);
  }
  return rarest;
}

/**
 * Finds the sentence that the bits cover best. @returns the share of it that they cover, and the
 * share of its names that they lack
 */
export function fitSentence(query: QueryWeights, bits: number): { share: number; missing: number } {
  const least = Math.min(query.total, 2 * query.rarest) || 1;
  let share = 0, missing = 0;
  for (const sentence of query.sentences) {
    const fits = weighTerms(query.terms, bits & sentence.bits) / Math.max(least, sentence.weight);
    if (fits <= share) continue;
    share = fits;
    missing = weighTerms(query.terms, sentence.bits & query.entities & ~bits) / Math.max(least, sentence.weight);
  }
  return { share, missing };
}

/**
 * The feature that says whether a text holds the kind of answer that the query asks for; undefined
 * if it asks for no kind.
 */
function answerColumn({ plan: { cues } }: Prescored): number | undefined {
  if (cues.when) return COLUMN.whenWithTime;
  if (cues.where) return COLUMN.placeLike;
  if (cues.title) return COLUMN.titleLike;
  return cues.count ? COLUMN.countWithNumber : undefined;
}

/** Values that all results of a query share. */
interface Whole {
  readonly top: number;
  readonly heaviest: number;
  readonly known: number;
  readonly logTerms: number;
  readonly answer: number | undefined;
  readonly telling: TellingTerms;
  readonly asked: TellingTerms;
}

/**
 * The inputs of the ranked results, in their order, as rows of `RELEVANCE_INPUT_COUNT` columns. The
 * features must be complete (see `rank`). Turns are compared with turns, and units with units: what a
 * fact is worth does not depend on the talk that is remembered beside it.
 */
export function readInputs(candidates: Prescored, ranked: readonly Pick<Ranked, "row" | "score">[]): Float64Array {
  const { query, groups } = candidates;
  const out = new Float64Array(ranked.length * RELEVANCE_INPUT_COUNT);
  const whole = {
    telling: new TellingTerms(candidates, "known"),
    asked: new TellingTerms(candidates),
    known: weighTerms(query.terms, knownBits(candidates)) / (query.total || 1),
    logTerms: Math.log(1 + query.count) / 4,
    answer: answerColumn(candidates),
  };
  for (const isUnit of [true, false]) {
    const places = ranked.flatMap(({ row }, i) => (groups[row] === 0) === isUnit ? [i] : []);
    fillKind(out, candidates, places.map((place) => ({ ...ranked[place]!, place })), whole);
  }
  return out;
}

/** Fills in the inputs of the ranked results of one kind. */
function fillKind(
  out: Float64Array,
  candidates: Prescored,
  ranked: readonly (Pick<Ranked, "row" | "score"> & { readonly place: number })[],
  shared: Omit<Whole, "top" | "heaviest">,
): void {
  const { query, matched } = candidates;
  const heaviest = ranked.reduce((most, { row }) => Math.max(most, weighTerms(query.terms, matched[row])), 0);
  const whole = { ...shared, heaviest, top: ranked[0]?.score ?? 0 };
  for (const [i, { row, score, place }] of ranked.entries()) {
    const next = i + 1 < ranked.length ? ranked[i + 1]!.score : score - LEAD_MAX;
    fillRow(out, place * RELEVANCE_INPUT_COUNT, candidates, row, score, next, whole);
  }
}

function fillRow(
  out: Float64Array,
  at: number,
  { features, matched, nearby, people, query }: Prescored,
  row: number,
  score: number,
  next: number,
  { top, heaviest, known, logTerms, answer, telling, asked }: Whole,
): void {
  const base = row * FEATURE_COUNT, rarest = query.rarest || 1, total = query.total || 1;
  const own = weighTerms(query.terms, matched[row]);
  const sentence = fitSentence(query, matched[row]);
  const near = nearby[row] === matched[row] ? sentence : fitSentence(query, nearby[row]);
  const closeness = Math.exp((score - top) / 2);
  const rarity = Math.log(1 + own / rarest);
  const tokens = Math.max(TEXT_TOKENS_MIN, countTokens(features, row));
  out[at + AT.closenessToBest] = closeness;
  out[at + AT.closenessToBestSquared] = closeness ** 2;
  out[at + AT.leadOverNext] = Math.min(1, Math.max(0, score - next) / LEAD_MAX);
  out[at + AT.termsInTurn] = own / total;
  out[at + AT.sentenceInTurn] = sentence.share;
  out[at + AT.sentenceNearby] = near.share;
  out[at + AT.termsNearby] = weighTerms(query.terms, nearby[row]) / total;
  out[at + AT.rarityInTurn] = rarity;
  out[at + AT.rarityToBest] = heaviest > 0 ? own / heaviest : 0;
  out[at + AT.rarestInTurn] = rarestOf(query.terms, matched[row]) / rarest;
  out[at + AT.shareOfText] = Math.min(1, countBits(matched[row]) / tokens);
  out[at + AT.namesMissing] = sentence.missing;
  out[at + AT.queryKnown] = known;
  out[at + AT.tellingInTurn] = telling.share(matched[row]);
  out[at + AT.allTelling] = asked.share(matched[row]) ** 2;
  out[at + AT.logTerms] = logTerms;
  out[at + AT.longTermsInTurn] = own / total * logTerms;
  out[at + AT.longSentence] = sentence.share * logTerms;
  out[at + AT.longRarity] = rarity * logTerms;
  out[at + AT.longCloseness] = closeness * logTerms;
  out[at + AT.proximityToQuery] = features[base + COLUMN.proximityToQuery];
  out[at + AT.termsInSession] = features[base + COLUMN.termsInSession];
  out[at + AT.answerKind] = answer === undefined ? 0 : features[base + answer] > 0 ? 1 : -1;
  out[at + AT.saidByPerson] = features[base + COLUMN.saidByPerson];
  out[at + AT.peopleAbsent] = people.length > 0 && features[base + COLUMN.peoplePresent] < 1 ? 1 : 0;
  out[at + AT.meaning] = features[base + COLUMN.meaning];
  out[at + AT.meaningToBest] = features[base + COLUMN.meaningToBest];
  out[at + AT.meaningLead] = features[base + COLUMN.meaningLead];
  out[at + AT.longMeaning] = features[base + COLUMN.meaning] * logTerms;
  out[at + AT.meaningWithoutWords] = features[base + COLUMN.meaning] * (1 - out[at + AT.tellingInTurn]);
  out[at + AT.dated] = Math.max(features[base + COLUMN.onNamedDay], features[base + COLUMN.inNamedPeriod]);
}
