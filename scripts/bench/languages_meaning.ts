/**
 * Measures what a multilingual model behind an endpoint finds of facts in other languages, beside the built-in encoder: the
 * same facts and questions as `languages.ts`, through a service, all languages in one workspace.
 *
 *     deno run -A scripts/bench/languages_meaning.ts --url http://127.0.0.1:8799/v1 [--model multilingual-e5-small]
 *       [--crossed] [--database postgres|embedded|any] [--json <file>]
 *
 * - `--crossed`: the facts in German alone, by questions in English.
 * - first, first 3: share of the questions whose fact is the first result, and among the first three, after the cut.
 *
 * The vectors of the questions are made before they are asked, so that a model that is slow here loses nothing by the
 * deadline of a question.
 */
import { parseArgs } from "node:util";
import { type LanguageName, LANGUAGES, type Pair, readPairs } from "../../tests/recall/_languages.ts";
import { describeMachine, formatTable, note, round, writeJson } from "./_bench.ts";
import { Client } from "./_load.ts";
import { type BenchService, parseDatabase, startBenchService } from "./_service.ts";

const FIRST = 3;

interface Found {
  asked: number;
  first: number;
  among: number;
  nothing: number;
}

/** An endpoint in front of another one, which is asked once for each text. */
function startCache(url: string, model: string) {
  const known = new Map<string, Promise<number[]>>();
  const ask = (texts: readonly string[]) => {
    const body = JSON.stringify({ model, input: texts, encoding_format: "float" });
    const reply = fetch(`${url}/embeddings`, { method: "POST", body, headers: { "content-type": "application/json" } })
      .then(async (response) => {
        if (!response.ok) throw new Error(`Cannot embed: ${url} answers ${response.status} ${await response.text()}`);
        return (await response.json() as { data: { embedding: number[] }[] }).data;
      });
    texts.forEach((text, i) => known.set(text, reply.then((data) => data[i]!.embedding)));
    return reply;
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { input } = await request.json() as { input: string[] };
    const fresh = [...new Set(input)].filter((text) => !known.has(text));
    if (fresh.length > 0) await ask(fresh);
    const vectors = await Promise.all(input.map((text) => known.get(text)!));
    return Response.json({ data: vectors.map((embedding, index) => ({ index, embedding })) });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    /** Asks for texts some at a time. */
    async learn(texts: readonly string[]) {
      for (let from = 0; from < texts.length; from += 16) await ask(texts.slice(from, from + 16));
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function readSet(language: LanguageName): Promise<LanguageSet> {
  return { language, pairs: await readPairs(language) };
}

async function readCrossed(): Promise<LanguageSet> {
  const file = new URL("../../tests/data/languages/english_of_german.json", import.meta.url);
  const questions: string[] = JSON.parse(await Deno.readTextFile(file));
  const pairs = await readPairs("german");
  return { language: "German by English", pairs: pairs.map((pair, i) => ({ ...pair, question: questions[i]! })) };
}

interface LanguageSet {
  readonly language: string;
  readonly pairs: readonly Pair[];
}

async function measure(
  service: BenchService,
  sets: readonly LanguageSet[],
): Promise<Record<string, Found>> {
  using client = await Client.open(service.url, service.access.key);
  const statements = sets.flatMap(({ pairs }) => pairs.map(({ fact }) => fact));
  for (let from = 0; from < statements.length; from += 100) {
    await client.post("/v1/memory/facts/batch", {
      facts: statements.slice(from, from + 100).map((statement) => ({ statement })),
    });
  }
  for (let waiting = 1; waiting > 0;) {
    const headers = { authorization: `Bearer ${service.access.key}` };
    const health = await (await fetch(`${service.url}/v1/memory/health`, { headers })).json();
    waiting = health.embeddingBacklog;
    if (waiting > 0) await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const all: Record<string, Found> = {};
  for (const { language, pairs } of sets) {
    const found = all[language] = { asked: 0, first: 0, among: 0, nothing: 0 };
    for (const { fact, question } of pairs) {
      const { results } = await client.post("/v1/memory/recall", { query: question }) as {
        results: { text: string }[];
      };
      const place = results.findIndex(({ text }) => text === fact);
      found.asked++;
      if (place === 0) found.first++;
      if (place >= 0 && place < FIRST) found.among++;
      if (results.length === 0) found.nothing++;
    }
  }
  return all;
}

const { values: options } = parseArgs({
  options: {
    url: { type: "string" },
    model: { type: "string", default: "multilingual-e5-small" },
    crossed: { type: "boolean", default: false },
    database: { type: "string", default: "any" },
    json: { type: "string" },
  },
});
if (options.url === undefined) throw new Error("Cannot measure: --url names no endpoint");
const sets = options.crossed ? [await readCrossed()] : await Promise.all(LANGUAGES.map(readSet));
const machine = describeMachine(), database = parseDatabase(options.database);
await using cache = startCache(options.url, options.model);
note("The endpoint makes the vectors of the questions.");
await cache.learn(sets.flatMap(({ pairs }) => pairs.map(({ question }) => question)));
const arms: Record<string, Record<string, Found>> = {};
const endpoint = {
  SVC_EMBEDDINGS_URL: cache.url,
  SVC_EMBEDDINGS_MODEL: options.model,
  SVC_EMBEDDINGS_TIMEOUT_MS: "120000",
};
for (const [name, env] of [["built in", {}], [options.model, endpoint]] as const) {
  note(`Measuring: ${name}`);
  await using service = await startBenchService({ database, env });
  arms[name] = await measure(service, sets);
}
const names = Object.keys(arms);
const share = (part: number, { asked }: Found) => `${round(100 * part / asked, 0)} %`;
const rowOf = (title: string, of: (arm: Record<string, Found>) => Found) => [
  title,
  ...names.flatMap((name) => {
    const found = of(arms[name]!);
    return [share(found.first, found), share(found.among, found), share(found.nothing, found)];
  }),
];
const sumOf = (arm: Record<string, Found>): Found =>
  Object.values(arm).reduce((sum, { asked, first, among, nothing }) => ({
    asked: sum.asked + asked,
    first: sum.first + first,
    among: sum.among + among,
    nothing: sum.nothing + nothing,
  }));
console.log(formatTable(
  ["language", ...names.flatMap((name) => [`${name}: first`, `first ${FIRST}`, "nothing"])],
  [...sets.map(({ language }) => rowOf(language, (arm) => arm[language]!)), rowOf("all", sumOf)],
));
await writeJson(options.json, { program: "bench_tongues_meaning", machine, model: options.model, arms });
