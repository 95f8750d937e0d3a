/**
 * Measures what the sentence encoder costs: the writes beside its backlog, and recall while the backlog drains.
 *
 *     deno run -A scripts/bench/drain.ts [--turns 2000] [--rounds 3] [--batch 100] [--questions 200] [--seed 1]
 *       [--database postgres|embedded|any] [--json <file>]
 *
 * Two services, each on a database of its own, with and without the encoder (`SVC_SENTENCE_ENCODER`).
 *
 * - ingest: turns a second that are acknowledged, in rounds that go from one service to the other and back.
 * - alone: texts of the same corpus a second that the encoder reads in this process while the services have nothing to do,
 *   before and after the drain.
 * - drain: texts a second that get their vector while nobody asks, until none waits.
 * - recall: the median of full recall with the encoder, one question after another, no question twice, while nothing
 *   drains, and while the backlog of further turns does; and of the service without the encoder.
 */
import { parseArgs } from "node:util";
import { SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import { describeMachine, formatTable, mean, note, parseCount, percentile, round, writeJson } from "./_bench.ts";
import { Corpus, type CorpusTurn } from "./_corpus.ts";
import { openWriter, runBatches, splitTurns } from "./_ingest.ts";
import { Client } from "./_load.ts";
import { type BenchService, parseDatabase, startBenchService } from "./_service.ts";

const LOOK_MS = 100;

async function backlogOf({ url, access: { key } }: BenchService): Promise<number> {
  const reply = await fetch(`${url}/v1/memory/health`, { headers: { authorization: `Bearer ${key}` } });
  return (await reply.json() as { embeddingBacklog: number }).embeddingBacklog;
}

async function waitForDrain(service: BenchService): Promise<void> {
  while (await backlogOf(service) > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Stores turns; returns how many a second were acknowledged. */
async function ingest(service: BenchService, turns: readonly CorpusTurn[], batch: number, label: string) {
  const open = () => openWriter(service, service.access);
  return (await runBatches(label, splitTurns(turns, batch), 2, undefined, open)).turnsPerSecond;
}

/** Texts a second that an encoder reads which has a machine to itself. */
async function readAlone(encoder: SentenceEncoder, turns: readonly CorpusTurn[]): Promise<number> {
  const started = performance.now();
  await encoder.embed(turns.map(({ content }) => content), { purpose: "document" });
  return 1_000 * turns.length / (performance.now() - started);
}

/** Asks questions one after another, while `goOn` says so. @returns the time of each, in milliseconds */
async function ask(
  service: BenchService,
  questions: Iterator<string>,
  goOn: () => Promise<boolean>,
): Promise<number[]> {
  using client = await Client.open(service.url, service.access.key);
  const durations: number[] = [];
  for (let next = questions.next(); !next.done && await goOn(); next = questions.next()) {
    const sent = performance.now();
    await client.post("/v1/memory/recall", { query: next.value });
    durations.push(performance.now() - sent);
  }
  return durations;
}

function* questionsOf(turns: readonly CorpusTurn[]): Generator<string> {
  for (const [i, { content }] of turns.entries()) {
    yield `What about ${content.split(/\s+/).slice(i % 5, i % 5 + 6).join(" ")}?`;
  }
}

function upTo(count: number): () => Promise<boolean> {
  let left = count;
  return () => Promise.resolve(left-- > 0);
}

const { values: options } = parseArgs({
  options: {
    turns: { type: "string" },
    rounds: { type: "string" },
    batch: { type: "string" },
    questions: { type: "string" },
    seed: { type: "string" },
    database: { type: "string", default: "any" },
    json: { type: "string" },
  },
});
const count = parseCount("turns", options.turns, 2_000), rounds = parseCount("rounds", options.rounds, 3);
const batch = parseCount("batch", options.batch, 100), asked = parseCount("questions", options.questions, 200);
const machine = describeMachine(), database = parseDatabase(options.database);
await using off = await startBenchService({ database, env: { SVC_SENTENCE_ENCODER: "off" } });
await using on = await startBenchService({ database, env: { SVC_SENTENCE_ENCODER: "on" } });
const turns = new Corpus(parseCount("seed", options.seed, 1)).sessions(Number.MAX_SAFE_INTEGER)
  .flatMap((session) => session.turns).take((rounds + 2) * count).toArray();
const part = (i: number) => turns.slice(i * count, (i + 1) * count);
const encoder = new SentenceEncoder({ dimension: 384, mode: "on" });
await encoder.warmUp();

const rates = { off: [] as number[], on: [] as number[] };
for (let i = 0; i < rounds; i++) {
  const both = [["off", off], ["on", on]] as const;
  for (const [name, service] of i % 2 === 0 ? both : both.toReversed()) {
    rates[name].push(await ingest(service, part(i), batch, `Storing, encoder ${name}`));
  }
}
note("Waiting until no text waits");
await waitForDrain(on);
const sample = part(rounds).slice(0, 300);
const before = await readAlone(encoder, sample);
await ingest(on, part(rounds), batch, "Storing, to drain alone");
const waiting = await backlogOf(on), started = performance.now();
await waitForDrain(on);
const drained = 1_000 * waiting / (performance.now() - started);
const after = await readAlone(encoder, sample);

const questions = questionsOf(turns);
const without = await ask(off, questions, upTo(asked));
const idle = await ask(on, questions, upTo(asked));
await ingest(on, part(rounds + 1), batch, "Storing, to drain while somebody asks");
const busy = await ask(on, questions, async () => await backlogOf(on) > 0);
const idleAgain = await ask(on, questions, upTo(asked));

const alone = mean([before, after]);
const p50 = (durations: readonly number[]) => percentile(durations, 0.5);
const results = {
  ingestOff: mean(rates.off),
  ingestOn: mean(rates.on),
  alone,
  drained,
  recallOffMs: p50(without),
  recallIdleMs: p50([...idle, ...idleAgain]),
  recallDrainingMs: p50(busy),
};
const ratio = (a: number, b: number) => round(a / b, 2);
console.log(formatTable(["what", "without", "with", "with / without"], [
  [
    "ingest, turns a second",
    round(results.ingestOff, 0),
    round(results.ingestOn, 0),
    ratio(results.ingestOn, results.ingestOff),
  ],
  [
    "recall, p50 ms",
    round(results.recallOffMs, 2),
    round(results.recallIdleMs, 2),
    ratio(results.recallIdleMs, results.recallOffMs),
  ],
]));
console.log(formatTable(["what", "at rest", "draining", "draining / at rest"], [
  ["encoder alone and in the service, texts a second", round(alone, 0), round(drained, 0), ratio(drained, alone)],
  [
    "recall, p50 ms",
    round(results.recallIdleMs, 2),
    round(results.recallDrainingMs, 2),
    ratio(results.recallDrainingMs, results.recallIdleMs),
  ],
]));
note(`${busy.length} questions were asked while ${count} turns drained; database: ${on.database}`);
await writeJson(options.json, { program: "bench_drain", machine, database: on.database, count, rates, ...results });
