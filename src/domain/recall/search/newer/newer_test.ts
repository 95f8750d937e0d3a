import assert from "node:assert/strict";
import { STEPS_MAX } from "../../../../db/queries/newer_links.ts";
import { TokenBudget } from "../../../common/tokens.ts";
import type { RecallRequest } from "../request.ts";
import type { FilteredStatement, NewerSource } from "../store.ts";
import { addNewer } from "./newer.ts";
import { OrderModel } from "./order.ts";
import { ORDER_FEATURES } from "./features.ts";

const QUERY = "When do the deliveries for the bakery come?";
const DELIVERIES = "Deliveries for the bakery come on Thursdays";
const MONDAYS =
  "the bakery van turns up Mondays now, they were told on the phone weeks ago, so Thursdays are over, no more cold croissants either, and I can finally sleep in";
const DAY_MS = 86_400_000;

/** Statements of which each is linked to the next one, a hundred days later. */
function chain(
  texts: readonly string[],
  strengths: readonly number[],
): { told: FilteredStatement[]; source: NewerSource } {
  const told = texts.map((text, i): FilteredStatement => {
    const result = { id: `${i}`, type: "fact", text, score: 0.5, trustScore: 90, citations: [] };
    return { docNo: i, text: { tripleKey: null }, result, at: i * 100 * DAY_MS } as unknown as FilteredStatement;
  });
  const source: NewerSource = {
    linksOf: (id) => strengths.flatMap((strength, i) => id === `${i}` ? [{ id: `${i + 1}`, strength, words: 1 }] : []),
    turnOf: () => undefined,
    find: (id) => told[Number(id)],
    nearness: () => 0.6,
  };
  return { told, source };
}

function add(
  results: readonly FilteredStatement[],
  pinned: readonly FilteredStatement[],
  source: NewerSource,
  more: object = {},
) {
  const rows = { asOf: new Date(1_000 * DAY_MS), from: null, knownAt: null };
  const request = { query: QUERY, limit: 10, named: false, rows, ...more } as unknown as RecallRequest;
  const inPlaceOf = (told: FilteredStatement) => told;
  const lists = addNewer({ results, pinned }, source, { request, budget: new TokenBudget(undefined), inPlaceOf });
  const show = ({ result: { id, newer } }: FilteredStatement) => newer ? `${id} -> ${newer.id}` : id;
  const pointers = lists.results.flatMap(({ result: { newer } }) => newer ?? []);
  return { results: lists.results.map(show), pinned: lists.pinned.map(show), pointers };
}

Deno.test("from a statement that only a link found, no more links are followed than the database reads", () => {
  const texts = [DELIVERIES, MONDAYS, ...Array.from({ length: STEPS_MAX }, (_, i) => `Van number ${i} of the baker`)];
  // The first link is so strong that the last statements fit less, and stronger ones lead on from there.
  const { told, source } = chain(texts, [2, ...Array.from({ length: STEPS_MAX }, () => 0.9)]);
  const asked = new Set<number>();
  const noting = { ...source, linksOf: (id: string) => source.linksOf((asked.add(Number(id)), id)) };
  const { results } = add(told.slice(0, 1), [], noting);
  assert.deepEqual(results, [`1 -> ${STEPS_MAX}`, "0 -> 1"], "the correction of a correction is not lost");
  assert.ok(Math.max(...asked) < STEPS_MAX, `those of ${[...asked]} are followed`);
});

Deno.test("no result points to a pinned unit, which is shown anyway, or to itself", () => {
  const { told, source } = chain([DELIVERIES, MONDAYS], [1]);
  const show = ({ results, pinned }: ReturnType<typeof add>) => ({ results, pinned });
  assert.deepEqual(show(add(told.slice(0, 1), told.slice(1), source)), { results: ["0"], pinned: ["1"] });
  assert.deepEqual(show(add([], told, source)), { results: [], pinned: ["0", "1"] });
  const circle = { ...source, linksOf: (id: string) => [{ id, strength: 2, words: 1 }, ...source.linksOf(id)] };
  assert.deepEqual(show(add(told.slice(1), [], circle)), { results: ["1"], pinned: [] });
});

Deno.test("who asks for what has a name gets a newer statement without it beside a result, and not as one", () => {
  const { told, source } = chain([DELIVERIES, MONDAYS], [1]);
  assert.deepEqual(add(told.slice(0, 1), [], source).results, ["1", "0 -> 1"]);
  assert.deepEqual(add(told.slice(0, 1), [], source, { named: true }).results, ["0 -> 1"]);
});

Deno.test("a question about what was so before moves nothing, and gets the pointer", () => {
  const { told, source } = chain([DELIVERIES, MONDAYS], [1]);
  for (
    const query of [
      "When did the deliveries come before?",
      "When did the deliveries for the bakery use to come originally?",
    ]
  ) {
    assert.deepEqual(add(told.slice(0, 1), [], source, { query }).results, ["0 -> 1"], query);
  }
});

Deno.test("a fact among the results stands for the newer turn that it cites", () => {
  const { told: [older, turn], source } = chain([DELIVERIES, MONDAYS], [1]);
  const place = { sessionId: "s", messageId: "m" };
  const said = { ...turn!, result: { ...turn!.result, type: "turn", ...place } } as FilteredStatement;
  const fact = {
    ...turn!,
    docNo: 2,
    result: { ...turn!.result, id: "fact", citations: [place] },
  } as unknown as FilteredStatement;
  const find = (id: string) => [older!, said, fact].find(({ result }) => result.id === id);
  const { results } = add([older!, fact], [], { ...source, find });
  assert.deepEqual(results, ["fact", "0 -> 1"]);
});

Deno.test("of two links the one whose statement answers the question goes above", () => {
  const { told, source } = chain([DELIVERIES, "the bakery sells rye bread now", MONDAYS], [0.5, 0.5]);
  const linksOf = (id: string) =>
    id === "0" ? [{ id: "1", strength: 0.5, words: 1 }, { id: "2", strength: 0.6, words: 1 }] : [];
  const nearness = (docNo: number) => [0.7, 0.2, 0.6][docNo];
  assert.equal(add(told.slice(0, 1), [], { ...source, linksOf, nearness }).results[0], "2");
});

Deno.test("what is asked for by its code stays above a newer statement that lacks it", () => {
  const { told: [older, newer], source } = chain(["INV-20418 was paid twice.", "The bakery refunds it."], [1]);
  const linked = [{ told: newer!, strength: 1, strongest: 1 }];
  const always = { bias: 9, weights: ORDER_FEATURES.map(() => 0), aboveMin: 0.5 };
  const pick = (query: string) => new OrderModel(query, source, new Map(), always).pickAbove(older!, linked);
  assert.equal(pick("INV-20418"), undefined);
  assert.equal(pick("What became of the invoice?"), linked[0]);
});

Deno.test("of a fact that quotes the talk before it, the speaker's own words are compared and pointed to", () => {
  const own = "The bakery van now brings the croissants each Monday.";
  const quoted = `Ben: "The deliveries for the bakery are cancelled on 3 Thursdays." Ada, 3 May 2026: "${own}"`;
  const { told, source } = chain([DELIVERIES, quoted, `Ada: ${own}`], [1]);
  const [older, newer, plain] = told.map((one) => ({ told: one, strength: 1, strongest: 1 }));
  const model = new OrderModel(QUERY, source, new Map());
  const featuresOf = (one: typeof newer) => model.featuresOf(older!.told, { ...one!, told: { ...one!.told, at: 0 } });
  assert.deepEqual(featuresOf(newer), featuresOf(plain));
  const { pointers: [pointer] } = add(told.slice(0, 1), [], source);
  assert.equal(pointer?.text, `Ada, 3 May 2026: ${own}`);
  assert.equal(pointer?.ended, undefined, "the end is somebody else's word");
});
