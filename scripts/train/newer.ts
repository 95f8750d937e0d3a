/**
 * Fits the model that says whether a newer statement answers a question instead of the older one about the same matter
 * (`src/domain/recall/newer_order.ts`), on pairs in people's words, and writes its weights.
 *
 *     deno run -A scripts/train/newer.ts [--data FILE] [--dry]
 *
 * It prints the whole curve, by five folds: for each threshold, how often the right statement of a pair comes first, if the
 * newer one goes above where the model says so and otherwise the nearer one is first. `--dry` writes nothing.
 */
import { parseArgs } from "node:util";
import { ORDER_SIGNS, readOrderSigns } from "../../src/domain/recall/newer_signs.ts";
import { SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { analyseText, PSEUDO_PREFIX, seemsEnglish } from "../../src/retrieval/mod.ts";
import { formatTable } from "../bench/_bench.ts";
import { type NewerPair, readNewerSet, type Side } from "../bench/_newer_set.ts";
import { fitLogistic, type Fitted, predict, type Sample } from "./logistic.ts";

const FOLDS = 5, RIDGE = 3;
const THRESHOLDS = [0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1];
const WEIGHTS = new URL("../../src/domain/recall/newer_weights.json", import.meta.url);

interface Labelled {
  readonly pair: NewerPair;
  readonly sample: Sample;
  /** Whether the newer statement is the nearer one. */
  readonly isNearer: boolean;
}

function saidBy(pair: NewerPair, side: Side): { readonly text: string; readonly at: number } {
  if (pair.told === "facts") return { text: pair[side].text, at: Date.parse(pair[side].at) };
  const [place, turn] = pair[side];
  const session = pair.sessions[place]!;
  return { text: session.turns[turn]!.content, at: Date.parse(session.at) };
}

function cosine(a: Float32Array, b: Float32Array): number {
  let product = 0, ofA = 0, ofB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! ** 2;
    ofB += b[i]! ** 2;
  }
  return product / Math.sqrt(ofA * ofB);
}

function wordsOf(text: string): Set<string> {
  return new Set(analyseText(text).terms.filter((term) => !term.startsWith(PSEUDO_PREFIX)));
}

/** The strength that `src/domain/unit/newer.ts` gives a link of two statements whose common words are rare. */
function strengthOf(older: string, newer: string, nearness: number): number {
  const [a, b] = [wordsOf(older), wordsOf(newer)];
  return 0.4 * a.intersection(b).size / Math.sqrt(Math.max(3, Math.min(a.size, b.size))) + nearness;
}

async function label(pairs: readonly NewerPair[]): Promise<Labelled[]> {
  const encoder = new SentenceEncoder({ dimension: 256, mode: "on" });
  const texts = pairs.flatMap((pair) => [saidBy(pair, "older").text, saidBy(pair, "newer").text, pair.question]);
  const vectors = await encoder.embed(texts, { purpose: "document" });
  return pairs.map((pair, i) => {
    const [older, newer, question] = vectors.slice(3 * i, 3 * i + 3) as [Float32Array, Float32Array, Float32Array];
    const [before, after] = [saidBy(pair, "older"), saidBy(pair, "newer")];
    // A question in another language has no vector.
    const isRead = seemsEnglish(pair.question);
    const [ofOlder, ofNewer] = [cosine(older, question), cosine(newer, question)];
    const signs = readOrderSigns(
      pair.question,
      { ...before, nearness: isRead ? ofOlder : undefined },
      { ...after, nearness: isRead ? ofNewer : undefined },
      strengthOf(before.text, after.text, cosine(older, newer)),
    );
    const sample: Sample = { inputs: Float64Array.from(signs), label: pair.right === "newer" ? 1 : 0, weight: 1 };
    return { pair, sample, isNearer: ofNewer > ofOlder };
  });
}

/** The chance that each pair gets from a model that was fitted without it. */
function crossValidate(labelled: readonly Labelled[]): number[] {
  const foldOf = (place: number) => place % FOLDS;
  const models = Array.from(
    { length: FOLDS },
    (_, fold) => fitLogistic(labelled.flatMap(({ sample }, place) => foldOf(place) === fold ? [] : sample), RIDGE),
  );
  return labelled.map(({ sample }, place) => predict(models[foldOf(place)]!, sample.inputs));
}

function printCurve(labelled: readonly Labelled[], chances: readonly number[]): void {
  const groups: readonly (readonly [string, (pair: NewerPair) => boolean])[] = [
    ["updates, facts", ({ kind, told }) => kind === "update" && told === "facts"],
    ["updates, turns", ({ kind, told }) => kind === "update" && told === "turns"],
    ["updates, other languages", ({ kind, language }) => kind === "update" && language !== "en"],
    ["compatible", ({ kind }) => kind === "compatible"],
  ];
  const rows = THRESHOLDS.map((threshold) => [
    threshold === 1 ? "never" : String(threshold),
    ...groups.map(([, isOf]) => {
      const own = labelled.map((one, i) => ({ ...one, chance: chances[i]! })).filter(({ pair }) => isOf(pair));
      const right = own.filter(({ pair, chance, isNearer }) =>
        (chance >= threshold || isNearer) === (pair.right === "newer")
      );
      return `${Math.round(100 * right.length / own.length)} %`;
    }),
  ]);
  console.log(formatTable(["above from", ...groups.map(([name]) => name)], rows));
}

function describe({ bias, weights }: Fitted): object {
  const round = (value: number) => Math.round(value * 1e4) / 1e4;
  return { bias: round(bias), weights: Object.fromEntries(ORDER_SIGNS.map((sign, i) => [sign, round(weights[i]!)])) };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { data: { type: "string" }, dry: { type: "boolean" } } });
  const file = options.data ?? new URL("../../tests/data/newer/fit.json", import.meta.url);
  const labelled = await label(await readNewerSet(file));
  printCurve(labelled, crossValidate(labelled));
  const model = describe(fitLogistic(labelled.map(({ sample }) => sample), RIDGE));
  console.log(JSON.stringify(model, null, 2));
  if (options.dry !== true) await Deno.writeTextFile(WEIGHTS, `${JSON.stringify(model, null, 2)}\n`);
}

if (import.meta.main) {
  await main();
  // The transformer keeps threads.
  Deno.exit(0);
}
