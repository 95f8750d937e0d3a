/**
 * Measures what a question finds of two statements that people told at different times: an update and what it makes outdated,
 * or two that stay true. Facts are told one by one; turns in sessions, which are then collapsed. The pairs share a
 * workspace by the lot, in the order of their times.
 *
 *     deno run -A scripts/bench/newer.ts [--data FILE] [--lot 25] [--told facts|turns] [--min-score 0]
 *         [--most N] [--list] [--json FILE]
 *
 * `alone`: of an update, the outdated statement is shown without its newer one: that is not above it, and the result has
 * neither a pointer to it nor a verdict. `right first`: what answers the question is shown, above the other one. `verdicts`:
 * one of the two was superseded or contested, or is shown as outdated. `pointers`: results of a page with a pointer.
 * `--min-score 0` asks for the ten best, whatever the relevance cut keeps.
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import {
  type Ask,
  clientOf,
  type Json,
  type NewerPair,
  readNewerSet,
  type Side,
  tellPairs,
  type Voices,
} from "./_newer_set.ts";
import { type BenchService, parseDatabase, startBenchService } from "./_service.ts";

/** What the issue of outdated statements allows, in shares: facts, turns. */
const ALONE_MAX = { facts: 0.1, turns: 0.2 }, FIRST_MIN = { facts: 0.65, turns: 0.55 };
const FOREIGN_FIRST_MIN = 0.7, COMPATIBLE_FIRST_MIN = 0.9, VERDICTS_MAX = 0.01, POINTERS_MAX = 2;

interface Outcome {
  readonly id: string;
  readonly kind: NewerPair["kind"];
  readonly told: NewerPair["told"];
  readonly isForeign: boolean;
  /** Places of the best result of each side; -1: none. */
  readonly older: number;
  readonly newer: number;
  readonly isRightFirst: boolean;
  readonly isAlone: boolean;
  readonly hasVerdict: boolean;
  /** To what the best result of the older side points. */
  readonly pointsTo: "nothing" | "newer" | "another";
  readonly pointers: number;
}

async function measure(ask: Ask, pair: NewerPair, voices: Voices, minScore: number | undefined): Promise<Outcome> {
  const { results } = await ask("POST", "/v1/memory/recall", { query: pair.question, minScore });
  const placeOf = (side: Side) => results.findIndex(({ id }: Json) => voices.is(id, pair, side));
  const [older, newer] = [placeOf("older"), placeOf("newer")];
  const [right, wrong] = pair.right === "newer" ? [newer, older] : [older, newer];
  const shown = results[older];
  const isPointed = shown?.newer !== undefined && voices.is(shown.newer.id, pair, "newer");
  const isMarked = shown !== undefined &&
    (shown.outdatedBy !== undefined || shown.contested || shown.status === "superseded" ||
      isPointed);
  return {
    ...{ id: pair.id, kind: pair.kind, told: pair.told, isForeign: pair.language !== "en", older, newer },
    isRightFirst: right !== -1 && (wrong === -1 || right < wrong),
    isAlone: older !== -1 && (newer === -1 || older < newer) && !isMarked,
    hasVerdict: await hasVerdict(ask, pair, voices, results),
    pointsTo: isPointed ? "newer" : shown?.newer === undefined ? "nothing" : "another",
    pointers: results.filter((result: Json) => result.newer !== undefined).length,
  };
}

async function hasVerdict(ask: Ask, pair: NewerPair, voices: Voices, results: readonly Json[]): Promise<boolean> {
  const own = [...voices.idsOf(pair, "older"), ...voices.idsOf(pair, "newer")];
  const isJudged = ({ status, contested, outdatedBy }: Json) =>
    status === "superseded" || status === "contested" || contested === true || outdatedBy !== undefined;
  if (results.some((result) => own.includes(result.id) && isJudged(result))) return true;
  const { data } = own.length === 0
    ? { data: [] }
    : await ask("GET", `/v1/memory/units?${own.map((id) => `id=${id}`).join("&")}`);
  return data.some(isJudged);
}

function shareOf(outcomes: readonly Outcome[], isSo: (outcome: Outcome) => boolean): number {
  return outcomes.length === 0 ? NaN : outcomes.filter(isSo).length / outcomes.length;
}

function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${round(100 * share, 1)} %`;
}

function rowOf(name: string, outcomes: readonly Outcome[]): (string | number)[] {
  const mean = outcomes.reduce((sum, { pointers }) => sum + pointers, 0) / outcomes.length;
  return [
    name,
    outcomes.length,
    percent(shareOf(outcomes, ({ isRightFirst }) => isRightFirst)),
    percent(shareOf(outcomes, ({ kind, isAlone }) => kind === "update" && isAlone)),
    percent(shareOf(outcomes, ({ newer }) => newer !== -1)),
    percent(shareOf(outcomes, ({ hasVerdict }) => hasVerdict)),
    round(mean, 2),
  ];
}

function tabulate(outcomes: readonly Outcome[]): void {
  const rows = (["facts", "turns"] as const).flatMap((told) =>
    (["update", "compatible"] as const).flatMap((kind) => {
      const own = outcomes.filter((one) => one.told === told && one.kind === kind);
      const foreign = own.filter(({ isForeign }) => isForeign);
      return own.length === 0 ? [] : [
        rowOf(`${kind}, ${told}`, own),
        ...(foreign.length === 0 ? [] : [rowOf("  other languages", foreign)]),
      ];
    })
  );
  console.log(formatTable(["pairs", "n", "right first", "alone", "newer shown", "verdicts", "pointers"], rows));
}

/** The bounds that the outcomes miss. */
function faultsOf(outcomes: readonly Outcome[]): string[] {
  const faults: string[] = [];
  const check = (name: string, value: number, isGood: boolean) => {
    if (!Number.isNaN(value) && !isGood) faults.push(`${name} ${round(value, 3)}`);
  };
  for (const told of ["facts", "turns"] as const) {
    const updates = outcomes.filter((one) => one.told === told && one.kind === "update");
    const alone = shareOf(updates, ({ isAlone }) => isAlone),
      first = shareOf(updates, ({ isRightFirst }) => isRightFirst);
    check(`${told}: alone`, alone, alone <= ALONE_MAX[told]);
    check(`${told}: current first`, first, first >= FIRST_MIN[told]);
  }
  const isUpdate = ({ kind }: Outcome) => kind === "update";
  const compatible = outcomes.filter((one) => !isUpdate(one));
  const foreign = shareOf(outcomes.filter((one) => isUpdate(one) && one.isForeign), ({ isRightFirst }) => isRightFirst);
  check("other languages: current first", foreign, foreign >= FOREIGN_FIRST_MIN);
  const right = shareOf(compatible, ({ isRightFirst }) => isRightFirst);
  check("compatible: right first", right, right >= COMPATIBLE_FIRST_MIN);
  const verdicts = shareOf(compatible, ({ hasVerdict }) => hasVerdict);
  check("compatible: verdicts", verdicts, verdicts <= VERDICTS_MAX);
  const pointers = outcomes.reduce((sum, one) => sum + one.pointers, 0) / outcomes.length;
  check("pointers a page", pointers, pointers <= POINTERS_MAX);
  return faults;
}

async function measureLot(
  service: BenchService,
  name: string,
  pairs: readonly NewerPair[],
  minScore: number | undefined,
): Promise<Outcome[]> {
  const ask = clientOf(service.url, (await service.addWorkspace(name)).key);
  const voices = await tellPairs(ask, pairs);
  const outcomes: Outcome[] = [];
  for (const pair of pairs) outcomes.push(await measure(ask, pair, voices, minScore));
  return outcomes;
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      data: { type: "string" },
      lot: { type: "string" },
      told: { type: "string" },
      most: { type: "string" },
      "min-score": { type: "string" },
      list: { type: "boolean" },
      json: { type: "string" },
      database: { type: "string" },
    },
  });
  const machine = describeMachine();
  const file = options.data ?? new URL("../../tests/data/newer/fit.json", import.meta.url);
  const lot = parseCount("lot", options.lot, 25), most = parseCount("most", options.most, Infinity);
  const minScore = options["min-score"] === undefined ? undefined : Number(options["min-score"]);
  const pairs = (await readNewerSet(file)).slice(0, most);
  await using service = await startBenchService({ database: parseDatabase(options.database ?? "any") });
  const outcomes: Outcome[] = [];
  for (const told of ["facts", "turns"] as const) {
    const own = options.told === undefined || options.told === told ? pairs.filter((pair) => pair.told === told) : [];
    for (let at = 0; at < own.length; at += lot) {
      outcomes.push(...await measureLot(service, `${told} ${at}`, own.slice(at, at + lot), minScore));
      note(`${told}: ${Math.min(own.length, at + lot)} of ${own.length}`);
    }
  }
  tabulate(outcomes);
  if (options.list === true) {
    for (const { id, kind, told, older, newer, isRightFirst, isAlone, hasVerdict } of outcomes) {
      if (isRightFirst && !isAlone && !hasVerdict) continue;
      const marks = [!isRightFirst && "not first", isAlone && "alone", hasVerdict && "verdict"].filter(Boolean);
      note(`${id} ${kind} ${told}: older ${older}, newer ${newer}: ${marks.join(", ")}`);
    }
  }
  await writeJson(options.json, { program: "bench_newer", machine, database: service.database, outcomes });
  const faults = faultsOf(outcomes);
  if (faults.length > 0) note(`Not reached: ${faults.join("; ")}`);
}

if (import.meta.main) await main();
