/**
 * Measures whether recall says what is true now, on pairs of statements of which the newer one changes what the older one
 * says, and on pairs that only look so (`tests/data/updates`). Each pair is written, asked about and erased before the next,
 * so that it has the workspace to itself.
 *
 *     deno run -A scripts/bench/truth.ts [--path facts,sessions] [--half tuning,held] [--further | --chat] [--most 100] [--list]
 *         [--json <file>]
 *
 * - facts: each statement is a fact, written by `POST /v1/memory/facts`, the newer after the older.
 * - sessions: each statement is a turn of a user in a session of its own, which is collapsed.
 *
 * `current first`: the newer statement comes before the older one. `outdated above`: the older statement comes before the
 * newer one, or without it, and says neither that it has ended nor what outdates it. `ended`: the older statement was closed.
 * Of compatible pairs `ended` is a fault. With `--list` the pairs that fail are listed, of the tuning half only.
 * `--further` measures the third tables (`more_*.psv`) instead, from which rules are made: all their pairs are for tuning.
 * `--chat` measures turns of chat that tell an update in passing (`chat_*.psv`), with `--path sessions` unless it says otherwise.
 */
import { parseArgs } from "node:util";
import {
  type CompatiblePair,
  type Half,
  halfOf,
  readChatCompatible,
  readChatUpdates,
  readCompatible,
  readFurtherCompatible,
  readFurtherUpdates,
  readUpdates,
  type UpdatePair,
} from "../../tests/_updates.ts";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { parseDatabase, startBenchService } from "./_service.ts";

const PATHS = ["facts", "sessions"] as const;
type Path = (typeof PATHS)[number];

/** The least share of updates whose newer statement comes first, and the most that return an outdated one unmarked. */
const CURRENT_FIRST_MIN = 0.9;
const OUTDATED_MAX = 0.05;
/** The largest share of compatible pairs of which one statement was closed. */
const ENDED_MAX = 0.005;

// deno-lint-ignore no-explicit-any
type Json = any;

/** Sends one request after the other, with a key. */
class Client {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  get(path: string): Promise<Json> {
    return this.#ask("GET", path);
  }

  post(path: string, body: unknown): Promise<Json> {
    return this.#ask("POST", path, body);
  }

  /** @throws Error for an unsuccessful reply. */
  async #ask(method: string, path: string, body?: unknown): Promise<Json> {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    const reply = await fetch(this.#url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`Cannot ${method} ${path}: ${reply.status} ${text.slice(0, 1_000)}`);
    return JSON.parse(text);
  }
}

/** The pairs of the third tables all have the half `tuning`; `halfOf` decides for the others. */
type Update = Pick<UpdatePair, "id" | "respect" | "older" | "newer" | "question"> & { readonly half?: Half };
type Compatible = CompatiblePair & { readonly half?: Half };

/** Returns the facts that a statement became: none if collapsing kept nothing of it. */
type Teller = (client: Client, statement: string) => Promise<string[]>;

let serial = 0;

const TELLERS: Readonly<Record<Path, Teller>> = {
  async facts(client, statement) {
    const fact = await client.post("/v1/memory/facts", { statement, attribution: "user_stated" });
    return [fact.id];
  },
  async sessions(client, statement) {
    const session = await client.post("/v1/session", {});
    const turns = [{ role: "user", content: statement, messageId: `turn-${++serial}` }];
    await client.post(`/v1/session/${session.id}/turns`, { turns });
    const collapsed = await client.post(`/v1/session/${session.id}/collapse`, {});
    return collapsed.facts.map((fact: Json) => fact.factId);
  },
};

interface Outcome {
  readonly id: string;
  readonly half: Half;
  readonly group: string;
  /** Whether collapsing kept both statements. */
  readonly isTold: boolean;
  readonly isCurrentFirst: boolean;
  readonly isOutdatedAbove: boolean;
  readonly isEnded: boolean;
}

async function readFact(client: Client, id: string): Promise<Json> {
  return await client.get(`/v1/memory/facts/${id}`);
}

async function tellBoth(client: Client, path: Path, pair: Compatible | Update) {
  const older = await TELLERS[path](client, pair.older);
  const newer = await TELLERS[path](client, pair.newer);
  return { older, newer };
}

async function forget(client: Client, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids)) await client.post(`/v1/facts/${id}/forget`, { mode: "erase" });
}

async function measureUpdate(client: Client, path: Path, pair: Update): Promise<Outcome> {
  const { older, newer } = await tellBoth(client, path, pair);
  const reply = await client.post("/v1/memory/recall", { query: pair.question, types: ["fact"] });
  const places: string[] = reply.results.map((result: Json) => result.id);
  const placeOf = (ids: readonly string[]) => places.findIndex((id) => ids.includes(id));
  const [old, current] = [placeOf(older), placeOf(newer)];
  const isAbove = old !== -1 && (current === -1 || old < current);
  const { outdatedBy, status, contested } = reply.results[old] ?? {};
  const isMarked = outdatedBy !== undefined || status === "superseded" || contested === true;
  const facts = await Promise.all(older.map((id) => readFact(client, id)));
  await forget(client, [...older, ...newer]);
  return {
    id: pair.id,
    half: pair.half ?? halfOf(pair.id),
    group: pair.respect,
    isTold: older.length > 0 && newer.length > 0,
    isCurrentFirst: current !== -1 && !isAbove,
    isOutdatedAbove: isAbove && !isMarked,
    isEnded: facts.some((fact) => fact.status === "superseded"),
  };
}

async function measureCompatible(client: Client, path: Path, pair: Compatible): Promise<Outcome> {
  const { older, newer } = await tellBoth(client, path, pair);
  const ids = [...new Set([...older, ...newer])];
  const facts = await Promise.all(ids.map((id) => readFact(client, id)));
  await forget(client, ids);
  return {
    id: pair.id,
    half: pair.half ?? halfOf(pair.id),
    group: pair.kind,
    isTold: older.length > 0 && newer.length > 0,
    isCurrentFirst: false,
    isOutdatedAbove: false,
    isEnded: facts.some((fact) => fact.status === "superseded"),
  };
}

function shareOf(outcomes: readonly Outcome[], member: keyof Outcome): number {
  return outcomes.length === 0 ? 0 : outcomes.filter((outcome) => outcome[member]).length / outcomes.length;
}

function percent(share: number): string {
  return `${round(100 * share, 1)} %`;
}

interface Measured {
  readonly path: Path;
  readonly updates: readonly Outcome[];
  readonly compatible: readonly Outcome[];
}

function tabulate({ path, updates, compatible }: Measured, halves: readonly Half[]): void {
  for (const half of halves) {
    const [ofHalf, alike] = [updates, compatible].map((all) => all.filter((outcome) => outcome.half === half));
    const rowOf = (name: string, outcomes: readonly Outcome[]) => [
      name,
      outcomes.length,
      percent(shareOf(outcomes, "isTold")),
      percent(shareOf(outcomes, "isCurrentFirst")),
      percent(shareOf(outcomes, "isOutdatedAbove")),
      percent(shareOf(outcomes, "isEnded")),
    ];
    const byGroup = (outcomes: readonly Outcome[]) =>
      [...Map.groupBy(outcomes, ({ group }) => group)].map(([group, members]) => rowOf(group, members));
    console.log(`\n${path}, ${half} half`);
    const header = ["updates", "pairs", "told", "current first", "outdated above", "ended"];
    console.log(formatTable(header, [...byGroup(ofHalf!), rowOf("all", ofHalf!)]));
    const plain = ([name, pairs, told, , , ended]: ReturnType<typeof rowOf>) => [name!, pairs!, told!, ended!];
    const rows = [...byGroup(alike!), rowOf("all", alike!)].map(plain);
    console.log(formatTable(["compatible", "pairs", "told", "ended"], rows));
  }
}

/** The bounds that the held half misses. */
function faultsOf({ path, updates, compatible }: Measured): string[] {
  const held = (outcomes: readonly Outcome[]) => outcomes.filter(({ half }) => half === "held");
  const [first, above] = [shareOf(held(updates), "isCurrentFirst"), shareOf(held(updates), "isOutdatedAbove")];
  const ended = shareOf(held(compatible), "isEnded");
  return [
    ...(first < CURRENT_FIRST_MIN ? [`${path}: the current statement is first in ${percent(first)}`] : []),
    ...(above > OUTDATED_MAX ? [`${path}: the outdated one is above in ${percent(above)}`] : []),
    ...(ended > ENDED_MAX ? [`${path}: ${percent(ended)} of compatible pairs were closed`] : []),
  ];
}

function list({ path, updates, compatible }: Measured): void {
  const failed = updates.filter(({ half, isCurrentFirst }) => half === "tuning" && !isCurrentFirst).map(({ id }) => id);
  const closed = compatible.filter(({ half, isEnded }) => half === "tuning" && isEnded).map(({ id }) => id);
  note(`${path}: not first: ${failed.join(" ") || "none"}; wrongly ended: ${closed.join(" ") || "none"}`);
}

function choose<T extends string>(text: string | undefined, all: readonly T[], name: string): readonly T[] {
  const chosen = (text ?? all.join(",")).split(",");
  const unknown = chosen.find((one) => !(all as readonly string[]).includes(one));
  if (unknown !== undefined) throw new Error(`Cannot read --${name}: ${unknown} is none of ${all.join(", ")}`);
  return chosen as T[];
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      path: { type: "string" },
      half: { type: "string" },
      most: { type: "string" },
      list: { type: "boolean" },
      further: { type: "boolean" },
      chat: { type: "boolean" },
      database: { type: "string" },
      json: { type: "string" },
    },
  });
  const isChat = options.chat === true;
  const paths = choose(options.path ?? (isChat ? "sessions" : undefined), PATHS, "path");
  const halves = choose<Half>(options.further === true ? "tuning" : options.half, ["tuning", "held"], "half");
  const most = parseCount("most", options.most, Infinity);
  const machine = describeMachine();
  const isWanted = ({ id }: { readonly id: string }) => halves.includes(halfOf(id));
  const half = "tuning" as const;
  const updates: Update[] = options.further === true
    ? (await readFurtherUpdates()).map((pair) => ({ ...pair, half })).slice(0, most)
    : (await (isChat ? readChatUpdates() : readUpdates())).filter(isWanted).slice(0, most);
  const compatible: Compatible[] = options.further === true
    ? (await readFurtherCompatible()).map((pair) => ({ ...pair, half })).slice(0, most)
    : (await (isChat ? readChatCompatible() : readCompatible())).filter(isWanted).slice(0, most);
  await using service = await startBenchService({ database: parseDatabase(options.database ?? "embedded") });
  const client = new Client(service.url, service.access.key);
  const measured: Measured[] = [];
  for (const path of paths) {
    const found: { updates: Outcome[]; compatible: Outcome[] } = { updates: [], compatible: [] };
    for (const pair of updates) found.updates.push(await measureUpdate(client, path, pair));
    note(`${path}: ${found.updates.length} updates told`);
    for (const pair of compatible) found.compatible.push(await measureCompatible(client, path, pair));
    measured.push({ path, ...found });
  }
  for (const one of measured) tabulate(one, halves);
  if (options.list === true) { for (const one of measured) list(one); }
  await writeJson(options.json, { program: "bench_truth", machine, database: service.database, measured });
  // The bounds hold for the first tables.
  const faults = halves.includes("held") && !isChat ? measured.flatMap(faultsOf) : [];
  if (faults.length > 0) throw new Error(`Cannot accept the run: ${faults.join("; ")}`);
}

if (import.meta.main) await main();
