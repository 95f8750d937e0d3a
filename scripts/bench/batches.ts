/**
 * Measures what a batch of facts costs when its items bear on each other, by the size of the batch.
 *
 *     deno run -A scripts/bench/batches.ts [--sizes 50,100,250,500] [--rounds 3] [--database postgres|embedded|any]
 *       [--json <file>]
 *
 * - rivals: same subject and predicate, another object each: every item supersedes the one before.
 * - stored rivals: the same, about a subject of which as many rivals that stand beside each other are stored already.
 * - similar: statements that say nearly the same, with a word of their own each.
 * - restated: one and the same statement, cited from another message each time.
 * - mixed: rivals, similar, restated and unrelated statements about many subjects.
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { Client } from "./_load.ts";
import { parseDatabase, startBenchService } from "./_service.ts";

/** The longest duration of the largest batch, and the most that its items may cost relative to the smallest's. */
const LARGEST_MS_MAX = 2_000;
const GROWTH_MAX = 1.6;

type Fact = Readonly<Record<string, unknown>>;

/** A word that no other item has. */
function wordOf(index: number): string {
  return "q" + [...String(index)].map((digit) => "bcdfghklmn"[Number(digit)]).join("a") + "o";
}

function rivals(subject: string, count: number): Fact[] {
  return Array.from({ length: count }, (_, i) => {
    const object = `the shelf ${wordOf(i)}`;
    return { statement: `${subject} is kept on ${object}.`, subject, predicate: "is kept on", object };
  });
}

function similar(subject: string, count: number): Fact[] {
  return Array.from({ length: count }, (_, i) => {
    const rest = "runs every night after the shop closes and writes to the second store in the cellar";
    return { statement: `The backup of ${subject} ${rest}, told by ${wordOf(i)}.` };
  });
}

function restated(subject: string, count: number): Fact[] {
  return Array.from({ length: count }, (_, i) => ({
    statement: `The ledger of ${subject} is closed on Fridays.`,
    citations: [{ messageId: `message-${i}` }],
  }));
}

function mixed(subject: string, count: number): Fact[] {
  return Array.from({ length: count }, (_, i) => {
    const about = `${subject} ${wordOf(i % 40)}`;
    const kinds = [rivals, similar, restated];
    if (i % 4 === 3) {
      return { statement: `${wordOf(i)} ${wordOf(i + 7)} lives near ${about} and likes ${wordOf(i * 3)}.` };
    }
    return kinds[i % 4]!(about, i + 1)[i]!;
  });
}

/** Rivals that stand beside each other, since they hold at different times. */
function standing(subject: string, count: number): Fact[] {
  const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString();
  return rivals(subject, count).map((fact, i) => ({ ...fact, validFrom: day(i), validTo: day(i + 1) }));
}

interface Case {
  readonly before?: (subject: string, count: number) => Fact[];
  readonly batch: (subject: string, count: number) => Fact[];
}

const CASES: Readonly<Record<string, Case>> = {
  rivals: { batch: rivals },
  "stored rivals": { before: standing, batch: rivals },
  similar: { batch: similar },
  "stored similar": {
    before: similar,
    batch: (subject, count) => similar(subject, 2 * count).slice(count),
  },
  restated: { batch: restated },
  mixed: { batch: mixed },
};

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      sizes: { type: "string" },
      rounds: { type: "string" },
      database: { type: "string" },
      json: { type: "string" },
    },
  });
  const sizes = (options.sizes ?? "50,100,250,500").split(",").map((size) => parseCount("sizes", size, 1));
  const rounds = parseCount("rounds", options.rounds, 3);
  const machine = describeMachine();
  await using service = await startBenchService({ database: parseDatabase(options.database ?? "any") });
  using client = await Client.open(service.url, service.access.key);
  const write = (facts: readonly Fact[]) => client.post("/v1/memory/facts/batch", { facts });
  const results: Record<string, { size: number; ms: number; msPerItem: number }[]> = {};
  let serial = 0;
  for (const [name, { before, batch }] of Object.entries(CASES)) {
    results[name] = [];
    for (const size of sizes) {
      const times: number[] = [];
      for (let i = 0; i < rounds; i++) {
        const subject = `Crate ${wordOf(10_000 + serial++)}`;
        if (before !== undefined) await write(before(subject, size));
        const facts = batch(subject, size);
        const started = performance.now();
        await write(facts);
        times.push(performance.now() - started);
      }
      const ms = times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)]!;
      results[name].push({ size, ms: round(ms, 1), msPerItem: round(ms / size, 3) });
      note(`${name} ${size}: ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
    }
  }
  const faults: string[] = [];
  const rows = Object.entries(results).map(([name, measured]) => {
    const [first, last] = [measured[0]!, measured.at(-1)!];
    const growth = round(last.msPerItem / first.msPerItem, 2);
    if (last.ms > LARGEST_MS_MAX) faults.push(`${name} of ${last.size} took ${last.ms} ms`);
    if (growth > GROWTH_MAX) faults.push(`an item of ${name} costs ${growth} times as much in the largest batch`);
    return [name, ...measured.map(({ ms, msPerItem }) => `${ms} (${msPerItem})`), growth];
  });
  note(`database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(["ms (ms per item)", ...sizes.map(String), "growth"], rows));
  await writeJson(options.json, { program: "bench_batches", machine, database: service.database, results });
  if (faults.length > 0) throw new Error(`Cannot accept the run: ${faults.join("; ")}`);
}

if (import.meta.main) await main();
