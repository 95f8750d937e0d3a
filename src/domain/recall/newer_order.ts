/**
 * Whether a newer statement goes above the older one about the same matter, under a question: a logistic model over the
 * signs of `newer_signs.ts`. `scripts/train/newer.ts` fits it, on pairs of which one is an update and on pairs that both stay
 * true, and prints the curve on which the threshold stands. Pure.
 */
import { ORDER_SIGNS, readOrderSigns, type SeenStatement } from "./newer_signs.ts";
import model from "./newer_weights.json" with { type: "json" };

/** From this chance on the newer statement goes above: two of three updates do, and few of the pairs that stay true. */
const ABOVE_MIN = 0.8;
const WEIGHTS = ORDER_SIGNS.map((sign) => model.weights[sign]);

/** @param strength that of the link between the two */
export function goesAbove(question: string, older: SeenStatement, newer: SeenStatement, strength: number): boolean {
  const signs = readOrderSigns(question, older, newer, strength);
  const sum = signs.reduce((sum, value, i) => sum + value * WEIGHTS[i]!, model.bias);
  return 1 / (1 + Math.exp(-sum)) >= ABOVE_MIN;
}
