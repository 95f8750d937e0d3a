/** The hot tier over HTTP at several concurrencies, beside a validated JSON echo in a process of its own. */
import { round } from "./_bench.ts";
import { QUERY_CLASSES } from "./_corpus.ts";
import { encodeRequest, LOAD_COLUMNS, loadCells, type LoadResult, runLoad, startEcho } from "./_http.ts";
import { formatTable } from "./_bench.ts";
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
  /** The first request, which the database answers: the tier loads from the second on. */
  readonly firstMs: number;
  readonly hot: readonly LoadResult[];
  readonly echo: readonly LoadResult[];
  /** Requests a second of the tier over those of the echo. */
  readonly shareOfEcho: readonly number[];
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
  const hot: LoadResult[] = [], echoed: LoadResult[] = [];
  for (const concurrency of [1, CONCURRENCY]) {
    const shared = { concurrency, count, warmUp: count };
    echoed.push(await runLoad({ ...shared, label: `echo ×${concurrency}`, ...echo, requests: reference }));
    hot.push(
      await runLoad({
        ...shared,
        label: `hot ×${concurrency}`,
        url: service.url,
        pid: service.pid,
        requests: requestsOf(service, access, HOT, all),
      }),
    );
  }
  const shareOfEcho = hot.map((load, i) => round(load.requestsPerSecond / echoed[i]!.requestsPerSecond, 4));
  return { firstMs, hot, echo: echoed, shareOfEcho };
}

/** The rows of a table with `LOAD_COLUMNS`. */
export function hotRows({ hot, echo }: HotResult): string[][] {
  return [
    ...echo.map((load) => [`reference: JSON echo ×${load.concurrency}`, ...loadCells(load)]),
    ...hot.map((load) => [`hot ×${load.concurrency}`, ...loadCells(load)]),
  ];
}

export function formatHot(result: HotResult): string {
  const shares = result.shareOfEcho.map((share) => `${(share * 100).toFixed(1)} %`).join(", ");
  return `${formatTable(["what", ...LOAD_COLUMNS], hotRows(result))}\n` +
    `hot to echo: ${shares} of the requests a second; the tier's first request: ${result.firstMs} ms`;
}
