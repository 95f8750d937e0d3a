/**
 * Whether two linked statements speak of one matter, so that a pointer from the older one to the newer one is worth
 * believing: a logistic model for statements that are told as facts, and one where a conversation has one of them.
 * `scripts/train/newer_matter.ts` fits both, on links that were read by hand, and prints the curve. Pure.
 */
import { WORDS_WEIGHT } from "../../../../db/queries/newer_links.ts";
import { ownWords } from "../../../../language/reported_speech.ts";
import { seemsEnglish } from "../../../../retrieval/mod.ts";
import type { FilteredStatement, NewerSource } from "../store.ts";
import { countChanges, NEARNESS_UNKNOWN } from "./features.ts";
import { isTalk } from "./talk.ts";
import shipped from "./matter_weights.json" with { type: "json" };

/** The inputs of the models, by name. */
export const MATTER_FEATURES = [
  "words",
  "cosine",
  "not English",
  "cosine where not English",
  "nearness of the older",
  "nearness of both",
  "nearness is known",
  "score of the older",
  "place of the newer",
  "ending or change",
  "length of the shorter",
  "length of the longer",
] as const;

/** From these chances on, a link counts. */
export const LEAST_CHANCE = { facts: 0.25, talk: 0.6 } as const;
/** From this cosine on, a link without shared words counts. */
const WORDLESS_MIN = 0.35;
const WORDS_MAX = 1.2, COSINE_MAX = 0.9, CHANGES_MAX = 2, LENGTH_MAX = 400;
/** Characters by which a text shows its language. */
const SHOWN_MAX = 200;

/** A link as it is stored: how much of rare words both texts share, and with that their cosine. */
interface StoredLink {
  readonly strength: number;
  readonly words: number;
}

/** A text as the models see it. */
interface ReadStatement {
  readonly length: number;
  readonly isEnglish: boolean;
  readonly changes: number;
}

/** A fitted model, its weights in the order of `MATTER_FEATURES`. */
interface FittedMatter {
  readonly bias: number;
  readonly weights: readonly number[];
}

const toFitted = ({ bias, weights }: typeof shipped["facts"]): FittedMatter => ({
  bias,
  weights: MATTER_FEATURES.map((feature) => weights[feature]),
});
const FITTED = { facts: toFitted(shipped.facts), talk: toFitted(shipped.talk) };

/** The models under one question. They read each text once. */
export class MatterModel {
  readonly #read = new Map<string, ReadStatement>();
  readonly #places: ReadonlyMap<string, number>;

  /** @param results what the question found, the best first */
  constructor(
    readonly source: Pick<NewerSource, "nearness">,
    results: readonly { readonly result: { readonly id: string } }[] = [],
  ) {
    this.#places = new Map(results.map(({ result: { id } }, place) => [id, place]));
  }

  /** Whether two linked statements speak of one matter. @param score that of the result from which the link leads */
  isOne(older: FilteredStatement, newer: FilteredStatement, link: StoredLink, score: number): boolean {
    // Any two texts are a little near to each other.
    if (link.words === 0 && link.strength < WORDLESS_MIN) return false;
    const kind = isTalk(older.result) || isTalk(newer.result) ? "talk" : "facts";
    const { bias, weights } = FITTED[kind];
    const sum = this.featuresOf(older, newer, link, score)
      .reduce((sum, value, i) => sum + value * weights[i]!, bias);
    return 1 / (1 + Math.exp(-sum)) >= LEAST_CHANCE[kind];
  }

  featuresOf(
    older: FilteredStatement,
    newer: FilteredStatement,
    { strength, words }: StoredLink,
    score: number,
  ): number[] {
    const [before, after] = [this.#reading(older), this.#reading(newer)];
    const cosine = Math.min(COSINE_MAX, Math.max(0, strength - WORDS_WEIGHT * words));
    const isForeign = Number(!before.isEnglish || !after.isEnglish);
    const near = [older, newer].map(({ docNo }) => this.source.nearness(docNo));
    const [nearOlder = NEARNESS_UNKNOWN, nearNewer = NEARNESS_UNKNOWN] = near;
    const place = this.#places.get(newer.result.id);
    const lengths = [before.length, after.length].map((length) => Math.log1p(Math.min(LENGTH_MAX, length)));
    return [
      Math.min(WORDS_MAX, words),
      cosine,
      isForeign,
      isForeign * cosine,
      nearOlder,
      nearOlder * nearNewer,
      Number(near[1] !== undefined),
      score,
      place === undefined ? 0 : 1 / (1 + place),
      Math.min(CHANGES_MAX, after.changes),
      Math.min(...lengths),
      Math.max(...lengths),
    ];
  }

  #reading({ result: { id, text } }: FilteredStatement): ReadStatement {
    const known = this.#read.get(id);
    if (known !== undefined) return known;
    const own = ownWords(text);
    const read = { length: own.length, isEnglish: seemsEnglish(own.slice(0, SHOWN_MAX)), changes: countChanges(own) };
    this.#read.set(id, read);
    return read;
  }
}
