/** Shapes of requests that cost a careless reader far more than their size: each is sent to every operation. */
import type { FuzzRequest } from "./_operations.ts";

const members = (count: number, value = "1") =>
  `{${Array.from({ length: count }, (_, i) => `"m${i.toString(36)}":${value}`).join()}}`;
const list = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;

/** Bodies by their class; the names are those of the flood benchmark, too. */
export const HOSTILE_BODIES: Readonly<Record<string, string>> = {
  "wide: 90,000 unknown members": members(90_000),
  "wide: 9,000 unknown members": members(9_000),
  "many small members: 80 objects of 300": `{"facts":${list(80, members(300))}}`,
  "many small items: 99,000 numbers": list(99_000, "1"),
  "many small items: 199,000 numbers": list(199_000, "1"),
  "many faults: 60,000 lone surrogates": list(60_000, String.raw`"\ud800"`),
};

/** Queries by their class. */
export const HOSTILE_QUERIES: Readonly<Record<string, string>> = {
  "many parameters: 8,000": Array(8_000).fill("a").join("&"),
  "many parameters: 100": Array.from({ length: 100 }, (_, i) => `p${i}=1`).join("&"),
  "a long query: 16,000 characters": `q=${"%41".repeat(5_333)}`,
};

/** Headers by their class. */
export const HOSTILE_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "long header lists: X-Forwarded-For": { "x-forwarded-for": Array(10_000).fill("::").join() },
  "long header lists: tracestate, accept-encoding": {
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "tracestate": Array(5_000).fill("a=b").join(),
    "accept-encoding": Array(5_000).fill("br").join(),
  },
};

/**
 * Two hostile requests for one operation, one of them with a hostile body where it takes one. Which classes they are of
 * goes by `turn`: with the number of the operation and a seed in it, all operations together get all classes, and one
 * operation gets another one with each seed.
 * @param params of its path
 */
export function hostileRequests(
  turn: number,
  params: Readonly<Record<string, string>>,
  takesJson: boolean,
): readonly FuzzRequest[] {
  const nothing = { params, query: [], headers: {} };
  const heads: readonly Partial<FuzzRequest>[] = [
    ...Object.values(HOSTILE_QUERIES).map((query) => ({ query: pairsOf(query) })),
    ...Object.values(HOSTILE_HEADERS).map((headers) => ({ headers })),
  ];
  const bodies = Object.values(HOSTILE_BODIES);
  return [
    { ...nothing, ...heads[turn % heads.length] },
    ...(takesJson ? [{ ...nothing, body: bodies[turn % bodies.length]! }] : []),
  ];
}

function pairsOf(query: string): [string, string][] {
  return query.split("&").map((pair) => pair.split("=", 2)).map(([name, value = ""]) => [name!, value]);
}
