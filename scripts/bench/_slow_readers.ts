/** Readers without a key that request the largest file and do not read it: the memory of the service that they hold. */
import { readFileSync } from "node:fs";
import { createCertificates, startProxy } from "../../tests/_proxy.ts";
import { HAPROXY } from "../../tests/_programs.ts";
import { formatTable, round } from "./_bench.ts";
import type { BenchService } from "./_service.ts";

const READERS = 150;
const PATH = "/v1/docs/reference.js";
/** By then the service has answered all of them, or never will. */
const SETTLE_MS = 3_000;

export interface SlowReadersResult {
  readonly way: "direct" | "through the proxy";
  readonly readers: number;
  /** Resident memory of the service, in MiB. */
  readonly beforeMb: number;
  readonly afterMb: number;
}

export async function measureSlowReaders(service: BenchService): Promise<SlowReadersResult[]> {
  const { hostname, port } = new URL(service.url);
  const results = [await measure("direct", service, () => Deno.connect({ hostname, port: Number(port) }))];
  if (HAPROXY === undefined) return results;
  await using certificates = await createCertificates();
  await using proxy = await startProxy({ certificates, services: [service] });
  const caCerts = [await Deno.readTextFile(certificates.authority)];
  const open = () => Deno.connectTls({ hostname: "127.0.0.1", port: proxy.port, caCerts });
  return [...results, await measure("through the proxy", service, open)];
}

async function measure(
  way: SlowReadersResult["way"],
  { pid, url }: BenchService,
  open: () => Promise<Deno.Conn>,
): Promise<SlowReadersResult> {
  // The first reader makes the service unpack it, once.
  await (await fetch(url + PATH)).body?.cancel();
  const before = readResidentMb(pid);
  const head = new TextEncoder().encode(`GET ${PATH} HTTP/1.1\r\nhost: svc\r\n\r\n`);
  const connections = await Promise.all(Array.from({ length: READERS }, open));
  try {
    await Promise.all(connections.map((connection) => connection.write(head)));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return { way, readers: READERS, beforeMb: before, afterMb: readResidentMb(pid) };
  } finally {
    for (const connection of connections) connection.close();
  }
}

function readResidentMb(pid: number): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
  return round(Number(kb) / 1_024, 0);
}

export function formatSlowReaders(results: readonly SlowReadersResult[]): string {
  return formatTable(
    ["slow readers", "number", "before MiB", "after MiB"],
    results.map(({ way, readers, beforeMb, afterMb }) => [way, readers, beforeMb, afterMb]),
  );
}
