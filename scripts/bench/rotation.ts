/**
 * Measures hot recall of many workspaces in turn when memory holds only a few: memory answers for those that it holds, the
 * database for the others, and no request waits for a load.
 *
 *     deno run -A scripts/bench/rotation.ts [--workspaces 50] [--units 5000] [--held 13] [--rounds 10] [--seed 1]
 *       [--json <file>]
 *
 * One service on durable Postgres. Its memory is what `--held` such workspaces take by the tier's own estimate. Each round
 * asks every workspace once, one request after another. The first rounds, in which the tier fills, are reported separately.
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, parseCount, writeJson } from "./_bench.ts";
import { Corpus } from "./_corpus.ts";
import { loadDirectly } from "./_direct.ts";
import { HOT, requestsOf } from "./_hot.ts";
import { LOAD_COLUMNS, loadCells, type LoadResult, runLoad } from "./_http.ts";
import { type Access, startBenchService } from "./_service.ts";

/** Estimated bytes of a text of the corpus. */
const TEXT_BYTES = 2_500;
/** Rounds in which the tier loads workspaces. */
const FIRST_ROUNDS = 4;
const QUERIES = 20;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      workspaces: { type: "string" },
      units: { type: "string" },
      held: { type: "string" },
      rounds: { type: "string" },
      seed: { type: "string" },
      json: { type: "string" },
    },
  });
  const workspaces = parseCount("workspaces", values.workspaces, 50);
  const units = parseCount("units", values.units, 5_000);
  const held = parseCount("held", values.held, 13);
  const rounds = parseCount("rounds", values.rounds, 10);
  const machine = describeMachine();
  const bytesMax = Math.round((held + 0.5) * units * TEXT_BYTES);
  const env = { SVC_HOT_BYTES_MAX: String(bytesMax) };
  await using service = await startBenchService({ database: "postgres", env });
  const seed = parseCount("seed", values.seed, 1);
  const accesses: { access: Access; queries: readonly string[] }[] = [];
  for (let i = 0; i < workspaces; i++) {
    const access = i === 0 ? service.access : await service.addWorkspace(`workspace ${i}`);
    const corpus = new Corpus(seed + i);
    const { sample } = await loadDirectly(service, access, corpus.sessions(units), units, QUERIES);
    accesses.push({ access, queries: corpus.queries(sample).question });
  }
  // One query for every workspace, then the next query.
  const perWorkspace = accesses.map(({ access, queries }) => requestsOf(service, access, HOT, queries));
  const requests = Array.from({ length: QUERIES }, (_, i) => perWorkspace.map((own) => own[i % own.length]!)).flat();
  note(`load before the measurement: ${describeMachine().loadBefore.join(" ")}`);
  const loads: (LoadResult & { readonly label: string })[] = [];
  for (const [label, count] of [["first rounds", FIRST_ROUNDS], ["rounds", rounds]] as const) {
    const shared = { url: service.url, pid: service.pid, requests, concurrency: 1 };
    loads.push({ label, ...await runLoad({ ...shared, label, count: count * workspaces }) });
  }
  console.log(`${workspaces} workspaces × ${units} units, memory for ${held}, ${service.database}\n`);
  console.log(formatTable(["what", ...LOAD_COLUMNS], loads.map((load) => [load.label, ...loadCells(load)])));
  await writeJson(values.json, {
    program: "rotation",
    machine,
    database: service.database,
    ...{ workspaces, units, held, bytesMax, loads },
  });
}

if (import.meta.main) await main();
