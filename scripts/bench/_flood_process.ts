/**
 * A process that sends requests at a fixed rate over kept-alive connections, whatever the replies are. It reads its
 * order from standard input and writes its report to standard output, both as JSON.
 */
import process from "node:process";
import { HttpConnection } from "./_http.ts";

export interface FloodOrder {
  readonly url: string;
  /** Whole requests of HTTP/1.1, sent in turn. */
  readonly requests: readonly string[];
  /** The number of requests to send. */
  readonly count: number;
  readonly perSecond: number;
}

export interface FloodReport {
  readonly seconds: number;
  /** The CPU time of the sending itself, which shares the machine with the flooded service. */
  readonly cpuMs: number;
  /** Replies by status; `closed` counts connections that were closed instead. */
  readonly replies: Readonly<Record<string, number>>;
}

/** Enough connections that a slow reply does not reduce the rate. */
const CONNECTIONS = 128;

async function flood({ url, requests: texts, count, perSecond }: FloodOrder): Promise<FloodReport> {
  const encoder = new TextEncoder();
  const requests = texts.map((text) => encoder.encode(text));
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => HttpConnection.open(url)));
  const replies: Record<string, number> = {};
  const started = performance.now(), cpu = process.cpuUsage();
  let next = 0;
  await Promise.all(connections.map(async (first) => {
    let connection = first;
    while (next < count) {
      const index = next++;
      const wait = started + index / perSecond * 1_000 - performance.now();
      if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
      let outcome = "closed";
      try {
        outcome = String((await connection.send(requests[index % requests.length]!)).status);
      } catch {
        connection[Symbol.dispose]();
        connection = await HttpConnection.open(url);
      }
      replies[outcome] = (replies[outcome] ?? 0) + 1;
    }
    connection[Symbol.dispose]();
  }));
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1_000, cpuMs: (user + system) / 1_000, replies };
}

if (import.meta.main) {
  const order = await new Response(Deno.stdin.readable).json() as FloodOrder;
  console.log(JSON.stringify(await flood(order)));
}
