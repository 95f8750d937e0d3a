/** The measuring programs stay working: each runs on a small input of its own, and its arithmetic is checked by hand. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { percentile } from "../scripts/bench/_bench.ts";
import { Corpus } from "../scripts/bench/_corpus.ts";
import { LOCKED } from "../scripts/locked.ts";
import { areaUnderCurve, type Asked, listQuestions, ndcgAt, recallAt } from "../scripts/train/eval_locomo.ts";
import { judgeList } from "../scripts/bench/precision.ts";
import { fitLogistic, measureCalibration, predict } from "../scripts/train/logistic.ts";
import { isHeld, isLong, readCaseStores } from "../scripts/train/precision_data.ts";
import { POSTGRES } from "./_postgres.ts";

const ROOT = new URL("..", import.meta.url).pathname;

/** Two conversations; the answers' words stand in one turn each. */
const CONVERSATIONS = [
  {
    sample_id: "conv-1",
    conversation: {
      speaker_a: "Ana",
      speaker_b: "Ben",
      session_1_date_time: "1:56 pm on 8 May, 2023",
      session_1: [
        { speaker: "Ana", dia_id: "D1:1", text: "Hello Ben, how was the week?" },
        { speaker: "Ben", dia_id: "D1:2", text: "I adopted a greyhound called Comet." },
        { speaker: "Ana", dia_id: "D1:3", text: "Lovely!", blip_caption: "a photo of a lighthouse at dusk" },
        { speaker: "Ben", dia_id: "D1:4", text: "Next month I start at the observatory." },
      ],
      session_2_date_time: "12:05 am on 1 June, 2023",
      session_2: [
        { speaker: "Ben", dia_id: "D2:1", text: "The telescope needs a new mirror." },
        { speaker: "Ana", dia_id: "D2:2", text: "My pottery class was fun." },
      ],
    },
    qa: [
      { question: "Which dog did Ben adopt?", evidence: ["D1:2"], category: 4 },
      { question: "What did Ana photograph?", evidence: ["D1:3"], category: 1 },
      { question: "What do Ben's job and the mirror have in common?", evidence: ["D1:4; D2:1", "D"], category: 1 },
      { question: "When did Ana go to pottery class?", evidence: ["D2:2"], category: 2 },
      { question: "Nothing that exists answers this", evidence: ["D9:9"], category: 3 },
      { question: "Which cat did Ana adopt?", evidence: ["D1:2"], category: 5 },
    ],
  },
  {
    sample_id: "conv-2",
    conversation: {
      session_1_date_time: "9:00 am on 2 July, 2023",
      session_1: [{ speaker: "Cleo", dia_id: "D1:1", text: "The marathon in Lisbon was hot." }],
    },
    qa: [{ question: "Where did Cleo run a marathon?", evidence: ["D1:1"], category: 3 }],
  },
];

/** Runs a program and gives its JSON report. */
async function runProgram(script: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const json = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", ...LOCKED, "-A", "--quiet", `scripts/${script}`, ...args, "--json", json],
      cwd: ROOT,
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    ok(success, output);
    return JSON.parse(await Deno.readTextFile(json));
  } finally {
    await Deno.remove(json);
  }
}

/** The members of a report that a test looks at; whatever is not there fails the comparison. */
// deno-lint-ignore no-explicit-any
type Report = any;

Deno.test("a case passes with all wanted results and at most one other, or with nothing where nothing is wanted", () => {
  const judge = (wanted: string[], list: string[]) => {
    const { exact, passed } = judgeList(wanted, list);
    return [exact, passed];
  };
  deepStrictEqual(judge(["a", "b"], ["b", "a"]), [true, true]);
  deepStrictEqual(judge(["a", "b"], ["b", "a", "x"]), [false, true]);
  deepStrictEqual(judge(["a", "b"], ["b", "a", "x", "y"]), [false, false]);
  deepStrictEqual(judge(["a", "b"], ["b"]), [false, false]);
  deepStrictEqual(judge([], []), [true, true]);
  deepStrictEqual(judge([], ["x"]), [false, false]);
});

Deno.test("a logistic fit finds the odds that made the data, and its calibration error is small", () => {
  const samples = Array.from({ length: 4_000 }, (_, i) => {
    const x = i % 40 / 10 - 2, share = 1 / (1 + Math.exp(-(0.5 + 2 * x)));
    // Every value stands a hundred times, with as many hits as its odds say.
    const label: 0 | 1 = Math.floor(i / 40) < Math.round(100 * share) ? 1 : 0;
    return { inputs: Float64Array.of(x), label, weight: 1 };
  });
  const fitted = fitLogistic(samples, 0.01);
  ok(Math.abs(fitted.bias - 0.5) < 0.1 && Math.abs(fitted.weights[0]! - 2) < 0.1, JSON.stringify(fitted));
  const said = samples.map(({ inputs, label }) => ({ p: predict(fitted, inputs), label }));
  ok(measureCalibration(said).error < 0.02);
  ok(measureCalibration(said.map(({ label }) => ({ p: 0.9, label }))).error > 0.2);
});

Deno.test("the hand-written cases name what their stores hold, and both halves have short and long ones", () => {
  const stores = readCaseStores();
  const cases = stores.flatMap((store) => store.cases.map((one) => ({ store, one })));
  strictEqual(new Set(cases.map(({ one }) => one.id)).size, cases.length);
  ok(cases.length >= 150);
  for (const { store: { facts = {}, sessions = [] }, one } of cases) {
    const held = new Set([...Object.keys(facts), ...sessions.flatMap(({ turns }) => turns.map(([id]) => id))]);
    for (const id of one.wanted) ok(held.has(id), `${one.id}: ${id}`);
  }
  for (const half of [true, false]) {
    for (const long of [true, false]) {
      ok(cases.filter(({ store, one }) => isHeld(store) === half && isLong(one) === long).length >= 20);
    }
  }
});

Deno.test({
  ...POSTGRES,
  name: "eval_locomo finds the evidence of conversations that it stored over HTTP",
  async fn() {
    const data = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${data}/conversations.json`, JSON.stringify(CONVERSATIONS));
      const report: Report = await runProgram("train/eval_locomo.ts", [
        "--data",
        data,
        "--database",
        "postgres",
        "--details",
      ]);
      strictEqual(report.turns, 7);
      strictEqual(report.all.questions, 5);
      strictEqual(report.unanswerable.questions, 1);
      strictEqual(report.asked.length, 6);
      ok(report.all["recall@20"] >= 0.8, `recall@20 is ${report.all["recall@20"]}`);
      ok(report.latency.overHttp.p50Ms > 0);
      ok(report.all.meanTokens > 0);
    } finally {
      await Deno.remove(data, { recursive: true });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "bench_recall measures both workspaces beside echo and bare statements",
  async fn() {
    const args = ["--units", "600", "--queries", "2", "--count", "20", "--warm-up", "10"];
    const { results: [result] }: Report = await runProgram("bench/recall.ts", args);
    strictEqual(result.loaded.turns + result.loaded.facts, 600);
    strictEqual(result.full.all.n, 14);
    strictEqual(result.beside.bare.n, 14);
    ok(Object.keys(result.beside.statements).some((name) => name.includes("posting")));
    strictEqual(result.hot.hot[0].n, 20);
    ok(result.beside.ratio.p50 > 0);
    ok(result.small.after.p50Ms > 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "bench_ingest stores turns, finds the last of each batch at once, and inserts the same rows bare",
  async fn() {
    const args = ["--turns", "120", "--batch", "40", "--singles", "4", "--concurrency", "2"];
    const small = ["--small", "10", "--workspaces", "2", "--clients", "2"];
    const report: Report = await runProgram("bench/ingest.ts", [...args, ...small]);
    deepStrictEqual(report.recallable, { asked: 3, found: 3, foundHot: 3 });
    // Single writes, small sessions and batches; the last two also as bare inserts.
    strictEqual(Object.keys(report.results).length, 5);
    for (const result of Object.values(report.results) as Report[]) ok(result.turnsPerSecond > 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "bench_http measures each request beside the echo",
  async fn() {
    const args = ["--count", "20", "--units", "100", "--concurrency", "2", "--database", "postgres"];
    const report: Report = await runProgram("bench/http.ts", args);
    strictEqual(Object.keys(report.results).length, 5);
    for (const loads of Object.values(report.results) as Report[]) strictEqual(loads.length, 2);
  },
});

Deno.test("questions keep the evidence that exists, and count when they have any", () => {
  const stored = new Set(["D1:1", "D1:2", "D1:3", "D1:4", "D2:1", "D2:2"].map((id) => `conv-1:${id}`));
  const questions = listQuestions(CONVERSATIONS.slice(0, 1), stored);
  deepStrictEqual(questions.map(({ category }) => category), [4, 1, 1, 2, 5]);
  deepStrictEqual(questions[2]!.evidence, ["conv-1:D1:4", "conv-1:D2:1"]);
});

Deno.test("recall@k is the share of the evidence, nDCG falls with the rank", () => {
  const asked = (found: string[], evidence: string[]) => ({ found, evidence }) as unknown as Asked;
  strictEqual(recallAt(asked(["x", "a", "y"], ["a", "b"]), 2), 0.5);
  strictEqual(recallAt(asked(["x", "a", "y"], ["a"]), 1), 0);
  strictEqual(ndcgAt(asked(["a", "b"], ["a", "b"]), 10), 1);
  strictEqual(ndcgAt(asked(["x", "a"], ["a"]), 10), 1 / Math.log2(3));
  // Worked by hand: of three pieces of evidence two are found, at ranks 1 and 3; the best order has ranks 1, 2 and 3.
  const best = 1 + 1 / Math.log2(3) + 1 / 2;
  strictEqual(ndcgAt(asked(["a", "x", "b"], ["a", "b", "c"]), 10), 1.5 / best);
});

Deno.test("areaUnderCurve is 1 when all stand above, a half for equals", () => {
  strictEqual(areaUnderCurve([2, 3], [0, 1]), 1);
  strictEqual(areaUnderCurve([1, 1], [1]), 0.5);
  strictEqual(areaUnderCurve([0, 2], [1]), 0.5);
});

Deno.test("percentile is the nearest rank", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  strictEqual(percentile(values, 0.5), 50);
  strictEqual(percentile(values, 0.99), 99);
  strictEqual(percentile([7], 0.5), 7);
});

Deno.test("a corpus of one seed is the same each time, of another it differs, and has as many units as asked for", () => {
  const texts = (seed: number) =>
    [...new Corpus(seed).sessions(500)].flatMap(({ turns }) => turns.map((t) => t.content));
  deepStrictEqual(texts(1), texts(1));
  ok(texts(1)[0] !== texts(2)[0]);
  const units = [...new Corpus(1).sessions(1_001)].reduce(
    (sum, { turns, facts }) => sum + turns.length + facts.length,
    0,
  );
  strictEqual(units, 1_001);
  for (const text of texts(1)) {
    const words = text.split(" ").length;
    ok(words >= 10 && words <= 40, text);
  }
});
