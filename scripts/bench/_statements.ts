/** The bare SQL of a recall: its statements are recorded during one run, and run again without the service. */
import postgres from "postgres";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createContext, type Principal } from "../../src/context.ts";
import { ARRAY_TYPES, BYTEA } from "../../src/db/array_types.ts";
import { Database } from "../../src/db/database.ts";
import { parseDatabaseUrl } from "../../src/db/url.ts";
import { recall } from "../../src/domain/recall/recall.ts";
import { RecallBody } from "../../src/schema/recall.ts";
import { Progress } from "./_bench.ts";
import type { Access, BenchService } from "./_service.ts";

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
  // A recall from memory has no statements except the read of the feed's end.
  const config = readConfig({ ...service.env, SVC_HOT_UNITS_MAX: "0" });
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
  const ctx = createContext({ ...deps, db }, principal, {
    requestId: "bench",
    operationId: "bench",
    signal: deps.stopping,
  });
  const recorded: RecordedRecall[] = [];
  for (const body of bodies) {
    steps = [];
    open = false;
    await recall(ctx, RecallBody.parse(body));
    recorded.push(steps.filter((step) => step.length > 0));
  }
  return recorded;
}

/** Runs recorded recalls as the request role, on a connection of its own. */
export class Replayer implements AsyncDisposable {
  readonly #sql: postgres.Sql;

  constructor(service: BenchService) {
    this.#sql = postgres({
      ...parseDatabaseUrl(service.requestUrl!),
      max: 1,
      fetch_types: false,
      types: { ...ARRAY_TYPES, bytea: BYTEA },
      onnotice: () => {},
    });
  }

  /** Milliseconds of each recall: all its statements in a transaction, the steps sent as the service sends them. */
  async runWhole(recorded: readonly RecordedRecall[]): Promise<number[]> {
    const times: number[] = [];
    for (const steps of recorded) {
      const started = performance.now();
      await this.#sql.begin("read only", async (tx) => {
        for (const step of steps) await Promise.all(step.map((statement) => run(tx, statement)));
      });
      times.push(performance.now() - started);
    }
    return times;
  }

  /** Milliseconds of each statement alone, by the tables that it reads. */
  async runApart(recorded: readonly RecordedRecall[]): Promise<Map<string, number[]>> {
    const times = new Map<string, number[]>();
    const progress = new Progress("Bare statements", recorded.length);
    for (const steps of recorded) {
      await this.#sql.begin("read only", async (tx) => {
        for (const statement of steps.flat()) {
          const started = performance.now();
          await run(tx, statement);
          const name = nameOf(statement.text);
          times.set(name, [...times.get(name) ?? [], performance.now() - started]);
        }
      });
      progress.add();
    }
    progress.end();
    return times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }
}

function run(tx: postgres.TransactionSql, { text, parameters, types }: Statement) {
  const typed = parameters.map((value, i) => types[i] ? tx.typed(value as never, types[i]!) : value);
  return tx.unsafe(text, typed as never[], { prepare: true });
}

/** A short name: the tables, in the order of their first mention. */
function nameOf(text: string): string {
  if (/\bset_config\(/.test(text)) return "set_config";
  const tables = [...text.matchAll(/\b(?:from|join)\s+(\w+)/gi)].map(([, name]) => name!.toLowerCase())
    .filter((name) => !["unnest", "found", "summed", "lateral"].includes(name));
  const columns = /\b(content|citations)\b/.test(text) ? " rows" : "";
  return [...new Set(tables)].join("+") + columns;
}
