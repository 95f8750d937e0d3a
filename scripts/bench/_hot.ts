/**
 * Measures the hot tier over HTTP at several concurrencies, and compares it with a validated JSON echo in a process of
 * its own, and with the tier's own frame: the same request with a reply of ten results, but with almost nothing to
 * search.
 */
import { round } from "./_bench.ts";
import { Corpus, QUERY_CLASSES } from "./_corpus.ts";
import { encodeRequest, LOAD_COLUMNS, loadCells, type LoadResult, runLoad, startEcho } from "./_http.ts";
import { formatTable } from "./_bench.ts";
import { Client } from "./_load.ts";
import type { Access, BenchService } from "./_service.ts";

export const CONCURRENCY = 8;
export const HOT = "/v1/memory/recall/hot";

export type Queries = Record<(typeof QUERY_CLASSES)[number], string[]>;

export function requestsOf(
  { url }: { readonly url: string },
  { key }: Access,
  path: string,
  queries: readonly string[],
) {
  return queries.map((query) => encodeRequest(url, "POST", path, { key, body: { query, limit: 10 } }));
}

/** Every class of queries, one after another. */
export function mix(queries: Queries): string[] {
  return queries.question.flatMap((_, i) => QUERY_CLASSES.map((name) => queries[name][i]!));
}

export interface HotResult {
  /** The time of the first request, which the database answers: only the second starts a load. */
  readonly firstMs: number;
  readonly hot: readonly LoadResult[];
  readonly echo: readonly LoadResult[];
  /** The tier in a workspace of ten texts, all of which match the query. */
  readonly frame: readonly LoadResult[];
  /** The tier's requests per second relative to those of the echo. */
  readonly shareOfEcho: readonly number[];
  /** The tier's requests per second relative to those of the frame. */
  readonly shareOfFrame: readonly number[];
}

/** Makes a workspace of ten texts. @returns the request that finds all of them */
async function makeFrame(service: BenchService): Promise<Uint8Array[]> {
  const access = await service.addWorkspace("frame");
  using client = await Client.open(service.url, access.key);
  const { id } = await client.post("/v1/session", {}) as { id: string };
  const said = new Corpus(1).sessions(100).flatMap(({ turns }) => turns).take(10).toArray();
  const turns = said.map(({ content, ...turn }) => ({ role: "user", ...turn, content: `Zeppelin ${content}` }));
  await client.post(`/v1/session/${id}/turns`, { turns });
  const { results } = await client.post(HOT, { query: "zeppelin", limit: 10 }) as { results: unknown[] };
  if (results.length !== turns.length) throw new Error(`Cannot measure the frame: ${results.length} results, not 10`);
  return requestsOf(service, access, HOT, ["zeppelin"]);
}

export async function measureHot(
  service: BenchService,
  access: Access,
  queries: Queries,
  count: number,
): Promise<HotResult> {
  await using echo = await startEcho();
  const all = mix(queries);
  const started = performance.now();
  await runLoad({
    label: "hot tier, first",
    url: service.url,
    requests: requestsOf(service, access, HOT, all),
    concurrency: 1,
    count: 1,
  });
  const firstMs = round(performance.now() - started, 1);
  const reference = all.map((query) => encodeRequest(echo.url, "POST", "/echo", { body: { query, limit: 10 } }));
  const framed = await makeFrame(service);
  const hot: LoadResult[] = [], echoed: LoadResult[] = [], frame: LoadResult[] = [];
  for (const concurrency of [1, CONCURRENCY]) {
    const shared = { concurrency, count, warmUp: count };
    echoed.push(await runLoad({ ...shared, label: `echo ×${concurrency}`, ...echo, requests: reference }));
    const { url, pid } = service;
    frame.push(await runLoad({ ...shared, label: `frame ×${concurrency}`, url, pid, requests: framed }));
    hot.push(
      await runLoad({
        ...shared,
        label: `hot ×${concurrency}`,
        url,
        pid,
        requests: requestsOf(service, access, HOT, all),
      }),
    );
  }
  const shareOf = (others: readonly LoadResult[]) =>
    hot.map((load, i) => round(load.requestsPerSecond / others[i]!.requestsPerSecond, 4));
  return { firstMs, hot, echo: echoed, frame, shareOfEcho: shareOf(echoed), shareOfFrame: shareOf(frame) };
}

/** The rows of a table with `LOAD_COLUMNS`. */
export function hotRows({ hot, echo, frame }: HotResult): string[][] {
  return [
    ...echo.map((load) => [`reference: JSON echo ×${load.concurrency}`, ...loadCells(load)]),
    ...frame.map((load) => [`frame: hot in a workspace of ten texts ×${load.concurrency}`, ...loadCells(load)]),
    ...hot.map((load) => [`hot ×${load.concurrency}`, ...loadCells(load)]),
  ];
}

export function formatHot(result: HotResult): string {
  const inPercent = (shares: readonly number[]) => shares.map((share) => `${(share * 100).toFixed(1)} %`).join(", ");
  return `${formatTable(["what", ...LOAD_COLUMNS], hotRows(result))}\n` +
    `hot to echo: ${inPercent(result.shareOfEcho)} of the requests a second; hot to its frame: ` +
    `${inPercent(result.shareOfFrame)}; the tier's first request: ${result.firstMs} ms`;
}
