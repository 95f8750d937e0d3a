/**
 * Measures whether recall finds a fact by a question in other words: all statements of `tests/data/paraphrases` in one
 * workspace, and each question once as a caller asks it, and once with `minScore: 0`, which says how the order is.
 *
 *     deno run -A scripts/bench/paraphrases.ts [--database postgres|embedded|any] [--tier full|hot] [--json <file>]
 *
 * - first: the statement that answers the question is the first result. wrong: another one is. nothing: no result.
 * - order: the statement is the first, or among the first three, when nothing is cut.
 * - quiet: no result for a question that no statement answers.
 */
import { parseArgs } from "node:util";
import { describeMachine, formatTable, note, Progress, round, writeJson } from "./_bench.ts";
import { type BenchService, parseDatabase, startBenchService } from "./_service.ts";

const TABLE = new URL("../../tests/data/paraphrases/paraphrases.psv", import.meta.url);
const TRIES_MAX = 100;
const PATHS = { full: "/v1/memory/recall", hot: "/v1/memory/recall/hot" } as const;

interface Question {
  /** Empty: no statement answers it. */
  readonly statement: string;
  readonly question: string;
}

async function readQuestions(): Promise<Question[]> {
  const [, ...lines] = (await Deno.readTextFile(TABLE)).trim().split("\n");
  return lines.map((line) => {
    const [statement, question] = line.split("|") as [string, string];
    return { statement, question };
  });
}

async function call<T>({ url, access }: BenchService, path: string, body: unknown): Promise<T> {
  const reply = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${access.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`Cannot call ${path}: ${await reply.text()}`);
  return await reply.json();
}

/** Positions in a list, from 0; -1: not in it. */
interface Asked {
  readonly hasAnswer: boolean;
  readonly place: number;
  readonly results: number;
  /** Its position if nothing is cut. */
  readonly order: number;
}

async function ask(
  service: BenchService,
  path: string,
  { statement, question: query }: Question,
  ids: ReadonlyMap<string, string>,
): Promise<Asked> {
  type Reply = { readonly results: readonly { readonly id: string }[] };
  const wanted = ids.get(statement);
  const placeIn = ({ results }: Reply) => results.findIndex(({ id }) => id === wanted);
  const reply = await call<Reply>(service, path, { query });
  const order = await call<Reply>(service, path, { query, minScore: 0 });
  return {
    hasAnswer: statement !== "",
    place: placeIn(reply),
    results: reply.results.length,
    order: placeIn(order),
  };
}

/** Asks until hot recall answers from memory, because a workspace's second request begins to load it. */
async function holdInMemory(service: BenchService): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    type Reply = { readonly tiers: readonly { readonly tier: string }[] };
    const { tiers: [first] } = await call<Reply>(service, PATHS.hot, { query: "memory" });
    if (first?.tier === "hot") return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Cannot measure hot recall: the workspace is not in memory");
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: "string", default: "any" },
      tier: { type: "string", default: "full" },
      json: { type: "string" },
    },
  });
  if (values.tier !== "full" && values.tier !== "hot") throw new Error("--tier is full or hot");
  const machine = describeMachine();
  const questions = await readQuestions();
  await using service = await startBenchService({ database: parseDatabase(values.database) });
  const ids = new Map<string, string>();
  for (const statement of new Set(questions.flatMap(({ statement }) => statement || []))) {
    const { id } = await call<{ id: string }>(service, "/v1/memory/facts", { statement });
    ids.set(statement, id);
  }
  if (values.tier === "hot") await holdInMemory(service);
  const asked: Asked[] = [];
  const progress = new Progress("questions", questions.length);
  for (const question of questions) {
    asked.push(await ask(service, PATHS[values.tier], question, ids));
    progress.add();
  }
  progress.end();
  const answered = asked.filter(({ hasAnswer }) => hasAnswer), others = asked.filter(({ hasAnswer }) => !hasAnswer);
  const share = (some: readonly Asked[], holds: (one: Asked) => boolean) =>
    round(100 * some.filter(holds).length / some.length, 1);
  const results = {
    first: share(answered, ({ place }) => place === 0),
    wrong: share(answered, ({ place, results }) => place !== 0 && results > 0),
    nothing: share(answered, ({ results }) => results === 0),
    orderFirst: share(answered, ({ order }) => order === 0),
    orderThree: share(answered, ({ order }) => order >= 0 && order < 3),
    quiet: share(others, ({ results }) => results === 0),
  };
  note(`load before: ${machine.loadBefore.join(" ")}`);
  console.log(
    `${ids.size} statements; ${answered.length} questions with an answer, ${others.length} without; in per cent`,
  );
  console.log(formatTable(["first", "wrong", "nothing", "order: first", "order: first three", "quiet"], [
    Object.values(results),
  ]));
  await writeJson(values.json, { program: "bench_paraphrases", machine, tier: values.tier, results });
}

if (import.meta.main) await main();
