/** The bare SQL of a recall: its statements are recorded while it runs once, and run again without the service. */
import postgres from "postgres";
import { createDeps } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { createContext, type Principal } from "../src/context.ts";
import { ARRAY_TYPES, BYTEA } from "../src/db/array_types.ts";
import { Database } from "../src/db/scope.ts";
import { parseDatabaseUrl } from "../src/db/url.ts";
import { recall } from "../src/domain/recall/recall.ts";
import { RecallBody } from "../src/schema/recall.ts";
import { Progress } from "./_bench.ts";
import type { Access, BenchService } from "./_bench_service.ts";

interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly types: readonly number[];
}

/** The statements of one recall; those of one step were sent together. */
export type RecordedRecall = readonly (readonly Statement[])[];

/** Runs each query once in this process, as the service would, and records its statements. */
export async function recordRecalls(
  service: BenchService,
  access: Access,
  bodies: readonly { readonly query: string }[],
): Promise<RecordedRecall[]> {
  const config = readConfig(service.env);
  await using deps = await createDeps(config);
  let steps: Statement[][] = [], open = false;
  await using db = new Database({
    clock: deps.clock,
    deadlineMs: 60_000,
    connection: {
      ...parseDatabaseUrl(config.database.url!),
      max: 1,
      debug: (_connection, text, parameters, types) => {
        // Statements that are built in one turn of the event loop share a round trip.
        if (!open) {
          steps.push([]);
          open = true;
          setTimeout(() => open = false, 0);
        }
        if (/^(begin|commit)/i.test(text)) return;
        steps.at(-1)!.push({ text, parameters: [...parameters as unknown[]], types: [...types as number[]] });
      },
    },
  });
  const principal: Principal = {
    actor: "bench",
    workspaceId: access.workspaceId,
    scopes: new Set(),
    maxSensitivity: "confidential",
  };
  const ctx = createContext({ ...deps, db }, principal, { requestId: "bench", signal: deps.stopping });
  const recorded: RecordedRecall[] = [];
  for (const body of bodies) {
    steps = [];
    open = false;
    await recall(ctx, RecallBody.parse(body));
    recorded.push(steps.filter((step) => step.length > 0));
  }
  return recorded;
}

export interface BareTimes {
  /** Of each recall: all statements, the steps as the service sends them. */
  readonly totalsMs: readonly number[];
  /** Of each statement by itself, by the tables that it reads. */
  readonly byStatement: ReadonlyMap<string, readonly number[]>;
}

/** Runs recorded recalls as the request role: steps pipelined for the totals, then statement by statement. */
export async function replayRecalls(service: BenchService, recorded: readonly RecordedRecall[]): Promise<BareTimes> {
  const sql = postgres({
    ...parseDatabaseUrl(service.requestUrl!),
    max: 1,
    fetch_types: false,
    types: { ...ARRAY_TYPES, bytea: BYTEA },
    onnotice: () => {},
  });
  const totalsMs: number[] = [];
  const byStatement = new Map<string, number[]>();
  const progress = new Progress("Bare queries", 2 * recorded.length);
  // The first pass warms up the plans, as the service's are.
  for (const timed of [false, true]) {
    for (const steps of recorded.slice(0, timed ? undefined : 20)) {
      const started = performance.now();
      await sql.begin("read only", async (tx) => {
        for (const step of steps) await Promise.all(step.map((statement) => run(tx, statement)));
      });
      if (timed) totalsMs.push(performance.now() - started);
      progress.add();
    }
  }
  for (const steps of recorded) {
    await sql.begin("read only", async (tx) => {
      for (const statement of steps.flat()) {
        const started = performance.now();
        await run(tx, statement);
        const name = nameOf(statement.text);
        byStatement.set(name, [...byStatement.get(name) ?? [], performance.now() - started]);
      }
    });
    progress.add();
  }
  progress.end();
  await sql.end();
  return { totalsMs, byStatement };
}

function run(tx: postgres.TransactionSql, { text, parameters, types }: Statement) {
  const typed = parameters.map((value, i) => types[i] ? tx.typed(value as never, types[i]!) : value);
  return tx.unsafe(text, typed as never[], { prepare: true });
}

/** A short name: the tables, in the order in which they are named first. */
function nameOf(text: string): string {
  if (/\bset_config\(/.test(text)) return "set_config";
  const tables = [...text.matchAll(/\b(?:from|join)\s+(\w+)/gi)].map(([, name]) => name!.toLowerCase())
    .filter((name) => !["unnest", "found", "summed", "lateral"].includes(name));
  const columns = /\b(content|citations)\b/.test(text) ? " rows" : "";
  return [...new Set(tables)].join("+") + columns;
}
