/**
 * Measures recall on LoCoMo conversations over HTTP, as an agent would use the service.
 *
 *     deno run -A scripts/train/eval_locomo.ts --data <folder with conversations.json>
 *       [--url <service> --key <key>] [--database postgres|embedded|any] [--limit 20] [--json <file>] [--details]
 *
 * All conversations stand in one workspace: a session each session, a turn each turn, at the session's local time read
 * as UTC. Then every question is asked once with `types: ["turn"]`. Without `--url` a service is started and thrown away.
 *
 * - recall@k: the mean, over questions, of the share of a question's evidence turns that are among the first k results.
 *   Not "any evidence", and not sessions. What the service cut away as irrelevant counts as not found.
 * - all@10: share of the questions whose evidence turns are all among the first 10. nDCG@10: binary gain.
 * - Questions of categories 1 to 4 with evidence that exists count. Category 5 has no answer in the conversations: with
 *   it, AUC says how often `evidenceConfidence` is higher for an answerable question than for one of category 5.
 */
import { parseArgs } from "node:util";
import {
  describeMachine,
  formatTable,
  mean,
  note,
  parseCount,
  Progress,
  round,
  summarise,
  writeJson,
} from "../bench/_bench.ts";
import { type Access, parseDatabase, startBenchService } from "../bench/_service.ts";

export const CATEGORIES: Readonly<Record<number, string>> = {
  1: "multi-hop",
  2: "temporal",
  3: "open-domain",
  4: "single-hop",
};
const UNANSWERABLE = 5;
/** Questions asked before the clock counts. */
const WARM_UP = 20;

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

export interface Conversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
}

export interface Question {
  readonly question: string;
  readonly category: number;
  /** Message ids of the turns that answer it. */
  readonly evidence: readonly string[];
}

/** One question's answer. */
export interface Asked extends Question {
  /** Message ids, best first. */
  readonly found: readonly string[];
  readonly evidenceConfidence: number;
  readonly tokens: number;
  readonly clientMs: number;
  readonly serverMs: number;
}

export interface Target {
  readonly url: string;
  readonly key: string;
}

/** Stores conversations; answers the message ids of all turns. */
export async function loadConversations(target: Target, conversations: readonly Conversation[]): Promise<Set<string>> {
  const sessions = conversations.flatMap(({ sample_id: sample, conversation }) =>
    Object.keys(conversation).filter((name) => /^session_\d+$/.test(name)).map((name) => ({
      title: `${sample} ${name}`,
      startedAt: parseSessionTime(String(conversation[`${name}_date_time`])),
      turns: conversation[name] as Turn[],
      sample,
    }))
  );
  const progress = new Progress("Storing turns", sessions.reduce((sum, session) => sum + session.turns.length, 0));
  const ids = new Set<string>();
  for (const { title, startedAt, turns, sample } of sessions) {
    const { id } = await call<{ id: string }>(target, "/v1/session", { title, startedAt });
    const bodies = turns.map((turn) => ({
      role: "user",
      name: turn.speaker,
      content: turn.text + (turn.blip_caption ? ` [photo: ${turn.blip_caption}]` : ""),
      messageId: `${sample}:${turn.dia_id}`,
      occurredAt: startedAt,
    }));
    for (const body of bodies) ids.add(body.messageId);
    for (let at = 0; at < bodies.length; at += 500) {
      await call(target, `/v1/session/${id}/turns`, { turns: bodies.slice(at, at + 500) });
    }
    progress.add(turns.length);
  }
  progress.end();
  return ids;
}

/** The questions with the evidence that exists; those of categories 1 to 4 without any are left out. */
export function listQuestions(conversations: readonly Conversation[], stored: ReadonlySet<string>): Question[] {
  return conversations.flatMap(({ sample_id: sample, qa }) =>
    qa.map(({ question, category, evidence = [] }) => ({
      question,
      category,
      evidence: [...new Set(evidence.flatMap((ids) => ids.split(/[;,\s]+/)).map((id) => `${sample}:${id}`))]
        .filter((id) => stored.has(id)),
    }))
  ).filter(({ category, evidence }) => category === UNANSWERABLE || (category in CATEGORIES && evidence.length > 0));
}

export async function askQuestions(target: Target, questions: readonly Question[], limit: number): Promise<Asked[]> {
  const ask = async (question: Question): Promise<Asked> => {
    const started = performance.now();
    const reply = await call<RecallReply>(target, "/v1/memory/recall", {
      query: question.question,
      types: ["turn"],
      limit,
    });
    const clientMs = performance.now() - started;
    return {
      ...question,
      found: reply.results.map((result) => result.messageId),
      evidenceConfidence: reply.evidenceConfidence,
      tokens: reply.usage.tokens,
      clientMs,
      serverMs: reply.usage.durationMs,
    };
  };
  for (const question of questions.slice(0, WARM_UP)) await ask(question);
  const progress = new Progress("Asking questions", questions.length);
  const asked: Asked[] = [];
  for (const question of questions) {
    asked.push(await ask(question));
    progress.add();
  }
  progress.end();
  return asked;
}

interface RecallReply {
  readonly results: readonly { readonly messageId: string }[];
  readonly evidenceConfidence: number;
  readonly usage: { readonly tokens: number; readonly durationMs: number };
}

/** The share of the evidence among the first k. */
export function recallAt({ evidence, found }: Asked, k: number): number {
  const first = new Set(found.slice(0, k));
  return evidence.filter((id) => first.has(id)).length / evidence.length;
}

/** Binary gain, discount log2(rank + 1), divided by that of the best order. */
export function ndcgAt({ evidence, found }: Asked, k: number): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 1);
  const wanted = new Set(evidence);
  const got = found.slice(0, k).reduce((sum, id, i) => sum + (wanted.has(id) ? gain(i + 1) : 0), 0);
  let best = 0;
  for (let rank = 1; rank <= Math.min(k, wanted.size); rank++) best += gain(rank);
  return got / best;
}

/** The probability that a value of `high` is above one of `low`; ties count half. */
export function areaUnderCurve(high: readonly number[], low: readonly number[]): number {
  if (high.length === 0 || low.length === 0) return NaN;
  let wins = 0;
  for (const a of high) for (const b of low) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return wins / (high.length * low.length);
}

export function score(asked: readonly Asked[]) {
  const share = (value: number) => round(value, 4);
  return {
    questions: asked.length,
    "recall@5": share(mean(asked.map((one) => recallAt(one, 5)))),
    "recall@10": share(mean(asked.map((one) => recallAt(one, 10)))),
    "recall@20": share(mean(asked.map((one) => recallAt(one, 20)))),
    "nDCG@10": share(mean(asked.map((one) => ndcgAt(one, 10)))),
    "all@10": share(mean(asked.map((one) => recallAt(one, 10) === 1 ? 1 : 0))),
    meanResults: round(mean(asked.map((one) => one.found.length)), 2),
    meanTokens: round(mean(asked.map((one) => one.tokens)), 1),
    meanEvidenceConfidence: round(mean(asked.map((one) => one.evidenceConfidence)), 3),
  };
}

export function report(asked: readonly Asked[]) {
  const answerable = asked.filter(({ category }) => category !== UNANSWERABLE);
  const unanswerable = asked.filter(({ category }) => category === UNANSWERABLE);
  const confidence = (list: readonly Asked[]) => list.map((one) => one.evidenceConfidence);
  const { meanResults, meanTokens, meanEvidenceConfidence } = score(unanswerable);
  return {
    all: score(answerable),
    byCategory: Object.fromEntries(
      Object.entries(CATEGORIES).map(([number, name]) => [
        name,
        score(answerable.filter(({ category }) => category === Number(number))),
      ]),
    ),
    unanswerable: { questions: unanswerable.length, meanResults, meanTokens, meanEvidenceConfidence },
    evidenceConfidenceAuc: round(areaUnderCurve(confidence(answerable), confidence(unanswerable)), 4),
    latency: {
      overHttp: summarise(asked.map((one) => one.clientMs)),
      inService: summarise(asked.map((one) => one.serverMs)),
    },
  };
}

async function call<T>({ url, key }: Target, path: string, body: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Cannot POST ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** `1:56 pm on 8 May, 2023` → RFC 3339, read as UTC. */
function parseSessionTime(text: string): string {
  const match = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text);
  if (!match) throw new Error(`Cannot read session time: ${text}`);
  const [, hour, minute, half, day, month, year] = match;
  const minutes = (Number(hour) % 12 + (half === "pm" ? 12 : 0)) * 60 + Number(minute);
  return new Date(Date.parse(`${day} ${month} ${year} UTC`) + minutes * 60_000).toISOString();
}

function printReport(result: ReturnType<typeof report>): void {
  const names = [
    "questions",
    "recall@5",
    "recall@10",
    "recall@20",
    "nDCG@10",
    "all@10",
    "meanResults",
    "meanTokens",
  ] as const;
  const cell = (value: number, name: string) => /@/.test(name) ? (value * 100).toFixed(1) : String(value);
  const row = (label: string, scores: ReturnType<typeof score>) => [label, ...names.map((n) => cell(scores[n], n))];
  console.log(formatTable(["category", ...names], [
    ...Object.entries(result.byCategory).map(([name, scores]) => row(name, scores)),
    row("all (1–4)", result.all),
  ]));
  const { overHttp, inService } = result.latency;
  console.log(
    `\nrecall@k: mean share of a question's evidence turns among the first k; all@10: all of them.` +
      `\nno answer (5): ${result.unanswerable.questions} questions, ${result.unanswerable.meanResults} results each; ` +
      `evidenceConfidence ${result.unanswerable.meanEvidenceConfidence} against ${result.all.meanEvidenceConfidence}, ` +
      `AUC ${result.evidenceConfidenceAuc}` +
      `\nlatency over HTTP p50 ${overHttp.p50Ms} ms, p95 ${overHttp.p95Ms} ms, p99 ${overHttp.p99Ms} ms; ` +
      `in the service p50 ${inService.p50Ms} ms, p95 ${inService.p95Ms} ms`,
  );
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      data: { type: "string" },
      url: { type: "string" },
      key: { type: "string" },
      database: { type: "string", default: "any" },
      limit: { type: "string" },
      json: { type: "string" },
      details: { type: "boolean", default: false },
    },
  });
  if (options.data === undefined) throw new Error("Cannot measure: --data <folder with conversations.json> is missing");
  if ((options.url === undefined) !== (options.key === undefined)) throw new Error("Cannot measure: --url needs --key");
  const limit = parseCount("limit", options.limit, 20);
  const conversations = JSON.parse(await Deno.readTextFile(`${options.data}/conversations.json`)) as Conversation[];
  const machine = describeMachine();
  await using service = options.url === undefined
    ? await startBenchService({ database: parseDatabase(options.database) })
    : undefined;
  const access: Pick<Access, "key"> = service?.access ?? { key: options.key! };
  const target = { url: service?.url ?? options.url!, key: access.key };
  const stored = await loadConversations(target, conversations);
  const questions = listQuestions(conversations, stored);
  const asked = await askQuestions(target, questions, limit);
  const result = report(asked);
  const database = service?.database ?? "the given service's";
  note(`${conversations.length} conversations, ${stored.size} turns in one workspace; database: ${database}`);
  printReport(result);
  await writeJson(options.json, {
    program: "eval_locomo",
    machine,
    database,
    limit,
    conversations: conversations.length,
    turns: stored.size,
    ...result,
    ...(options.details && { asked }),
  });
}

if (import.meta.main) await main();
