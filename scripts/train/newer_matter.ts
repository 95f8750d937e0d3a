/**
 * Fits the models that say whether two linked statements speak of one matter
 * (`src/domain/recall/search/newer/matter.ts`), on links of which people said so, and writes their weights.
 *
 *     deno run -A scripts/train/newer_matter.ts [--dry]
 *
 * `tests/data/newer/links.json` has the links that some questions met; `tests/data/newer/README.md` says whose. It prints the
 * curve, by folds that each leave out workspaces: for each threshold, how many of the links from it on are about one matter,
 * and how many of all that are it keeps. `--dry` writes no weights.
 */
import { parseArgs } from "node:util";
import { LEAST_CHANCE, MATTER_FEATURES } from "../../src/domain/recall/search/newer/matter.ts";
import { formatTable } from "../bench/_bench.ts";
import { fitLogistic, type Fitted, predict } from "./logistic.ts";

const FOLDS = 6, RIDGE = 3;
const THRESHOLDS = [0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/** What a pair of statements counts that are easily confused and both stay true. */
const COMPATIBLE = 0.5;
const DATA = new URL("../../tests/data/newer/links.json", import.meta.url);
const WEIGHTS = new URL("../../src/domain/recall/search/newer/matter_weights.json", import.meta.url);

type Kind = keyof typeof LEAST_CHANCE;

/** The links that the questions of some workspaces met. */
interface LinkSet {
  readonly set: string;
  readonly workspace: number;
  readonly kind: Kind;
  /** Each link: 1 if both are about one matter, 2 if both of these stay true, else 0; then the inputs of the model. */
  readonly links: readonly (readonly number[])[];
}

interface Link {
  readonly set: string;
  readonly kind: Kind;
  readonly fold: number;
  readonly inputs: Float64Array;
  readonly label: 0 | 1;
  readonly weight: number;
}

function readLinks(sets: readonly LinkSet[]): Link[] {
  return sets.flatMap(({ set, workspace, kind, links }) =>
    links.map(([said, ...inputs]): Link => ({
      ...{ set, kind, fold: workspace % FOLDS, inputs: Float64Array.from(inputs), label: said === 0 ? 0 : 1 },
      weight: said === 2 ? COMPATIBLE : 1,
    }))
  );
}

function describe({ bias, weights }: Fitted): object {
  const round = (value: number) => Math.round(value * 1e4) / 1e4;
  return {
    bias: round(bias),
    weights: Object.fromEntries(MATTER_FEATURES.map((feature, i) => [feature, round(weights[i]!)])),
  };
}

function printCurve(kind: Kind, links: readonly Link[]): void {
  const models = Array.from(
    { length: FOLDS },
    (_, fold) => fitLogistic(links.filter((one) => one.fold !== fold), RIDGE),
  );
  const judged = links.map((one) => ({ ...one, chance: predict(models[one.fold]!, one.inputs) }));
  const sets = [...new Set(links.map(({ set }) => set))];
  const rows = THRESHOLDS.map((least) => [
    least === LEAST_CHANCE[kind] ? `${least} (shipped)` : String(least),
    ...sets.map((set) => {
      const own = judged.filter((one) => one.set === set), kept = own.filter(({ chance }) => chance >= least);
      const right = kept.filter(({ label }) => label === 1).length;
      return `${right} of ${kept.length}; all: ${own.filter(({ label }) => label === 1).length}`;
    }),
  ]);
  console.log(`\n${kind}: links about one matter, of those kept`);
  console.log(formatTable(["from", ...sets], rows));
}

if (import.meta.main) {
  const { values: options } = parseArgs({ options: { dry: { type: "boolean" } } });
  const links = readLinks(JSON.parse(await Deno.readTextFile(DATA)));
  const weights = Object.fromEntries((["facts", "talk"] as const).map((kind) => {
    const own = links.filter((one) => one.kind === kind);
    printCurve(kind, own);
    return [kind, describe(fitLogistic(own, RIDGE))];
  }));
  console.log(JSON.stringify(weights, null, 2));
  if (options.dry !== true) await Deno.writeTextFile(WEIGHTS, `${JSON.stringify(weights, null, 2)}\n`);
}
