/**
 * Fits the model that says which newer statement answers a question instead of the older one about the same matter
 * (`src/domain/recall/search/newer/order.ts`), on what a service shows for questions of people, and writes its weights.
 *
 *     deno run -A scripts/train/newer.ts [--data FILE] [--pages FILE] [--dry]
 *
 * It prints the whole curve, by five folds: for each threshold, how often the right statement of a pair comes first among
 * the results that a reply offers (`cut`), and among the ten best (`uncut`). `--pages` keeps in a file what the service
 * showed, and reads it from there the next time. `--dry` writes no weights.
 */
import { parseArgs } from "node:util";
import { TokenBudget } from "../../src/domain/common/tokens.ts";
import { addNewer, COMPARED_MAX, listNewer } from "../../src/domain/recall/search/newer/newer.ts";
import { MatterModel } from "../../src/domain/recall/search/newer/matter.ts";
import { type FittedOrder, OrderModel } from "../../src/domain/recall/search/newer/order.ts";
import { ORDER_FEATURES } from "../../src/domain/recall/search/newer/features.ts";
import type { RecallRequest } from "../../src/domain/recall/search/request.ts";
import type { FilteredStatement, NewerSource } from "../../src/domain/recall/search/store.ts";
import { formatTable } from "../bench/_bench.ts";
import { fitLogistic, type Fitted, type Sample } from "./logistic.ts";
import { collectPages, type Lot, type Page, type Ranked, type StoredText } from "./newer_pages.ts";

const FOLDS = 5, RIDGE = 3;
const THRESHOLDS = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 1.01];
const WEIGHTS = new URL("../../src/domain/recall/search/newer/weights.json", import.meta.url);
const AS_OF = new Date("2101-01-01T00:00:00Z");

/** What a page of each set counts. The plain pairs are many and alike; of the paraphrases none is an update. */
const SET_WEIGHTS = { people: 1, paraphrases: 0.3, plain: 0.15 } as const;
/** What a page counts once more as it is where no encoder reads the question. */
const UNREAD = 0.5;
/** What two linked statements count of which one is of another matter than the question, and if both are. */
const ONE_OWN = 0.3, NONE_OWN = 0.03;

type SetName = keyof typeof SET_WEIGHTS;
type Sets = Readonly<Record<SetName, readonly Lot[]>>;

interface Case {
  readonly set: SetName;
  readonly lot: Lot;
  readonly page: Page;
  readonly fold: number;
}

function toTold({ docNo, at, tripleKey = null, trust: trustScore, status, ...said }: StoredText): FilteredStatement {
  const result = { ...said, score: 0, trustScore, contested: status === "contested" };
  return { docNo, at, text: { tripleKey }, result } as unknown as FilteredStatement;
}

/** The links and texts of a lot as a search reads them for a question. */
function sourceOf({ texts, links }: Lot, { near }: Page): NewerSource {
  const byId = new Map(texts.filter(({ status }) => status !== "superseded").map((text) => [text.id, toTold(text)]));
  const ofOlder = Map.groupBy(links, ({ older }) => older);
  const turns = new Map(texts.map(({ id, sessionId, messageId }) => [`${sessionId} ${messageId}`, id]));
  const idOf = new Map(texts.map(({ id, docNo }) => [docNo, id]));
  return {
    linksOf: (id) => (ofOlder.get(id) ?? []).map(({ newer: id, strength, words }) => ({ id, strength, words })),
    turnOf: (sessionId, messageId) => turns.get(`${sessionId} ${messageId}`),
    find: (id) => byId.get(id),
    nearness: (docNo) => near[idOf.get(docNo)!],
  };
}

/** The statements that the model compares under a question, each with whether the newer one is the answer. */
function samplesOf(one: Case): Sample[] {
  const isRead = Object.keys(one.page.near).length > 0;
  return isRead
    ? [...readSamples(one, 1), ...readSamples({ ...one, page: { ...one.page, near: {} } }, UNREAD)]
    : readSamples(one, 1);
}

function readSamples({ set, lot, page }: Case, times: number): Sample[] {
  const source = sourceOf(lot, page), scores = new Map(page.all.map(({ id, score }) => [id, score]));
  const model = new OrderModel(page.question, source, scores), matter = new MatterModel(source);
  const right = new Set(page[page.right]), own = new Set([...page.older, ...page.newer]);
  return page.all.flatMap(({ id }): Sample[] => {
    const older = source.find(id);
    const linked = older === undefined
      ? []
      : listNewer(older, source, { asOf: AS_OF, score: 0, matter }).slice(0, COMPARED_MAX);
    return linked.flatMap((newer) => {
      const newerId = newer.told.result.id, isAnswer = right.has(newerId);
      if (isAnswer && right.has(id)) return [];
      const share = own.has(id) && own.has(newerId) ? 1 : isAnswer || right.has(id) ? ONE_OWN : NONE_OWN;
      const inputs = Float64Array.from(model.featuresOf(older!, newer));
      return [{ inputs, label: isAnswer ? 1 : 0, weight: times * SET_WEIGHTS[set] * share }];
    });
  });
}

/** Whether the right statement is shown, above the other one. */
function isRightFirst(
  { lot, page }: Pick<Case, "lot" | "page">,
  list: readonly Ranked[],
  fitted: Fitted,
  aboveMin: number,
): boolean {
  const source = sourceOf(lot, page);
  const results = list.flatMap(({ id, ...shown }) => {
    const told = source.find(id);
    return told === undefined ? [] : [{ ...told, result: { ...told.result, ...shown } as FilteredStatement["result"] }];
  });
  const rows = { asOf: AS_OF, from: null, knownAt: null };
  const request = { query: page.question, limit: 10, named: false, rows } as unknown as RecallRequest;
  const order: FittedOrder = { bias: fitted.bias, weights: [...fitted.weights], aboveMin };
  const inPlaceOf = (told: FilteredStatement) => told;
  const pointing = { request, budget: new TokenBudget(undefined), inPlaceOf, order };
  const shown = addNewer({ results, pinned: [] }, source, pointing).results.map(({ result }) => result.id);
  const placeOf = (ids: readonly string[]) => shown.findIndex((id) => ids.includes(id));
  const [right, wrong] = page.right === "newer"
    ? [placeOf(page.newer), placeOf(page.older)]
    : [placeOf(page.older), placeOf(page.newer)];
  return right !== -1 && (wrong === -1 || right < wrong);
}

function printCurve(cases: readonly Case[], models: readonly Fitted[]): void {
  const isPeoples = ({ set }: Case) => set === "people";
  const groups: readonly (readonly [string, (one: Case) => boolean])[] = [
    ["updates, facts", (one) => isPeoples(one) && one.page.kind === "update" && one.page.told === "facts"],
    ["updates, turns", (one) => isPeoples(one) && one.page.kind === "update" && one.page.told === "turns"],
    ["other languages", (one) => isPeoples(one) && one.page.kind === "update" && one.page.isForeign],
    ["compatible, facts", (one) => isPeoples(one) && one.page.kind === "compatible" && one.page.told === "facts"],
    ["compatible, turns", (one) => isPeoples(one) && one.page.kind === "compatible" && one.page.told === "turns"],
    ["paraphrases", ({ set }) => set === "paraphrases"],
    ["plain updates", ({ set, page }) => set === "plain" && page.kind === "update"],
    ["plain compatible", ({ set, page }) => set === "plain" && page.kind === "compatible"],
  ];
  for (const [list, isRead] of [["cut", true], ["all", true], ["all", false]] as const) {
    const show = (page: Page): Page => isRead ? page : { ...page, near: {} };
    const rows = THRESHOLDS.map((aboveMin) => [
      aboveMin > 1 ? "never" : String(aboveMin),
      ...groups.map(([, isOf]) => {
        const own = cases.filter(isOf);
        const right = own.filter((one) =>
          isRightFirst({ lot: one.lot, page: show(one.page) }, one.page[list], models[one.fold]!, aboveMin)
        );
        return `${Math.round(1_000 * right.length / own.length) / 10} %`;
      }),
    ]);
    const of = list === "cut" ? "as a reply offers them" : "among the ten best";
    console.log(`\nright first, ${of}${isRead ? "" : ", without an encoder"}`);
    console.log(formatTable(["above from", ...groups.map(([name]) => name)], rows));
  }
}

async function readSets(data: string | URL, pages: string | undefined): Promise<Sets> {
  if (pages !== undefined) {
    try {
      return JSON.parse(await Deno.readTextFile(pages));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  const sets = await collectPages(data);
  if (pages !== undefined) await Deno.writeTextFile(pages, JSON.stringify(sets));
  return sets;
}

function describe({ bias, weights }: Fitted): object {
  const round = (value: number) => Math.round(value * 1e4) / 1e4;
  return {
    bias: round(bias),
    weights: Object.fromEntries(ORDER_FEATURES.map((feature, i) => [feature, round(weights[i]!)])),
  };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { data: { type: "string" }, pages: { type: "string" }, dry: { type: "boolean" } },
  });
  const data = options.data ?? new URL("../../tests/data/newer/fit.json", import.meta.url);
  const sets = await readSets(data, options.pages);
  const cases = Object.keys(SET_WEIGHTS).flatMap((set) =>
    sets[set as SetName].flatMap((lot) => lot.pages.map((page) => ({ set: set as SetName, lot, page })))
  ).map((one, place): Case => ({ ...one, fold: place % FOLDS }));
  const samples = cases.map((one) => ({ fold: one.fold, samples: samplesOf(one) }));
  const fitWithout = (left: number | undefined) =>
    fitLogistic(samples.flatMap(({ fold, samples }) => fold === left ? [] : samples), RIDGE);
  printCurve(cases, Array.from({ length: FOLDS }, (_, fold) => fitWithout(fold)));
  const model = describe(fitWithout(undefined));
  console.log(JSON.stringify(model, null, 2));
  if (options.dry !== true) await Deno.writeTextFile(WEIGHTS, `${JSON.stringify(model, null, 2)}\n`);
}

if (import.meta.main) {
  await main();
  // The transformer keeps threads.
  Deno.exit(0);
}
