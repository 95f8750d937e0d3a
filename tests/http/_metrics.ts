/** The metrics page as an independent parser reads it, and a model endpoint that charges tokens. */
import assert from "node:assert/strict";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import type { TestService } from "../_service.ts";

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  /** The value; for a histogram, its count. */
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

interface Parsed {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly metrics: readonly { labels?: Record<string, string>; value?: string }[];
}

const parse = parsePrometheusTextFormat as unknown as (text: string) => Parsed[];

/** Families of a page, by name. */
export function parseMetrics(page: string): ReadonlyMap<string, Family> {
  // The parser folds all series of a histogram into one; without their type it gives them singly, in pieces.
  const singly = Map.groupBy(parse(page.replaceAll(/^# TYPE \S+ histogram\n/gm, "")), (piece) => piece.name);
  const samplesOf = (name: string): Sample[] =>
    (singly.get(name) ?? []).flatMap((piece) => piece.metrics)
      .map(({ labels, value }) => ({ labels: labels ?? {}, value: Number(value) }));
  return new Map(
    parse(page).map(({ name, type, help }) => {
      const isHistogram = type === "HISTOGRAM";
      if (isHistogram) checkBuckets(samplesOf(`${name}_bucket`), samplesOf(`${name}_count`));
      const samples = samplesOf(isHistogram ? `${name}_count` : name);
      return [name, { name, type: type.toLowerCase(), help, samples }];
    }),
  );
}

/** Checks that the buckets of each series grow, and that the last one counts all. */
function checkBuckets(buckets: readonly Sample[], counts: readonly Sample[]): void {
  for (const { labels, value } of counts) {
    const own = buckets.filter((bucket) => Object.keys(labels).every((name) => bucket.labels[name] === labels[name]));
    const values = own.toSorted((a, b) => boundOf(a) - boundOf(b)).map((bucket) => bucket.value);
    assert.deepEqual(values, values.toSorted((a, b) => a - b));
    assert.equal(values.at(-1), value);
  }
}

function boundOf({ labels }: Sample): number {
  return labels["le"] === "+Inf" ? Infinity : Number(labels["le"]);
}

export async function scrape(service: TestService, headers: HeadersInit = {}): Promise<ReadonlyMap<string, Family>> {
  const reply = await service.get("/metrics", { key: null, headers });
  if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return parseMetrics(reply.body);
}

/** The value of the one sample with these labels; 0 if there is none. */
export function valueOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>>,
): number {
  const found =
    families.get(name)?.samples.filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
    ) ?? [];
  return found.reduce((sum, sample) => sum + sample.value, 0);
}

/** An embeddings endpoint on loopback with vectors of a text's own, which charges three tokens a text. */
export function startModelEndpoint(dimension = 384) {
  const keys: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    keys.push(request.headers.get("authorization") ?? "");
    const { input, model } = await request.json() as { input: string | string[]; model: string };
    const texts = typeof input === "string" ? [input] : input;
    const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, dimension) }));
    const usage = { prompt_tokens: 3 * texts.length, total_tokens: 3 * texts.length };
    return Response.json({ object: "list", model, data, usage });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    /** The `authorization` of each call. */
    keys,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function vectorOf(text: string, dimension: number): number[] {
  let seed = [...text].reduce((sum, char) => (sum * 31 + char.codePointAt(0)!) >>> 0, 7);
  return Array.from({ length: dimension }, () => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5);
}
