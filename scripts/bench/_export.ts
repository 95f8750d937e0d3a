/** Reads an export over HTTP as it arrives and checks it against its last line. */
import { createHash } from "node:crypto";

export interface ReadExport {
  readonly seconds: number;
  readonly bytes: number;
  /** Lines between the header and the end. */
  readonly lines: number;
}

export interface ReadExportOptions {
  /** Kinds of lines; default: all. */
  readonly types?: readonly string[];
  /** The expected number of lines. */
  readonly lines?: number;
  /** A file to write it to. */
  readonly path?: string;
}

/** Exports a workspace. @throws Error when the file is incomplete */
export async function readExport(url: string, key: string, options: ReadExportOptions = {}): Promise<ReadExport> {
  const started = performance.now();
  const query = new URLSearchParams((options.types ?? []).map((type) => ["types", type]));
  const reply = await fetch(`${url}/v1/export?${query}`, { headers: { authorization: `Bearer ${key}` } });
  if (reply.status !== 200) throw new Error(`Cannot export: ${reply.status} ${await reply.text()}`);
  using file = options.path === undefined ? undefined : await Deno.create(options.path);
  const hash = createHash("sha256");
  let held = new Uint8Array(0);
  let bytes = 0, lines = 0;
  for await (const chunk of reply.body!) {
    bytes += chunk.length;
    for (let at = 0; file !== undefined && at < chunk.length;) at += await file.write(chunk.subarray(at));
    // All lines except the last are hashed as soon as another one follows.
    const joined = new Uint8Array(held.length + chunk.length);
    joined.set(held);
    joined.set(chunk, held.length);
    const end = joined.lastIndexOf(10, joined.length - 2);
    hash.update(joined.subarray(0, end + 1));
    for (let at = joined.indexOf(10); at !== -1; at = joined.indexOf(10, at + 1)) if (at <= end) lines++;
    held = joined.slice(end + 1);
  }
  const seconds = (performance.now() - started) / 1_000;
  const end = JSON.parse(new TextDecoder().decode(held));
  const isWhole = end.kind === "end" && end.count === lines - 1 && end.count === (options.lines ?? end.count) &&
    end.sha256 === hash.digest("hex");
  if (!isWhole) throw new Error(`The file is not whole: ${JSON.stringify(end)}, ${lines} lines`);
  return { seconds, bytes, lines: lines - 1 };
}
