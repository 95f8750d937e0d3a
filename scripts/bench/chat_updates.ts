/**
 * Measures by rules alone, without a service, what becomes of updates that people tell an assistant in passing
 * (`tests/data/updates/chat_*.psv`): each turn is collapsed by itself, and the statements of the newer one are held against
 * those of the older one.
 *
 *     deno run -A scripts/bench/chat_updates.ts [--list]
 *
 * With `--list` the pairs that fail are shown with what was kept of them, of the tuning half only.
 */
import { parseArgs } from "node:util";
import { type Outcome, scoreCompatible, scoreUpdate, strongest, tellPair } from "../../tests/_chat_updates.ts";
import {
  type ChatPair,
  type Half,
  halfOf,
  readChatCompatible,
  readChatUpdates,
  readFurtherChatCompatible,
  readFurtherChatUpdates,
} from "../../tests/_updates.ts";
import { formatTable } from "./_bench.ts";

const HALVES: readonly Half[] = ["tuning", "held"];

function show(id: string, why: string, { older, newer, found }: Outcome): void {
  console.log(`\n${id}: ${why}`);
  for (const statement of older) console.log(`  - ${statement}`);
  for (const statement of newer) console.log(`  + ${statement}`);
  for (const one of found) console.log(`  ${one.relation}: ${one.newer} / ${one.older}`);
}

function describe(name: string, pairs: readonly ChatPair[]): (string | number)[] {
  const outcomes = pairs.map(tellPair);
  const countOf = (relation: string) => outcomes.filter((outcome) => strongest(outcome) === relation).length;
  const taken = outcomes.filter(({ together }) => together.outdated.length > 0).length;
  return [name, pairs.length, countOf("ends"), countOf("outdates"), taken];
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { list: { type: "boolean" } } });
  const updates = (await readChatUpdates()).map((pair) => {
    const outcome = tellPair(pair);
    return { pair, outcome, score: scoreUpdate(pair, outcome), half: halfOf(pair.id) };
  });
  const compatible = (await readChatCompatible()).map((pair) => {
    const outcome = tellPair(pair);
    return { pair, outcome, score: scoreCompatible(outcome), half: halfOf(pair.id) };
  });
  for (const half of HALVES) {
    const told = updates.filter((one) => one.half === half);
    const count = (of: typeof told) => [
      of.length,
      of.filter(({ score }) => score.areKept).length,
      of.filter(({ score }) => score.relation === "ends").length,
      of.filter(({ score }) => score.relation === "outdates").length,
      of.filter(({ score }) => score.isWronglyEnded).length,
      of.filter(({ score }) => score.isSettled).length,
    ];
    const byRespect = [...Map.groupBy(told, ({ pair }) => pair.respect)].map(([name, of]) => [name, ...count(of)]);
    const header = [`updates, ${half}`, "pairs", "both kept", "ended", "marked", "wrongly ended", "settled together"];
    console.log(formatTable(header, [...byRespect, ["all", ...count(told)]]));
    const alike = compatible.filter((one) => one.half === half);
    const row = [
      "all",
      alike.length,
      alike.filter(({ score }) => score.relation === "ends").length,
      alike.filter(({ score }) => score.relation === "outdates").length,
      alike.filter(({ score }) => !score.areBothKept).length,
    ];
    console.log(formatTable([`compatible, ${half}`, "pairs", "ended", "marked", "taken back together"], [row]));
  }
  console.log(formatTable(["further chat pairs", "pairs", "ended", "marked", "taken back together"], [
    describe("updates", await readFurtherChatUpdates()),
    describe("compatible", await readFurtherChatCompatible()),
  ]));
  if (options.list !== true) return;
  for (const { pair, outcome, score, half } of updates) {
    if (half !== "tuning") continue;
    if (!score.areKept) show(pair.id, "not both kept", outcome);
    else if (score.relation === "none") show(pair.id, "neither ended nor marked", outcome);
    else if (score.isWronglyEnded) show(pair.id, "wrongly ended", outcome);
  }
  for (const { pair, outcome, score, half } of compatible) {
    if (half !== "tuning") continue;
    if (score.relation !== "none") show(pair.id, "compatible", outcome);
    if (!score.areBothKept) show(pair.id, `taken back together: ${outcome.together.outdated.join(" / ")}`, outcome);
  }
}

if (import.meta.main) await main();
