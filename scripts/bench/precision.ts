/**
 * Measures over HTTP whether recall returns what is relevant and no more, on the hand-written cases of
 * tests/data/precision: each store in a workspace of its own.
 *
 *     deno run -A scripts/bench/precision.ts [--database postgres|embedded|any] [--tier full|hot]
 *       [--half held|fitted|all] [--json <file>] [--details]
 *
 * A store is asked when all of its texts have the encoder's vectors. Each case is asked twice: as a caller asks, and with `minScore: 0`, which says how the order is.
 *
 * - exact: the wanted results and nothing else; for a case that its store does not answer, nothing.
 * - passed: all wanted results and at most one other; for a case that its store does not answer, nothing.
 * - perfect cut: the best that ending each list elsewhere, in the same order, could reach.
 * - precision, recall: of all returned results the wanted ones; of all wanted results the returned ones.
 * - calibration error: `score` of all that has any sign, up to the limit, in ten bins of equal width: the mean distance of
 *   the mean score and the share of wanted results, weighed by count.
 *
 * Cases of the half that is not held were fitted on: what counts is the held half, which is the default.
 */
import { parseArgs } from "node:util";
import { measureCalibration } from "../train/logistic.ts";
import { type Case, type CaseStore, isHeld, isLong, readCaseStores } from "../train/precision_data.ts";
import { describeMachine, formatTable, mean, note, Progress, round, writeJson } from "./_bench.ts";
import { type BenchService, parseDatabase, startBenchService } from "./_service.ts";

const ADMIN_TOKEN = "precision-bench-admin-token-of-40-characters";
const LIMIT = 20;
/** The most other results that a passed case may have besides the wanted ones. */
const OTHERS_MAX = 1;
const PATHS = { full: "/v1/memory/recall", hot: "/v1/memory/recall/hot" } as const;

interface Scored {
  readonly id: string;
  readonly score: number;
}

/** A case with its results, by the ids of the store. */
interface Asked {
  readonly id: string;
  readonly long: boolean;
  readonly talk: boolean;
  readonly wanted: readonly string[];
  readonly returned: readonly string[];
  /** All results with any sign, best first. */
  readonly all: readonly Scored[];
  readonly evidenceConfidence: number;
}

/** Posts a body, or gets a path where there is none. */
type Call = <T>(path: string, body?: unknown) => Promise<T>;

const WAIT_MS = 20, WAITS_MAX = 3_000;

/** Waits until the worker has replaced the table's vectors, which a batch gets at first. */
async function settle(call: Call): Promise<void> {
  for (let waits = 0; waits < WAITS_MAX; waits++) {
    const { embeddingBacklog } = await call<{ embeddingBacklog: number }>("/v1/memory/health");
    if (embeddingBacklog === 0) return;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error("Cannot measure: texts still wait for their vectors");
}

function callerOf(service: BenchService, token: string): Call {
  return async (path, body) => {
    const response = await fetch(service.url + path, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...body !== undefined && { method: "POST", body: JSON.stringify(body) },
    });
    if (!response.ok) throw new Error(`Cannot call ${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  };
}

/** Makes a workspace for a store; returns a function that calls it. */
async function openStore(service: BenchService, { id }: CaseStore): Promise<Call> {
  const admin = callerOf(service, ADMIN_TOKEN);
  const workspace = await admin<{ id: string }>("/v1/admin/workspaces", { name: id, region: "us-east-1" });
  const { key } = await admin<{ key: string }>("/v1/admin/api-keys", { name: id, workspace_id: workspace.id });
  return callerOf(service, key);
}

/** Stores facts and turns; returns the store's id for each fact's id. Turns have it as their message id. */
async function fillStore(call: Call, { facts = {}, sessions = [] }: CaseStore): Promise<ReadonlyMap<string, string>> {
  const ids = Object.keys(facts);
  const idOf = new Map<string, string>();
  if (ids.length > 0) {
    const { results } = await call<{ results: { index: number; fact?: { id: string }; error?: unknown }[] }>(
      "/v1/memory/facts/batch",
      { facts: ids.map((id) => ({ statement: facts[id] })) },
    );
    for (const { index, fact, error } of results) {
      if (fact === undefined) throw new Error(`Cannot store ${ids[index]}: ${JSON.stringify(error)}`);
      idOf.set(fact.id, ids[index]!);
    }
  }
  for (const { at, turns } of sessions) {
    const { id } = await call<{ id: string }>("/v1/session", { title: at, startedAt: at });
    const bodies = turns.map(([messageId, name, content]) => ({
      ...(name === "user" || name === "assistant" ? { role: name } : { role: "user", name }),
      ...{ messageId, content, occurredAt: at },
    }));
    await call(`/v1/session/${id}/turns`, { turns: bodies });
  }
  return idOf;
}

interface Reply {
  readonly results: readonly { readonly id: string; readonly messageId?: string; readonly score: number }[];
  readonly evidenceConfidence: number;
}

async function askCase(
  call: Call,
  path: string,
  store: CaseStore,
  one: Case,
  idOf: ReadonlyMap<string, string>,
): Promise<Asked> {
  const name = ({ id, messageId }: Reply["results"][number]) => idOf.get(id) ?? messageId ?? id;
  // The sessions' day, because the meaning of "yesterday" must not depend on the day of the measurement.
  const body = { query: one.query, limit: LIMIT, types: ["fact", "turn"], referenceDate: "2026-06-01T00:00:00Z" };
  const reply = await call<Reply>(path, body);
  const uncut = await call<Reply>(path, { ...body, minScore: 0 });
  return {
    id: one.id,
    long: isLong(one),
    talk: store.sessions !== undefined,
    wanted: one.wanted,
    returned: reply.results.map(name),
    all: uncut.results.map((result) => ({ id: name(result), score: result.score })),
    evidenceConfidence: reply.evidenceConfidence,
  };
}

/** Judges one list for a case. */
export function judgeList(wanted: readonly string[], list: readonly string[]) {
  const hits = list.filter((id) => wanted.includes(id)).length, others = list.length - hits;
  const exact = hits === wanted.length && others === 0;
  return { hits, exact, passed: exact || wanted.length > 0 && hits === wanted.length && others <= OTHERS_MAX };
}

export function score(asked: readonly Asked[]) {
  const judged = asked.map((one) => judgeList(one.wanted, one.returned));
  const best = asked.map(({ wanted, all }) => {
    const ids = all.map(({ id }) => id);
    const ends = Array.from({ length: ids.length + 1 }, (_, end) => judgeList(wanted, ids.slice(0, end)));
    return { exact: ends.some(({ exact }) => exact), passed: ends.some(({ passed }) => passed) };
  });
  const count = (list: readonly boolean[]) => list.filter(Boolean).length;
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  const hits = sum(judged.map((one) => one.hits));
  const { error, curve } = measureCalibration(
    asked.flatMap(({ wanted, all }) => all.map(({ id, score }) => ({ p: score, label: wanted.includes(id) ? 1 : 0 }))),
  );
  return {
    cases: asked.length,
    exact: count(judged.map(({ exact }) => exact)),
    passed: count(judged.map(({ passed }) => passed)),
    perfectExact: count(best.map(({ exact }) => exact)),
    perfectPassed: count(best.map(({ passed }) => passed)),
    precision: round(hits / Math.max(1, sum(asked.map(({ returned }) => returned.length))), 3),
    recall: round(hits / Math.max(1, sum(asked.map(({ wanted }) => wanted.length))), 3),
    meanResults: round(mean(asked.map(({ returned }) => returned.length)), 2),
    calibrationError: round(error, 4),
    curve,
  };
}

function group(asked: readonly Asked[]): Record<string, ReturnType<typeof score>> {
  const facts = asked.filter(({ talk }) => !talk);
  const groups = {
    "facts, short": facts.filter(({ long }) => !long),
    "facts, long": facts.filter(({ long }) => long),
    "facts, all": facts,
    "sessions": asked.filter(({ talk }) => talk),
  };
  return Object.fromEntries(Object.entries(groups).map(([name, list]) => [name, score(list)]));
}

function printReport(groups: Record<string, ReturnType<typeof score>>): void {
  const head = ["cases of", "cases", "exact", "perfect", "passed", "perfect", "precision", "recall", "results", "ECE"];
  console.log(formatTable(
    head,
    Object.entries(groups).map(([name, one]) => [
      name,
      ...[one.cases, one.exact, one.perfectExact, one.passed, one.perfectPassed],
      ...[one.precision, one.recall, one.meanResults, one.calibrationError],
    ]),
  ));
  console.log("\nscore said → was so (results), facts:");
  for (const { from, said, was, count } of groups["facts, all"]!.curve) {
    if (count > 0) console.log(`${from.toFixed(1)}  ${said.toFixed(2)} → ${was.toFixed(2)}  (${count})`);
  }
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      database: { type: "string", default: "embedded" },
      tier: { type: "string", default: "full" },
      half: { type: "string", default: "held" },
      json: { type: "string" },
      details: { type: "boolean", default: false },
    },
  });
  const { tier, half } = options;
  if (tier !== "full" && tier !== "hot") throw new Error(`Cannot measure: --tier ${tier} is not full or hot`);
  if (!["held", "fitted", "all"].includes(half)) {
    throw new Error(`Cannot measure: --half ${half} is not held, fitted or all`);
  }
  const stores = readCaseStores().filter((store) => half === "all" || isHeld(store) === (half === "held"));
  const machine = describeMachine();
  await using service = await startBenchService({
    database: parseDatabase(options.database),
    env: { SVC_ADMIN_TOKEN: ADMIN_TOKEN },
  });
  const progress = new Progress("Asking cases", stores.reduce((sum, { cases }) => sum + cases.length, 0));
  const asked: Asked[] = [];
  for (const store of stores) {
    const call = await openStore(service, store);
    const idOf = await fillStore(call, store);
    await settle(call);
    for (const one of store.cases) {
      asked.push(await askCase(call, PATHS[tier], store, one, idOf));
      progress.add(1);
    }
  }
  progress.end();
  const groups = group(asked);
  note(`${stores.length} stores, a workspace each; ${half} half; ${tier} recall; database: ${service.database}`);
  printReport(groups);
  await writeJson(options.json, {
    program: "precision",
    machine,
    database: service.database,
    ...{ tier, half, limit: LIMIT, groups },
    ...(options.details && { asked }),
  });
}

if (import.meta.main) await main();
