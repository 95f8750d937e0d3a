/** Stores batches of turns over HTTP from several connections, and counts turns per second. */
import { Progress, round, summarise } from "./_bench.ts";
import type { CorpusTurn } from "./_corpus.ts";
import { readCpuMs } from "./_http.ts";
import { Client } from "./_load.ts";
import type { Access, BenchService } from "./_service.ts";

const BATCHES_PER_SESSION = 4;

/** The rate at which batches were stored. */
export interface Measured extends ReturnType<typeof summarise> {
  readonly turnsPerSecond: number;
  readonly serverCpuMsPerTurn?: number;
}

export type Work = (batch: readonly CorpusTurn[], index: number) => Promise<void>;

/** Hands batches to workers; `open` makes each worker's function. */
export async function runBatches(
  label: string,
  batches: readonly (readonly CorpusTurn[])[],
  concurrency: number,
  pid: number | undefined,
  open: () => Promise<{ readonly work: Work; readonly close: () => void | Promise<void> }>,
): Promise<Measured> {
  const turns = batches.reduce((sum, batch) => sum + batch.length, 0);
  const workers = await Promise.all(Array.from({ length: concurrency }, open));
  const progress = new Progress(label, turns);
  const durations: number[] = [];
  let next = 0;
  const cpu = pid === undefined ? undefined : readCpuMs(pid);
  const started = performance.now();
  await Promise.all(workers.map(async ({ work }) => {
    while (next < batches.length) {
      const index = next++;
      const sent = performance.now();
      await work(batches[index]!, index);
      durations.push(performance.now() - sent);
      progress.add(batches[index]!.length);
    }
  }));
  const seconds = (performance.now() - started) / 1_000;
  progress.end();
  const used = cpu === undefined ? undefined : readCpuMs(pid!)! - cpu;
  for (const { close } of workers) await close();
  return {
    ...summarise(durations),
    turnsPerSecond: round(turns / seconds, 1),
    ...(used !== undefined && { serverCpuMsPerTurn: round(used / turns, 4) }),
  };
}

/** Checks by recall right after a batch was stored. */
export interface Checks {
  asked: number;
  found: number;
  foundHot: number;
}

function markerOf(index: number): string {
  return `marker${index}zq`;
}

/** Adds batches over HTTP, including the creation of their sessions. */
export async function openWriter(service: BenchService, access: Access, checks?: Checks) {
  const client = await Client.open(service.url, access.key);
  let session = "", inSession = BATCHES_PER_SESSION;
  const work: Work = async (batch, index) => {
    if (inSession++ >= BATCHES_PER_SESSION || session === "") {
      session = (await client.post("/v1/session", {}) as { id: string }).id;
      inSession = 1;
    }
    const turns = batch.map((turn) => ({ role: "user", ...turn }));
    if (checks !== undefined) turns.at(-1)!.content += ` ${markerOf(index)}`;
    await client.post(`/v1/session/${session}/turns`, { turns });
    if (checks === undefined) return;
    checks.asked++;
    if (await isFirst(client, "/v1/memory/recall", markerOf(index))) checks.found++;
    if (await isFirst(client, "/v1/memory/recall/hot", markerOf(index))) checks.foundHot++;
  };
  return { work, close: () => client[Symbol.dispose]() };
}

async function isFirst(client: Client, path: string, marker: string): Promise<boolean> {
  const { results } = await client.post(path, { query: marker, types: ["turn"], limit: 1 }) as {
    results: { text: string }[];
  };
  return results[0]?.text.includes(marker) === true;
}

/** Splits turns into batches; the last may be smaller. */
export function splitTurns(turns: readonly CorpusTurn[], size: number): CorpusTurn[][] {
  return Array.from({ length: Math.ceil(turns.length / size) }, (_, i) => turns.slice(i * size, (i + 1) * size));
}
