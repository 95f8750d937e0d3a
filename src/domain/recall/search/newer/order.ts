/**
 * Which newer statement goes above an older one about the same matter, under a question: a logistic model over the features of
 * `features.ts`. `scripts/train/newer.ts` fits it, on pairs of which one is an update and on pairs that both stay true,
 * and prints the curve on which the threshold stands. Pure.
 */
import { ownWords } from "../../../../language/reported_speech.ts";
import type { FilteredStatement, NewerSource } from "../store.ts";
import {
  type LinkStrength,
  ORDER_FEATURES,
  readOrderFeatures,
  readQuestion,
  readText,
  type SeenStatement,
} from "./features.ts";
import shipped from "./weights.json" with { type: "json" };

/** A fitted model: its weights in the order of `ORDER_FEATURES`. */
export interface FittedOrder {
  readonly bias: number;
  readonly weights: readonly number[];
  /** From this chance on the newer statement goes above. */
  readonly aboveMin: number;
}

/** Of several that go above, the latest told does whose chance is hardly less than the best one. */
const HARDLY_LESS = 0.8;
const SHIPPED: FittedOrder = {
  bias: shipped.bias,
  weights: ORDER_FEATURES.map((feature) => shipped.weights[feature]),
  aboveMin: 0.5,
};

/** A linked statement that may go above. */
interface Linked extends LinkStrength {
  readonly told: FilteredStatement;
}

/** The model under one question. It reads each text once. */
export class OrderModel {
  readonly #question;
  readonly #seen = new Map<string, SeenStatement>();

  /** @param scores of the results, by id */
  constructor(
    query: string,
    readonly source: Pick<NewerSource, "nearness">,
    readonly scores: ReadonlyMap<string, number>,
    readonly fitted: FittedOrder = SHIPPED,
  ) {
    this.#question = readQuestion(query);
  }

  /** The one of some newer statements that answers the question instead of the older one; undefined: none. */
  pickAbove<L extends Linked>(older: FilteredStatement, newer: readonly L[]): L | undefined {
    if (this.#question.asksFormer) return undefined;
    const judged = newer.filter(({ told }) => !this.#isAskedFor(older, told))
      .map((linked) => ({ linked, chance: this.chanceOf(older, linked) }));
    const least = Math.max(this.fitted.aboveMin, HARDLY_LESS * Math.max(0, ...judged.map(({ chance }) => chance)));
    return judged.filter(({ chance }) => chance >= least)
      .sort((a, b) => b.linked.told.at - a.linked.told.at || b.chance - a.chance)[0]?.linked;
  }

  /** Whether the question is made of words of the older statement, such as a code or a name, and the newer one has none. */
  #isAskedFor(older: FilteredStatement, newer: FilteredStatement): boolean {
    const { words } = this.#question;
    return words.size > 0 && words.isSubsetOf(this.#see(older).words) && words.isDisjointFrom(this.#see(newer).words);
  }

  /** The chance that a newer statement answers the question instead of the older one. */
  chanceOf(older: FilteredStatement, newer: Linked): number {
    const features = this.featuresOf(older, newer);
    const sum = features.reduce((sum, value, i) => sum + value * this.fitted.weights[i]!, this.fitted.bias);
    return 1 / (1 + Math.exp(-sum));
  }

  featuresOf(older: FilteredStatement, newer: Linked): number[] {
    return readOrderFeatures(this.#question, this.#see(older), this.#see(newer.told), newer);
  }

  #see({ docNo, text: { tripleKey }, result: { id, text }, at }: FilteredStatement): SeenStatement {
    const known = this.#seen.get(id);
    if (known !== undefined) return known;
    const seen = {
      ...readText(ownWords(text)),
      at,
      nearness: this.source.nearness(docNo),
      tripleKey,
      score: this.scores.get(id),
    };
    this.#seen.set(id, seen);
    return seen;
  }
}
